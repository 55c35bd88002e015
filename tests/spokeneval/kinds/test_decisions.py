"""Decisions between classes, declared by parameters, from files to scores."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sklearn

from spokeneval.formats.problems import ReferenceFileError, SubmissionError
from spokeneval.kinds.declared import declared_task
from tests.samples import kinds

make = partial(kinds.make, "decisions")


def table(column: str, labels: list[str], speakers: list[str] | None = None) -> bytes:
    columns = {column: labels, **({"speaker": speakers} if speakers else {})}
    return kinds.csv(id=[f"r{n}" for n in range(len(labels))], **columns)


def scores(task: Any, truth: list[str], answers: list[str]) -> dict[str, float]:
    files = {"labels.csv": table("label", truth)}, {"decisions.csv": table("label", answers)}
    return kinds.scores_of(task, *files)


@pytest.mark.parametrize("classes", [["no", "yes"], ["हाँ", "नहीं", "शायद"]])
def test_scores_equal_scikit_learn(classes: list[str]) -> None:
    rng = np.random.default_rng(1)
    truth = rng.choice(classes, 300).tolist()
    answers = [label if rng.random() < 0.7 else str(rng.choice(classes)) for label in truth]
    two = {"positive": classes[1]} if len(classes) == 2 else {}
    task = make(classes=classes, **two)
    found = scores(task, truth, answers)
    assert task.primary.key == ("f1" if two else "macro_f1")
    declaration = {"kind": "decisions", "classes": classes, **two, "primary": "uar"}
    uar = declared_task("own", declaration).primary
    f1 = {"pos_label": classes[1]} if two else {"average": "macro"}
    expected = {
        task.primary.key: sklearn.f1_score(truth, answers, **f1),
        "accuracy": sklearn.accuracy_score(truth, answers),
        "balanced_accuracy": sklearn.balanced_accuracy_score(truth, answers),
        uar.key: sklearn.recall_score(truth, answers, average="macro"),
        "matthews": sklearn.matthews_corrcoef(truth, answers),
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_kappa_of_classes_in_order_is_over_the_speakers_that_pool_decides(weights: str) -> None:
    """Votes counted by hand, then scikit-learn: of equal votes, the milder class, which is declared first, wins."""
    rng, stages = np.random.default_rng(3), ["leicht", "mittel", "schwer"]
    speakers = [f"S{n // 4}" for n in range(160)]
    of_speaker = {speaker: rng.integers(3) for speaker in dict.fromkeys(speakers)}
    truth = [of_speaker[speaker] for speaker in speakers]
    answers = [int(np.clip(label + rng.integers(-1, 2), 0, 2)) for label in truth]
    votes = {speaker: [0, 0, 0] for speaker in of_speaker}
    for speaker, answer in zip(speakers, answers, strict=True):
        votes[speaker][answer] += 1
    decided = [own.index(max(own)) for own in votes.values()]
    task = make(classes=stages, pool="vote", weights=weights)
    labels = table("label", [stages[label] for label in truth], speakers)
    given = {"decisions.csv": table("label", [stages[answer] for answer in answers])}
    expected = sklearn.cohen_kappa_score(list(of_speaker.values()), decided, weights=weights)
    found = kinds.scores_of(task, {"labels.csv": labels}, given)
    assert found["kappa"] == pytest.approx(expected, abs=1e-12)
    assert "kappa" not in kinds.scores_of(make(classes=stages, pool="vote"), {"labels.csv": labels}, given)


def test_units_are_speakers_where_the_reference_has_them() -> None:
    task = make(classes=["a", "b", "c"], item="recording")
    named = task.format.read_reference({"labels.csv": table("label", ["a", "b"], ["s1", "s1"])})
    assert task.units(named)[:2] == ("speaker", {"r0": "s1", "r1": "s1"})
    unnamed = task.format.read_reference({"labels.csv": table("label", ["a", "b"])})
    assert task.units(unnamed).called == "recording"


def test_a_label_that_is_no_class_is_refused() -> None:
    task = make(classes=["no", "yes"], positive="yes")
    with pytest.raises(SubmissionError, match="'maybe'"):
        scores(task, ["no", "yes"], ["maybe", "yes"])
    with pytest.raises(ReferenceFileError, match="only one kind of item; expected both yes and no items"):
        scores(task, ["yes", "yes"], ["no", "yes"])


# Units of several items

SPEAKERS = [f"P{n // 3}" for n in range(120)] + ["lone"]


def made(classes: list[str]) -> tuple[np.ndarray, list[str], list[str]]:
    """The class of each of 41 speakers, their recordings' labels, and answers with errors and ties."""
    rng = np.random.default_rng(5)
    truth = rng.choice(classes, 41)
    labels = [*np.repeat(truth[:40], 3), truth[40]]
    answers = [str(label if rng.random() < 0.5 else rng.choice(classes)) for label in labels]
    return truth, labels, answers


@pytest.mark.parametrize("classes", [["no", "yes"], ["हाँ", "नहीं", "शायद"]])
def test_votes_are_scored_by_speaker(classes: list[str]) -> None:
    """Against scikit-learn of the most frequent answer of each speaker; of equals the first of `classes`."""
    truth, labels, answers = made(classes)
    answers[:3] = classes[-1], classes[0], classes[-1]
    answers[-1] = classes[-1]
    two = len(classes) == 2
    task = make(classes=classes, pool="vote", item="recording", **({"positive": classes[1]} if two else {}))
    files = {"labels.csv": table("label", labels, SPEAKERS)}, {"decisions.csv": table("label", answers)}
    found = kinds.scores_of(task, *files)
    votes = [answers[start : start + 3] for start in range(0, 120, 3)] + [answers[-1:]]
    pooled = [max(classes, key=each.count) for each in votes]  # the first of equals
    assert two or any(len(set(each)) == 3 for each in votes)
    f1 = {"pos_label": classes[1]} if two else {"average": "macro"}
    expected = {
        task.primary.key: sklearn.f1_score(truth, pooled, **f1),
        "accuracy": sklearn.accuracy_score(truth, pooled),
        "balanced_accuracy": sklearn.balanced_accuracy_score(truth, pooled),
        "matthews": sklearn.matthews_corrcoef(truth, pooled),
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-12)
    reference, submission = kinds.read(task, *files)
    assert task.units(reference)[:2] == ("speaker", {name: name for name in dict.fromkeys(SPEAKERS)})
    assert len(task.right(task.count(reference, submission))) == 41


def test_means_of_scores_are_held_against_the_threshold() -> None:
    """Means 0.75, 0.7 (in doubles a little less than 0.7 by plain sums) and 0.6 against 0.7."""
    scores = ["0.5", "1", "0.9", "0.4", "0.8", "0.6"]
    speakers = [*"aabbbc"]
    task = make(classes=["no", "yes"], positive="yes", pool="mean", threshold=0.7, unit="speaker")
    files = (
        {"labels.csv": table("label", ["yes"] * 5 + ["no"], speakers)},
        {"decisions.csv": table("score", scores)},
    )
    found = kinds.scores_of(task, *files)
    assert (found["recall"], found["specificity"]) == (1, 1)
    assert set(task.trivial) == {"no for every item", "yes for every item", "classes at random"}
    reference, _ = kinds.read(task, *files)
    for answer, recall in (("no", 0), ("yes", 1)):
        counts = task.count(reference, task.trivial[f"{answer} for every item"](reference.items))
        assert counts["predictions"].true_positives.tolist() == [recall, recall, 0]
    with pytest.raises(SubmissionError, match=r"line 3 .*score 'yes'; expected a finite"):
        kinds.read(task, files[0], {"decisions.csv": table("score", [*scores[:1], "yes", *scores[2:]])})


def test_units_of_several_classes_are_problems_of_the_reference() -> None:
    task = make(classes=["no", "yes"], positive="yes", pool="vote")
    labels = ["yes", "no", "no", "no", "maybe"]
    with pytest.raises(ReferenceFileError) as refused:
        task.format.read_reference({"labels.csv": table("label", labels, ["a", "b", "a", "a", "b"])})
    lines = [(problem.code, problem.line) for problem in refused.value.problems]
    assert lines == [("unknown_value", 6), ("several_classes", 4), ("several_classes", 5)]
    assert "speaker a is no here, but yes on line 2; expected one class" in str(refused.value)
    with pytest.raises(ReferenceFileError, match="no 'speaker', by which `pool` joins items"):
        task.format.read_reference({"labels.csv": table("label", ["yes", "no"])})
    patients = make(classes=["no", "yes"], positive="yes", pool="vote", unit="patient")
    with pytest.raises(ReferenceFileError, match=r"line 3 .*the patient is empty; expected one in every row"):
        patients.format.read_reference({"labels.csv": b"id,label,patient\na,yes,p\nb,no,\n"})


def test_parts_of_pooled_decisions_are_counted_by_themselves() -> None:
    task = make(classes=["no", "yes"], positive="yes", pool="vote")
    _, labels, answers = made(["no", "yes"])
    files = {"labels.csv": table("label", labels, SPEAKERS)}, {"decisions.csv": table("label", answers)}
    reference, submission = kinds.read(task, *files)
    places = [*range(30, 60)]
    part = task.count(task.format.take_reference(reference, places), task.format.take(submission, places))
    whole = task.count(reference, submission)
    assert part["predictions"].true_positives.tolist() == whole["predictions"].true_positives[10:20].tolist()
    assert task.format.rows(files[0])["labels.csv"][2] == "P0"
    assert task.format.item_rows(reference)["labels.csv"][2] == "r0"
