"""Tests of MERLIon CCS, Task 1: scores by hand, and segment ids."""

import math

import numpy as np
import pytest

from spokeneval.challenges.merlion_identification import (
    TASK,
    actual_cost,
    balanced_accuracy_per_recording,
    difference_trials,
    segment_costs,
)
from spokeneval.formats.segment_scores import given_scores
from spokeneval.metrics import identification
from spokeneval.metrics.counts import taken, total
from tests.samples.merlion_identification import GOLD, HEADER, ONE, TWO, labels
from tests.samples.programs import encoded, run_score

FORMAT = TASK.format


def score(folder, gold, prediction):
    return run_score(TASK.name, folder, {"labels.csv": gold}, {"prediction.txt": prediction})


def test_every_column_of_a_small_set_by_hand(tmp_path):
    # Trials pooled: targets .9 .8 .7 .5 .3, nontargets .6 .5 .4 .2 .1. Points (false alarm, miss): (0, .4) above .6,
    # (.4, .2) from .5 on, (.6, 0) from .3 on. (.4, .2) lies above the line from (0, .4) to (.6, 0), where miss = false
    # alarm at x = .4 - x / 1.5, x = .24.
    # One trial a segment: English .8 .4 0, Mandarin .3 -.5. Points (0, 1/3) above .3, (1/2, 1/3) from .3 on, (1/2, 0)
    # from 0 on. The line from (0, 1/3) to (1/2, 0): x = 1/3 - 2x/3, x = .2. Through all points: x = 1/3.
    for name, prediction in (("one", ONE), ("two", TWO)):
        run = score(tmp_path / name, GOLD, prediction)
        expected = {
            "eer": 24,
            "balanced_accuracy": 75,  # English 3 of 3 (a tie is English), Mandarin 1 of 2
            "eer_plan": 20,
            "eer_interpolated": 100 / 3,
            "balanced_accuracy_per_recording": 75,  # x 1, y (1 + 0) / 2
            "english_recall": 100,
            "mandarin_recall": 50,
        }
        found = [run.scores[key] for key in expected]
        np.testing.assert_allclose(found, list(expected.values()), rtol=0, atol=1e-12)


def test_the_plans_eer_decides_and_the_scripts_if_the_organiser_chooses_it(tmp_path):
    # 20 and 24 of the same answers, see above. Only the deciding score has its interval in the file.
    for options, first, value in (({}, "eer_plan", 20), ({"primary": "eer"}, "eer", 24)):
        run = run_score(
            TASK.name, tmp_path / first, {"labels.csv": GOLD}, {"prediction.txt": ONE}, {"options": options}
        )
        assert next(iter(run.scores)) == first
        assert run.scores[first] == pytest.approx(value, rel=0, abs=1e-12)
        assert [key for key in run.scores if key.endswith("_low")] == [f"{first}_low"]
        assert ("|primary:eer|" in run.stdout) == bool(options)
    titles = {score.key: score.title for score in TASK.scores}
    assert (titles["eer_plan"], titles["eer"]) == ("EER", "EER, pooled (script)")


def test_exact_doubles_decide(tmp_path):
    gold = labels(("x", "a1", 0, 9, "English"), ("x", "a2", 9, 19, "Mandarin"))
    run = score(tmp_path, gold, "x_a1_0_9 1e300 -1e300\nx_a2_9_19 1e-300 1.0000000000000002e-300\n")
    assert (run.scores["balanced_accuracy"], run.scores["eer_plan"]) == (100, 0)
    run = score(tmp_path, gold, "x_a1_0_9 1.7e308 -1.7e308\nx_a2_9_19 -0.0 0\n")
    assert run.scores["mandarin_recall"] == 0  # a tie is English


OFFICIAL = "TTS_P91182TT_VCST_ECxxx_01_AO_48503281_v001_R004_CRR_MERLion-CCS"


SHORT = HEADER.replace(",overlap_diff_lang,dev_eval_status", "")
LABELS = {
    "as distributed": (HEADER, "1170,2750,1580,English,False,Development"),
    "fractions": (HEADER, "1170.0,2750.5,1580.5,English,FALSE,"),
    "without the last two columns": (SHORT, "1170,2750,1580,English"),
    "BOM, CRLF, no length": ("\ufeffAudio_name,UTT_ID,start,end,language_tag\r\n", "1170,2750,English\r"),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels_drop_in_unchanged_and_give_the_plans_id(case):
    header, row = LABELS[case]
    text = f"{header}{OFFICIAL}.wav,a1,{row}\n{OFFICIAL}.wav,b1,{row.replace('English', 'Mandarin')}\n"
    reference = FORMAT.read_reference(encoded({"labels.csv": text.encode()}))
    start, end = row.split(",")[:2]
    assert reference.items.ids[0] == f"{OFFICIAL}_a1_{start}_{end}"


def test_the_plans_trials_need_both_languages():
    rows = "x.wav,a,0,9,English\ny.wav,b,0,9,Mandarin\ny.wav,c,9,12,English\n"
    files = encoded({"labels.csv": f"audio_name,utt_id,start,end,language_tag\n{rows}"})
    reference = FORMAT.read_reference(files)
    answers = given_scores(reference.items, np.array([2.0, 1, 0]), np.array([0.0, 2, 1]))
    # Targets 2 2 0, nontargets 0 1 1: points (false alarm, miss) (0, 1/3) and (1, 0), and miss = false alarm at 1/4.
    for places, eer in (([0, 1, 2], 25), ([0], 0)):
        counts = TASK.count(FORMAT.take_reference(reference, places), FORMAT.take(answers, places))
        assert TASK.ranked_by("eer").primary.value(total(counts["pooled"])) == eer
    for score in (score for score in TASK.scores if score.of in ("differences", "classes")):
        if score.key != "english_recall":
            with pytest.raises(ValueError, match="is undefined"):
                score.value(total(counts[score.of]))


def costs_of(labels, english, mandarin=0.0, recording=0):
    labels = np.array(labels)
    columns = np.broadcast_arrays(np.array(english, float), mandarin, np.zeros(len(labels)) + recording)
    return segment_costs(labels, np.stack(columns[:2], axis=1), columns[2].astype(int))


def test_detection_costs_by_hand():
    # log 9 is 2.197. English 3, 1, 0: missed at 1 none, at 9 two; taken for Mandarin at 1 the tie, at 9 none. Mandarin
    # -3, 2.5: missed at 1 and at 9 one; taken for English at 1 and at 9 one.
    costs = total(costs_of([0, 0, 0, 1, 1], [3, 1, 0, -3, 2.5]))
    assert costs.misses.tolist() == [[0, 2], [1, 1]]
    assert costs.false_alarms.tolist() == [[1, 0], [1, 1]]
    english = (0 + 1 / 2) + (2 / 3 + 9 / 2)
    mandarin = (1 / 2 + 1 / 3) + (1 / 2 + 9 * 0)
    assert actual_cost(costs) == pytest.approx((english + mandarin) / 4, rel=0, abs=1e-12)


def test_the_costs_of_probabilities_end_far_from_0():
    # A perfect system: 1 and 0. Its ratio of e is far from the threshold log 9, so that all is missed there.
    costs = total(costs_of([0, 0, 1], [1, 1, 0], [0.0, 0, 1]))
    cllr = identification.class_cllr(costs)
    assert cllr == pytest.approx(math.log2(1 + math.exp(-1)), rel=1e-12)
    assert (round(cllr, 2), actual_cost(costs)) == (0.45, 0.5)  # as the descriptions state


def test_balanced_accuracy_per_recording_leaves_out_recordings_of_one_language():
    # 0: English 1/1, Mandarin 0/1, so 1/2. 1: English 1/2, Mandarin 1/1, so 3/4. 2: English only, left out.
    rows = costs_of([0, 0, 0, 0, 1, 1], [1, 1, 0, 0, 0, 1], [0.0, 0, 1, 1, 1, 1], [1, 0, 1, 2, 1, 0])
    assert (rows.items.tolist(), rows.hits.tolist()) == ([[1, 1], [2, 1], [1, 0]], [[1, 0], [1, 1], [0, 0]])
    assert (rows.mixed_recordings.tolist(), rows.mixed_accuracy.tolist()) == ([1, 1, 0], [0.5, 0.75, 0])
    assert balanced_accuracy_per_recording(total(rows)) == 0.625
    assert balanced_accuracy_per_recording(taken(rows, np.array([0, 1]))).tolist() == [0.5, 0.75]
    assert balanced_accuracy_per_recording(total(taken(rows, np.array([0, 2])))) == 0.5
    # Without a recording of both languages it is pooled: English 1 of 1, Mandarin 1 of 2.
    assert (
        balanced_accuracy_per_recording(total(costs_of([0, 1, 1], [1, 1, 0], [0.0, 0, 1], [0, 1, 1]))) == 0.75
    )


def test_differences_that_overflow_are_ranked_by_hand():
    huge = [(1.7e308, -1.7e308), (1.7e308, -1e308), (1e308, -1.7e308)]
    scores = [*huge, (5, 1), (1, 5), (2, -2), (-1.7e308, 1.7e308), (-1e308, 1e308)]
    targets, nontargets = difference_trials((np.arange(8) == 2) * 1, scores)
    assert (targets.tolist(), nontargets.tolist()) == ([5, 4, 3, 2, 3, 0, 1], [4])
