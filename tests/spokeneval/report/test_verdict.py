"""The verdict of a report page: better or worse than the baseline, or a rule that is broken."""

import random
import re

import numpy as np
import pytest

from spokeneval.challenges import find_task
from spokeneval.formats.format import Answers
from spokeneval.metrics.counts import total
from spokeneval.report.verdict import hidden_verdict, slips
from spokeneval.scoring.options import RELATIVE, SetFeedback, Settings, Signature
from spokeneval.scoring.reference import fingerprint
from spokeneval.scoring.scored import score_submission
from tests.samples.kinds import csv, make
from tests.samples.report_pages import page_of, run

CORRECTNESS = find_task("psst_correctness")


LABELS = [
    (f"u{session:02d}{item}", f"s{session:02d}", item < 2) for session in range(12) for item in range(4)
]
"""Responses with their session and class: in each of 12 sessions two correct and two incorrect ones."""


def judged(wrong) -> dict[str, bool]:
    """Return predictions that are wrong about these responses."""
    return {item: label != (item in wrong) for item, _, label in LABELS}


def f1_without(predictions, session: str = "") -> float:
    """Return F1 of the correct responses outside a session, as 2 TP / (2 TP + FP + FN)."""
    kept = [(label, predictions[item]) for item, other, label in LABELS if other != session]
    true = sum(label and predicted for label, predicted in kept)
    return 2 * true / (2 * true + sum(label != predicted for label, predicted in kept))


def verdict_on(folder, predictions, baseline, *, trivial=None) -> str:
    """Return the verdict on a page of predictions, compared with those of a baseline."""
    rows = ["utterance_id\tsession\tprompt\ttranscript\tcorrectness\taq_index"]
    rows += [f"{item}\t{session}\tcat\tK AE T\t{str(label).upper()}\t80" for item, session, label in LABELS]
    reference = {"utterances.tsv": "\n".join([*rows, ""]).encode()}
    known = fingerprint(reference)
    sessions = sorted({session for _, session, _ in LABELS})
    without = [f1_without(baseline, session) for session in sessions]
    score = f1_without(baseline)
    options = {
        "baselines": {known: {column.key: score for column in CORRECTNESS.columns}},
        "sets": {known: {"steps": {}, "trivial": trivial or {}}},
        "about": {known: {"set": "development", "baseline_without": without}},
    }
    lines = [f"{item}\t{str(predicted).upper()}" for item, predicted in predictions.items()]
    files = {"correctness.tsv": "\n".join(["utterance_id\tprediction", *lines, ""])}
    status, words, output = run(
        "psst_correctness", folder, public=True, files=files, reference=reference, options=options
    )
    assert status == 0, words
    assert ("Warning: Worse than a trivial baseline. " in words) == bool(trivial)
    markup, _ = page_of(output)
    (found,) = re.findall(r'<div class="(verdict[ a-z]*)">\n(.*?)</div>', markup, flags=re.DOTALL)
    return " ".join([found[0].strip(), *re.findall(r">([^<\n]+)<", found[1])])


SOME = {f"u{session:02d}{session % 4}" for session in range(0, 12, 2)}
"""One response in each of six sessions."""


@pytest.mark.parametrize(
    ("wrong", "of_baseline", "words"),
    [
        # The same six errors; the baseline has one more in eleven sessions.
        (SOME, SOME | {f"u{session:02d}{(session + 1) % 4}" for session in range(11)}, "verdict good Better"),
        (SOME | {f"u{session:02d}{(session + 1) % 4}" for session in range(11)}, SOME, "verdict bad Worse"),
        (SOME, SOME | {"u010"}, "verdict Not distinguishable from"),
        (SOME, SOME, "verdict Equal to the baseline. The scores are the same, and stay"),
    ],
)
def test_the_verdict_follows_from_the_paired_interval(tmp_path, wrong, of_baseline, words):
    found = verdict_on(tmp_path, judged(wrong), judged(of_baseline))
    assert found.startswith(f"{words} "), found
    difference = f1_without(judged(wrong)) - f1_without(judged(of_baseline))
    if wrong != of_baseline:
        (shown,) = re.findall(r"Difference from the baseline: ([-+]\d\.\d+), paired 95 % interval", found)
        digits = len(shown) - len("+0.")
        assert (shown, digits < 4) == (f"{difference:+.{digits}f}", True)
        assert "over 12 sessions" in found


def test_a_submission_below_a_trivial_baseline_is_told_so(tmp_path):
    better = judged(SOME), judged(SOME | {f"u{session:02d}{(session + 1) % 4}" for session in range(11)})
    found = verdict_on(tmp_path, *better, trivial={"everything <correct>": 0.9876, "nothing": 0.1})
    assert found == (
        "verdict bad Worse than a trivial baseline. “everything &lt;correct&gt;” needs no system and has 0.99."
    )


def test_a_broken_rule_is_the_verdict_with_its_figures(tmp_path):
    header = "Id\tPrompt\tWavfile\tRecResult\tTranscription\tlanguage\tmeaning"
    rows = [f"{n}\tp\tw\tr\tt\t{'correct' if n < 5 else 'incorrect'}\tcorrect" for n in range(10)]
    reference = {"reference.csv": "\n".join([header, *rows, ""]).encode()}
    lines = [f"{n}\t{'accept' if n < 2 else 'reject'}" for n in range(10)]
    files = {"results.csv": "\n".join(["Id\tAccept", *lines, ""])}
    status, words, output = run("spoken_call", tmp_path, public=True, files=files, reference=reference)
    assert status == 0, words
    rule = "Breaks the 50 % rule: 60.0 % of the correct responses rejected (3 of 5), at most 50 % allowed."
    assert rule in page_of(output)[0]


DRAW = random.Random(60)
IDS = [str(number) for number in range(1, 61)]
"""Ids whose order by number is not that of their text."""
TRUE = [DRAW.choice("ab") for _ in IDS]
SAID = [" ".join(DRAW.choices("abcdefghij", k=4)) for _ in IDS]
TARGET = make("identification", target="a")
CLASSES = make("decisions", classes=["a", "b"], positive="a")
WORDS = make("transcripts", normalise=[])


def examined(task, files, values):
    """Return what explains the score of these values, in the order of the reference's rows."""
    reference = task.format.read_reference(files)
    columns = next(iter(task.trivial.values()))(reference.items).columns
    given = values if isinstance(values, dict) else dict.fromkeys(columns, values)
    kind = object if files is TEXTS else None
    answers = Answers(reference.items, {column: np.array(each, kind) for column, each in given.items()})
    known = {
        name: value_of(task, reference, answer(reference.items)) for name, answer in task.trivial.items()
    }
    settings = Settings({}, True, Signature("own", {}, False), SetFeedback({}, None, known))
    return slips(task, reference, answers, score_submission(task, reference, answers, settings), settings)


def value_of(task, reference, answers):
    return float(task.primary.value(total(task.part(task.primary, task.count(reference, answers)))))


LABELLED = {"labels.csv": csv(id=IDS, label=TRUE)}
TEXTS = {"transcripts.csv": csv(id=IDS[::-1], transcript=SAID[::-1])}
SCORES = [2.0 * (label == "a") - 1 + DRAW.uniform(-0.9, 0.9) for label in TRUE]
WORDS_OF = [text.split() for text in SAID]


def test_opposite_signs_and_shifted_rows_explain_a_weak_score():
    assert examined(TARGET, LABELLED, SCORES) == []
    assert examined(TARGET, LABELLED, [-score for score in SCORES]) == [
        "With the opposite sign, EER (%) would be 0.0000"
    ]
    classes = [int(label == "b") for label in TRUE]
    assert examined(CLASSES, LABELLED, classes) == []
    assert examined(CLASSES, LABELLED, [1 - number for number in classes]) == [
        "With a and b swapped, F1 would be 1.0000"
    ]
    shifted = WORDS_OF[-1:] + WORDS_OF[:-1]  # item 2 has the answer to item 1
    assert examined(WORDS, TEXTS, WORDS_OF[::-1]) == []
    assert examined(WORDS, TEXTS, shifted[::-1]) == [
        "Each answer fits the item above better: with all rows shifted by one, WER (%) would be 0.0000"
    ]


def test_a_change_that_makes_no_answers_hides_no_other():
    """Classes cannot be exchanged with ratings."""
    questions = {
        "class": {"kind": "decisions", "classes": ["a", "b", "c"]},
        "pace": {"kind": "scores", "scale": [0, 1]},
    }
    task, pace = make("several", questions=questions), [round(DRAW.random(), 3) for _ in IDS]
    files = {"labels.csv": csv(**{"id": IDS, "class": TRUE, "pace": pace})}
    shifted = {
        "class": [int(label == "b") for label in TRUE[-1:] + TRUE[:-1]],
        "pace": pace[-1:] + pace[:-1],
    }
    assert examined(task, files, shifted) == [
        "Each answer fits the item above better: with all rows shifted by one, Mean Pearson r would be 1.0000"
    ]


@pytest.mark.thorough
def test_of_useless_answers_at_most_one_in_a_hundred_is_explained():
    rng = np.random.default_rng(60)
    found = [examined(TARGET, LABELLED, rng.normal(size=60)) for _ in range(150)]
    found += [examined(WORDS, TEXTS, [WORDS_OF[row] for row in rng.permutation(60)]) for _ in range(50)]
    assert sum(map(bool, found)) <= 2


@pytest.mark.parametrize(
    ("floor", "words", "reason"),
    [
        (4.0, "Better than the baselines.", "has 4.0. The score is 2 steps better. A step is 25 %."),
        (0.0, "Better than the baselines.", "has 0.0. A step is 25 %."),
        (
            6.3,
            "Not better than the baselines.",
            "the trivial baselines, or that breaks the rule, is shown with 6.3",
        ),
    ],
)
def test_steps_of_25_per_cent_above_a_hidden_floor(floor, words, reason):
    task = find_task("spoken_call")
    feedback = SetFeedback({"d_full": RELATIVE}, {"d_full": floor}, broken="breaks the rule")
    settings = Settings({}, False, Signature(task.name, coarse=True), feedback)
    verdict = hidden_verdict(task, {"d_full": 6.3}, settings)
    assert verdict.words == words
    assert reason in verdict.reason
