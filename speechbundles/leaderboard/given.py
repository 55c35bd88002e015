"""What an organiser gives beside the outputs: tables, read as rows of cells, and the refusal with every problem."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from speechbundles.model import tabular
from speechbundles.model.bounded import read_file
from speechbundles.model.errors import OrganiserError, UnreadableFile
from spokeneval.formats.problems import count_of, printable, some_of

MOST_SHOWN = 20
"""Most names in a message."""


def no_board(*problems: str) -> OrganiserError:
    """Return the error for outputs that cannot be on one board; its message lists every problem."""
    lines = (f"  {problem}" for problem in problems)
    return OrganiserError("\n".join([f"No leaderboard: {count_of(len(problems), 'problem')}\n", *lines]))


def read_rows(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the header of a table and its rows, without blanks around the cells.

    Cells are separated by tabs if the first line contains one, else by commas, else by semicolons.

    Raises
    ------
    OSError: not an ordinary file, or larger than a reference may be.
    OrganiserError: not UTF-8, or no such table.
    """
    try:
        content = read_file(path, tabular.LARGEST_FILE)
        first = content.partition(b"\n")[0]
        rows = tabular.read_rows(
            content, ";" if b";" in first and b"," not in first and b"\t" not in first else ""
        )
        header, *body = [[cell.strip() for cell in cells] for _, cells in rows] or [[]]
    except UnreadableFile as error:
        raise no_board(f"{path}: {error}") from None
    return header, body


def refusals_in(path: Path) -> Iterator[str]:
    """Yield each submission of the table that `score` writes, with why it was refused, or why there is no table."""
    try:
        (_, header), *rows = tabular.read_rows(read_file(path, tabular.LARGEST_FILE)) or [(1, [])]
    except UnreadableFile as error:
        header, rows = ["submission", "reason"], [(1, [str(path), str(error)])]
    for row in (dict(zip(header, cells, strict=False)) for _, cells in rows):
        if "submission" in row:
            yield printable(f"{row['submission']}: {row.get('reason') or 'no output beside ' + path.name}")


def listed(found: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a problem for each kind of odd rows or cells that was found."""
    return [f"{what}: {some_of(odd, MOST_SHOWN)}" for what, odd in found.items() if odd]


def raise_problems(place: object, problems: Sequence[str]) -> None:
    """Refuse a table, or an option, that has problems.

    Raises
    ------
    OrganiserError: lists them all.
    """
    if problems:
        raise no_board(*(f"{place}: {problem}" for problem in problems))
