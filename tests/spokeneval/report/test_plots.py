"""Plots that are drawn without matplotlib."""

import re

import numpy as np

from spokeneval.report import plots


def test_a_timeline_shows_each_turn_and_stays_small_however_many_there_are():
    regions = np.array([[0, 71_000]])
    turns = np.array([[1000, 2500], [2400, 3000], [70_990, 71_000]])
    # 710 units for 71 s: a gap of 10, the first two turns together, a gap, and one unit for the last hundredth.
    drawn = plots.timeline([plots.Lane("turns", [(turns, plots.BLUE)])], regions).markup
    assert 'stroke-dasharray="0 10 20 679 1 710"' in drawn
    assert plots.timeline([plots.Lane("none", [(turns[:0], plots.BLUE)])], regions).markup.count("dash") == 1
    starts = np.random.default_rng(7).uniform(0, 71_000, (7, 5000))
    lanes = [plots.Lane("many", [(np.stack([row, row + 30], axis=1), plots.BLUE)]) for row in starts]
    assert len(plots.timeline(lanes, regions).markup) < 14_000


def test_an_outlier_is_beyond_the_end_of_the_axis():
    near = [plots.Mark(f"s{n}", 10.0 + n, str(n), (9.0 + n, 11.0 + n)) for n in range(5)]
    shown = plots.scale([*near, plots.Mark("far", 900.0, "900", (10.0, 7000.0))]).markup
    assert (shown.count("<circle"), shown.count("M0 14l-11 "), "M0 14l11 " in shown) == (5, 1, False)
    own = plots.scale(
        [plots.Mark("own", 0.48, "0.48", (0.3, 0.6)), *(plots.Mark("", x, "") for x in (0, -0.1, -0.19))]
    )
    assert own.markup.count("<circle") == 4
    places = [float(x) for x in re.findall(r'cx="([\d.]+)%', shown)]
    assert places[4] - places[0] > 50
    assert plots.scale([*near, plots.Mark("near", 16.0, "16")]).markup.count("<circle") == 6
