"""An organiser's tables of kit data, in the format that baselines read."""

import datetime

import pytest

from speechbundles.competition.intake.kit_data import canonical_tables
from speechbundles.model.errors import UnreadableFile
from tests.samples.own_tables import book, written
from tests.samples.programs import ROOT


def test_kit_data_are_converted_to_the_format_that_baselines_read():
    rows = [("id", "text"), ("1", "café, bar"), ("2", "tea")]
    files = {
        "data/a.csv": written(rows, ";").encode("utf-16"),
        "data/b.tsv": written(rows, ",").encode("cp1252"),
        "data/c.xlsx": book(Sheet=rows),
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


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (b"id,note\r1,a\r2,b\r", b"id,note\n1,a\n2,b\n"),
        (b"id\r\n1\r\n", b"id\r\n1\r\n"),
        (b"text\na, b\nc\n", b'text\n"a, b"\nc\n'),
        (b'id,note\n1,"a\nb"\n', b"id,note\n1,a b\n"),
    ],
    ids=["old line ends", "line ends of other systems", "one column", "a line break in a cell"],
)
def test_kit_data_are_a_table_whatever_their_line_ends_and_columns(given, read):
    assert canonical_tables({"a.csv": given}, lambda line: None) == {"a.csv": read}


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
        (
            {"a.xlsx": book(x=[["a", "b"], [1, datetime.date(2027, 1, 3)]])},
            r"a\.xlsx: row 2: b: a spreadsheet has",
        ),
        ({"a.csv": b"a,b\n", "a.xlsx": b""}, r"a\.xlsx: a\.csv exists too"),
        ({"a.xlsx": b"", "a.csv": b"a,b\n"}, r"a\.xlsx: a\.csv exists too"),
    ],
)
def test_kit_data_that_are_not_tables_are_refused_by_name(files, said):
    with pytest.raises(UnreadableFile, match=said):
        canonical_tables(files, lambda line: None)
