"""The synthetic calls have the published statistics."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from sample_data import caller_experience
from spokeneval.metrics.agreement import adjacent, cohen_kappa, exact, rating_cells
from spokeneval.metrics.counts import total

SCALE = (1, 5)


def kappa(a, b):
    return cohen_kappa(a, b, weights="linear", scale=SCALE)


@pytest.fixture(scope="module")
def sets():
    return {name: caller_experience.make_calls(name) for name in caller_experience.CALLS}


def ratings_of(calls):
    return np.array([call.ratings for call in calls])


def test_sizes_and_ids(sets):
    assert {name: len(calls) for name, calls in sets.items()} == {
        "training": 1188,
        "development": 202,
        "evaluation": 202,
    }
    ids = [call.call_id for calls in sets.values() for call in calls]
    assert len(set(ids)) == len(ids)
    assert {rating for calls in sets.values() for call in calls for rating in call.ratings} == {1, 2, 3, 4, 5}


def test_listeners_agree_as_published(sets):
    ratings = ratings_of(sets["evaluation"])
    kappas = [round(kappa(ratings[:, i], ratings[:, j]), 2) for i, j in combinations(range(3), 2)]
    assert kappas == [0.77, 0.78, 0.80]


# Published kappa, exact agreement and agreement within one, of each pair of listeners.
@pytest.mark.parametrize(
    ("published", "same", "within_one"), [(0.77, 0.540, 0.887), (0.78, 0.569, 0.876), (0.80, 0.594, 0.916)]
)
def test_published_kappas_and_differences_exclude_each_other_under_linear_weights(
    published, same, within_one
):
    # The mean difference m is at least P(1) + 2 P(2 or more). Let F and G be the shares of ratings of at most t. The
    # chance disagreement is the sum over t = 1..4 of F(1-G) + G(1-F) <= 1/2 + (F-G)^2/2, and the |F-G| sum to at most
    # m. So it is at most 2 + m^2/2, and kappa is at most 1 - m / (2 + m^2/2), which decreases with m below 2.
    m = (within_one - same) + 2 * (1 - within_one)
    assert 1 - m / (2 + m**2 / 2) < published - 0.02


def test_the_bound_on_kappa_holds_for_any_ratings():
    rng = np.random.default_rng(0)
    for _ in range(300):
        a = rng.choice([1, 2, 3, 4, 5], size=30, p=rng.dirichlet(np.full(5, 0.3)))
        b = np.clip(a + rng.integers(-1, 2, size=30) * (rng.random(30) < rng.random()), 1, 5)
        m = np.abs(a - b).mean()
        if m > 0:
            assert kappa(a, b) <= 1 - m / (2 + m**2 / 2) + 1e-12


def test_exact_agreement_is_as_near_the_published_as_kappa_allows(sets):
    ratings = ratings_of(sets["evaluation"])
    for i, j in combinations(range(3), 2):
        cells = total(rating_cells(ratings[:, i], ratings[:, j], scale=SCALE))
        assert 0.60 < exact(cells) < 0.68
        assert 0.92 < adjacent(cells) < 0.96


def test_a_tree_of_31_leaves_rates_like_a_listener(sets):
    tree = pytest.importorskip("sklearn.tree")

    def features(calls):
        return [
            [
                *(call.classification_status == status for status in caller_experience.CLASSIFICATION_COST),
                *(call.exit_status == status for status in caller_experience.EXIT_COST),
                call.recognition_errors,
                call.operator_requests,
            ]
            for call in calls
        ]

    model = tree.DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=31, random_state=0)
    model.fit(features(sets["training"]), ratings_of(sets["training"])[:, 0])
    assert model.get_n_leaves() == 31
    for name in ("development", "evaluation"):
        predicted = model.predict(features(sets[name]))
        mean = np.mean([kappa(human, predicted) for human in ratings_of(sets[name]).T])
        assert 0.78 <= mean <= 0.82
