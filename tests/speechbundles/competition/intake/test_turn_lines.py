"""Turns and regions in RTTM and UEM: what becomes labels, and which lines are refused."""

import pytest

from speechbundles.model.errors import BadReference
from tests.samples.labelled_turns import BAD_LINES, RTTM, UEM
from tests.samples.own_tables import load, refused


def test_rttm_and_uem_in_seconds_become_labels_and_regions_in_milliseconds(tmp_path):
    reference, logged = load(tmp_path, {"all.rttm": RTTM, "all.uem": UEM}, "merlion_diarization")
    assert reference.files["labels.csv"].decode().splitlines() == [
        "audio_name,utt_id,start,end,language_tag",
        "a.wav,a1,100,1100,English",
        "a.wav,a2,2000,2500,Mandarin",
        "b.wav,a3,500,1750,English",
    ]
    assert reference.files["regions.csv"].decode().splitlines()[1:] == ["a.wav,0,2500", "b.wav,0,3000"]
    assert "3 rows; read from 1 RTTM file, seconds converted to milliseconds" in logged


def test_a_repeated_turn_is_refused_with_both_places(tmp_path):
    said = refused(tmp_path, {"all.rttm": RTTM, "old.rttm": RTTM, "all.uem": UEM}, "merlion_diarization")
    assert "old.rttm: 3 problems\n\n  line 2    this turn of b is already in all.rttm line 2" in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        *((line, said.removeprefix("line 2 .*")) for line, said in BAD_LINES if "name" not in said),
        ("SPEAEKR r 1 0 1 <NA> <NA> English <NA> <NA>", "type 'SPEAEKR'; did you mean SPEAKER\\?"),
        ("NOSCORE r 1 0 1 <NA> <NA> <NA> <NA> <NA>", "NOSCORE: leave this time out of the evaluated regions"),
    ],
)
def test_lines_of_rttm_that_participants_may_not_write_are_refused(tmp_path, line, said):
    files = {"all.rttm": f"{RTTM}{line}\n", "all.uem": UEM}
    with pytest.raises(BadReference, match=f"all.rttm: 1 problem\n\n  line 5    .*{said}"):
        load(tmp_path, files, "merlion_diarization")


@pytest.mark.parametrize("line", ["c 1 0", "c 1 0 1 x", "c 1 0 nan", "c 1 2 1", "c 1 -1 1"])
def test_invalid_lines_of_uem_are_refused(tmp_path, line):
    said = refused(tmp_path, {"all.rttm": RTTM, "all.uem": f"{UEM}{line}\n"}, "merlion_diarization")
    assert "all.uem: 1 problem\n\n  line 3 " in said


def test_the_problems_of_both_files_of_a_set_are_in_one_refusal(tmp_path):
    files = {"labels.xlsx": b"\xd0\xcf\x11\xe0", "all.uem": f"{UEM}c 1 2 1\n"}
    said = refused(tmp_path, files, "merlion_diarization")
    assert f"{tmp_path}/own: 2 files cannot be used\n\n{tmp_path}/own/labels.xlsx: " in said
    assert "all.uem: 1 problem\n\n  line 3 " in said


def test_lines_of_rttm_that_are_no_turns_are_counted(tmp_path):
    lines = "SPKR-INFO a 1 <NA> <NA> <NA> unknown anna <NA> <NA>\nlexeme a 1 0 1 hi lex anna <NA> <NA>\n"
    _, logged = load(tmp_path, {"all.rttm": lines * 2 + RTTM, "all.uem": UEM}, "merlion_diarization")
    assert "3 rows; read from 1 RTTM file" in logged
    assert "left out: 2 LEXEME lines, 2 SPKR-INFO lines" in logged


def test_turns_without_evaluated_regions_are_refused(tmp_path):
    said = refused(tmp_path, {"all.rttm": RTTM}, "merlion_diarization")
    assert "no regions.csv, no UEM file *.uem; found all.rttm" in said
    for uem in ("", ";; nothing"):
        said = refused(tmp_path, {"all.rttm": "", "all.uem": uem}, "merlion_diarization")
        assert "all.uem: 1 problem\n\n  has no recording" in said
