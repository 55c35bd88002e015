"""Speakers: the column `speaker` of a reference, also called `user` or `speaker_id`, and the units of intervals.

Items of one speaker are similar, so confidence intervals are computed over speakers if the reference names them. The
column is not published: a public list contains it only if the task's own files do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional

from .problems import Noun, Problems, ReferenceFileError, count_of, name, plural_of
from .tables import Table, read_table
from .text import unusable

if TYPE_CHECKING:
    from .format import Format

SPEAKER = "speaker"
SPEAKER_ALIASES = {"user": SPEAKER, "speaker_id": SPEAKER}
SPEAKER_COLUMNS = (SPEAKER, *SPEAKER_ALIASES)

PLURAL = "unit_plural"
"""The parameter of a declared task for the plural of its unit."""

MEAN_OVER = "mean_over"
"""The parameter of a declared task for the groups that count equally; drawn groups are units."""

LEVEL = "level"
"""The parameter of a declared task for what the means are of, such as systems; each is scored as a whole."""

GROUP = " group"
"""The end of the name of a unit that consists of several units, which were grouped at random to save memory."""


class Units(NamedTuple):
    """The units over which a confidence interval is computed.

    Attributes
    ----------
    called
        The kind of unit: `speaker`, `session`, `recording`, `call`, `response`.
    of
        The unit of each row of the counts, `row -> unit`, in the order of the rows. The name of a row is the id of its
        item, or the name of the group that it counts.
    grouped
        The number of units that were grouped at random; 0 if they were not.
    """

    called: str
    of: Mapping[str, str]
    grouped: int = 0


def counted_units(number: int, called: str, grouped: int) -> str:
    """The number of units, and of the random groups that they are in.

    >>> counted_units(40, "test group", 200), counted_units(24, "speaker", 0)
    ('200 tests in 40 random groups', '24 speakers')
    """
    if not grouped:
        return count_of(number, called)
    return f"{count_of(grouped, called[: -len(GROUP)])} in {count_of(number, 'random group')}"


def refuse_empty(table: Table, column: str, cells: Iterable[str], problems: Problems) -> None:
    """Add a problem for each empty cell of a column that names units."""
    for row, cell in enumerate(cells):
        if not cell.strip():
            table.add_problem(problems, "no_unit", row, _empty(column))


def _empty(column: str) -> str:
    return f"the {column} is empty; expected one in every row"


def groups_in_column(
    form: Format,
    files: Mapping[str, bytes],
    column: str,
    keys_of: Callable[[Table], Iterable[Optional[str]]],
) -> dict[str, str]:
    """The group of each key, from a column of groups in a reference's first file.

    Parameters
    ----------
    keys_of
        Takes the table, and returns what each row is about, such as its item; None for rows that are left out.

    Raises
    ------
    ReferenceFileError
        The file has another format or no such column, a cell is empty, or a key has several groups.
    """
    problems, found = Problems(ReferenceFileError), dict[str, str]()
    layout, file = form.layouts[0].requiring(column), form.first_file(files)
    if file != layout.file:
        message = f"groups by {column} are read from CSV only; expected {layout.file}, with this column"
        problems.stop("no_group", file, message)
    table = read_table(files, layout, problems)
    for row, (key, cell) in enumerate(zip(keys_of(table), table.columns[column])):
        if key is None:
            continue
        if not cell.strip():
            table.add_problem(problems, "no_group", row, _empty(column))
        elif found.setdefault(key, cell) != cell:
            message = f"{column} {name(cell)}, but {name(found[key])} before; expected one for {name(key)}"
            table.add_problem(problems, "several_groups", row, message)
    problems.raise_if_any()
    return found


def choose_units(rows: Sequence[str], called: str, **groups: Sequence[str]) -> Units:
    """The units by the first grouping with any names; if there is none, each row is a unit.

    Parameters
    ----------
    rows
        The names of the n rows.
    called
        The kind of item that a row is.
    groups
        The groupings, `kind of group -> group of each of the n rows`; empty if the groups are not known.
    """
    for group, names in groups.items():
        if any(names):
            return Units(group, dict(zip(rows, names)))
    return Units(called, dict(zip(rows, rows)))


def unit_noun(called: str, declared: Mapping[str, Any]) -> str:
    """The name of a unit, with the plural that the declaration of the task gives."""
    if PLURAL not in declared or called != declared.get("unit", SPEAKER):
        return called
    noun = Noun(called)
    noun.plural = declared[PLURAL]
    return noun


def independence_note(called: str, declared: Mapping[str, Any]) -> str:
    """A warning about the assumption behind intervals over these units; empty for speakers and sessions.

    Parameters
    ----------
    declared
        The declaration of the task. It is empty too for the units that an organiser chose there.
    """
    called = called[: -len(GROUP)] if called.endswith(GROUP) else called
    mean = declared.get(MEAN_OVER)
    chosen = (declared.get("unit"), declared.get("level"), isinstance(mean, Mapping) and mean["column"])
    if called in (SPEAKER, "session", *chosen):
        return ""
    called = plural_of(called)
    return (
        f"The intervals treat {called} as independent, because the reference names no speakers. They are too narrow "
        f"if speakers have many {called} each."
    )


def unseen_share(units: int) -> float:
    """The share of units up to which a failure is missing from a set of so many with a probability of 5 % or more.

    Examples
    --------
    >>> [round(unseen_share(units), 2) for units in (8, 12, 30)]
    [0.31, 0.22, 0.1]
    """
    return float(1 - 0.05 ** (1 / units))


def unseen_note(units: int, called: str) -> str:
    """What no interval and no test over these units can know.

    Examples
    --------
    >>> unseen_note(12, "speaker")[:88]
    'With 12 speakers, a failure that happens to fewer than 22 % of speakers can be missing f'
    """
    return (
        f"With {count_of(units, called)}, a failure that happens to fewer than {100 * unseen_share(units):.2g} % of "
        f"{plural_of(called)} can be missing from the set; no interval or test then allows for it."
    )


def unused_speakers(columns: Iterable[str], called: str, declared: Mapping[str, Any]) -> list[str]:
    """A warning if units are items although the name of a column looks like one of speakers; at most one.

    Parameters
    ----------
    columns
        The names of the reference's columns.
    called
        The kind of unit.
    declared
        The declaration of the task; empty for a task that is written in Python.
    """
    alike = [column for column in columns if _is_of_speakers(column)]
    if not alike or not independence_note(called, declared):
        return []
    called = plural_of(called)
    instead = f", or declare `unit: {alike[0]}`" if declared else ""
    return [
        f"The column {alike[0]} of the reference looks like speakers, but is not used: intervals treat {called} as "
        f"independent, and are too narrow. Rename it to {SPEAKER}{instead}."
    ]


def _is_of_speakers(column: str) -> bool:
    name = re.sub(r"[\W_\d]+", "", column.lower())
    return (name[:-2] if name.endswith("id") else name) in _LIKE_SPEAKERS


_LIKE_SPEAKERS = set(
    """
    speaker speakername spk spkr spkname talker client clientname participant subject subj informant user username
    learner student child pupil patient caller candidate signer reader person voice sprecher sprecherin locuteur
    locutrice hablante parlante falante taler talare spreker mówca 说话人 話者 話し手 화자
    """.split()  # noqa: SIM905
)


def check_speakers(table: Table, problems: Problems) -> None:
    """Check that a reference names the speakers of all its rows, or of none."""
    for column in SPEAKER_COLUMNS:
        cells = table.columns.get(column, [])
        if not any(cells):
            continue
        for row in unusable(cells):
            if not cells[row]:
                message = f"the {column} is empty; expected a {column} in every row, or in none"
                table.add_problem(problems, "no_speaker", row, message)
            else:
                message = (
                    f"{column} {name(cells[row])}; expected no invisible characters and no spaces around it"
                )
                table.add_problem(problems, "unusable_speaker", row, message)
