"""The ids of items and of their units, such as speakers, and those that differ in spelling only."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from speechbundles.competition.intake.table import OwnTable
from spokeneval.formats.problems import quote
from spokeneval.formats.speakers import GROUP, SPEAKER
from spokeneval.formats.tables import alike, id_columns
from spokeneval.task import Task

_MOST_SHOWN = 20


def units_by_column(task: Task, labels: Any) -> dict[str, Mapping[str, str]]:
    """Return the units of the items, also those of the other side of trials: `column -> item -> unit`."""
    units = task.units(labels)
    # Many units may be grouped at random, but the labels have their names.
    known = not units.called.endswith(GROUP) and any(item != unit for item, unit in units.of.items())
    groups = {units.called: units.of} if known else {}
    texts = getattr(labels, "texts", {})
    for column in (task.declaration.get("unit", SPEAKER), task.declaration.get("other_unit")):
        if column and any(texts.get(column, ())):
            groups[column] = dict(zip(labels.items.ids, texts[column], strict=True))
    return groups


def describe_alike(
    task: Task, labels: Any, tables: Sequence[OwnTable], distinct: Collection[str], name: str
) -> str:
    """Return the ids that differ only in case, leading zeros or a trailing `.0`, and what to do; empty without any.

    Parameters
    ----------
    tables: the organiser's, for the lines of the ids.
    distinct: the columns whose ids the organiser declares to be different.
    name: the name of the set.
    """
    ids = {task.format.layouts[0].id: labels.items.ids}
    ids |= {column: tuple(of.values()) for column, of in units_by_column(task, labels).items()}
    found = {column: alike(each) for column, each in ids.items() if not {*id_columns(column)} <= {*distinct}}
    found = {column: groups for column, groups in found.items() if groups}
    if not found:
        return ""
    columns = ", ".join(dict.fromkeys(part for column in found for part in id_columns(column)))
    return "\n".join(
        [
            "ids that are equal but for capital letters, leading zeros or a trailing .0:",
            *(f"  {line}" for column, groups in found.items() for line in _lines(column, groups, tables)),
            "",
            "If they are the same, spell them in one way. If they are different, write into competition.yaml, under "
            f"the task or the bundle:\n  sets: {{{name}: {{distinct: [{columns}]}}}}",
        ]
    )


def _lines(column: str, groups: Sequence[Sequence[str]], tables: Sequence[OwnTable]) -> Iterator[str]:
    for group in groups[:_MOST_SHOWN]:
        yield f"{column} {' and '.join(quote(each, 40) + _first_place(column, each, tables) for each in group)}"
    if len(groups) > _MOST_SHOWN:
        yield f"{column}: {len(groups) - _MOST_SHOWN} more"


def _first_place(column: str, cell: str, tables: Sequence[OwnTable]) -> str:
    """Return where a column, such as `speaker` or `speaker_id`, first has a cell; empty for one that was made."""
    for table in tables:
        at = next((at for at, name in enumerate(table.columns) if name.startswith(column)), None)
        line = next(
            (line for line, cells in table.rows.items() if at is not None and cells[at] == cell), None
        )
        if line is not None:
            file, own = table.provenance.place_of(line)
            return f" ({table.provenance.line_word} {own} of {file})"
    return ""
