"""Facts about a reference set for its pages: numbers of items and units, duration, class sizes."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from speechbundles.competition.intake.table import MOST_CLASSES, OwnTable
from speechbundles.model.tabular import read_rows
from spokeneval.formats.labelled_turns import PUBLIC_END, PUBLIC_START
from spokeneval.formats.speakers import Units
from spokeneval.formats.tables import Layout

_MS, _FRAMES = 3_600_000, 16_000 * 3600
"""An hour in milliseconds, and in audio frames of PSST's recordings at 16 kHz."""


@dataclass(frozen=True)
class SetFacts:
    """Facts about one set.

    Attributes
    ----------
    unit, units: what confidence intervals resample, and how many there are; None if no platform gets the labels.
    hours: the duration of the items, if the public lists contain it.
    classes: how often each class occurs. It reveals labels, so pages show it for public sets only.
    """

    unit: str
    units: int | None
    hours: float | None
    classes: str


def set_facts(
    units: Units,
    items: int,
    lists: Sequence[Sequence[Mapping[str, str]]],
    tables: Iterable[tuple[Layout, OwnTable, Collection[int]]],
) -> SetFacts:
    """Compute the facts from a set's files.

    Parameters
    ----------
    units: the units that confidence intervals resample.
    items: the number of items.
    lists: the rows of the lists that participants get.
    tables: the reference's tables, each with the lines that are left out.
    """
    published = {column for rows in lists for column in rows[0]}
    classes = [sizes for each in tables for sizes in _classes(*each, published, items)]
    hours = next((length for length in map(_hours, lists) if length is not None), None)
    return SetFacts(units.called, len(set(units.of.values())), hours, "; ".join(classes))


def public_lists(public: Mapping[str, bytes]) -> list[list[dict[str, str]]]:
    """Return the rows of each list with items among the files that participants get, `column -> cell`."""
    lists = []
    for name, content in public.items():
        (_, header), *rows = read_rows(content) if name.endswith((".csv", ".tsv")) else [(1, [])]
        lists.append([dict(zip(header, cells, strict=False)) for _, cells in rows])
    return [rows for rows in lists if rows]


def _hours(rows: Sequence[Mapping[str, str]]) -> float | None:
    """Return the total duration of the items from columns of frames, seconds or milliseconds; None without them."""
    for unit, end, start in (
        (_FRAMES, "duration_frames", ""),
        (_MS, "length", ""),
        (3600, PUBLIC_END, PUBLIC_START),
        (_MS, "end", "start"),
    ):
        if end in rows[0] and (start in rows[0] or not start):
            with suppress(ValueError):
                return sum(float(row[end]) - (float(row[start]) if start else 0) for row in rows) / unit
            return None
    return None


def _classes(
    layout: Layout, table: OwnTable, without: Collection[int], published: Collection[str], items: int
) -> Iterable[str]:
    """Yield class sizes such as `language 740 correct, 260 incorrect`, for each hidden column with few values.

    If not every row is an item, the number of rows is added, because the sizes do not add up to the items.
    """
    for column in layout.required:
        if column == layout.id or column in published or column not in table.columns:
            continue
        place = table.columns.index(column)
        counts = Counter(cells[place] for line, cells in table.rows.items() if line not in without)
        if 1 < len(counts) <= MOST_CLASSES and all(value.strip()[:1].isalpha() for value in counts):
            sizes = ", ".join(f"{count} {value}" for value, count in counts.most_common())
            rows = sum(counts.values())
            yield f"{column} {sizes}" + (f" (in all {rows} rows of the labels)" if rows != items else "")
