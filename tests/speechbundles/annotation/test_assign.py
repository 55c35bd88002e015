"""Assignments: loads, pairs, orders, additions."""

from collections import Counter
from itertools import combinations, pairwise

import pandas as pd
import pytest

from speechbundles.annotation.assign import COLUMNS, Assignment, assign
from speechbundles.model.errors import OrganiserError

NONE = pd.DataFrame(columns=COLUMNS)
PEOPLE = [f"a{number}" for number in range(15)]
ITEMS = [f"i{number}" for number in range(202)]
SPEAKERS = {item: f"s{number % 40}" for number, item in enumerate(ITEMS)}


def spread(counts):
    return max(counts) - min(counts)


def test_the_design_of_caller_experience_gives_each_call_to_three_of_fifteen_listeners():
    rows = assign(ITEMS, Assignment(PEOPLE, 3, speakers=SPEAKERS), NONE)
    assert set(rows.groupby("item")["annotator"].nunique()) == {3}
    assert spread(Counter(rows["annotator"]).values()) <= 1  # 606 / 15: 40 or 41
    sets = {name: set(own["item"]) for name, own in rows.groupby("annotator")}
    shared = [len(sets[one] & sets[other]) for one, other in combinations(PEOPLE, 2)]
    assert sum(shared) == 202 * 3
    assert spread(shared) <= 5
    places = rows.groupby("annotator").cumcount() / rows.groupby("annotator")["item"].transform("size")
    assert (places.groupby(rows["item"]).agg(lambda each: each.max() - each.min()) > 0.2).mean() > 0.8
    for _, own in rows.groupby("annotator"):
        assert spread(Counter(own["item"].map(SPEAKERS)).values()) <= 2
    assert rows.equals(assign(ITEMS, Assignment(PEOPLE, 3, speakers=SPEAKERS), NONE))
    assert not rows.equals(assign(ITEMS, Assignment(PEOPLE, 3, speakers=SPEAKERS, seed=1), NONE))


def test_calibration_comes_first_and_repeats_come_half_a_sheet_later():
    rows = assign(ITEMS, Assignment(PEOPLE[:3], 2, calibration=12, repeated=10), NONE)
    for _, own in rows.groupby("annotator"):
        kinds = own["kind"].tolist()
        assert Counter(kinds)["repeat"] == 10
        assert kinds[:12] == ["calibration"] * 12
        main = own[own["kind"] != "calibration"]["item"].tolist()
        first = {item: place for place, item in reversed(list(enumerate(main)))}
        last = {item: place for place, item in enumerate(main)}
        assert sum(last[item] > first[item] for item in first) == 10
        assert all(last[item] - first[item] >= len(first) // 2 for item in first if last[item] > first[item])
    shared = rows[rows["kind"] == "calibration"].groupby("annotator")["item"].agg(tuple)
    assert len(set(shared)) == 1


@pytest.mark.parametrize("largest", [10, 50])
def test_no_speaker_follows_themselves_and_nobody_gets_own_speech(largest):
    """The largest speaker has nearly half of the items: an order without neighbours of one speaker still exists."""
    speakers = {item: "A0" if number < largest else f"s{number}" for number, item in enumerate(ITEMS[:101])}
    rows = assign(ITEMS[:101], Assignment(["a0", "a1", "a2"], 1, speakers=speakers, apart=True), NONE)
    assert not (rows[rows["annotator"] == "a0"]["item"].map(speakers) == "A0").any()
    assert spread(Counter(rows["annotator"]).values()) <= 1
    for name, own in rows.groupby("annotator"):
        followed = sum(one == other for one, other in pairwise(own["item"].map(speakers)))
        most = Counter(own["item"].map(speakers))["A0"]
        assert followed == max(0, 2 * most - len(own) - 1), name


def test_additions_keep_the_earlier_rows_and_the_balance():
    before = assign(ITEMS[:60], Assignment(PEOPLE[:4], 2, repeated=3, calibration=5), NONE)
    added = assign(ITEMS[:120], Assignment(PEOPLE[:5], 2), before)
    assert set(added["item"]) == set(ITEMS[60:120])
    assert set(added["round"]) == {2}
    every = pd.concat([before, added])
    assert set(every[every["kind"] != "repeat"].groupby("item")["annotator"].nunique()) == {2, 4}
    assert spread(Counter(every[every["kind"] != "repeat"]["annotator"]).values()) <= 1
    third = assign(ITEMS[:120], Assignment(PEOPLE[:5], 3), every)  # a further listening
    assert len(third) == 115
    given, more = (set(zip(each["annotator"], each["item"], strict=True)) for each in (every, third))
    assert not given & more
    assert len(assign(ITEMS[:120], Assignment(PEOPLE[:5], 2), every)) == 0


def test_too_few_annotators_are_refused():
    with pytest.raises(OrganiserError, match=r"^202 items cannot have 3 of 2 annotators: i"):
        assign(ITEMS, Assignment(PEOPLE[:2], 3), NONE)
