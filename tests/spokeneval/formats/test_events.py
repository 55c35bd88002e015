"""Files of events: what is read, and what is refused on either side."""

from __future__ import annotations

from functools import partial

import pytest

from spokeneval.formats.problems import ReferenceFileError, SubmissionError
from tests.samples import kinds

make = partial(kinds.make, "events", classes=["ding", "घंटी"])

EVENTS = "recording,start,end,label\nr,1,2,ding\nr,3.0005,,घंटी\n"
REGIONS = "recording,start,end\nr,0,50\nq,0,10\n"
DETECTED = "recording,start,end,label,score\n"


def reference(events: str = EVENTS, regions: str = REGIONS) -> dict[str, bytes]:
    return {"events.csv": events.encode(), "regions.csv": regions.encode()}


def test_an_event_without_an_end_is_a_point_and_a_recording_may_have_none():
    truth, given = kinds.read(make(), reference(), {"events.csv": f"{DETECTED}r,1,,ding,-2\n".encode()})
    assert truth.items.ids == ("q", "r")
    assert [turns.spans.tolist() for turns in truth.turns] == [[], [[1000, 2000], [3000, 3000]]]
    assert given.events[1].scores.tolist() == [-2]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"events.csv": EVENTS.encode()},
            "is missing; expected regions.csv or regions.uem, with the evaluated time",
        ),
        ({"regions.csv": REGIONS.encode()}, "events.csv: 1 problem\n\n  cannot be read: No such file"),
        (reference(EVENTS + "r,5,4,ding\n"), "line 4.*end 4 is not after start 5"),
        (reference(EVENTS + "r,5,6,dong\n"), "line 4.*r: label 'dong'; expected 'ding' or 'घंटी'"),
        (reference(EVENTS + "s,5,6,ding\n"), "line 4.*s: has turns, but no region in regions.csv"),
        (reference(EVENTS.replace("घंटी", "ding")), "0 evaluated events of class 'घंटी'; expected one or more"),
        (reference(regions="recording,start,end\nr,1,2\n"), "0 evaluated events of class 'घंटी'"),
        (reference(regions=REGIONS + "r,40,60\n"), "line 4.*overlaps the region that ends at 50 s"),
        (
            reference(EVENTS + "r,2,3,ding\n" * 60),
            "61 evaluated events of class 'ding'; expected fewer than one a",
        ),
    ],
)
def test_a_bad_reference_is_refused(files, message):
    with pytest.raises(ReferenceFileError, match=message):
        make().format.read_reference(files)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("r,1,2,dong,1\n", "line 2.*label 'dong'; expected 'ding' or"),
        ("r,1,2,ding,nan\n", "line 2.*score"),
        ("r,1,2,ding,\n", "line 2.*score"),
        ("s,1,2,ding,1\n", "line 2.*s: is not one of the 2 recordings"),
        ("r.wav,1,2,ding,1\n", "line 2.*expected r"),
        ("r,-1,2,ding,1\n", "line 2.*start -1 is negative"),
        ("r,1000,2000000,ding,1\n", "more than eleven days"),
        ("r,1000,3000,ding,1\n", "events end after up to 3000 s, but recordings last up to 50 s"),
        ("r,2,1,ding,1\ns,1,2,dong,x\n", "line 2.*not after(?s:.)*line 3.*dong(?s:.)*line 3"),
    ],
)
def test_a_bad_submission_is_refused_with_every_problem(rows, message):
    with pytest.raises(SubmissionError, match=message):
        kinds.read(make(), reference(), {"events.csv": (DETECTED + rows).encode()})


def test_a_submission_without_a_column_of_scores_is_refused():
    with pytest.raises(SubmissionError, match="score"):
        kinds.read(make(), reference(), {"events.csv": EVENTS.encode()})


def test_recordings_without_detections_and_equal_scores_are_named():
    task = make()
    given = {"events.csv": f"{DETECTED}r,1,2,ding,1\nr,4,5,ding,1\n".encode()}
    truth, submission = kinds.read(task, reference(), given)
    doubts = task.format.doubts(submission, truth.items)
    assert "no events for 1 of 2 recordings, such as q" in doubts[0]
    assert doubts[1].startswith("all 2 scores are 1")
