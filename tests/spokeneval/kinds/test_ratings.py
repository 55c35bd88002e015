"""Ratings on a scale, declared by parameters, from files to scores."""

from __future__ import annotations

from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

import spokeneval
from spokeneval.formats.problems import ReferenceFileError, SubmissionError
from spokeneval.metrics.jackknife import leave_one_out
from spokeneval.task import Task
from tests.samples import kinds

make = partial(kinds.make, "ratings")

MISSING = None
Ratings = list[list[Any]]
"""The ratings of each rater, in the order of the items."""


def table(columns: dict[str, list[Any]]) -> bytes:
    items = range(len(next(iter(columns.values()))))
    return kinds.csv(id=[f"i{n}" for n in items], **columns)


def files(raters: Ratings, system: list[Any]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    names = {f"rater{n + 1}": ratings for n, ratings in enumerate(raters)}
    return {"ratings.csv": table(names)}, {"ratings.csv": table({"rating": system})}


def read(task: Task, raters: Ratings, system: list[Any]) -> tuple[Any, Any]:
    return kinds.read(task, *files(raters, system))


def scores(task: Task, raters: Ratings, system: list[Any]) -> dict[str, float]:
    return kinds.scores_of(task, *files(raters, system))


def draw(
    rng: Any, raters: int, items: int, scale: tuple[int, int], missing: float = 0.3
) -> tuple[Ratings, list]:
    """Ratings about a common one, some of them missing, and a system's. Each item has a rating."""
    common = rng.integers(scale[0], scale[1] + 1, items)
    noisy = np.clip(common + rng.integers(-2, 3, (raters + 1, items)), *scale)
    there = rng.random((raters, items)) >= missing
    there[rng.integers(raters, size=items), range(items)] = True
    return np.where(there, noisy[:-1], MISSING).tolist(), noisy[-1].tolist()


def shared(a: list[Any], b: list[Any]) -> list[tuple[int, int]]:
    return [pair for pair in zip(a, b, strict=True) if MISSING not in pair]


def stepped(ratings: Any, step: float) -> Any:
    return [rating if rating is None else f"{rating * step:g}" for rating in ratings]


def ccc(raters: Ratings, system: list[int]) -> float:
    """Lin (1989), equation 3, of the system and the mean of each item's raters, with the moments of the n items."""
    mean = np.array([np.mean([r for r in item if r is not None]) for item in zip(*raters, strict=True)])
    (x, cov), (_, y) = np.cov(mean, system, ddof=0)
    return 2 * cov / (x + y + (mean.mean() - np.mean(system)) ** 2)


def kappa(a: list[Any], b: list[Any], scale: tuple[int, int], weights: str) -> float:
    labels = range(scale[0], scale[1] + 1)
    return float(cohen_kappa_score(*zip(*shared(a, b), strict=True), labels=labels, weights=weights))


def ordinal_alpha(raters: Ratings) -> float:
    """Krippendorff's alpha from its definition: differences within items over differences between all ratings."""
    items = [[rating for rating in item if rating is not None] for item in zip(*raters, strict=True)]
    items = [item for item in items if len(item) > 1]
    every = [rating for item in items for rating in item]

    @cache
    def apart(a: int, b: int) -> float:
        low, high = sorted((a, b))
        return (sum(low <= r <= high for r in every) - (every.count(a) + every.count(b)) / 2) ** 2

    within = sum(2 * apart(*pair) / (len(item) - 1) for item in items for pair in combinations(item, 2))
    between = sum(2 * apart(*pair) for pair in combinations(every, 2)) / (len(every) - 1)
    return 1 - within / between


def annotator_test(raters: Ratings, system: list[int], margin: float) -> tuple[float, float]:
    """The winning rate and the advantage from their definitions, item by item."""
    tails, shares = [], []
    for rater, own in enumerate(raters):
        gains = []
        for item, rating in enumerate(own):
            others = [each[item] for n, each in enumerate(raters) if n != rater and each[item] is not None]
            if rating is None or not others:
                continue
            distances = [
                np.sqrt(np.mean([(a - other) ** 2 for other in others])) for a in (rating, system[item])
            ]
            gains.append((distances[0] <= distances[1], distances[1] <= distances[0]))
        if len(gains) >= 30:
            difference = [int(rater) - int(its) for rater, its in gains]
            tails.append(stats.ttest_1samp(difference, margin, alternative="less").pvalue)
            shares.append(np.mean([its for _, its in gains]))
    replaced = stats.false_discovery_control(tails, method="by") <= 0.05
    return float(np.mean(replaced)), float(np.mean(shares))


@pytest.mark.parametrize(
    ("scale", "step"),
    [((1, 5), 1), ((-3, 3), 1), ((0, 10), 1), ((0, 1), 1), ((2, 14), 0.5), ((0, 40), 0.25), ((1, 3), 0.1)],
)
@pytest.mark.parametrize("weights", ["linear", "quadratic"])
@pytest.mark.parametrize("raters", [2, 3, 5])
def test_agreement_with_missing_ratings_equals_independent_programs(raters, weights, scale, step) -> None:
    """The distances are in steps: kappa and alpha do not depend on the unit of ratings."""
    human, system = draw(np.random.default_rng(raters), raters, 80, scale)
    task = make(raters=raters, scale=[end * step for end in scale], step=step, weights=weights)
    found = scores(task, [stepped(rater, step) for rater in human], stepped(system, step))
    with_system = [kappa(rater, system, scale, weights) for rater in human]
    between = np.mean([kappa(*pair, scale, weights) for pair in combinations(human, 2)])
    apart = [abs(a - b) for rater in human for a, b in shared(rater, system)]
    expected = {
        "kappa_mean": np.mean(with_system),
        **{f"kappa_{n + 1}": value for n, value in enumerate(with_system)},
        "human_kappa_mean": between,
        "parity": np.mean(with_system) - between,
        "exact": 100 * np.mean(np.array(apart) == 0),
        "within_one": 100 * np.mean(np.array(apart) <= 1),
        "quadratic_kappa": np.mean([kappa(rater, system, scale, "quadratic") for rater in human]),
        "ccc": ccc(human, system),
        "alpha": ordinal_alpha([*human, system]),
        "human_alpha": ordinal_alpha(human),
    }
    if weights == "quadratic":  # the same as the mean
        del expected["quadratic_kappa"]
    if raters > 2:
        expected["winning_rate"], expected["advantage"] = annotator_test(human, system, 0.2)
    assert found == pytest.approx(expected, abs=1e-12)
    assert list(found) == [key for key in expected if key in found]
    assert task.primary.key == "kappa_mean"


def test_a_crowd_has_the_means_of_independent_programs() -> None:
    human, system = draw(np.random.default_rng(2), 30, 40, (1, 9), missing=0.7)
    human[4] = [
        rating if n < 9 else MISSING for n, rating in enumerate(human[4])
    ]  # too few to count in the mean
    halves = [[rating and 0.5 + rating / 2 for rating in side] for side in (*human, system)]  # 1 to 5
    found = scores(make(raters=30, scale=[1, 5], step=0.5), halves[:-1], halves[-1])
    counted = [rater for rater in human if sum(r is not None for r in rater) >= 10]
    assert 20 < len(counted) < 30
    assert found == pytest.approx(
        {
            "kappa_mean": np.mean([kappa(rater, system, (1, 9), "linear") for rater in counted]),
            "exact": found["exact"],
            "within_one": found["within_one"],
            "quadratic_kappa": np.mean([kappa(rater, system, (1, 9), "quadratic") for rater in counted]),
            "ccc": ccc(human, system),
            "alpha": ordinal_alpha([*human, system]),
            "human_alpha": ordinal_alpha(human),
            "winning_rate": 0,  # no rater has thirty items
            "advantage": 0,
        },
        abs=1e-12,
    )


def test_alpha_of_krippendorffs_example() -> None:
    """Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section D: 0.815 for ordinal ratings."""
    observers = ["123321412...", "1233224125.3", ".333234225 1.".replace(" ", ""), "12332441251."]
    human = [[None if cell == "." else int(cell) for cell in observer] for observer in observers]
    found = scores(make(raters=4, scale=[1, 5]), human, [3] * 12)
    assert found["human_alpha"] == pytest.approx(0.815, abs=5e-4)


@pytest.mark.parametrize("margin", [0.2, 0.15, 0.1])
def test_the_alternative_annotator_test_with_missing_ratings(margin: float) -> None:
    rng = np.random.default_rng(5)
    seen = set()
    for items in range(60, 200, 10):
        human, system = draw(rng, 4, items, (1, 5), missing=0.4)
        near = [next(r for r in item if r is not None) for item in zip(*human[1:], human[0], strict=True)]
        system = np.where(rng.random(items) < 0.4, near, system).tolist()
        found = scores(make(raters=4, scale=[1, 5], margin=margin), human, system)
        expected = annotator_test(human, system, margin)
        assert (found["winning_rate"], found["advantage"]) == pytest.approx(expected, abs=1e-12)
        seen.add(found["winning_rate"])
    assert len(seen) > 2


def test_the_alternative_annotator_test_leaves_out_raters_with_few_items() -> None:
    human, system = draw(np.random.default_rng(6), 4, 100, (1, 5), missing=0)
    human[3] = [rating if n < 29 else MISSING for n, rating in enumerate(human[3])]
    task = make(raters=4, scale=[1, 5])
    found = scores(task, human, system)
    assert (found["winning_rate"], found["advantage"]) == pytest.approx(annotator_test(human, system, 0.2))
    human[2] = human[3]
    found = scores(task, human, system)
    assert (found["winning_rate"], found["advantage"]) == (0, 0)  # two raters are left


@pytest.mark.parametrize(("items", "counted"), [(9, 2), (10, 3)])
def test_a_rater_with_few_items_does_not_count_in_means(items: int, counted: int) -> None:
    human, system = draw(np.random.default_rng(8), 3, 60, (1, 5), missing=0)
    human[2][items:] = [MISSING] * (60 - items)
    found = scores(make(raters=3, scale=[1, 5]), human, system)
    for key, weights in (("kappa_mean", "linear"), ("quadratic_kappa", "quadratic")):
        expected = np.mean([kappa(rater, system, (1, 5), weights) for rater in human[:counted]])
        assert found[key] == pytest.approx(expected)
    between = [kappa(*pair, (1, 5), "linear") for pair in combinations(human[:counted], 2)]
    assert found["human_kappa_mean"] == pytest.approx(np.mean(between))
    assert found["kappa_3"] == pytest.approx(kappa(human[2], system, (1, 5), "linear"))


def test_a_pair_with_a_single_common_item_does_not_count_in_means() -> None:
    human, system = draw(np.random.default_rng(9), 3, 30, (1, 5), missing=0)
    human[1][10:] = [MISSING] * 20
    human[2][:9] = [MISSING] * 9  # item 9 is the only one that both rated
    found = scores(make(raters=3, scale=[1, 5]), human, system)
    between = [kappa(human[0], human[other], (1, 5), "linear") for other in (1, 2)]
    assert found["human_kappa_mean"] == pytest.approx(np.mean(between))


def test_means_are_over_the_same_raters_when_an_item_is_left_out() -> None:
    human, system = draw(np.random.default_rng(10), 3, 40, (1, 5), missing=0)
    human[2] = [rating if n < 10 else MISSING for n, rating in enumerate(human[2])]
    task = make(raters=3, scale=[1, 5])
    rows = task.count(*read(task, human, system))
    without = task.primary.value(leave_one_out(task.part(task.primary, rows)))
    for left_out in (0, 20):
        kept = [n for n in range(40) if n != left_out]
        ratings = [[rater[n] for n in kept] for rater in (*human, system)]
        expected = [kappa(rater, ratings[-1], (1, 5), "linear") for rater in ratings[:-1]]
        assert without[left_out] == pytest.approx(np.mean(expected))


@pytest.mark.parametrize(("answer", "expected"), [(4, 1), (3, 0)])
def test_constant_ratings(answer: int, expected: int) -> None:
    found = scores(make(raters=3, scale=[1, 5]), [[4] * 30] * 3, [answer] * 30)
    keys = ("kappa_mean", "kappa_2", "quadratic_kappa")
    assert [found[key] for key in keys] == [expected] * 3
    assert (found["human_kappa_mean"], found["human_alpha"], found["within_one"]) == (1, 1, 100)
    assert (found["winning_rate"], found["advantage"]) == (expected, expected)


def test_a_mean_kappa_is_as_uncertain_as_a_rater_who_agrees_wholly() -> None:
    system = [1, 2, 3, 4, 5, 3] * 6
    other = [min(5, rating + (place % 4 == 0)) for place, rating in enumerate(system)]
    human = zip(system, other, other, strict=True)
    gold = {
        str(n): dict(zip(("rater1", "rater2", "rater3"), row, strict=True)) for n, row in enumerate(human)
    }
    declared = {"kind": "ratings", "raters": 3, "scale": [1, 5]}
    found = spokeneval.score(declared, gold, {str(n): {"rating": a} for n, a in enumerate(system)})
    mean, first, *others = (found.intervals[f"kappa_{key}"] for key in ("mean", 1, 2, 3))
    # No item shows how the first kappa varies, and all are of the same items: their distances add up.
    assert found.scores["kappa_1"] == found.scores["winning_rate"] == 1
    assert mean == pytest.approx(np.mean([first, *others], axis=0), abs=1e-9)
    assert "winning_rate" not in found.intervals  # it would be 1 to 1


def test_kappa_with_a_rater_who_rated_no_item_is_zero() -> None:
    human, system = draw(np.random.default_rng(14), 2, 20, (1, 5), missing=0)
    found = scores(make(raters=3, scale=[1, 5]), [*human, [MISSING] * 20], system)
    assert found["kappa_3"] == 0
    assert found["kappa_mean"] == pytest.approx((found["kappa_1"] + found["kappa_2"]) / 2)


def test_a_perfect_rater_and_how_right_each_item_is() -> None:
    human, _ = draw(np.random.default_rng(11), 2, 40, (1, 5), missing=0)
    task = make(raters=2, scale=[1, 5])
    human[1][0] = MISSING
    found = scores(task, human, human[0])
    assert (found["kappa_1"], found["kappa_2"]) == (1, pytest.approx(found["human_kappa_mean"]))
    right = task.right(task.count(*read(task, human, human[0])))
    expected = [1, *((1 + (a == b)) / 2 for a, b in zip(human[0][1:], human[1][1:], strict=True))]
    assert right.tolist() == expected
    reference, _ = read(task, human, human[0])
    assert sorted(task.labels(reference)) == sorted(r for rater in human for r in rater if r is not None)


ENOUGH = [[1, 2, 3, 4, 5] * 2, [2, 2, 3, 4, 4] * 2]


@pytest.mark.parametrize(
    ("raters", "message"),
    [
        ([[MISSING, *ENOUGH[0]], [MISSING, *ENOUGH[1]]], "id i0: no rating"),
        ([ENOUGH[0][:9], ENOUGH[1][:9]], "no two raters with 10 items .* rater1 9, rater2 9"),
        ([[*ENOUGH[0], *[MISSING] * 9], [*[MISSING] * 9, *ENOUGH[1]]], "share 2 items or more"),
        ([[6, *ENOUGH[0]], [1, *ENOUGH[1]]], "id i0: rater1 '6'; expected an integer from 1 to 5"),
        ([["NA", *ENOUGH[0]], [1, *ENOUGH[1]]], "rater1 'NA'; expected an integer"),
    ],
)
def test_a_reference_that_cannot_be_used_is_refused(raters: Ratings, message: str) -> None:
    with pytest.raises(ReferenceFileError, match=message):
        read(make(raters=2, scale=[1, 5]), raters, [1] * len(raters[0]))


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("2.6", "off_scale: rating '2.6'; expected a number from 1 to 5 in steps of 0.5"),
        ("5.5", "out_of_bounds: rating '5.5'; expected a number from 1 to 5"),
        ("2,5", "not_a_number: rating '2,5'"),
        ("", "not_a_number: "),
    ],
)
def test_a_submitted_rating_that_is_no_step_is_refused(cell: str, said: str) -> None:
    task = make(raters=2, scale=[1, 5], step=0.5)
    assert scores(task, ENOUGH, ["2.50", "3.0", *[3] * 8])["exact"] == 20
    with pytest.raises(SubmissionError) as refusal:
        read(task, ENOUGH, [f'"{cell}"', *[3] * 9])
    (problem,) = refusal.value.problems
    assert (problem.file, problem.line, problem.item) == ("ratings.csv", 2, "i0")
    assert f"{problem.code}: {problem.message.partition(': ')[2]}".startswith(said)


def test_a_partly_right_submission_has_lower_medians_of_the_ratings_of_an_item() -> None:
    rng = np.random.default_rng(8)
    human, system = draw(rng, 4, 60, (1, 5))
    task = make(raters=4, scale=[1, 5])
    answers = task.partly_right(read(task, human, system)[0], np.arange(60) < 50)
    lower = [np.sort([rating for rating in item if rating]) for item in zip(*human, strict=True)]
    assert answers["rating"].tolist() == [item[(len(item) - 1) // 2] for item in lower[:50]] + [3] * 10
