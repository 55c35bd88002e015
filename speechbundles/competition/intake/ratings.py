"""Long tables of ratings, one row for each item and rater, made wide: one row for each item, one column for each rater.

A long table has the column of the item, `rater` and `rating`. The raters are named as the task's columns. If they have
other names, and there are as many as columns, they are assigned in alphabetical order, which the build prints.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from speechbundles.competition.intake.table import OwnTable
from speechbundles.model.errors import UnreadableFile
from speechbundles.model.text import grouped
from spokeneval.formats.problems import Problem, count_of, name, repeated, some_of
from spokeneval.formats.tables import Layout, id_order
from spokeneval.kinds.ratings import MOST_LISTED, SHOWN

RATER, RATING = "rater", "rating"
_RATERS = (RATER, "rater_id", "annotator", "judge", "listener")
_RATINGS = (RATING, "score", "value")


def sources(layout: Layout) -> tuple[str, ...]:
    """Return the columns of a long table from which the table of a layout can be made."""
    return (RATER, RATING) if len(_rater_columns(layout)) > 1 else ()


def wide(table: OwnTable, layout: Layout) -> OwnTable:
    """Return a long table of ratings as a wide one; any other table as it is.

    An item that a rater did not rate has an empty cell. Columns of the layout, such as the speaker, must be the same in
    all rows of an item; other columns are kept if they are. A row without a rater, and a second rating of an item by
    one rater, are problems.

    Raises
    ------
    UnreadableFile: raters who cannot be assigned to the columns.
    """
    places = _places(table, layout)
    if places is None:
        return table
    given = {line: [cells[place].strip() for place in places] for line, cells in table.rows.items()}
    named = dict.fromkeys(rater for _, rater, _ in given.values() if rater)
    raters = _assigned(list(named), _rater_columns(layout))
    if raters is None:
        return table
    problems = list(table.unreadable)

    def add(code: str, line: int, item: str, what: str) -> None:
        message = f"{layout.id} {name(item)}: {what}"
        problems.append(Problem(code, table.file, message, line=line, item=item))

    lines = grouped((item, line) for line, (item, _, _) in given.items())
    rated: dict[str, dict[str, int]] = {item: {} for item in lines}
    for line, (item, rater, _) in given.items():
        ours = rated[item]
        if not rater:
            add("no_rater", line, item, f"the {table.provenance.name_of(RATER)} is empty")
        elif ours.setdefault(raters[rater], line) != line:
            add("duplicate_rating", line, item, repeated(raters[rater], ours[raters[rater]]))
    kept = []
    for place in sorted({*range(len(table.columns))} - {*places}):
        column, cell = table.columns[place], {line: cells[place] for line, cells in table.rows.items()}
        changed = [(item, line) for item, own in lines.items() for line in own if cell[line] != cell[own[0]]]
        for item, line in changed if column in layout.optional else ():
            what = f"another {column} on line {line}; expected the same"
            add("contradictory_row", lines[item][0], item, what)
        if column in layout.optional or not changed:
            kept.append(place)
    rows = {}
    for item, (first, *_) in lines.items():
        ratings = {column: given[line][2] for column, line in rated[item].items()}
        constant = (table.rows[first][place] for place in kept)
        rows[first] = [item, *constant, *(ratings.get(column, "") for column in raters.values())]
    own, cells = table.provenance, {lines[item][0]: rated[item] for item in lines}
    names = {**own.names, **{column: f"{RATING} by {rater}" for rater, column in raters.items()}}
    return replace(
        table,
        columns=(layout.id, *(table.columns[place] for place in kept), *raters.values()),
        rows=rows,
        understood=f"{table.understood}; {count_of(len(lines), 'item')} by {_described(raters)}",
        unreadable=tuple(problems),
        unchanged=None,
        provenance=replace(own, names=names, cells=cells),
    )


def _rater_columns(layout: Layout) -> list[str]:
    """Return the columns of a layout that can be raters."""
    return [column for column in layout.required if column != layout.id]


def _places(table: OwnTable, layout: Layout) -> tuple[int, int, int] | None:
    """Return the places of item, rater and rating in a long table; None for any other table."""
    there = {column.lower(): place for place, column in enumerate(table.columns)}
    rater = next((there[column] for column in _RATERS if column in there), None)
    rating = next((there[column] for column in _RATINGS if column in there), None)
    wanted = _rater_columns(layout)
    if len(wanted) < 2 or any(column in table.columns for column in wanted) or layout.id not in table.columns:
        return None
    return None if rater is None or rating is None else (table.columns.index(layout.id), rater, rating)


def _assigned(named: Sequence[str], columns: Sequence[str]) -> Mapping[str, str] | None:
    """Return the column of each rater, `name -> column`; None for columns that are not those of raters."""
    known = {column.lower(): column for column in columns}
    if all(rater.lower() in known for rater in named):
        return {rater: known[rater.lower()] for rater in named}
    numbered = len({column.rstrip("0123456789") for column in columns}) == 1
    if not numbered and not any(rater.lower() in known for rater in named):
        return None
    if len(named) != len(columns) or not numbered:
        raise UnreadableFile(
            f"has ratings by {count_of(len(named), 'rater')} ({some_of(sorted(named, key=id_order), SHOWN)}); expected "
            f"{some_of(columns, SHOWN)}. A task of `kind: ratings` takes them with `raters: {len(named)}`"
        )
    return dict(zip(sorted(named, key=id_order), columns, strict=True))


def _described(raters: Mapping[str, str]) -> str:
    each = [own if own == column else f"{own} ({column})" for own, column in raters.items()]
    return ", ".join(each) if len(each) <= MOST_LISTED else count_of(len(each), RATER)
