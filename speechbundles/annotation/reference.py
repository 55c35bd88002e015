"""From the files of annotators to a reference: labels or turns, agreement, disagreements, and what was left out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from math import ceil, floor
from pathlib import Path
from typing import Any

import pandas as pd

from speechbundles.annotation.agreement import answer_agreement
from speechbundles.annotation.merge import (
    EACH,
    FAIR_MEAN,
    MEAN,
    NUMERIC,
    RULES,
    Merged,
    disagreements,
    merge,
    model_of,
    numbers_of,
)
from speechbundles.annotation.recordings import Recordings, merge_turns, recoded, turn_agreement
from speechbundles.annotation.rounds import Round
from speechbundles.annotation.severity import differences, fair_means
from speechbundles.annotation.sheets import Questions, expected_answers, read_answers, sheets_of
from speechbundles.annotation.tables import (
    AGREEMENT,
    ASSIGNMENT,
    DATA,
    ITEMS,
    SPEAKER,
    Frame,
    csv_bytes,
    data_file,
    folded,
    formulas_in,
    read_table,
    refuse,
    refusing,
    without_formula,
    xlsx_bytes,
)
from speechbundles.annotation.turn_files import RTTM, SUFFIXES, TRACK, read_turns, stem_of, text_of
from speechbundles.competition.intake.label_studio import EXPORTS, JSON, has_regions
from speechbundles.competition.intake.tier_files import MOST_LABELS, refuse_words
from speechbundles.model.errors import OrganiserError
from spokeneval.formats.problems import count_of, name, some_of, suggestion
from spokeneval.formats.text import decimal, nfc

ANSWERS, LEFT_OUT = "answers.csv", "left_out.csv"
DISAGREEMENTS, MODEL = "disagreements.xlsx", "dawid_skene.csv"
FAIR_MEANS, SEVERITY = "fair_means.csv", "severity.csv"
SHEETS = (".xlsx", ".csv", ".tsv", JSON)
FILES = dict.fromkeys(("decisions", "several"), "labels.csv") | {
    kind: f"{kind}.csv" for kind in ("ratings", "scores", "transcripts")
}
"""The file of a kind of task."""
TURNS, REGIONS = "turns.csv", "regions.csv"

Written = tuple[dict[str, bytes], list[str]]
"""Files, `name -> content`, and lines that describe them."""

Recoding = tuple[str, str, str]
"""An answer, its new name, and the question that it is about; empty for all questions."""


def files_in(sources: Sequence[Path], suffixes: Sequence[str] = SUFFIXES) -> dict[Path, str]:
    """Return the files in or among sources, each with its annotator: its folder, or its name; by default, of turns.

    A text beside the sheets that `assign` wrote is a note, and no label track.
    """
    found = {}
    for source in sources:
        for path in sorted(source.rglob("*")) if source.is_dir() else [source]:
            note = path.suffix.lower() == TRACK and (path.parent / DATA).is_file()
            if path.suffix.lower() in suffixes and path.name not in (ASSIGNMENT, ITEMS, DATA) and not note:
                found[path] = nfc(path.parent.name if source.is_dir() else path.stem)
    return found


def exports_in(sources: Sequence[Path]) -> dict[Path, str]:
    """Return the exports of Label Studio in or among sources that can have regions, as `files_in`."""
    with refusing() as problems:
        found = files_in(sources, EXPORTS)
        return {path: found[path] for path in found if has_regions(text_of(path, problems))}


def parse_rules(
    given: Sequence[str], questions: Sequence[str], known: Sequence[str] = RULES
) -> dict[str, str]:
    """Return the rule of each question, as `--rule` gives them: `majority` for all, or `arousal=mean` for one."""
    pairs = [(question, rule) for question, _, rule in (text.rpartition("=") for text in given)]
    rules = dict.fromkeys(questions, dict(pairs).get("", "")) | {key: rule for key, rule in pairs if key}
    if len(dict(pairs)) < len(pairs) or not {*rules} <= {*questions} or not {*rules.values()} <= {*known}:
        asked = some_of(list(filter(None, questions))) or "turns"
        expected = f"expected one for each question ({asked}), of {', '.join(known)}"
        raise OrganiserError(f"--rule {' --rule '.join(given)}: {expected}")
    return rules


def merge_sheets(
    sources: Sequence[Path],
    ours: Round,
    given: Sequence[str],
    only: Sequence[str],
    adjudicated: Path | None,
    model: bool,
    annotator: str = "",
    recode: Path | None = None,
) -> Written:
    """Merge annotators' sheets.

    Parameters
    ----------
    given: see `parse_rules`.
    only: the questions that are merged; all if empty.
    adjudicated: a sheet with the labels of items on which annotators disagree.
    model: whether to compare the labels with those of Dawid and Skene's model.
    annotator: see `read_answers`.
    recode: a table of answers and new answers, `from` and `to`, and if these are of one question, `question`; an empty
        new answer is a missing one.
    """
    asked = list(only or ours.questions)
    rules = parse_rules(given, asked)
    recodings = _recodings(recode) if recode else []
    answers = _read(sources, ours, rules, asked, annotator, recodings)
    questions = {key: [*ours.questions[key]] for key in asked}
    if recode:
        answers, questions = _recoded(answers, questions, recode.name, recodings)
    expected = expected_answers(answers, ours.assigned)
    expected = {item: expected[item] for item in (*ours.items.index, *answers["item"]) if item in expected}
    decisions = None if adjudicated is None else _decisions(adjudicated, ours.id, questions, rules, expected)
    merged = merge(answers, expected, rules, questions, decisions)
    labels, declared = _declared(merged, questions, rules)
    file = FILES.get(declared.get("kind", ""), "reference.csv")
    chosen = answers[answers["question"].isin(asked)]
    table = labels.join(ours.items[[each for each in ours.items.columns if each not in labels.columns]])
    files = {
        file: csv_bytes(table.rename_axis(ours.id).reset_index(), exact=True),
        ANSWERS: csv_bytes(answers),
        AGREEMENT: csv_bytes(answer_agreement(chosen, ours.units)),
        LEFT_OUT: csv_bytes(merged.left_out),
        **data_file(ours.id, file, [file], task=_with_names(declared, ours, "id")),
    }
    found = f"items are in column {ours.id}, annotators are {answers.attrs['annotators']}"
    lines = [found] if ours.assigned is None else []
    tables, means = _severity(merged, rules)
    files |= tables
    lines += [*_summary(chosen, merged, labels, ours), *formulas_in(table.reset_index(), file), *means]
    if len(merged.left_out) and EACH not in rules.values():
        open_items = disagreements(merged, asked).rename(columns={"item": ours.id})
        files[DISAGREEMENTS] = xlsx_bytes(open_items, questions)
    voted = [question for question in asked if rules[question] not in (EACH, *NUMERIC)]
    if model and voted:
        models = pd.concat([model_of(answers, merged, question) for question in voted])
        files[MODEL], labelled = csv_bytes(models), models[models["label"] != ""]
        differ = (labelled["label"] != labelled["model"]).sum()
        lines.append(f"Dawid and Skene's model differs from {differ} of {len(labelled)} labels; see {MODEL}")
    return files, lines


def _read(
    sources: Sequence[Path],
    ours: Round,
    rules: Mapping[str, str],
    asked: Sequence[str],
    annotator: str,
    recodings: Iterable[Recoding],
) -> Frame:
    """Return the answers in all sheets; those that get a new name are allowed, too."""
    paths = files_in(sources, SHEETS)
    by = list(dict.fromkeys(rules.values()))
    if not paths or not {*asked} <= {*ours.questions} or not asked or (EACH in by and len(asked) > 1):
        read = f"{count_of(len(paths), 'sheet')}, questions {some_of(list(ours.questions)) or 'none (--ask)'}"
        what = f"cannot merge {some_of(asked) or 'anything'} by {some_of(by)}"
        raise OrganiserError(f"{sources[0]}: {read}; {what}")
    with refusing() as problems:
        allowed = {
            key: [*values, *(old for old, _, only in recodings if values and only in ("", key))]
            for key, values in ours.questions.items()
        }
        answers = read_answers(list(paths), ours.id, allowed, ours.assigned, problems, annotator)
        known = ours.items.index if len(ours.items) else answers["item"]
        wrong = answers[~answers["item"].isin(known)].drop_duplicates(["item", "file"])
        refuse(problems, "unknown_item", wrong, lambda row: f"{row.item} is not in the table of items")
    return answers


def _decisions(
    sheet: Path, id: str, questions: Questions, rules: Mapping[str, str], items: Iterable[str]
) -> Frame:
    """Return an adjudicator's labels, by item; a label that is no allowed answer or number is a problem."""
    allowed = {question: () if rules[question] in NUMERIC else questions[question] for question in questions}
    written = {each: item for item in items for each in (item, without_formula(item))}
    with refusing() as problems:
        decided = read_answers([sheet], id, allowed, None, problems)
        wrong = decided[~decided["item"].isin(list(written))].drop_duplicates("item")
        refuse(problems, "unknown_item", wrong, lambda row: f"{row.item} is not among the items")
    decided["item"] = decided["item"].map(written)
    return decided.pivot(index="item", columns="question", values="value")


def _with_names(declared: Mapping[str, Any], ours: Round, usual: str) -> dict[str, Any]:
    """Return the declaration of a task with the columns of its ids and units, if they have other names than usual."""
    names = {"id": ours.id} if ours.id != usual else {}
    return {**declared, **names, **({"unit": ours.unit} if ours.units and ours.unit != SPEAKER else {})}


def _recodings(path: Path) -> list[Recoding]:
    with refusing() as problems:
        table = read_table(path, problems, ["from", "to"])
    of = table["question"] if "question" in table.columns else [""] * len(table)
    return list(zip(table["from"], table["to"], of, strict=True))


def _recoded(
    answers: Frame, questions: Questions, file: str, recodings: Iterable[Recoding]
) -> tuple[Frame, dict[str, list[str]]]:
    """Return answers and the allowed ones, with the new answers of a table; others stay as they are."""
    pairs = [(question, value) for question, values in questions.items() for value in values]
    there, new = (
        {*zip(answers["question"], answers["value"], strict=True), *pairs},
        dict[tuple[str, str], str](),
    )
    for old, to, only in recodings:
        own = [
            (question, old) for question in questions if only in ("", question) and (question, old) in there
        ]
        if not own:
            raise OrganiserError(f"{file}: {name(old)}; expected answers that are in the sheets")
        new.update(dict.fromkeys(own, to))
    allowed: dict[str, list[str]] = {question: [] for question in questions}
    for pair in [*pairs, *(pair for pair in new if questions[pair[0]])]:
        allowed[pair[0]].append(new.get(pair, pair[1]))
    values = [new.get(pair, pair[1]) for pair in zip(answers["question"], answers["value"], strict=True)]
    return answers.assign(value=values), {
        key: list(filter(None, dict.fromkeys(own))) for key, own in allowed.items()
    }


def _severity(merged: Merged, rules: Mapping[str, str]) -> tuple[dict[str, bytes], list[str]]:
    """Return tables of fair means and of severities where labels are means, and a line for each question."""
    tables, lines = dict[str, list[Frame]](), []
    for question in [question for question, rule in rules.items() if rule in (MEAN, FAIR_MEAN)]:
        which = f"{question}: the label is the {rules[question].replace('_', ' ')} of the annotators"
        try:
            fitted = fair_means(numbers_of(merged.wide[question], question, MEAN))
        except OrganiserError as error:
            lines.append(f"{which}; no fair means: {error}")
            continue
        for file, table in zip((FAIR_MEANS, SEVERITY), fitted, strict=True):
            tables.setdefault(file, []).append(table.round(6).reset_index().assign(question=question))
        lines.append(f"{which}; {differences(*fitted)}; see {FAIR_MEANS} and {SEVERITY}")
    return {file: csv_bytes(pd.concat(parts)) for file, parts in tables.items()}, lines


def _declared(merged: Merged, questions: Questions, rules: Mapping[str, str]) -> tuple[Frame, dict[str, Any]]:
    """Return the labels with the columns of a kind of task, and its declaration; none for texts among several."""
    labels = merged.labels
    asked = {each: _kind_of(merged, each, allowed, rules[each]) for each, allowed in questions.items()}
    if len(asked) > 1:
        kinds = {declared["kind"] for declared in asked.values()}
        several = {"kind": "several", "questions": asked}
        return labels, several if kinds <= {"scores", "decisions"} else {}
    (declared,) = asked.values()
    if declared["kind"] == "transcripts":
        texts = labels.melt(value_name="transcript", ignore_index=False)[["transcript"]]
        return texts[texts["transcript"] != ""].sort_index(kind="stable"), declared
    column = {"scores": ["score"], "decisions": ["label"]}.get(declared["kind"], labels.columns)
    return labels.set_axis(column, axis=1), declared


def _kind_of(merged: Merged, question: str, allowed: Sequence[str], rule: str) -> dict[str, Any]:
    """Return the declaration of a task for one question."""
    given = merged.wide[question].to_numpy().ravel()
    values = list(allowed) or sorted({label for label in given if isinstance(label, str)})
    numbers = sorted(number for number in map(decimal, values) if number is not None)
    if rule == FAIR_MEAN and len(merged.labels):  # it may be below or above all answers
        means = NUMERIC[rule](numbers_of(merged.wide[question], question, rule))[merged.labels.index]
        numbers = [min(numbers[0], floor(means.min())), max(numbers[-1], ceil(means.max()))]
    ends = [int(end) if end == int(end) else end for end in (*numbers[:1], *numbers[-1:])]
    scale: dict[str, Any] = {"scale": ends} if ends else {}
    if rule in NUMERIC:
        return {"kind": "scores", **scale}
    if rule == EACH and len(numbers) == len(values):
        step = min((after - before for before, after in pairwise(numbers)), default=1)
        scale |= {"step": step} if step != 1 else {}
        return {"kind": "ratings", "raters": list(merged.labels.columns), **scale}
    if rule == EACH or len(values) > MOST_LABELS:
        return {"kind": "transcripts"}
    positive = {"positive": values[0]} if len(values) == 2 else {}
    return {"kind": "decisions", "classes": values, **positive}


def _summary(answers: Frame, merged: Merged, labels: Frame, ours: Round) -> Iterator[str]:
    """Yield what was read, what is missing, and how often each label occurs."""
    for annotator, mine in answers.groupby("annotator"):
        empty = int((mine["value"] == "").sum())
        yield f"{annotator}: {count_of(len(mine) - empty, 'answer')}" + f", {empty} missing" * (empty > 0)
    if ours.assigned is not None:
        there = {folded(Path(file).stem) for file in answers["file"]}
        waiting = [sheet for sheet in sheets_of(ours.assigned) if folded(sheet) not in there]
        if waiting:
            yield f"no sheet yet: {some_of(sorted(waiting), 8)}"
    yield f"{count_of(labels.index.nunique(), 'item')} with a label, {merged.left_out['item'].nunique()} left out"
    for column in labels.columns.difference(["transcript"], sort=False) if len(labels) else ():
        counts = [f"{value or 'none'} {count}" for value, count in labels[column].value_counts().items()]
        yield f"{column}: {some_of(counts, MOST_LABELS if len(counts) <= MOST_LABELS else 3, write=str)}"


def merge_annotations(
    paths: Mapping[Path, str],
    ours: Round,
    rule: str,
    recode: Path | None,
    tiers: Sequence[str],
    tier_labels: bool,
) -> Written:
    """Merge turns.

    Parameters
    ----------
    paths: the annotator of each file.
    recode: a table of labels and new labels, `from` and `to`.
    tiers, tier_labels: see `read_turns`.
    """
    with refusing() as problems:
        if ours.assigned is not None:
            names = sheets_of(ours.assigned)
            for path, folder in paths.items():
                if folder not in names:
                    message = f"folder {folder}; {suggestion(folder, sorted(names))}"
                    problems.add("unknown_annotator", path.name, message)
            paths = {path: names.get(folder, folder) for path, folder in paths.items()}
        turns = read_turns(paths, list(ours.items.index), tiers, problems, tier_labels)
        marked = turns.attrs["people"]
        if recode:
            table = read_table(recode, problems, ["from", "to"])
            turns = recoded(turns, dict(zip(table["from"], table["to"], strict=True)), problems)
        if not tier_labels:
            tiers_of = turns[~turns["file"].str.lower().str.endswith(RTTM)]
            labels = zip(tiers_of["recording"], tiers_of["label"], strict=True)
            refuse_words(labels, next(iter(paths)).name, "--tier-labels", problems)
    people = _annotators(paths, [*turns["recording"], *ours.items.index], marked)
    recordings = Recordings(turns, people, ours.seconds)
    found, regions = merge_turns(recordings, rule)
    lengths = (found["end"] - found["start"]).groupby([found["recording"], found["label"]])
    held = lengths.sum().unstack(fill_value=0.0)
    items = pd.DataFrame(index=pd.Index([*people], name="recording")).join(ours.items)
    items = items.join(held.round(3).add_prefix("seconds of ")).fillna(0)
    classes = {} if tier_labels or len(held.columns) > MOST_LABELS else {"classes": list(held.columns)}
    tables = {TURNS: found.round(6), REGIONS: regions.round(6)}
    if ours.units:
        for name, each in tables.items():
            tables[name] = each.assign(**{ours.unit: each["recording"].map(ours.units)})
    tables |= {ITEMS: items.reset_index(), AGREEMENT: turn_agreement(recordings, ours.units)}
    task = _with_names({"kind": "turns", **classes}, ours, ours.id)
    files = {name: csv_bytes(each, exact=name != AGREEMENT) for name, each in tables.items()}
    files |= data_file("recording", ITEMS, [TURNS, REGIONS], task=task)
    length, by = (regions["end"] - regions["start"]).sum(), some_of(sorted({*chain(*people.values())}), 8)
    kinds = ", ".join(f"{label} {seconds:.1f} s" for label, seconds in held.sum().items())
    read = f"{count_of(len(people), 'recording')}, {count_of(len(turns), 'turn')} by {by}"
    if cut := len(turns) - len(recordings.labelled):
        read += f"; cut out of the evaluated regions: {cut}"
    merged = f"{count_of(len(found), 'turn')} in {length:.1f} s of evaluated regions: {kinds}"
    return files, [read, merged, *formulas_in(found, TURNS)]


def _annotators(
    paths: Mapping[Path, str], recordings: Sequence[str], marked: Sequence[tuple[str, str]]
) -> dict[str, list[str]]:
    """Return the annotators of each recording, also those who found no turn; both are in order.

    Parameters
    ----------
    marked: pairs of recording and annotator in exports.
    """
    every = {stem_of(each): each for each in recordings}
    people: dict[str, set[str]] = {}
    pairs = [*marked]
    for path, annotator in paths.items():
        if path.suffix.lower() not in EXPORTS:
            stems = every if path.suffix.lower() == RTTM else [stem_of(path.stem)]
            pairs += [(stem, annotator) for stem in stems]
    for stem, annotator in pairs:
        people.setdefault(every.setdefault(stem, stem), set()).add(annotator)
    return {recording: sorted(people[recording]) for recording in sorted(people)}
