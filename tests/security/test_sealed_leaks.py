"""Nothing tells which items of a reference are sealed, or what their labels are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

import pytest

from speechbundles.competition import seal
from speechbundles.competition.references import ReferenceSet, load_reference
from spokeneval.challenges import find_task
from spokeneval.formats.submission_folder import REPORT_FILE
from spokeneval.programs.program import accepted_report
from tests.samples.cases import CASES
from tests.samples.near_misses import near_misses
from tests.samples.programs import ROOT, run_here, write_files
from tests.samples.repeated import REPEATED
from tests.samples.shown import seen

TASKS = tuple(CASES)


def half_sealed(task: str, folder: Path, files: dict[str, str], first: int) -> ReferenceSet:
    """Return a set in which every second unit is sealed, starting with the first or the second."""
    reference = load_reference(find_task(task), "evaluation", write_files(folder, files), {})
    draw = mock.patch.object(seal, "draw_units", lambda units, share, key: frozenset(sorted(units)[first::2]))
    with draw:
        return seal.seal(reference, 0.5, None)


def without_item(submission: Mapping[str, str], item: str) -> dict[str, str]:
    """Return a submission without the lines, or the file, of one item."""
    return {
        name: "".join(line for line in text.splitlines(keepends=True) if re.split(r"[,\t ]", line)[0] != item)
        for name, text in submission.items()
        if name != f"{item}.txt"
    }


@pytest.mark.parametrize("task", TASKS)
def test_nothing_that_a_run_shows_but_its_scores_tells_which_labels_stay_at_home(task, tmp_path):
    """Two draws of a sealed half, the whole set, and a set whose labels are all at home, where nothing is scored."""
    program = (ROOT / "scoring_program" / task / "score.py").read_bytes()
    options = json.dumps({"detailed_results": True})
    score = write_files(tmp_path / "program", {"score.py": program, "options.json": options}) / "score.py"
    sets = [half_sealed(task, tmp_path / "given", REPEATED[task], first) for first in (0, 1)]
    whole = load_reference(find_task(task), "evaluation", tmp_path / "given", {})
    answers, items = near_misses(task, tmp_path / "given"), whole.items
    name = next(iter(answers))
    good = {**answers, REPORT_FILE: accepted_report(task, len(items))}
    submissions = [good, *(without_item(answers, item) for item in (items[0], items[-1]))]
    submissions += [
        {**good, name: answers[name] + "odd line \x00\n"},
        {**good, REPORT_FILE: "another report"},
    ]
    references = [*(found.files for found in sets), REPEATED[task], seal.keep_home(whole).files]
    for place, submission in enumerate(submissions):
        shown = []
        for number, reference in enumerate(references):
            folder = write_files(tmp_path / f"{place}-{number}/res", submission).parent
            write_files(folder / "ref", reference)
            shown.append(seen(folder / "out", *run_here(score, folder, folder / "out")))
        assert shown[0] == shown[1]
        if place:
            assert shown[0]["status"] == 1
            assert shown[0] == shown[2] == shown[3]  # the same message as with all labels
            continue
        assert f"{len(items)} items checked, those of the open part scored" in shown[0]["stdout"]
        scores = [(tmp_path / f"0-{number}/out/scores.json").read_text() for number in range(4)]
        assert len(set(scores[:3])) > 1
        page = (tmp_path / "0-0/out/detailed_results.html").read_text(encoding="utf-8")
        assert f"the {len(items)} items of the set" in page
        assert (shown[3]["status"], shown[3]["stderr"], json.loads(scores[3])) == (0, "", {"received": 1})
        said = {"status", "stdout", "stderr"}
        assert shown[3].keys() - said == {"scores.json", "scores.txt", "detailed_results.html"}
