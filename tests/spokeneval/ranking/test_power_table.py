"""The table of chances to separate two systems."""

from __future__ import annotations

import math
from itertools import combinations

from spokeneval.ranking.leaderboard import Pair
from spokeneval.ranking.power import power, smallest_difference
from spokeneval.ranking.power_table import power_table
from spokeneval.scoring.scored import Interval
from spokeneval.task import Column


def test_a_chance_is_at_the_level_at_which_the_pair_was_tested():
    # All but the first of six pairs have p = 1e-4, so Holm's correction tests the first at 0.05, not at 0.05 / 6.
    first, *others = combinations(range(4), 2)
    interval = Interval(0.1, 3.9, 1.0)
    pairs = [Pair(*first, 2.0, interval, 0.045, 0.045)]
    pairs += [Pair(*both, 2.0, interval, 1e-4, 6e-4) for both in others]
    column = Column("f1", "F1", "higher", 2)
    table = power_table(pairs, list("ABCD"), "speaker", 100, column, (0.0, 100.0))
    here = next(row for row in table.rows if row[0] == "100")
    assert here[2] == f"{100 * power(2.0, 10.0, 100, 0.05):.0f} %" == "51 %"
    assert "differ significantly here" in table.note


def test_a_difference_that_no_two_scores_have_is_not_reached():
    pairs = [Pair(0, 1, 2.0, Interval(-60.0, 60.0, 30.0), 0.5, 0.5)]
    column = Column("f1", "F1", "higher", 2)
    table = power_table(pairs, ["A", "B"], "speaker", 2, column, (0.0, 100.0))
    assert [row[:2] for row in table.rows][:4] == [
        ["1", "not reached"],
        ["2", "not reached"],
        ["4", "not reached"],
        ["8", f"{smallest_difference(30 * math.sqrt(2), 8, 0.05):.2f}"],
    ]
    assert "significantly here" not in table.note
