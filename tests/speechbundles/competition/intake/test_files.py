"""Turns, regions and transcripts in other file formats, as tables of a task."""

import json
from pathlib import Path

import pytest

from speechbundles.competition.intake.complete import name_segments
from speechbundles.competition.intake.declared import Declared
from speechbundles.competition.intake.files import formats_of, make_table
from speechbundles.competition.intake.reference import read_tables
from speechbundles.competition.intake.table import Notation
from speechbundles.competition.references import load_reference
from spokeneval.formats.problems import ReferenceFileError
from spokeneval.formats.tables import Layout
from spokeneval.kinds.declared import declared_task
from tests.samples.annotated import eaf, elan_text, label_studio, text_grid
from tests.samples.labelled_turns import RTTM, UEM
from tests.samples.own_tables import load, refused
from tests.samples.programs import write_files


def test_identification_reads_rttm_and_label_tracks_alike(tmp_path):
    tracks = {
        "a.txt": "0.1\t1.1\tEnglish\n\\\t100\t200\n2\t2.5\tMandarin\n",
        "b.txt": "0.50\t1.75\tEnglish\n",
        "WHAT_GOES_HERE.txt": "Put your labels here.\n",
    }
    from_tracks, logged = load(tmp_path / "1", tracks, "merlion_identification")
    from_rttm, _ = load(tmp_path / "2", {"all.rttm": RTTM}, "merlion_identification")
    assert from_tracks.files == from_rttm.files
    assert from_tracks.items == ("a_a1_100_1100", "a_a2_2000_2500", "b_a3_500_1750")
    assert "3 rows; read from 2 Audacity label files, seconds converted to milliseconds" in logged


def test_problems_in_label_tracks_name_their_own_files_and_lines(tmp_path):
    tracks = {"a.txt": "0\t1\tEnglish\n2\t1\tMandarin\n", "b.txt": "0\t1\tDeutsch\n1\t2\n"}
    said = refused(tmp_path, {**tracks, "all.uem": UEM}, "merlion_diarization")
    assert " a.txt\n  line 2    end 1 is not after start 2\n" in said
    assert " b.txt\n  line 2    expected start, end and label, separated by tabs" in said
    tracks = {"a.txt": "0\t1\tEnglish\n", "b.txt": "\n0\t1\tDeutsch\n"}
    said = refused(tmp_path / "other", {**tracks, "all.uem": UEM}, "merlion_diarization")
    assert "b.txt: 1 problem\n\n  line 2    utt_id (numbered by row) a2: language_tag 'Deutsch'" in said
    assert "labels.csv" not in said


SEGMENTS_OF_A_KIND = Layout(
    "labels.csv", "id", ("id", "label"), optional=("speaker", "recording", "start", "end")
)


TRANSCRIPTS_OF_A_KIND = Layout("transcripts.csv", "Datei", ("Datei", "transcript"), optional=("speaker",))


TURNS_OF_A_KIND = Layout("turns.csv", "recording", ("recording", "start", "end", "label"))


def test_formats_are_found_by_the_columns_of_a_layout():
    def called(layout):
        return [form.called for form in formats_of(layout)]

    tiers = ["ELAN", "TextGrid", "ELAN text", *3 * ["Label Studio"]]
    assert called(TURNS_OF_A_KIND) == called(SEGMENTS_OF_A_KIND) == ["RTTM", "Audacity label", *tiers]
    assert called(Layout("turns.csv", "Datei", ("Datei", "start", "end", "label"))) == called(TURNS_OF_A_KIND)
    assert called(Layout("regions.csv", "Datei", ("Datei", "start", "end"), optional=("speaker",))) == ["UEM"]
    assert called(TRANSCRIPTS_OF_A_KIND) == [
        "Audacity label", *tiers, "STM", "trn", "CTM", "Kaldi text", "JSON",
    ]  # fmt: skip
    form = formats_of(TRANSCRIPTS_OF_A_KIND)[-1]
    assert form.fits('{"id": "a", "text": "b"}')
    assert not form.fits('{"files": ["a.wav"]}')
    assert called(Layout("labels.csv", "id", ("id", "label"))) == []
    assert called(Layout("ratings.csv", "id", ("id", "anna", "ben"))) == []


def test_turns_of_a_kind_are_in_seconds_and_segments_are_named_by_their_times():
    texts = {Path("b.txt"): "0.50\t1.75\tहिन्दी\n", Path("ä.txt"): "0.1\t1.1\tDeutsch\n"}
    tracks = next(form for form in formats_of(TURNS_OF_A_KIND) if form.names == "*.txt")
    turns = make_table(texts, tracks, TURNS_OF_A_KIND, Notation())
    assert turns.to_ship().decode() == "recording,start,end,label\nb,0.5,1.75,हिन्दी\nä,0.1,1.1,Deutsch\n"
    segments = name_segments(make_table(texts, tracks, SEGMENTS_OF_A_KIND, Notation()), SEGMENTS_OF_A_KIND)
    assert segments.to_ship().decode().splitlines()[:2] == [
        "id,label,recording,start,end",
        "b_0.5_1.75,हिन्दी,b,0.5,1.75",
    ]


@pytest.mark.parametrize(
    "files",
    [
        {"x.rttm": "SPEAKER a 1 0.5 1.25 <NA> <NA> de <NA> <NA>\nSPEAKER b 1 0 1 <NA> <NA> hi <NA> <NA>\n"},
        {"a.txt": "0.5\t1.75\tde\n", "b.txt": "0\t1\thi\n"},
        {"turns.csv": "recording;start_ms;end_ms;label\na;500;1750;de\nb;0;1000;hi\n"},
    ],
)
def test_a_declared_task_of_turns_reads_all_formats_alike(tmp_path, files):
    task = declared_task("languages", {"kind": "turns", "classes": ["de", "hi"]})
    folder = write_files(tmp_path / "own", {**files, "x.uem": "a 1 0 3\nb 1 0 2\n"})
    reference = load_reference(task, "evaluation", folder, {})
    assert reference.files == {
        "turns.csv": b"recording,start,end,label\na,0.5,1.75,de\nb,0,1,hi\n",
        "regions.csv": b"recording,start,end\na,0,3\nb,0,2\n",
    }


def test_the_file_and_the_columns_of_turns_are_declared(tmp_path):
    """Turns with times as ELAN writes them, without a header, beside regions with the task's own names."""
    task = declared_task("languages", {"kind": "turns", "classes": ["de", "hi"]})
    turns = "00:00:00.500\t00:00:01,750\tde\ta\n00:00:00.000\t01:00:01.000\thi\tb\n"
    regions = "recording,start,end\na,0,3\nb,0,4000\n"
    folder = write_files(tmp_path, {"Sprecher.txt": turns, "regions.csv": regions, "notes.csv": "x\n"})
    declared = Declared(file="Sprecher.txt", columns=("start", "end", "label", "recording"))
    logged: list[str] = []
    reference = load_reference(task, "evaluation", folder, {}, declared=declared, log=logged.append)
    rows = b"start,end,label,recording\n0.5,1.75,de,a\n0,3601,hi,b\n"
    assert reference.files == {"turns.csv": rows, "regions.csv": regions.encode()}
    assert "times as hh:mm:ss were converted: 4 cells" in logged[0]


SAID = {"w@Anna": [(0.5, 1.25, "bon jour"), (3, 4, "oui")], "w@Ben": [(61, 62.5, "à toi")]}
MEETING = {
    "rec.eaf": eaf(SAID),
    "rec.TextGrid": text_grid(SAID),
    "rec.txt": elan_text(SAID),
    "rec.txt without a header": elan_text(SAID, header=False),
    "project-3.json": json.dumps([label_studio(7, "rec", {"a@example.org": SAID})]).encode(),
}


@pytest.mark.parametrize("file", MEETING)
def test_words_on_tiers_are_meetings_or_transcripts_and_no_labels(tmp_path, file):
    folder = write_files(tmp_path, {file.split()[0]: MEETING[file], "notes.md": "x"})
    meetings = declared_task("x", {"kind": "meetings"})
    with pytest.raises(
        ReferenceFileError, match=r"annotations on w@Anna, w@Ben; expected one tier; choose with sets\."
    ):
        read_tables(meetings, folder)
    ((_, table),) = read_tables(meetings, folder, Declared(tiers=["w@*"]))
    assert table.to_ship().decode().splitlines() == [
        "session_id,speaker,start_time,end_time,words",
        "rec,w@Anna,0.5,1.25,bon jour",
        "rec,w@Anna,3,4,oui",
        "rec,w@Ben,61,62.5,à toi",
    ]
    ((_, table),) = read_tables(
        declared_task("x", {"kind": "transcripts"}), folder, Declared(tiers=["*Anna"])
    )
    assert table.to_ship().decode() == "id,transcript\nrec,bon jour oui\n"
    declared = Declared(tiers=["*"], tier_labels=True)
    if file.endswith(".json"):  # its labels are the speakers already
        declared = Declared()
    task = declared_task("x", {"kind": "turns"})
    write_files(folder, {"regions.csv": "recording,start,end\nrec,0,70\n"})
    (_, turns), _ = read_tables(task, folder, declared)
    assert turns.to_ship().decode().splitlines()[1:3] == ["rec,0.5,1.25,w@Anna", "rec,3,4,w@Anna"]


def test_words_in_place_of_labels_are_refused(tmp_path):
    track = "".join(f"{number}\t{number + 1}\tfrase {number}\n" for number in range(30))
    texts = {tmp_path / "rec.txt": track}
    tracks = next(form for form in formats_of(TURNS_OF_A_KIND) if form.names == "*.txt")
    with pytest.raises(
        ReferenceFileError, match="rec has 30 different labels, such as 'frase 0': these are words"
    ):
        make_table(texts, tracks, TURNS_OF_A_KIND, Notation())
    task = declared_task("x", {"kind": "transcripts"})
    folder = write_files(tmp_path, {"rec.txt": track, "rec2.txt": "0\t1\tadiós\n"})
    ((_, table),) = read_tables(task, folder)
    assert table.to_ship().decode().endswith("frase 28 frase 29\nrec2,adiós\n")


HEARD = {"text": "jan-1 guten Tag\nzoë-1 नमस्ते\n", "a.trn": "guten Tag (jan-1)\nनमस्ते (zoë-1)\n"}


def test_transcripts_of_a_kind_are_read_with_their_speakers(tmp_path):
    task = declared_task("asr", {"kind": "transcripts", "id": "Datei"})
    for name, expected in {
        "text": "Datei,transcript\njan-1,guten Tag\nzoë-1,नमस्ते\n",
        "a.trn": "Datei,transcript,speaker\njan-1,guten Tag,jan\nzoë-1,नमस्ते,zoë\n",
    }.items():
        folder = write_files(tmp_path / name, {name: HEARD[name], "wav.scp": "x"})
        ((_, table),) = read_tables(task, folder)
        assert table.to_ship().decode() == expected
        assert "read from 1" in table.understood
    bad = write_files(tmp_path / "bad", {"a.trn": "guten Tag\n(jan-2)\n"})
    with pytest.raises(ReferenceFileError, match=r"a\.trn: 1 problem\s+line 1 +'guten Tag'; expected"):
        read_tables(task, bad)
