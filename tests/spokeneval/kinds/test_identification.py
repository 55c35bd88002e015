"""Identification of classes and detection of one class, declared by parameters, from files to scores."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.special import log_softmax, softmax
from sklearn import metrics as sklearn

from spokeneval.formats.format import Items
from spokeneval.formats.problems import ReferenceFileError, SubmissionError
from spokeneval.kinds.class_scores import MOST_ROWS
from spokeneval.metrics import detection_cost
from spokeneval.metrics.counts import total
from spokeneval.scoring.options import Settings, Signature, choose_options
from spokeneval.scoring.scored import score_submission
from tests.samples.identification import (
    NAMES,
    cllr,
    draw,
    hull_eer,
    labelled,
    make,
    minimum_cllr,
    points,
    pooled_eer,
    scored,
    scores_of,
    submitted,
)

# A target


@pytest.mark.parametrize("declared", [{}, {"classes": ["spoof", "real", "replay"]}])
def test_a_target_against_all_others(declared: dict[str, Any]) -> None:
    # llreval 0.0.3, tarnon_2_eer_cllr_mincllr, gives Cllr 0.8862750440554892 and its minimum 0.6853541573750725.
    targets = np.array([2.5, 1.0, -0.5, 0.75, 3.0, -2.0, 1.0])
    nontargets = np.array([-1.5, 0.5, -3.0, 1.0, -0.25])
    task = make(target="spoof", priors=0.05, costs={"c_miss": 1, "c_fa": 10}, **declared)
    labels = ["spoof"] * 7 + ["real", "replay", "real", "replay", "real"]
    found = scores_of(task, labels, ["score"], np.concatenate([targets, nontargets])[:, None])
    beta = 10 * 0.95 / 0.05
    expected = {
        "eer": 100 * hull_eer(targets, nontargets),
        "cllr": 0.8862750440554892,
        "minimum_cllr": 0.6853541573750725,
        "actual_dcf": 1.0,  # log 190 is 5.2: nothing is accepted
        "minimum_dcf": min(miss + beta * alarm for miss, alarm in points(targets, nontargets)),
    }
    assert list(found)[:5] == list(expected)
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-12)


def test_the_normalised_cost_of_a_likely_target() -> None:
    """With prior 0.8, beta is 1/4. At -1.39: 1 of 4 targets missed, 1 of 2 others accepted: (1/4 + 1/8) / (1/4)."""
    task = make(target="x", priors=0.8)
    found = scores_of(task, [*"xxxxyy"], ["score"], [[2], [1], [-1], [-2], [-1.3], [-1.5]])
    assert found["actual_dcf"] == pytest.approx(1.5)
    assert found["minimum_dcf"] == pytest.approx(1)  # everything accepted
    assert "likelihood ratios" in next(score.description for score in task.scores if score.key == "cllr")


@pytest.mark.parametrize("dcf", ["normalised", "unnormalised"])
def test_each_of_several_priors_has_costs_of_its_own(dcf: str) -> None:
    """By brute force over all thresholds, and at that of each prior; the cost without a number is their mean."""
    rng, priors = np.random.default_rng(5), [0.01, 0.05, 0.5]
    labels = rng.choice(["x", "y"], 200).tolist()
    ratios = (3 * rng.normal(size=200) + 4 * (np.array(labels) == "x")).round(3)
    targets, nontargets = (ratios[np.array(labels) == label] for label in "xy")
    costs = {"c_miss": 2, "c_fa": 1}
    found = scores_of(
        make(target="x", priors=priors, costs=costs, dcf=dcf), labels, ["score"], ratios[:, None]
    )
    expected = {}
    for place, prior in enumerate(priors, 1):
        miss, alarm = 2 * prior, 1 - prior
        norm = min(miss, alarm) if dcf == "normalised" else 1
        threshold = math.log(alarm / miss)
        rates = np.mean(targets < threshold), np.mean(nontargets >= threshold)
        expected[f"actual_dcf_{place}"] = (miss * rates[0] + alarm * rates[1]) / norm
        expected[f"minimum_dcf_{place}"] = (
            min(miss * missed + alarm * accepted for missed, accepted in points(targets, nontargets)) / norm
        )
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-12)
    for key in ("actual_dcf", "minimum_dcf"):
        assert found[key] == pytest.approx(np.mean([found[f"{key}_{place}"] for place in (1, 2, 3)]))
    three = make(classes=["a", "b", "c"], priors=[0.1, 0.5]).scores
    assert [score.title for score in three if score.key.startswith("cavg")] == [
        "Cavg",
        "Cavg at 0.1",
        "Cavg at 0.5",
    ]


# Posteriors


@pytest.mark.parametrize("classes", [2, 4])
def test_posteriors_are_divided_by_their_priors(classes: int) -> None:
    truth, scores = draw(classes, 90, 8)
    names = NAMES[:classes]
    priors = softmax(np.arange(classes)).round(3)
    priors[0] = 1 - priors[1:].sum()
    labels = [names[n] for n in truth]
    posteriors = softmax(scores + np.log(priors), axis=1)
    declared = {"posteriors": dict(zip(names, priors.tolist(), strict=True))}
    found = scores_of(make(classes=names, scores=declared), labels, names, posteriors)
    of_likelihoods = scores_of(make(classes=names), labels, names, np.log(posteriors / priors))
    assert found == pytest.approx(of_likelihoods, abs=1e-9)
    assert found["cllr"] == pytest.approx(cllr(truth, scores), abs=1e-9)
    flat = scores_of(make(classes=names, scores="posteriors"), labels, names, softmax(scores, axis=1))
    assert flat["cllr"] == pytest.approx(cllr(truth, scores), abs=1e-9)
    ratios = scores[:, 0] - scores[:, 1]
    two = hull_eer(ratios[truth == 0], ratios[truth == 1])
    expected = two if classes == 2 else pooled_eer(truth, log_softmax(scores, axis=1))
    assert flat["eer"] == pytest.approx(100 * expected, abs=1e-9)


@pytest.mark.parametrize(("factor", "added"), [(1e9, 0), (1e307, 0), (1, 2e6)])
@pytest.mark.parametrize(
    ("declared", "classes", "ranked"),
    [
        ({"classes": NAMES[:2]}, 2, ("eer", "minimum_cllr", "minimum_dcf")),
        ({"target": NAMES[0]}, 2, ("eer", "minimum_cllr", "minimum_dcf")),
        ({"classes": NAMES[:3]}, 3, ("eer",)),
        ({"classes": NAMES[:2], "out_of_set": NAMES[2]}, 3, ("eer", "minimum_cavg")),
    ],
)
def test_rates_need_only_the_order_of_scores_of_any_size(
    declared: dict[str, Any], classes: int, ranked: tuple[str, ...], factor: float, added: float
) -> None:
    truth, scores = draw(classes, 60, 3)
    columns = ["score"] if "target" in declared else declared["classes"]
    labels, scores = [NAMES[n] for n in truth], scores[:, : len(columns)]
    small = scores_of(make(**declared), labels, columns, scores)
    large = scores_of(make(**declared), labels, columns, factor * scores + added)
    assert {key: large[key] for key in ranked} == {key: small[key] for key in ranked}
    assert all(map(math.isfinite, large.values()))


def test_certain_posteriors_have_finite_costs() -> None:
    task = make(classes=[*"xyz"], scores="posteriors")
    found = scores_of(task, [*"xyz"], [*"xyz"], [[1, 0, 0]] * 2 + [[0.33] * 3])
    assert found["cllr"] == pytest.approx((0 + 1e6 / math.log(2) + math.log2(3)) / 3)
    assert all(math.isfinite(score) for score in found.values())


def test_a_report_remarks_on_scores_that_look_like_posteriors() -> None:
    _, scores = draw(3, 20, 1)
    task = make(classes=["x", "y", "z"])
    reference = task.format.read_reference(labelled(["x", "y", "z", "x"]))
    for given, remarks in ((scores, []), (softmax(scores, axis=1).round(2), [detection_cost.PROBABILITIES])):
        found = task.format.read_submission(submitted("xyz", given[:4]), reference.items)
        assert task.remarks(found) == remarks
    assert make(classes=["x", "y", "z"], scores="posteriors").remarks(found) == []  # these are converted


PROBABLE = {"scores": "posteriors"}

# Items out of set


def open_set(seed: int, items: int = 150) -> tuple[np.ndarray, np.ndarray]:
    """Five languages and other, and log-likelihood ratios of five detectors, in steps, so that some are equal."""
    rng = np.random.default_rng(seed)
    truth = np.append(np.arange(6), rng.choice(6, items, p=[0.1, 0.2, 0.1, 0.2, 0.1, 0.3]))
    return truth, rng.normal(2.5 * (truth[:, None] == np.arange(5)) - 1, 1.5).round(1)


@pytest.mark.parametrize(
    "declared", [{}, {"p_oos": 0.1, "priors": [0.5, 0.3], "costs": {"c_miss": 2, "c_fa": 1.5}}]
)
def test_items_out_of_set_are_nontargets_of_every_detector(declared: dict[str, Any]) -> None:
    """Against the formula of NIST's plan of 2009 in loops, and scikit-learn for accuracies and cross-entropies."""
    truth, ratios = open_set(3)
    other, labels = 5, np.array([*NAMES, "other"])[truth]
    found = scores_of(make(classes=NAMES, out_of_set="other", **declared), labels, NAMES, ratios)
    p_oos, priors = declared.get("p_oos", 0.2), declared.get("priors", [0.5])
    c_miss, c_fa = declared.get("costs", {"c_miss": 1, "c_fa": 1}).values()

    def cost(p_target: float, threshold: float) -> float:
        total = 0.0
        for language in range(5):
            accepted = ratios[:, language] >= threshold
            total += c_miss * p_target * (~accepted[truth == language]).mean()
            for another in set(range(5)) - {language}:
                total += c_fa * (1 - p_target - p_oos) / 4 * accepted[truth == another].mean()
            total += c_fa * p_oos * accepted[truth == other].mean()
        return total / 5

    bits = []
    for language in range(5):
        shares = np.full(6, (1 - priors[0] - p_oos) / 4 / (1 - priors[0]))
        shares[[language, other]] = 1, p_oos / (1 - priors[0])
        probable = 1 / (1 + np.exp(-ratios[:, language]))
        weights = (shares / np.bincount(truth))[truth]
        bits.append(sklearn.log_loss(truth == language, probable, sample_weight=weights) / math.log(2))
    first = math.log(c_fa * (1 - priors[0]) / (c_miss * priors[0]))
    known = truth < other
    accuracy = sklearn.balanced_accuracy_score(truth[known], ratios[known].argmax(axis=1))
    expected = {
        "cavg": np.mean([cost(p, math.log(c_fa * (1 - p) / (c_miss * p))) for p in priors]),
        "minimum_cavg": np.mean([min(cost(p, at) for at in [*np.unique(ratios), math.inf]) for p in priors]),
        "eer": 100 * pooled_eer(truth, ratios),
        "macro_accuracy": 100 * accuracy,
        "cllr": np.mean(bits),
        "rejected": 100 * (ratios[truth == other] < first).all(axis=1).mean(),
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-12)


def test_posteriors_leave_the_rest_to_items_out_of_set() -> None:
    """Odds of a class against everything else, posterior over prior: 0.6 / 0.4 over (1/3) / (2/3) is 3."""
    task = make(classes=["x", "y"], out_of_set="z", scores="posteriors")
    posteriors = [[0.6, 0.1], [0.25, 0.75], [0, 0.3]]
    of_ratios = [[math.log(3), math.log(2 / 9)], [math.log(2 / 3), math.log(6)], [-1e6, math.log(6 / 7)]]
    expected = scores_of(make(classes=["x", "y"], out_of_set="z"), [*"xyz"], ["x", "y"], of_ratios)
    assert scores_of(task, [*"xyz"], ["x", "y"], posteriors) == pytest.approx(expected, abs=1e-9)
    assert expected["rejected"] == 100


# Files


@pytest.mark.parametrize(
    ("declared", "header", "rows", "message"),
    [
        ({}, "id,x,y", ["a,1,nan", "b,1,2"], "line 2 +id a: y 'nan'; expected a finite decimal number"),
        (PROBABLE, "id,x,y", ["a,0.2,1.1", "b,0,1"], "1 problem\n\n  line 2 +id a: y '1.1'"),
        (PROBABLE, "id,x,y", ["a,0.5,0.51", "b,1,1"], "1 problem\n\n.*3 .*b: the .* sum to 2; expected 1 "),
        (PROBABLE, "id,x,y", ["a,0,0.9", "b,1,1"], "2 problems\n\n.*2 .*a: .* sum to 0.9.*\n.*3 .*b: .* 2"),
        ({**PROBABLE, "out_of_set": "z"}, "id,x,y", ["a,0,0", "b,1,1"], "1 problem\n\n.*3 .*2; .*at most 1"),
    ],
)
def test_scores_that_cannot_be_used_are_refused(
    declared: dict[str, Any], header: str, rows: list[str], message: str
) -> None:
    task = make(classes=["x", "y"], **declared)
    with pytest.raises(SubmissionError, match=message):
        task.format.read_submission({"scores.csv": "\n".join([header, *rows]).encode()}, Items(("a", "b")))


@pytest.mark.parametrize(
    ("declared", "labels", "message"),
    [
        ({"classes": ["x", "y"]}, "xxx", "no item is y; expected at least one of each class"),
        ({"classes": ["x", "y", "z"]}, "xxx", "no item is y, z"),
        ({"classes": ["x", "y"]}, "xyz", "label 'z'; expected 'x' or 'y'"),
        ({"classes": ["x", "y"], "out_of_set": "z"}, "xy", "no item is z"),
        ({"classes": ["x", "y"], "out_of_set": "z"}, "xyzw", "label 'w'; expected 'x' or 'y' or 'z'"),
        ({"target": "x"}, "yz", "no item is x"),
        ({"target": "x"}, "xx", "no item is 'other than x'"),
        ({"target": "x"}, "xyX", "label 'X'; expected 'x' or another label"),
        ({"target": "x"}, ["x", "y", ""], "the label is empty; expected 'x' or another label"),
        ({"target": "x", "classes": ["x", "y"]}, "xyz", "label 'z'; expected 'x' or 'y'"),
    ],
)
def test_a_reference_that_cannot_be_used_is_refused(
    declared: dict[str, Any], labels: Any, message: str
) -> None:
    with pytest.raises(ReferenceFileError, match=message):
        make(**declared).format.read_reference(labelled(list(labels)))


def test_segments_of_recordings_are_listed_with_their_times() -> None:
    task = make(classes=["x", "y"], unit="recording")
    rows = labelled([*"xyx"], recording=["r2", "r1", "r1"], start=[0, 5, 9], end=[5, 9, 12])
    truth = task.format.read_reference(rows)
    listed = task.format.public_files(truth, {})
    assert listed == {"items.csv": b"id,recording,start,end\ni0,r2,0,5\ni1,r1,5,9\ni2,r1,9,12\n"}
    assert task.format.read_items(listed).ids == ("i0", "i1", "i2")
    assert task.units(truth)[:2] == ("recording", {"r2": "r2", "r1": "r1"})


# Rows, units and parts


def test_rows_are_units() -> None:
    truth, scores = draw(3, 40, 2)
    task, labels = make(classes=NAMES[:3]), [NAMES[n] for n in truth]
    speakers = [f"s{n % 5}" for n in range(len(truth))]
    files = labelled(labels, speaker=speakers)
    of_speakers = scored(task, files, submitted(NAMES[:3], scores))
    of_items = scored(task, labelled(labels), submitted(NAMES[:3], scores))
    assert of_speakers.statistics.units == [f"s{n}" for n in range(5)]
    assert (of_items.statistics.unit, len(of_items.statistics.units)) == ("item", 43)
    assert {key: of_speakers.scores[key] for key in of_speakers.intervals} == pytest.approx(
        {key: of_items.scores[key] for key in of_items.intervals}, abs=1e-12
    )
    reference = task.format.read_reference(files)
    assert task.format.rows(files)["labels.csv"][3] == "s1"
    assert task.format.item_rows(reference)["labels.csv"][3] == "i1"
    answers = task.format.read_submission(submitted(NAMES[:3], scores), reference.items)
    right = task.right(task.count(reference, answers))
    hits = scores.argmax(axis=1) == truth
    assert right == pytest.approx([hits[start::5].mean() for start in range(5)])


@pytest.mark.parametrize(
    ("declared", "names"),
    [
        ({"classes": NAMES[:3]}, NAMES[:3]),
        ({"target": "Hindi"}, ["score"]),
        ({"classes": NAMES[:2], "out_of_set": NAMES[2]}, NAMES[:2]),
    ],
)
def test_a_part_is_counted_by_itself(declared: dict[str, Any], names: Any) -> None:
    truth, scores = draw(3, 60, 3)
    task, scores = make(**declared), scores[:, : len(names)]
    reference = task.format.read_reference(labelled([NAMES[n] for n in truth]))
    answers = task.format.read_submission(submitted(names, scores), reference.items)
    places = list(range(5, 40))
    part = task.count(task.format.take_reference(reference, places), task.format.take(answers, places))
    own = scores_of(task, [NAMES[n] for n in truth[places]], names, scores[places])
    for score in task.scores:
        assert score.value(total(task.part(score, part))) == pytest.approx(own[score.key], abs=1e-12)
    lone = [int(np.flatnonzero(truth == 1)[0])]
    few = task.count(task.format.take_reference(reference, lone), task.format.take(answers, lone))
    with pytest.raises(ValueError, match="undefined"):
        task.primary.value(total(task.part(task.primary, few)))


def test_many_items_are_counted_in_groups() -> None:
    truth, scores = draw(3, 4 * MOST_ROWS, 4)
    task, labels = make(classes=NAMES[:3]), [NAMES[n] for n in truth]
    grouped = scored(task, labelled(labels), submitted(NAMES[:3], scores))
    halves = [f"s{n // 5}" for n in range(len(truth))]  # 801 speakers of independent items
    by_speaker = scored(task, labelled(labels, speaker=halves), submitted(NAMES[:3], scores))
    assert grouped.statistics.unit == "item group"
    assert 0.9 * MOST_ROWS < len(grouped.statistics.units) <= MOST_ROWS
    for key, interval in grouped.intervals.items():
        assert grouped.scores[key] == pytest.approx(by_speaker.scores[key], abs=1e-12)
        assert interval.standard_error == pytest.approx(by_speaker.intervals[key].standard_error, rel=0.15)
    rows = task.format.rows(labelled(labels))["labels.csv"]
    assert set(rows.values()) == set(grouped.statistics.units)


def test_the_interval_of_a_minimum_is_that_of_the_minimum_over_all_thresholds() -> None:
    """The jackknife of counts, against that of scores without each speaker."""
    truth, scores = draw(3, 400, 5)
    speaker = np.arange(len(truth)) % 20
    task, names = make(classes=NAMES[:3]), NAMES[:3]
    labels = np.array(names)[truth]
    whole = scored(task, labelled(labels, speaker=speaker), submitted(names, scores))
    without = [
        scores_of(task, labels[speaker != one], names, scores[speaker != one])["minimum_cavg"]
        for one in range(20)
    ]
    expected = math.sqrt(19 / 20 * ((np.array(without) - np.mean(without)) ** 2).sum())
    assert whole.intervals["minimum_cavg"].standard_error == pytest.approx(expected, rel=0.1)


def many_vertices() -> tuple[np.ndarray, np.ndarray]:
    """Targets and nontargets whose hull has hundreds of vertices: block after block, with more targets for each."""
    blocks = [(a, b) for a, b in product(range(32), repeat=2) if 0 < a + b < 32 and math.gcd(a, b) == 1]
    blocks.sort(key=lambda block: math.atan2(*block))
    assert len(blocks) > 250
    number = np.arange(len(blocks))
    return tuple(np.repeat(number, [block[side] for block in blocks]).astype(float) for side in (0, 1))


@pytest.mark.parametrize("noise", [0.0, 5.0])
@pytest.mark.parametrize("declared", [{"classes": ["own", "other"]}, {"target": "own"}])
def test_minimum_costs_are_those_of_the_trials_on_a_hull_of_any_size(declared: Any, noise: float) -> None:
    targets, nontargets = many_vertices()
    rng = np.random.default_rng(8)
    targets += noise * rng.normal(size=len(targets))
    nontargets += noise * rng.normal(size=len(nontargets))
    truth = np.repeat([0, 1], [len(targets), len(nontargets)])
    scores = np.stack([np.concatenate([targets, nontargets]), np.zeros(len(truth))], axis=1)
    names = declared.get("classes", ["score"])
    reference = labelled(np.array(["own", "other"])[truth], speaker=[f"s{n % 40}" for n in range(len(truth))])
    task = make(**declared, priors=[0.5, 0.1])
    found = scored(task, reference, submitted(names, scores[:, : len(names)]))
    assert found.scores["minimum_cllr"] == pytest.approx(minimum_cllr(targets, nontargets), rel=0, abs=1e-12)
    misses, accepted = (np.array(each) for each in zip(*points(targets, nontargets), strict=True))
    costs = [
        (one + beta * other).min()
        for beta in (1, 9)
        for one, other in ((misses, accepted), (accepted, misses))[: len(names)]
    ]
    assert found.scores["minimum_dcf"] == pytest.approx(np.mean(costs), rel=0, abs=1e-12)
    # Without the noise, the histograms of the units leave out vertices.
    rows = found.statistics.parts["trials"]
    nearly = detection_cost.minimum_cllr(total(rows)) - found.scores["minimum_cllr"]
    assert 0 <= nearly < 1e-4
    assert (nearly > 1e-9) == (not noise)
    for key in ("minimum_cllr", "minimum_dcf"):
        assert found.intervals[key].low < found.scores[key] < found.intervals[key].high


def test_trivial_baselines() -> None:
    """Equal differences of scores rank nothing, so the EER is 1/2. Equal scores: every detector accepts all."""
    settings = ({"classes": ["x", "y"]}, {"classes": ["x", "y", "z"]}, {"target": "x"})
    found = []
    for declared in settings:
        task = make(**declared)
        truth = task.format.read_reference(
            labelled([*"xxxy", *"zzzz"[: 4 * (len(declared.get("classes", ())) == 3)]])
        )
        chosen = Settings(choose_options(task, {}), True, Signature(task.name))
        found.append(
            {
                answer: score_submission(task, truth, guess(truth.items), chosen).scores[task.primary.key]
                for answer, guess in task.trivial.items()
            }
        )
    assert [scores["the same scores for every item"] for scores in found] == [50, 1, 50]
    assert (found[0]["x for every item"], found[0]["y for every item"]) == (50, 50)
    assert [len(scores) for scores in found] == [4, 5, 2]


# Parameters


@pytest.mark.parametrize("scores", ["likelihoods", "posteriors"])
def test_trivial_baselines_with_items_out_of_set(scores: str) -> None:
    """Rejecting all costs the prior of 0.3. One class throughout: for it 0.5 + 0.2, for the other class 0.3."""
    task = make(classes=["x", "y"], out_of_set="z", priors=0.3, scores=scores)
    truth = task.format.read_reference(labelled([*"xyzz"]))
    costs = {
        answer: task.primary.value(total(task.count(truth, guess(truth.items))["classes"]))
        for answer, guess in task.trivial.items()
    }
    assert (len(costs), costs["z for every item"]) == (4, pytest.approx(0.3))
    assert costs["x for every item"] == pytest.approx((0.5 + 0.2 + 0.3) / 2)
