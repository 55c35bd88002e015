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
    rows = [["id", column, *(["speaker"] if speakers else [])]]
    rows += [[f"r{n}", label, *([speakers[n]] if speakers else [])] for n, label in enumerate(labels)]
    return "".join(",".join(row) + "\n" for row in rows).encode()


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


def test_units_are_speakers_where_the_reference_has_them() -> None:
    task = make(classes=["a", "b", "c"], item="recording")
    named = task.format.read_reference({"labels.csv": table("label", ["a", "b"], ["s1", "s1"])})
    assert task.units(named) == ("speaker", {"r0": "s1", "r1": "s1"})
    unnamed = task.format.read_reference({"labels.csv": table("label", ["a", "b"])})
    assert task.units(unnamed).called == "recording"


def test_a_label_that_is_no_class_is_refused() -> None:
    task = make(classes=["no", "yes"], positive="yes")
    with pytest.raises(SubmissionError, match="'maybe'"):
        scores(task, ["no", "yes"], ["maybe", "yes"])
    with pytest.raises(ReferenceFileError, match="only one kind of item; expected both yes and no items"):
        scores(task, ["yes", "yes"], ["no", "yes"])
