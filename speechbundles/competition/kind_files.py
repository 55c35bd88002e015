"""Replace the files that the parameters of a kind name by what is in them.

An organiser names a table in a rule, `normalise: [{spelling: FILE}]` or `{replace: FILE}`, and a table of features in
`features: FILE`. All have one row in a line, with a tab or a comma between cells, in UTF-8. The table of a rule has two
columns and no header: a word or, in `replace`, any text, and its replacement. A table of features has a header, and
lines that begin with # are comments.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from speechbundles.model.bounded import read_file
from speechbundles.model.errors import UnreadableFile
from speechbundles.model.tabular import read_rows
from spokeneval.formats.problems import Problems, ReferenceFileError, count_of, name, repeated

LARGEST_TABLE = 80_000
"""The most bytes of a table: it is written into `task.json`, of which `check` reads 256 kB, and into every output."""

_SPELLING_HINT = " (a word and its replacement)"


def resolve_files(parameters: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the parameters of a kind with the rows of a table in place of the name of its file.

    Parameters
    ----------
    parameters: as declared.
    folder: the folder that the names of files start from.

    Raises
    ------
    ReferenceFileError: files that cannot be opened, are too large or are not tables in UTF-8, and rows that cannot be
        used, with their lines.
    """
    problems = Problems(ReferenceFileError)
    resolved = dict(parameters)
    if isinstance(parameters.get("features"), str):
        resolved["features"] = _read_table(parameters["features"], folder, problems)
    if isinstance(parameters.get("normalise"), list):
        resolved["normalise"] = [_rule(rule, folder, problems) for rule in parameters["normalise"]]
    problems.raise_if_any()
    return resolved


def _rule(rule: Any, folder: Path, problems: Problems) -> Any:
    """Return a rule of normalisation with the rows of its table."""
    names = list(rule) if isinstance(rule, Mapping) else []
    if names not in (["spelling"], ["replace"]) or not isinstance(rule[names[0]], str):
        return rule
    return {names[0]: _read_table(rule[names[0]], folder, problems, width=2, words=names == ["spelling"])}


def _read_table(
    file: str, folder: Path, problems: Problems, width: int = 0, *, words: bool = True
) -> list[list[str]]:
    """Return the rows of a table, with one word in the first cell if `words`; `width` cells, or as in the first row."""
    try:
        content = read_file(folder / file, LARGEST_TABLE)
        if not width:
            content = re.sub(rb"(?m)^#.*$", b"", content)
        lines = read_rows(content, "\t" if b"\t" in content else ",")
    except (OSError, UnreadableFile, ValueError) as error:
        problems.add("unreadable", file, str(getattr(error, "strerror", None) or error))
        return []
    if not lines:
        problems.add("unreadable", file, "has no rows")
    first: dict[str, int] = {}
    rows = []
    for line, row in ((line, [*map(str.strip, cells)]) for line, cells in lines):
        expected = width or len(lines[0][1])
        if len(row) != expected:
            message = f"{count_of(len(row), 'column')}; expected {expected}{_SPELLING_HINT if width else ''}"
            problems.add("wrong_field_count", file, message, line=line)
        elif words and row[0].split() != [row[0]]:
            message = f"{name(row[0])} in the first column; expected one word"
            problems.add("not_one_word", file, message, line=line)
        elif row[0] in first:
            problems.add("repeated_row", file, repeated(name(row[0]), first[row[0]]), line=line)
        else:
            first[row[0]] = line
            rows.append(row)
    return rows
