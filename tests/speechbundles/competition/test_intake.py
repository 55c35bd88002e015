"""Organisers' own files: the bundle gets the same canonical file, whatever the format."""

from __future__ import annotations

import datetime
import io
import random
import re
from pathlib import Path

import pytest

import build_bundle
from speechbundles.competition.intake.complete import name_segments
from speechbundles.competition.intake.declared import Declared
from speechbundles.competition.intake.files import formats_of, make_table
from speechbundles.competition.intake.kit_data import canonical_tables
from speechbundles.competition.intake.layouts import Notation
from speechbundles.competition.intake.reference import read_tables
from speechbundles.competition.references import load_reference
from speechbundles.model.errors import BadReference, UnreadableFile
from speechbundles.model.tabular import decode
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.problems import ReferenceFileError
from spokeneval.formats.tables import Layout
from spokeneval.kinds.declared import declared_task
from tests.samples.bad_references import bad_references
from tests.samples.labelled_turns import BAD_LINES
from tests.samples.programs import ROOT, encoded, write_files

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
        "not UTF-8, read as Windows-1252: is 'für' in line 2 right? If not, save it as UTF-8; separated by semicolons",
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


GERMAN = "Gemüsesuppe für drei Nächte, „Größe“ – 20 °C; ÄÖÜ"
FOREIGN = {
    "Chinese": ("gb18030", "你好，请问去火车站怎么走？今天天气很好。"),
    "a Chinese label": ("gb18030", "正确"),
    "Chinese in syllables": ("gb18030", "我 们 是 学 生 今 天 天 气 很 好 去 火 车 站 怎 么 走"),
    "Chinese in Big5": ("big5", "你好，請問去火車站怎麼走？今天天氣很好。"),
    "Japanese in Shift-JIS": ("shift_jis", "これはテストです。私は学生です。"),
    "Japanese words in Shift-JIS": ("shift_jis", "これは テスト です"),
    "Japanese in EUC-JP": ("euc_jp", "これはテストです。私は学生です。"),
    "Korean": ("euc_kr", "안녕하세요, 역이 어디에 있습니까?"),
    "Russian in Windows-1251": ("cp1251", "Здравствуйте, я хочу номер на три ночи."),
    "Russian in KOI8-R": ("koi8_r", "Здравствуйте, я хочу номер на три ночи."),
    "Greek": ("cp1253", "Θέλω ένα δωμάτιο για τρεις νύχτες"),
    "Hebrew": ("cp1255", "שלום, איפה התחנה"),
    "Arabic": ("cp1256", "السلام عليكم"),
    "Thai": ("cp874", "สวัสดีครับ"),
    "Polish": ("cp1250", "Proszę o rachunek, dziękuję. Chciałbym pokój. Łódź jest już blisko, można iść."),
    "German of a Mac": ("mac_roman", GERMAN),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_text_of_other_encodings_is_refused_and_not_read_as_western_words(tmp_path, kind):
    encoding, text = FOREIGN[kind]
    row = ("10134", "p", "10134.wav", "x", text, "correct", "correct")
    content = written([COLUMNS, row], "\t").encode(encoding)
    with pytest.raises(BadReference, match=r"line 2: .*Windows-1252.*; save the file as UTF-8$"):
        load(tmp_path, {"reference.csv": content})


WESTERN = {
    "German": GERMAN,
    "French": "un café, s’il vous plaît ; l’été, où ça ? Œuvre créée à l’école « là-bas », n° 5",
    "Spanish": "¿Él está aquí? ¡Ánimo! mañana, la habitación 1º, sí",
    "Catalan": "col·legi, paral·lel, ¿és això?",
    "Portuguese": "não, à João são três informações",
    "Icelandic": "Góðan daginn, ég vil fá herbergi. Þú ert þá að þýða það því þó síðan á íþrótt",
    "Finnish": "Hyvää päivää, haluaisin yöksi huoneen. Ääni öisin, öö",
    "Danish": "Godmorgen, jeg vil gerne have et værelse på Ærø. Å, ø",
}


@pytest.mark.parametrize("language", WESTERN)
def test_words_of_western_languages_are_read_as_windows_1252(language):
    text, encoding = decode(WESTERN[language].encode("cp1252"))
    assert text == WESTERN[language]
    assert encoding.startswith("not UTF-8, read as Windows-1252: is '")


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
        ({"reference.csv": b'\n"Id\tlanguage'}, "line 2: a quotation mark that is not closed"),
        ({"reference.csv": b'Id\t"language\xe2\x80\xa8'}, "line 1    no column Id, language, meaning"),
    ],
)
def test_files_that_are_not_tables_are_refused(tmp_path, files, said):
    with pytest.raises(BadReference) as refusal:
        load(tmp_path, files)
    assert said in str(refusal.value)


def test_a_word_of_any_length_is_shown_in_part():
    """The search for the word took a time that grows with the square of its length."""
    _, encoding = decode(b"a\n" + b"a" * 100_000 + b" " + b"a" * 30 + b"\xe9" + b"b" * 100_000)
    assert f"is '{'a' * 20}é{'b' * 20}' in line 2 right?" in encoding


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
    files = {"all.rttm": RTTM, "all.uem": f"{UEM}{line}\n"}
    with pytest.raises(BadReference, match=r"all\.uem: 1 problem\n\n  line 3 "):
        load(tmp_path, files, "merlion_diarization")


def test_lines_of_rttm_that_are_no_turns_are_counted(tmp_path):
    lines = (
        "SPKR-INFO a 1 <NA> <NA> <NA> unknown anna <NA> <NA>\nlexeme a 1 0 1 hello lex anna <NA> <NA>\n" * 2
    )
    _, logged = load(tmp_path, {"all.rttm": lines + RTTM, "all.uem": UEM}, "merlion_diarization")
    assert "3 rows; read from 1 RTTM file" in logged
    assert "left out: 2 LEXEME lines, 2 SPKR-INFO lines" in logged


def test_turns_without_evaluated_regions_are_refused(tmp_path):
    with pytest.raises(BadReference, match=r"no regions.csv and no \*.uem; found all.rttm"):
        load(tmp_path, {"all.rttm": RTTM}, "merlion_diarization")


@pytest.mark.parametrize("uem", ["", ";; nothing"])
def test_a_set_without_labels_and_regions_is_refused(tmp_path, uem):
    with pytest.raises(BadReference, match=r"all\.uem: 1 problem\n\n  has no region"):
        load(tmp_path, {"all.rttm": "", "all.uem": uem}, "merlion_diarization")


def test_regions_without_a_header_get_one(tmp_path):
    labels = "audio_name,utt_id,start,end,language_tag\na.wav,1,0,900,English\na.wav,2,900,1500,Mandarin\n"
    reference, _ = load(
        tmp_path, {"labels.csv": labels, "regions.csv": "a.wav;0;2000\n"}, "merlion_diarization"
    )
    assert reference.files["regions.csv"] == b"audio_name,start,end\na.wav,0,2000\n"


# What competition.yaml declares


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


def book(**sheets):
    from openpyxl import Workbook

    made = Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
    stream = io.BytesIO()
    made.save(stream)
    return stream.getvalue()


def german(rows=GERMAN):
    """The same table as organisers have it: `files, what is declared`."""
    return {
        "cp1252": ({"reference.csv": written(rows, ";").encode("cp1252")}, {"separator": ";"}),
        "bars": ({"reference.csv": written(rows, "|").encode()}, {"separator": "|"}),
        "sheet": (
            {"Noten.xlsx": book(Tabelle1=[("Antwort", "Note"), ("alt", "1")], Tabelle2=rows)},
            {"sheet": "tabelle2", "file": "Noten.xlsx"},
        ),
    }


@pytest.mark.parametrize("notation", german())
def test_declared_names_and_places_of_german_columns_give_the_tasks_file(tmp_path, notation):
    files, declared = german()[notation]
    reference, logged = load(
        tmp_path, files, "content_accuracy", declared=Declared(rename=RENAME, **declared)
    )
    assert reference.files["reference.csv"].decode() == GERMAN_READ
    assert "human_score (here Note)" in logged
    assert "words counted in Wortlaut" in logged
    assert reference.facts.units == 2


@pytest.mark.parametrize("notation", german())
def test_problems_name_the_organisers_file_sheet_row_and_columns(tmp_path, notation):
    bad = [*GERMAN, ("ä3", "P2", "Zoë", "7", ""), ("ä5", "P2", "human_score", "'end'", "so")]
    files, declared = german(bad)[notation]
    with pytest.raises(BadReference) as refusal:
        load(tmp_path, files, "content_accuracy", declared=Declared(rename=RENAME, **declared))
    said = str(refusal.value)
    file, place = ("Noten.xlsx", "row") if notation == "sheet" else ("reference.csv", "line")
    assert f"\n{file}: 4 problems\n" in said
    assert ("; Noten.xlsx: sheet 'Tabelle2'\n" in said) == (notation == "sheet")
    assert f"  {place + ' 5':9} Antwort ä3: Note '7'; expected" in said
    assert f"Antwort ä3 already appears on {place} 4; keep only one" in said
    assert "Antwort ä3: words (counted in Wortlaut) '0'; expected" in said
    assert "Antwort ä5: Note \"'end'\"; expected" in said
    for made in ("response_id", "human_score", *(["reference.csv"] if notation == "sheet" else [])):
        assert made not in said


@pytest.mark.parametrize("task", task_names())
def test_no_refusal_of_a_renamed_file_names_the_tasks_file_or_columns(tmp_path, task):
    """Every corruption of the references of the tests, with other names of columns and files."""
    rules, found = find_task(task), set()
    for number, bad in enumerate(bad_references(task)):
        files, rename = {}, {}
        for layout in rules.format.layouts:
            text = encoded(bad.files).get(layout.file, b"").decode("utf-8", "replace")
            header, line_end, rows = text.partition("\n")
            known = {*layout.required, *layout.optional} - {"start", "end"}  # ordinary words in messages
            own = {cell: f"Ü{cell[::-1]}" for cell in header.split(layout.delimiter) if cell in known}
            rename.update(own)
            header = layout.delimiter.join(own.get(cell, cell) for cell in header.split(layout.delimiter))
            files[str(Path(layout.file).with_suffix(".txt"))] = header + line_end + rows
        folder = write_files(tmp_path / str(number), files)
        with bad.during():
            try:
                load_reference(rules, "evaluation", folder, {}, declared=Declared(rename=rename))
            except BadReference as error:
                said = re.sub(r"'[^']*'", "", str(error).partition("\n")[2])
                made = (*rename, *(layout.file for layout in rules.format.layouts))
                found.update(word for word in made if re.search(rf"(?<![\w.-]){re.escape(word)}(?!\w)", said))
    assert found == (
        {"audio_name"} if task == "merlion_diarization" else set()
    )  # in regions without a header


def test_declared_rows_are_dropped_as_by_the_option(tmp_path):
    bad = [*GERMAN, ("ä4", "P2", "Zoë", "7", "so")]
    files, declared = german(bad)["sheet"]
    reference, _ = load(
        tmp_path,
        files,
        "content_accuracy",
        declared=Declared(rename=RENAME, drop_invalid_rows=True, **declared),
    )
    assert reference.files["reference.csv"].decode() == GERMAN_READ
    biased, reason = reference.dropped
    assert biased.startswith("1 row of the 4 in Noten.xlsx, which biases the set (left out by value: ")
    assert "Note '7' 1 of 1" in biased
    assert reason == "Noten.xlsx row 5: Antwort ä4: Note '7'; expected an integer from 1 to 4"


def test_a_line_that_cannot_be_split_is_dropped_from_a_file_of_any_name(tmp_path):
    content = written([COLUMNS, *ROWS], ";").encode() + b'10140;"open\n'
    reference, _ = load(tmp_path, {"reference.txt": content}, drop_invalid_rows=True)
    assert reference.files == {"reference.csv": CANONICAL}
    assert reference.dropped[0] == "1 row of the 5 in reference.txt, which biases the set"
    assert reference.dropped[1].startswith("reference.txt line 6: a quotation mark")


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (
            {"sheet": "Blatt"},
            "Noten.xlsx: no sheet 'Blatt' with rows; it has 'Tabelle1', 'Tabelle2' (sets.x.sheet)",
        ),
        ({"separator": ";"}, "Noten.xlsx: is a workbook, which has no separator; remove sets.x.separator"),
        ({"file": "Note.xlsx"}, "no Note.xlsx; did you mean Noten.xlsx? (sets.x.file)"),
        (
            {"rename": {**RENAME, "human_score": "Noten"}},
            "no column 'Noten' for human_score; did you mean Note? (sets.x.rename.human_score)",
        ),
    ],
)
def test_what_is_declared_but_not_there_is_refused_with_its_place(tmp_path, declared, said):
    files, there = german()["sheet"]
    declared = Declared("sets.x", **{"rename": RENAME, **there, **declared})
    with pytest.raises(BadReference) as refusal:
        load(tmp_path, files, "content_accuracy", declared=declared)
    assert said in str(refusal.value)


def test_a_missing_column_is_refused_with_the_setting_that_renames_it(tmp_path):
    rows = [(*GERMAN[0][:3], "Punkte", GERMAN[0][4]), *GERMAN[1:]]
    rename = {column: own for column, own in RENAME.items() if column != "human_score"}
    with pytest.raises(BadReference) as refusal:
        load(
            tmp_path,
            {"reference.csv": written(rows, ";")},
            "content_accuracy",
            declared=Declared("sets.evaluation", rename=rename),
        )
    assert "no column human_score; the header has Antwort, Aufgabe, Sprecher, Punkte" in str(refusal.value)
    assert "sets: {evaluation: {rename: {COLUMN: NAME IN YOUR FILE}}}" in str(refusal.value)


def test_a_declared_column_replaces_the_one_with_the_tasks_name(tmp_path):
    text = "call_id,human1,human2,human3,neu\nक१,1,2,3,5\nक२,2,2,2,4\n"
    reference, logged = load(
        tmp_path, {"reference.csv": text}, "caller_experience", declared=Declared(rename={"human3": "neu"})
    )
    assert reference.files["reference.csv"].decode() == "call_id,human1,human2,human3\nक१,1,2,5\nक२,2,2,4\n"
    assert "human3 (here neu); left out: human3" in logged


# Columns that follow from others


def test_words_are_not_counted_where_they_are_given(tmp_path):
    text = (
        "response_id,prompt_id,speaker_id,human_score,words,transcript\n"
        "a,p,s,1,9,ja\nb,p,s,2,8,nein danke\nc,p,s,2,7,gut\n"
    )
    reference, _ = load(tmp_path, {"reference.csv": text}, "content_accuracy")
    assert reference.files["reference.csv"].decode() == text


HINDI_LABELS = """audio_name,start_s,end_s,language_tag
अ.wav,0.25,1.5,English
अ.wav,1.25,2.125,Mandarin
अ.wav,2.125,3,English
ब.wav,0,1.0005,Mandarin
ब.wav,1.0005,2,Non-Speech
"""


@pytest.mark.parametrize(
    "header",
    [
        "audio_name,start_s,end_s,language_tag",
        "audio_name,tmin,tmax,language_tag",
        "audio_name,Start (sec),End (sec),language_tag",
    ],
)
def test_seconds_are_converted_segments_numbered_and_overlaps_computed(tmp_path, header):
    text = HINDI_LABELS.replace("audio_name,start_s,end_s,language_tag", header)
    reference, logged = load(tmp_path, {"labels.csv": text}, "merlion_identification")
    assert reference.files["labels.csv"].decode().splitlines() == [
        "audio_name,utt_id,start,end,language_tag,overlap_diff_lang",
        "अ.wav,a1,250,1500,English,True",
        "अ.wav,a2,1250,2125,Mandarin,True",
        "अ.wav,a3,2125,3000,English,False",
        "ब.wav,a4,0,1000.5,Mandarin,False",
        "ब.wav,a5,1000.5,2000,Non-Speech,False",
    ]
    assert reference.items == ("अ_a3_2125_3000", "ब_a4_0_1000.5")
    first, last = header.split(",")[1:3]
    for said in (
        f"{first} and {last} converted to milliseconds",
        "utt_id numbered by row",
        "overlap_diff_lang computed from the times: 2 segments, not scored",
    ):
        assert said in logged


def test_computed_overlaps_are_those_of_every_pair(tmp_path):
    draw = random.Random(27)
    rows = []
    for number in range(300):
        start = draw.randrange(0, 20_000)
        tag = draw.choice(["English", "Mandarin", "Non-Evaluated-Speech", "Non-Speech"])
        rows.append((f"r{number % 4}.wav", f"u{number}", start, start + draw.randrange(1, 300), tag))
    header = "audio_name,utt_id,start,end,language_tag\n"
    text = header + "".join(",".join(map(str, row)) + "\n" for row in rows)
    reference, _ = load(tmp_path, {"labels.csv": text}, "merlion_identification")
    spoken = {"English", "Mandarin"}
    expected = [
        any(
            {ours[4], other[4]} == spoken
            and ours[0] == other[0]
            and ours[2] < other[3]
            and other[2] < ours[3]
            for other in rows
        )
        for ours in rows
    ]
    lines = reference.files["labels.csv"].decode().splitlines()[1:]
    assert [line.rpartition(",")[2] for line in lines] == list(map(str, expected))
    assert 20 < sum(expected) < 280


def test_labels_without_overlaps_get_no_column(tmp_path):
    text = "audio_name,utt_id,start,end,language_tag\na.wav,1,0,900,English\na.wav,2,900,1500,Mandarin\n"
    reference, _ = load(tmp_path, {"labels.csv": text}, "merlion_identification")
    assert reference.files["labels.csv"].decode() == text


def test_a_bad_time_in_seconds_is_refused_in_the_organisers_words(tmp_path):
    text = HINDI_LABELS.replace("2.125,3,", "2.125,2,").replace("0.25,1.5", "0,x")
    with pytest.raises(BadReference) as refusal:
        load(tmp_path, {"labels.csv": text}, "merlion_identification")
    assert "line 2    end_s (in milliseconds) 'x'; expected a finite decimal number" in str(refusal.value)
    assert "line 4    end_s (in milliseconds) 2000 is not after start_s (in milliseconds) 2125" in str(
        refusal.value
    )


# Turns for identification


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
    with pytest.raises(BadReference) as refusal:
        load(tmp_path, {**tracks, "all.uem": UEM}, "merlion_diarization")
    said = str(refusal.value)
    assert " a.txt\n  line 2    end 1 is not after start 2\n" in said
    assert " b.txt\n  line 2    expected start, end and label, separated by tabs" in said
    tracks = {"a.txt": "0\t1\tEnglish\n", "b.txt": "\n0\t1\tDeutsch\n"}
    with pytest.raises(BadReference) as refusal:
        load(tmp_path / "other", {**tracks, "all.uem": UEM}, "merlion_diarization")
    said = str(refusal.value)
    assert (
        "b.txt: 1 problem\n\n  line 2    utt_id (numbered by row) a2: language_tag 'Deutsch'; expected"
        in said
    )
    assert "labels.csv" not in said


SEGMENTS_OF_A_KIND = Layout(
    "labels.csv", "id", ("id", "label"), optional=("speaker", "recording", "start", "end")
)
TRANSCRIPTS_OF_A_KIND = Layout("transcripts.csv", "Datei", ("Datei", "transcript"), optional=("speaker",))
TURNS_OF_A_KIND = Layout("turns.csv", "recording", ("recording", "start", "end", "label"))


def test_formats_are_found_by_the_columns_of_a_layout():
    def called(layout):
        return [form.called for form in formats_of(layout)]

    assert called(TURNS_OF_A_KIND) == called(SEGMENTS_OF_A_KIND) == ["RTTM", "Audacity label"]
    assert called(Layout("turns.csv", "Datei", ("Datei", "start", "end", "label"))) == called(TURNS_OF_A_KIND)
    assert called(Layout("regions.csv", "Datei", ("Datei", "start", "end"), optional=("speaker",))) == ["UEM"]
    assert called(TRANSCRIPTS_OF_A_KIND) == ["STM", "trn", "Kaldi text"]
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
    with pytest.raises(
        ReferenceFileError, match=r"a\.trn: 1 problem\s+line 1 +'guten Tag'; expected WORD WORD"
    ):
        read_tables(task, bad)


# Long tables of ratings


def test_a_kinds_raters_are_found_by_name_and_may_miss_items(tmp_path):
    task = declared_task("l2", {"kind": "ratings", "raters": ["Ayşe", "Ben"], "scale": [1, 7]})
    rows = ["id,rater,rating,speaker,Raum,Tag", "क,Ben,7,s1,A,1", "ख,Ayşe,2,s2,B,1", "क,Ayşe,6,s1,A,2"]
    folder = write_files(tmp_path / "long", {"ratings.csv": "\n".join(rows)})
    ((_, table),) = read_tables(task, folder)
    # The day differs between the ratings of an item, so it is left out.
    assert table.to_ship().decode() == "id,speaker,Raum,Ben,Ayşe\nक,s1,A,7,6\nख,s2,B,,2\n"


def test_a_long_table_of_ratings_becomes_a_wide_one(tmp_path):
    ratings = {"क१": (1, 2, 3), "क२": (5, 4, 4)}
    long = [
        (item, f"Human{rater}", str(rating), "s" + item)
        for rater in (3, 1, 2)
        for item, given in ratings.items()
        for rating in given[rater - 1 : rater]
    ]
    rows = [("call_id", "Bewerter", "Note", "speaker"), *long]
    declared = Declared(rename={"rater": "Bewerter", "rating": "Note"})
    reference, logged = load(
        tmp_path, {"reference.csv": written(rows, ";")}, "caller_experience", declared=declared
    )
    assert reference.files["reference.csv"].decode() == (
        "call_id,speaker,human3,human1,human2\nक१,sक१,3,1,2\nक२,sक२,4,5,4\n"
    )
    assert "2 items by Human3 (human3), Human1 (human1), Human2 (human2)" in logged


def test_raters_with_other_names_are_assigned_in_alphabetical_order(tmp_path):
    rows = [
        ("call_id", "rater", "rating"),
        *(("c", who, n) for n, who in enumerate(("Zoë", "Ayşe", "Jan"), 1)),
    ]
    reference, logged = load(
        tmp_path, {"reference.csv": written([[*map(str, row)] for row in rows], ",")}, "caller_experience"
    )
    assert reference.files["reference.csv"].decode().splitlines()[1] == "c,2,3,1"
    assert "1 item by Ayşe (human1), Jan (human2), Zoë (human3)" in logged


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            ["c1,A,1", "c1,B,1", "c1,C,9"],
            "line 4    call_id c1: rating by C '9'; expected an integer from 1 to 5",
        ),
        (
            ["c1,A,1", "c1,A,2", "c1,B,1", "c1,C,2"],
            "line 3    call_id c1: rating by A already appears on line 2",
        ),
        (["c1,A,1", "c1,,1", "c1,B,1", "c1,C,2"], "line 3    call_id c1: the rater is empty"),
        (
            ["c1,A,1,s1", "c1,B,1,s2", "c1,C,1,s1"],
            "line 2    call_id c1: another speaker on line 3; expected the same",
        ),
        (["c1,A,1", "c1,B,2"], "has ratings by 2 raters (A, B); expected human1, human2, human3"),
        (["c1,A,1", "c2,A,1", "c2,B,2", "c1,C,1", "c2,C,1"], "line 2    call_id c1: rating by B "),
    ],
)
def test_a_long_table_that_cannot_be_used_is_refused_at_its_own_line(tmp_path, rows, said):
    header = "call_id,rater,rating,speaker" if rows[0].count(",") == 3 else "call_id,rater,rating"
    text = "\n".join([header, *rows])
    with pytest.raises(BadReference) as refusal:
        load(tmp_path, {"reference.csv": text}, "caller_experience")
    assert said in str(refusal.value)


# Columns that look like labels


@pytest.mark.parametrize(
    ("task", "text", "unused"),
    [
        (
            "caller_experience",
            "call_id,human1,human2,human3,human4,Prompt,Dauer\na,1,2,3,4,x,1.5\n",
            "reference.csv: human4 looks like a label and is not used; the labels are human1, human2, human3",
        ),
        (
            "content_accuracy",
            "response_id,prompt_id,speaker_id,human_score,words,humanscores,human_scorer,human_score_3,prompt_id2\n"
            "a,p,s,1,2,3,Zoë,x,1\nb,p,s,2,2,3,Zoë,y,1\nc,p,s,2,2,1,Jan,z,1\n",
            "reference.csv: humanscores, human_score_3 look like labels and are not used; the labels are "
            "human_score, words",
        ),
        ("caller_experience", "call_id,human1,human2,human3,text,asr,f0\na,1,2,3,नमस्ते,4,5\n", None),
        pytest.param(
            "caller_experience",
            f"call_id,human1,human2,human3,{'1' * 60_000}x\na,1,2,3,4\n",
            None,
            id="a number that is compared to its 100th digit only",
        ),
    ],
)
def test_columns_that_look_like_labels_and_are_not_used_are_reported(tmp_path, task, text, unused):
    reference, _ = load(tmp_path, {"reference.csv": text}, task)
    assert reference.unused == ((unused,) if unused else ())


def test_no_column_of_the_samples_looks_like_an_unused_label():
    for folder in sorted((ROOT / "reference_data").glob("*/*/")):
        reference = load_reference(find_task(folder.parent.name), folder.name, folder, {})
        assert reference.unused == ()


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


def test_labels_of_another_task_are_not_only_advised_to_be_dropped(tmp_path):
    rows = "".join(f"a,{n},{n}00,{n}50,Hindi\n" for n in range(1, 30))
    with pytest.raises(BadReference) as refusal:
        load(
            tmp_path,
            {"labels.csv": f"audio_name,utt_id,start,end,language_tag\n{rows}"},
            "merlion_identification",
        )
    last = str(refusal.value).splitlines()[-1]
    assert "It would leave out 29 rows." in last
    assert "init DIR --new NAME --kind KIND" in last


def test_a_column_of_speakers_with_another_name_gives_a_warning(tmp_path):
    task = declared_task("x", {"kind": "decisions", "classes": ["yes", "no"], "positive": "yes"})
    rows = "".join(f"r{n},{('yes', 'no')[n % 2]},s{n // 4}\n" for n in range(20))
    for column, warned in (("Spk_ID", 1), ("speaker", 0)):
        (tmp_path / "labels.csv").write_text(f"id,label,{column}\n{rows}")
        unused = load_reference(task, "evaluation", tmp_path / "labels.csv", {}).unused
        assert len(unused) == warned
        assert all("Spk_ID of the reference looks like speakers" in line for line in unused)
