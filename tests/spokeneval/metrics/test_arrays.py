"""Tests that arrays without finite numbers are refused with the name of the argument."""

from __future__ import annotations

import numpy as np
import pytest

from spokeneval.metrics.alternative_annotator import annotator_comparisons
from spokeneval.metrics.arrays import finite_pair
from spokeneval.metrics.correlation import partial_moments
from spokeneval.metrics.equal_error_rate import operating_points, rocch_eer
from spokeneval.metrics.prediction_error import prmse, round_to_scale


@pytest.mark.parametrize(
    ("a", "b", "complaint"),
    [
        ([1, 2, 3], [1, np.nan, 2], "^hypothesis must be finite, got nan at index 1$"),
        ([1, 2, np.inf], [1, 2, 3], "^reference must be finite, got inf at index 2$"),
        ([1, 2, 3], [1, 2], "3 reference values but 2 hypothesis values"),
        ([], [], "reference is empty"),
        ([[1, 2, 3]], [1, 2, 3], r"shape \(n,\), got \(1, 3\)"),
        (["1", "2", "3"], [1, 2, 3], "reference must be numbers"),
        ([True, False, True], [1, 2, 3], "reference must be numbers"),
    ],
)
def test_malformed_pairs_are_refused(a, b, complaint):
    with pytest.raises(ValueError, match=complaint):
        finite_pair(a, b)


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("control", lambda values: partial_moments([1, 2], [2, 1], values)),
        ("predictions", lambda values: prmse([[1, 2], [3, 4]], values)),
        ("predictions", lambda values: round_to_scale(values, 1, 5)),
        ("system", lambda values: annotator_comparisons([[1, 2], [1, 2]], values)),
        ("target scores", lambda values: rocch_eer(values, [1])),
        ("nontarget scores", lambda values: operating_points([1], values)),
        ("a rater", lambda values: annotator_comparisons([[1, 2], values], [1, 2])),
    ],
)
def test_other_values_are_refused_by_their_name(name, metric):
    with pytest.raises(ValueError, match=f"^{name} must be finite, got -inf at index 1$"):
        metric([1, -np.inf])
