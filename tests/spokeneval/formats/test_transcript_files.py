"""Transcripts in Kaldi's text, sclite's trn and STM."""

import math
from collections import Counter

import numpy as np
import pytest

from spokeneval.formats.problems import Problems, ReferenceFileError
from spokeneval.formats.transcript_files import (
    json_objects,
    read_ctm,
    read_kaldi_text,
    read_stm,
    read_trn,
    transcript_tables,
    write_transcripts,
)
from spokeneval.kinds.declared import declared_task
from tests.samples.own_tables import load, refused
from tests.samples.transcript_files import BAD_LINES, rows

WORDS = declared_task("asr", {"kind": "transcripts"})


def test_kaldi_text() -> None:
    content = "sp1-u1  HELLO\tthere (you) \n\nsp1-u2\nsp2-u1 ;; {a / b}\n"
    assert rows(read_kaldi_text, content) == [
        (1, ["sp1-u1", "HELLO there (you)", ""]),
        (3, ["sp1-u2", "", ""]),
        (4, ["sp2-u1", ";; {a / b}", ""]),
    ]


def test_trn_with_comments_and_empty_transcripts() -> None:
    content = ";; ours\nshe had  your dark suit (cmh_sa01)\n\n(cmh_sa02)\nyou(xx) said(abc_1) \n"
    assert rows(read_trn, content) == [
        (2, ["cmh_sa01", "she had your dark suit", "cmh"]),
        (4, ["cmh_sa02", "", "cmh"]),
        (5, ["abc_1", "you(xx) said", "abc"]),
    ]


@pytest.mark.parametrize("file", ["text", "a/b.trn", "transcripts.stm", "x.jsonl", "manifest.json"])
def test_what_is_written_is_read_again(file: str) -> None:
    written = {"a-1_A_0_1500": "guten  Morgen", "b-2_B_250_300250": "", "c-1_A_7_8": "你好 (ja)x"}
    who = dict(zip(written, ("S1", "S2", "S1"), strict=True))
    kind = next(name for name in transcript_tables("id", "text") if name.endswith(file[-4:]))
    read = transcript_tables("id", "text")[kind]
    table = read(write_transcripts(written, file, who), file, Problems(ReferenceFileError))
    assert dict(zip(table.columns["id"], table.columns["text"], strict=True)) == {
        item: " ".join(text.split()) for item, text in written.items()
    }
    speakers = {"text": None, "a/b.trn": ["a", "b", "c"]}.get(file, ["S1", "S2", "S1"])
    assert table.columns.get("speaker") == speakers


@pytest.mark.parametrize(
    "content", ['[{"id": "a", "text": "ja"}', "[", '[{"id": "a", "text": "ja"}]]', '[{"id": 1}{']
)
def test_a_list_that_is_not_complete_is_refused(content: str) -> None:
    read = transcript_tables("id", "text")["transcripts.jsonl"]
    with pytest.raises(ReferenceFileError) as refusal:
        read(content, "x.jsonl", Problems(ReferenceFileError))
    assert "not_json" in {problem.code for problem in refusal.value.problems}


@pytest.mark.parametrize(
    ("file", "item", "told"),
    [
        ("a.csv", "x", r"a\.csv: expected text, or"),
        ("a.ctm", "x", "'x' has no times; CTM"),
        ("text", "a b", "'a b'"),
        ("b.stm", "x_A_1", "RECORDING_CHANNEL"),
        ("b.stm", ";;x_A_0_1", "';;x A ;;x 0 0.001 ja'; expected no line that begins with ;;"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(file: str, item: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        write_transcripts({item: "ja"}, file)


def test_ctm_is_written_with_the_times_of_words() -> None:
    """Lines by hand, with durations that floats would not give: 0.3 - 0.1 is 0.19999999999999998."""
    said = {"r1": "guten  Morgen", "r2": "ja"}
    times = {"r1": [(0.1, 0.3), (np.float64(0.3), 1)], "r2": [(7.25e-5, 2.5)], "r3": []}
    found = write_transcripts(said, "x.ctm", times=times)
    assert found == "r1 1 0.1 0.2 guten\nr1 1 0.3 0.7 Morgen\nr2 1 0.0000725 2.4999275 ja\n"
    assert [cells[:2] for _, cells in rows(read_ctm, found)] == [["r1", "guten Morgen"], ["r2", "ja"]]
    for wrong, told in (
        ({"r1": [(0, 1)]}, r"x\.ctm: 'r1' has 2 words and 1 time \(and 1 more\); CTM"),
        ({**times, "r2": [(1, 0.5)]}, "'r2' has times that are not in order"),
        ({**times, "r1": [(1, 2), (0, 1)]}, "'r1' has times that are not in order"),
        ({**times, "r2": [(0, math.nan)]}, "'r2' has times that are not in order"),
        ({**times, "r2": [(-1, 1)]}, "'r2' has times that are not in order"),
        *(
            ({**times, "r2": no_pairs}, "'r2' has times that are not pairs of numbers")
            for no_pairs in ([("0", "1")], ["01"], [(None, 1)], [0], [(0, 1, 2)], 5)
        ),
    ):
        with pytest.raises(ValueError, match=told):
            write_transcripts(said, "x.ctm", times=wrong)
    with pytest.raises(ValueError, match=r"';;r 1 0.0 1.0 ja'; expected no line that begins with ;;"):
        write_transcripts({";;r": "ja"}, "x.ctm", times={";;r": [(0, 1)]})
    with pytest.raises(ValueError, match=r"x\.trn: ';; ja \(r\)'; expected no line"):
        write_transcripts({"r": ";; ja"}, "x.trn")
    with pytest.raises(ValueError, match="'r3' has no words; CTM"):
        write_transcripts({**said, "r3": " "}, "x.ctm", times=times)


@pytest.mark.parametrize(
    ("ids", "speakers"),
    [
        (("abc-d_001", "x_y-1"), ("abc", "x_y")),  # as sclite -i spu_id reports them, version 2.4.10
        (("a_b_1", "c_2"), ("a", "c")),
        (("a_1", "b_1", "d3"), ("", "", "")),
        (("utt_1", "utt_2"), ("", "")),
        (("_1", "b_1"), ("", "")),
        (("a-", "b_1"), ("", "")),
    ],
)
def test_speakers_of_trn_are_the_beginnings_of_ids(ids: tuple[str, ...], speakers: tuple[str, ...]) -> None:
    found = rows(read_trn, "".join(f"word ({item})\n" for item in ids))
    assert tuple(speaker for _, (_, _, speaker) in found) == speakers


def test_stm_with_comments_labels_and_ignored_segments() -> None:
    content = (
        ';; LABEL "M" "Male" "Male Talkers"\n'
        "2345 A 2345-a 0.10 2.0345 uh huh  yes\n"
        "2345 B 2345-b 0.10 2.0355 <O,M,01> I <unk> thought\n"
        "2345 A x 2.10 3.04 IGNORE_TIME_SEGMENT_IN_SCORING\n"
        "2345 A x 3.04 3.05 <O> ignore_time_segment_in_scoring\n"
        "2346 1 c 3 4.5\n"
        "2346 1 c 5 6 <O,F>\n"
    )
    left_out: Counter[str] = Counter()
    assert rows(read_stm, content, left_out=left_out) == [
        (2, ["2345_A_100_2034", "uh huh yes", "2345-a"]),
        (3, ["2345_B_100_2036", "I <unk> thought", "2345-b"]),
        (6, ["2346_1_3000_4500", "", "c"]),
        (7, ["2346_1_5000_6000", "", "c"]),
    ]
    assert left_out == {"ignore_time_segment_in_scoring": 2}


@pytest.mark.parametrize(("read", "content", "line", "message"), BAD_LINES)
def test_lines_that_cannot_be_used_are_refused(read, content, line, message):
    with pytest.raises(ReferenceFileError) as refused:
        rows(read, content, "own file")
    (problem,) = refused.value.problems
    assert problem.line == line
    assert message in problem.message


def test_all_problems_of_a_file_are_in_one_refusal() -> None:
    with pytest.raises(ReferenceFileError) as refused:
        rows(read_trn, "{a / b} (c) (u1)\nhello\n")
    assert [problem.line for problem in refused.value.problems] == [1, 1, 2]


class Counted(str):
    """A text that counts the characters that are copied from it."""

    copied = 0

    def rstrip(self):
        return self

    def __getitem__(self, place):
        self.copied += len(part := super().__getitem__(place))
        return part


def test_objects_are_read_without_copies_of_the_rest_of_a_file() -> None:
    content = Counted("[" + ",".join('{"id": "a", "text": "b"}' for _ in range(1000)) + "]")
    assert len(list(json_objects(content, "a.json", Problems()))) == 1000
    assert content.copied < len(content)


KALDI = "s1-1 ona poszła\ns1-2 do domu\ns2-1\n"


def test_speakers_of_kaldi_text_are_read_from_utt2spk_beside_it(tmp_path):
    files = {"text": KALDI, "utt2spk": "s1-1 Ola\ns1-2  Ola\n\ns2-1\tŁukasz\nt1 Jan\n"}
    reference, logged = load(tmp_path, files, WORDS)
    assert list(reference.definition.units(reference.parsed.labels).of.items()) == [
        ("s1-1", "Ola"),
        ("s1-2", "Ola"),
        ("s2-1", "Łukasz"),
    ]
    assert logged.endswith("; speakers read from utt2spk, without 1 other utterance")


def test_problems_of_utt2spk_are_in_one_list_with_missing_utterances(tmp_path):
    said = refused(tmp_path, {"text": KALDI, "utt2spk": "s1-1 Ola\ns1-2\ns1-1 Jan\n"}, WORDS)
    for words in (
        "line 2    's1-2'; expected ID SPEAKER",
        "line 3    utterance s1-1 has another speaker above, Ola",
        "line 2    utterance s1-2 is not in utt2spk",
        "line 3    utterance s2-1 is not in utt2spk",
    ):
        assert words in said
    assert "4 problems in 2 files" in said
