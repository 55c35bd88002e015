"""Tests of counts with several axes and types: sums, groups, and conversion to a matrix and back, by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from spokeneval.metrics.counts import (
    Counts,
    as_matrix,
    by_group,
    exact_sum,
    from_matrix,
    number_or_array,
    ratio,
    taken,
    total,
)


@dataclass(frozen=True)
class Counted(Counts):
    """Counts with a number, a pair and a 2 x 2 table in each row."""

    one: Any
    pair: Any
    table: Any


class Signed(Counted):
    signed = ("one", "pair")


ROWS = Counted(
    np.array([1, 2, 3]),
    np.array([[0.5, 1], [2, 3], [4, 5]]),
    np.array([[[1, 2], [3, 4]], [[10, 20], [30, 40]], [[0, 0], [0, 7]]]),
)
MATRIX = [[1, 0.5, 1, 1, 2, 3, 4], [2, 2, 3, 10, 20, 30, 40], [3, 4, 5, 0, 0, 0, 7]]


def as_lists(counts):
    return [np.asarray(field).tolist() for field in (counts.one, counts.pair, counts.table)]


def test_rows_are_added_up_field_by_field():
    assert as_lists(total(ROWS)) == [6, [6.5, 9], [[11, 22], [33, 51]]]
    assert type(total(ROWS).one) is int
    assert as_lists(by_group(ROWS, np.array([2, 0, 2]), 3)) == [
        [2, 0, 4],
        [[2, 3], [0, 0], [4.5, 6]],
        [[[10, 20], [30, 40]], [[0, 0], [0, 0]], [[1, 2], [3, 11]]],
    ]
    assert as_lists(taken(ROWS, np.array([2, 2]))) == [[3, 3], [[4, 5]] * 2, [[[0, 0], [0, 7]]] * 2]
    assert as_lists(total(ROWS) + total(ROWS)) == [12, [13, 18], [[22, 44], [66, 102]]]


def test_a_matrix_of_all_numbers_and_back():
    assert as_matrix(ROWS).tolist() == MATRIX
    again = from_matrix(ROWS, np.array(MATRIX)[[1, 2, 0, 0]])
    assert as_lists(again) == as_lists(taken(ROWS, np.array([1, 2, 0, 0])))


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int8, np.int64])
def test_whole_numbers_of_every_kind_are_added_as_such(kind):
    ones = Counted(np.ones(300, kind), np.ones((300, 2), kind), np.ones((300, 1, 1), kind))
    everything, grouped = total(ones), by_group(ones, np.zeros(300, int), 1)
    assert as_lists(everything) == [300, [300, 300], [[300]]]
    assert as_lists(grouped) == [[300], [[300, 300]], [[[300]]]]
    for field in (everything.pair, grouped.one, grouped.pair):
        assert field.dtype == np.int64


def test_other_numbers_are_added_with_one_rounding():
    # 1e16 has no neighbour nearer than 2: added in turn, the halves would be lost.
    column = np.array([1e16, 0.5, 0.5, -1e16])
    sums = total(Signed(column, np.stack([column, column[::-1]], axis=1), np.zeros((4, 1, 1))))
    assert as_lists(sums) == [1, [1, 1], [[0]]]
    assert type(sums.one) is float
    grouped = by_group(Counted(column[1:3], np.ones((2, 1)) / 4, np.ones((2, 1, 1))), np.array([0, 0]), 1)
    assert as_lists(grouped) == [[1], [[0.5]], [[[2]]]]


@pytest.mark.parametrize("least", [0, -320], ids=["like sizes", "all sizes"])
@pytest.mark.parametrize("n", [1000, 100_000])
def test_the_sum_of_few_and_of_many_numbers_is_that_of_the_standard_library(n, least):
    rng = np.random.default_rng(1)
    values = rng.normal(size=n) * 10.0 ** rng.integers(least, 290 if least else 1, n)
    for case in (values, np.abs(values), np.append(values, -values[1:]), 0 * values, np.round(values, 1)):
        assert exact_sum(case) == math.fsum(case.tolist())


def test_what_no_count_can_be_is_refused_with_its_row():
    with pytest.raises(ValueError, match=r"^pair is -1.0 in row 1; expected a finite number, 0 or more$"):
        Counted(1, np.array([[0, 0], [0, -1.0], [-2, 0]]), 0)
    with pytest.raises(ValueError, match=r"^one is inf; expected a finite number, 0 or more$"):
        Counted(np.inf, 0, 0)
    with pytest.raises(ValueError, match=r"^one is nan in row 0; expected a finite number$"):
        Signed(np.array([np.nan, 1]), -1, 0)
    Signed(-1, np.zeros(2), 0)


def test_a_rate_of_nothing_is_undefined():
    with pytest.raises(ValueError, match=r"^a rate is undefined: the denominator is 0$"):
        ratio(1, 0, "a rate")
    assert ratio(1, 4, "") == 0.25
    assert type(ratio(np.int64(1), np.float64(4), "")) is float
    for numerator, denominator, expected in (
        ([1, 2], 4, [0.25, 0.5]),
        (1, [4, 2], [0.25, 0.5]),
        ([3], [2], [1.5]),
    ):
        assert ratio(np.array(numerator), np.array(denominator), "").tolist() == expected
    assert np.isnan(ratio(np.array([1, 0]), np.array([0, 0]), "")).all()
    short = np.array([1, 3], np.float32)
    assert ratio(short[:1], short[1:], "").tolist() == [1 / 3]  # to the last digit of a long float


def test_what_has_no_axis_is_a_plain_number():
    assert [type(number_or_array(value)) for value in (np.float64(1), np.int64(1), np.bool_(1), 2)] == [
        float,
        int,
        bool,
        int,
    ]
    assert number_or_array(np.array([1, 2])).tolist() == [1, 2]
