"""Tables: headers, rows and ids, and what is said of each that does not fit."""

from __future__ import annotations

import numpy as np
import pytest

from spokeneval.formats import tables
from spokeneval.formats.problems import FileProblems, Problems
from spokeneval.formats.tables import (
    FEWEST_OF_A_SET,
    Layout,
    Table,
    check_ids,
    id_order,
    match_items,
    numbered,
    parse_in_parts,
    parse_table,
    read_table,
    split_fields,
    split_row,
)

LAYOUT = Layout("a.csv", "Id", ("Id", "Value"))


def read(text, **changes):
    """A table's columns and lines, and what is said of the text."""
    problems = Problems()
    table = parse_table([text], LAYOUT._replace(**changes), problems)
    found = [(problem.code, problem.line, problem.message) for problem in problems.kept]
    assert {problem.file for problem in problems.kept} <= {"a.csv"}
    return table.columns, table.lines, found


def refused(text, **changes):
    """The one problem for which a text cannot be read on."""
    with pytest.raises(FileProblems) as refusal:
        parse_table([text], LAYOUT._replace(**changes), Problems())
    (problem,) = refusal.value.problems
    return problem.code, problem.file, problem.line, problem.message


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
    table = parse_table(["\nX,Id,Value,y\n1,2,3,4"], LAYOUT, Problems())
    assert (table.others, table.file, table.id, table.ids, len(table)) == (
        ("X", "y"),
        "a.csv",
        "Id",
        ["2"],
        1,
    )
    assert parse_table(["x,Id,Value"], LAYOUT, Problems()) == Table(
        "a.csv", "Id", {"Id": [], "Value": []}, [], ("x",)
    )


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


def test_a_column_may_have_no_name():
    found = read("\tId\tValue\n1\ta\tb\n2\tc\td", delimiter="\t")
    assert found == ({"Id": ["a", "c"], "Value": ["b", "d"]}, [2, 3], [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Id,Val\n1,2", ("missing_column", 1, "no column Value; the header has Id, Val")),
        ("\n\n1,2\n3,4", ("missing_column", 3, "no column Id, Value; the header has 1, 2")),
        (
            "a,b,c,d,e,f,g,h,i",
            ("missing_column", 1, "no column Id, Value; the header has a, b, c, d, e, f, g, h (and 1 more)"),
        ),
        ("Id\tValue", ("missing_column", 1, "fields are separated by tabs; expected commas")),
        ("Id;Value", ("missing_column", 1, "fields are separated by semicolons; expected commas")),
        ('"Id,Value', ("missing_column", 1, 'no column Id, Value; the header has "Id,Value')),
        ("Id,x;y", ("missing_column", 1, "no column Value; the header has Id, x;y")),
        ("Id,Value,id", ("duplicate_column", 1, "column Id stands twice in the header")),
        ("Value,Id,id,value", ("duplicate_column", 1, "column Id, Value stands twice in the header")),
    ],
)
def test_a_header_that_cannot_be_used(text, expected):
    code, line, message = expected
    assert refused(text) == (code, "a.csv", line, message)


def test_tabs_that_were_expected_are_asked_for():
    assert refused("Id,Value", delimiter="\t")[3] == "fields are separated by commas; expected tabs"


def test_a_column_that_nobody_asked_for_may_stand_twice():
    assert read("x,Id,Value,x\n1,2,3,4")[2] == []


def test_rows_of_another_width_are_told_and_left_out():
    assert read('Id,Value\n1\n2,3\n"4,5\n6,7,8\n9,"1"') == (
        {"Id": ["2", "9"], "Value": ["3", "1"]},
        [3, 6],
        [
            ("wrong_field_count", 2, "1 field, separated by commas; the header has 2"),
            ("unclosed_quote", 4, "a quotation mark that is not closed in its line, or has text after it"),
            ("wrong_field_count", 5, "3 fields, separated by commas; the header has 2"),
        ],
    )


def test_empty_rows_and_rows_of_delimiters_alone_are_skipped():
    text = "Id,Value\n\n1,2\n,\n \t,\n,3\n4,\nX,X"
    assert read(text) == ({"Id": ["1", "", "4", "X"], "Value": ["2", "3", "", "X"]}, [3, 6, 7, 8], [])
    for blank in (",", " ,", "\t, "):
        found = read(f"Id,Value\n1,2\n{blank}\n3,4")
        assert found == ({"Id": ["1", "3"], "Value": ["2", "4"]}, [2, 4], [])


def test_rows_that_need_no_care_are_split_at_once(monkeypatch):
    cared_for = []
    split_rows = tables._split_rows
    monkeypatch.setattr(tables, "_split_rows", lambda *a: cared_for.append(a[0]) or split_rows(*a))
    values = {"Id": ["1", "3", "5"], "Value": ["2 ", "", "6"]}
    assert read("Id,Value\n1,2 \n3,\n5,6")[0] == values
    assert not cared_for
    assert read('Id,Value\n1,2 \n3,\n5,"6"')[0] == values
    assert read("Id\n1\n3\n5", required=("Id",))[0] == {"Id": ["1", "3", "5"]}
    assert cared_for == ['1,2 \n3,\n5,"6"']


def test_a_wide_row_and_a_narrow_one_do_not_make_two():
    columns, _, found = read("Id,Value\n1,2,3\n4")
    assert (columns, [line for _, line, _ in found]) == ({"Id": [], "Value": []}, [2, 3])


def test_a_large_file_comes_in_parts_with_their_own_lines():
    parts = list(parse_in_parts(["\nId,Value,x", "1,2,3\n4,5,6", "\n7,8,9"], LAYOUT, Problems()))
    assert parts == [
        Table("a.csv", "Id", {"Id": [], "Value": []}, [], ("x",)),
        Table("a.csv", "Id", {"Id": ["1", "4"], "Value": ["2", "5"]}, [3, 4], ("x",)),
        Table("a.csv", "Id", {"Id": ["7"], "Value": ["8"]}, [6], ("x",)),
    ]
    whole = parse_table(["\nId,Value,x", "1,2,3\n4,5,6", "\n7,8,9"], LAYOUT, Problems())
    assert whole == Table("a.csv", "Id", {"Id": ["1", "4", "7"], "Value": ["2", "5", "8"]}, [3, 4, 6], ("x",))


def test_a_file_is_read_within_its_limit(tmp_path):
    (tmp_path / "other").write_text("Id,Value\n1,2\n3\n")
    problems = Problems()
    table = read_table(tmp_path / "other", LAYOUT, problems, 1000)
    assert table.columns == {"Id": ["1"], "Value": ["2"]}
    assert [problem.code for problem in problems.kept] == ["wrong_field_count"]
    with pytest.raises(FileProblems, match=r"^a.csv: 1 problem\n\n  is larger than 12 bytes"):
        read_table(tmp_path / "other", LAYOUT, Problems(), 12)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("1 2\n3\t 4", [["1", "3"], ["2", "4"]]),
        ("\n1 2\n\n 3 4 \n", [["1", "3"], ["2", "4"]]),
        ("", [[], []]),
        (" \n ", [[], []]),
        ("1 2\n3", None),
        ("1 2 3\n4", None),
        ("1 2\n3 4 5", None),
    ],
)
def test_fields_between_blanks(text, columns):
    assert split_fields(text, 2) == columns


def table_of(*ids, column="Id"):
    return Table("a.csv", column, {column: list(ids)}, list(range(2, 2 + len(ids))))


def matched(ids, expected):
    problems = Problems()
    places = match_items(table_of(*ids), expected, problems, noun="response")
    found = [(problem.code, problem.line, problem.item, problem.message) for problem in problems.kept]
    assert {problem.file for problem in problems.kept} <= {"a.csv"}
    return places.tolist(), found


def test_rows_find_their_places_in_any_order():
    assert matched(["b", "a", "c"], ["a", "b", "c"]) == ([1, 0, 2], [])


def test_every_row_that_does_not_fit_is_told():
    places, found = matched(["a", "x", "a", " b ", "2.0", "b", "3"], ["a", "b", "2", "10", "9", "3"])
    assert places == [0, -1, -1, -1, -1, -1, 5]
    assert found == [
        ("unknown_item", 3, "x", "Id x is not one of the 6 responses"),
        ("duplicate_item", 4, "a", "Id a again; first on line 2"),
        ("misspelt_item", 5, " b ", "Id ' b ': blanks around it; expected b"),
        ("misspelt_item", 6, "2.0", "Id 2.0: a spreadsheet made it a decimal; expected 2"),
        ("duplicate_item", 7, "b", "Id b again; first on line 5"),
        ("missing_item", None, "9", "Id 9, 10: 6 responses expected, 4 found"),
    ]


def test_an_id_that_ends_in_a_decimal_is_known_as_it_is():
    assert matched(["2.0", "2"], ["2.0", "2"]) == ([0, 1], [])
    assert matched(["1.00"], ["1"])[1][0][3] == "Id 1.00: a spreadsheet made it a decimal; expected 1"
    assert matched(["1.01"], ["1"])[1][0][0] == "unknown_item"


def test_a_misspelt_item_stands_on_its_first_line():
    found = matched(["a ", "b", " a", "a"], ["a", "b"])[1]
    assert [message for *_, message in found] == [
        "Id 'a ': blanks around it; expected a",
        "Id ' a': blanks around it; expected a",
        "Id a again; first on line 2",
    ]


def test_many_items_of_which_none_is_known_are_another_sets():
    others = [f"x{number}" for number in range(FEWEST_OF_A_SET)]
    places, found = matched(others, ["b", "a"])
    assert places == [-1] * FEWEST_OF_A_SET
    words = "none of the 20 responses is one of this set's 2, such as a; is the file another set's?"
    assert found == [("another_set", None, None, words)]
    assert matched(others[1:], ["b", "a"])[1][0][0] == "unknown_item"
    assert matched([*others, "a.0"], ["b", "a"])[1][0][0] == "unknown_item"
    assert matched([*others, "a"], ["b", "a"])[1][0][0] == "unknown_item"
    assert matched([*others, "2.0"], ["b", "2.0"])[1][0][0] == "unknown_item"


def test_missing_items_are_told_in_an_order_of_their_own():
    (problem,) = matched([], ["b", "10", "9", "a", "²", "1" * 18, "1" * 19])[1]
    assert problem == (
        "missing_item",
        None,
        "9",
        f"Id 9, 10, {'1' * 18} (and 4 more): 7 responses expected, 0 found",
    )
    ids = ["b", "²", "1" * 19, "1" * 18, "0a", "09", "9", "10"]
    assert sorted(ids, key=id_order) == ["09", "9", "10", "1" * 18, "0a", "1" * 19, "b", "²"]


def test_ids_of_a_reference_are_there_and_can_be_typed():
    problems = Problems()
    check_ids(table_of("a", "", "b\u200b", " c", "a", "d e"), problems, noun="row")
    invisible = "expected no invisible characters and no blanks around it"
    assert [(problem.code, problem.line, problem.item, problem.message) for problem in problems.kept] == [
        ("duplicate_item", 6, "a", "Id a again; first on line 2"),
        ("empty_item", 3, None, "the Id is empty"),
        ("unusable_id", 4, "b\u200b", rf"Id 'b\u200b'; {invisible}"),
        ("unusable_id", 5, " c", f"Id ' c'; {invisible}"),
    ]
    assert {problem.file for problem in problems.kept} == {"a.csv"}


def test_a_problem_of_a_row_has_its_id_and_line():
    problems = Problems()
    table_of("a", "b c").add_problem(problems, "code", 1, "what")
    (problem,) = problems.kept
    assert (problem.code, problem.file, problem.line, problem.item) == ("code", "a.csv", 3, "b c")
    assert problem.message == "Id 'b c': what"


def test_values_are_numbered_as_they_come():
    values, numbers = numbered(["b", "a", "b", "c"])
    assert (values, numbers.tolist(), numbers.dtype) == (["b", "a", "c"], [0, 1, 0, 2], np.int64)
