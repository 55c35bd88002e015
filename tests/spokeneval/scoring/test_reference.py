"""Tests of references of a whole set and of a part, as the programs read them."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import random
from types import SimpleNamespace

import numpy as np
import pandas
import pytest
import yaml

import spokeneval
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.format import LINES, Answers, Items, take_reference
from spokeneval.formats.problems import ReferenceFileError
from spokeneval.kinds.declared import declared_task
from spokeneval.scoring.options import sign_public
from spokeneval.scoring.reference import (
    Reference,
    fingerprint,
    labelled,
    parse_reference,
    read_items,
    read_reference,
    read_submission,
)
from tests.samples.cases import CASES, IDS
from tests.samples.declared_tasks import TASKS
from tests.samples.programs import encoded, write_files

TASK = find_task("spoken_call")
ROWS = CASES[TASK.name].reference["reference.csv"].splitlines(keepends=True)
PUBLIC = {"test_sheet.csv": "".join(f"{line}\n" for line in ["Id", *IDS])}


def part(called="open\n", rows=(0, 4, 2), **items):
    """The reference data of a part: the labels of the last item and of the second."""
    files = {"reference.csv": "".join(ROWS[row] for row in rows), "part.txt": called}
    public = {**PUBLIC, "class_sizes.json": '{"correct": 2, "incorrect": 2}', **items}
    return encoded({**files, **{f"items/{name}": text for name, text in public.items()}})


def test_a_whole_set_is_answered_item_by_item(tmp_path):
    files = encoded(CASES[TASK.name].reference)
    whole = parse_reference(TASK, files)
    assert (whole.items, whole.items.ids, whole.part) == (whole.labels.items, IDS, "")
    assert whole.fingerprint == fingerprint(files)
    answers = object()
    assert labelled(TASK, answers, whole) is answers
    found = read_reference(TASK, write_files(tmp_path, {**files, "of others": "", "folder/inner": ""}))
    assert found[1:] == whole[1:]
    assert read_items(TASK, write_files(tmp_path, {**PUBLIC, "large.wav": ""})).ids == IDS
    with pytest.raises(ReferenceFileError, match="cannot be read: No such file"):
        read_reference(TASK, tmp_path / "nowhere")


@pytest.mark.parametrize("called", ["open", "sealed"])
def test_of_a_part_every_item_of_the_set_is_answered_and_some_are_scored(tmp_path, called):
    found = read_reference(TASK, write_files(tmp_path, part(f"{called}\r\n")))
    assert (found.part, found.items.ids, found.labels.items.ids) == (called, IDS, (IDS[3], IDS[1]))
    assert (
        found.items.class_sizes is None
    )  # those of the set, of which answers to all items must not be refused
    rows = zip(IDS, ("accept", "reject", "accept", "accept"), strict=True)
    sheet = "Id\tAccept\n" + "".join(f"{item}\t{answer}\n" for item, answer in rows)
    answers = read_submission(TASK, {"results.csv": sheet.encode()}, found)
    assert (answers.items.ids, answers["Accept"].tolist()) == ((IDS[3], IDS[1]), [1, 0])


def test_what_is_not_of_one_set_is_refused():
    assert parse_reference(TASK, part(rows=range(5))).part == "open"
    few = "Id\n" + "\n".join(IDS[:3])
    for files in (part("Open"), part(**{"test_sheet.csv": few})):
        with pytest.raises(
            ValueError, match=r"^part\.txt, items/ and the labels do not belong to the same set$"
        ):
            parse_reference(TASK, files)


def shuffled(files, seed, first=1):
    """The files with their lines in a random order, except the header."""
    draw = random.Random(seed)
    found = {}
    for name, text in files.items():
        lines = text.splitlines(keepends=True)
        found[name] = "".join([*lines[:first], *draw.sample(lines[first:], len(lines) - first)])
    return found


def signed(task, files):
    reference = parse_reference(task, encoded(files))
    return str(sign_public(task, {}, reference)), reference


def samples():
    """A task of each challenge and of each kind, with the files of a reference."""
    for name in task_names():
        yield pytest.param(find_task(name), CASES[name].reference, id=name)
    for name, (declaration, make) in TASKS.items():
        task = declared_task("x", yaml.safe_load(declaration))
        yield pytest.param(task, make("evaluation", random.Random(name)), id=name)


@pytest.mark.parametrize(("task", "files"), list(samples()))
def test_the_order_of_rows_does_not_change_a_signature(task, files):
    expected, reference = signed(task, files)
    for seed in range(3):
        found, other = signed(task, shuffled(files, seed))
        assert found == expected
        assert other.fingerprint != reference.fingerprint


@pytest.mark.parametrize(("task", "files"), list(samples()))
def test_how_editors_and_git_write_a_file_does_not_change_a_signature(task, files):
    expected, reference = signed(task, files)
    crlf = {name: "\ufeff" + text.rstrip("\n").replace("\n", "\r\n") for name, text in files.items()}
    found, other = signed(task, crlf)
    assert (found, other.fingerprint) == (expected, reference.fingerprint)
    table = next(layout for layout in task.format.layouts if layout.file in files)
    rows = list(csv.reader(io.StringIO(files[table.file]), delimiter=table.delimiter))
    if {*table.required} <= {*rows[0]}:
        quoted = io.StringIO()
        write = csv.writer(quoted, delimiter=table.delimiter, quoting=csv.QUOTE_ALL)
        write.writerows([*row, "note"] for row in rows)
        assert signed(task, {**files, table.file: quoted.getvalue()})[0] == expected


def test_a_file_a_frame_and_lists_of_the_same_labels_have_one_signature(tmp_path):
    """The hash is that of the labels as JSON: numbers of classes as floats, columns in the order of their names."""
    rows = [("b", "no", "S2"), ("a", "yes", "S1"), ("c", "no", "S1")]
    header = ("id", "label", "speaker")
    task = {"kind": "decisions", "classes": ["yes", "no"], "positive": "yes"}
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(map(",".join, [header, *rows])), encoding="utf-8")
    mappings = [dict(zip(header, row, strict=True)) for row in rows]
    frame = pandas.DataFrame(mappings)
    answers = {item: label for item, label, _ in rows}
    forms = (
        path,
        frame,
        frame.set_index("id"),
        mappings,
        {item: row for (item, *_), row in zip(rows, mappings, strict=True)},
    )
    signatures = {spokeneval.score(task, form, answers).signature for form in forms}
    parsed = (
        '{"columns": {"label": [0.0, 1.0, 1.0]}, "items": {"class_sizes": null, "ids": ["a", "b", "c"], '
        '"latest": null}, "texts": {"id": ["a", "b", "c"], "speaker": ["S1", "S2", "S1"]}}'
    )
    (signature,) = signatures
    assert f"|reference:{hashlib.sha256(parsed.encode()).hexdigest()[:12]}|" in signature
    other = spokeneval.score(task, frame.assign(label=["no", "yes", "yes"]), answers)
    assert other.signature != signature
    path.write_text("id,label\n0,no\n1,yes\n", encoding="utf-8")  # as data by position are numbered
    by_position = spokeneval.score(task, ["no", "yes"], ["no", "yes"])
    assert spokeneval.score(task, path, {"0": "no", "1": "yes"}).signature == by_position.signature


def test_many_labels_are_signed_as_one_text():
    ids = [f"{item}é" for item in range(10_000, 30_000)]
    labels = Answers(
        Items(tuple(reversed(ids))),
        {"label": np.arange(20_000), "times": np.zeros((20_000, 2))},
        {"id": ids[::-1], "speaker": 20_000 * ['"S"'], LINES: range(2, 20_002)},
    )
    whole = {
        "columns": {"label": np.arange(19_999.0, -1, -1).tolist(), "times": 20_000 * [[0.0, 0.0]]},
        "items": {"class_sizes": None, "ids": ids, "latest": None},
        "texts": {LINES: None, "id": ids, "speaker": 20_000 * ['"S"']},
    }
    form = TASK.format._replace(take_reference=take_reference)
    expected = hashlib.sha256(json.dumps(whole).encode()).hexdigest()
    assert Reference(labels, labels.items).label_fingerprint(form) == expected


def test_labels_of_an_unknown_type_are_signed_by_their_files():
    labels = SimpleNamespace(
        items=TASK.format.read_reference(encoded(CASES[TASK.name].reference)).items, own=print
    )
    form = TASK.format._replace(take_reference=lambda labels, places: labels)
    reference = Reference(labels, labels.items, files={"labels.csv": b"1\n"})
    assert reference.label_fingerprint(form) == reference.fingerprint


def test_what_changes_a_score_changes_a_signature():
    task = declared_task("x", {"kind": "transcripts"})
    rows = ("id,transcript\n", "10,yes\n", "9,no\n", "10,yes yes\n")
    first, moved, other = (
        signed(task, {"transcripts.csv": "".join(rows[row] for row in order)})[0]
        for order in ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 2, 1))
    )
    assert first == moved
    assert first != other  # of equal references of an item, the first is taken


def test_lists_keep_their_order():
    task = {"kind": "decisions", "classes": ["a", "b", "c"]}
    labels = [*"abc"] * 5
    first, other = (spokeneval.score(task, given, labels) for given in (labels, [*"bac", *labels[3:]]))
    assert first.signature != other.signature


def test_turns_in_rttm_may_be_in_any_order():
    task = declared_task("x", {"kind": "turns"})
    turns = [f"SPEAKER r{n % 12} 1 {n}.5 2.25 <NA> <NA> {'ab'[n % 2]} <NA> <NA>\n" for n in range(60)]
    regions = [f"r{n} 1 0 100.25\n" for n in range(12)]
    files = {"turns.rttm": "".join(turns), "regions.uem": "".join(regions)}
    assert signed(task, shuffled(files, 1, first=0))[0] == signed(task, files)[0]
