"""Which labels follow from a column of a public file, and which by chance."""

from __future__ import annotations

import json
import random

import pytest

from tests.samples.leaky_contents import (
    IDS,
    KINDS,
    PAIRS,
    gives,
    leaks,
    sheet,
)


@pytest.mark.parametrize("form", ["{} {}\n", "{}\t{}\n", '"{}": "{}", ', "{1} ({0})\n"])
def test_transcripts_are_found_by_their_words(form):
    texts = [f"the {number} of {number * number}, uh, please" for number in range(40)]
    for kit, found in ((texts, True), (random.Random(1).sample(texts, 40), False)):
        gold = "id\ttranscript\n" + "".join(f"u{number}\t{text}\n" for number, text in enumerate(texts))
        kit = "".join(form.format(f"u{number}", text) for number, text in enumerate(kit))
        expected = [gives("a.zip/text", "transcript", 40)] if found else []
        assert leaks(reference={"reference.csv": gold}, public={"a.zip": {"text": kit}}) == expected


def test_turns_are_found_by_recording_and_time():
    turns = enumerate(KINDS * 3)
    rows = [
        (f"r_{n % 4}", f"u{n}", f"{n // 4 * 700 + 30}", f"{n // 4 * 700 + 600}", kind) for n, kind in turns
    ]
    gold = {"reference.csv": sheet("audio_name,utt_id,start,end,language_tag", *zip(*rows, strict=True))}
    rttm = "".join(f"SPEAKER {row[0]} 1 {int(row[2]) / 1000} 0.57 <NA> <NA> {row[4]} <NA>\n" for row in rows)
    named = "".join(f"{'_'.join(row[:4])} {row[4]}\n" for row in rows)
    files = {f"r_{n}.txt": "".join(f"{' '.join(row[2:])}\n" for row in rows[n::4]) for n in range(4)}
    for public, where in (({"gold.rttm": rttm}, "gold.rttm"), ({"b": named}, "b"), (files, "*.txt")):
        found = leaks(reference=gold, public={"a.zip": public})
        assert found == [gives(f"a.zip/{where}", "language_tag", 48)]
    names = {"b": "".join(f"{'_'.join(row[:4])}\n" for row in rows)}
    assert leaks(reference=gold, public={"a.zip": names}) == []


def rows(**counts):
    return "".join(kind * count for kind, count in counts.items())


@pytest.mark.parametrize(
    ("truth", "shown", "found"),
    [
        (rows(x=20, y=20), rows(x=20, y=16) + rows(x=4), True),  # 36 of 40
        (rows(x=20, y=20), rows(x=20, y=15) + rows(x=5), False),
        (rows(x=320, y=80), rows(x=320, y=40) + rows(x=40), True),  # half of the labels of y
        (rows(x=360, y=40), rows(x=360, y=19) + rows(x=21), False),  # fewer
        (rows(x=20, y=20, z=20), rows(a=20, b=20) + rows(a=20), False),  # two kinds look the same
        (rows(x=5, y=5), rows(x=5, y=5), False),  # chance
        (5 * "abcdefghijklmnopqrst", 5 * "ABCDEFGHIJKLMNOPQRST", True),  # twenty kinds
        (rows(x=100), rows(x=100), False),
        (rows(x=36, y=4), rows(x=40), False),  # right for 90 %, and reveals nothing
    ],
)
def test_nine_labels_in_ten_must_follow_and_more_than_by_chance(truth, shown, found):
    order = random.Random(2).sample(range(len(truth)), len(truth))
    ids = [f"i{place}" for place in order]
    gold = {"reference.csv": sheet("id,label", ids, [truth[place] for place in order])}
    kit = sheet("id;kind", ids, [shown[place] for place in order])
    expected = [gives("a.zip/b", rows=len(truth))] * found
    assert leaks(reference=gold, public={"a.zip": {"b": kit}}) == expected


def test_ratings_are_found_where_items_are_numbers_too():
    draw = random.Random(3)
    rows = [[str(number), *draw.choices("12345", k=4)] for number in range(1, 101)]
    gold = {"reference.csv": sheet("id,human1,human2,human3", *zip(*(row[:4] for row in rows), strict=True))}
    for columns, codes in (((0, 1, 2, 3), ["leak-column"]), ((3, 0), ["leak-column"]), ((0, 4), [])):
        kit = "".join(";".join(row[place] for place in columns) + "\n" for row in rows)
        assert [code for code, *_ in leaks(reference=gold, public={"a.zip": {"b": kit}})] == codes


SESSIONS = [f"s{row // 4}" for row in range(16)]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("number,label", [IDS]),
        ("session,item,label", [SESSIONS, list("abcd") * 4]),
        ("1,prompt,1.wav,heard,said,correct", [IDS, SESSIONS, IDS, SESSIONS, SESSIONS]),
    ],
)
def test_columns_that_name_items_are_found_by_their_values(header, names):
    kit = {"a.zip": {"kit": sheet("", *names[:2], KINDS)}}
    (found,) = leaks(reference={"reference.csv": sheet(header, *names, KINDS)}, public=kit)
    assert found[:2] == ("leak-column", "a.zip/kit")


def test_a_session_is_no_mark_of_a_label_that_its_items_share():
    rows = [(f"i{number}", f"s{number % 8}", str(number % 8 // 2)) for number in range(64)]
    gold = {"reference.csv": sheet("id,session,severity", *zip(*rows, strict=True))}
    for columns, found in ((2, []), (3, [gives("a.zip/b", "severity", 64)])):
        text = sheet("", *zip(*(row[:columns] for row in rows), strict=True))
        assert leaks(reference=gold, public={"a.zip": {"b": text}}) == found


@pytest.mark.parametrize(
    ("truth", "blocks"),
    [
        ("x" * 8 + "y" * 8, 2),
        ("x" * 7 + "y" * 7, 2),  # 8 blocks by chance
        ("x" * 7 + "y" * 6, None),
        ("x" * 8 + "y" * 4 + "x" * 4 + "y" * 8, None),  # 4 blocks, 13 by chance
        ("x" * 20 + "y" * 30 + "x" * 10, 3),
        ("".join(kind * 4 for kind in "abcdefghij"), 10),
        ("".join(kind * 4 for kind in "abcdefghijk"), None),  # so many kinds can be a measurement
    ],
)
def test_items_sorted_by_a_label_are_found_but_in_predictions(truth, blocks):
    ids = [f"i{place}" for place in random.Random(4).sample(range(len(truth)), len(truth))]
    gold = {"reference.csv": sheet("id,level", ids, truth)}
    kit = {"a.zip": {"b": json.dumps({"items": ids})}}
    what = f"{len(truth)} items in {blocks} blocks by 'level' of reference_data.zip/reference.csv"
    assert leaks(reference=gold, public=kit) == ([("leak-order", "a.zip/b", what)] if blocks else [])
    assert leaks(reference=gold, solutions=kit) == []
    groups = [f"{kind}{place // 4}" for place, kind in enumerate(truth)]  # which determine the levels
    grouped = {"reference.csv": sheet("id,session,level", ids, groups, truth)}
    assert leaks(reference=grouped, public=kit) == []


def test_items_listed_by_class_are_sorted_by_it():
    classes = json.dumps({kind: [item for item, own in PAIRS if own == kind] for kind in "xy"})
    assert [code for code, *_ in leaks(public={"a.zip": {"b.json": classes}})] == ["leak-order"]
