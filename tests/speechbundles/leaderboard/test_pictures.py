"""Labels of systems in pictures."""

from dataclasses import replace

from speechbundles.leaderboard.pictures import labels
from tests.samples.boards import NAMES, rows


def test_labels_in_pictures_are_unique_and_whole():
    names = [*NAMES, "x" * 300, "1 a", "a", "a"]
    found = labels([replace(rows((1, 1))[0], name=name) for name in names])
    assert len(set(found)) == len(names)
    assert found[0] == f"1 {NAMES[0]}"
