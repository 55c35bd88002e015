"""Labels of systems in pictures."""

from dataclasses import replace

from rich.cells import cell_len

from speechbundles.leaderboard.pictures import labels
from tests.samples.boards import NAMES, rows


def test_labels_in_pictures_are_short_and_unique():
    names = [*NAMES, "x" * 300, "1 a", "a", "a"]
    found = labels([replace(rows((1, 1))[0], name=name) for name in names])
    assert len(set(found)) == len(names)
    assert max(map(cell_len, found)) <= 26
    assert found[0] == "1 Université …système un"
