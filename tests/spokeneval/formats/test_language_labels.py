"""Tests of language labels: their columns, and the message for each unusable row."""

from __future__ import annotations

from spokeneval.formats.language_labels import (
    check_labels,
    label_rows,
    read_labels,
    recording_name,
    recording_names,
)
from spokeneval.formats.problems import Problems, ReferenceFileError
from tests.samples.programs import encoded

HEADER = "audio_name,utt_id,start,end,language_tag"


def read(header, *rows):
    """The labels, and the code, line, item and message of each problem."""
    files = encoded({"labels.csv": "".join(f"{line}\n" for line in (header, *rows))})
    problems = Problems(ReferenceFileError)
    labels = read_labels(files, problems)
    check_labels(labels, problems)
    assert {problem.file for problem in problems.kept} <= {"labels.csv"}
    return labels, [(problem.code, problem.line, problem.item, problem.message) for problem in problems.kept]


def told(*rows, header=HEADER):
    return read(header, *rows)[1]


def test_a_recording_is_known_by_its_audio_name_without_the_extension():
    assert recording_name("a.b.wav") == "a.b"
    assert recording_names(["x_1.wav", "y", "x_1.flac"]) == ["x_1", "y", "x_1"]


def test_labels_are_read_in_the_order_of_their_lines():
    rows = (
        "more,audio_name,utt_id,start,end,language_tag,length,user,overlap_diff_lang",
        "m,x.wav,a,0,9.5,English,9,S1,no",
        "m,y.wav,a,1e1,20,MANDARIN,11,S2,",
        "m,x.mp3,b,5,9,non_speech,4,S1,",
        "m,z.wav,a,5,1000000000,Non-Evaluated-Speech,999999995,S1,",
    )
    labels, found = read(*rows)
    assert (labels.recordings, labels.tags.tolist(), found) == (["x", "y", "x", "z"], [0, 1, 2, 3], [])
    assert labels.spans.tolist() == [[0, 9.5], [10, 20], [5, 9], [5, 1e9]]
    assert labels.first("audio_name") == {"x": "x.wav", "y": "y.wav", "z": "z.wav"}
    assert labels.first("speaker") == {"x": "S1", "y": "S2", "z": "S1"}
    assert label_rows({"labels.csv": "\n".join(rows).encode()}) == {2: "x", 3: "y", 4: "x", 5: "z"}


def test_labels_without_a_row_or_without_speakers_are_read():
    labels, found = read(HEADER)
    assert (len(labels.table), labels.spans.shape, labels.first("speaker"), found) == (0, (0, 2), {}, [])
    assert read(HEADER, "x.wav,a,0,9,English")[0].first("speaker") == {}


def test_lengths_may_be_rounded_and_half_of_the_segments_last_five_milliseconds():
    rows = ["x.wav,a,0,10,English,11", "x.wav,b,5,10.5,English,4.5"]
    assert told(*rows, header=HEADER + ",length") == []
    assert told(rows[0], "x.wav,b,5,10.5,English,4.4", header=HEADER + ",length") == [
        ("wrong_length", 3, None, "length 4.4; end minus start is 5.5")
    ]
    assert told("x.wav,a,0,5,English", "x.wav,b,0,1,English", "x.wav,c,1,9,English") == []
    assert (
        told("x.wav,a,0,4.9,English", "x.wav,b,0,1,English", "x.wav,c,1,9,English")[0][0]
        == "not_milliseconds"
    )
