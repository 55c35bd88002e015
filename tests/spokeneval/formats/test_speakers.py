"""Tests of the units of intervals: speakers if a reference names them, else a note in the results."""

from __future__ import annotations

import re

import pytest

from speechbundles.competition.references import load_reference
from speechbundles.competition.seal import seal
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.files import Files, read_folder
from spokeneval.formats.problems import count_of
from spokeneval.report.results import scored_page
from spokeneval.run.options import Settings
from spokeneval.run.reference import Reference
from spokeneval.run.scoring import score_submission
from spokeneval.run.signature import Signature
from tests.samples.cases import CASES, IDS, OWN, with_speakers
from tests.samples.programs import ROOT, encoded, write_files

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


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("speakers", [True, False])
def test_a_page_says_what_was_taken_as_independent(speakers, public):
    task = find_task("spoken_call")
    files = named(task.name, "speaker")[0] if speakers else CASES[task.name].reference
    labels = task.format.read_reference(encoded(files))
    given = Files(encoded(CASES[task.name].submission))
    submission = task.format.read_submission(given, labels.items)
    options = Settings(
        {"fifty_percent_rule": "flag", "class_sizes": "hidden"}, public, Signature("spoken_call")
    )
    scored = score_submission(task, labels, submission, options)
    reference = Reference(labels, labels.items)
    page = scored_page(task, options, scored.scores, scored, reference, submission, given)
    note = "The intervals treat responses as independent, because the reference names no speakers."
    assert (note in page) == (not speakers)
    unit = "speaker" if speakers else "response"
    drawn = count_of(len(scored.statistics.units), unit) if public else f"{unit}s"
    assert (
        f"no intervals over {drawn} (4 needed)" if speakers else f"by the jackknife over {drawn}."
    ) in page
    # Of hidden labels the primary score's interval and no other; of public ones that of all 17 but counts and flags.
    rows = re.findall(r"<tr>.*</tr>", page)
    assert sum(" to " in row for row in rows[1 : len(task.scores) + 2]) == (
        0 if speakers else 17 if public else 1
    )


def test_a_seal_keeps_a_learner_whole(tmp_path):
    sealed = seal(
        load_reference(
            find_task("spoken_call"), "evaluation", ROOT / "reference_data/spoken_call/evaluation", {}
        ),
        0.5,
        None,
    )
    write_files(tmp_path / "open", sealed.files)
    write_files(tmp_path, sealed.at_home)
    task = find_task("spoken_call")
    parts = [
        set(task.units(task.format.read_reference(read_folder(tmp_path / part))).of.values())
        for part in ("open", "sealed")
    ]
    assert sorted(map(len, parts)) == [12, 13]
    assert not parts[0] & parts[1]
