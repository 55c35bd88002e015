"""Annotators' sheets: what they are asked, the files that they get, and the answers that come back.

Answers are a frame with a row for each answer: `annotator`, `item`, `question`, `value` (empty if not answered), `time`
(0, or 1 for the second rating of an item that was repeated), `file` and `line`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from speechbundles.annotation.tables import (
    ASSIGNMENT,
    ITEMS,
    Frame,
    csv_bytes,
    folded,
    read_table,
    refuse,
    without_formula,
    xlsx_bytes,
)
from speechbundles.model.errors import OrganiserError
from spokeneval.formats.problems import Problems, name, quote, repeated, some_of, suggestion
from spokeneval.formats.text import decimal, nfc

Questions = Mapping[str, Sequence[str]]
"""The columns that annotators fill in, each with the allowed answers; empty for any answer."""

_ANNOTATORS = ("annotator", "rater", "judge", "listener")
_PARTICIPANTS = ("participant_id", "participant id", "prolific_pid", "prolific id")
"""Columns with the annotators in Prolific's exports, if items are in several rows; else these are speakers."""
_COMMENT = "comment"
_TABLES = {Path(file).stem for file in (ASSIGNMENT, ITEMS)}
"""Names of files beside the sheets."""
_SHEET = ["annotator", "item", "file", "line"]


def parse_questions(asked: Iterable[str]) -> dict[str, list[str]]:
    """Return questions as `--ask` gives them: `language=correct,incorrect`, `rating=1..5`, `1..5:0.5` or `words`."""
    questions: dict[str, list[str]] = {}
    wrong = []
    for ask in asked:
        question, _, values = map(str.strip, ask.partition("="))
        if not question or folded(question) in map(folded, questions):
            wrong.append(f"--ask {ask}: expected a new question, such as rating=1..5 or label=yes,no")
        questions[question] = _answers(values)
        if len({*map(folded, questions[question])}) < max(1, len(questions[question])) and values:
            wrong.append(f"--ask {ask}: expected different answers, or a range such as 1..5 or 1..5:0.5")
    if wrong:
        raise OrganiserError("\n".join(wrong))
    return questions


def _answers(values: str) -> list[str]:
    """Return allowed answers, which are listed or the steps of a range; none of a range that cannot be meant."""
    low, mark, rest = values.partition("..")
    high, _, step = rest.partition(":")
    first, last, by = (decimal(each.strip()) for each in (low, high, step or "1"))
    if not mark or first is last is None:
        return [each.strip() for each in values.split(",") if each.strip()]
    if first is None or last is None or by is None or not (first < last and by > 0):
        return []
    steps = round((last - first) / by)
    ends = abs(first + steps * by - last) < by / 1000
    return [f"{round(first + place * by, 9) + 0:g}" for place in range(steps + 1)] if ends else []


def sheet_name(annotator: str, number: object) -> str:
    """Return the name of an annotator's sheet of a round, without its suffix."""
    return annotator if str(number) == "1" else f"{annotator}_{number}"


def sheets_of(assigned: Frame) -> dict[str, str]:
    """Return the annotator of each sheet, or folder of files, `name -> annotator`."""
    pairs = assigned[["annotator", "round"]].drop_duplicates().to_numpy().tolist()
    return {sheet_name(*pair): pair[0] for pair in pairs}


def require_names(annotators: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse names of annotators that cannot be names of sheets, and columns of sheets with other uses, all at once."""
    wrong = []
    for place, annotator in enumerate(annotators):
        if not re.fullmatch(r"(?!.*_\d+$)[^\W_](?:[\w .-]*\w)?", annotator):
            wrong.append(f"annotator {name(annotator)}: expected letters, digits, blanks, dots and hyphens")
        elif folded(annotator) in _TABLES:
            wrong.append(
                f"annotator {name(annotator)}: a table beside the sheets has this name; take another"
            )
        elif folded(annotator) in map(folded, annotators[:place]):
            wrong.append(f"annotator {name(annotator)} is named twice")
    for column, number in Counter(map(folded, [*columns, _COMMENT])).items():
        if column in _ANNOTATORS:
            wrong.append(f"column {name(column)}: in a sheet, this is the annotator; take another name")
        elif number > 1:
            wrong.append(f"column {name(column)}: ids, --show, --ask and the comments need different columns")
    if wrong:
        raise OrganiserError("\n".join(wrong))


def sheet_of(mine: Frame, items: Frame, questions: Questions, show: Sequence[str], suffix: str) -> bytes:
    """Return an annotator's sheet: the ids, the columns to show, and an empty column for each question."""
    sheet = items.loc[mine["item"], list(show)].reset_index()
    sheet = sheet.assign(**dict.fromkeys([*questions, _COMMENT], ""))
    return xlsx_bytes(sheet, questions) if suffix == ".xlsx" else csv_bytes(sheet)


def read_answers(
    paths: Sequence[Path],
    id: str,
    questions: Questions,
    assigned: Frame | None,
    problems: Problems,
    annotator: str = "",
) -> Frame:
    """Read the answers in annotators' sheets; `attrs` of the frame reports where the `annotators` were found.

    Parameters
    ----------
    id: the column of the items.
    assigned: what was assigned; None for other sheets, whose column `annotator` or name is the annotator's.
    annotator: the column of the annotators in other sheets; by default it is found by its name.
    """
    sheets = [*_sheets(paths, id, questions, assigned is None, problems, annotator)]
    taken = {sheet["file"].iloc[0]: sheet.attrs["annotators"] for sheet in sheets if len(sheet)}
    problems.raise_if_any()
    answers, times = pd.concat(sheets, ignore_index=True), 1
    blank = answers[(answers["item"] == "") | (answers["annotator"] == "")]
    refuse(problems, "no_id", blank, lambda row: f"{id} or annotator is empty")
    if assigned is None:
        names = {folded(each): each for each in sorted(answers["annotator"].unique(), reverse=True)}
        answers["annotator"] = answers["annotator"].map(lambda each: names[folded(each)])
    else:
        written = {without_formula(item): item for item in assigned["item"]}
        answers["item"] = answers["item"].map(lambda each: written.get(each, each))
        names = {folded(sheet): annotator for sheet, annotator in sheets_of(assigned).items()}
        who = answers["annotator"].map(lambda each: names.get(folded(each)))
        wrong = answers[who.isna()].drop_duplicates("annotator")
        refuse(problems, "unknown_annotator", wrong, lambda row: _unknown("annotator", row.annotator, names))
        given, answers["annotator"] = assigned.groupby(["annotator", "item"]).size(), who
        both = pd.MultiIndex.from_frame(answers[["annotator", "item"]])
        times = given.reindex(both, fill_value=0).to_numpy()
        extra, items = answers[(times == 0) & who.notna()], assigned["item"].unique()
        refuse(problems, "extra_item", extra, lambda row: _unknown(id, row.item, items))
    answers["time"] = answers.groupby(["annotator", "item"]).cumcount()
    first = answers.groupby(["annotator", "item"])["line"].first()
    again = answers[(answers["time"] > 0) & (answers["time"] >= times)]

    def twice(row: Any) -> str:
        said = repeated(row.item, first[row.annotator, row.item], problems.place)
        how = f" (annotators are {taken[row.file]}; --annotator COLUMN names their column)"
        return said + ("" if assigned is not None or annotator else how)

    refuse(problems, "duplicate_item", again, twice)
    long = answers.melt([*_SHEET, "time"], list(questions), "question", "")
    long = long.rename(columns={"": "value"})  # which may be the name of a question
    for question, values in questions.items():
        mine = long["question"] == question
        long.loc[mine, "value"] = _checked(long[mine], values, problems)
    long.attrs["annotators"] = some_of(list(dict.fromkeys(taken.values())), write=str)
    return long


def _sheets(
    paths: Sequence[Path],
    id: str,
    questions: Questions,
    from_elsewhere: bool,
    problems: Problems,
    annotator: str,
) -> Iterator[Frame]:
    """Yield the rows of each sheet; `attrs` has where the annotators are."""
    for path in paths:
        with problems.continuing():
            rows = read_table(path, problems, [id, *questions, *filter(None, [annotator])])
            known = [*_ANNOTATORS, *(_PARTICIPANTS if from_elsewhere and rows[id].duplicated().any() else ())]
            by_name = (each for title in known for each in rows.columns if folded(each) == title)
            column = annotator or next(by_name, None)
            who = {
                "annotator": rows[column] if column else nfc(path.stem),
                "file": path.name,
                "line": rows.index,
            }
            sheet = rows[[id, *questions]].rename(columns={id: "item"}).assign(**who)
            sheet.attrs["annotators"] = f"in column {column}" if column else "named by the file"
            yield sheet


def _unknown(what: str, word: str, known: Iterable[str]) -> str:
    return f"{what} {quote(word)}; {suggestion(folded(word), list(known), 'it is not among those assigned')}"


def _checked(answers: Frame, values: Sequence[str], problems: Problems) -> Frame:
    """Return answers as the allowed ones are spelt, with decimal points; answers that are not allowed are problems."""

    def key(value: str) -> object:
        number = decimal(value.replace(",", "."))
        return folded(value) if number is None else number

    spelt, keys = {key(value): value for value in reversed(values)}, answers["value"].map(key)
    if values:
        wrong = answers[(answers["value"] != "") & ~keys.isin(list(spelt))]
        expected = f"expected {some_of(values, 8)}"
        for row in wrong.itertuples():
            message = f"{row.question} {quote(row.value)}; {suggestion(folded(row.value), values, expected)}"
            code = f"unknown_answer {row.question} {row.value}"  # so that each wrong answer is listed
            problems.add(code, row.file, message, line=row.line)
        return keys.map(spelt).fillna("")
    numbers = keys[answers["value"] != ""].map(lambda each: isinstance(each, float)).all()
    return answers["value"].str.replace(",", ".") if numbers else answers["value"]


def expected_answers(answers: Frame, assigned: Frame | None) -> Mapping[str, int]:
    """Return how many annotators an item should have, `item -> number`: as assigned, or the most that any has."""
    rows = answers if assigned is None else assigned
    counts = rows.drop_duplicates(["annotator", "item"]).groupby("item").size()
    return dict.fromkeys(counts.index, int(counts.max())) if assigned is None else counts.to_dict()
