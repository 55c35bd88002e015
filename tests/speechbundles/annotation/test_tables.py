"""Tables: headers, refusals with their lines, sheets with choices."""

import datetime
import io

import openpyxl
import pandas as pd
import pytest

from speechbundles.annotation.tables import read_data, read_items, xlsx_bytes
from speechbundles.model.errors import OrganiserError
from speechbundles.model.zips import require_new
from tests.samples.own_tables import book
from tests.samples.tables import table

PLAIN = "id,Wert\na,1\nb,2\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.csv", PLAIN.encode()),
        ("excel.csv", b"\xef\xbb\xbfid;wert\r\na;1\r\nb;2\r\n"),
        ("tabs.tsv", b"ID\tWERT\textra\na\t1\tx\nb\t2\n"),
        ("old.csv", "id;Wert;Größe\na;1;ä\nb;2;ö\n".encode("cp1252")),
        ("titled.csv", b"Runde 1,,\nSprecher,,\n\nid,Wert,\na,1,\nb,2,\n"),
        ("titled.xlsx", book(one=[["Round 1"], ["for Anna", None], ["id", "Wert", None], ["a", 1], ["b", "2"]])),
    ],
)  # fmt: skip
def test_a_table_is_found_below_titles_with_any_separator(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    items = read_items(tmp_path / name, "id", ["Wert"])
    assert items["Wert"].to_dict() == {"a": "1", "b": "2"}


def test_decimal_commas_become_points_where_commas_do_not_separate_cells(tmp_path):
    (tmp_path / "t.csv").write_text("id;Dauer;Note\na;1,5;1,2\nb;12,25;gut\nc;3;-\n")
    items = read_items(tmp_path / "t.csv", "id", ["Dauer"])
    assert items.to_dict("list") == {"Dauer": ["1.5", "12.25", "3"], "Note": ["1,2", "gut", "-"]}


def test_a_date_is_refused_in_needed_columns_alone(tmp_path):
    rows = [
        ["id", "Wert", "visit"],
        ["a", 1, datetime.date(2027, 1, 31)],
        ["b", datetime.date(2027, 2, 1), None],
    ]
    (tmp_path / "t.xlsx").write_bytes(book(one=rows))
    assert read_items(tmp_path / "t.xlsx", "id", [])["visit"].tolist() == ["2027-01-31", ""]
    with pytest.raises(
        OrganiserError,
        match=r"line 3 +Wert: a spreadsheet has made a date or a time of this cell, 2027-02-01",
    ):
        read_items(tmp_path / "t.xlsx", "id", ["Wert"])


@pytest.mark.parametrize(("content", "refused"), table("annotation_cases")["tables refused"])
def test_a_table_that_cannot_be_used_is_refused_with_its_lines(tmp_path, content, refused):
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(OrganiserError) as error:
        read_items(tmp_path / "t.csv", "id", ["Wert"])
    for pattern in refused:
        error.match(pattern)


def test_a_sheet_has_choices_and_no_formulas():
    frame = pd.DataFrame({"id": ["a", "=1+1"], "label": ["", ""]})
    sheet = openpyxl.load_workbook(io.BytesIO(xlsx_bytes(frame, {"label": ["yes", "no"]}))).active
    (rule,) = sheet.data_validations.dataValidation
    assert (rule.formula1, str(rule.sqref)) == ('"yes,no"', "B2:B3")
    assert (sheet["A3"].value, sheet["A3"].data_type) == ("=1+1", "s")


def test_a_folder_of_another_origin_is_refused(tmp_path):
    with pytest.raises(OrganiserError, match=r"no data\.json that assign, merge or split wrote"):
        read_data(tmp_path)
    (tmp_path / "x").write_text("")
    with pytest.raises(OrganiserError, match="exists already"):
        require_new(tmp_path)
