"""Tests of tables: headers, rows and ids, and the message for each invalid one."""

from __future__ import annotations

import pytest

from spokeneval.formats import text
from spokeneval.formats.problems import FileProblems, Problems
from spokeneval.formats.tables import (
    FEWEST_OF_A_SET,
    Layout,
    Table,
    id_order,
    match_items,
    parse_table,
    split_row,
)

LAYOUT = Layout("a.csv", "Id", ("Id", "Value"))


def read(text, **changes):
    """The columns and lines of a table, and the problems of its text."""
    problems = Problems()
    table = parse_table([text], LAYOUT._replace(**changes), problems)
    found = [(problem.code, problem.line, problem.message) for problem in problems.kept]
    assert {problem.file for problem in problems.kept} <= {"a.csv"}
    return table.columns, table.lines, found


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


def test_columns_are_those_asked_for_in_the_case_asked_for():
    assert read("x, id ,VALUE\n1,2,3\n4,5,6") == ({"Id": ["2", "5"], "Value": ["3", "6"]}, [2, 3], [])
    columns, lines, found = read("Id,Value,Extra,More\n1,2,3,4", optional=("extra",))
    assert (columns, lines, found) == ({"Id": ["1"], "Value": ["2"], "extra": ["3"]}, [2], [])
    assert parse_table(["x,Id,Value"], LAYOUT, Problems()) == Table(
        "a.csv", "Id", {"Id": [], "Value": []}, [], ("x",)
    )
    assert read("x,Id,Value,x\n1,2,3,4")[2] == []  # one that nobody asked for may be there twice


def test_an_alias_is_another_name_unless_the_column_is_there():
    aliases = {"Name": "Id"}
    assert read("NAME,Value\n1,2", aliases=aliases)[0] == {"Id": ["1"], "Value": ["2"]}
    assert read("name,id,Value\n1,2,3", aliases=aliases)[0] == {"Id": ["2"], "Value": ["3"]}
    table = parse_table(["name,id,Value\n1,2,3"], LAYOUT._replace(aliases=aliases), Problems())
    assert table.others == ("name",)


def test_a_file_may_have_no_header():
    assert read("1,2\n3,4", header=("Id", "Value")) == ({"Id": ["1", "3"], "Value": ["2", "4"]}, [1, 2], [])
    assert read("1,2\n\n3,4", header=("Value", "Id")) == ({"Value": ["1", "3"], "Id": ["2", "4"]}, [1, 3], [])
    assert parse_table(["1,2"], LAYOUT._replace(header=("Id", "Value")), Problems()).others == ()


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
            "no column Id, Value; the header has IDs, values; rename IDs to Id, values to Value",
        ),
        ("x,Val", 1, "no column Id, Value; the header has x, Val; rename Val to Value"),
        (
            "Id;Value\n1;2",
            1,
            "fields are separated by semicolons; expected commas, and in numbers a decimal point, not a comma",
        ),
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
    said = "3 fields separated by commas; the header has 2"
    assert [message for *_, message in found] == [
        said,
        f"{said}; write 4.5 if 4,5 is a number",
        f"{said}; write -0.25 if -0,25 is a number",
        said,
    ]


def test_empty_rows_and_rows_of_delimiters_alone_are_skipped():
    text = "Id,Value\n\n1,2\n,\n \t,\n,3\n4,\nX,X"
    assert read(text) == ({"Id": ["1", "", "4", "X"], "Value": ["2", "3", "", "X"]}, [3, 6, 7, 8], [])
    for blank in (",", " ,", "\t, "):
        found = read(f"Id,Value\n1,2\n{blank}\n3,4")
        assert found == ({"Id": ["1", "3"], "Value": ["2", "4"]}, [2, 4], [])


def test_a_large_file_is_read_in_blocks():
    whole = parse_table(["\nId,Value,x", "1,2,3\n4,5,6", "\n7,8,9"], LAYOUT, Problems())
    assert whole == Table("a.csv", "Id", {"Id": ["1", "4", "7"], "Value": ["2", "5", "8"]}, [3, 4, 6], ("x",))


def table_of(*ids, column="Id"):
    return Table("a.csv", column, {column: list(ids)}, list(range(2, 2 + len(ids))))


def matched(ids, expected):
    problems = Problems()
    places = match_items(table_of(*ids), expected, problems, noun="response")
    found = [(problem.code, problem.line, problem.item, problem.message) for problem in problems.kept]
    assert {problem.file for problem in problems.kept} <= {"a.csv"}
    return places.tolist(), found


def test_every_invalid_row_is_reported():
    places, found = matched(["a", "x", "a", " b ", "2.0", "b", "3"], ["a", "b", "2", "10", "9", "3"])
    assert places == [0, -1, -1, -1, -1, -1, 5]
    assert [problem[:3] for problem in found] == [
        ("unknown_item", 3, "x"),
        ("duplicate_item", 4, "a"),
        ("misspelt_item", 5, " b "),
        ("misspelt_item", 6, "2.0"),
        ("duplicate_item", 7, "b"),
        ("missing_item", None, "9"),
    ]
    assert found[-1][3] == "Id 9, 10: 6 responses expected, 4 found"


def test_an_id_in_another_unicode_form_is_the_same_item():
    composed, decomposed = "Jos\u00e9", "Jose\u0301"
    for item, other in ((composed, decomposed), (decomposed, composed)):
        assert matched(["b", other], [item, "b"]) == ([1, 0], [])
        ((*problem, _),) = matched(["b", other, item], [item, "b"])[1]
        assert problem == ["duplicate_item", 4, item]
    # Ids that only look alike in the form NFKC are different.
    assert matched(["\u2460"], ["1"])[1][0][0] == "unknown_item"


def test_names_that_are_too_long_for_any_item_are_not_normalised(monkeypatch):
    """Python sorts the accents of a letter in a time that grows with the square of their number."""
    lengths = []
    normalised = text.normalize
    monkeypatch.setattr(text, "normalize", lambda *a: lengths.append(len(a[1])) or normalised(*a))
    # One character is up to four in the form NFD: U+1F82 is alpha with three signs.
    assert text.in_form_of(["\u1f82"], ["\u03b1\u0313\u0300\u0345", "a" + "\u0315\u0316" * 9]) == [
        "\u1f82",
        "a" + "\u0315\u0316" * 9,
    ]
    assert lengths == [1, 4]


def test_an_id_that_ends_in_a_decimal_is_known_as_it_is():
    assert matched(["2.0", "2"], ["2.0", "2"]) == ([0, 1], [])
    assert (
        matched(["1.00"], ["1"])[1][0][3] == "Id 1.00 was changed to a decimal by a spreadsheet; expected 1"
    )
    assert matched(["1.01"], ["1"])[1][0][0] == "unknown_item"


def test_many_items_of_which_none_is_known_are_another_sets():
    others = [f"x{number}" for number in range(FEWEST_OF_A_SET)]
    places, found = matched(others, ["b", "a"])
    assert places == [-1] * FEWEST_OF_A_SET
    words = "none of the 20 responses belongs to this set of 2, such as a; is the file for another set?"
    assert found == [("another_set", None, None, words)]
    for fewer in (others[1:], [*others, "a.0"], [*others, "a"]):
        assert matched(fewer, ["b", "a"])[1][0][0] == "unknown_item"
    assert matched([*others, "2.0"], ["b", "2.0"])[1][0][0] == "unknown_item"


def test_missing_items_are_sorted_by_id():
    (problem,) = matched([], ["b", "10", "9", "a", "²", "1" * 18, "1" * 19])[1]
    assert problem[2:] == ("9", f"Id 9, 10, {'1' * 18} (and 4 more): 7 responses expected, 0 found")
    ids = ["b", "²", "1" * 19, "1" * 18, "0a", "09", "9", "10"]
    assert sorted(ids, key=id_order) == ["09", "9", "10", "1" * 18, "0a", "1" * 19, "b", "²"]
