"""From the files of annotators to a reference: labels or turns, agreement, disagreements, and what was left out."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd

from speechbundles.annotation.agreement import answer_agreement
from speechbundles.annotation.merge import EACH, MEDIAN, Merged, disagreements, merge, model_of
from speechbundles.annotation.recordings import Recordings, merge_turns, recoded, turn_agreement
from speechbundles.annotation.rounds import Round
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
    formulas_in,
    read_items,
    read_table,
    refuse,
    refusing,
    xlsx_bytes,
)
from speechbundles.annotation.turn_files import RTTM, SUFFIXES, TRACK, read_turns, stem_of
from speechbundles.model.errors import OrganiserError
from spokeneval.formats.problems import count_of, some_of, suggestion
from spokeneval.formats.text import decimal

ANSWERS, LEFT_OUT = "answers.csv", "left_out.csv"
DISAGREEMENTS, MODEL = "disagreements.xlsx", "dawid_skene.csv"
SHEETS = (".xlsx", ".csv", ".tsv")
MOST_CLASSES = 20
"""With more different labels, they are transcripts."""
FILES = {"decisions": "labels.csv"} | {kind: f"{kind}.csv" for kind in ("ratings", "scores", "transcripts")}
"""The file of a kind of task."""
TURNS, REGIONS = "turns.csv", "regions.csv"

Written = tuple[dict[str, bytes], list[str]]
"""Files, `name -> content`, and lines that describe them."""


def files_in(sources: Sequence[Path], suffixes: Sequence[str] = SUFFIXES) -> dict[Path, str]:
    """Return the files in or among sources, each with its annotator: its folder, or its name; by default, of turns.

    A text beside the sheets that `assign` wrote is a note, and no label track.
    """
    found = {}
    for source in sources:
        for path in sorted(source.rglob("*")) if source.is_dir() else [source]:
            note = path.suffix.lower() == TRACK and (path.parent / DATA).is_file()
            if path.suffix.lower() in suffixes and path.name not in (ASSIGNMENT, ITEMS, DATA) and not note:
                found[path] = path.parent.name if source.is_dir() else path.stem
    return found


def merge_sheets(
    sources: Sequence[Path],
    ours: Round,
    rule: str,
    only: Sequence[str],
    adjudicated: Path | None,
    model: bool,
) -> Written:
    """Merge annotators' sheets.

    Parameters
    ----------
    only: the questions that are merged; all if empty.
    adjudicated: a sheet with the labels of items on which annotators disagree.
    model: whether to compare the labels with those of Dawid and Skene's model.
    """
    asked = list(only or ours.questions)
    answers, questions = _read(sources, ours, rule, asked), {key: ours.questions[key] for key in asked}
    expected = expected_answers(answers, ours.assigned)
    expected = {item: expected[item] for item in (*ours.items.index, *answers["item"]) if item in expected}
    decisions = None if adjudicated is None else read_items(adjudicated, ours.id, asked)
    merged = merge(answers, expected, rule, questions, decisions)
    labels, declared = _declared(merged, questions, rule)
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
    lines = [*_summary(chosen, merged, labels, ours), *formulas_in(table.reset_index(), file)]
    if len(merged.left_out) and rule != EACH:
        open_items = disagreements(merged, asked).rename(columns={"item": ours.id})
        files[DISAGREEMENTS] = xlsx_bytes(open_items, questions)
    if model and rule not in (EACH, MEDIAN):
        models = pd.concat([model_of(answers, merged, question) for question in asked])
        files[MODEL], labelled = csv_bytes(models), models[models["label"] != ""]
        differ = (labelled["label"] != labelled["model"]).sum()
        lines.append(f"Dawid and Skene's model differs from {differ} of {len(labelled)} labels; see {MODEL}")
    return files, lines


def _read(sources: Sequence[Path], ours: Round, rule: str, asked: Sequence[str]) -> Frame:
    """Return the answers in all sheets."""
    paths = files_in(sources, SHEETS)
    if not paths or not {*asked} <= {*ours.questions} or not asked or (rule == EACH and len(asked) > 1):
        read = f"{count_of(len(paths), 'sheet')}, questions {some_of(list(ours.questions)) or 'none (--ask)'}"
        raise OrganiserError(f"{sources[0]}: {read}; cannot merge {some_of(asked) or 'anything'} by {rule}")
    with refusing() as problems:
        answers = read_answers(list(paths), ours.id, ours.questions, ours.assigned, problems)
        known = ours.items.index if len(ours.items) else answers["item"]
        wrong = answers[~answers["item"].isin(known)].drop_duplicates(["item", "file"])
        refuse(problems, "unknown_item", wrong, lambda row: f"{row.item} is not in the table of items")
    return answers


def _with_names(declared: Mapping[str, Any], ours: Round, usual: str) -> dict[str, Any]:
    """Return the declaration of a task with the columns of its ids and units, if they have other names than usual."""
    names = {"id": ours.id} if ours.id != usual else {}
    return {**declared, **names, **({"unit": ours.unit} if ours.units and ours.unit != SPEAKER else {})}


def _declared(merged: Merged, questions: Questions, rule: str) -> tuple[Frame, dict[str, Any]]:
    """Return the labels with the columns of a kind of task, and its declaration; for several questions none."""
    if len(questions) > 1:
        return merged.labels, {}
    ((question, allowed),) = questions.items()
    given = merged.wide[question].to_numpy().ravel()
    values = list(allowed) or sorted({label for label in given if isinstance(label, str)})
    numbers = sorted(number for number in map(decimal, values) if number is not None)
    ends = [int(end) if end == int(end) else end for end in (*numbers[:1], *numbers[-1:])]
    scale: dict[str, Any] = {"scale": ends} if ends else {}
    if rule == MEDIAN:
        return merged.labels.set_axis(["score"], axis=1), {"kind": "scores", **scale}
    if rule == EACH and len(numbers) == len(values):
        step = min((after - before for before, after in pairwise(numbers)), default=1)
        scale |= {"step": step} if step != 1 else {}
        return merged.labels, {"kind": "ratings", "raters": list(merged.labels.columns), **scale}
    if rule == EACH or len(values) > MOST_CLASSES:
        texts = merged.labels.melt(value_name="transcript", ignore_index=False)[["transcript"]]
        return texts[texts["transcript"] != ""].sort_index(kind="stable"), {"kind": "transcripts"}
    positive = {"positive": values[0]} if len(values) == 2 else {}
    return merged.labels.set_axis(["label"], axis=1), {"kind": "decisions", "classes": values, **positive}


def _summary(answers: Frame, merged: Merged, labels: Frame, ours: Round) -> Iterator[str]:
    """Yield what was read, what is missing, and how often each label occurs."""
    for annotator, mine in answers.groupby("annotator"):
        empty = int((mine["value"] == "").sum())
        yield f"{annotator}: {count_of(len(mine) - empty, 'answer')}" + f", {empty} missing" * (empty > 0)
    if ours.assigned is not None:
        waiting = sheets_of(ours.assigned).keys() - {Path(file).stem for file in answers["file"]}
        if waiting:
            yield f"no sheet yet: {some_of(sorted(waiting), 8)}"
    yield f"{count_of(labels.index.nunique(), 'item')} with a label, {merged.left_out['item'].nunique()} left out"
    for column in labels.columns.difference(["transcript"], sort=False) if len(labels) else ():
        counts = labels[column].value_counts().head(MOST_CLASSES)
        yield f"{column}: " + ", ".join(f"{value or 'none'} {count}" for value, count in counts.items())


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
        if recode:
            table = read_table(recode, problems, ["from", "to"])
            turns = recoded(turns, dict(zip(table["from"], table["to"], strict=True)), problems)
    every = {stem_of(each): each for each in (*turns["recording"], *ours.items.index)}
    people: dict[str, set[str]] = {}
    for path, annotator in paths.items():  # an annotator who found no turn counts, too
        own = [*every.values()] if path.suffix.lower() == RTTM else [every.setdefault(path.stem, path.stem)]
        for recording in own:
            people.setdefault(recording, set()).add(annotator)
    recordings = Recordings(turns, {each: sorted(people[each]) for each in sorted(people)}, ours.seconds)
    found, regions = merge_turns(recordings, rule)
    lengths = (found["end"] - found["start"]).groupby([found["recording"], found["label"]])
    held = lengths.sum().unstack(fill_value=0.0)
    items = pd.DataFrame(index=pd.Index(sorted(people), name="recording")).join(ours.items)
    items = items.join(held.round(3).add_prefix("seconds of ")).fillna(0)
    classes = {} if tier_labels or len(held.columns) > MOST_CLASSES else {"classes": list(held.columns)}
    tables = {TURNS: found.round(6), REGIONS: regions.round(6)}
    if ours.units:
        for name, each in tables.items():
            tables[name] = each.assign(**{ours.unit: each["recording"].map(ours.units)})
    tables |= {ITEMS: items.reset_index(), AGREEMENT: turn_agreement(recordings, ours.units)}
    task = _with_names({"kind": "turns", **classes}, ours, ours.id)
    files = {name: csv_bytes(each, exact=name != AGREEMENT) for name, each in tables.items()}
    files |= data_file("recording", ITEMS, [TURNS, REGIONS], task=task)
    length, by = (regions["end"] - regions["start"]).sum(), some_of(sorted({*paths.values()}), 8)
    kinds = ", ".join(f"{label} {seconds:.1f} s" for label, seconds in held.sum().items())
    read = f"{count_of(len(people), 'recording')}, {count_of(len(turns), 'turn')} by {by}"
    merged = f"{count_of(len(found), 'turn')} in {length:.1f} s of evaluated regions: {kinds}"
    return files, [read, merged, *formulas_in(found, TURNS)]
