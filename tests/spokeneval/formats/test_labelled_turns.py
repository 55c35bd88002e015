"""Files of labelled turns: what is read, and what is refused on either side."""

from __future__ import annotations

import pytest

from spokeneval.formats.format import Items
from spokeneval.formats.problems import ReferenceFileError, SubmissionError
from tests.samples.labelled_turns import BAD_REFERENCES, BAD_SUBMISSIONS, make, read_submission, rttm


def test_without_regions_the_public_list_has_no_times() -> None:
    files = {"turns.rttm": rttm(b=[(1, 2, "A"), (3, 4, "B")], a=[(2, 3, "A")])}
    task = make()
    assert task.format.public_files(task.format.read_reference(files), {}) == {
        "recordings.csv": b"recording\na\nb\n"
    }
    # A bundle requires a file for each layout, so that no hidden set is without regions.
    assert [layout.file for layout in task.format.layouts] == ["turns.csv", "regions.csv"]
    assert [spans.tolist() for spans in task.format.read_reference(files).regions] == [
        [[2000, 3000]],
        [[1000, 4000]],
    ]


def test_times_are_rounded_half_to_even() -> None:
    """2.0015 s is 2.002 s although 1000 * 2.0015 is below 2001.5; 0.0005 s is 0; 0.0005 + 1.001 s is 1.0015, 1.002."""
    task = make()
    lines = ["r 1 2.0015 1", "r 1 0.0005 1.001", "r 1 5 0.0004", "r 1 1e0 2.5e-3"]
    files = {"turns.rttm": "".join(f"SPEAKER {line} <NA> <NA> A <NA> <NA>\n" for line in lines).encode()}
    (turns,) = task.format.read_reference(files).turns
    assert turns.spans.tolist() == [[0, 1002], [1000, 1002], [2002, 3002]]  # by time


@pytest.mark.parametrize(("files", "message"), BAD_SUBMISSIONS)
def test_a_bad_submission_is_refused(files: dict[str, bytes], message: str) -> None:
    with pytest.raises(SubmissionError, match=message):
        read_submission(make(), files)


@pytest.mark.parametrize(("files", "message"), BAD_REFERENCES)
def test_a_reference_that_cannot_be_used_is_refused(files: dict[str, bytes], message: str) -> None:
    with pytest.raises(ReferenceFileError, match=message):
        make().format.read_reference(files)


def test_names_of_files_and_recordings_may_be_in_another_unicode_form() -> None:
    composed, decomposed = "\u00e9", "e\u0301"
    items = Items((composed, "r"), latest=5000.0)
    content = {decomposed: rttm(**{decomposed: [(0, 1, "A")]}), "r": rttm(r=[(1, 2, "B")])}
    for files in (
        {"turns.rttm": b"".join(content.values())},
        {f"{name}.rttm": lines for name, lines in content.items()},
    ):
        turns = make().format.read_submission(files, items).turns
        assert [each.spans.tolist() for each in turns] == [[[0, 1000]], [[1000, 2000]]]
    files[f"{composed}.rttm"] = content[decomposed]
    with pytest.raises(SubmissionError, match="is not part of a submission"):
        make().format.read_submission(files, items)


TURNS = [(n * 6.0, n * 6 + 5.0, "AB"[n % 2]) for n in range(12)]
"""Turns until 71 s."""


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (TURNS, []),
        (
            [(start, start + end, label) for start, end, label in TURNS],  # column 5 is the end
            ["turns end at up to 137 s, recordings at 72 s: is column 5 the end instead of the duration?"],
        ),
        ([(start, end + 10, label) for start, end, label in TURNS], []),  # noise after the evaluated region
        ([(0, 80, "A"), (0, 75, "B")], []),
    ],
)
def test_ends_in_place_of_durations_are_warned_of(turns, expected) -> None:
    task = make()
    items = task.format.read_reference({"turns.rttm": rttm(r=TURNS), "regions.uem": b"r 1 0 72\n"}).items
    submission = task.format.read_submission({"turns.rttm": rttm(r=turns)}, items)
    assert task.doubts(submission, items) == expected
    unknown = Items(items.ids)
    assert task.doubts(submission, unknown) == []


def test_one_label_throughout_is_warned_of_where_recordings_have_several() -> None:
    items = Items(tuple("abcdefghij"))
    submitted = {"turns.rttm": rttm(**{recording: [(0, 1, "A")] for recording in items.ids})}
    found = [
        task.doubts(task.format.read_submission(submitted, items), items)
        for task in (make(), make(mapping="optimal"), make(classes=["A", "B"]))
    ]
    warning = ["all turns are 'A'. Is it the right file?"]
    assert found == [[], warning, warning]
