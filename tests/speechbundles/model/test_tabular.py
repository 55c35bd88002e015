"""Texts in several encodings and Excel workbooks: what is read, and what is refused."""

import datetime
import re

import pytest

from speechbundles.model.errors import BadReference
from speechbundles.model.tabular import decode
from tests.samples.own_tables import COLUMNS, ROWS, book, load, refused, written
from tests.samples.tables import table

FOREIGN = table("encodings")["foreign"]


@pytest.mark.parametrize("kind", FOREIGN)
def test_text_of_other_encodings_is_refused_and_not_read_as_western_words(tmp_path, kind):
    encoding, text = FOREIGN[kind]
    row = ("10134", "p", "10134.wav", "x", text, "correct", "correct")
    content = written([COLUMNS, row], "\t").encode(encoding)
    with pytest.raises(BadReference, match=r"line 2: .*Windows-1252.*; save the file as UTF-8$"):
        load(tmp_path, {"reference.csv": content})


WESTERN = table("encodings")["western"]


@pytest.mark.parametrize("language", WESTERN)
def test_words_of_western_languages_are_read_as_windows_1252(language):
    text, encoding = decode(WESTERN[language].encode("cp1252"))
    assert text == WESTERN[language]
    assert encoding.startswith("not UTF-8, read as Windows-1252: is '")


@pytest.mark.parametrize("separator", [",", "\t"], ids=["another separator", "the own format of the task"])
def test_a_cell_over_several_lines_is_one_cell_and_lines_stay_right(tmp_path, separator):
    long = "\n".join(f"Frag {number}" for number in range(50))
    rows = [COLUMNS, ("10138", long, *ROWS[0][2:]), *ROWS]
    reference, logged = load(tmp_path / "1", {"reference.csv": written(rows, separator).encode()})
    first = reference.files["reference.csv"].decode().splitlines()[1]
    assert first.split("\t")[:2] == ["10138", long.replace("\n", " ")]
    assert "line breaks were read as spaces: 1 cell" in logged
    rows.append((*ROWS[0][:-1], "perhaps"))
    said = refused(tmp_path / "2", {"reference.csv": written(rows, separator).encode()})
    assert f"line {50 + len(rows) - 1} " in said
    assert "perhaps" in said


def test_a_date_is_refused_in_columns_that_are_used(tmp_path):
    day = datetime.datetime(2024, 3, 1)
    unused = [(*COLUMNS, "visit"), *((*row, day) for row in ROWS)]
    reference, _ = load(tmp_path / "1", {"reference.xlsx": book(Sheet=unused)})
    assert reference.files["reference.csv"].decode().splitlines()[1].endswith("\t2024-03-01")
    used = [*unused, (day, *unused[1][1:])]
    said = refused(tmp_path / "2", {"reference.xlsx": book(Sheet=used)})
    why = "Id: a spreadsheet has made a date or a time of this cell, 2024-03-01; format the column as text"
    assert re.search(rf"^  row {len(used)} +{why}", said, re.MULTILINE)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"reference.tsv": b"a", "reference.xlsx": b"b"}, "can all be reference.csv; keep one"),
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
    found = refused(tmp_path, files)
    assert said in found


def test_a_word_of_any_length_is_shown_in_part():
    """The search for the word took a time that grows with the square of its length."""
    _, encoding = decode(b"a\n" + b"a" * 100_000 + b" " + b"a" * 30 + b"\xe9" + b"b" * 100_000)
    assert f"is '{'a' * 20}é{'b' * 20}' in line 2 right?" in encoding
