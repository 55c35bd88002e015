"""`statistics.json`: the counts from which a system's scores are computed, one row per unit, to compare systems."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Callable

import numpy as np

from ..formats.speakers import Units
from ..metrics.classification import counts_of
from ..metrics.counts import as_matrix, by_group, field_arrays, from_matrix, total
from ..task import Number, Task
from .output import write_file
from .signature import Signature

STATISTICS_FILE = "statistics.json"

LARGEST = 1e50
"""The largest number in counts, so that no sum, square or product of counts overflows."""


@dataclass(frozen=True)
class Statistics:
    """The counts of one system.

    Attributes
    ----------
    unit
        The kind of unit: `speaker`, `recording`, `call`, `response`.
    units
        The names of the n units; sorted if units have several items.
    parts
        The counts of the units, `part -> counts`, with fields of shape (n, ...).
    items
        The names of the m items, if units have several items; else empty.
    item_parts
        The counts of the m items, likewise.
    grouped
        The number of units that were grouped at random; 0 if they were not.
    """

    unit: str
    units: Sequence[str]
    parts: Mapping[str, Any]
    items: Sequence[str] = ()
    item_parts: Mapping[str, Any] = field(default_factory=dict)
    grouped: int = 0

    @property
    def rows(self) -> tuple[Sequence[str], Mapping[str, Any]]:
        """The names and the counts of the items; those of the units if each unit is an item."""
        return (self.items, self.item_parts) if self.items else (self.units, self.parts)

    def total(self, part: str) -> Any:
        """The counts of all units."""
        return total(self.parts[part])

    @property
    def columns(self) -> list[str]:
        """The names of the numbers in a row: `part.field` or `part.field.index`."""
        return [column for part, counts in self.parts.items() for column in _column_names(part, counts)]

    @property
    def values(self) -> np.ndarray:
        """The numbers of all units, shape (n, k)."""
        return _matrix(self.parts)


def _matrix(parts: Mapping[str, Any]) -> np.ndarray:
    return np.concatenate([as_matrix(counts) for counts in parts.values()], axis=1)


def by_unit(units: Units, rows: Mapping[str, Any]) -> Statistics:
    """Add up counts of n rows by the unit of each row."""
    names = list(units.of.values())
    if len(set(names)) == len(names):
        return Statistics(units.called, names, rows, grouped=units.grouped)
    different, place = np.unique(names, return_inverse=True)
    parts = {part: by_group(counts, place, len(different)) for part, counts in rows.items()}
    return Statistics(units.called, different.tolist(), parts, list(units.of), rows, units.grouped)


def _column_names(part: str, counts: Any) -> list[str]:
    names = []
    for name, array in field_arrays(counts).items():
        for index in np.ndindex(*array.shape[1:]):
            names.append(".".join([part, name, *map(str, index)]))
    return names


def write_statistics(
    directory: Path,
    signature: Signature,
    statistics: Statistics,
    trivial: Mapping[str, Number],
    declaration: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Write `statistics.json`.

    Its keys are `task`, `signature`, `declaration` (of a declared task), `trivial` (the scores of the trivial
    baselines), `unit`, `grouped` (of units in random groups), `columns`, `units` and `values`; if units have several
    items, also `items` and `item_values`.
    """
    content = {
        "task": signature.task,
        "signature": str(signature),
        **({"declaration": dict(declaration)} if declaration else {}),
        "trivial": dict(trivial),
        "unit": statistics.unit,
        **({"grouped": statistics.grouped} if statistics.grouped else {}),
        "columns": statistics.columns,
        "units": list(statistics.units),
        "values": _numbers(statistics.values),
    }
    if statistics.items:
        content.update(items=list(statistics.items), item_values=_numbers(_matrix(statistics.item_parts)))
    write_file(directory / STATISTICS_FILE, json.dumps(content) + "\n")


def _numbers(matrix: np.ndarray) -> list[list[Number]]:
    """Rows of numbers for JSON, whole numbers without a decimal point."""
    whole = matrix.astype(np.int64)
    if np.array_equal(matrix, whole):
        rows: list[list[Number]] = whole.tolist()
        return rows
    return [[int(value) if value == int(value) else value for value in row] for row in matrix.tolist()]


def parse_statistics(content: Mapping[str, Any]) -> Statistics:
    """The statistics in the parsed content of `statistics.json`, as `write_statistics` writes it.

    Raises
    ------
    ValueError, KeyError, TypeError, OverflowError
        The content is not valid, or a number is not finite.
    """
    columns, units = [str(column) for column in content["columns"]], [str(unit) for unit in content["units"]]
    items = [str(item) for item in content.get("items", ())]
    parts = _parse_parts(columns, units, content["values"])
    item_parts = _parse_parts(columns, items, content["item_values"]) if items else {}
    grouped = int(content.get("grouped", 0))
    return Statistics(str(content["unit"]), units, parts, items, item_parts, grouped)


def _parse_parts(columns: Sequence[str], names: Sequence[str], numbers: Any) -> dict[str, Any]:
    """The counts of each part, from one row of numbers for each name."""
    values = np.array(numbers, dtype=np.float64)
    if not (names and columns) or values.shape != (len(names), len(columns)) or not np.isfinite(values).all():
        raise ValueError(f"expected {len(names)} rows of {len(columns)} finite numbers")
    if np.abs(values).max() > LARGEST:
        raise ValueError(f"expected numbers up to {LARGEST:g}")
    fields: dict[str, dict[str, list[int]]] = {}
    shapes: dict[tuple[str, str], list[int]] = {}
    for place, column in enumerate(columns):
        part, field, *index = column.split(".")
        fields.setdefault(part, {}).setdefault(field, []).append(place)
        shapes[part, field] = [int(place) + 1 for place in index]  # the last index is the largest
    parts = {}
    for part, places in fields.items():
        arrays = {
            field: values[:, place].reshape(len(names), *shapes[part, field])
            for field, place in places.items()
        }
        parts[part] = counts_of(arrays)
    return parts


def primary_matrix(task: Task, statistics: Statistics) -> np.ndarray:
    """The counts from which a task's primary score is computed, one row for each unit, shape (n, k)."""
    return as_matrix(task.part(task.primary, statistics.parts))


def primary_of_sums(task: Task, statistics: Statistics) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from sums of rows of `primary_matrix`, shape (r, k), to primary scores, shape (r,).

    Undefined scores are NaN.
    """
    rows = task.part(task.primary, statistics.parts)
    return lambda sums: np.asarray(task.primary.value(from_matrix(rows, sums)))
