"""The section of identification: what is chosen and what is detected."""

import numpy as np
import pytest

from tests.samples.report_pages import CONFUSIONS, section, tables

LANGUAGES = ["de", "hi"]


@pytest.mark.parametrize(
    ("scores", "given", "rows"),
    [
        ("likelihoods", [[-1, -2], [-3, -3], [-2, -1]], [["1", "0", "1"], ["0", "1", "0"]]),
        ("posteriors", [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]], [["1", "1"], ["0", "1"]]),
        # 0.6 / 0.9 is less than 0.4 / 0.1.
        (
            {"posteriors": {"de": 0.9, "hi": 0.1}},
            [[0.95, 0.05], [0.91, 0.09], [0.6, 0.4]],
            [["2", "0"], ["0", "1"]],
        ),
        (
            {"out_of_set": "other"},
            [[0.5, -1], [-0.1, -2], [1, 0.5], [-1, -0.5]],
            [["1", "0", "1"], ["0", "0", "0"], ["1", "0", "1"]],
        ),
    ],
)
def test_the_class_with_the_largest_likelihood_is_chosen(scores, given, rows):
    other = scores if "out_of_set" in scores else {"scores": scores}
    declared = {"kind": "identification", "classes": LANGUAGES, **other}
    submission = dict(zip(LANGUAGES, np.array(given, dtype=float).T, strict=True))
    labels = [0, 0, 2, 2] if "out_of_set" in scores else [0, 0, 1]
    found = tables(section(declared, {"label": labels}, submission))[CONFUSIONS]
    assert [row[1:-2] for row in found[1:]] == rows


@pytest.mark.parametrize(("scores", "equal"), [("likelihoods", 0), ("posteriors", 0.5)])
def test_a_target_is_detected_above_equal_likelihoods(scores, equal):
    declared = {"kind": "identification", "target": "spoof", "scores": scores}
    given = [equal + 0.1, equal - 0.1, equal + 0.2, equal]
    found = tables(section(declared, {"label": [0, 0, 1, 1]}, {"score": given}))
    assert found[CONFUSIONS] == [
        ["True class", "answered spoof", "answered other than spoof", "answered undecided", "all", "right"],
        ["spoof", "1", "1", "0", "2", "50.0 %"],
        ["other than spoof", "1", "0", "1", "2", "0.0 %"],
    ]
    # Of the thresholds that accept at most half of the two others, 0.1 misses one of two targets.
    assert [row[1] for row in found["Points on the curves"][1:]] == ["100.00"] * 4 + ["50.00"]
