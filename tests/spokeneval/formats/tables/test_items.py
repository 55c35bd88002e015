"""Tests of ids: items that are found, missing or unknown, and the message for each."""

from spokeneval.formats.problems import Problems
from spokeneval.formats.tables import FEWEST_OF_A_SET, Table, all_different, id_order, match_items


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


def test_a_repeated_id_is_found_in_any_order():
    assert all(map(all_different, [[], ["a"], ["a", "b", "c"], ["b", "a", "c"]]))
    assert not any(map(all_different, [["a", "a"], ["a", "b", "b"], ["b", "a", "b"]]))


def test_ids_that_only_look_alike_are_different():
    assert matched(["\u2460"], ["1"])[1][0][0] == "unknown_item"  # equal in the form NFKC


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
    words = (
        "Id x0: none of the 20 responses belongs to this set of 2, such as a; is the file for another set?"
    )
    assert found == [("another_set", 2, "x0", words)]
    for fewer in (others[1:], [*others, "a.0"], [*others, "a"]):
        assert matched(fewer, ["b", "a"])[1][0][0] == "unknown_item"
    assert matched([*others, "2.0"], ["b", "2.0"])[1][0][0] == "unknown_item"


def test_missing_items_are_sorted_by_id():
    (problem,) = matched([], ["b", "10", "9", "a", "²", "1" * 18, "1" * 19])[1]
    assert problem[2:] == ("9", f"Id 9, 10, {'1' * 18} (and 4 more): 7 responses expected, 0 found")
    ids = ["b", "²", "1" * 19, "1" * 18, "0a", "09", "9", "10"]
    assert sorted(ids, key=id_order) == ["09", "9", "10", "1" * 18, "0a", "1" * 19, "b", "²"]
