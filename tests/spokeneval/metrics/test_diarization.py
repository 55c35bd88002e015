"""Turns that are none; the scores are held against other software in the tests of the kind of turns."""

import pytest

from spokeneval.metrics.diarization import errors_per_recording, overlaps
from spokeneval.metrics.sweeps import Recording, Turns


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        (Turns([(0.5, 1)], [0]), "reference: expected integers"),
        (Turns([(2, 1)], [0]), "reference: expected 0 <= start < end"),
        (Turns([(0, 1)], [-1]), "reference: expected 1 label numbers"),
        (Turns([(0, 1)], [0, 1]), "reference: expected 1 label numbers"),
    ],
)
def test_overlaps_refuse_what_are_no_whole_turns(turns, message):
    with pytest.raises(ValueError, match=message):
        overlaps(Recording(turns, turns, [(0, 9)]))
    with pytest.raises(ValueError, match="0 recordings"):
        errors_per_recording([], mapped=False)
