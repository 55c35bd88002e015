"""The synthetic calls have the published statistics."""

from __future__ import annotations

from itertools import combinations

from sample_data import caller_experience
from spokeneval.metrics.agreement import cohen_kappa


def test_listeners_agree_as_published():
    ratings = zip(*(call.ratings for call in caller_experience.make_calls("evaluation")), strict=True)
    kappas = [cohen_kappa(*pair, weights="linear", scale=(1, 5)) for pair in combinations(ratings, 2)]
    assert [round(kappa, 2) for kappa in kappas] == [0.77, 0.78, 0.80]
