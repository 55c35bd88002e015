"""Tests of the units of intervals: speakers if a reference names them."""

from __future__ import annotations

import pytest

from spokeneval.challenges import find_task, task_names
from tests.samples.cases import CASES, IDS, OWN, with_speakers
from tests.samples.programs import encoded

TASKS = [name for name in task_names() if name not in OWN]


def named(task: str, column: str) -> tuple[dict[str, str], dict[str, str]]:
    """A reference that names the speakers of its rows, and the unit of each row of the counts."""
    files = dict(CASES[task].reference)
    file, text = next(iter(files.items()))
    if task == "content_accuracy":
        for item, speaker in zip(IDS, "ABBA", strict=True):
            text = text.replace(f"s{item}", speaker)
        return {**files, file: text.replace("speaker_id", column)}, dict(zip(IDS, "ABBA", strict=True))
    if not task.startswith("merlion"):
        return {**files, file: with_speakers(text, list("ABBA"), column)}, dict(zip(IDS, "ABBA", strict=True))
    names = [line.split(".wav")[0] for line in text.splitlines()[1:]]
    speakers = dict(zip(sorted(set(names)), "AB", strict=True))
    return {**files, file: with_speakers(text, [speakers[name] for name in names], column)}, speakers


@pytest.mark.parametrize("column", ["speaker", "user", "speaker_id", "Speaker"])
@pytest.mark.parametrize("task", TASKS)
def test_a_column_of_speakers_makes_them_the_units(task, column):
    files, expected = named(task, column)
    reference = find_task(task).format.read_reference(encoded(files))
    units = find_task(task).units(reference)
    assert (units.called, dict(units.of)) == ("speaker", expected)


@pytest.mark.parametrize("task", TASKS)
def test_speakers_stay_in_the_reference(task):
    with_names, _ = named(task, "speaker")
    without = dict(CASES[task].reference)
    public = [
        find_task(task).format.public_files(find_task(task).format.read_reference(encoded(files)), {})
        for number, files in enumerate((with_names, without))
    ]
    if task == "content_accuracy":  # the challenge publishes them
        assert b"speaker_id" in public[1]["responses.csv"]
    else:
        assert public[0] == public[1]
