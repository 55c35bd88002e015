"""The search for hidden labels in small bundles in memory."""

from __future__ import annotations

import gzip
import io
import json
import random
from itertools import product

import openpyxl
import pytest

from speechbundles.bundle.check import label_match
from speechbundles.model.zips import make_zip
from spokeneval.scoring.reference import fingerprint
from tests.samples.leaky_contents import (
    GOLD,
    IDS,
    ITEMS,
    KIND,
    KINDS,
    PAIRS,
    gives,
    leaks,
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


def test_files_that_cannot_be_searched_are_reported_except_sound_images_and_the_package():
    for name, content in {
        "b.gz": gzip.compress(KIND.encode()),
        "b.pkl": b"\x80\x05\x00\x00" * 9,
        "b.xlsx": b"PK\3\4 no workbook",
        "b.txt": KIND.encode("utf-16-le"),
    }.items():
        ((code, where, _),) = leaks(public={"a.zip": {name: content}})
        expected = "leak-unsearched" if name == "b.xlsx" else "leak-unsearched-doubtful"
        assert (code, where) == (expected, f"a.zip/{name}")
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


def test_labels_are_public_only_by_options_or_without_options_by_a_name():
    copy, found = {"public": {"a.zip": COPY}}, [same("a.zip/gold.csv")]
    for task, name in (("Development", "a"), ("Test", "SAMPLE.zip"), ("x", "Training"), ("public", "b")):
        assert leaks(task=task, name=name, options=None, **copy) == []
        assert leaks(task=task, name=name, options={"public_references": ["0"]}, **copy) == found
    assert leaks(options=None, **copy) == [("leak-file-doubtful", *found[0][1:])]
    public = {"public_references": [fingerprint(encoded(GOLD))]}
    assert leaks(options=public, **copy) == []
    nested = {**GOLD, "folder/more.csv": KIND}
    assert leaks(reference=nested, options=public, public={"a.zip": {"b.csv": KIND, "c.zip": "x"}}) == []


def test_only_copies_are_found_of_hidden_files_that_are_too_wide_or_not_tables():
    rows = [[str(row + number) for row in range(16)] for number in range(999)]
    wide = sheet(",".join(["id", "label", *(f"c{number}" for number in range(999))]), IDS, KINDS, *rows)
    for code, name, content, what in (
        ("leak-unsearched", "wide.csv", wide, "1001 columns of a hidden reference"),
        ("leak-unsearched-doubtful", "b.json", json.dumps(dict(PAIRS)), "not a table of rows"),
    ):
        found = leaks(reference={name: content}, public={"a.zip": {"x": content, "b": KIND}})
        assert (code, f"reference_data.zip/{name}", what) in found
        assert "leak-file" in [code for code, *_ in found]
        assert "leak-column" not in [code for code, *_ in found]


def described(kind, **more):
    """What a bundle of a declared task says of it."""
    return {"task": "own", "declaration": {"kind": kind, **more}, "options": {}, "scores": [{"key": "x"}]}


LANGUAGES = [("fr", "de")[number % 2] for number in range(40)]
IN_FOLDERS = [
    f"{language}/{language}{number // 8:02d}_{number:04d}.wav" for number, language in enumerate(LANGUAGES)
]
LABELLED = [*"xyxxyxyyxy" * 4]
FRENCH = {"labels.csv": sheet("id,label,language", IN_FOLDERS, LABELLED, LANGUAGES)}


def test_ids_that_show_a_column_are_named_and_refused_only_if_it_has_labels():
    """No column is public: the ids show it. A group, or an unused column such as the sex, is no label."""
    task = described("decisions", classes=["x", "y"], positive="x", mean_over={"column": "language"})
    lists = {"items.zip": {"items.csv": sheet("id", IN_FOLDERS)}}
    what = "reference_data.zip/labels.csv follows from the ids themselves, such as 'fr/fr00_0000.wav'"
    shown = ("leak-id-doubtful", "reference_data.zip/labels.csv", f"'language' of {what}")
    assert leaks(reference=FRENCH, item_lists=lists, declared=task) == [shown]
    assert leaks(reference=FRENCH, item_lists=lists, declared={**task, "known_columns": ["language"]}) == []
    task = described("decisions", classes=["fr", "de"], positive="fr")
    reference = {"labels.csv": sheet("id,label", IN_FOLDERS, LANGUAGES)}
    assert leaks(reference=reference, item_lists=lists, declared=task) == [
        ("leak-id", "reference_data.zip/labels.csv", f"'label' of {what}")
    ]


def test_turns_are_found_although_words_of_their_speakers_are_times_too():
    """`0` is the start of the first turn of each recording, and a word of the speaker `S3_0`."""
    draw, rows = random.Random(1), []
    for recording, turn in product(range(10), range(20)):
        rows.append((f"rec{recording}", 1500 * turn, 1500 * turn + 900, f"S{recording}_{draw.randrange(4)}"))
    gold = sheet("recording,start,end,label", *(map(str, column) for column in zip(*rows, strict=True)))
    rttm = "".join(
        f"SPEAKER {recording} 1 {start / 1000:.3f} 0.900 <NA> <NA> {who} <NA> <NA>\n"
        for recording, start, _, who in rows
    )
    found = leaks(
        reference={"turns.csv": gold}, public={"a.zip": {"x.rttm": rttm}}, declared=described("turns")
    )
    assert [(code, where) for code, where, _ in found] == [("leak-column", "a.zip/x.rttm")]


def trials(number):
    """Trials of a speaker and a test; the names of tests repeat, as in VoxCeleb."""
    draw = random.Random(0)
    names = [
        (f"id{speaker}", f"id{99 - speaker}/{test:05d}.wav")
        for speaker in range(20)
        for test in range(number // 20)
    ]
    return [(*name, draw.choice(("same", "other"))) for name in draw.sample(names, len(names))]


def test_a_sample_of_a_large_reference_is_searched_for(monkeypatch):
    monkeypatch.setattr(label_match, "_MOST_CELLS", 10_000)
    monkeypatch.setattr(label_match, "_SAMPLED_CELLS", 4_000)
    rows = trials(8000)
    lists = {"items.zip": {"items.csv": sheet("enrolment,test", *list(zip(*rows, strict=True))[:2])}}
    gold = {"labels.csv": sheet("enrolment,test,label", *zip(*rows, strict=True))}
    moved = [
        (int(label == "same"), speaker, test)
        for speaker, test, label in random.Random(1).sample(rows, len(rows))
    ]
    kit = "".join(f"{label} {speaker} {test}\n" for label, speaker, test in moved)
    task = described("identification", target="same", id=["enrolment", "test"], unit="enrolment")
    ((code, where, what),) = leaks(
        reference=gold, item_lists=lists, public={"a.zip": {"t.txt": kit}}, declared=task
    )
    assert (code, where) == ("leak-column", "a.zip/t.txt")
    assert what.endswith("items of a sample")
    assert leaks(reference=gold, item_lists=lists, declared=task) == []


def test_references_of_items_with_several_rows_are_searched_for():
    """No column is an id of rows: each item has two references, of which the first is sought."""
    draw, ids = random.Random(0), [f"item{number}" for number in range(40)]
    said = [
        " ".join(draw.choices(["we", "go", "home", "today", "with", "a", "red", "ball"], k=6)) for _ in ids
    ]
    gold = sheet("id,transcript", [*ids, *ids], [*said, *(f"uh {text}" for text in said)])
    found = leaks(
        reference={"transcripts.csv": gold},
        public={"a.zip": {"b.txt": sheet("id,text", ids, said)}},
        declared=described("transcripts"),
    )
    assert [code for code, *_ in found] == ["leak-column"]
