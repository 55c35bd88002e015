"""Scores on a scale, declared by parameters, from files to scores: against scipy, scikit-learn and the definitions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from spokeneval.formats.format import Items
from spokeneval.formats.problems import ReferenceFileError, SubmissionError
from spokeneval.metrics.jackknife import leave_one_out
from spokeneval.scoring.scored import by_unit, score_intervals
from spokeneval.task import Task
from tests.samples import kinds

make = partial(kinds.make, "scores")

EXACT = {"rel": 0, "abs": 1e-12}


def sheet(columns: Mapping[str, Sequence[Any]]) -> bytes:
    items = range(len(next(iter(columns.values()))))
    return kinds.csv(id=[f"r{n}" for n in items], **columns)


def count(task: Task, truth: Mapping[str, Sequence[Any]], answers: Sequence[Any]) -> tuple[Any, Any]:
    sides = kinds.read(task, {"scores.csv": sheet(truth)}, {"scores.csv": sheet({"score": answers})})
    return sides[0], task.count(*sides)


def scored(task: Task, truth: Mapping[str, Sequence[Any]], answers: Sequence[Any]) -> dict[str, float]:
    return kinds.scores_of(task, {"scores.csv": sheet(truth)}, {"scores.csv": sheet({"score": answers})})


def reductions(ratings: Sequence[Sequence[float | None]], predictions: Sequence[float]) -> float:
    """PRMSE as Loukina et al. (2020) define it and rsmtool computes it, in exact arithmetic, one item at a time.

    The variance of the raters' errors is the mean of the items' variances, weighted by the number of ratings minus 1.
    The variance of the true scores and the mean squared error are those of the items' mean ratings, weighted by the
    number of ratings, from which the raters' errors are subtracted.
    """
    items = [[Fraction(str(rating)) for rating in row if rating is not None] for row in ratings]
    means = [sum(row) / len(row) for row in items]
    every = [rating for row in items for rating in row]
    variances = [
        (sum((rating - mean) ** 2 for rating in row) / (len(row) - 1), len(row) - 1)
        for row, mean in zip(items, means, strict=True)
        if len(row) > 1
    ]
    raters = sum(variance * weight for variance, weight in variances) / sum(weight for _, weight in variances)
    overall = sum(every) / len(every)
    spread = sum(len(row) * (mean - overall) ** 2 for row, mean in zip(items, means, strict=True))
    size = len(every) - Fraction(sum(len(row) ** 2 for row in items), len(every))
    variance = (spread - (len(items) - 1) * raters) / size
    squares = sum(
        len(row) * (mean - Fraction(str(found))) ** 2
        for row, mean, found in zip(items, means, predictions, strict=True)
    )
    return float(1 - (squares - len(items) * raters) / len(every) / variance)


def example(seed: int, scale: tuple[float, float], step: float | None, n: int = 120) -> dict[str, list[Any]]:
    """Human scores, second scores for half of the items, lengths and predictions, which lie beyond the scale too."""
    rng = np.random.default_rng(seed)
    low, high = scale
    true = rng.uniform(low, high, n)

    def rated(noise: float) -> list[float]:
        raw = np.clip(true + rng.normal(0, noise * (high - low), n), low, high)
        return np.round(np.rint(raw / step) * step if step else raw, 3).tolist()

    found = np.clip(true + rng.normal(0, 0.3 * (high - low), n), 2 * low - high, 2 * high - low)
    second = [score if place % 2 else "" for place, score in enumerate(rated(0.1))]
    lengths = rng.integers(5, 60, n) + np.rint(20 * (true - low) / (high - low)).astype(int)
    return {
        "score": rated(0.1),
        "score2": second,
        "words": lengths.tolist(),
        "found": np.round(found, 3).tolist(),
    }


@pytest.mark.parametrize(
    ("scale", "step"),
    [((1, 4), 1), ((0, 9), 0.5), ((-3, 3), 0.1), ((10, 990), 5), ((0, 100), None), ((0, 1), None)],
)
def test_scores_equal_scipy_scikit_learn_and_the_published_prmse(scale: Any, step: float | None) -> None:
    drawn = example(3, scale, step)
    found = drawn.pop("found")
    human, answers, words = (np.array(values, float) for values in (drawn["score"], found, drawn["words"]))
    task = make(scale=list(scale), step=step, control="words", second="score2")
    scores = scored(task, drawn, found)
    r, with_human, with_answers = (
        stats.pearsonr(*pair).statistic for pair in ((human, answers), (human, words), (answers, words))
    )
    expected = {
        "pearson_r": r,
        "partial_r": (r - with_human * with_answers) / math.sqrt((1 - with_human**2) * (1 - with_answers**2)),
        "rmse": math.sqrt(np.mean((human - answers) ** 2)),
        "spearman_r": stats.spearmanr(human, answers).statistic,
        # Lin (1989), equation 3, with the moments of the n items.
        "ccc": 2
        * np.cov(human, answers, ddof=0)[0, 1]
        / (human.var() + answers.var() + (human.mean() - answers.mean()) ** 2),
        "smd": abs(answers.mean() - human.mean()) / human.std(ddof=1),
        "prmse": reductions(
            [(a, b if b != "" else None) for a, b in zip(human, drawn["score2"], strict=True)], found
        ),
    }
    if step:
        each = Fraction(str(step))
        # Python rounds fractions to the nearest whole number, halves to even.
        rounded = [round(Fraction(str(min(max(score, scale[0]), scale[1]))) / each) for score in found]
        given = [round(Fraction(str(score)) / each) for score in drawn["score"]]
        apart = [
            abs(Fraction(str(a)) - Fraction(str(b))) / each
            for a, b in zip(drawn["score"], found, strict=True)
        ]
        points = range(round(scale[0] / each), round(scale[1] / each) + 1)
        expected |= {
            "quadratic_kappa": cohen_kappa_score(given, rounded, labels=[*points], weights="quadratic"),
            "exact": 100 * np.mean([a == b for a, b in zip(given, rounded, strict=True)]),
            "adjacent": 100 * np.mean([abs(a - b) <= 1 for a, b in zip(given, rounded, strict=True)]),
            "within_half": 100 * np.mean([distance <= Fraction(1, 2) for distance in apart]),
            "within_one": 100 * np.mean([distance <= 1 for distance in apart]),
        }
    assert task.primary.key == "pearson_r"
    assert scores == pytest.approx(expected, rel=0, abs=1e-11)


def test_halves_of_a_step_are_decided_exactly() -> None:
    """0.15 / 0.1 is less than 3/2 in floating point, and 1.3 - 1.2 more than 0.1. Halves go to the even multiple."""
    task = make(scale=[0, 2], step=0.2)
    truth = {"score": [0.2, 1.2, 0.4, 1.6, 0.8]}
    # In steps of 0.2: human 1 6 2 8 4; found 1/2 13/2 3/2 15/2 9/2, rounded 0 6 2 8 4; each is half a step away.
    scores = scored(task, truth, [0.1, 1.3, 0.3, 1.5, 0.9])
    assert [scores[key] for key in ("exact", "adjacent", "within_half", "within_one")] == [80, 100, 100, 100]
    # Squared differences 1 0 0 0 0, mean 1/5; of all 25 pairs: (121 + 120) * 5 - 2 * 21 * 20 = 365, mean 73/5.
    assert scores["quadratic_kappa"] == pytest.approx(1 - (1 / 5) / (73 / 5), **EXACT)
    assert scored(task, truth, [0.301, 1.301, 0.4, 1.6, 0.8])["within_half"] == 60


def test_a_perfect_and_a_constant_submission() -> None:
    truth = {"score": [1, 2.5, 4, 4], "words": [9, 4, 7, 8], "score2": [1, 2.5, 4, 4]}
    task = make(scale=[1, 6], step=0.5, control="words", second="score2")
    worst = {"rmse": 0, "smd": 0}
    perfect = scored(task, truth, truth["score"])
    assert perfect == pytest.approx(
        {score.key: worst.get(score.key, 100 if score.percent else 1) for score in task.scores}
    )
    # Mean 23/8. Squared errors of 3: 4, 1/4, 1, 1; squares about the mean 99/16, so the variance is 33/16.
    constant = scored(task, truth, [3, 3, 3, 3])
    assert [
        constant[key] for key in ("pearson_r", "partial_r", "spearman_r", "ccc", "quadratic_kappa", "exact")
    ] == [0] * 6
    assert constant["rmse"] == math.sqrt(25 / 16)
    assert constant["smd"] == pytest.approx((1 / 8) / math.sqrt(33 / 16), **EXACT)
    assert constant["prmse"] == pytest.approx(1 - (25 / 16) / (33 / 16), **EXACT)


def test_counts_are_additive_and_give_intervals() -> None:
    """Leaving a speaker out of the counts gives the scores of the others, except Spearman's, whose ranks are of all."""
    drawn = example(5, (0, 9), 0.5, n=40)
    found = drawn.pop("found")
    drawn["speaker"] = [f"s{place // 4}" for place in range(40)]
    task = make(scale=[0, 9], step=0.5, control="words", second="score2")
    reference, rows = count(task, drawn, found)
    units = by_unit(task.units(reference), rows)
    assert (units.unit, len(units.units)) == ("speaker", 10)
    scores = scored(task, drawn, found)
    intervals = score_intervals(task, scores, units.parts)
    assert set(intervals) == {score.key for score in task.scores} - {"spearman_r"}
    for key, interval in intervals.items():
        assert interval.low < scores[key] < interval.high
    kept = {key: values[4:] for key, values in drawn.items()}
    others = scored(task, kept, found[4:])
    without = {part: leave_one_out(counts) for part, counts in units.parts.items()}
    for score in task.scores:
        if score.key != "spearman_r":
            found_without = score.value(task.part(score, without))[0]
            assert found_without == pytest.approx(others[score.key], rel=0, abs=1e-10)


def test_how_right_an_answer_is() -> None:
    task = make(scale=[1, 4], step=1)
    assert task.right(count(task, {"score": [1, 2, 4]}, [1.4, 2.6, 7])[1]).tolist() == [1, 0, 1]
    task = make(scale=[0, 100])
    right = task.right(count(task, {"score": [0, 50, 100]}, [10, 50, -100])[1])
    assert right.tolist() == pytest.approx([0.9, 1, 0])


def test_units_items_and_trivial_baselines() -> None:
    task = make(scale=[0, 9], step=0.5, item="essay")
    reference, _ = count(task, {"score": [1, 9, 0.5], "speaker": ["a", "b", "a"]}, [1, 2, 3])
    assert task.units(reference)[:2] == ("speaker", {"r0": "a", "r1": "b", "r2": "a"})
    assert task.format.public_files(reference, {}) == {"items.csv": b"id\nr0\nr1\nr2\n"}
    assert [*task.trivial] == ["4.5 for every essay", "scores at random"]
    drawn = task.trivial["scores at random"](Items(tuple(map(str, range(2000)))))
    assert set(drawn["score"].tolist()) == {place / 2 for place in range(19)}


@pytest.mark.parametrize(
    ("declared", "truth", "message"),
    [
        ({}, {"score": [1, 2]}, "2 items; expected at least 3"),
        ({}, {"score": [2, 2, 2]}, "all human scores are 2; a correlation needs scores that differ"),
        ({}, {"score": [0, 0.01, 0]}, "hardly differ: their standard deviation is 0.00471"),
        ({}, {"score": [1, 2, 101]}, "score '101'; expected a number from 0 to 100"),
        ({}, {"score": [1, 2, ""]}, "score is empty"),
        ({"step": 0.5}, {"score": [1, 2.25, 3]}, "score '2.25'; .* in steps of 0.5"),
        ({"control": "words"}, {"score": [1, 2, 30], "words": [7, 7, 7]}, "words is 7 for every item"),
        ({"control": "words"}, {"score": [1, 2, 30]}, "words"),
        ({"second": "b"}, {"score": [1, 2, 30], "b": [1, "", ""]}, "1 item with a score in b"),
        ({"second": "b"}, {"score": [1, 2, 30], "b": ["", "", ""]}, "0 items with a score in b"),
        ({"second": "b"}, {"score": [1, 2, 30], "b": ["x", "", 1]}, "b 'x'; expected a finite"),
        ({"second": "b"}, {"score": [1, 30, 30, 1], "b": [30, 1, 1, 30]}, "PRMSE is undefined"),
    ],
)
def test_a_reference_that_cannot_be_used_is_refused(declared: Any, truth: Any, message: str) -> None:
    with pytest.raises(ReferenceFileError, match=message):
        scored(make(scale=[0, 100], **declared), truth, [1] * len(truth["score"]))


def test_a_submitted_score_may_lie_beyond_the_scale_by_its_width() -> None:
    task, truth = make(scale=[1, 6]), {"score": [1, 4, 6]}
    assert scored(task, truth, [-4, 4, 11])["rmse"] == math.sqrt(50 / 3)
    for answer, message in (("11.1", "'11.1'; .* from -4 to 11"), ("4,5", "4"), ("nan", "'nan'")):
        with pytest.raises(SubmissionError, match=message):
            scored(task, truth, [1, 2, answer])
