"""Problems and warnings in terms of the organiser's own files: their names, sheets, lines and columns."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from speechbundles.competition.intake.table import OwnTable, Provenance
from spokeneval.formats.problems import Problem, ReferenceFileError, quote, some_of
from spokeneval.formats.tables import Layout
from spokeneval.formats.text import decimal

_QUOTED = re.compile(r"""((?<!\w)'(?:[^'\\]|\\.)*'|(?<!\w)"(?:[^"\\]|\\.)*")""")
"""Text from a file in a message: it stays as it is."""


def in_own_words(problem: Problem, tables: Sequence[OwnTable]) -> Problem:
    """Return a problem of a table that was made from an organiser's file as a problem of this file."""
    table = next((table for table in tables if table.file == problem.file), None)
    if table is None:
        return problem
    own, files = table.provenance, {other.file: other.provenance.source for other in tables}
    file, line = own.place_of(problem.line, problem.message)
    read = problem.line if own.places else line
    written = [cell.strip() for cell in own.as_written.get(read or 0, ())]
    cells = {quote(cell.replace(",", ".")): quote(cell) for cell in written}
    cells |= {quote(cell): quote(cell) for cell in written}  # a cell with a point is itself
    message = _translated(problem.message, {**files, **own.names}, own, cells)
    return replace(problem, file=file, line=line, message=message)


def listed_in_own_words(problems: Sequence[Problem], tables: Sequence[OwnTable]) -> list[str]:
    """Return problems of lines in the organiser's files as lines of text; many of one kind are one line."""
    listed = []
    for table in tables:
        own = [in_own_words(problem, tables) for problem in problems if problem.file == table.file]
        word = table.provenance.line_word
        for each in ReferenceFileError(own, place=word).summarised:
            listed.append(f"{each.file} {word} {each.line}: {each.message}")
    return listed


def _translated(
    message: str, words: Mapping[str, str], provenance: Provenance, cells: Mapping[str, str]
) -> str:
    """Return a message with the names of files and columns, the lines and the quoted cells of the organiser's file."""
    known = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w.-])(?:line (?P<line>\d+)|(?P<word>{known}))(?![\w-])")

    def own(found: re.Match[str]) -> str:
        if found["word"]:
            return words[found["word"]]
        file, line = provenance.place_of(int(found["line"]))
        where = f"{provenance.line_word} {line}"
        return where if file == provenance.source else f"{where} of {file}"

    parts = _QUOTED.split(message)
    return "".join(
        cells.get(part, part) if place % 2 else pattern.sub(own, part) for place, part in enumerate(parts)
    )


# Columns that are not used


LONGEST_NAME = 100
"""The most characters of a column's name that are compared."""
LIKE = 0.8
"""How similar the names of a numeric column and of a label must be, from 0 to 1."""


def unused_labels(table: OwnTable, layout: Layout, published: Collection[str]) -> Iterator[str]:
    """Yield a warning if columns of a table look like labels but are not used; at most one line.

    A column looks like a label if its name differs from that of a label only in its number, as `human4` beside
    `human1`, or if it has numbers and a similar name. The columns of public lists, `published`, are no labels.
    """
    labels = [column for column in layout.required if column != layout.id and column not in published]
    names = {*labels, *map(table.provenance.name_of, labels)}
    known = {*layout.columns, *layout.optional}
    others = ((place, column) for place, column in enumerate(table.columns) if column not in known)
    unused = [column for place, column in others if _is_like(names, table, place)]
    if unused:
        are = "looks like a label and is" if len(unused) == 1 else "look like labels and are"
        used = ", ".join(table.provenance.name_of(label) for label in labels)
        yield f"{table.provenance.source}: {some_of(unused, 8)} {are} not used; the labels are {used}"


def _is_like(names: Collection[str], table: OwnTable, place: int) -> bool:
    """Whether a column of a table looks like one of the named labels."""
    column, *stems = (
        re.sub(r"[\W_]|\d+\Z|\A\d+", "", name[:LONGEST_NAME].lower())
        for name in (table.columns[place], *names)
    )
    similar = any(SequenceMatcher(None, column, stem).ratio() >= LIKE for stem in stems)
    return column in stems or (similar and _are_numbers(table, place))


def _are_numbers(table: OwnTable, place: int) -> bool:
    cells = [cells[place].strip() for cells in table.rows.values()]
    return any(cells) and all(decimal(cell) is not None for cell in cells if cell)
