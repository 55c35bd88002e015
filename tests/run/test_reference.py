"""A reference as the programs find it: of a whole set or of a part of one, from the disk or kept in memory."""

from __future__ import annotations

import shutil
import sys

import pytest

from spokeneval.formats.problems import ReferenceFileError
from spokeneval.run import reference as module
from spokeneval.run.reference import Reference, keep, labelled, read_items, read_reference, read_submission
from spokeneval.tasks import find_task
from tests.samples.cases import CASES, IDS
from tests.samples.programs import write_files

TASK = find_task("spoken_call")
ROWS = CASES[TASK.name].reference["reference.csv"].splitlines(keepends=True)
PUBLIC = {"test_sheet.csv": "".join(f"{line}\n" for line in ["Id", *IDS])}


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch):
    monkeypatch.setattr(module, "_KEPT", {})


def part(folder, called="open\n", rows=(0, 4, 2), sizes='{"correct": 2, "incorrect": 2}'):
    """The reference data of a part: the labels of the last item and of the second."""
    files = {"reference.csv": "".join(ROWS[row] for row in rows), "part.txt": called}
    public = {**PUBLIC, "class_sizes.json": sizes}
    return write_files(folder, {**files, **{f"items/{name}": text for name, text in public.items()}})


def test_a_whole_set_is_answered_item_by_item(tmp_path):
    whole = read_reference(TASK, write_files(tmp_path, CASES[TASK.name].reference))
    assert (whole.items, whole.items.ids, whole.part) == (whole.labels.items, IDS, "")
    answers = object()
    assert labelled(TASK, answers, whole) is answers


@pytest.mark.parametrize("called", ["open", "sealed"])
def test_of_a_part_every_item_of_the_set_is_answered_and_some_are_scored(tmp_path, called):
    found = read_reference(TASK, part(tmp_path, f"{called}\r\n"))
    assert (found.part, found.items.ids, found.labels.items.ids) == (called, IDS, (IDS[3], IDS[1]))
    assert (
        found.items.class_sizes is None
    )  # those of the set, of which answers to all items must not be refused
    rows = zip(IDS, ("accept", "reject", "accept", "accept"), strict=True)
    sheet = "Id\tAccept\n" + "".join(f"{item}\t{answer}\n" for item, answer in rows)
    place = write_files(tmp_path / "res", {"results.csv": sheet}) / "results.csv"
    answers = read_submission(TASK, {"results.csv": place}, found)
    assert (answers.items.ids, answers["Accept"].tolist()) == ((IDS[3], IDS[1]), [1, 0])


def test_what_is_not_of_one_set_is_refused(tmp_path):
    assert read_reference(TASK, part(tmp_path / "all", rows=range(5))).part == "open"
    message = r"^part\.txt, items/ and the labels are not of one set$"
    with pytest.raises(ValueError, match=message):
        read_reference(TASK, part(tmp_path / "name", "Open"))
    other = part(tmp_path / "items")
    (other / "items" / "test_sheet.csv").write_text("Id\n" + "\n".join(IDS[:3]))
    with pytest.raises(ValueError, match=message):
        read_reference(TASK, other)


def test_what_is_kept_is_read_once(tmp_path, monkeypatch):
    write_files(tmp_path / "scoring" / "ref", CASES[TASK.name].reference)
    write_files(tmp_path / "items", PUBLIC)
    (tmp_path / "link").symlink_to(tmp_path / "scoring")
    results = "spokeneval.report.results"
    monkeypatch.delitem(sys.modules, results, raising=False)
    keep(TASK, str(tmp_path / "link"))
    assert results in sys.modules  # a copy of the process need not import it either
    keep(TASK, str(tmp_path / "items"))
    for folder in ("scoring/ref", "items"):
        shutil.rmtree(tmp_path / folder)
        (tmp_path / folder).mkdir()
    kept = read_reference(TASK, tmp_path / "scoring" / "ref")
    assert isinstance(kept, Reference)
    assert kept is read_reference(TASK, tmp_path / "link" / "ref")
    assert read_items(TASK, tmp_path / "items").ids == IDS
    assert TASK.format.read_items(write_files(tmp_path / "other", PUBLIC)) == read_items(
        TASK, tmp_path / "other"
    )
    with pytest.raises(ReferenceFileError):
        read_reference(TASK, tmp_path / "other")
