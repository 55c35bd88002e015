"""`statistics.json`: the counts that a system's scores follow from, one row a unit, to compare systems by."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any, Callable

import numpy as np

from ..formats.speakers import Units
from ..metrics.counts import as_matrix, by_group, field_arrays, from_matrix, total
from ..task import Number, Task
from .files import write_file

STATISTICS_FILE = "statistics.json"


@dataclass(frozen=True)
class Statistics:
    """The counts of one system.

    Attributes
    ----------
    unit: what a unit is: `speaker`, `recording`, `call`, `response`.
    units: n names, sorted where several items belong to a unit.
    parts: `part -> counts`, whose fields have shape (n, ...).
    """

    unit: str
    units: Sequence[str]
    parts: Mapping[str, Any]

    def total(self, part: str) -> Any:
        """The counts of all units."""
        return total(self.parts[part])

    @property
    def columns(self) -> list[str]:
        """Names of the numbers of a row: `part.field`, `part.field.index`."""
        return [column for part, counts in self.parts.items() for column in _column_names(part, counts)]

    @property
    def values(self) -> np.ndarray:
        """Every number of every row, shape=(n, k)."""
        return np.concatenate([as_matrix(counts) for counts in self.parts.values()], axis=1)


def by_unit(units: Units, rows: Mapping[str, Any]) -> Statistics:
    """Counts of n rows, added up by the unit that each row belongs to."""
    names = list(units.of.values())
    if len(set(names)) == len(names):
        return Statistics(units.called, names, rows)
    different, place = np.unique(np.asarray(names, dtype=str), return_inverse=True)
    parts = {part: by_group(counts, place, len(different)) for part, counts in rows.items()}
    return Statistics(units.called, different.tolist(), parts)


def _column_names(part: str, counts: Any) -> list[str]:
    names = []
    for field, array in field_arrays(counts).items():
        for index in np.ndindex(*array.shape[1:]):
            names.append(".".join([part, field, *map(str, index)]))
    return names


def write_statistics(
    directory: Path,
    task: str,
    signature: str,
    statistics: Statistics,
    trivial: Mapping[str, Number],
) -> None:
    """Write `statistics.json`: `task`, `signature`, `trivial` (what systems get that know nothing), `unit`, `columns`,
    `units`, `values`."""
    values = statistics.values.tolist()
    content = {
        "task": task,
        "signature": signature,
        "trivial": dict(trivial),
        "unit": statistics.unit,
        "columns": statistics.columns,
        "units": list(statistics.units),
        "values": [[int(value) if value == int(value) else value for value in row] for row in values],
    }
    write_file(directory / STATISTICS_FILE, json.dumps(content) + "\n")


def parse_statistics(content: Mapping[str, Any]) -> Statistics:
    """`write_statistics` undone, from the parsed JSON.

    Raises
    ------
    ValueError, KeyError, TypeError, OverflowError: content that is not of this form, or not finite.
    """
    columns, units = [str(column) for column in content["columns"]], [str(unit) for unit in content["units"]]
    values = np.array(content["values"], dtype=np.float64)
    if not (units and columns) or values.shape != (len(units), len(columns)) or not np.isfinite(values).all():
        raise ValueError(f"expected {len(units)} rows of {len(columns)} finite numbers")
    fields: dict[str, dict[str, list[int]]] = {}
    shapes: dict[tuple[str, str], list[int]] = {}
    for place, column in enumerate(columns):
        part, field, *index = column.split(".")
        fields.setdefault(part, {}).setdefault(field, []).append(place)
        shapes[part, field] = [int(place) + 1 for place in index]  # the last index is the largest
    parts = {}
    for part, places in fields.items():
        arrays = {
            field: values[:, place].reshape(len(units), *shapes[part, field])
            for field, place in places.items()
        }
        parts[part] = make_dataclass("Counts", arrays, frozen=True)(**arrays)
    return Statistics(str(content["unit"]), units, parts)


def primary_matrix(task: Task, statistics: Statistics) -> np.ndarray:
    """What a task's primary score is computed from, one row a unit, shape=(n, k)."""
    return as_matrix(task.part(task.primary, statistics.parts))


def primary_of_sums(task: Task, statistics: Statistics) -> Callable[[np.ndarray], np.ndarray]:
    """The primary score of many sums of rows of `primary_matrix`, shape=(r, k) to (r,); NaN where undefined."""
    rows = task.part(task.primary, statistics.parts)
    return lambda sums: np.asarray(task.primary.value(from_matrix(rows, sums)))
