"""Tests of the counts for comparing systems: added up by unit, written, and read again."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from spokeneval.challenges import find_task
from spokeneval.formats.speakers import Units
from spokeneval.metrics.counts import ratio
from spokeneval.scoring.options import Signature
from spokeneval.scoring.scored import (
    by_unit,
    parse_statistics,
    primary_matrix,
    primary_of_sums,
    write_statistics,
)
from spokeneval.task import HIGHER, Score


@dataclass(frozen=True)
class Hits:
    """Counts of two fields, one of them a table."""

    hits: Any
    cells: Any


@dataclass(frozen=True)
class Times:
    """Counts of another part."""

    seconds: Any


PARTS = {
    "hits": Hits(np.array([1, 2, 4]), np.arange(12).reshape(3, 2, 2)),
    "times": Times(np.array([0.5, 0.25, 1.0])),
}
COLUMNS = [
    "hits.hits",
    *(f"hits.cells.{row}.{column}" for row in (0, 1) for column in (0, 1)),
    "times.seconds",
]
BY_ITEM = [[1, 0, 1, 2, 3, 0.5], [2, 4, 5, 6, 7, 0.25], [4, 8, 9, 10, 11, 1]]
GROUPED = Units("speaker", {"3": "b", "1": "a", "2": "b"})
ALONE = Units("call", {"3": "z", "1": "x", "2": "y"})


def written(statistics, folder) -> dict[str, Any]:
    write_statistics(folder, Signature("task", ("a:value",), version=""), statistics, {"always": 0.25})
    return json.loads((folder / "statistics.json").read_text(encoding="utf-8"))


def test_rows_of_a_unit_are_added_up_and_kept_by_item(tmp_path):
    statistics = by_unit(GROUPED, PARTS)
    assert (statistics.unit, statistics.units, statistics.items) == ("speaker", ["a", "b"], ["3", "1", "2"])
    assert statistics.columns == COLUMNS
    assert statistics.values.tolist() == [BY_ITEM[1], [5, 8, 10, 12, 14, 1.5]]
    assert statistics.rows == (["3", "1", "2"], PARTS)
    assert (statistics.total("hits").hits, statistics.total("times").seconds) == (7, 1.75)
    assert written(statistics, tmp_path) == {
        "task": "task",
        "signature": "task|a:value",
        "trivial": {"always": 0.25},
        "unit": "speaker",
        "columns": COLUMNS,
        "units": ["a", "b"],
        "values": [BY_ITEM[1], [5, 8, 10, 12, 14, 1.5]],
        "items": ["3", "1", "2"],
        "item_values": BY_ITEM,
    }


def test_units_of_one_row_each_stay_in_their_order(tmp_path):
    statistics = by_unit(ALONE, PARTS)
    assert (statistics.unit, statistics.units, statistics.items) == ("call", ["z", "x", "y"], ())
    assert statistics.rows == (["z", "x", "y"], PARTS)
    content = written(statistics, tmp_path)
    assert list(content) == ["task", "signature", "trivial", "unit", "columns", "units", "values"]
    assert content["values"] == BY_ITEM
    text = (tmp_path / "statistics.json").read_text(encoding="utf-8")
    assert text.endswith("[[1, 0, 1, 2, 3, 0.5], [2, 4, 5, 6, 7, 0.25], [4, 8, 9, 10, 11, 1]]}\n")  # no 1.0


@pytest.mark.parametrize("units", [GROUPED, ALONE])
def test_what_was_written_is_read_again(tmp_path, units):
    statistics = by_unit(units, PARTS)
    again = parse_statistics(written(statistics, tmp_path))
    assert (again.unit, again.units) == (statistics.unit, statistics.units)
    assert list(again.items) == list(statistics.items)
    for found, expected in ((again.parts, statistics.parts), (again.item_parts, statistics.item_parts)):
        assert list(found) == list(expected)
        for part, counts in expected.items():
            for field, values in vars(counts).items():
                np.testing.assert_array_equal(getattr(found[part], field), values, strict=False)
    assert (again.columns, again.values.tolist()) == (COLUMNS, statistics.values.tolist())


CONTENT = {"unit": "call", "columns": ["a.b", "a.c"], "units": ["1", "2"], "values": [[1, 2], [3, 4.5]]}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"columns": ["a.b"]}, "2 rows of 1 finite numbers"),
        ({"units": ["1"]}, "1 rows of 2 finite numbers"),
        ({"units": [], "values": []}, "0 rows of 2 finite numbers"),
        ({"columns": [], "values": [[], []]}, "2 rows of 0 finite numbers"),
        ({"values": [[1, 2], [3, float("nan")]]}, "2 rows of 2 finite numbers"),
        ({"values": [[1, 2], [3, float("-inf")]]}, "2 rows of 2 finite numbers"),
        ({"values": [[1, 2], [3, -1e308]]}, r"numbers up to 1e\+50"),  # two such numbers have an infinite sum
        ({"items": ["x"], "item_values": [[1]]}, "1 rows of 2 finite numbers"),
    ],
)
def test_other_content_is_refused(changes, words):
    with pytest.raises(ValueError, match=f"^expected {words}$"):
        parse_statistics({**CONTENT, **changes})


def test_the_primary_score_of_many_sums_takes_its_part_of_the_counts():
    rate = Score("rate", "Rate", HIGHER, lambda times: ratio(times.seconds, 10, "a rate"), "", of="times")
    task = replace(find_task("psst_recognition"), scores=(rate,))
    statistics = by_unit(GROUPED, PARTS)
    assert primary_matrix(task, statistics).tolist() == [[0.25], [1.5]]
    assert primary_of_sums(task, statistics)(np.array([[5.0], [0.5]])).tolist() == [0.5, 0.05]
