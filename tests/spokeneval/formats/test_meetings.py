"""Files of meetings: the same segments in all formats, and files that are refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from spokeneval.formats.problems import ReferenceFileError, SubmissionError
from tests.samples.meetings import BAD_REFERENCES, BAD_SUBMISSIONS, GOOD, make, read_submission, segment

FORMATS = {
    "meetings.json": b'[{"session_id": "s", "speaker": 1, "start_time": "0.5", "end_time": 2, "words": ["a", "bc"]},\n'
    b'\n {"session_id": "s", "speaker": "B b", "start_time": 1, "end_time": 1, "words": ""}\n]\n',
    "meetings.csv": b"words,session_id,speaker,end_time,start_time,x\na bc,s,1,2,0.5,\n,s,B b,1,1.0,\n",
    "meetings.stm": b";; x\ns 1 1 0.5 2 <o,f0> a bc\ns 1 B 1 1\ns 1 C 1 2 ignore_time_segment_in_scoring\n",
    "meetings.ctm": b"s 1 0.5 0.5 a 0.9\ns 1 1.000 1 bc\ns B 1 0 x\n",
    "meetings.rttm": b"SPKR-INFO s 1 <NA> <NA> <NA> unknown 1 <NA> <NA>\nLEXEME s 1 0.5 .5 a lex 1 <NA> <NA>\n"
    b"LEXEME s 1 1 1 bc lex 1 <NA>\nSPEAKER s 1 1 0 <NA> <NA> B <NA> <NA>\n",
}
WHOLE, SPLIT = [("1", [[5e8, 2e9]], [["a", "bc"]])], [("1", [[5e8, 1e9], [1e9, 2e9]], [["a"], ["bc"]])]


def plain(speakers: Any) -> list[tuple[str, Any, Any]]:
    return [(each.name, each.spans.tolist(), list(each.symbols)) for each in speakers]


@pytest.mark.parametrize("file", FORMATS)
def test_every_format_gives_the_segments_of_each_speaker(file: str) -> None:
    (found,) = read_submission(make(), {file: FORMATS[file]}).speakers
    expected = SPLIT if file in ("meetings.ctm", "meetings.rttm") else WHOLE
    assert plain(found)[:1] == expected
    assert [(name[0], spans) for name, spans, _ in plain(found)[1:]] == [("B", [[1e9, 1e9]])]
    reference = make().format.read_reference({**GOOD, "regions.uem": b"s 1 0 5\nt 1 0 1.5\n"})
    assert reference.items.ids == ("s", "t")
    assert [regions.tolist() for regions in reference.regions] == [[[0, 5000]], [[0, 1500]]]
    assert make().format.public_files(reference, {}) == {
        "recordings.csv": b"session_id,start_s,end_s\ns,0.000,5.000\nt,0.000,1.500\n"
    }


def test_texts_are_normalised_and_split_into_characters() -> None:
    said = segment("s", "A", 0, 2, "Hello, you!")
    task = make(units="characters", normalise=["casefold", "drop_punctuation"])
    written = task.format.write_submission({key: [str(value)] for key, value in said.items()}, None)
    (found,) = read_submission(task, written).speakers
    assert plain(found)[0][2] == [list("helloyou")]


@pytest.mark.parametrize(("files", "message"), BAD_SUBMISSIONS)
def test_submissions_are_refused(files: dict[str, bytes], message: str) -> None:
    with pytest.raises(SubmissionError) as refused:
        read_submission(make(), files)
    assert re.search(message, str(refused.value)), refused.value


@pytest.mark.parametrize(("files", "message"), BAD_REFERENCES)
def test_references_are_refused(files: dict[str, bytes], message: str) -> None:
    with pytest.raises(ReferenceFileError) as refused:
        make().format.read_reference(files)
    assert re.search(message, str(refused.value)), refused.value


def test_lines_of_segments_are_those_of_their_sessions() -> None:
    for file, content in FORMATS.items():
        lines = make().format.rows({file: content, "regions.uem": b"s 1 0 5\n"})
        assert set(lines[file].values()) == {"s"}
        assert lines["regions.uem"] == {1: "s"}


def test_ends_in_place_of_durations_are_warned_of() -> None:
    words = [f"LEXEME s 1 {n / 2} {{}} word lex A <NA> <NA>\n" for n in range(12)]
    files = [
        "".join(line.format(length) for line, length in zip(words, lengths, strict=True)).encode()
        for lengths in ([0.5] * 12, [n / 2 + 0.5 for n in range(12)])
    ]
    task = make()
    items = task.format.read_reference({**GOOD, "regions.uem": b"s 1 0 6\n"}).items
    found = [task.doubts(read_submission(task, {"meetings.rttm": file}), items) for file in files]
    assert found == [
        [],
        [
            "turns end at up to 11.5 s, recordings at 6 s: is the column of durations the end instead of the duration?"
        ],
    ]
