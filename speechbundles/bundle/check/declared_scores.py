"""Checks the options of a scoring program, and the leaderboard against the scores that it declares and writes.

The direction of a column that no program declares follows from its name, if that names a known measure.
"""

import re
from collections.abc import Mapping
from typing import Any

from speechbundles.bundle.check.inspection import CheckedProgram, CheckedTask, Contents, Inspection
from speechbundles.bundle.check.written import unwritten_keys
from speechbundles.model.archive import Archive
from speechbundles.model.bounded import parse_settings
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.competition import RECEIVED_COLUMN
from speechbundles.model.description import described_task, read_description
from speechbundles.model.finding import Report
from speechbundles.model.keys import SORTING
from speechbundles.model.zips import TASK_FILE
from spokeneval.scoring.options import KEYS, OPTIONS_FILE, Options
from spokeneval.task import HIGHER, LOWER, Column
from spokeneval.version import __version__

_MOST_KEYS = 1000
"""Columns that are searched for in a program."""
_USUAL = {
    HIGHER: re.compile(
        r"accuracy|acc|bacc|uar|f1|fscore|auc|auroc|precision|recall|sensitivity|specificity|kappa|qwk|correlation"
        r"|pearson|spearman|mcc|ndcg|mrr|bleu|rouge|chrf|iou|dice|jaccard|r2|pesq|stoi|psnr|ssim"
    ),
    LOWER: re.compile(
        r"errors?|err|wer|cer|der|jer|eer|ter|fer|mer|loss|logloss|nll|mae|mse|rmse|rmsle|mape|perplexity|ppl|dcf"
        r"|mindcf|cllr|cavg|distance|hausdorff|brier|miss|ece|mcd"
    ),
}
"""Words of columns, by the direction in which scores are better."""
_TURNED = re.compile(r"neg|negative|minus|inverse|inverted|reduction|improvement|gain|free|1|one")
"""Words that can reverse a measure: the direction of a column with one of them is unknown."""


def check_scores(bundle: Inspection, program: CheckedProgram) -> None:
    """Check the columns of the leaderboard against the scores that the program declares."""
    description = read_description(program.archive)
    _check_written(bundle, program.archive, description)
    if description is None:
        where = program.archive.where(TASK_FILE)
        bundle.report.add("scores-undeclared", where, "no list of scores, the primary one first")
        return
    scores = [score["key"] for score in description["scores"]]
    for key, path in bundle.contents.columns:
        if key not in scores:
            what = f"{program.archive.name} writes no {key!r}"
            bundle.add("column-not-scored", path, what, word=key, known=scores)
    key, path = bundle.contents.primary or ("", ())
    if key in scores and key != scores[0]:
        bundle.add("primary-not-first-score", path, f"ranks by {key!r}; the first score is {scores[0]!r}")


def _check_written(bundle: Inspection, archive: Archive, description: Mapping[str, Any] | None) -> None:
    """Report columns whose keys the program does not write, by the task's own scores or else by the program's files.

    A declaration without a usable task has a finding of its own.
    """
    task = str(description.get("task")) if description else ""
    paths = dict(bundle.contents.columns)
    declared = dict.fromkeys(score["key"] for score in description["scores"]) if description else paths
    keys = [key for key in paths if key in declared][:_MOST_KEYS]  # `check_scores` reports the others
    missing: list[str] = []  # unless the scores are those of another version
    try:
        definition = described_task(task, description or {})
    except ValueError as error:
        bundle.report.add("declaration-invalid", archive.where(TASK_FILE), str(error))
        return
    if definition is None:
        missing = unwritten_keys(_own_files(bundle.contents, archive, task), keys)
    elif __version__.encode() in archive.files.get("spokeneval/version.py", b""):
        primary = next((key for key in declared if key in definition.primaries), definition.primary.key)
        written = {*(column.key for column in definition.ranked_by(primary).columns), RECEIVED_COLUMN.key}
        missing = [key for key in keys if key not in written]
    for key in missing:
        bundle.add("score-not-written", paths[key], f"no file of {archive.name} has the key {key!r}")


def _own_files(contents: Contents, scoring: Archive, task: str) -> dict[str, bytes]:
    """Return the files of a scoring program and of the ingestion programs before it that can write its scores."""
    scored = (each.parts for each in contents.tasks if scoring in each.parts.values())
    before = (parts.get("ingestion_program") for parts in scored)
    return {
        archive.where(name): data
        for archive in {each.name: each for each in (scoring, *before) if each}.values()
        for name, data in archive.files.items()
        if name == f"spokeneval/challenges/{task}.py"
        or not (name.startswith("spokeneval/") or name == TASK_FILE)
    }


def check_sorting(bundle: Inspection, built: BuiltBundle) -> None:
    """Report columns that are sorted in the other direction than their scores, which are declared or named."""
    declared = {}
    for (step, _), program in bundle.contents.programs.items():
        description = read_description(program.archive) if step == "scoring_program" else None
        for score in description["scores"] if description else ():
            declared[score["key"]] = score.get("direction")
    paths = dict(bundle.contents.columns)
    for column in built.columns:
        known = declared.get(column.key)
        expected = known if known in (HIGHER, LOWER) else _usual_direction(column)
        item = bundle.document.value(paths.get(column.key, ()))
        sorting = item.get("sorting", item.get("sort"))
        # A column without a valid sorting has a finding of its own.
        if expected in (None, column.direction) or sorting not in SORTING.values():
            continue
        source = "as the program declares" if expected == known else "as its name suggests"
        what = f"{column.title!r} ranks the {column.direction} score first; {expected} is better, {source}"
        bundle.add("sorting-inverted" if expected == known else "sorting-doubtful", paths[column.key], what)


def _usual_direction(column: Column) -> str | None:
    """Return whether higher or lower scores are better, from the words of a column; None if they do not agree."""
    names = re.sub(r"([a-z])([A-Z])", r"\1 \2", f"{column.key} {column.title}")
    words = re.findall(r"[a-z]+\d?|\d+", names.lower())
    directions = [direction for direction, known in _USUAL.items() if any(map(known.fullmatch, words))]
    return directions[0] if len(directions) == 1 and not any(map(_TURNED.fullmatch, words)) else None


def read_options(report: Report, program: CheckedProgram) -> Options | None:
    """Return the options in a scoring program's options.json, or None if there are none or they are invalid."""
    if OPTIONS_FILE not in program.archive.files:
        return None
    where = program.archive.where(OPTIONS_FILE)
    try:
        content = parse_settings(program.archive.files[OPTIONS_FILE])
        for key, value in content.items() if isinstance(content, dict) else ():
            if key not in KEYS or not isinstance(value, KEYS[key]):
                report.add("options-invalid", where, f"{key!r:.100}: {value!r:.100}", word=key, known=KEYS)
                return None
        options = Options.load(content)
    except ValueError as error:
        report.add("options-invalid", where, str(error).removeprefix(f"{OPTIONS_FILE}: "))
        return None
    description = read_description(program.archive)
    choices = description["options"] if description else {}
    for option, value in options.options.items() if description else ():
        if option not in choices or value not in choices[option]:
            expected = ", ".join(map(str, choices.get(option, tuple(choices)))) or "nothing"
            report.add("options-invalid", where, f"{option}: {value!r}; expected one of {expected}")
    return options


def options_of(contents: Contents, task: CheckedTask | None) -> Options | None:
    """Return the options of a task's scoring program, or None if there are none or they are invalid."""
    program = contents.scoring_program(task)
    return read_options(Report(), program) if program else None


def writes_page(contents: Contents, task: CheckedTask | None) -> bool:
    """Return whether the task's scoring program can write detailed results: its options can turn them off."""
    options = options_of(contents, task)
    return options is None or options.detailed_results
