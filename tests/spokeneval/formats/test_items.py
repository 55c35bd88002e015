"""Tests of ids: items that are found, missing or unknown, and the message for each."""

from spokeneval.formats import text
from spokeneval.formats.items import FEWEST_OF_A_SET, id_order, match_items
from spokeneval.formats.problems import Problems
from spokeneval.formats.tables import Table


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
