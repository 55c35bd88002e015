"""The sections of turns on a report, of declared tasks."""

from __future__ import annotations

import re

import pytest

from spokeneval.kinds.declared import declared_task
from spokeneval.report.plots import GREY
from spokeneval.report.sections import sections
from spokeneval.scoring.options import Settings, Signature, choose_options
from spokeneval.scoring.scored import score_submission
from tests.samples.labelled_turns import rttm


def markup(parameters, reference, submission, seconds=10):
    task = declared_task("own", {"kind": "turns", **parameters})
    files = {"turns.rttm": rttm(**reference)}
    if seconds:
        files["regions.uem"] = "".join(f"{name} 1 0 {seconds}\n" for name in reference).encode()
    gold = task.format.read_reference(files)
    answers = task.format.read_submission({"turns.rttm": rttm(**submission)}, gold.items)
    scored = score_submission(task, gold, answers, Settings(choose_options(task, {}), True, Signature("own")))
    return "".join(part.markup for part in sections(task, gold, answers, scored) if part)


def test_languages_have_a_table_of_seconds_and_recordings_their_timelines_worst_first():
    # r: English for 5 s, of which 2 s are claimed as Hindi, then 1 s of Hindi without an answer. q is right.
    reference = {"q": [(0, 4, "English")], "r": [(0, 5, "English"), (5, 6, "Hindi")]}
    submission = {"q": [(0, 4, "English")], "r": [(0, 3, "English"), (3, 5, "Hindi")]}
    page = markup({"classes": ["English", "Hindi"]}, reference, submission)
    for row in (
        ("English", "7.000", "2.000", "0.000", "77.8 %"),
        ("Hindi", "0.000", "0.000", "1.000", "0.0 %"),
    ):
        assert "".join((f">{cell}</t" in page and "+") or "-" for cell in row) == "+++++"
    assert page.index("r: DER (%) 50.00") < page.index("q: DER (%) 0.00")
    assert "Miss 1.0 s; False alarm 0.0 s; Confusion 2.0 s." in page
    assert "Changes per minute" not in page


@pytest.mark.parametrize("mapping", ["none", "optimal"])
def test_speakers_are_shown_by_their_own_names(mapping):
    # The names differ, so without a mapping all 4 s are confused, and beyond collars of 0.5 s there are 3 s.
    page = markup(
        {"mapping": mapping, "collar": 0.5}, {"r": [(0, 4, "A")]}, {"r": [(0, 4, "x"), (6, 7, "y")]}
    )
    heard = "Submission, x = A" if mapping == "optimal" else "Submission, x"
    assert all(f">{lane}</text>" in page for lane in ("Reference, A", heard, "Submission, y"))
    confused = 3.0 if mapping == "none" else 0.0
    assert f"Miss 0.0 s; False alarm 1.0 s; Confusion {confused} s." in page
    assert "Labels over time" not in page


def test_a_mapped_label_has_the_colour_of_its_label_in_the_reference_and_another_one_is_grey():
    # In the order of its time the submission's first label is B's, and no label is left for the last one.
    said = [(0, 2, "A"), (2, 6, "B")]
    page = markup({"mapping": "optimal"}, {"r": said}, {"r": [(2, 6, "x"), (0, 2, "y"), (7, 8, "z")]})
    drawn = dict(
        re.findall(r'text-anchor="end">([^<]*)</text>\n<path d="[^"]*" style="stroke: ([^"]*)"', page)
    )
    assert drawn["Submission, x = B"] == drawn["Reference, B"] != drawn["Reference, A"]
    assert drawn["Submission, y = A"] == drawn["Reference, A"]
    assert drawn["Submission, z"] == GREY


def test_a_note_has_the_scored_time_outside_a_reference_without_regions():
    reference, submission = (
        {"q": [(1, 2, "A")], "r": [(0, 4, "A")]},
        {"r": [(0, 4, "x"), (600, 601, "x")]},
    )
    note = "597.0 s are before the first or after the last turn of the reference"
    assert note in markup({"mapping": "optimal", "missing": "missed"}, reference, submission, seconds=0)
    assert "no regions" not in markup(
        {"mapping": "optimal", "missing": "missed"}, reference, submission, seconds=700
    )


def test_recordings_are_grouped_by_changes_of_label():
    reference = {f"r{n}": [(t, t + 1, "AB"[t % 2 and n > 3]) for t in range(8)] for n in range(8)}
    page = markup({"classes": ["A", "B"], "missing": "missed"}, reference, {"r0": []})
    assert "0.0 to 0.0" in page
    assert "42.0 to 42.0" in page  # 7 changes in 10 s
