"""Meetings, declared by parameters, from files to scores."""

from __future__ import annotations

import json

import pytest

from spokeneval.formats.problems import ReferenceFileError
from spokeneval.scoring.output import LARGEST
from tests.samples.kinds import scores_of
from tests.samples.meetings import GOOD, SAID, make, segment


def test_scores_of_a_meeting_by_hand() -> None:
    # x is A and misses friend; y is B 0.5 s late and adds too; z is nobody. The third word of y, at 3.25 s, is more
    # than 0.2 s after both words of B, which end at 3 s; hi at 2.25 s is as far from hi, but within 0.2 s of you.
    heard = [
        segment("s", "x", 0, 2, "hello there"),
        segment("s", "y", 2, 3.5, "hi you too"),
        segment("s", "z", 4.5, 5, "um"),
    ]
    scores = scores_of(make(), GOOD, {"meetings.json": json.dumps(heard).encode()})
    expected = {"tcpwer": 60, "cpwer": 60, "substitutions": 0, "deletions": 20, "insertions": 40}
    assert {key: round(scores[key], 9) for key in expected} == expected
    assert (scores["missed_speakers"], scores["added_speakers"]) == (0, 1)
    # Of 3.5 s, 0.5 s of B are missed, 0.5 s of y and all of z are false alarms.
    assert scores["der"] == pytest.approx(100 * 1.5 / 3.5)
    near = scores_of(make(collar=0.2), GOOD, {"meetings.json": json.dumps(heard).encode()})
    assert near["cpwer"] == scores["cpwer"] < near["tcpwer"]


def test_segments_outside_the_regions_are_left_out() -> None:
    late = segment("s", "A", 6, 7, "after the end")
    said = {**GOOD, "meetings.json": json.dumps([*SAID, late]).encode()}
    for heard in (SAID, [*SAID, late, segment("s", "q", 8, 9, "noise")]):
        scores = scores_of(make(), said, {"meetings.json": json.dumps(heard).encode()})
        assert scores["tcpwer"] == scores["cpwer"] == scores["der"] == 0


def test_without_regions_every_segment_counts() -> None:
    said = {"meetings.json": GOOD["meetings.json"]}
    heard = [*SAID, segment("s", "A", 6, 7, "after the end")]
    scores = scores_of(make(regions="throughout"), said, {"meetings.json": json.dumps(heard).encode()})
    assert (scores["insertions"], scores["der"]) == (60, pytest.approx(100 / 3.5))


@pytest.mark.parametrize("sessions", [1, 50])
def test_sessions_with_less_than_a_second_of_speech_are_scored(sessions: int) -> None:
    said = [segment(f"s{n}", "A", 5, 5.9, "hello") for n in range(sessions)]
    task, reference = make(regions="throughout"), {"meetings.json": json.dumps(said).encode()}
    assert scores_of(task, reference, reference)["der"] == 0
    noise = [segment("s0", f"B{n}", 0, 999_999, "noise") for n in range(100)]
    heard = {"meetings.json": json.dumps([*said, *noise[:99]]).encode()}
    assert scores_of(task, reference, heard)["der"] < LARGEST  # platforms can store it


def test_characters_are_compared_without_white_space() -> None:
    heard = [{**SAID[0], "words": "hellothere frend"}, SAID[1]]
    scores = scores_of(make(units="characters"), GOOD, {"meetings.json": json.dumps(heard).encode()})
    assert scores["tcpcer"] == scores["cpcer"] == pytest.approx(100 / 21)


def test_nothing_recognised_deletes_every_word() -> None:
    silent = json.dumps([segment("s", "A", 0, 0, "")]).encode()
    for task, said in ((make(), silent), (make(missing="missed"), b"[]")):
        scores = scores_of(task, GOOD, {"meetings.json": said})
        found = [scores[key] for key in ("tcpwer", "deletions", "missed_speakers", "der")]
        assert found[:2] + found[3:] == [100, 100, 100]
        assert found[2] == (1 if said == silent else 2)


def test_the_reference_of_some_meetings_has_their_own_regions() -> None:
    said = json.dumps([*SAID, segment("t", "A", 0, 2, "one two"), segment("t", "A", 6, 7, "late")]).encode()
    form = make().format
    part = form.take_reference(
        form.read_reference({"meetings.json": said, "regions.uem": b"s 1 0 5\nt 1 0 3\n"}), [1]
    )
    assert (part.items.ids, part.regions[0].tolist()) == (("t",), [[0, 3000]])
    assert make().count(part, part)["timed"].reference_length.tolist() == [2]


def test_a_reference_without_sessions_is_refused() -> None:
    with pytest.raises(ReferenceFileError, match="0 words in 0 transcripts"):
        make(regions="throughout").format.read_reference({"meetings.json": b"[]"})
