"""The synthetic learners differ as real learners do: an interval over learners is wider than one over responses."""

from __future__ import annotations

import numpy as np
import pytest

from sample_data import spoken_call as sample
from spokeneval.metrics.accept_reject import d_full, decisions_per_response
from spokeneval.metrics.counts import by_group
from spokeneval.metrics.jackknife import jackknife_error, leave_one_out


@pytest.mark.parametrize("name", sample.SETS)
def test_learners_are_as_unlike_as_the_real_ones(name):
    # For 25 of the 58 learners of the second edition's training data, drawn many times: 1.8 to 2.9 times as wide.
    rows = sample.make_sheet(name)
    good, lenient = sample._grammar()
    correct, meaningful = (
        np.array([row[kind] == "correct" for row in rows]) for kind in ("language", "meaning")
    )
    listed = [row["RecResult"] in good[row["Prompt"]] + lenient.get(row["Prompt"], []) for row in rows]
    responses = decisions_per_response(correct, meaningful, np.array(listed))
    names, speaker = np.unique([row["speaker"] for row in rows], return_inverse=True)
    over_speakers, over_responses = (
        jackknife_error(np.log(d_full(leave_one_out(units))))
        for units in (by_group(responses, speaker, len(names)), responses)
    )
    assert len(names) == sample.SPEAKERS
    assert 1.8 <= over_speakers / over_responses <= 2.9
