"""One public table against one hidden reference: what gives a label away, to the last row, and what does not."""

from __future__ import annotations

import pytest

from speechbundles.check.label_match import match_table
from speechbundles.check.text_tables import SEGMENT, TextTable
from speechbundles.model.finding import Report

KINDS = "xyxxyxyyxyyxxyxy"
"""Two kinds, eight times each, in no order."""


def ids(count, first=0):
    return [f"i{number:02}" for number in range(first, first + count)]


def named(count, **columns):
    return {"id": ids(count), **{name: list(values) for name, values in columns.items()}}


def found(reference, public, *carried, predicted=False):
    """What is found: the rule, and the words after the table's name."""
    report = Report()
    match_table(
        report, TextTable("gold.csv", reference), TextTable("items.csv", public), set(carried), predicted
    )
    (finding,) = report.findings or [None]
    assert finding is None or finding.where == "items.csv"
    return finding and (finding.code, finding.what)


def gives(column, label="label", rows=16):
    return "leak-column", f"column {column!r} gives {label!r} of gold.csv away, for {rows} rows"


GOLD = named(16, label=KINDS)


def test_a_column_of_labels_is_found_by_the_items_names():
    assert found(GOLD, named(16, kind=KINDS)) == gives("kind")
    assert found(GOLD, {"kind": list(KINDS), "any name": ids(16)}) == gives("kind")
    assert found(GOLD, {"kind": list(KINDS[::-1]), "any name": ids(16)[::-1]}) == gives("kind")
    assert found(GOLD, named(16, kind=KINDS.replace("x", "0").replace("y", "1"))) == gives("kind")
    assert found(GOLD, named(16, kind="xyyxxyxyxyxyyxyx")) is None
    assert found(GOLD, named(16, kind="x" * 16)) is None
    assert found(named(16, label="x" * 16), named(16, kind="x" * 16)) is None  # that is no secret
    assert found(named(16, flag="x" * 16, label=KINDS), named(16, kind=KINDS)) == gives("kind")
    both = named(16, label=KINDS, gold=KINDS)
    assert found(both, named(16, one=KINDS, two=KINDS)) == gives("one")  # one finding a table


@pytest.mark.parametrize(
    ("truth", "shown", "leaks"),
    [
        (10 * "x" + 10 * "y", 10 * "x" + 8 * "y" + 2 * "x", True),  # 18 of 20
        (10 * "x" + 10 * "y", 10 * "x" + 7 * "y" + 3 * "x", False),
        (10 * "x" + 10 * "y", 10 * "a" + 8 * "b" + 2 * "a", True),  # renamed
        (10 * "x" + 10 * "y", 10 * "a" + 7 * "b" + 3 * "a", False),
        (14 * "x" + 2 * "y", 14 * "x" + "yx", True),  # 15 of 16 where naming the commonest is right for 14
        (36 * "x" + 4 * "y", 36 * "x" + "yyyx", True),  # 39 of 40, where 36 is nothing
        (36 * "x" + 4 * "y", 36 * "x" + "yxxx", False),  # 37
        (8 * "x" + 8 * "y" + 8 * "z", 8 * "a" + 8 * "b" + 8 * "a", False),  # two kinds are told as one
        (8 * "x" + 8 * "y", 5 * "a" + 3 * "c" + 8 * "b", False),  # one kind as two
        (3 * "abcdefghijklmnopqrst", 3 * "ABCDEFGHIJKLMNOPQRST", True),  # of twenty kinds
        (3 * "abcdefghijklmnopqrstu", 3 * "ABCDEFGHIJKLMNOPQRSTU", False),
        (3 * "abcdefghijklmnopqrstu", 3 * "AACDEFGHIJKLMNOPQRSTT", False),
        (3 * "abcdefghijklmnopqrstu", 3 * "abcdefghijklmnopqrstu", True),
    ],
)
def test_a_column_tells_labels_if_it_is_far_better_than_the_commonest(truth, shown, leaks):
    order = sorted(range(len(truth)), key=lambda row: row * 7 % 11)  # in no order of their own
    truth, shown = ([text[row] for row in order] for text in (truth, shown))
    size = len(truth)
    assert found(named(size, label=truth), named(size, kind=shown)) == (
        gives("kind", rows=size) if leaks else None
    )


def test_a_value_that_stands_for_two_labels_as_often_is_the_first_ones():
    truth = "z" + "xy" * 9 + "x"
    assert found(named(20, label=truth), named(20, kind="c" + "ab" * 9 + "c")) == gives("kind", rows=20)
    assert found(named(20, label="x" + truth[1:19] + "z"), named(20, kind="c" + "ab" * 9 + "c")) is None


def test_a_prediction_may_be_good_but_not_perfect_or_the_labels_own_column():
    good = named(16, label=KINDS[:15] + "x")
    assert found(GOLD, good, predicted=True) == gives("label")
    other = named(16, decision=good["label"])
    assert found(GOLD, other) == gives("decision")
    assert found(GOLD, other, predicted=True) is None
    assert found(GOLD, named(16, decision=KINDS), predicted=True) == gives("decision")


def test_what_public_lists_carry_is_no_secret_unless_it_is_named_as_a_label():
    gold = named(16, prompt=KINDS, speaker=KINDS, user=KINDS)
    public = named(16, group=KINDS)
    assert found(gold, public) == gives("group", "prompt")
    assert found(gold, public, "prompt") is None
    assert found(GOLD, named(16, group=KINDS), "label") == gives("group")


def test_enough_items_must_be_the_same_and_be_half_of_either_table():
    gold = named(17, label=KINDS + "x")
    for first, size, rows in ((9, 17, None), (9, 16, 8), (10, 14, None), (9, 15, 8)):
        public = {"id": ids(size, first), "kind": list((KINDS + "x")[first:] + KINDS)[:size]}
        assert found(gold, public) == (rows and gives("kind", rows=rows))
    assert found(GOLD, {"id": ids(40, 8), "kind": list(KINDS[8:] + 32 * "x")}) == gives("kind", rows=8)
    small = named(8, label=KINDS[:8])
    assert found(small, {"id": ids(40), "kind": list(KINDS[:8] + 32 * "x")}) == gives("kind", rows=8)
    assert found(small, {"id": ["i00"] * 8, "kind": list(KINDS[:8])}) is None  # one item
    assert found(named(7, label=KINDS[:7]), named(7, kind=KINDS[:7])) is None


def test_the_names_that_most_rows_share_tell_the_items():
    gold = {"number": ids(16, 50), **GOLD}
    public = {"number": [*ids(9, 50), *ids(7)], "id": ids(16), "kind": list(KINDS)}
    assert found(gold, public, "number") == gives("kind")
    assert found(gold, {"kind": public["kind"], "number": public["number"]}) == gives("kind", rows=9)
    # Of names that as many share, the first.
    assert found({"id": ids(16), "serial": ids(16)}, {"id": ids(16), "x": ids(16)}) == gives("x", "serial")


def test_items_may_be_told_by_several_columns_together():
    gold = {"session": [f"s{row // 4}" for row in range(16)], "item": list("abcd") * 4, "label": list(KINDS)}
    public = {"session": gold["session"], "item": gold["item"], "kind": list(KINDS)}
    assert found(gold, public) == gives("kind")
    assert found({**gold, "item": list("abca") * 4}, {**public, "item": list("abca") * 4}) is None
    assert found(gold, {"item": gold["item"], "kind": list(KINDS)}) is None
    labelled = {"class": gold["session"], "item": gold["item"], "label": list(KINDS)}
    assert found(labelled, {"class": gold["session"], "item": gold["item"], "kind": list(KINDS)}) is None


def test_a_segments_name_is_made_of_what_is_no_secret():
    parts = {"audio_name": list(KINDS), "utt_id": list(KINDS), "start": list(KINDS), "end": list(KINDS)}
    gold = {**parts, SEGMENT: ids(16), "language_tag": list(KINDS[::-1])}
    public = {"segment": ids(16), "kind": list(KINDS)}
    assert found(gold, public) is None
    assert found({**gold, "channel": list(KINDS)}, public) == gives("kind", "channel")
    # Where something else tells the items apart the segment's own name is no secret either.
    gold = {"id": ids(16), SEGMENT: list(KINDS)}
    assert found(gold, public) is None


# The order of the items


def ordered(truth, label="label", **columns):
    return found(named(len(truth), **{label: truth}, **columns), named(len(truth)))


def blocks(runs, items, label="label"):
    return "leak-order", f"{items} items in {runs} blocks by {label!r} of gold.csv"


@pytest.mark.parametrize(
    ("truth", "runs"),
    [
        ("x" * 8 + "y" * 8, 2),
        ("x" * 7 + "y" * 7, 2),  # as many blocks as 1 + 14 - 98/14 = 8 would be by chance
        ("x" * 7 + "y" * 6, None),
        ("x" * 8 + "y" * 4 + "x" * 4 + "y" * 8, None),  # 4 blocks, 13 by chance
        ("x" * 20 + "y" * 30 + "x" * 10, 3),  # of 60, half each: 31 by chance, of which a tenth
        ("x" * 20 + "y" * 20 + "x" * 10 + "y" * 10, None),
        ("".join(kind * 4 for kind in "abcdefghij"), 10),
        ("".join(kind * 4 for kind in "abcdefghijk"), None),  # so many kinds may be a measure
        ("".join(kind * 2 for kind in "abcdefghij"), None),  # 10 blocks, 19 by chance
        (KINDS, None),
        ("x" * 16, None),
    ],
)
def test_items_sorted_by_a_label_are_found(truth, runs):
    assert ordered(truth) == (runs and blocks(runs, len(truth)))


def test_an_order_that_predictions_or_names_have_is_no_leak():
    truth = "x" * 8 + "y" * 8
    assert found(named(16, label=truth), named(16), predicted=True) is None
    assert ordered(truth, label="duration") is None
    assert ordered(ids(16), label="duration", level=truth) == blocks(2, 16, "level")
    assert ordered(truth, label="level") == blocks(2, 16, "level")
    assert found(named(16, level=truth), named(16), "level") is None


def test_an_order_by_sessions_is_no_leak_if_the_labels_follow_from_them():
    truth = "x" * 8 + "y" * 8
    told = blocks(2, 16)
    for size, finding in ((8, None), (4, None), (2, None), (1, told)):  # of a session
        assert ordered(truth, session=[f"s{row // size}" for row in range(16)]) == finding
    assert ordered(truth, **{"class": ["s0"] * 8 + ["s1"] * 8}) == told
    assert ordered(truth, session=["s0"] * 4 + ["s1"] * 8 + ["s2"] * 4) == told
    assert ordered("x" * 8 + "y" * 8 + "z" * 8, session=["s0"] * 8 + ["s1"] * 16) == blocks(3, 24)
