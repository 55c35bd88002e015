"""Checks the options of a scoring program, and the columns of the leaderboard against the scores that it declares."""

from speechbundles.check.inspection import BuiltTask, Contents, Inspection, Program
from speechbundles.model.bounded import parse_settings
from speechbundles.model.description import read_description
from speechbundles.model.finding import Report
from speechbundles.model.zips import TASK_FILE
from spokeneval.run.options import KEYS, OPTIONS_FILE, Options


def check_scores(bundle: Inspection, program: Program) -> None:
    """Check the columns of the leaderboard against the scores that the program declares."""
    description = read_description(program.archive)
    if description is None:
        where = program.archive.where(TASK_FILE)
        bundle.report.add("scores-undeclared", where, "no list of scores, the primary one first")
        return
    scores = dict.fromkeys(score["key"] for score in description["scores"])
    for key, path in bundle.contents.columns:
        if key not in scores:
            text = f"{program.archive.name} writes no {key!r}"
            bundle.add("column-not-scored", path, text, word=key, known=scores)
    if bundle.contents.primary:
        key, path = bundle.contents.primary
        first = next(iter(scores))
        if key in scores and key != first:
            text = f"ranks by {key!r}; the first score is {first!r}"
            bundle.add("primary-not-first-score", path, text)


def read_options(report: Report, program: Program) -> Options | None:
    """Return the options in a scoring program's options.json, or None if there are none or they are invalid."""
    if OPTIONS_FILE not in program.archive.files:
        return None
    where = program.archive.where(OPTIONS_FILE)
    try:
        content = parse_settings(program.archive.files[OPTIONS_FILE])
    except ValueError as error:
        report.add("options-invalid", where, str(error))
        return None
    if not isinstance(content, dict):
        report.add("options-invalid", where, "expected an object")
        return None
    for key, value in content.items():
        if key not in KEYS or not isinstance(value, KEYS[key]):
            report.add("options-invalid", where, f"{key!r:.100}: {value!r:.100}", word=key, known=KEYS)
            return None
    try:
        options = Options.load(content)
    except ValueError as error:
        report.add("options-invalid", where, str(error))
        return None
    description = read_description(program.archive)
    choices = description["options"] if description else {}
    for option, value in options.options.items() if description else ():
        if option not in choices or value not in choices[option]:
            expected = choices.get(option, tuple(choices))
            text = f"{option}: {value!r}; expected one of {', '.join(map(str, expected)) or 'nothing'}"
            report.add("options-invalid", where, text)
    return options


def options_of(contents: Contents, task: BuiltTask | None) -> Options | None:
    """Return the options of a task's scoring program, or None if there are none or they are invalid."""
    program = contents.scoring_program(task)
    return read_options(Report(), program) if program else None


def writes_page(contents: Contents, task: BuiltTask | None) -> bool:
    """Return whether the task's scoring program can write detailed results: its options can turn them off."""
    options = options_of(contents, task)
    return options is None or options.detailed_results
