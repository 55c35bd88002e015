"""Who spoke: the column `speaker` of a reference, also called `user` or `speaker_id`, and the units that follow.

What one speaker says is alike, so an interval is drawn over speakers where a reference names them. The column stays in
the reference: no public list holds it unless the task's own files do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .problems import Problems, name
from .tables import Table

SPEAKER = "speaker"
SPEAKER_ALIASES = {"user": SPEAKER, "speaker_id": SPEAKER}
SPEAKER_COLUMNS = (SPEAKER, *SPEAKER_ALIASES)


class Units(NamedTuple):
    """What is drawn for an interval.

    Attributes
    ----------
    called: what a unit is: `speaker`, `session`, `recording`, `call`, `response`.
    of: the unit of each row of the counts, `row -> unit`, in the order of the rows; a row has an item's id, or the
        name of what is counted together.
    """

    called: str
    of: Mapping[str, str]


def choose_units(rows: Sequence[str], called: str, **groups: Sequence[str]) -> Units:
    """The first grouping that names anything; where none does, each row is a unit of its own.

    Parameters
    ----------
    rows: n names of rows.
    called: what a row is.
    groups: `what a group is -> the n rows' groups`, or nothing where they are not known.
    """
    for group, names in groups.items():
        if any(names):
            return Units(group, dict(zip(rows, names)))
    return Units(called, dict(zip(rows, rows)))


def independence_note(called: str) -> str:
    """What an interval over such units takes for granted; nothing for speakers, and sessions of one speaker each."""
    if called in (SPEAKER, "session"):
        return ""
    return (
        f"{called.capitalize()}s were taken as independent, because the reference names no speakers. What one speaker "
        f"says is alike: where speakers have many {called}s each, such an interval is too narrow; where "
        "language learners spoke 40 sentences each, the true one was 1.8 to 2.9 times as wide."
    )


def check_speakers(table: Table, problems: Problems) -> None:
    """A reference names the speakers of all its rows, or of none."""
    for column in SPEAKER_COLUMNS:
        cells = table.columns.get(column, [])
        if not any(cells):
            continue
        for row, cell in enumerate(cells):
            if not cell:
                message = f"the {column} is empty; expected one in every row, or in none"
                table.add_problem(problems, "no_speaker", row, message)
            elif cell != cell.strip() or not cell.isprintable():
                message = f"{column} {name(cell)}; expected no invisible characters and no blanks around it"
                table.add_problem(problems, "unusable_speaker", row, message)
