"""Annotations that Label Studio exports as JSON, JSON-MIN or CSV, as rows of a sheet, or as regions of recordings.

A row is one annotation of a task. It has the number of the task as `id`, the data of the task, such as `audio`, the
`annotator`, and a column for each control, such as a choice, a rating or a text. The address of a sound becomes the
name of its file, without its folder, its suffix and the eight digits before an upload. Texts of regions are joined by
time. Annotations that were skipped are left out, as are tasks that nobody annotated.

A region is from `start` to `end`, in seconds. In JSON its labels and its text have the same id; in JSON-MIN and CSV
there are no ids, and texts have no times.

Source: Label Studio, "Label Studio JSON format of annotated tasks", and `converter.py` and `csv2.py` of its converter.
"""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from speechbundles.model.errors import UnreadableFile
from speechbundles.model.tabular import read_rows
from spokeneval.formats.problems import Problems, count_of, quote, repeated, some_of

JSON = ".json"
EXPORTS = (JSON, ".csv", ".tsv")
_ANNOTATION, _ANNOTATOR, _SKIPPED = "annotation_id", "annotator", "was_cancelled"
_ADDRESS = re.compile(r"\S*?/(upload/(\d+/)?[0-9a-f]{8}-)?([^/=]+)\.(wav|flac|mp3|ogg|m4a)", re.IGNORECASE)
_VALUES = ("choices", "text", "rating", "number")
_MARKS = (("annotation_id", "annotator", '"labels"'), ('"annotations"', '"result"', '"from_name"'))
"""What the texts of exports with regions have: JSON-MIN or CSV, and JSON."""


Region: TypeAlias = tuple[str, float, float, str]
"""Tier, start, end and label."""


class Annotation(NamedTuple):
    """The regions that one annotator marked in a recording.

    Attributes
    ----------
    number: its id in the project.
    regions: those on a tier are the labels of one control, or for words the texts of regions with one label.
    """

    number: int
    recording: str
    annotator: str
    regions: list[Region]


def is_export(columns: Collection[str]) -> bool:
    return {_ANNOTATION, _ANNOTATOR} <= {*columns}


def rows_of(text: str, file: str, problems: Problems) -> list[tuple[int, list[str]]]:
    """Return the rows of an export in JSON as in its CSV, each with the number of its annotation, below a header."""
    try:
        rows = list(_annotations(json.loads(text)))
        columns = list(dict.fromkeys(column for row in rows for column in row))
        numbered = [
            (int(row[_ANNOTATION]), [_written(row.get(column, "")) for column in columns]) for row in rows
        ]
    except (ValueError, TypeError, KeyError, AttributeError):
        problems.stop(
            "not_an_export", file, "expected annotations that Label Studio exports as JSON or JSON-MIN"
        )
    problems.place = "annotation"
    return [(0, columns), *numbered]


def _annotations(tasks: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for task in tasks:
        if task.get(_ANNOTATION):
            yield task  # JSON-MIN
        for annotation in () if _ANNOTATION in task else task["annotations"]:
            given: dict[str, list[Any]] = {}
            for result in annotation["result"]:
                if "from_name" in result:  # a relation between regions has none
                    value = {"id": result.get("id"), **result["value"]}
                    given.setdefault(result["from_name"], []).append(value)
            who = annotation["completed_by"]
            own = {_ANNOTATOR: who["email"] if isinstance(who, dict) else who, _ANNOTATION: annotation["id"]}
            yield {"id": task["id"], **task["data"], **given, **own, _SKIPPED: annotation.get(_SKIPPED)}


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _counts(row: Mapping[str, str]) -> bool:
    """Whether a row is an annotation that was not skipped."""
    return bool(row.get(_ANNOTATION)) and row.get(_SKIPPED, "").lower() != "true"


def plain_rows(
    columns: Sequence[str],
    rows: Sequence[tuple[int, list[str]]],
    needed: Collection[str],
    file: str,
    problems: Problems,
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of an export with answers in place of JSON, without the annotations that were skipped."""
    for number, cells in rows:
        if not _counts(dict(zip(columns, cells, strict=False))):
            continue
        plain = [_plain(cell) for cell in cells]
        for column, cell in zip(columns, plain, strict=False):
            if column in needed and cell[:2] in ("[{", '{"'):
                message = f"{column} {quote(cell, 60)}; expected a choice, a rating, a number or a text"
                problems.add("no_answer", file, message, line=number)
        yield number, plain


def _plain(cell: str) -> str:
    """Return the answers in a cell of JSON, or the name of a sound; any other cell as it is."""
    address = _ADDRESS.fullmatch(cell)
    if address:
        return address[3]
    try:
        values = json.loads(cell) if cell[:1] in ("[", "{") else None
        parts = sorted(
            values if isinstance(values, list) else [values], key=lambda each: each.get("start", 0)
        )
        answers = [next(each[key] for key in _VALUES if key in each) for each in parts]
    except (ValueError, TypeError, AttributeError, StopIteration):
        return cell.replace("\n", " ")
    texts = (each if isinstance(each, list) else [each] for each in answers)
    return " ".join(word for each in texts for text in each for word in str(text).split())


def has_regions(text: str) -> bool:
    """Whether a text is an export that can have regions."""
    return any(all(mark in text for mark in marks) for marks in _MARKS)


def read_regions(text: str, file: str, words: bool, problems: Problems) -> Iterator[Annotation]:
    """Yield the annotations of an export. One without one sound, or a second one of an annotator, adds a problem.

    Parameters
    ----------
    words: whether the texts of regions are read, on tiers that have the names of their labels.
    """
    if words and '"annotations"' not in text:
        message = "in JSON-MIN and CSV, texts have no times and no labels; export it as JSON"
        problems.stop("no_times_of_words", file, message)
    try:
        is_json = text.lstrip()[:1] == "["
        (_, columns), *rows = rows_of(text, file, problems) if is_json else read_rows(text.encode())
    except UnreadableFile as error:
        problems.stop("unreadable", file, f"{error}; export it as JSON")
    if not is_export(columns):
        problems.stop("not_an_export", file, f"expected the columns {_ANNOTATION} and {_ANNOTATOR}")
    first: dict[tuple[str, str], int] = {}
    for number, cells in rows:
        row = dict(zip(columns, cells, strict=False))
        if not _counts(row):
            continue
        sounds = {address[3] for address in map(_ADDRESS.fullmatch, cells) if address}
        if len(sounds) != 1:
            message = f"its task has {count_of(len(sounds), 'address', 'addresses')} of sounds; expected one"
            problems.add("not_one_sound", file, message, line=number)
            continue
        (recording,), annotator = sounds, row[_ANNOTATOR]
        if (earlier := first.setdefault((recording, annotator), number)) != number:
            message = f"{annotator}'s {repeated(recording, earlier, problems.place)}"
            problems.add("repeated_annotation", file, message, line=number)
        try:
            yield Annotation(number, recording, annotator, _regions(row, words))
        except (ValueError, TypeError) as error:
            problems.add("bad_region", file, str(error), line=number)


def _regions(row: Mapping[str, str], words: bool) -> list[Region]:
    """Return the regions in an annotation's cells; of those with several labels one for each."""
    spans, texts = dict[Any, tuple[float, float]](), defaultdict[Any, list[str]](list)
    labels = defaultdict[Any, list[tuple[str, str]]](list)
    for control, cell in row.items():
        for value in _values(cell):
            region = value.get("id") or (value.get("start"), value.get("end"))
            spans[region] = float(value.get("start", 0)), float(value.get("end", 0))
            labels[region] += [(control, label) for label in value.get("labels", ())]
            texts[region] += value.get("text", ())
    for region, text in texts.items() if words else ():
        named, said = [label for _, label in labels[region]], " ".join(" ".join(text).split())
        if said and len(named) > 1:
            raise ValueError(
                f"a text at {spans[region][0]:g} s has the labels {some_of(named)}; expected one"
            )
        labels[region] = [("".join(named), said)]
    return [(tier, *spans[region], label) for region in spans for tier, label in labels[region] if label]


def _values(cell: str) -> list[Mapping[str, Any]]:
    """Return the objects in a cell of JSON; none of any other cell."""
    try:
        values = json.loads(cell) if cell[:2] == "[{" else []
    except ValueError:  # data that begin like JSON
        return []
    return [value for value in values if isinstance(value, dict)]
