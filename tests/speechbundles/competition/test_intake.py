"""Organisers' own files: the bundle gets the same canonical file, whatever the format."""

from __future__ import annotations

import datetime
import io

import pytest

import build_bundle
from speechbundles.competition.intake.kit_data import canonical_tables
from speechbundles.competition.intake.layouts.ratings import wide
from speechbundles.competition.references import load_reference
from speechbundles.model.errors import BadReference, UnreadableFile
from spokeneval.formats.problems import ReferenceFileError
from spokeneval.tasks import find_task
from tests.samples.programs import ROOT, write_files

COLUMNS = ("Id", "Prompt", "Wavfile", "RecResult", "Transcription", "language", "meaning")
ROWS = (
    ("10134", "Frag: Zimmer für 3 Nächte", "10134.wav", "a room, please", "a room; please", *["correct"] * 2),
    ("10135", 'Sag: "nein"', "10135.wav", "no", "no", "incorrect", "correct"),
    ("10136", "Frag: Café", "10136.wav", "", "coffee", "incorrect", "incorrect"),
    ("10137", "Frag: Café", "10137.wav", "cafe", "café", "correct", "correct"),
)


def written(rows, separator, quoted='"', end="\n"):
    """Return a table as text, with quotation marks around cells that need them."""

    def cell(text):
        needs = any(mark in text for mark in (separator, '"', "\n"))
        return quoted + text.replace('"', '""') + quoted if needs else text

    return "".join(separator.join(map(cell, row)) + end for row in rows)


CANONICAL = written([COLUMNS, *ROWS], "\t").encode()


def workbook(rows, before=()):
    from openpyxl import Workbook

    book = Workbook()
    for title in before:
        book.active.title = title
        book.active.append(["nothing here"])
        book.create_sheet()
    for row in rows:
        book.worksheets[-1].append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


NUMBERED = [COLUMNS, *((int(row[0]), *row[1:]) for row in ROWS)]
NOTATIONS = {
    "commas": (written([COLUMNS, *ROWS], ",").encode(), "UTF-8; separated by commas"),
    "semicolons, a mark, CRLF": (
        b"\xef\xbb\xbf" + written([COLUMNS, *ROWS], ";", end="\r\n").encode(),
        "UTF-8; separated by semicolons",
    ),
    "UTF-16": (written([COLUMNS, *ROWS], "\t").encode("utf-16"), "UTF-16; separated by tabs"),
    "Windows-1252": (
        written([COLUMNS, *ROWS], ";").encode("cp1252"),
        "not UTF-8, read as Windows-1252: is 'für' in line 2 right?; separated by semicolons",
    ),
    "a workbook": (workbook(NUMBERED), "4 rows; workbook; sheet 'Sheet'"),
    "a workbook's second sheet": (workbook(NUMBERED, before=["Notes"]), "4 rows; workbook; sheet 'Sheet'"),
    "the second edition's columns": (
        written([(*COLUMNS[:5], "FullyAcceptable", "MeaningAcceptable"), *ROWS], "\t").encode(),
        "language (here FullyAcceptable), meaning (here MeaningAcceptable)",
    ),
    "blanks around": (
        written([COLUMNS, *((f"{row[0]} ", *row[1:6], f" {row[6]}") for row in ROWS)], "\t").encode(),
        "blanks removed around 8 cells",
    ),
    "no header": (written(ROWS, "\t").encode(), "separated by tabs, without a header"),
    "a trace": (
        written([(*COLUMNS, "Trace"), *((*row, "judged twice") for row in ROWS)], "\t", end="\r\n").encode(),
        "left out: Trace",
    ),
    "a trace and no header": (
        written([(*row, "judged twice") for row in ROWS], "\t").encode(),
        "without a header",
    ),
}


def load(tmp_path, files, task="spoken_call", **how):
    logged = []
    reference = load_reference(
        find_task(task), "evaluation", write_files(tmp_path / "own", files), {}, log=logged.append, **how
    )
    return reference, "\n".join(logged)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_notation_gives_the_same_file(tmp_path, notation):
    content, understood = NOTATIONS[notation]
    suffix = "xlsx" if "workbook" in notation else "txt"
    reference, logged = load(tmp_path, {f"reference.{suffix}": content})
    assert reference.files == {"reference.csv": CANONICAL}
    assert understood in logged


def test_a_sheet_without_a_header_may_lack_the_recognisers_transcript(tmp_path):
    header, *rows = (row[:3] + row[4:] for row in (COLUMNS, *ROWS))
    reference, _ = load(tmp_path, {"reference.csv": written(rows, "\t").encode()})
    assert reference.files["reference.csv"] == written([header, *rows], "\t").encode()


def test_a_file_that_the_reader_accepts_is_not_changed(tmp_path):
    content = b"\n" + CANONICAL.replace(b"\n", b"\r\n")
    reference, _ = load(tmp_path, {"reference.csv": content})
    assert reference.files == {"reference.csv": content}


def test_problems_name_the_organisers_lines(tmp_path):
    rows = [*ROWS[:2], ("10136", *ROWS[2][1:5], "wrong", "incorrect"), ROWS[3], ROWS[3]]
    text = written([COLUMNS, *rows[:1]], ";") + "\n\n" + written(rows[1:], ";") + '10140;"open\n10141;short\n'
    with pytest.raises(BadReference) as refusal:
        load(tmp_path, {"reference.csv": text.encode()})
    for words in (
        "reference.csv: 4 problems",
        "line 6    Id 10136: language 'wrong'",
        "line 8    Id 10137 already appears on line 7; keep only one",
        "line 9    a quotation mark that is not closed",
        "line 10   2 fields, separated by semicolons; expected 7",
    ):
        assert words in str(refusal.value)


def test_a_repeated_header_is_reported_with_its_line(tmp_path):
    header = (*COLUMNS[:5], "FullyAcceptable", "MeaningAcceptable")
    content = written([header, *ROWS[:2], header, *ROWS[2:]], ";").encode()
    with pytest.raises(BadReference, match="line 4    a header row in mid-file"):
        load(tmp_path, {"reference.csv": content})
    reference, _ = load(tmp_path, {"reference.csv": content}, drop_invalid_rows=True)
    assert reference.files == {"reference.csv": CANONICAL}
    assert reference.dropped[0] == "1 row of the 5 in reference.csv, which biases the set"


def test_a_cell_over_several_lines_is_one_cell(tmp_path):
    row = ("10138", "Frag:\nWasser", *ROWS[0][2:])
    reference, _ = load(tmp_path, {"reference.csv": written([COLUMNS, *ROWS, row], ",").encode()})
    assert reference.files["reference.csv"].decode().splitlines()[-1].startswith("10138\tFrag: Wasser\t")


@pytest.mark.parametrize("separator", ["\t", ";"])
def test_rows_left_out_are_reported_with_their_number_and_classes(tmp_path, separator):
    rows = [*ROWS, (*ROWS[0][:6], "correct"), ("10139", *ROWS[0][1:5], "correct", "incorrect")]
    content = written([COLUMNS, *rows], separator).encode()
    reference, _ = load(tmp_path, {"reference.csv": content}, drop_invalid_rows=True)
    # Four of six rows are correct in language, two incorrect in meaning; two and one of these are left out.
    biased, *reasons = reference.dropped
    assert biased.startswith("2 rows of the 6 in reference.csv, which biases the set (left out by value: ")
    assert "language 'correct' 2 of 4; meaning 'correct' 1 of 4, 'incorrect' 1 of 2)" in biased
    assert [reason.partition(":")[0] for reason in reasons] == [
        f"reference.csv line {line}" for line in (6, 7)
    ]
    assert reference.items == tuple(row[0] for row in ROWS)


def test_a_date_in_place_of_an_id_is_told(tmp_path):
    rows = [COLUMNS, (datetime.date(2024, 3, 1), *ROWS[0][1:])]
    words = r"row 2: the cell 2024-03-01 .*is a date or a time; format the column"
    with pytest.raises(BadReference, match=words):
        load(tmp_path, {"reference.xlsx": workbook(rows)})


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"reference.tsv": b"a", "reference.xlsx": b"b"},
            "reference.tsv, reference.xlsx can all be reference.csv; keep one",
        ),
        ({"reference.csv": b"\xff\xfe\x00"}, "begins like UTF-16 but is not valid UTF-16"),
        ({"reference.csv": b"Id\x81"}, "line 1: byte 0x81 is not text in UTF-8, UTF-16 or Windows-1252"),
        ({"reference.csv": b"Id\0"}, "a NUL byte"),
        ({"reference.csv": b"\xd0\xcf\x11\xe0\0"}, "in an older Excel format; save it as .xlsx"),
        ({"reference.csv": b"\n"}, "is empty"),
    ],
)
def test_files_that_are_not_tables_are_refused(tmp_path, files, said):
    with pytest.raises(BadReference) as refusal:
        load(tmp_path, files)
    assert said in str(refusal.value)


def test_older_names_of_columns_become_the_newer_ones(tmp_path):
    text = "id\ttest\ttranscript_arpabet\tis_correct\na-1\tBNT\tK AE T\tTRUE\na-2\tVNT\tD AO\tFALSE\n"
    for task in ("psst_recognition", "psst_correctness"):
        reference, _ = load(tmp_path, {"utterances.tsv": text}, task)
        header = reference.files["utterances.tsv"].partition(b"\n")[0]
        assert header == b"utterance_id\ttest\ttranscript\tcorrectness"


# Diarization

RTTM = """;; two recordings
SPEAKER b 1 0.50 1.25 <NA> <NA> English <NA> <NA>
SPEAKER a 1 2 0.5 <NA> <NA> Mandarin <NA> <NA>
SPEAKER a 1 0.1 1 <NA> <NA> English <NA> <NA>
"""
UEM = "b 1 0 3\na 1 0 2.5\n"


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
    with pytest.raises(BadReference) as refusal:
        load(tmp_path, {"all.rttm": RTTM, "old.rttm": RTTM, "all.uem": UEM}, "merlion_diarization")
    assert "old.rttm: 3 problems\n\n  line 2    this turn of b is already in all.rttm line 2" in str(
        refusal.value
    )


def test_an_invalid_turn_in_rttm_is_refused_with_its_file_and_line(tmp_path):
    broken = RTTM.replace("0.50", "0,50").replace(" <NA> <NA> Mandarin <NA> <NA>", "")
    with pytest.raises(BadReference) as refusal:
        load(tmp_path, {"all.rttm": broken, "all.uem": UEM}, "merlion_diarization")
    assert "line 2    time '0,50'; expected a finite decimal number (a decimal point" in str(refusal.value)
    assert "line 3    5 fields; expected SPEAKER FILE CHANNEL" in str(refusal.value)


def test_turns_without_evaluated_regions_are_refused(tmp_path):
    with pytest.raises(BadReference, match=r"no regions.csv and no \*.uem; found all.rttm"):
        load(tmp_path, {"all.rttm": RTTM}, "merlion_diarization")


def test_regions_without_a_header_get_one(tmp_path):
    labels = "audio_name,utt_id,start,end,language_tag\na.wav,1,0,900,English\na.wav,2,900,1500,Mandarin\n"
    reference, _ = load(
        tmp_path, {"labels.csv": labels, "regions.csv": "a.wav;0;2000\n"}, "merlion_diarization"
    )
    assert reference.files["regions.csv"] == b"audio_name,start,end\na.wav,0,2000\n"


# Kit data


def test_kit_data_are_converted_to_the_format_that_baselines_read():
    rows = [("id", "text"), ("1", "café, bar"), ("2", "tea")]
    files = {
        "data/a.csv": written(rows, ";").encode("utf-16"),
        "data/b.tsv": written(rows, ",").encode("cp1252"),
        "data/c.xlsx": workbook(rows),
        "data/d.csv": written(rows, ",").encode(),
        "data/grammar.xml": "<ü/>".encode("latin-1"),
    }
    logged: list[str] = []
    read = canonical_tables(files, logged.append)
    assert read["data/a.csv"] == read["data/c.csv"] == read["data/d.csv"] == files["data/d.csv"]
    assert read["data/b.tsv"] == written(rows, "\t").encode()
    assert read["data/grammar.xml"] == files["data/grammar.xml"]
    found = [line.partition(";")[0] for line in logged]
    assert found == [f"data/{name}: 2 rows" for name in ("a.csv", "b.tsv", "c.xlsx")]


def test_old_line_ends_in_kit_data_are_converted():
    read = canonical_tables({"a.csv": b"id,note\r1,a\r2,b\r", "b.csv": b"id\r\n1\r\n"}, lambda line: None)
    assert read == {"a.csv": b"id,note\n1,a\n2,b\n", "b.csv": b"id\r\n1\r\n"}


def test_kit_data_of_one_column_are_a_table_too():
    read = canonical_tables({"a.csv": b"text\na, b\nc\n"}, lambda line: None)
    assert read == {"a.csv": b'text\n"a, b"\nc\n'}


def test_the_samples_kit_data_stay_as_they_are():
    logged: list[str] = []
    for folder in sorted((ROOT / "starting_kit").glob("*/data")):
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert canonical_tables(files, logged.append) == files
    assert logged == []


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.csv": b"a,b\n1,2\n1,2,3\n"}, r"a\.csv: separated by commas; line 3 does not have 2 fields"),
        ({"a.csv": b'a;b\n1;2\n3;"4'}, r"a\.csv: separated by semicolons; line 3 does not have 2 fields"),
        ({"a.csv": b"\n"}, r"a\.csv: is empty"),
        ({"a.csv": b"a,b\n", "a.xlsx": b""}, r"a\.xlsx: a\.csv exists too"),
        ({"a.xlsx": b"", "a.csv": b"a,b\n"}, r"a\.xlsx: a\.csv exists too"),
    ],
)
def test_kit_data_that_are_not_tables_are_refused_by_name(files, said):
    with pytest.raises(UnreadableFile, match=said):
        canonical_tables(files, lambda line: None)


# Ratings in long tables

LONG = ("id", "rater", "rating", "speaker", "session")


def long_table(*rows):
    return dict(enumerate(([cell.strip(",") for cell in row.split()] for row in rows), 2))


def test_a_long_table_of_ratings_gets_a_column_for_each_rater():
    rows = long_table("b ben 4 s1 1", "a anna 2 s2 1", "b anna 5 s1 2", "c ben 1 s1 2")
    columns, found = wide("long.csv", LONG, rows, id="id")
    assert columns == ("id", "speaker", "ben", "anna")  # items were rated in several sessions
    assert found == [(2, ["b", "s1", "4", "5"]), (3, ["a", "s2", "", "2"]), (5, ["c", "s1", "1", ""])]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("b ben 3 s1 1", r"line 3 +id b: rater ben rated it '3', and '4' on line 2; keep one"),
        ("b ,,, 3 s1 1", "line 3 +the rater is empty"),
        ("b speaker 3 s1 1", r"line 3 +rater speaker is also the name of a column"),
    ],
)
def test_a_long_table_that_is_ambiguous_is_refused(row, said):
    with pytest.raises(ReferenceFileError, match=said):
        wide("long.csv", LONG, long_table("b ben 4 s1 1", row), id="id")


# The command


def test_the_build_prints_first_how_files_were_read(tmp_path, capsys):
    content = NOTATIONS["Windows-1252"][0].replace(b"10137;", b";")
    own = write_files(tmp_path, {"gold.csv": content}) / "gold.csv"
    without = ["--leave-out", "development", "--leave-out", "baseline"]
    words = ["build", "spoken_call", "--reference", f"spoken_call={own}", "--out", str(tmp_path / "out")]
    assert build_bundle.main([*words, *without]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert f"spoken_call/evaluation: {own}: 4 rows; not UTF-8, read as Windows-1252" in said
    assert said.index("read as Windows-1252") < said.index("the Id is empty")
