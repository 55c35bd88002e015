"""Tests of PSST Task B: scores by hand, and the smallest sheet."""

import pytest

from spokeneval.challenges.psst_correctness import TASK
from tests.samples.programs import encoded, run_score

HEADER = "utterance_id\tsession\ttest\tprompt\ttranscript\tcorrectness\taq_index\tduration_frames\tfilename\n"


def gold(*correct):
    return HEADER + "".join(
        f"u{i}\ts\tBNT\tcat\tK AE T\t{str(bool(c)).upper()}\t71.5\t16000\tu{i}.wav\n"
        for i, c in enumerate(correct, 1)
    )


# By hand: of the correct u1-u4, u1-u3 are predicted true (tp 3, fn 1); of the incorrect u5-u10, u5 and u6 (fp 2, tn 4).
# There is only one session, so no interval can be computed, and its ends are the score.
GOLD = gold(*[1] * 4, *[0] * 6)
PREDICTED = {
    "some": (
        (1, 1, 1, 0, 1, 1, 0, 0, 0, 0),
        (6 / (6 + 2 + 1), 3 / 5, 3 / 4, 7 / 10, (3 / 4 + 4 / 6) / 2, (3 * 4 - 2 * 1) / 600**0.5, 4 / 6),
    ),
    # No true positive: F1 0; nothing predicted correct: precision 0; the six incorrect ones are right.
    "none": ((0,) * 10, (0, 0, 0, 0.6, 0.5, 0, 1)),
    "all": ((1,) * 10, (8 / (8 + 6), 4 / 10, 1, 4 / 10, 0.5, 0, 0)),
}


@pytest.mark.parametrize("case", PREDICTED)
def test_scores_of_a_hand_calculation(tmp_path, case):
    predictions, expected = PREDICTED[case]
    rows = "".join(f"u{i}\t{'true' if p else 'false'}\n" for i, p in enumerate(predictions, 1))
    answers = {"correctness.tsv": "utterance_id\tprediction\n" + rows}
    run = run_score("psst_correctness", tmp_path, {"utterances.tsv": GOLD}, answers)
    assert run.status == 0, run.stderr
    assert list(run.scores.values()) == pytest.approx([*expected, expected[0], expected[0]], rel=0, abs=1e-12)


def test_a_sheet_of_two_columns_is_a_reference():
    sheet = "utterance_id\tcorrectness\nu1\ttrue\nu2\tFalse\nu3\tFALSE\n"
    reference = TASK.format.read_reference(encoded({"utterances.tsv": sheet}))
    assert reference["correctness"].tolist() == [1, 0, 0]
