"""Tests of language labels: their columns, and the message for each unusable row."""

from __future__ import annotations

from spokeneval.formats.language_labels import (
    check_labels,
    check_names,
    label_rows,
    read_labels,
    read_spans,
    recording_name,
    recording_names,
)
from spokeneval.formats.problems import Problems, ReferenceFileError
from spokeneval.formats.tables import Table
from spokeneval.formats.turns import LATEST
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


def test_an_utterance_id_is_unique_within_its_recording():
    rows = ["x.wav,a,0,9,English", "y.wav,a,0,9,English", "y.wav,b,0,9,English", "x.wav,b,0,9,English"]
    assert told(*rows) == []
    again = told(*rows, "y.mp3,a,9,19,English", "y.wav,a,9,19,English")
    assert [problem[3] for problem in again] == ["utt_id a of y already appears on line 3; keep only one"] * 2


def test_speakers_are_one_to_a_recording():
    rows = ["x.wav,a,0,9,English,S1", "y.wav,b,0,9,English,S 2", "x.wav,c,0,9,English,S3"]
    found = told(*rows, "y.wav,d,0,9,English,", header=HEADER + ",speaker")
    assert [problem[:3] for problem in found] == [
        *(("no_speaker", 5, "d"), ("two_speakers", 4, "c"), ("two_speakers", 5, "d"))
    ]
    assert found[2][3].startswith(
        "utt_id d: speaker '', but 'S 2' in an earlier row; expected one speaker for all of y, "
    )


def test_lengths_are_off_by_a_millisecond_at_most():
    header = HEADER + ",length"
    rows = ["x.wav,a,0,10,English,11", "x.wav,b,5,10.5,English,4.5"]
    assert told(*rows, header=header) == []
    wrong = ["x.wav,c,0,10,English,11.5", "x.wav,d,5,10.5,English,4.4"]
    assert told(*rows, *wrong, header=header) == [
        ("wrong_length", 4, None, "length 11.5; end minus start is 10"),
        ("wrong_length", 5, None, "length 4.4; end minus start is 5.5"),
    ]
    # Not where times are wrong: the length is then no news.
    found = told(*wrong, "x.wav,f,9,1,English,8", header=header)
    assert [code for code, *_ in found] == ["empty_span"]


def test_half_of_the_segments_last_five_milliseconds():
    assert told("x.wav,a,0,5,English", "x.wav,b,0,1,English", "x.wav,c,1,9,English") == []
    rows = ["x.wav,a,100,104.9,English", "x.wav,b,100,101,English", "x.wav,c,1,9,English"]
    assert [code for code, *_ in told(*rows)] == ["not_milliseconds"]
    # Not where a row is not usable: its times may be what is wrong.
    found = told(*rows, "x.wav,a,0,1,English")
    assert [code for code, *_ in found] == ["duplicate_utterance"]


def test_names_can_be_part_of_a_files_name():
    names = ["x_1.wav", "a b", "", "a/b", "a\\b", "a,b", 'a"b', "a\u200b", "x_1.wav", "a b"]
    problems = Problems()
    check_names(Table("f.csv", "n", {"n": names}, list(range(1, 11))), "n", problems)
    assert [problem.line for problem in problems.kept] == [2, 3, 4, 5, 6, 7, 8, 10]


def test_spans_of_time_are_within_eleven_days():
    columns = {"start": ["0", "-0", "999999999"], "end": ["0.5", "1e9", "1000000000"]}
    problems = Problems()
    spans = read_spans(Table("f.csv", "start", columns, [3, 4, 5]), problems)
    assert (spans.tolist(), problems.kept) == ([[0, 0.5], [0, LATEST], [999999999, LATEST]], [])
    # One row that is none, and no span is kept.
    columns = {"start": ["1", "-1"], "end": ["9", "-2"]}
    spans = read_spans(Table("f.csv", "start", columns, [3, 4]), problems)
    assert spans.tolist() == [[0, 0], [0, 0]]
    assert [problem.message for problem in problems.kept] == [
        "start -1 is before the recording's beginning",
        "end -2 is before the recording's beginning",
        "end -2 is not after start -1",
    ]
