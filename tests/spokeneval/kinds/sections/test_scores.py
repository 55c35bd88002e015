"""The sections of scores: their shift, and a second rater."""

import pytest

from tests.samples.report_pages import section, tables


def test_the_shift_of_scores_is_at_each_human_score_or_in_bands():
    reference, submission = {"score": [1.0, 1.0, 3.0, 6.0]}, {"score": [1.5, 2.0, 2.5, 6.0]}
    for step, names in ((1, ["1", "3", "6", "all"]), (None, ["1 to 2", "3 to 4", "5 to 6", "all"])):
        declared = {"kind": "scores", "scale": [1, 6], **({"step": step} if step else {})}
        (found,) = tables(section(declared, reference, submission)).values()
        assert [row[0] for row in found[1:]] == names
        assert [row[1:] for row in found[1:]] == [
            ["+0.750", "1.750", "2"],
            ["-0.500", "2.500", "1"],
            ["+0.000", "6.000", "1"],
            ["+0.250", "3.000", "4"],
        ]


@pytest.mark.parametrize(("step", "called"), [(0.5, "Quadratic κ"), (None, "CCC")])
def test_two_raters_are_compared_in_the_steps_of_the_scale(step, called):
    """1 - 4 * 3 / 68 in half points, as scikit-learn's `cohen_kappa_score` with the labels 2 to 12; CCC is the same."""
    human, second = [1.0, 1.5, 2.5, 3.0, 3.0], [1.5, 1.5, 3.0, 2.5, float("nan")]
    declared = {"kind": "scores", "scale": [1, 6], "second": "other", **({"step": step} if step else {})}
    found = tables(section(declared, {"score": human, "other": second}, {"score": human}))
    assert found["Second human scores"][2] == [f"{called} of the two raters", "0.8235"]
