"""Spoofing-robust verification, and the variants of detection scores, against their definitions."""

import numpy as np
import pytest
from sklearn.metrics import roc_curve

import spokeneval
from spokeneval.formats.problems import ReferenceFileError
from spokeneval.kinds.declared import declared_task
from spokeneval.metrics.tandem import tandem_weights

DECLARED = {
    "kind": "identification",
    "target": "target",
    "classes": ["target", "other", "spoof"],
    "priors": {"target": 0.9, "other": 0.04, "spoof": 0.06},
    "costs": {"c_miss": 1, "other": 10, "spoof": 20},
    "tandem": {"miss": 0.02, "false_alarm": 0.03, "spoof": 0.4},
}
DETECTION = {"kind": "identification", "target": "target", "priors": 0.05, "costs": {"c_fa": 10}}


def trials(seed, decimals=2):
    rng = np.random.default_rng(seed)
    labels = rng.choice(DECLARED["classes"], 300)
    scores = np.round(rng.normal(size=(2, 300)) + np.array([labels == "target", labels != "spoof"]), decimals)
    return labels, scores


def scored(declared, labels, *columns):
    names = ("score", "countermeasure")[: len(columns)]
    answers = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return spokeneval.score(
        declared, [{"label": label, "speaker": f"s{n % 9}"} for n, label in enumerate(labels)], answers
    )


def rates(scores, target):
    thresholds = [*np.unique(scores), np.inf]
    return np.array(
        [[np.mean(scores[target] < each), np.mean(scores[~target] >= each)] for each in thresholds]
    )


def test_costs_of_three_classes_and_of_a_countermeasure():
    labels, (scores, bona_fide) = trials(1)
    found = scored(DECLARED, labels, scores, bona_fide).scores
    target, spoof = labels == "target", labels == "spoof"
    costs = [
        0.9 * np.mean(scores[target] < each)
        + 0.4 * np.mean(scores[labels == "other"] >= each)
        + 1.2 * np.mean(scores[spoof] >= each)
        for each in [*np.unique(scores), np.inf]
    ]
    assert found["a_dcf"] == pytest.approx(min(costs) / 0.9, rel=1e-12)
    constant, (of_miss, of_spoof) = tandem_weights([0.9, 0.04, 0.06], [1, 10, 20], DECLARED["tandem"])
    assert (constant, of_miss, of_spoof) == pytest.approx((0.018 + 0.012, 0.87, 0.48))
    tandem = (constant + rates(bona_fide, ~spoof) @ [of_miss, of_spoof]).min() / (constant + 0.48)
    assert found["t_dcf"] == pytest.approx(tandem, rel=1e-12)
    assert list(found) == ["a_dcf", "t_dcf", "eer"]
    without = {key: value for key, value in DECLARED.items() if key != "tandem"}
    assert scored(without, labels, scores).scores == {key: found[key] for key in ("a_dcf", "eer")}


@pytest.mark.parametrize("seed", range(5))
def test_equal_error_rates_and_costs_have_the_declared_definition(seed):
    """The nearest EER is that of scripts on `sklearn.metrics.roc_curve`; of two equally near points, either."""
    labels, (scores, _) = trials(seed, decimals=1 + seed % 2)
    target = labels == "target"
    found = {
        eer: scored({**DETECTION, "eer": eer}, labels, scores) for eer in ("hull", "crossing", "nearest")
    }
    false_alarms, hits, _ = roc_curve(target, scores, drop_intermediate=False)
    apart = np.abs(1 - hits - false_alarms)
    nearest = ((1 - hits + false_alarms) / 2)[np.isclose(apart, apart.min(), rtol=0, atol=1e-12)]
    assert np.isclose(nearest * 100, found["nearest"].scores["eer"], rtol=1e-12).any()
    crossing = np.interp(0, (false_alarms - (1 - hits)), false_alarms)
    assert found["crossing"].scores["eer"] == pytest.approx(100 * crossing, rel=1e-12)
    assert found["hull"].scores["eer"] <= found["crossing"].scores["eer"] + 1e-12
    assert [result.definition.primary.title for result in found.values()] == [
        "EER",
        "EER (crossing)",
        "EER (nearest)",
    ]
    plain = scored({**DETECTION, "dcf": "unnormalised"}, labels, scores)
    lowest = (rates(scores, target) @ [0.05, 10 * 0.95]).min()
    assert plain.scores["minimum_dcf"] == pytest.approx(lowest, rel=1e-12)
    assert found["hull"].scores["minimum_dcf"] == pytest.approx(lowest / 0.05, rel=1e-12)
    assert plain.scores["actual_dcf"] == pytest.approx(0.05 * found["hull"].scores["actual_dcf"], rel=1e-12)
    ends = (np.array(result.intervals["minimum_dcf"]) for result in (plain, found["hull"]))
    np.testing.assert_allclose(next(ends) / 0.05, next(ends), rtol=1e-6)


def test_a_trial_without_its_other_side_is_refused():
    task = declared_task("own", {**DECLARED, "tandem": None, "other_unit": "test"})
    rows = ["id,label,speaker,test", "1,target,a,x", "2,other,a,", "3,spoof,b,y"]
    with pytest.raises(ReferenceFileError, match=r"line 3 .*the test is empty"):
        task.format.read_reference({"labels.csv": "\n".join(rows).encode()})


def test_a_reference_has_trials_of_each_class():
    with pytest.raises(ReferenceFileError, match="no item is other"):
        scored(DECLARED, ["target", "spoof"], [1, 0], [1, 0])
