"""The search for hidden and sealed labels, and the labels that attempts can reveal, in small bundles in memory."""

from __future__ import annotations

import gzip
import io
import json
import math
import random
from datetime import datetime, timedelta

import openpyxl
import pytest

from speechbundles.bundle.check.budget import check_budget
from speechbundles.bundle.check.inspection import BuiltTask, Contents, Program
from speechbundles.bundle.check.leaks import check_leaks
from speechbundles.bundle.check.seal import check_sealed_rows, is_part, sealed_sets, without_items
from speechbundles.model.archive import Archive, Room
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.finding import RULES, Report
from speechbundles.model.zips import make_zip
from spokeneval.run.reference import fingerprint
from tests.samples.programs import write_files

KINDS = "xyxxyxyyxyyxxyxy"
"""Two kinds, eight times each, in random order."""


def sheet(header, *columns):
    return "\n".join([header, *(",".join(row) for row in zip(*columns, strict=True)), ""])


IDS = [f"item{number:02}" for number in range(16)]
GOLD = {"reference.csv": sheet("id,prompt,label", IDS, KINDS[::-1], KINDS)}
ITEMS = {"items.csv": sheet("id,prompt", IDS, KINDS[::-1])}
DECLARED = {"task": "synthetic", "scores": [{"key": "accuracy"}], "options": {}}


def archive(name, files):
    return Archive(name, encoded(files), Room())


def encoded(files):
    return {
        path: content if isinstance(content, bytes) else content.encode() for path, content in files.items()
    }


def contents(reference=GOLD, name="reference_data.zip", options=(), task="Test", declared=DECLARED, **others):
    """A bundle's contents: a task, its reference, a scoring program, and the files of participants by kind."""
    files = {"task.json": json.dumps(declared)} if declared else {}
    program = archive(
        "scoring.zip", files if options is None else {**files, "options.json": json.dumps(dict(options))}
    )
    tasks = [BuiltTask(task, (), {"reference_data": archive(name, reference), "scoring_program": program})]
    kinds = {
        kind: {zipped: archive(zipped, files) for zipped, files in zips.items()}
        for kind, zips in others.items()
    }
    programs = {("scoring_program", "scoring.zip"): Program(program, "", "", None, None)}
    return Contents(tasks * 2, programs=programs, **kinds)


def listed(report):
    return [(finding.code, finding.where, finding.what) for finding in report.findings]


def leaks(bundle=(), sealed=(), pages=(), **described):
    """The findings in a bundle's contents."""
    report, found = Report(), contents(**described)
    found.pages.update(encoded(dict(pages)))
    check_leaks(report, archive("", dict(bundle)), found, dict(sealed))
    return listed(report)


def matched(**described):
    """The findings without the predictions from facts: `test_file_facts` has them."""
    return [finding for finding in leaks(**described) if finding[0] != "leak-facts"]


def same(where):
    return "leak-file", where, "has the same bytes as reference.csv of a hidden reference"


def unsearched(where):
    return "leak-unsearched", where, "a zip that cannot be read, is too large, or is too deep in other zips"


def gives(where, label="label", rows=16):
    return "leak-column", where, f"{label!r} of reference_data.zip/reference.csv beside {rows} items"


COPY = {"gold.csv": GOLD["reference.csv"]}
KIND = sheet("id,kind", IDS, KINDS)
PAIRS = list(zip(IDS, KINDS, strict=True))


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


@pytest.mark.parametrize(
    ("truth", "shown", "found"),
    [
        (20 * "x" + 20 * "y", 20 * "x" + 16 * "y" + 4 * "x", True),  # 36 of 40
        (20 * "x" + 20 * "y", 20 * "x" + 15 * "y" + 5 * "x", False),
        (
            320 * "x" + 80 * "y",
            320 * "x" + 40 * "y" + 40 * "x",
            True,
        ),  # half of the labels of y
        (360 * "x" + 40 * "y", 360 * "x" + 19 * "y" + 21 * "x", False),  # fewer
        (20 * "x" + 20 * "y" + 20 * "z", 20 * "a" + 20 * "b" + 20 * "a", False),  # two kinds look the same
        (5 * "x" + 5 * "y", 5 * "x" + 5 * "y", False),  # chance
        (5 * "abcdefghijklmnopqrst", 5 * "ABCDEFGHIJKLMNOPQRST", True),  # twenty kinds
        (100 * "x", 100 * "x", False),
    ],
)
def test_nine_labels_in_ten_must_follow_and_more_than_by_chance(truth, shown, found):
    order = random.Random(2).sample(range(len(truth)), len(truth))
    ids = [f"i{place}" for place in order]
    gold = {"reference.csv": sheet("id,label", ids, [truth[place] for place in order])}
    kit = sheet("id;kind", ids, [shown[place] for place in order])
    expected = [gives("a.zip/b", rows=len(truth))] if found else []
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
    kit = [
        sheet("id,session", *zip(*(row[:2] for row in rows), strict=True)),
        sheet("", *zip(*rows, strict=True)),
    ]
    for text, found in zip(kit, ([], [gives("a.zip/b", "severity", 64)]), strict=True):
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
    assert (
        matched(reference={"reference.csv": sheet("id,session,level", ids, groups, truth)}, public=kit) == []
    )


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
    for name, text in (
        ("long.csv", "a,b\n" * 4),
        ("x.bin", b"\xff" * 16),
        ("a.csv", sheet("id,x", IDS, IDS)),
    ):
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


# A sealed share

ROWS = GOLD["reference.csv"].splitlines(keepends=True)
OPEN = {"reference.csv": "".join(ROWS[:9]), "part.txt": "open\n", "items/items.csv": ITEMS["items.csv"]}
HALF = {"reference.csv": "".join([ROWS[0], *ROWS[9:]])}


def at_home(folder, name="evaluation", task="synthetic", whole=GOLD, half=HALF):
    """The path of a bundle, beside which a build has written the sealed labels."""
    home = folder / "dist" / "sealed" / task / name
    write_files(home / "all", whole)
    write_files(home / "sealed", {**half, "part.txt": "sealed\n", "items/items.csv": ITEMS["items.csv"]})
    return folder / "dist" / "codabench" / "bundle.zip"


def sealed(bundle, **described):
    report = Report()
    return sealed_sets(report, contents(**{"reference": OPEN, **described}), bundle), listed(report)


def test_sealed_labels_are_found_beside_the_bundle(tmp_path):
    for set_name, name in (("evaluation", "reference_data.zip"), ("final", "reference_data_final.zip")):
        found, findings = sealed(at_home(tmp_path, set_name), name=name)
        assert (list(found), findings) == ([name], [])
        kept = found[name]
        assert kept.uploaded.files == encoded(OPEN)
        assert (kept.whole.name, kept.whole.files) == (f"sealed/synthetic/{set_name}/all", encoded(GOLD))
        assert kept.whole.room.left == kept.sealed.room.left > 0
        assert (kept.sealed.name, kept.sealed.files) == (f"sealed/synthetic/{set_name}/sealed", encoded(HALF))
    assert sealed(tmp_path, reference=GOLD) == ({}, [])
    unnamed = at_home(tmp_path / "unnamed", "evaluation", "")
    for declared in (None, {**DECLARED, "task": ""}, {"scores": DECLARED["scores"], "options": {}}):
        assert sealed(unnamed, declared=declared)[1] == []
    whole, _ = sealed(at_home(tmp_path), reference={**OPEN, **GOLD})  # the rows then show it
    assert list(whole) == ["reference_data.zip"]


def test_the_sealed_labels_of_each_of_several_sets_are_found(tmp_path):
    several = contents(OPEN)
    public = BuiltTask("Practice", (), {**several.tasks[0].parts, "reference_data": archive("a.zip", GOLD)})
    several.tasks[:0] = [BuiltTask("no data", (), {}), public]
    assert list(sealed_sets(Report(), several, at_home(tmp_path))) == ["reference_data.zip"]
    several.programs.clear()
    report = Report()
    assert sealed_sets(report, several, at_home(tmp_path)) == {}
    assert listed(report)[0][2].endswith(f" are not in {tmp_path / 'dist' / 'sealed'}")


def test_sealed_labels_that_are_not_beside_the_bundle_are_reported(tmp_path):
    headless = {"reference.csv": "".join(ROWS[1:])}
    other_file = {**GOLD, "more.csv": ROWS[1]}
    places = {
        "name": at_home(tmp_path / "name", "final"),
        "task": at_home(tmp_path / "task", task="other"),
        "labels": at_home(tmp_path / "labels", whole=headless),
        "file": at_home(tmp_path / "file", whole={"more.csv": ROWS[1]}, half={}),
    }
    for folder, bundle in places.items():
        home = tmp_path / folder / "dist" / "sealed" / "synthetic"
        what = f"a share of the set is sealed, but its labels are not in {home}"
        assert sealed(bundle) == ({}, [("sealed-missing", "reference_data.zip", what)])
    assert sealed(at_home(tmp_path / "both", whole=other_file))[1] == []
    assert sealed(at_home(tmp_path / "more"), reference={**OPEN, "more.csv": "z"})[1] == []


def test_a_sealed_row_is_found_anywhere_in_the_bundle(tmp_path):
    found, _ = sealed(at_home(tmp_path))

    def rows(files):
        report = Report()
        check_sealed_rows(report, encoded(files), found.values())
        return listed(report)

    two = b"Such as\n \t" + ROWS[9].encode() + b"\r\n" + ROWS[12].strip().encode()
    assert rows({"kit.zip/a.txt": two, "b.zip": two, "c": ROWS[0] + ROWS[1], "d": "\n\n"}) == [
        ("sealed-uploaded", "kit.zip/a.txt", "2 rows of sealed/synthetic/evaluation/sealed/reference.csv")
    ]
    blanks = {"reference.csv": ROWS[0] + "item09 b,x,y\n", "more.csv": "more\nrows"}
    whole = {**GOLD, "reference.csv": GOLD["reference.csv"] + blanks["reference.csv"]}
    found, _ = sealed(at_home(tmp_path / "blanks", whole=whole, half=blanks))
    assert [where for _, where, _ in rows({"a": "item09\nb,x,y", "b": "item09 b,x,y", "c": "more"})] == [
        "b",
        "c",
    ]
    headless = {name: text.partition("\n")[2] for name, text in OPEN.items() if name == "reference.csv"}
    bundle = at_home(tmp_path / "headless", whole=GOLD, half={"reference.csv": "".join(ROWS[9:])})
    found, _ = sealed(bundle, reference={**OPEN, **headless})
    assert [what for *_, what in rows({"a": ROWS[9]})] == [
        "1 row of sealed/synthetic/evaluation/sealed/reference.csv"
    ]


def test_all_labels_of_a_sealed_set_are_searched_for(tmp_path):
    kept, _ = sealed(at_home(tmp_path))
    row = {
        "a.zip": make_zip({"b.zip": make_zip({"notes": ROWS[9].encode()})}),
        "items.csv": ITEMS["items.csv"],
    }
    where = "a.zip/b.zip/notes"
    expected = "sealed-uploaded", where, "1 row of sealed/synthetic/evaluation/sealed/reference.csv"
    assert leaks(row, kept, reference=OPEN, item_lists={"a.zip": ITEMS}) == [expected]
    # As deep as a zip in a participant's kit. A deeper or unreadable zip is reported.
    deep = {"a.zip": make_zip({"b.zip": make_zip({"c.zip": make_zip({}), "d.zip": b"x"})}), "e.zip": b"x"}
    places = "a.zip/b.zip/c.zip", "a.zip/b.zip/d.zip", "e.zip"
    assert leaks(deep, kept, reference=OPEN, item_lists={"a.zip": ITEMS}) == [*map(unsearched, places)]
    words = "'label' of sealed/synthetic/evaluation/all/reference.csv beside 16 items"
    found = leaks(sealed=kept, reference=OPEN, item_lists={"a.zip": ITEMS}, public={"k.zip": {"b.csv": KIND}})
    assert found == [("leak-column", "k.zip/b.csv", words)]
    # Without them only the open part is searched for, and its public items are not labels.
    assert leaks(reference=OPEN, item_lists={"a.zip": ITEMS}) == []
    assert is_part(archive("a", OPEN))
    part = archive("a", OPEN)
    plain = without_items(part)
    assert plain.room is part.room
    assert (plain.name, sorted(plain.files), is_part(archive("a", GOLD))) == (
        "a",
        ["part.txt", "reference.csv"],
        False,
    )


# Attempts

TASK = "psst_correctness"
LABELS = [f"u{number}\t{number % 2 == 0}" for number in range(741)]
HIDDEN = {"utterances.tsv": "\n".join(["utterance_id\tcorrectness", *LABELS, ""])}
"""741 labels of two classes. For a system that is right on 95 %, each has -0.95 log2(0.95) - 0.05 log2(0.05) = 0.2864
bits, all have 212.2. An exact score of 53 bits reveals a quarter of them."""
KNOWN = {**DECLARED, "task": TASK}
OPENS = datetime(2027, 3, 1)


def phase(name, total=1, per_day=None, days=14.0, reference="reference_data.zip"):
    closes = None if days is None else OPENS + timedelta(days=days)
    rest = {"seconds": 1.0, "rule": "", "hidden": False, "takes_over": False, "ingestion_program": None}
    zips = {"scoring_program": "scoring.zip", "reference_data": reference, "input_data": None}
    return BuiltPhase("1", name, OPENS, closes, per_day, total, **rest, **zips)


def budget(*phases, **described):
    bundle = BuiltBundle("codabench", "", "", phases, (), None, detailed_results=False)
    report = Report()
    check_budget(report, bundle, contents(**{"reference": HIDDEN, "declared": KNOWN, **described}))
    return [(code, what) for code, where, what in listed(report) if where == "competition.yaml"]


def scores(attempts, share, shown="exact scores of 53.0 bits", phases="Final", formula="741 * (H(0.95))"):
    plural = "" if attempts == 1 else "s"
    what = f"{phases}: {attempts} attempt{plural} on reference_data.zip, {shown}"
    unknown = f"212 bits = {formula}, for a system that is right on 95%"
    return "leak-scores", f"{what}, can reveal {share} of its labels ({unknown}); expected at most 25%"


def too_many(attempts, phases="Final"):
    return "leak-attempts", f"{phases}: {attempts} attempts on reference_data.zip; expected at most 100"


@pytest.mark.parametrize(
    ("limits", "attempts"),
    [
        ({"total": 2}, 2),
        ({"total": 50, "per_day": 3, "days": 2.0}, 6),
        ({"total": None, "per_day": 1, "days": 2.5}, 3),
        ({"total": 2, "per_day": 3}, 2),
        ({"total": 4, "per_day": 1, "days": None}, 4),
        ({"total": 4, "per_day": None}, 4),
    ],
)
def test_attempts_are_the_fewest_that_a_limit_allows(limits, attempts):
    assert budget(phase("Final", **limits)) == [scores(attempts, f"{min(attempts, 4) * 25}%")]


def test_exact_scores_reveal_a_quarter_each_and_scores_in_steps_less():
    assert budget(phase("Final")) == []
    two = {**KNOWN, "scores": [{"key": "f1"}, {"key": "recall"}]}
    both = [scores(1, "50%", "exact scores of 106.0 bits")]
    assert budget(phase("Final"), declared=two) == both
    assert budget(phase("Final"), options=None, declared=two) == both
    assert budget(phase("Final", 2), options={"feedback": "exact"}) == [scores(2, "50%")]
    # A step of s = sqrt(2/5) standard errors has log2(sqrt(2 pi e) / s) bits, and by rounding s^2 / 24 log2(e) more.
    bits = math.log2(math.sqrt(2 * math.pi * math.e / 0.4)) + 0.4 / 24 / math.log(2)
    assert (19 * bits / 212.2, 20 * bits / 212.2) == pytest.approx((0.2446, 0.2575), abs=5e-4)
    coarse, rounded = {"feedback": "coarse"}, "rounded scores of 2.7 bits"
    assert budget(phase("Final", 19), options=coarse, declared=two) == []
    assert budget(phase("Final", 30), options=coarse, declared=two) == [scores(30, "39%", rounded)]
    assert budget(phase("Final", 100), options=coarse)[0][0] == "leak-scores"
    assert budget(phase("Final", 101), options=coarse)[0] == too_many(101)


def test_the_first_fix_for_attempts_applies_to_scores_in_steps_too():
    of_both, _, of_exact_ones = RULES["leak-scores"].remedy.partition("If scores are exact, ")
    assert ("feedback: coarse" in of_both, "feedback: coarse" in of_exact_ones) == (False, True)


def test_attempts_of_all_phases_on_a_set_add_up():
    phases = phase("One"), phase("None", 0), phase("Two", 2), phase("Other", 9, reference="other.zip")
    assert budget(*phases) == [scores(3, "75%", phases="One, Two")]
    unlimited = phase("Final", None)
    assert budget(unlimited) == [too_many("unlimited"), scores("unlimited", "100%")]
    assert budget(phase("One"), phase("Two", None))[0] == too_many("unlimited", "One, Two")


def test_sets_whose_labels_no_leaderboard_reveals_have_no_budget():
    attempts = phase("Final", 200)
    assert len(budget(attempts)) == 2
    assert budget(phase("Other", 200, reference="other.zip")) == budget(phase("Final", 0)) == []
    assert budget(attempts, reference={**HIDDEN, "part.txt": "open"}) == []
    assert budget(attempts, declared=DECLARED) == budget(attempts, declared=None) == []
    assert budget(attempts, options={"public_references": [fingerprint(encoded(HIDDEN))]}) == []
    for described in ({"options": {"options": {"scale": "1-4"}}}, {"reference": {"x": ""}}):
        assert budget(attempts, **described) == [too_many(200)]
    without = contents(HIDDEN, declared=KNOWN)
    others = {"none.zip": HIDDEN, "part.zip": {**HIDDEN, "part.txt": "open"}, "public.zip": GOLD}
    tasks = [BuiltTask("x", (), {"reference_data": archive(name, files)}) for name, files in others.items()]
    without.tasks[:0] = [BuiltTask("no data", (), {}), *tasks]
    options = {"public_references": [fingerprint(encoded(GOLD))]}
    without.programs["scoring_program", "scoring.zip"].archive.files["options.json"] = json.dumps(
        options
    ).encode()
    report = Report()
    phases = *(phase("x", 200, reference=name) for name in ("part.zip", "public.zip")), attempts
    check_budget(report, BuiltBundle("", "", "", phases, (), None, detailed_results=False), without)
    assert [code for code, *_ in listed(report)] == ["leak-attempts", "leak-scores"]


def test_a_baseline_that_is_better_than_the_assumed_system_takes_its_place():
    """Of 741 labels it answers 10 wrongly: H(731 / 741) = 0.1031 bits a label, 76.4 in all; a score has 2.73."""
    rows = [f"u{number}\t{(number % 2 == 0) ^ (number < 10)}" for number in range(741)]
    files = {"correctness.tsv": "\n".join(["utterance_id\tprediction", *rows, ""])}
    found = contents(HIDDEN, declared=KNOWN, options={"feedback": "coarse"})
    found.solutions = {
        "other.zip": archive("other.zip", GOLD),
        "baseline.zip": archive("baseline.zip", files),
    }
    bundle = BuiltBundle("codabench", "", "", (phase("Final", 8),), (), None, detailed_results=False)
    report = Report()
    check_budget(report, bundle, found)
    ((_, _, what),) = listed(report)
    assert (
        "reveal 29% of its labels (76 bits = 741 * (H(0.9865)), for a system that is right on 98.65%)" in what
    )


def test_the_labels_of_a_task_in_python_are_those_of_its_richest_column():
    """The code is not run: 580 labels of four classes beside a constant, a free text, and an identifier.

    For a system that is right on 95 %, each of them has 0.2864 + 0.05 log2(3) = 0.3656 bits.
    """
    formula = "580 * (H(0.95) + (1 - 0.95) * log2(3))"
    rows = [f"r{number},s{number % 9},{number % 4 / 2},1,words {number}" for number in range(580)]
    own = contents(
        {"labels.csv": "\n".join(["id,speaker,heard,version,notes", *rows, ""])}, declared=DECLARED
    )
    program = own.programs["scoring_program", "scoring.zip"].archive
    bundle = BuiltBundle("codabench", "", "", (phase("Final", 2),), (), None, detailed_results=False)
    for module, found in (
        ("spokeneval/challenges/other.py", []),
        ("spokeneval/challenges/synthetic.py", [scores(2, "50%", formula=formula)]),
    ):
        program.files[module] = b""
        report = Report()
        check_budget(report, bundle, own)
        assert [(code, what) for code, _, what in listed(report)] == found


def test_labels_are_read_with_the_options_of_the_task():
    rows = [f"r{number},p,s,{number % 2 * 5},9" for number in range(741)]
    reference = {
        "reference.csv": "\n".join(["response_id,prompt_id,speaker_id,human_score,words", *rows, ""])
    }
    how = {
        "reference": reference,
        "declared": {**KNOWN, "task": "content_accuracy", "options": {"scale": ["0-5"]}},
    }
    assert budget(phase("Final", 2), options={"options": {"scale": "0-5"}}, **how) == [scores(2, "50%")]
    assert budget(phase("Final", 2), **how) == []
