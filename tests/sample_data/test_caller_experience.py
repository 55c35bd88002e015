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
