"""Scores of listening tests against published abilities and other formulas of variances."""

import numpy as np
import pytest
from scipy.stats import t
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from speechbundles.annotation.listening import (
    TIE,
    abilities,
    crossed_covariance,
    intervals_and_ranks,
    system_means,
)

TEAMS = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
AT_HOME = """
    - 4-3 4-2 4-3 6-1 4-2 6-0
    3-3 - 4-2 4-3 6-0 6-1 4-3
    2-5 4-3 - 2-4 4-3 4-2 6-0
    3-3 5-1 2-5 - 4-3 4-2 6-1
    5-1 2-5 3-3 4-2 - 5-2 6-0
    2-5 3-3 3-4 4-3 4-2 - 2-4
    2-5 1-5 1-6 2-4 1-6 3-4 -
"""
"""Wins and losses of the row's team at home, American League 1987: Agresti, Categorical Data Analysis (2002), p. 438;
the same as the data `baseball` of the R package BradleyTerry2."""
PUBLISHED = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0]
"""Without the advantage at home: tests/baseball.Rout.save of BradleyTerry2; Agresti's table 10.11 has two decimals."""
PUDDINGS = """
    1-2 19-22-16  1-3 16-19-12  2-3 19-19-10  1-4 18-23-13  2-4 23-19-9
    3-4 19-20-15  1-5 13-19-18  2-5 16-20-12  3-5 16-15-17  4-5 17-14-16
    1-6 18-21-12  2-6 22-20-12  3-6 13-18-10  4-6 14-19-18  5-6 11-21-12
"""
"""Two brands of chocolate pudding; how often the first or the second was preferred, or neither: Davidson (1970),
example 2, from the data `pudding` of the R package PlackettLuce."""
WORTHS = [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855]
"""After Davidson's seven iterations, as the introduction to PlackettLuce prints them."""


def baseball():
    games = []
    for home, line in enumerate(AT_HOME.split("\n")[1:-1]):
        for away, cell in enumerate(line.split()):
            if cell != "-":
                won, lost = map(int, cell.split("-"))
                games += [(home, away, 0)] * won + [(home, away, 1)] * lost
    return np.array(games).T


def test_abilities_are_those_published_of_baseball_teams():
    found = abilities(*baseball()).scores
    assert found - found[TEAMS.index("Baltimore")] == pytest.approx(PUBLISHED, abs=5e-5)
    assert found.sum() == pytest.approx(0)


def test_abilities_with_ties_are_those_published_of_puddings():
    words = PUDDINGS.split()
    pairs, counts = (np.array([word.split("-") for word in words[start::2]], int) for start in (0, 1))
    first, second = np.repeat(pairs - 1, counts.sum(axis=1), axis=0).T
    outcomes = np.concatenate([np.repeat([0, 1, TIE], each) for each in counts])
    worths = np.exp(abilities(first, second, outcomes).scores)
    assert worths / worths.sum() == pytest.approx(WORTHS, abs=5e-5)


def tied(judgements=300):
    rng = np.random.default_rng(3)
    pairs = np.argsort(rng.random((judgements, 4)), axis=1)[:, :2]
    ahead = np.array([0, 0.3, 0.9, 1.4])[pairs] @ [1, -1] + rng.logistic(size=judgements)
    return *pairs.T, np.where(abs(ahead) < 0.7, TIE, ahead < 0)


def test_the_influence_of_a_judgement_is_its_weight_on_the_score():
    first, second, outcomes = tied()
    found = abilities(first, second, outcomes)
    without = abilities(first[1:], second[1:], outcomes[1:]).scores
    assert found.scores - without == pytest.approx(found.influence[0], abs=1e-3)
    assert found.influence.sum(axis=0) == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize(
    ("comparisons", "message"),
    [
        ([(0, 1, 0), (1, 0, 0), (2, 3, 0), (3, 2, 0)], "never compared"),
        ([(0, 1, 0), (1, 0, 0), (2, 1, 0), (2, 0, 0)], "never worse"),
        ([(0, 1, TIE), (1, 0, TIE)], "infinite"),
    ],
)
def test_infinite_and_unconnected_abilities_are_refused(comparisons, message):
    with pytest.raises(ValueError, match=message):
        abilities(*np.array(comparisons).T)


def complete(rng, listeners=7, items=9):
    """Ratings of two systems by every listener of every item, shape (systems, listeners, items)."""
    return (
        rng.normal(3, 1, (2, 1, 1))
        + rng.normal(0, 0.5, (1, listeners, 1))
        + rng.normal(0, 0.3, (1, 1, items))
        + rng.normal(0, 0.7, (2, listeners, items))
    )


def long(table):
    systems, listeners, items = (each.ravel() for each in np.indices(table.shape))
    return system_means(table.ravel(), systems), listeners, items


def test_variances_of_a_complete_table_are_those_of_its_margins():
    table = complete(np.random.default_rng(1))
    found, listeners, items = long(table)
    covariance, _ = crossed_covariance(found.influence, listeners, items)
    cells = np.cov(table.reshape(2, -1)) / table[0].size
    by_listener, by_item = (np.cov(table.mean(axis=axis)) / table.shape[3 - axis] for axis in (2, 1))
    assert covariance == pytest.approx(by_listener + by_item - cells)


@pytest.mark.parametrize(("seed", "floor"), [(1, True), (4, False)])
def test_the_interval_has_the_degrees_of_freedom_of_satterthwaite(seed, floor):
    """Its variance is not below that of the listeners, the larger one here."""
    table = complete(np.random.default_rng(seed))[:1]
    found, listeners, items = long(table)
    low, high, ranks = intervals_and_ranks(found, listeners, items)
    of_listeners, of_items = table[0].mean(axis=1).var(ddof=1) / 7, table[0].mean(axis=0).var(ddof=1) / 9
    both = of_listeners + of_items - table.var(ddof=1) / 63
    variance = max(both, of_listeners)
    assert (both < of_listeners) == floor
    freedom = variance**2 / (of_listeners**2 / 6 + of_items**2 / 8)
    wide = t.ppf(0.975, freedom) * np.sqrt(variance)
    assert [low[0], high[0]] == pytest.approx([table.mean() - wide, table.mean() + wide])
    assert ranks == [(1, 1)]


def test_variances_of_an_incomplete_table_are_those_of_statsmodels():
    table = complete(np.random.default_rng(2))
    kept = np.random.default_rng(3).random(table.size) < 0.7
    systems, listeners, items = (each.ravel()[kept] for each in np.indices(table.shape))
    values = table.ravel()[kept]
    fitted = OLS(values, np.eye(2)[systems]).fit()
    _, by_listener, by_item = cov_cluster_2groups(fitted, listeners, items)
    _, sides = crossed_covariance(system_means(values, systems).influence, listeners, items)
    correction = (len(values) - 1) / (len(values) - 2)  # of the two parameters
    assert sides[0] * correction == pytest.approx(by_listener)
    assert sides[1] * correction == pytest.approx(by_item)


def test_few_listeners_have_no_interval_and_show_no_ranks():
    found, listeners, items = long(complete(np.random.default_rng(1), listeners=3))
    low, high, ranks = intervals_and_ranks(found, listeners, items)
    assert np.isnan([*low, *high]).all()
    assert ranks == [(1, 2), (1, 2)]
