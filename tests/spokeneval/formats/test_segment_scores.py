"""Tests of the files of MERLIon CCS, Task 1: labels, predictions, public files, and broken files."""

from __future__ import annotations

import numpy as np
import pytest

from spokeneval.formats import segment_scores, text
from spokeneval.formats.format import Items
from spokeneval.formats.problems import SubmissionError
from tests.samples.merlion_identification import HEADER, IDS, ONE, SCORES, TWO
from tests.samples.programs import encoded


def read(rows, header=HEADER):
    return segment_scores.read_reference(encoded({"labels.csv": header + rows}))


def submit(content, ids=IDS):
    return segment_scores.read_submission(encoded({"prediction.txt": content}), Items(tuple(ids)))


def refused(content, ids=IDS):
    """The code, line, item and message of each problem of a prediction, in the order in which they were found."""
    with pytest.raises(SubmissionError) as refusal:
        submit(content, ids)
    return [(problem.code, problem.line, problem.item, problem.message) for problem in refusal.value.problems]


LABELS = """\
y_1.wav,a1,0,700,700,English,False,
x_1.wav,a1,100,900,800,English, TRUE ,
x_1.wav,a_2,900,1500,600,NON_SPEECH,perhaps,
y_1.mp3,a2,0.50,700,699.5,Mandarin,false,
x_1.wav,a3,1500,2000,500,Non-Evaluated-Speech,,
x_1.wav,a_4,1e3,2000,1000,English,False,
"""


@pytest.mark.parametrize("block", [1, 1 << 17])
def test_segments_of_one_language_are_scored_in_the_order_of_the_labels(monkeypatch, block):
    monkeypatch.setattr(text, "_BLOCK", block)
    reference = read(LABELS)
    assert reference.items == Items(("y_1_a1_0_700", "y_1_a2_0.50_700", "x_1_a_4_1e3_2000"))
    assert reference["label"].tolist() == [0, 1, 0]
    assert reference.texts["recording"] == ["y_1", "y_1", "x_1"]
    assert (reference.texts["audio_name"][0], reference.speakers) == ("y_1.wav", ())
    public = segment_scores.public_files(reference, {})
    rows = "y_1.wav,a1,0,700\ny_1.wav,a2,0.50,700\nx_1.wav,a_4,1e3,2000\n"
    assert public == {"segments.csv": f"audio_name,utt_id,start,end\n{rows}".encode()}
    assert segment_scores.read_items(encoded(public)) == reference.items
    of = ["y_1", "x_1", "x_1", "y_1", "x_1", "x_1"]
    assert segment_scores.rows(encoded({"labels.csv": HEADER + LABELS})) == {
        "labels.csv": dict(enumerate(of, 2))
    }


def test_some_segments_are_taken_with_their_lines_recordings_and_speakers():
    rows = "x.wav,a,0,9,English,S1\ny.wav,b,0,9,Mandarin,S2\nx.wav,n,9,10,Non-Speech,S1\nz.wav,c,0,9,English,S3\n"
    reference = read(rows, "audio_name,utt_id,start,end,language_tag,user\n")
    lines = {2: "x_a_0_9", 3: "y_b_0_9", 5: "z_c_0_9"}
    assert segment_scores.FORMAT.item_rows(reference) == {"labels.csv": lines}
    some = segment_scores.FORMAT.take_reference(reference, [2, 0])
    assert some.items == Items(("z_c_0_9", "x_a_0_9"))
    assert (some["label"].tolist(), some.texts["recording"]) == ([0, 0], ["z", "x"])
    assert some.speakers == ["S3", "S1"]
    assert segment_scores.FORMAT.item_rows(some) == {"labels.csv": {5: "z_c_0_9", 2: "x_a_0_9"}}


@pytest.mark.parametrize("block", [1, 1 << 17])
@pytest.mark.parametrize("content", [ONE, TWO, "\n \n" + ONE.replace(" ", "\t  "), TWO.replace("\n", "\n\n")])
def test_both_formats_are_read(monkeypatch, content, block):
    monkeypatch.setattr(text, "_BLOCK", block)
    submission = submit(content)
    found = np.stack([submission[language] for language in segment_scores.SUBMISSION.required[1:]], axis=1)
    assert (found.tolist(), found.dtype) == ([list(pair) for pair in SCORES], np.float64)


def predictions(text):
    """The lines for `a0 bX`: segment `a` with language 0, then segment `b` with language X, each with a score."""
    return "".join(f"{word[0]} {word[1:]} .5\n" for word in text.split())


def test_an_id_in_another_unicode_form_is_the_same_segment():
    ids = ("\u00e9_a_0_1", "b_a_0_1")
    assert submit("e\u0301_a_0_1 1 2\nb_a_0_1 3 4\n", ids)["English"].tolist() == [1, 3]
    assert [code for code, *_ in refused("b_a_0_1 3 4\ne\u0301_a_0_1 1 2\n", ids)] == ["out_of_order"]


def test_the_fewest_segments_are_out_of_order():
    # Without b these rise: a d f g. What is expected in b's place is what comes after f.
    found = refused(predictions("a.1 d.2 f.3 b.4 g.5 a.6"), "abcdefg")
    assert sorted(found, key=str) == [
        ("duplicate_item", 6, "a", "segment a already appears on line 1; keep only one"),
        ("missing_item", None, "c", "segment c, e: 7 segments expected, 5 found"),
        ("out_of_order", 4, "b", "segment b is not in the order of segments.csv; expected g here"),
    ]


@pytest.mark.parametrize(
    ("recording", "n", "expected"),
    [
        ("x_2", 20, {"another_set"}),
        ("x_2", 19, {"wrong_id", "unknown_item"}),
        ("x_1", 20, {"wrong_id", "unknown_item"}),
    ],
)
def test_another_sets_file_is_one_of_twenty_segments_of_other_recordings(recording, n, expected):
    lines = [f"{recording}_b{number}_0_500 .{number} 0\n" for number in range(n)]
    found = refused("".join(lines), ["x_1_a1_0_9", "x_1_a2_9_12"])
    assert {code for code, *_ in found} == expected
