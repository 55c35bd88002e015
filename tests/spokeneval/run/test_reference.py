"""Tests of references of a whole set and of a part, as the programs read them."""

from __future__ import annotations

import random

import pytest
import yaml

import spokeneval
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.files import Files
from spokeneval.formats.problems import ReferenceFileError
from spokeneval.kinds.declared import declared_task
from spokeneval.run.options import sign_public
from spokeneval.run.reference import (
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
    answers = read_submission(TASK, Files({"results.csv": sheet.encode()}), found)
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
    if task.declaration:  # the rows are in the order of ids
        assert reference.fingerprint_by_id(task.format) == reference.fingerprint
    for seed in range(3):
        found, other = signed(task, shuffled(files, seed))
        assert found == expected
        assert other.fingerprint != reference.fingerprint
    crlf = {name: text.rstrip("\n").replace("\n", "\r\n") for name, text in files.items()}
    mixed = {name: text.rstrip("\n").replace("\n", "\r\n") for name, text in shuffled(files, 4).items()}
    assert signed(task, mixed)[0] == signed(task, crlf)[0]


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
