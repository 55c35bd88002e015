"""a-DCF and t-DCF; the tests of spoofing compare them with their definitions."""

import numpy as np
import pytest

from spokeneval.metrics import tandem
from spokeneval.metrics.counts import total


def test_a_class_without_trials_has_no_cost():
    counts = tandem.threshold_errors([0, 1], [1.0, 0.0], [0, 0], weights=[1, 1, 1])
    with pytest.raises(ValueError, match="a class has no trials"):
        tandem.minimum_cost(total(counts), weights=[1, 1, 1])
    assert np.isnan(tandem.minimum_cost(counts, weights=[1, 1, 1])).all()
