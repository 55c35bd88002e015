"""Turns in ELAN's, Praat's and other files: what is read, and what is refused with its line."""

import pytest

from speechbundles.annotation.tables import refusing
from speechbundles.annotation.turn_files import empty_annotation, read_turns
from speechbundles.model.errors import OrganiserError
from tests.samples.programs import ROOT, write_files
from tests.samples.tables import table

SAMPLES = ROOT / "tests/samples/annotations"
LONG, SHORT, EAF = (
    (SAMPLES / name).read_text("utf-8") for name in ("rec.TextGrid", "short.TextGrid", "rec.eaf")
)
"""The same turns as Praat saves them in two ways and as ELAN does."""
ELAN_TEXT = """\
00:00:00.500\t00:00:01.250\tEng"lish\trec.eaf\tfile:///C:/Interviews/rec.eaf
00:00:01.250\t00:00:05.000\tMandarin\trec.eaf\tfile:///C:/Interviews/rec.eaf
"""
"""What ELAN exports of several files without names of tiers, durations and header."""
TURNS = [("rec", 0.5, 1.25, 'Eng"lish'), ("rec", 1.25, 5.0, "Mandarin")]


def read(tmp_path, name, text, tiers=("lang*",), recordings=(), tier_labels=False):
    write_files(tmp_path, {name: text if isinstance(text, bytes) else text.encode()})
    with refusing() as problems:
        return read_turns({tmp_path / name: "anna"}, recordings, tiers, problems, tier_labels)


@pytest.mark.parametrize(
    ("name", "text", "utterances", "line"),
    [
        ("rec.TextGrid", LONG, [1, 1], 24),
        ("rec.textgrid", SHORT.encode("utf-16"), [1, 1], 19),
        ("rec.eaf", EAF, [1, 2], 19),
        ("all.txt", ELAN_TEXT, [1, 1], 2),
        ("rec.txt", '0.5\t1.25\tEng"lish\n1.25\t5\tMandarin\n', [1, 2], 2),
        (
            "all.rttm",
            "".join(
                f"SPEAKER rec 1 {each} <NA> <NA>\n"
                for each in ('0.5 0.75 <NA> <NA> Eng"lish', "1.25 3.75 <NA> <NA> Mandarin")
            ),
            [1, 2],
            2,
        ),
    ],
)
def test_the_same_turns_are_read_from_each_form(tmp_path, name, text, utterances, line):
    found = read(tmp_path, name, text)
    assert list(found[["recording", "start", "end", "label"]].itertuples(index=False, name=None)) == TURNS
    assert found["utterance"].tolist() == utterances
    assert found["line"].tolist()[1] == line
    assert set(found["annotator"]) == {"anna"}


def test_recordings_are_matched_without_suffix_and_tiers_can_be_labels(tmp_path):
    assert set(read(tmp_path, "rec.eaf", EAF, recordings=["rec.wav"])["recording"]) == {"rec.wav"}
    assert set(read(tmp_path, "re\u0301c.eaf", EAF, recordings=["r\u00e9c.wav"])["recording"]) == {
        "r\u00e9c.wav"
    }
    assert set(read(tmp_path, "rec.eaf", EAF, tiers=["*"], tier_labels=True)["label"]) == {
        "utterance",
        "language",
    }


@pytest.mark.parametrize(
    ("name", "change", "refused"),
    [
        *table("annotation_cases")["turn files refused"],
        (
            "all.txt",
            ("00:00:05.000", "00:00:01.000"),
            r"line 2 +expected a begin and a later end as hh:mm:ss.ms",
        ),
        ("rec.eaf", (EAF[600:], ""), r"line 11 +not as ELAN writes it"),
        ("rec.TextGrid", (LONG[500:], ""), r"line 2\d +(not a TextGrid|tier language has . of 3)"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path, name, change, refused):
    whole = {
        "rec.eaf": EAF,
        "rec.TextGrid": LONG,
        "short.TextGrid": SHORT,
        "rec.txt": "0.5\t1.25\tEnglish\n",
        "all.txt": ELAN_TEXT,
        "rec.rttm": "SPEAKER rec 1 0.5 0.75 <NA> <NA> E <NA> <NA>\n",
    }[name]
    assert change[0] in whole
    with pytest.raises(OrganiserError, match=f"(?s){refused}"):
        read(tmp_path, name, whole.replace(*change))


def test_an_unknown_recording_and_a_choice_of_tiers_are_refused(tmp_path):
    with pytest.raises(OrganiserError, match=r"rec\.eaf(?s:.*)no such recording; expected other"):
        read(tmp_path, "rec.eaf", EAF, recordings=["other.wav"])
    with pytest.raises(
        OrganiserError, match=r"annotations on utterance, language; expected one tier; choose with --tier"
    ):
        read(tmp_path, "rec.eaf", EAF, tiers=())


@pytest.mark.parametrize("suffix", [".eaf", ".TextGrid"])
def test_an_empty_file_for_an_annotator_has_the_tiers_and_no_turns(tmp_path, suffix):
    content = empty_annotation("rec.wav", 12.5, {"language": ["E", "M"], "noise": []}, suffix)
    assert b"language" in content
    assert b"noise" in content
    assert content == empty_annotation("rec.wav", 12.5, {"language": [], "noise": []}, suffix)
    assert read(tmp_path, f"rec{suffix}", content, tiers=()).empty
