"""Long tables of ratings, one row for each item and rater, made wide: one row for each item, one column for each rater.

A long table has the column of the item, `rater` and `rating`. The raters are named as the task's columns. If they have
other names, and there are as many as columns, they are assigned in alphabetical order, which the build prints.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from speechbundles.competition.intake.table import OwnTable
from speechbundles.model.errors import UnreadableFile
from spokeneval.formats.problems import Problem, count_of, name, repeated, some_of
from spokeneval.formats.tables import Layout, id_order

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
    item_at, rater_at, rating_at = places
    named = dict.fromkeys(cells[rater_at].strip() for cells in table.rows.values())
    raters = _assigned([rater for rater in named if rater], _rater_columns(layout))
    if raters is None:
        return table
    problems = list(table.unreadable)
    items: dict[str, dict[int, Sequence[str]]] = {}
    lines: dict[str, dict[str, int]] = {}
    for line, cells in table.rows.items():
        item, rater = cells[item_at].strip(), cells[rater_at].strip()
        items.setdefault(item, {})[line] = cells
        rated = lines.setdefault(item, {})
        if not rater:
            what = f"{layout.id} {name(item)}: the {table.own_name(RATER)} is empty"
            problems.append(Problem("no_rater", table.file, what, line=line, item=item))
        elif raters[rater] in rated:
            what = repeated(f"{layout.id} {name(item)}: {raters[rater]}", rated[raters[rater]])
            problems.append(Problem("duplicate_rating", table.file, what, line=line, item=item))
        else:
            rated[raters[rater]] = line
    others = [place for place in range(len(table.columns)) if place not in places]
    kept = []
    for place in others:
        changed = [
            (item, line)
            for item, rows in items.items()
            for line, cells in rows.items()
            if cells[place] != next(iter(rows.values()))[place]
        ]
        column = table.columns[place]
        if column in layout.optional:
            problems += [
                Problem("contradictory_row", table.file, what, line=next(iter(items[item])), item=item)
                for item, line in changed
                for what in [f"{layout.id} {name(item)}: another {column} on line {line}; expected the same"]
            ]
        if column in layout.optional or not changed:
            kept.append(place)

    def row(item: str) -> list[str]:
        first = next(iter(items[item].values()))
        rated = lines[item]
        ratings = (
            items[item][rated[column]][rating_at].strip() if column in rated else ""
            for column in raters.values()
        )
        return [item, *(first[place] for place in kept), *ratings]

    return replace(
        table,
        columns=(layout.id, *(table.columns[place] for place in kept), *raters.values()),
        rows={next(iter(items[item])): row(item) for item in items},
        understood=f"{table.understood}; {count_of(len(items), 'item')} by {_described(raters)}",
        unreadable=tuple(problems),
        unchanged=None,
        own={**table.own, **{column: f"{RATING} by {own}" for own, column in raters.items()}},
        cells={next(iter(items[item])): rated for item, rated in lines.items()},
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
            f"has ratings by {count_of(len(named), 'rater')} ({some_of(sorted(named, key=id_order), 8)}); expected "
            f"{', '.join(columns)}"
        )
    return dict(zip(sorted(named, key=id_order), columns, strict=True))


def _described(raters: Mapping[str, str]) -> str:
    return ", ".join(own if own == column else f"{own} ({column})" for own, column in raters.items())
