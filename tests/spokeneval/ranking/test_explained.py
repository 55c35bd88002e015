"""The variance that columns explain, beside models of statsmodels."""

from itertools import pairwise

import numpy as np
from statsmodels.regression.linear_model import OLS

from spokeneval.metrics.jackknife import jackknife_interval
from spokeneval.ranking.explained import explained_variance


def test_shares_of_the_variance_and_their_intervals_are_those_of_ordinary_least_squares():
    # Statsmodels fits every model, also without each speaker. The correlation of the outcome with what a column adds
    # is the root of the added share, with the sign of the column's slope.
    rng = np.random.default_rng(5)
    units = np.repeat(np.arange(12), rng.integers(3, 9, 12))
    columns = rng.normal(size=(len(units), 3)) + 0.5 * rng.normal(size=(12, 3))[units]
    columns[:, 1] = columns[:, 1] > 0.8
    outcome = np.round(3 + columns[:, 0] - columns[:, 1] + 0.3 * columns[:, 2] + rng.normal(size=len(units)))

    def correlations(held):
        models = [
            OLS(outcome[held], np.column_stack([np.ones(held.sum()), columns[held, :k]])).fit()
            for k in range(4)
        ]
        adds = [
            np.sign(model.params[-1]) * np.sqrt(model.rsquared - before.rsquared)
            for before, model in pairwise(models)
        ]
        return [*adds, *(np.sqrt(model.rsquared) for model in models[1:])]

    whole = np.array(correlations(units >= 0))
    without = np.array([correlations(units != unit) for unit in range(12)])
    expected = []
    for found, others in zip(whole, without.T, strict=True):
        low, high = jackknife_interval(found, others, (-1, 1))
        least = 0 if low < 0 < high else 100 * min(low**2, high**2)
        expected.append([f"{100 * found**2:.1f}", f"{least:.1f} – {100 * max(low**2, high**2):.1f}"])
    cells = explained_variance(outcome, columns, [f"s{unit:02}" for unit in units])
    assert cells == [adds + together for adds, together in zip(expected[:3], expected[3:], strict=True)]


def test_what_tells_nothing_has_a_dash():
    rng = np.random.default_rng(1)
    word_errors, outcome, units = (
        rng.integers(0, 5, 40),
        rng.integers(0, 9, 40),
        [f"s{n % 5}" for n in range(40)],
    )
    columns = np.column_stack([np.full(40, 0.1), word_errors, 3 - 2 * word_errors, rng.normal(size=40)])
    constant, first, follows, last = explained_variance(outcome, columns, units)
    assert constant == follows == ["–"] * 4
    alone = explained_variance(outcome, columns[:, [1, 3]], units)
    assert [first, last] == alone
    # A flag that only one speaker has is constant without this speaker. One speaker has no interval.
    flag = np.array([unit == "s0" for unit in units])[:, np.newaxis]
    assert explained_variance(outcome, flag * 1.0, units)[0][1] != "–"
    assert [cells[1::2] for cells in explained_variance(outcome, columns[:, [1, 3]], ["s"] * 40)] == [
        ["–"] * 2
    ] * 2
    assert explained_variance(outcome[:5], columns[:5], units[:5]) == [["–"] * 4] * 4
    assert explained_variance(outcome * 0, columns, units) == [["–"] * 4] * 4
