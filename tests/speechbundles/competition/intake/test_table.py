"""Organisers' own tables: the bundle gets the same canonical file, whatever the format and the names of columns."""

from dataclasses import replace

import pytest

from speechbundles.competition.intake.declared import Declared
from speechbundles.model.errors import BadReference
from spokeneval.kinds.declared import declared_task
from tests.samples.own_tables import CANONICAL, COLUMNS, ROWS, book, load, refused, written
from tests.samples.tables import table

NUMBERED = [COLUMNS, *((int(row[0]), *row[1:]) for row in ROWS)]


TRACED = [(*COLUMNS, "Trace"), *((*row, "judged twice") for row in ROWS)]
SECOND_EDITION = [(*COLUMNS[:5], "FullyAcceptable", "MeaningAcceptable"), *ROWS]
BLANKS = [COLUMNS, *((f"{row[0]} ", *row[1:6], f" {row[6]}") for row in ROWS)]
WHOLE = [COLUMNS, *ROWS]
MARKED = b"\xef\xbb\xbf" + written(WHOLE, ";", end="\r\n").encode()

NOTATIONS = {
    "commas": (written(WHOLE, ",").encode(), "UTF-8; separated by commas"),
    "semicolons, a mark, CRLF": (MARKED, "UTF-8; separated by semicolons"),
    "UTF-16": (written(WHOLE, "\t").encode("utf-16"), "UTF-16; separated by tabs"),
    "Windows-1252": (written(WHOLE, ";").encode("cp1252"), "read as Windows-1252: is 'für' in line 2 right?"),
    "a workbook": (book(Sheet=NUMBERED), "4 rows; workbook; sheet 'Sheet'"),
    "a workbook's second sheet": (book(Notes=[["nothing"]], Sheet=NUMBERED), "4 rows; workbook; sheet 'Sheet'"),
    "the second edition's columns": (written(SECOND_EDITION, "\t").encode(), "meaning (here MeaningAcceptable)"),
    "blanks around": (written(BLANKS, "\t").encode(), "blanks removed around 8 cells"),
    "no header": (written(ROWS, "\t").encode(), "separated by tabs, without a header"),
    "a trace": (written(TRACED, "\t", end="\r\n").encode(), "left out: Trace"),
    "a trace and no header": (written(TRACED[1:], "\t").encode(), "without a header"),
}  # fmt: skip


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
    said = refused(tmp_path, {"reference.csv": text.encode()})
    for words in (
        "reference.csv: 4 problems",
        "line 6    Id 10136: language 'wrong'",
        "line 8    Id 10137 already appears on line 7; keep only one",
        "line 9    a quotation mark that is not closed",
        "line 10   2 fields, separated by semicolons; expected 7",
    ):
        assert words in said


def test_a_repeated_header_is_reported_with_its_line(tmp_path):
    header = (*COLUMNS[:5], "FullyAcceptable", "MeaningAcceptable")
    content = written([header, *ROWS[:2], header, *ROWS[2:]], ";").encode()
    with pytest.raises(BadReference, match="line 4    a header row in mid-file"):
        load(tmp_path, {"reference.csv": content})
    reference, _ = load(tmp_path, {"reference.csv": content}, drop_invalid_rows=True)
    assert reference.files == {"reference.csv": CANONICAL}
    assert reference.dropped[0] == "1 row of the 5 in reference.csv, which biases the set"


def test_older_names_of_columns_become_the_newer_ones(tmp_path):
    text = "id\ttest\ttranscript_arpabet\tis_correct\na-1\tBNT\tK AE T\tTRUE\na-2\tVNT\tD AO\tFALSE\n"
    for task in ("psst_recognition", "psst_correctness"):
        reference, _ = load(tmp_path, {"utterances.tsv": text}, task)
        header = reference.files["utterances.tsv"].partition(b"\n")[0]
        assert header == b"utterance_id\ttest\ttranscript\tcorrectness"


def test_regions_without_a_header_get_one(tmp_path):
    labels = "audio_name,utt_id,start,end,language_tag\na.wav,1,0,900,English\na.wav,2,900,1500,Mandarin\n"
    files = {"labels.csv": labels, "regions.csv": "a.wav;0;2000\n"}
    reference, _ = load(tmp_path, files, "merlion_diarization")
    assert reference.files["regions.csv"] == b"audio_name,start,end\na.wav,0,2000\n"


TABLE_3 = """Audio_name,utt_id,Start time of annotation (ms),End time of annotation (ms),Language tag,{overlap}
Audio1.wav,a1,1170,1500,English,False
Audio1.wav,a2,1550,1780,Mandarin,False
Audio2.wav,a1,0,900,English,True
Audio2.wav,a2,800,2560,Mandarin,True
Audio3.wav,a1,5,450,Non-Speech,False
Audio3.wav,a2,1000,2560,Mandarin,False
"""
TABLE_4 = "Audio1.wav,1170,1500\nAudio2.wav,0,800\nAudio2.wav,2500,490000\nAudio3.wav,5,879000\n"


def test_labels_with_the_headers_of_merlions_plan_are_read(tmp_path):
    """Tables 3 and 4 of the plan as they are printed, without the rows of dots."""
    labels = TABLE_3.format(overlap="Overlapping different language")
    header = "audio_name,utt_id,start,end,language_tag,overlap_diff_lang"
    for task, more in (("merlion_identification", {}), ("merlion_diarization", {"regions.csv": TABLE_4})):
        reference, _ = load(tmp_path / task, {"labels.csv": labels, **more}, task)
        assert reference.files["labels.csv"].decode() == "\n".join([header, *labels.split("\n")[1:]])
        assert len(reference.items) == 3  # segments without those that overlap; recordings


GERMAN = (
    ("Antwort", "Aufgabe", "Sprecher", "Note", "Wortlaut"),
    ("ä1", "P1", "Jürgen", "3", "ich hätte gern ein Zimmer"),
    ("ä2", "P1", "Jürgen", "1", "nein"),
    ("ä3", "P2", "Zoë", "4", "zwei Nächte, bitte"),
)


RENAME = {
    "response_id": "Antwort",
    "prompt_id": "Aufgabe",
    "speaker_id": "Sprecher",
    "human_score": "Note",
    "transcript": "Wortlaut",
}


GERMAN_READ = """response_id,prompt_id,speaker_id,human_score,words,transcript
ä1,P1,Jürgen,3,5,ich hätte gern ein Zimmer
ä2,P1,Jürgen,1,1,nein
ä3,P2,Zoë,4,3,"zwei Nächte, bitte"
"""


def german(rows=GERMAN):
    """The same table as organisers have it: `files, what is declared`."""
    sheets = book(Tabelle1=[("Antwort", "Note"), ("alt", "1")], Tabelle2=rows)
    return {
        "cp1252": ({"reference.csv": written(rows, ";").encode("cp1252")}, {"separator": ";"}),
        "bars": ({"reference.csv": written(rows, "|").encode()}, {"separator": "|"}),
        "sheet": ({"Noten.xlsx": sheets}, {"sheet": "tabelle2", "file": "Noten.xlsx"}),
    }


@pytest.mark.parametrize("notation", german())
def test_declared_names_and_places_of_german_columns_give_the_tasks_file(tmp_path, notation):
    files, declared = german()[notation]
    declared = Declared(rename=RENAME, **declared)
    reference, logged = load(tmp_path, files, "content_accuracy", declared=declared)
    assert reference.files["reference.csv"].decode() == GERMAN_READ
    assert "human_score (here Note)" in logged
    assert "words counted in Wortlaut" in logged
    assert reference.facts.units == 2


@pytest.mark.parametrize("notation", german())
def test_problems_name_the_organisers_file_sheet_row_and_columns(tmp_path, notation):
    bad = [*GERMAN, ("ä3", "P2", "Zoë", "7", ""), ("ä5", "P2", "human_score", "'end'", "so")]
    files, declared = german(bad)[notation]
    said = refused(tmp_path, files, "content_accuracy", declared=Declared(rename=RENAME, **declared))
    file, place = ("Noten.xlsx", "row") if notation == "sheet" else ("reference.csv", "line")
    assert f"\n{file}: 4 problems\n" in said
    assert ("; Noten.xlsx: sheet 'Tabelle2'\n" in said) == (notation == "sheet")
    assert f"  {place + ' 5':9} Antwort ä3: Note '7'; expected" in said
    assert f"Antwort ä3 already appears on {place} 4; keep only one" in said
    assert "Antwort ä3: words (counted in Wortlaut) '0'; expected" in said
    assert "Antwort ä5: Note \"'end'\"; expected" in said
    for made in ("response_id", "human_score", *(["reference.csv"] if notation == "sheet" else [])):
        assert made not in said


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"sheet": "Blatt"}, "no sheet 'Blatt' with rows; it has 'Tabelle1', 'Tabelle2' (sets.x.sheet)"),
        ({"separator": ";"}, "is a workbook, which has no separator; remove sets.x.separator"),
        ({"file": "Note.xlsx"}, "no Note.xlsx; did you mean Noten.xlsx? (sets.x.file)"),
        ({"rename": {**RENAME, "human_score": "Noten"}}, "no column 'Noten' for human_score; did you mean Note?"),
    ],
)  # fmt: skip
def test_what_is_declared_but_not_there_is_refused_with_its_place(tmp_path, declared, said):
    files, there = german()["sheet"]
    declared = Declared("sets.x", **{"rename": RENAME, **there, **declared})
    assert said in refused(tmp_path, files, "content_accuracy", declared=declared)


def test_several_sheets_that_can_be_the_labels_are_refused_until_one_is_named(tmp_path):
    """The first sheet was taken, whatever the others had."""
    second = [*GERMAN[:-1], ("ä3", "P2", "Zoë", "1", "zwei Nächte, bitte")]
    files = {"Noten.xlsx": book(**{"Alt": GERMAN, "Ganz neu": second}, Hinweise=[["nichts"]])}
    declared = Declared("sets.x", file="Noten.xlsx", rename=RENAME)
    said = refused(tmp_path, files, "content_accuracy", declared=declared)
    assert (
        "Noten.xlsx: sheets 'Alt', 'Ganz neu' have the same columns and different rows; which has the" in said
    )
    assert said.endswith("Keep one; write sheet: NAME below sets.x in competition.yaml")
    named, _ = load(tmp_path, files, "content_accuracy", declared=replace(declared, sheet="Ganz neu"))
    assert named.parsed.labels["human_score"].tolist() == [3, 1, 1]
    copies, _ = load(
        tmp_path, {"Noten.xlsx": book(Alt=GERMAN, Kopie=GERMAN)}, "content_accuracy", declared=declared
    )
    assert copies.files["reference.csv"].decode() == GERMAN_READ


def test_a_declared_column_replaces_the_one_with_the_tasks_name(tmp_path):
    text = "call_id,human1,human2,human3,neu\nक१,1,2,3,5\nक२,2,2,2,4\n"
    declared = Declared(rename={"human3": "neu"})
    reference, logged = load(tmp_path, {"reference.csv": text}, "caller_experience", declared=declared)
    assert reference.files["reference.csv"].decode() == "call_id,human1,human2,human3\nक१,1,2,5\nक२,2,2,4\n"
    assert "human3 (here neu); left out: human3" in logged


def test_declared_rows_are_dropped_as_by_the_option(tmp_path):
    bad = [*GERMAN, ("ä4", "P2", "Zoë", "7", "so")]
    files, declared = german(bad)["sheet"]
    declared = Declared(rename=RENAME, drop_invalid_rows=True, **declared)
    reference, _ = load(tmp_path, files, "content_accuracy", declared=declared)
    assert reference.files["reference.csv"].decode() == GERMAN_READ
    biased, reason = reference.dropped
    assert biased.startswith("1 row of the 4 in Noten.xlsx, which biases the set (left out by value: ")
    assert "Note '7' 1 of 1" in biased
    assert reason == "Noten.xlsx row 5: Antwort ä4: Note '7'; expected an integer from 1 to 4"


def test_a_missing_column_is_refused_with_the_setting_that_renames_it(tmp_path):
    rows = [(*GERMAN[0][:3], "Punkte", GERMAN[0][4]), *GERMAN[1:]]
    rename = {column: own for column, own in RENAME.items() if column != "human_score"}
    declared = Declared("sets.evaluation", rename=rename)
    said = refused(tmp_path, {"reference.csv": written(rows, ";")}, "content_accuracy", declared=declared)
    assert "no column human_score; the header has Antwort, Aufgabe, Sprecher, Punkte" in said
    assert "sets: {evaluation: {rename: {COLUMN: NAME IN YOUR FILE}}}" in said


TITLED = [
    ["Bewertung 2027"],
    [""],
    ["call_id", "human1", "Raum", "human2", "human3", "Tag"],
    ["c1", "1", "A", "2", "3", "1"],
    ["c2", "2", "", "3", "4", "1"],
    ["c3", "2", "B", "2", "1", ""],
]


def test_titles_above_the_header_are_refused_with_its_line(tmp_path):
    for content, where in ((written(TITLED, ";"), "line 3"), (book(S=TITLED), "row 3")):
        file = "reference.xlsx" if where == "row 3" else "reference.txt"
        said = refused(tmp_path / where, {file: content}, "caller_experience")
        assert f"{file}: the header seems to be in {where} (call_id, human1, " in said
        assert "header_row: 3 below sets" in said


def test_a_declared_header_row_and_merged_cells_are_read_and_said(tmp_path):
    # Of E6:F6 and A1:C1 nothing is repeated, because their values are not in a merged cell above.
    content = book(["A1:C1", "C4:C5", "E6:F6", "A6:A9"], S=TITLED)
    declared = Declared(header_row=3)
    reference, logged = load(tmp_path, {"reference.xlsx": content}, "caller_experience", declared=declared)
    lines = reference.files["reference.csv"].decode().splitlines()
    assert lines[1:] == ["c1,1,A,2,3,1", "c2,2,A,3,4,1", "c3,2,B,2,1,"]
    assert logged.endswith("; merged cells were repeated down: 1 cell")


def test_a_declared_header_row_without_cells_is_refused(tmp_path):
    files = {"reference.csv": written(TITLED[2:], ",")}
    said = refused(tmp_path, files, "caller_experience", declared=Declared("sets.x", header_row=9))
    assert said.endswith("has no cells in line 9 (sets.x.header_row)")


PROTOCOL = declared_task("spoofing", {"kind": "identification", "target": "spoof"})
COLUMNS_OF_PROTOCOL = ["speaker", "id", "_", "attack", "label"]
TRIALS = ["S1 E_1 - A11 spoof", "", "S2  E_2\t- - bonafide", "S1 E_3 - A07 spoof"]


@pytest.mark.parametrize("mark", [" ", "\t", ";"])
def test_declared_columns_name_those_of_a_file_without_a_header(tmp_path, mark):
    lines = TRIALS if mark == " " else [mark.join(line.split()) for line in TRIALS]
    declared = Declared(columns=COLUMNS_OF_PROTOCOL, file="text")
    reference, logged = load(tmp_path, {"text": "\n".join(lines)}, PROTOCOL, declared=declared)
    read = "speaker,id,attack,label\nS1,E_1,A11,spoof\nS2,E_2,-,bonafide\nS1,E_3,A07,spoof\n"
    assert reference.files["labels.csv"].decode() == read
    assert ", without a header; columns speaker, id, attack, label" in logged
    assert reference.facts.units == 2


def test_declared_columns_decide_the_separator_beside_decimal_commas(tmp_path):
    fluency = declared_task("fluency", {"kind": "scores", "scale": [0, 6]})
    declared = Declared(columns=["id", "score"])
    read = "id,score\n" + "".join(f"a{number},{number}.5\n" for number in range(5))
    for number, mark in enumerate(" \t;,"):
        text = "".join(f"a{number}{mark}{number}{'.' if mark == ',' else ','}5\n" for number in range(5))
        reference, _ = load(tmp_path / str(number), {"scores.txt": text}, fluency, declared=declared)
        assert reference.files["scores.csv"].decode() == read


def test_a_header_with_no_known_name_is_split_by_its_own_separator(tmp_path):
    said = refused(tmp_path, {"reference.csv": "Antwort;Note\na;1\n"}, "content_accuracy")
    assert "; the header has Antwort, Note\n" in said


def test_problems_below_declared_columns_name_the_lines_of_the_file(tmp_path):
    text = "\n".join([*TRIALS, "S1 E_2 - A07 spoof", "S1 E_5 spoof"])
    declared = Declared("sets.x", columns=COLUMNS_OF_PROTOCOL, file="trl.txt")
    said = refused(tmp_path, {"trl.txt": text}, PROTOCOL, declared=declared)
    assert "line 5    id E_2 already appears on line 3" in said
    assert "line 6    3 fields, separated by spaces" in said
    declared = replace(declared, columns=COLUMNS_OF_PROTOCOL[1:])
    said = refused(tmp_path, {"trl.txt": text}, PROTOCOL, declared=declared)
    assert "has 5 cells in line 1, separated by spaces; expected 4 (sets.x.columns)" in said


LISTS = table("reference_cases")["trials"]


@pytest.mark.parametrize("name", LISTS)
def test_two_declared_columns_name_the_trials_of_a_list(tmp_path, name):
    columns, lines, labels = LISTS[name]
    task = declared_task("trials", {"kind": "identification", "target": "1", "id": ["a", "b"], "unit": "a"})
    declared = Declared(columns=columns, file="trials.txt")
    reference, _ = load(tmp_path, {"trials.txt": "\n".join(lines)}, task, declared=declared)
    pairs = [
        [cell for cell, column in zip(line.split(), columns, strict=True) if column in "ab"] for line in lines
    ]
    assert list(reference.items) == [",".join(pair) for pair in pairs]
    assert reference.public["items.csv"].decode().split() == ["a,b", *sorted(map(",".join, pairs))]
    assert reference.parsed.labels["label"].tolist() == [1 - int(label) for label in labels]
    again = {"trials.txt": "\n".join([*lines, lines[0]])}
    said = refused(tmp_path / "again", again, task, declared=declared)
    assert f"line 4    a,b {','.join(pairs[0])} already appears on line 1" in said
