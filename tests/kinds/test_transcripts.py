"""Transcripts in words and characters, declared by parameters, from files to scores."""

from __future__ import annotations

from typing import Any

import pytest

from spokeneval.formats.files import Files
from spokeneval.formats.problems import ReferenceFileError, SubmissionError
from spokeneval.kinds.declared import KINDS
from spokeneval.kinds.kind import ParameterError, read_parameters
from spokeneval.metrics.counts import total
from spokeneval.task import Task


def make(**declared: Any) -> Task:
    kind = KINDS["transcripts"]
    return kind.make("kids_asr", "Children's speech", **read_parameters(kind, declared))


def scores(task: Task, reference: str, submission: str) -> dict[str, float]:
    truth = task.format.read_reference({"transcripts.csv": reference.encode()})
    answers = task.format.read_submission(Files({"transcripts.csv": submission.encode()}), truth.items)
    counts = {part: total(rows) for part, rows in task.count(truth, answers).items()}
    return {score.key: round(score.value(task.part(score, counts)), 4) for score in task.scores}


def test_words_with_several_references() -> None:
    """u1: "the cat" has 1 error in 2 words, "a cat sat" 1 in 3, which counts. u2: 1 of 1. u3: no words, 1 insertion."""
    reference = "id,transcript\nu1,the cat\nu2,yes\nu1,a cat sat\nu3,\n"
    found = scores(make(), reference, "id,transcript\nu3,uh\nu1,a cat sad\nu2,no\n")
    # Errors: 1 + 1 + 1 in 3 + 1 words. Characters: "sat"/"sad" 1 of 9, "yes"/"no" 3 of 3, "uh" 2.
    assert found == {
        "wer": 75.0,
        "substitutions": 50.0,
        "deletions": 0.0,
        "insertions": 25.0,
        "wrong": 100.0,
        "mean_wer": round(100 * (1 / 3 + 1 + 1) / 3, 4),
        "cer": 50.0,
    }


def test_rules_hold_for_both_sides() -> None:
    task = make(normalise=["casefold", "drop_punctuation", {"drop": ["uh"]}])
    reference = 'id,transcript\nu1,"Well, I see!"\n'
    assert scores(task, reference, "id,transcript\nu1,uh well i see\n")["wer"] == 0


def test_characters_without_white_space() -> None:
    found = scores(make(units="characters"), "id,transcript\nu1,今天 天气\n", "id,transcript\nu1,今 天天汽\n")
    assert (found["cer"], found["substitutions"], next(iter(found))) == (25.0, 25.0, "cer")


def test_a_clipped_mean() -> None:
    reference, submission = "id,transcript\nu1,a\nu2,b\n", "id,transcript\nu1,x y z\nu2,b\n"
    assert scores(make(), reference, submission)["mean_wer"] == 150
    assert scores(make(clip=1), reference, submission)["mean_wer"] == 50


def test_units_and_item_list() -> None:
    task = make(item="utterance")
    truth = task.format.read_reference(
        {"transcripts.csv": b"id,transcript,speaker\nb,x,s1\na,y,s2\nb,z,s1\n"}
    )
    assert task.units(truth) == ("speaker", {"b": "s1", "a": "s2"})
    assert task.format.public_files(truth, {}) == {"items.csv": b"id\na\nb\n"}


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("id,transcript\nu1,\nu2,\n", "0 words in 2 transcripts"),
        (
            "id,transcript,speaker\nu1,a,s1\nu1,b,s2\n",
            "another speaker than on line 2; expected one per item",
        ),
        ("id,transcript\n,a\n", "the id is empty"),
    ],
)
def test_a_reference_that_cannot_be_used_is_refused(reference: str, message: str) -> None:
    with pytest.raises(ReferenceFileError, match=message):
        scores(make(), reference, "id,transcript\nu1,a\n")


def test_a_submission_has_each_item_once() -> None:
    with pytest.raises(SubmissionError, match="u1 already appears on line 2"):
        scores(make(), "id,transcript\nu1,a\n", "id,transcript\nu1,a\nu1,b\n")


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"units": "phones"}, "units: 'phones'; expected words or characters"),
        ({"clip": 2}, "clip: 2; expected 1"),
        ({"normalise": ["upper"]}, "normalise: no rule 'upper'"),
        ({"normalize": []}, "unknown parameter; did you mean normalise"),
    ],
)
def test_bad_parameters_are_refused_by_their_name(declared: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make(**declared)
