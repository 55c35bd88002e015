"""Tests of references of a whole set and of a part, as the programs read them."""

from __future__ import annotations

import pytest

from spokeneval.formats.files import Files
from spokeneval.formats.problems import ReferenceFileError
from spokeneval.run.reference import (
    fingerprint,
    labelled,
    parse_reference,
    read_items,
    read_reference,
    read_submission,
)
from spokeneval.tasks import find_task
from tests.samples.cases import CASES, IDS
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
