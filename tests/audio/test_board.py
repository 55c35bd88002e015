"""Result tables of one seed and of several seeds."""

import io

import pytest

pytest.importorskip("rich")

from rich.console import Console

from sample_data.audio.board import Board, Line, over_seeds, show


def board(eer):
    listening = Line(
        "conformer", "synthetic test set", {"eer": eer, "eer_plan": 2 * eer}, {"eer": (1.0, 30.0)}
    )
    return Board(
        "merlion_identification",
        "Task 1",
        {"eer": 2, "eer_plan": 1},
        [listening, Line("baseline", "published", {"eer": 22.13})],
    )


def printed(shown):
    sink = io.StringIO()
    show(shown, Console(file=sink, width=120))
    return [" ".join(line.split()) for line in sink.getvalue().splitlines()]


def test_one_seed_has_intervals_and_published_lines_say_where_they_are_from():
    lines = printed(over_seeds([board(10.0)]))
    assert "conformer synthetic test set 10.00 [1.00, 30.00] 20.0" in lines
    assert "baseline published 22.13" in lines


def test_several_seeds_have_their_mean_with_the_lowest_and_the_highest():
    lines = printed(over_seeds([board(10.0), board(13.0), board(16.0)]))
    assert "conformer synthetic test set 13.00 [10.00, 16.00] 26.0" in lines
    assert "baseline published 22.13" in lines
