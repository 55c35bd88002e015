"""Tests of the intervals of shares, of rates, and of scores that combine them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import stats

import spokeneval
from spokeneval.metrics import accept_reject, classification, identification, transcript_errors
from spokeneval.metrics.counts import total
from spokeneval.metrics.shares import Shares, interval_of_shares, shares_of

PAIRS = Shares(lambda rows: (rows[:, 0], rows[:, 1]))
RATES = PAIRS._replace(rates=True)


def of_items(right: int, n: int) -> tuple[float, float]:
    """The interval of `right` of n independent items."""
    return interval_of_shares(PAIRS, np.stack([np.arange(n) < right, np.ones(n)], axis=1))


@pytest.mark.parametrize("n", range(4, 41))
def test_ends_of_independent_items_rise_with_right_answers_and_are_near_the_exact_ones(n):
    ends = np.array([of_items(right, n) for right in range(n + 1)])
    assert (np.diff(ends, axis=0) > 0)[1:-1].all()
    assert (np.diff(ends, axis=0) >= 0).all()
    right = np.arange(n + 1)
    low = np.where(right > 0, stats.beta.ppf(0.025, right, n - right + 1), 0)
    high = np.where(right < n, stats.beta.ppf(0.975, right + 1, n - right), 1)
    assert np.max(np.diff(ends, axis=1)[:, 0] / (high - low)) < 1.6
    assert (ends[:, 0] <= low + 1e-9).all()
    assert (ends[:, 1] >= high - 1e-9).all()


DRAWN = {"mean_over": {"column": "speaker", "groups": "drawn"}}
TWO, THREE = {"classes": ["b", "a"], "positive": "a"}, {"classes": ["a", "b", "c"]}
MONOTONE = {
    "two classes": ("decisions", TWO, lambda n: [{"label": "ab"[(n + wrong) % 2]} for wrong in (0, 0, 1)]),
    "three classes": (
        "decisions",
        THREE,
        lambda n: [{"label": "abc"[(n + wrong) % 3]} for wrong in (0, 0, 1)],
    ),
    "words": ("transcripts", {}, lambda n: [{"transcript": f"a b c {last}"} for last in "ddx"]),
    "scores": (
        "identification",
        {"target": "a"},
        lambda n: [{"label": "ab"[n % 2]}, {"score": 1 - n % 2}, {"score": n % 2}],
    ),
    "likelihoods": (
        "identification",
        THREE,
        lambda n: [
            {"label": "abc"[n % 3]},
            *({name: 3 * (name == "abc"[(n + wrong) % 3]) for name in "abc"} for wrong in (0, 1)),
        ],
    ),
    "ratings": (
        "ratings",
        {"raters": ["r1", "r2"], "scale": [1, 5]},
        lambda n: [dict.fromkeys(("r1", "r2"), n % 4 + 1), *({"rating": n % 4 + more} for more in (1, 2))],
    ),
    "numbers": ("scores", {"scale": [1, 5]}, lambda n: [{"score": n % 4 + more} for more in (1, 1, 2)]),
}
"""The kind, the declaration, and an item's label, right and wrong answer."""
UNLIKE_SHARES = {"parity", "rmse", "smd"}


@pytest.mark.parametrize(("units", "items"), [(5, 12), (20, 20)])
@pytest.mark.parametrize(
    ("case", "more"),
    [
        *((name, {}) for name in MONOTONE),
        *((name, DRAWN) for name in ("words", "likelihoods", "three classes")),
        *(("three classes", {**DRAWN, "primary": score}) for score in ("accuracy", "matthews")),
        *(("scores", {**DRAWN, "primary": score}) for score in ("eer", "minimum_dcf")),
    ],
)
def test_no_score_is_more_certain_than_a_perfect_one(case, more, units, items):
    """The first item of 1 or 3 speakers is wrong: the end of the interval is never nearer than that without errors."""
    kind, declared, answers = MONOTONE[case]

    def scored(wrong):
        gold, given = {}, {}
        for unit, item in np.ndindex(units, items):
            labels, right, other = answers(item)
            gold[f"{unit}_{item}"] = {**labels, "speaker": f"s{unit}"}
            given[f"{unit}_{item}"] = other if item == 0 and unit < wrong else right
        return spokeneval.score({"kind": kind, **declared, **more}, gold, given)

    perfect, *others = map(scored, (0, 1, 3))
    for key in perfect.intervals.keys() - UNLIKE_SHARES:
        worse = int(others[0].scores[key] > perfect.scores[key])
        away = 1 if worse else -1
        reached = [away * found.intervals[key][worse] for found in (perfect, *others)]
        assert min(reached[1:]) >= reached[0] - 1e-9, (key, reached)


def test_scores_by_degrees_of_independent_items_are_hardly_wider_than_by_fishers_transformation():
    # Items are right by degrees, so a correlation of n of them varies less than a share of n: 1 - r^2 of it.
    rng, widths = np.random.default_rng(3), []
    for _ in range(20):
        truth = rng.normal(5, 1.4, 60)
        found = np.clip(truth + rng.normal(0, 0.9, 60), 0, 10)
        score = spokeneval.score({"kind": "scores", "scale": [0, 10]}, np.clip(truth, 0, 10), found)
        low, high = np.tanh(np.arctanh(score.scores["pearson_r"]) + 1.96 / 57**0.5 * np.array([-1, 1]))
        widths.append([np.diff(score.intervals[key][:2])[0] / (high - low) for key in ("pearson_r", "ccc")])
    assert (np.median(widths, axis=0) < 1.3).all()
    assert (np.median(widths, axis=0) > 0.9).all()


def test_the_interval_is_that_of_an_effective_number_of_observations():
    # By scipy: 8 speakers of 10 words with 0, 2, 1, 0, 4, 0, 1, 0 errors: p = 8 / 80 = 0.1. Residuals e - 1
    # have squares of 1 + 1 + 0 + 1 + 9 + 1 + 0 + 1 = 14; v = 8/7 * 14 / 80^2 = 0.0025. d = v * 80 / (p (1 - p)) = 2.2,
    # above 1 + 0.1 (10 - 1) = 1.9. So m = 80 / d = 36 observations, times (t(79) / t(7))^2.
    rows = np.stack([[0, 2, 1, 0, 4, 0, 1, 0], np.full(8, 10)], axis=1)
    size = 36 * (stats.t.ppf(0.975, 79) / stats.t.ppf(0.975, 7)) ** 2
    errors, right = 0.1 * size, 0.9 * size
    expected = stats.beta.ppf([0.025, 0.975], [errors, errors + 1], [right + 1, right])
    np.testing.assert_allclose(interval_of_shares(PAIRS, rows), expected, rtol=1e-9)
    # Without an upper bound, d = v * 80 / p = 2.
    size *= (80 / 2) / 36
    expected = stats.gamma.ppf([0.025, 0.975], [0.1 * size, 0.1 * size + 1]) / size
    np.testing.assert_allclose(interval_of_shares(RATES, rows), expected, rtol=1e-9)


def test_equal_units_do_not_make_a_score_certain():
    # 8 speakers with 1 error in 12 words, so v = 0: d = (8 * 0 + 2 * (1 + 0.1 * 11)) / 10 = 0.42, so 1, and 96 words
    # are 96 independent ones: low of 8 errors 3.4538 / 96 / (t(95) / t(7))^2 and so on, by scipy.
    size = 96 * (stats.t.ppf(0.975, 95) / stats.t.ppf(0.975, 7)) ** 2
    expected = stats.gamma.ppf([0.025, 0.975], [size / 12, size / 12 + 1]) / size
    errors = np.tile([1, 12], (8, 1))
    np.testing.assert_allclose(interval_of_shares(RATES, errors), expected, rtol=1e-9)


def test_a_part_without_errors_has_the_observations_of_the_whole():
    # 24 speakers of 40 words: d0 = 1 + 0.1 * 39 = 4.9, so 960 words are 195.9; 1 - 0.025^(1 / 195.9) is 1.9 %.
    deletions = shares_of(transcript_errors.deletion_rate)
    none, words = np.zeros(24, dtype=int), np.full(24, 40)
    rows = transcript_errors.TranscriptErrors(none + 1, none, none, words, none + 1, none, none, none)
    low, high = interval_of_shares(deletions, rows)
    assert (low, high) == (0, pytest.approx(1 - 0.025 ** (4.9 / 960), rel=1e-9))
    assert high < interval_of_shares(shares_of(transcript_errors.error_rate), rows)[1]


def test_no_part_ends_above_the_whole():
    # A part of an error rate is at most the whole, so the true part is at most the upper end of the whole, too.
    rng, capped = np.random.default_rng(2), 0
    parts = [
        transcript_errors.deletion_rate,
        transcript_errors.substitution_rate,
        transcript_errors.insertion_rate,
    ]
    for n in rng.integers(4, 41, 100).tolist():
        words = rng.integers(5, 100, n)
        spread = rng.gamma(0.2, 5 * rng.choice([0.002, 0.01, 0.1]), (n, 1)) * rng.dirichlet([0.3] * 3)
        found = np.minimum(rng.poisson(spread * words[:, np.newaxis]), words[:, np.newaxis] // 2)
        rows = transcript_errors.TranscriptErrors(*found.T, *[words] * 5)
        whole = interval_of_shares(shares_of(transcript_errors.error_rate), rows)[1]
        ends = [interval_of_shares(shares_of(part), rows)[1] for part in parts]
        assert max(ends) <= whole
        capped += whole in ends
    assert capped


def test_a_mean_is_at_least_as_uncertain_as_a_part_without_errors():
    # 20 speakers with 19 negative items and 1 positive one, all positive items right: 2 recalls with half the weight.
    wrong = np.arange(20) % 2
    rows = classification.BinaryCounts(np.ones(20), wrong, np.zeros(20), 19 - wrong)
    low, high = interval_of_shares(shares_of(classification.balanced_accuracy), rows)
    positive, negative = (
        interval_of_shares(shares_of(formula), rows)
        for formula in (classification.recall, classification.specificity)
    )
    value = classification.balanced_accuracy(classification.BinaryCounts(20, 10, 0, 370))
    # Nothing varies in one class, so the two are uncorrelated: the squares of their distances add up.
    down = np.hypot(1 - positive[0], 370 / 380 - negative[0]) / 2
    assert value - low == pytest.approx(down, rel=1e-9)
    assert high - value == pytest.approx((negative[1] - 370 / 380) / 2, rel=1e-9)


def test_f1_of_a_few_speakers_is_not_certain():
    # 6 of 6 hits, of 6 speakers: Clopper and Pearson's 0.025^(1/6) = 0.541 of the items in either class is F1 0.702.
    hits = np.ones(6)
    rows = classification.BinaryCounts(hits, 0 * hits, 0 * hits, hits)
    low, high = interval_of_shares(shares_of(classification.f1), rows)
    assert (low, high) == (pytest.approx(2 * 0.5407 / 1.5407, abs=1e-4), 1)
    same = classification.BinaryCounts(2 * hits, hits, hits, 5 * hits)  # F1 is 2/3 for each of them
    low, high = interval_of_shares(shares_of(classification.f1), same)
    assert 0.3 < low < 0.5 < 0.8 < high < 0.9


def test_a_cost_of_accepting_nothing_is_not_certain():
    items, none = np.full((8, 2), 10), np.zeros((8, 2, 1), dtype=int)
    costs = identification.ClassCosts(items, items // 2, items, items[:, :, np.newaxis], none)
    low, high = interval_of_shares(
        shares_of(partial(identification.average_cost, weights=[(1.0, 9.0)])), costs
    )
    assert 0.8 < low < 0.98
    assert 1.2 < high < 2


@pytest.mark.parametrize(
    ("formula", "share"),
    [
        (accept_reject.f_measure, 20 / 26),
        (accept_reject.scoring_accuracy, 0.75),
        (classification.macro_f1, None),
    ],
)
def test_shares_combine_to_the_formulas_value(formula, share):
    if share is None:
        rows = classification.decisions_per_item([0, 0, 1, 2], [0, 1, 1, 1], classes=4)
    else:
        rows = accept_reject.Decisions(*np.array([[6, 1, 5, 1, 0], [4, 2, 4, 0, 1]]).T)
    shares, (numbers, wholes, *_) = shares_of(formula), shares_of(formula).counted(rows)
    totals = np.sum(numbers, axis=0), np.sum(wholes, axis=0)
    value = shares.combined(np.atleast_1d(totals[0] / totals[1]))
    assert value == pytest.approx(formula(total(rows)))
