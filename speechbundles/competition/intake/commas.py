"""Decimal commas in an organiser's numbers, which the task's reader refuses.

A column is converted only if the reader refused one of its cells, so that text such as the label `1,2` stays as it is.
`1,234` may be 1.234 or 1234. It is converted only if another cell of its column has a comma that cannot separate
thousands, as in `0,5`, and none has a decimal point.
"""

import re
from collections.abc import Iterable, Mapping

from spokeneval.formats.problems import Problem, quote
from spokeneval.formats.text import decimal

_NUMBER = r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?"
_COMMA = re.compile(rf"{_NUMBER}\Z")
_REFUSED = re.compile(rf"'\s*({_NUMBER})\s*'")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}\Z")


def has_commas(rows: Iterable[Iterable[str]]) -> bool:
    """Whether a cell is a number with one comma."""
    return any("," in cell and _COMMA.match(cell.strip()) for cells in rows for cell in cells)


def refused_commas(problems: Iterable[Problem]) -> frozenset[str]:
    """Return the refused cells that are numbers with one comma, as the messages of the problems quote them."""
    return frozenset(cell for problem in problems for cell in _REFUSED.findall(problem.message))


def replace_commas(
    rows: Mapping[int, list[str]],
    columns: Mapping[int, str],
    file: str,
    refused: frozenset[str] | None = None,
) -> tuple[int, list[Problem]]:
    """Replace the commas in columns of numbers; if `refused` is given, only if one of their cells was refused.

    Parameters
    ----------
    rows: `line -> cells`; the cells are changed.
    columns: the columns to read, `place -> name`.
    refused: see `refused_commas`.

    Returns
    -------
    The number of changed cells, and a problem for each column whose commas may separate thousands.
    """
    changed, problems = 0, []
    for place, column in columns.items():
        cells = {line: row[place].strip() for line, row in rows.items()}
        commas = {line: cell for line, cell in cells.items() if _COMMA.match(cell)}
        numbers = [cell for cell in cells.values() if decimal(cell) is not None]
        is_text = 2 * (len(commas) + len(numbers)) < sum(map(bool, cells.values()))
        if is_text or (refused is not None and refused.isdisjoint(commas.values())):
            continue
        doubtful = [line for line, cell in commas.items() if _THOUSANDS.match(cell)]
        if doubtful and (len(doubtful) == len(commas) or any("." in cell for cell in numbers)):
            line = doubtful[0]
            written = f"{column} {quote(commas[line])} may have a decimal comma or a comma between thousands"
            advice = "write decimals with a point, and thousands without a separator"
            problems.append(Problem("ambiguous_comma", file, f"{written}; {advice}", line=line))
            commas = {line: cell for line, cell in commas.items() if not _THOUSANDS.match(cell)}
        for line, cell in commas.items():
            rows[line][place] = cell.replace(",", ".")
        changed += len(commas)
    return changed, problems
