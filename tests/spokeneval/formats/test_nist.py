"""Lines of RTTM and UEM."""

from __future__ import annotations

import pytest

from tests.samples.kinds import scores_of
from tests.samples.labelled_turns import make, rttm


def test_lines_of_rttm_that_are_no_turns() -> None:
    other = b";; made by hand\nSPKR-INFO r 1 <NA> <NA> <NA> unknown A <NA> <NA>\n\n"
    noscore = b"NOSCORE r 1 2.0 1.0 <NA> <NA> <NA> <NA> <NA>\n"
    files = {"turns.rttm": other + noscore + rttm(r=[(0, 4, "A")]), "regions.uem": b";; all\nr 1 0 5\n"}
    assert scores_of(make(), files, {"turns.rttm": other + rttm(r=[(0, 2, "A")])})["miss"] == pytest.approx(
        100 / 3
    )
    empty = b"SPEAKER r 1 0 0.0004 <NA> <NA> A <NA> <NA>\n"
    items = make().format.read_reference(files).items
    submission = make().format.read_submission({"turns.rttm": other + noscore + empty}, items)
    assert make().format.doubts(submission, items) == [
        "1 NOSCORE line, 1 SPKR-INFO line left out; expected SPEAKER lines of 1 ms or more",
        "no turns for 1 of 1 recording, such as r. That counts as an answer. Is the upload complete?",
    ]
    nine_fields = rttm(r=[(0, 4, "A")]).replace(b" <NA>\n", b"\n")
    assert scores_of(make(), files, {"turns.rttm": nine_fields})["der"] == 0
