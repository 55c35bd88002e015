"""a-DCF and t-DCF against their definitions, with each score as a threshold."""

import numpy as np
import pytest

from spokeneval.metrics import tandem
from spokeneval.metrics.counts import total


def lowest(labels, scores, weights):
    """The lowest weighted sum of rates of errors over all thresholds."""
    thresholds = [*np.unique(scores), np.inf]
    rates = [
        [np.mean((scores[labels == n] >= each) == (n > 0)) for n in range(len(weights))]
        for each in thresholds
    ]
    return min(np.dot(weights, rate) for rate in rates)


@pytest.mark.parametrize("seed", range(8))
def test_minimum_costs_are_those_of_all_thresholds(seed):
    rng = np.random.default_rng(seed)
    labels = np.append(rng.integers(0, 3, 200), [0, 1, 2])
    scores = np.round(rng.normal(size=203) + (labels == 0), seed % 3)  # many ties with few decimals
    weights = rng.uniform(0.1, 2, 3)
    counts = tandem.threshold_errors(labels, scores, rng.integers(0, 9, 203), weights=weights)
    expected = lowest(labels, scores, weights) / min(weights[0], weights[1:].sum())
    assert tandem.minimum_cost(total(counts), weights=weights) == pytest.approx(expected, rel=1e-12)


def test_a_class_without_trials_has_no_cost():
    counts = tandem.threshold_errors([0, 1], [1.0, 0.0], [0, 0], weights=[1, 1, 1])
    with pytest.raises(ValueError, match="a class has no trials"):
        tandem.minimum_cost(total(counts), weights=[1, 1, 1])
    assert np.isnan(tandem.minimum_cost(counts, weights=[1, 1, 1])).all()
