"""The verdict of a report page: better or worse than the baseline, or a rule that is broken."""

import re

import pytest

from spokeneval.challenges import find_task
from spokeneval.scoring.reference import fingerprint
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
