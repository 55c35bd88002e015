"""Tests of tables: headers and rows, and the message for each invalid one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spokeneval.formats.problems import FileProblems, Problems
from spokeneval.formats.tables import Layout, Table, csv_text, parse_table, split_row

LAYOUT = Layout("a.csv", "Id", ("Id", "Value"))


def read(text, **changes):
    """The columns and lines of a table, and the problems of its text."""
    problems = Problems()
    table = parse_table([text], LAYOUT._replace(**changes), problems)
    found = [(problem.code, problem.line, problem.message) for problem in problems.kept]
    assert {problem.file for problem in problems.kept} <= {"a.csv"}
    return {column: list(cells) for column, cells in table.columns.items()}, list(table.lines), found


def refused(text, **changes):
    """The problem that ends the reading of a text."""
    problems = Problems()
    with pytest.raises(FileProblems) as refusal:  # noqa: PT012
        parse_table([text], LAYOUT._replace(**changes), problems)
        problems.raise_if_any()
    (problem,) = refusal.value.problems
    return problem.code, problem.line, problem.message


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("a,b", ["a", "b"]),
        ("", [""]),
        ('"a,b",c', ["a,b", "c"]),
        ('"a""b",c', ['a"b', "c"]),
        ('"a,b', None),
        ('"a"b,c', None),
        ('a"b,c', ['a"b', "c"]),
    ],
)
def test_a_row_is_split_at_its_delimiters_outside_quotation_marks(line, fields):
    assert split_row(line, ",") == fields
    assert split_row(line.replace(",", "\t"), "\t") == (
        fields and [field.replace(",", "\t") for field in fields]
    )


def test_equal_cells_of_a_column_that_repeats_them_are_one_object():
    rows = "".join(f"{row},{'yes' if row % 2 else 'no'}\n" for row in range(100, 110))
    table = parse_table([f"Id,Value\n{rows[:-1]}", rows[:-1]], LAYOUT, Problems())
    assert table.columns["Value"] == 10 * ["no", "yes"]
    assert len({*map(id, table.columns["Value"])}) == 2
    assert table.lines == range(2, 22)  # an object for each number needs as much memory as the cells


def test_columns_are_those_asked_for_in_the_case_asked_for():
    assert read("x, id ,VALUE\n1,2,3\n4,5,6") == ({"Id": ["2", "5"], "Value": ["3", "6"]}, [2, 3], [])
    columns, lines, found = read("Id,Value,Extra,More\n1,2,3,4", optional=("extra",))
    assert (columns, lines, found) == ({"Id": ["1"], "Value": ["2"], "extra": ["3"]}, [2], [])
    assert parse_table(["x,Id,Value"], LAYOUT, Problems()) == Table(
        "a.csv", "Id", {"Id": [], "Value": []}, range(0), ("x",)
    )
    assert read("x,Id,Value,x\n1,2,3,4")[2] == []  # one that nobody asked for may be there twice


def test_an_alias_is_another_name_unless_the_column_is_there():
    aliases = {"Name": "Id"}
    assert read("NAME,Value\n1,2", aliases=aliases)[0] == {"Id": ["1"], "Value": ["2"]}
    assert read("name,id,Value\n1,2,3", aliases=aliases)[0] == {"Id": ["2"], "Value": ["3"]}
    table = parse_table(["name,id,Value\n1,2,3"], LAYOUT._replace(aliases=aliases), Problems())
    assert table.others == ("name",)


def test_a_file_may_have_no_header():
    assert read("1,2\n3,4", headerless=lambda first: ("Id", "Value")) == (
        {"Id": ["1", "3"], "Value": ["2", "4"]},
        [1, 2],
        [],
    )
    assert read("1,2\n\n3,4", headerless=lambda first: ("Value", "Id")) == (
        {"Value": ["1", "3"], "Id": ["2", "4"]},
        [1, 3],
        [],
    )
    assert (
        parse_table(["1,2"], LAYOUT._replace(headerless=lambda first: ("Id", "Value")), Problems()).others
        == ()
    )


QUOTED = "the whole line is in quotation marks; expected at most each field in quotation marks of its own"
NO_HEADER = "the header is missing; expected a first line with the columns Id, Value, separated by commas"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("\n\n1,2\n3,4", 3, NO_HEADER),
        ("1,yes", 1, NO_HEADER),
        ("a,yes\nb,no\nc,yes", 1, NO_HEADER),
        ("ann_01_2,AH N\nann_01_3,B", 1, NO_HEADER),
        ("id,yes,4.5\nb,no,2", 1, "no column Value; the header has id, yes, 4.5"),
        ("name,label\na,yes\nb,no", 1, "no column Id, Value; the header has name, label"),
        ("name1,label\nname,yes", 1, "no column Id, Value; the header has name1, label"),
        ("Id,Walue\n1,2", 1, "no column Value; the header has Id, Walue; rename Walue to Value"),
        (
            "IDs,values",
            1,
            "no column Id, Value; the header has IDs, values; rename IDs to Id; rename values to Value",
        ),
        ("x,Val", 1, "no column Id, Value; the header has x, Val; rename Val to Value"),
        (
            "Id;Value\n1;2",
            1,
            "fields are separated by semicolons; expected commas, and in numbers a decimal point, not a comma",
        ),
        ("Id|Value\n1|2", 1, "fields are separated by vertical bars; expected commas"),
        ('"Id,Value"\n"1,2"', 1, QUOTED),
        ("a,b,c,d,e,f,g,h,i", 1, "no column Id, Value; the header has a, b, c, d, e, f, g, h (and 1 more)"),
        ('"Id,Value', 1, 'no column Id, Value; the header has "Id,Value'),
        ("Id,x;y", 1, "no column Value; the header has Id, x;y"),
        ("Value,Id,id,value", 1, "column Id, Value appears twice in the header"),
    ],
)
def test_a_header_that_cannot_be_used(text, line, message):
    code = "duplicate_column" if "twice" in message else "missing_column"
    assert refused(text) == (code, line, message)


def test_rows_with_another_number_of_fields_are_reported_and_left_out():
    columns, lines, found = read('Id,Value\n1\n2,3\n"4,5\n6,7,8\n9,"1"')
    assert (columns, lines) == ({"Id": ["2", "9"], "Value": ["3", "1"]}, [3, 6])
    assert [line for _, line, _ in found] == [2, 4, 5]
    assert read("Id,Value\n1,2,3\n4")[:2] == (
        {"Id": [], "Value": []},
        [],
    )  # no two of a wide and a narrow one


def test_a_decimal_comma_that_divides_a_number_is_named():
    *_, found = read("Id,Value\n1,2,x\n3,4,5\na,-0,25\n6,7,y")
    said = "3 fields separated by commas; the header has 2: Id, Value"
    text = f"{said}; put a text that has a comma between quotation marks"
    assert [message for *_, message in found] == [
        text,
        f"{said}; write 4.5 if 4,5 is a number",
        f"{said}; write -0.25 if -0,25 is a number",
        text,
    ]
    assert [message for *_, message in read("Id,Value\n1,2,")[2]] == [said]


def test_empty_rows_and_rows_of_delimiters_alone_are_skipped():
    text = "Id,Value\n\n1,2\n,\n \t,\n,3\n4,\nX,X"
    assert read(text) == ({"Id": ["1", "", "4", "X"], "Value": ["2", "3", "", "X"]}, [3, 6, 7, 8], [])
    for blank in (",", " ,", "\t, "):
        found = read(f"Id,Value\n1,2\n{blank}\n3,4")
        assert found == ({"Id": ["1", "3"], "Value": ["2", "4"]}, [2, 4], [])


def test_a_large_file_is_read_in_blocks():
    whole = parse_table(["\nId,Value,x", "1,2,3\n4,5,6", "\n7,8,9"], LAYOUT, Problems())
    values = whole.columns["Value"]
    assert (len(values), [*values], values[1], values[-1], values[1:]) == (
        3,
        ["2", "5", "8"],
        "5",
        "8",
        ["5", "8"],
    )
    whole = replace(whole, columns={"Id": whole.ids, "Value": [*values]})
    assert whole == Table("a.csv", "Id", {"Id": ["1", "4", "7"], "Value": ["2", "5", "8"]}, [3, 4, 6], ("x",))


def test_csv_has_the_same_bytes_for_every_version_of_python():
    rows = [["a\rb", "c\nd", 'e"f'], ["g h", "", 1.5], [""]]
    assert csv_text(rows) == '"a\rb","c\nd","e""f"\ng h,,1.5\n""\n'
    assert csv_text([["a,b", "c\td"]], "\t") == 'a,b\t"c\td"\n'
