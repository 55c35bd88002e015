"""Agreement of annotators, held against scikit-learn and krippendorff."""

import krippendorff
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from speechbundles.annotation.agreement import answer_agreement
from speechbundles.annotation.describe import sentences

ROUNDING = {"rel": 0, "abs": 1e-12}


def simulated(classes, seed, missing=0.2, names=str):
    """Answers of four annotators to 200 items as numbers from 0 or NaN, and as a frame."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, 200)
    codes = np.where(rng.random((4, 200)) < 0.7, truth, rng.integers(0, classes, (4, 200))).astype(float)
    codes[rng.random((4, 200)) < missing] = np.nan
    rows = [
        (f"a{who}", f"i{item}", "q", names(int(code)), 0)
        for who, row in enumerate(codes)
        for item, code in enumerate(row)
        if code == code
    ]
    return codes, pd.DataFrame(rows, columns=["annotator", "item", "question", "value", "time"])


@pytest.mark.parametrize(
    ("classes", "names", "weights", "level"),
    [
        (2, "xy".__getitem__, None, "nominal"),
        (4, "mnop".__getitem__, None, "nominal"),
        (5, str, "linear", "ordinal"),
    ],
)
def test_kappa_and_alpha_equal_independent_implementations(classes, names, weights, level):
    for seed in range(3):
        codes, answers = simulated(classes, seed, names=names)
        found = answer_agreement(answers, {}).set_index(["measure", "annotators"])["value"]
        for one, other in ((0, 1), (1, 3)):
            both = ~np.isnan(codes[[one, other]]).any(axis=0)
            pair = codes[[one, other]][:, both]
            kappa = "kappa, linear weights" if weights else "kappa"
            expected = cohen_kappa_score(*pair, weights=weights)
            assert found[kappa, f"a{one}, a{other}"] == pytest.approx(expected, **ROUNDING)
            equal = (pair[0] == pair[1]).mean()
            assert found["equal", f"a{one}, a{other}"] == pytest.approx(equal, **ROUNDING)
        alpha = krippendorff.alpha(codes, level_of_measurement=level)
        assert found[f"alpha, {level}", "all"] == pytest.approx(alpha, **ROUNDING)


def test_weights_are_distances_between_numbers():
    """Nobody gives 2: kappa of 1, 1, 3, 3.5 and 1, 3, 3, 3.5 is 1 - 2 / (23 / 4), by hand."""
    rows = [
        (who, f"i{n}", "q", v, 0)
        for who, vs in (("a", "1 1 3 3.5"), ("b", "1 3 3 3.5"))
        for n, v in enumerate(vs.split())
    ]
    frame = pd.DataFrame(rows, columns=["annotator", "item", "question", "value", "time"])
    first = answer_agreement(frame, {}).iloc[0]
    chance = sum(abs(a - b) for a in (1, 1, 3, 3.5) for b in (1, 3, 3, 3.5)) / 16
    assert first["value"] == pytest.approx(1 - 0.5 / chance, **ROUNDING)


def test_intervals_are_over_units_and_wider_than_over_items():
    """Each speaker's items have the same answers: ten of twenty speakers agree."""
    rows = [
        (who, f"s{s}-{n}", "q", "x" if who == "a" or s % 2 else "y", 0)
        for who in "ab"
        for s in range(20)
        for n in range(10)
    ]
    frame = pd.DataFrame(rows, columns=["annotator", "item", "question", "value", "time"])
    units = {item: item.partition("-")[0] for item in frame["item"]}
    both = (answer_agreement(frame, each) for each in (units, {}))
    by_speaker, by_item = (found.set_index("measure").loc["equal"] for found in both)
    assert (by_speaker["units"], by_item["units"], by_speaker["value"]) == (20, 200, 0.5)
    assert by_speaker["high"] - by_speaker["low"] > 2 * (by_item["high"] - by_item["low"])


def test_second_answers_and_free_text():
    codes, answers = simulated(3, 1, 0)
    again = answers[(answers["annotator"] == "a0") & (answers["item"].str.len() == 2)].assign(time=1)
    found = answer_agreement(pd.concat([answers, again]), {})
    assert found.set_index("annotators").loc["a0, again", "items"].tolist() == [10, 10]
    text = answers.assign(value=[f"text {n % 150}" for n in range(len(answers))])
    assert set(answer_agreement(text, {})["measure"]) == {"equal"}
    few = answer_agreement(answers[answers["item"].isin(["i0", "i1", "i2"])], {})
    assert few["low"].isna().all()
    assert few["value"].notna().all()
    assert codes.shape == (4, 200)


@pytest.mark.parametrize("value", ["yes", "3"])
def test_one_answer_to_everything_has_no_kappa_and_no_alpha(value):
    _, answers = simulated(2, 1, names=lambda code: value)
    found = answer_agreement(answers, {})
    assert (set(found["measure"]), set(found["value"])) == ({"equal"}, {1.0})
    assert "intervals: equal of q (a0, a1) 1.00" in sentences(pd.DataFrame(), found)[0]
