"""What a program wrote, and its canonical form: the same answers are the same bytes.

The order is that of the items, numbers of a table have six significant digits and times of turns nine, and columns and
lines that no score needs are left out. So neither order, padding, the last digits of numbers, nor what surrounds the
answers is kept, and runs that differ only in rounding are equal.
"""

import io
import json
import re
import tarfile
import unicodedata
from collections.abc import Mapping
from typing import Any

from spokeneval.formats.files import Files
from spokeneval.formats.format import Items
from spokeneval.formats.problems import Problems
from spokeneval.formats.sheets import Answers
from spokeneval.formats.submission_folder import MAX_FILES
from spokeneval.formats.tables import csv_text, match_items, read_table
from spokeneval.task import Task

DIGITS, DIGITS_OF_TIMES = 6, 9
"""Significant digits of numbers in tables, and in the lines of other files."""

_NUMBER = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d+)?")


def read_written(archive: bytes) -> Files:
    """Return the files in the tar that was made of a program's output.

    Raises
    ------
    SubmissionError: anything else than ordinary files, side by side; the error lists every problem.
    """
    problems, files = Problems(), dict[str, bytes]()
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as tar:
            for member in tar:
                name = member.name.removeprefix("./")
                if name in ("", "."):
                    continue
                if len(files) >= MAX_FILES:
                    problems.stop("too_many_files", "", f"more than {MAX_FILES} files")
                if not member.isreg() or member.issparse():
                    problems.add("special_file", name, "is not an ordinary file")
                elif "/" in name or name in files:
                    problems.add("nested_folder", name, "is in a folder, or appears twice")
                else:
                    content = tar.extractfile(member)
                    files[name] = content.read(len(archive)) if content else b""
    except (tarfile.TarError, ValueError, OverflowError, EOFError, OSError):
        problems.add("output", "", "the files in OUTPUT_DIR could not be read to their end")
    if not files:
        problems.add("missing_file", "", "no file was written to OUTPUT_DIR")
    problems.raise_if_any()
    return Files(files)


def canonical(rules: Task, files: Files, items: Items) -> dict[str, bytes]:
    """Return the canonical form of answers, `name -> content`, which is accepted, too.

    Raises
    ------
    SubmissionError: the answers are refused.
    """
    answers = rules.format.read_submission(files, items)
    contents = {name: files.read(name, 1 << 40, Problems()) for name in files.names}
    if rules.format.answer:
        rewritten = _table(rules, contents, answers, items)
    else:
        rewritten = {name: _lines(name, content) for name, content in sorted(contents.items())}
    rules.format.read_submission(Files(rewritten), items)
    return rewritten


def _table(rules: Task, contents: Mapping[str, bytes], answers: Any, items: Items) -> dict[str, bytes]:
    layout, problems = rules.format.answer, Problems()
    assert layout
    table = read_table(contents, layout, problems)
    places = match_items(table, items.ids, problems, noun="item")
    problems.raise_if_any()
    columns = [list(items.ids)]
    read = answers.columns if isinstance(answers, Answers) else {}
    for name in layout.required[1:]:
        cells = [""] * len(items)
        for place, cell in zip(places, table.columns[name], strict=True):
            cells[place] = " ".join(unicodedata.normalize("NFC", cell).split())
        if name in read and read[name].dtype.kind == "f":
            cells = [_number(cell, DIGITS) for cell in cells]
        columns.append(cells)
    rows = [layout.required, *zip(*columns, strict=True)]
    return {layout.file: csv_text(rows, layout.delimiter).encode("utf-8", "surrogatepass")}


def _lines(name: str, content: bytes) -> bytes:
    """Return the lines of a file that is not one table; turns are sorted, and lines of no turn are left out."""
    text = content.decode("utf-8-sig", "surrogateescape")
    if name.endswith(".json"):
        try:
            return json.dumps(json.loads(text), ensure_ascii=False, sort_keys=True).encode()
        except ValueError:
            return content
    lines = [
        " ".join(_number(field, DIGITS_OF_TIMES) for field in line.split()) for line in text.splitlines()
    ]
    if name.endswith(".rttm"):
        lines = sorted(line for line in lines if line.startswith("SPEAKER "))
    return "".join(f"{line}\n" for line in lines if line).encode("utf-8", "surrogateescape")


def _number(cell: str, digits: int) -> str:
    """Return a number with so many significant digits; any other text, and a whole number, as it is."""
    if not _NUMBER.fullmatch(cell) or cell.lstrip("+-").isdigit():
        return cell
    return f"{float(cell) + 0.0:.{digits}g}"
