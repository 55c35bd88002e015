"""Notes of a board: trivial baselines, exact or in steps."""

import pytest

from speechbundles.leaderboard import notes
from speechbundles.leaderboard.outputs import ScoringOutput
from spokeneval.scoring.options import Signature


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        ("t|reference:0|v", "Trivial baselines: chance 0.5000."),
        ("t|items:0|v", "Trivial baselines, rounded as on the leaderboard: chance 0.5."),
    ],
)
def test_what_is_known_in_steps_is_not_told_as_if_it_were_exact(signature, words):
    output = ScoringOutput("a", {}, Signature.parse(signature), None, {"chance": 0.5})
    assert notes.beside_trivial(output, notes.trivial_scores(output, 4)) == [words]
    assert notes.beside_trivial(output, {}) == []
