"""Labels of languages: what is read of them, in blocks or at once, and what is said of each row that is not usable."""

from __future__ import annotations

import numpy as np
import pytest

from spokeneval.formats import text
from spokeneval.formats.language_labels import (
    LATEST,
    check_names,
    label_rows,
    read_labels,
    read_spans,
    recording_name,
    recording_names,
)
from spokeneval.formats.problems import Problems, ReferenceFileError
from spokeneval.formats.tables import Table
from tests.samples.programs import write_files

HEADER = "audio_name,utt_id,start,end,language_tag"


def read(folder, header, *rows):
    """The labels' blocks, and what is said of them: code, line, item and message of each problem."""
    write_files(folder, {"labels.csv": "".join(f"{line}\n" for line in (header, *rows))})
    problems = Problems(ReferenceFileError)
    blocks = list(read_labels(folder, problems))
    assert {problem.file for problem in problems.kept} <= {"labels.csv"}
    return blocks, [(problem.code, problem.line, problem.item, problem.message) for problem in problems.kept]


def told(folder, *rows, header=HEADER):
    return read(folder, header, *rows)[1]


def test_a_recording_is_known_by_its_audio_name_without_the_extension():
    assert recording_name("a.b.wav") == "a.b"
    assert recording_names(["x_1.wav", "y", "x_1.flac"]) == ["x_1", "y", "x_1"]


@pytest.mark.parametrize("block", [1, 1 << 17])
def test_labels_are_read_in_the_order_of_their_lines(tmp_path, monkeypatch, block):
    monkeypatch.setattr(text, "_BLOCK", block)
    blocks, found = read(
        tmp_path,
        "more,audio_name,utt_id,start,end,language_tag,length,user,overlap_diff_lang",
        "m,x.wav,a,0,9.5,English,9,S1,no",
        "m,y.wav,a,1e1,20,MANDARIN,11,S2,",
        "m,x.mp3,b,5,9,non_speech,4,S1,",
        "m,z.wav,a,5,1000000000,Non-Evaluated-Speech,999999995,S1,",
    )
    assert found == []
    assert [recording for labels in blocks for recording in labels.recordings] == ["x", "y", "x", "z"]
    spans = np.concatenate([labels.spans for labels in blocks])
    assert (spans.tolist(), spans.dtype) == ([[0, 9.5], [10, 20], [5, 9], [5, 1e9]], np.float64)
    assert np.concatenate([labels.tags for labels in blocks]).tolist() == [0, 1, 2, 3]
    assert [line for labels in blocks for line in labels.table.lines] == [2, 3, 4, 5]
    names = {}
    for labels in blocks:
        names = {**labels.audio_names, **names}
    assert names == {"x": "x.wav", "y": "y.wav", "z": "z.wav"}
    assert blocks[-1].speakers == {"x": "S1", "y": "S2", "z": "S1"}
    assert set(blocks[0].table.columns) == {
        *("audio_name", "utt_id", "start", "end", "language_tag", "length", "speaker", "overlap_diff_lang")
    }
    assert label_rows(tmp_path) == {2: "x", 3: "y", 4: "x", 5: "z"}


def test_a_file_that_cannot_be_read_is_refused_by_its_name(tmp_path):
    for read_file in (label_rows, lambda folder: list(read_labels(folder, Problems(ReferenceFileError)))):
        with pytest.raises(ReferenceFileError, match=r"^labels.csv: 1 problem\n\n  cannot be read"):
            read_file(tmp_path / "nowhere")
        write_files(tmp_path, {"labels.csv": "audio_name,utt_id\n"})
        with pytest.raises(
            ReferenceFileError, match=r"^labels.csv: 1 problem\n\n  line 1    no column start, end"
        ):
            read_file(tmp_path)
    fields = ("wrong_field_count", 2, None, "1 field, separated by commas; the header has 5")
    assert told(tmp_path, "x.wav") == [fields]
    assert label_rows(tmp_path) == {}


def test_labels_without_a_row_or_without_speakers_are_read(tmp_path):
    (labels,), found = read(tmp_path, HEADER)
    assert (len(labels.table), labels.spans.shape, labels.speakers, found) == (0, (0, 2), {}, [])
    (labels,), _ = read(tmp_path, HEADER, "x.wav,a,0,9,English")
    assert labels.speakers == {}


@pytest.mark.parametrize("block", [1, 1 << 17])
def test_every_row_that_is_not_usable_is_told(tmp_path, monkeypatch, block):
    monkeypatch.setattr(text, "_BLOCK", block)
    found = told(tmp_path, "x.wav,a,0,9,English", "x y.wav,,0,9,Noise", "x.wav,a,9,9,English")
    unusable = "expected a name without blanks, slashes, commas, quotation marks and invisible characters"
    tags = "expected 'English' or 'Mandarin' or 'Non-Speech' or 'Non-Evaluated-Speech'"
    assert sorted(found, key=lambda problem: (problem[1], problem[3])) == [
        ("unusable_name", 3, None, f"audio_name 'x y.wav'; {unusable}"),
        ("unknown_value", 3, "", f"utt_id '': language_tag 'Noise'; {tags}"),
        ("unusable_name", 3, None, f"utt_id nothing; {unusable}"),
        ("empty_span", 4, None, "end 9 is not after start 9"),
        ("duplicate_utterance", 4, "a", "utt_id a of x again; first on line 2"),
    ]


def test_an_utterance_may_stand_in_two_recordings_and_twice_in_none(tmp_path):
    rows = ["x.wav,a,0,9,English", "y.wav,a,0,9,English", "y.wav,b,0,9,English", "x.wav,b,0,9,English"]
    assert told(tmp_path, *rows) == []
    twice = [("duplicate_utterance", 3, "a", "utt_id a of x again; first on line 2")]
    assert told(tmp_path, rows[0], rows[0]) == twice
    assert told(tmp_path, *rows, "y.mp3,a,9,19,English", "y.wav,a,9,19,English") == [
        ("duplicate_utterance", 6, "a", "utt_id a of y again; first on line 3"),
        ("duplicate_utterance", 7, "a", "utt_id a of y again; first on line 3"),
    ]


def test_speakers_are_one_to_a_recording(tmp_path):
    header = HEADER + ",speaker"
    rows = ["x.wav,a,0,9,English,S1", "y.wav,b,0,9,English,S 2", "x.wav,c,0,9,English,S3"]
    assert told(tmp_path, *rows, "y.wav,d,0,9,English,", header=header) == [
        ("no_speaker", 5, "d", "utt_id d: the speaker is empty; expected one in every row, or in none"),
        (
            "two_speakers",
            4,
            "c",
            "utt_id c: speaker S3, above S1; expected one for all of x, the same in all recordings that belong "
            "together; a column for who talks when needs another name",
        ),
        (
            "two_speakers",
            5,
            "d",
            "utt_id d: speaker '', above 'S 2'; expected one for all of y, the same in all recordings that belong "
            "together; a column for who talks when needs another name",
        ),
    ]


def test_lengths_are_off_by_a_millisecond_at_most(tmp_path):
    rows = ["x.wav,a,0,10,English,11", "x.wav,b,5,10.5,English,4.5"]
    header = HEADER + ",length"
    assert told(tmp_path, *rows, header=header) == []
    wrong = ["x.wav,c,0,10,English,11.5", "x.wav,d,5,10.5,English,4.4", "x.wav,e,0,10,English,"]
    expected = [
        ("wrong_length", 4, None, "length 11.5; end minus start is 10"),
        ("wrong_length", 5, None, "length 4.4; end minus start is 5.5"),
        ("wrong_length", 6, None, "length ''; end minus start is 10"),
    ]
    assert told(tmp_path, *rows, *wrong, header=header) == expected
    assert told(tmp_path, *rows, *wrong[:1], header=header) == expected[:1]
    # Not where times are wrong: the length is then no news.
    assert [code for code, *_ in told(tmp_path, *wrong, "x.wav,f,9,1,English,8", header=header)] == [
        "empty_span"
    ]


def test_columns_that_may_be_overlaps_misspelt_are_refused(tmp_path):
    found = told(tmp_path, "x.wav,a,0,9,English,True,", header=HEADER + ",My_Overlap,other")
    assert found == [("unknown_column", 1, None, "column My_Overlap; expected overlap_diff_lang")]


def test_half_of_the_segments_last_five_milliseconds(tmp_path):
    assert told(tmp_path, "x.wav,a,0,5,English", "x.wav,b,0,1,English", "x.wav,c,1,9,English") == []
    rows = ["x.wav,a,100,104.9,English", "x.wav,b,100,101,English", "x.wav,c,1,9,English"]
    words = "half of the segments last less than 5 ms; expected times in milliseconds"
    assert told(tmp_path, *rows) == [("not_milliseconds", None, None, words)]
    # Not where a row is not usable: its times may be what is wrong.
    assert [code for code, *_ in told(tmp_path, *rows, "x.wav,a,0,1,English")] == ["duplicate_utterance"]


def test_names_can_be_part_of_a_files_name():
    names = ["x_1.wav", "a b", "", "a/b", "a\\b", "a,b", 'a"b', "a\u200b", "x_1.wav", "a b"]
    problems = Problems()
    check_names(Table("f.csv", "n", {"n": names}, list(range(1, 11))), "n", problems)
    expected = "expected a name without blanks, slashes, commas, quotation marks and invisible characters"
    shown = ["'a b'", "nothing", "'a/b'", "'a\\\\b'", "'a,b'", "'a\"b'", "'a\\u200b'", "'a b'"]
    assert [(problem.code, problem.file, problem.line, problem.message) for problem in problems.kept] == [
        ("unusable_name", "f.csv", line, f"n {found}; {expected}")
        for line, found in zip([2, 3, 4, 5, 6, 7, 8, 10], shown, strict=True)
    ]


def spans_of(*rows):
    start, end = zip(*(row.split() for row in rows), strict=True)
    problems = Problems()
    spans = read_spans(
        Table("f.csv", "start", {"start": list(start), "end": list(end)}, [*range(3, 3 + len(rows))]),
        problems,
    )
    return spans, [(problem.code, problem.file, problem.line, problem.message) for problem in problems.kept]


def test_spans_of_time_are_within_eleven_days():
    spans, found = spans_of("0 0.5", "-0 1e9", "999999999 1000000000")
    assert (spans.tolist(), found) == ([[0, 0.5], [0, LATEST], [999999999, LATEST]], [])


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("0.5 0.5", [("empty_span", "end 0.5 is not after start 0.5")]),
        ("-0.5 1", [("negative_time", "start -0.5 is before the recording's beginning")]),
        (
            "-1 -2",
            [
                ("negative_time", "start -1 is before the recording's beginning"),
                ("negative_time", "end -2 is before the recording's beginning"),
                ("empty_span", "end -2 is not after start -1"),
            ],
        ),
        ("1 1000000001", [("absurd_time", "end 1000000001 is more than eleven days; expected milliseconds")]),
        (
            "1,5 2",
            [("bad_time", "start '1,5'; expected a finite decimal number (a decimal point, not a comma)")],
        ),
        ("1 inf", [("bad_time", "end 'inf'; expected a finite decimal number")]),
    ],
)
def test_a_span_that_is_none_is_told_and_no_span_is_kept(row, expected):
    spans, found = spans_of("1 1000000000", row)
    assert found == [(code, "f.csv", 4, message) for code, message in expected]
    assert spans.tolist() == [[0, 0], [0, 0]]
