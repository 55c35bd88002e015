"""The share of systems that are right on each item."""

import numpy as np

from speechbundles.leaderboard.difficulty import items_table
from speechbundles.leaderboard.render import table_to_csv
from spokeneval.challenges.spoken_call import TASK
from spokeneval.formats.speakers import Units
from spokeneval.metrics.accept_reject import decisions_per_response
from spokeneval.scoring.scored import by_unit


def test_the_hardest_items_are_first_and_no_item_is_a_formula():
    # Two of three systems are right on r0, none on =r1 and r3, which keep their order, and one on r2.
    right = np.array([[1, 1, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0]], dtype=bool)
    units = Units("speaker", {"r0": "a", "=r1": "a", "r2": "b", "r3": "b"})
    correct = np.array([True, False, True, True])
    counts = [decisions_per_response(correct, correct, correct == answers) for answers in right.T]
    table = items_table(TASK, [by_unit(units, {"decisions": each}) for each in counts])
    expected = ["item,right", "'=r1,0.0000", "r3,0.0000", "r2,0.3333", "r0,0.6667"]
    assert table_to_csv(table).splitlines() == expected
