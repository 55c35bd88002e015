"""The search for hidden labels in small bundles in memory."""

from __future__ import annotations

import gzip
import io
import json
import random

import openpyxl
import pytest

from speechbundles.model.zips import make_zip
from spokeneval.run.reference import fingerprint
from tests.samples.leaky_contents import (
    GOLD,
    IDS,
    ITEMS,
    KIND,
    KINDS,
    PAIRS,
    gives,
    leaks,
    matched,
    same,
    sheet,
    unsearched,
)
from tests.samples.programs import encoded

COPY = {"gold.csv": GOLD["reference.csv"]}


def test_labels_are_found_in_all_files_that_participants_get():
    for kind in ("item_lists", "public", "solutions"):
        assert leaks(**{kind: {"a.zip": COPY}}) == [same("a.zip/gold.csv")]
        assert leaks(**{kind: {"a.zip": {"b.csv": KIND}}}) == [gives("a.zip/b.csv")]
        inner = make_zip(encoded(COPY))
        assert leaks(**{kind: {"a.zip": {"b.zip": inner}}}) == [same("a.zip/b.zip/gold.csv")]
        assert leaks(**{kind: {"a.zip": {"b.zip": "x"}}}) == [unsearched("a.zip/b.zip")]
        deep = make_zip({"c.zip": inner})
        assert leaks(**{kind: {"a.zip": {"b.zip": deep}}}) == [unsearched("a.zip/b.zip/c.zip")]
    assert leaks(reference={**GOLD, "b.zip": "x"}) == [unsearched("reference_data.zip/b.zip")]
    assert leaks(pages={"page.md": GOLD["reference.csv"]}) == [same("page.md")]
    several = {"a.zip": {"b.csv": KIND, **COPY, "c.csv": KIND}}
    found = [same("a.zip/gold.csv"), gives("a.zip/b.csv"), gives("a.zip/c.csv")]
    assert leaks(public=several) == found


def workbook():
    """A workbook with the labels in its second sheet."""
    book, text = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["Notes of the annotators"])
    hidden = book.create_sheet("hidden")
    hidden.sheet_state = "hidden"
    for row in [("item", "kind"), *PAIRS]:
        hidden.append(row)
    book.save(text)
    return text.getvalue()


def lines(form):
    return "".join(form.format(item, kind) for item, kind in PAIRS)


FORMS = {
    "B.CSV": KIND,
    "semicolons": KIND.replace(",", ";").replace("kind", "Gr\u00f6\u00dfe").encode("cp1252"),
    "UTF-16": KIND.encode("utf-16"),
    "a header in GB18030": KIND.replace("kind", "种类").encode("gb18030"),
    "hidden.xlsx": workbook(),
    "zip.bundle": make_zip(encoded({"b.csv": KIND})),
    "renamed.csv": KIND.replace(",x", ",0").replace(",y", ",1"),
    "a cell of many letters": KIND + "x,x," + "y" * 200_000,
    "ID3 at the beginning": KIND.replace("id", "ID3"),
    "empty cells": "note\titem\tkind\n" + lines("\t{}\t{}\n").replace("y", ""),
    "label first": lines("{1} ({0})\n"),
    "page.md": "| a | b |\n|---|---|\n| 1 | 2 |\n\nThen:\n\n" + lines("| {} | {} |\n"),
    "objects.json": json.dumps({"items": [{"id": item, "kind": kind} for item, kind in PAIRS]}, indent=1),
    "columns.json": json.dumps({"id": IDS, "kind": list(KINDS)}),
    "columns by index.json": json.dumps({"id": dict(enumerate(IDS)), "kind": dict(enumerate(KINDS))}),
    "JSON lines": lines('{{"id": "{}", "kind": "{}"}}\n'),
    "records.yaml": lines("- kind: {1}\n  id: {0}\n"),
    "b.ini": "[labels]\n" + lines("{} = {}\n"),
    "b.xml": lines('<i id="{}">{}</i>'),
    "b.ipynb": json.dumps({"source": [lines("{}\t{}\n")]}),
    "b.py": lines("KINDS[{!r}] = {!r}\n"),
    "prose": lines("The answer in {} was of kind {}. "),
    "names of recordings": lines("audio/{}.wav {}\n"),
    "beside other items": lines("{}: {}\nother: x\n"),
}


@pytest.mark.parametrize("form", FORMS)
def test_labels_are_found_in_any_form(form):
    ((code, where, _),) = leaks(public={"a.zip": {form: FORMS[form]}})
    assert (code, where.removesuffix("/b.csv")) == ("leak-column", f"a.zip/{form}")


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
    assert matched(reference=gold, public={"a.zip": {"b": kit}}) == expected


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


def test_columns_of_item_lists_are_not_secret_and_predictions_can_be_good():
    kit = {"kit.zip": {"b.csv": sheet("id,group", IDS, KINDS[::-1])}}
    assert leaks(public=kit) == [gives("kit.zip/b.csv", "prompt")]
    assert leaks(public=kit, item_lists={"a.zip": ITEMS}) == []
    assert leaks(public={**kit, "a.zip": ITEMS})[0] == gives("kit.zip/b.csv", "prompt")
    gold = sheet("id,label", [f"{item}{n}" for n in range(3) for item in IDS], KINDS * 3)
    good, perfect = gold.replace(",x", ",y", 1), gold.replace("label", "decision")
    for kind, text, found in (("solutions", good, 0), ("public", good, 1), ("solutions", perfect, 1)):
        expected = [gives("a.zip/b.csv", rows=48)] * found
        assert leaks(reference={"reference.csv": gold}, **{kind: {"a.zip": {"b.csv": text}}}) == expected


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
    assert matched(reference=gold, public=kit) == ([("leak-order", "a.zip/b", what)] if blocks else [])
    assert matched(reference=gold, solutions=kit) == []
    groups = [f"{kind}{place // 4}" for place, kind in enumerate(truth)]  # which determine the levels
    grouped = {"reference.csv": sheet("id,session,level", ids, groups, truth)}
    assert matched(reference=grouped, public=kit) == []


def test_items_listed_by_class_are_sorted_by_it():
    classes = json.dumps({kind: [item for item, own in PAIRS if own == kind] for kind in "xy"})
    assert [code for code, *_ in leaks(public={"a.zip": {"b.json": classes}})] == ["leak-order"]


def test_files_that_cannot_be_searched_are_reported_except_sound_images_and_the_package():
    for name, content in {
        "b.gz": gzip.compress(KIND.encode()),
        "b.pkl": b"\x80\x05\x00\x00" * 9,
        "b.xlsx": b"PK\3\4 no workbook",
        "b.txt": KIND.encode("utf-16-le"),
        "b.csv": "a,b\n" * 2_500_001,
    }.items():
        ((code, where, _),) = leaks(public={"a.zip": {name: content}})
        assert (code, where) == ("leak-unsearched", f"a.zip/{name}")
    media = b"\x89PNG\r\n\0", b"RIFF\0\0\0\0WAVE", b"OggS\0", b"fLaC\0", b"\xff\xd8\xff\0", b"NIST_1A\n\0"
    assert leaks(public={"a.zip": {f"{number}.bin": data for number, data in enumerate(media)}}) == []
    assert leaks(public={"a.zip": {"kit/spokeneval/b.py": KIND}}) == []


@pytest.mark.parametrize("repeated", [" ", "(", "1", "/", "\\u", "&#", "a-", "item00 "])
def test_a_line_of_many_signs_is_read_quickly(repeated):
    """A pattern that backtracks would take hours."""
    text = f"a: {repeated * 100_000}x\n{repeated * 100_000},y\n"
    assert leaks(public={"a.zip": {"b.txt": text}}, reference={**GOLD, "b.csv": f"{text}z"}) == []


def test_a_file_without_labels_can_be_public():
    others = {
        "README.txt": "Which labels there are.\n",
        "sub/LICENCE": "A licence of many words.\n",
        "short.csv": "a,b\n" * 3 + "a,b",
        "times.csv": sheet("audio_name,start", IDS, IDS[::-1]),
    }
    assert leaks(reference={**GOLD, **others}, item_lists={"a.zip": others}) == []
    named = {"long.csv": "a,b\n" * 4, "x.bin": b"\xff" * 16, "a.csv": sheet("id,x", IDS, IDS)}
    for name, text in named.items():
        words = f"has the same bytes as {name} of a hidden reference"
        found = leaks(reference={**GOLD, **others, name: text}, public={"a.zip": {"x": text}})
        assert found == [("leak-file", "a.zip/x", words)]


def leaks_of_name(task, name, options=None):
    return leaks(task=task, name=name, options=options, public={"a.zip": COPY})


def test_labels_are_public_only_by_options_or_without_options_by_a_name():
    for task, name in (("Development", "a"), ("Test", "SAMPLE.zip"), ("x", "Training"), ("public", "b")):
        assert leaks_of_name(task, name) == []
        assert leaks_of_name(task, name, {"public_references": ["0"]}) == [same("a.zip/gold.csv")]
    assert leaks_of_name("Test", "reference_data.zip") == [same("a.zip/gold.csv")]
    public = {"public_references": [fingerprint(encoded(GOLD))]}
    assert leaks_of_name("Test", "reference_data.zip", public) == []
    nested = {**GOLD, "folder/more.csv": KIND}
    assert leaks(reference=nested, options=public, public={"a.zip": {"b.csv": KIND, "c.zip": "x"}}) == []


def test_only_copies_are_found_of_hidden_files_that_are_too_large_or_not_tables():
    rows = [[str(row + number) for row in range(16)] for number in range(29)]
    wide = sheet(",".join(["id", "label", *(f"c{number}" for number in range(29))]), IDS, KINDS, *rows)
    for name, content, what in (
        ("wide.csv", wide, "31 columns of a hidden reference"),
        ("big.csv", "a,b\n" * 500_001, "a table of more than 1000000 cells"),
        ("b.json", json.dumps(dict(PAIRS)), "not a table of rows"),
    ):
        found = leaks(reference={name: content}, public={"a.zip": {"x": content, "b": KIND}})
        assert ("leak-unsearched", f"reference_data.zip/{name}", what) in found
        assert "leak-file" in [code for code, *_ in found]
        assert "leak-column" not in [code for code, *_ in found]
