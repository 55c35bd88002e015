"""Fair means against least squares with a column for each item and each rater, by numpy and scipy alone."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from speechbundles.annotation.severity import differences, fair_means
from speechbundles.model.errors import OrganiserError


def drawn(items=40, raters=5, each=3):
    """Ratings of items by some of the raters; rater 0 is lenient, and rates the better items."""
    rng = np.random.default_rng(59)
    value, severity = rng.normal(4, 1, items), np.array([1.0, 0.2, 0, -0.3, -0.9])
    table = np.full((items, raters), np.nan)
    for item in range(items):
        those = rng.permutation(raters - 1)[: each - 1] + 1
        those = np.append(those, 0) if value[item] > 4 else rng.permutation(raters - 1)[:each] + 1
        table[item, those] = value[item] + severity[those] + rng.normal(0, 0.4, each)
    return pd.DataFrame(table, [f"i{item}" for item in range(items)], list("abcde"))


def least_squares(table):
    """The estimates and covariances of all items and raters, the severities adding up to 0."""
    items, raters = table.shape
    place, rater = np.nonzero(table.notna().to_numpy())
    effects = np.vstack([np.eye(raters - 1), -np.ones(raters - 1)])
    design = np.hstack([np.eye(items)[place], effects[rater]])
    rated = table.to_numpy()[place, rater]
    found, (squares,), _, _ = np.linalg.lstsq(design, rated, rcond=None)
    freedom = len(rated) - design.shape[1]
    covariance = np.linalg.inv(design.T @ design) * squares / freedom
    both = np.block([[np.eye(items), np.zeros((items, raters - 1))], [np.zeros((raters, items)), effects]])
    wide = t.ppf(0.975, freedom) * np.sqrt(np.diag(both @ covariance @ both.T))
    return np.split(both @ found, [items]), np.split(wide, [items])


def test_fair_means_and_severities_are_those_of_least_squares():
    table = drawn()
    found = fair_means(table)
    for own, column, value, wide in zip(found, ["fair_mean", "severity"], *least_squares(table), strict=True):
        assert own[column].to_numpy() == pytest.approx(value, abs=1e-9)
        assert own["low"].to_numpy() == pytest.approx(value - wide, abs=1e-9)
        assert own["high"].to_numpy() == pytest.approx(value + wide, abs=1e-9)
    items, raters = found
    assert items["mean"].to_numpy() == pytest.approx(np.nanmean(table, axis=1))
    assert raters["ratings"].sum() == items["ratings"].sum() == 120


def test_a_lenient_rater_of_some_items_is_reported_beside_the_plain_mean():
    """Ben gives one more than Anna to both items that they share; the third item has Ben alone."""
    table = pd.DataFrame({"anna": [3, 5, np.nan], "ben": [4.0, 6, 4]}, list("xyz"))
    items, raters = fair_means(table)
    assert items["mean"].tolist() == [3.5, 5.5, 4]
    assert items["fair_mean"].tolist() == pytest.approx([3.5, 5.5, 3.5])
    assert raters["severity"].tolist() == pytest.approx([-0.5, 0.5])
    found = differences(items, raters)
    assert "raters differ from the mean rater by -0.50 (anna) to +0.50 (ben)" in found
    assert "fair and plain means differ by up to 0.50 (item z)" in found


def test_raters_without_common_items_have_no_fair_means():
    table = pd.DataFrame({"a": [1, 2, np.nan], "b": [2, 3, np.nan], "c": [np.nan, np.nan, 5.0]})
    with pytest.raises(OrganiserError, match="raters in groups without a common item"):
        fair_means(table)
