"""Read ratings in long tables: one rating in each row, with the item and the rater."""

from collections.abc import Mapping, Sequence

from speechbundles.competition.intake.layouts import Rows
from spokeneval.formats.problems import Problems, ReferenceFileError, name, quote

RATER, RATING = "rater", "rating"


def wide(
    file: str, columns: Sequence[str], rows: Mapping[int, Sequence[str]], *, id: str
) -> tuple[tuple[str, ...], Rows]:
    """Return the table with a row for each item and a column for each rater; a cell is empty without a rating.

    The items, and the raters, are in the order of their first rows, and a row has the line of its item's first one.
    Further columns, such as the speaker, are kept where every item has one value in them, and are left out otherwise.

    Parameters
    ----------
    file: the organiser's file, for problems.
    columns: the header, with the columns `id`, `rater` and `rating`.
    rows: `line -> cells`.
    id: the column with the items.

    Raises
    ------
    ReferenceFileError: a row without a rater, a rater named as a column, or two ratings of an item by one rater.
    """
    item_place, rater_place, rating_place = (list(columns).index(column) for column in (id, RATER, RATING))
    others = [place for place in range(len(columns)) if place not in (item_place, rater_place, rating_place)]
    first: dict[str, int] = {}
    lines: dict[tuple[str, str], int] = {}
    values: dict[int, dict[str, set[str]]] = {place: {} for place in others}
    problems = Problems(ReferenceFileError)
    taken = {id.lower(), *(columns[place].lower() for place in others)}
    for line, cells in rows.items():
        item, rater = cells[item_place], cells[rater_place]
        first.setdefault(item, line)
        for place in others:
            values[place].setdefault(item, set()).add(cells[place])
        if not rater:
            problems.add("no_rater", file, f"the {RATER} is empty; expected the name of the rater", line=line)
        elif rater.lower() in taken:
            message = f"{RATER} {name(rater)} is also the name of a column; rename one of them"
            problems.add("rater_is_column", file, message, line=line)
        elif (item, rater) in lines:
            earlier = lines[item, rater]
            again = f"{id} {name(item)}: {RATER} {name(rater)} rated it {quote(cells[rating_place])}, and"
            message = f"{again} {quote(rows[earlier][rating_place])} on line {earlier}; keep one"
            problems.add("rated_twice", file, message, line=line)
        lines.setdefault((item, rater), line)
    problems.raise_if_any()
    kept = [place for place in others if all(len(found) == 1 for found in values[place].values())]
    raters = list(dict.fromkeys(rater for _, rater in lines))

    def cell(item: str, rater: str) -> str:
        line = lines.get((item, rater))
        return "" if line is None else rows[line][rating_place]

    header = (id, *(columns[place] for place in kept), *raters)
    return header, [
        (line, [item, *(rows[line][place] for place in kept), *(cell(item, rater) for rater in raters)])
        for item, line in first.items()
    ]
