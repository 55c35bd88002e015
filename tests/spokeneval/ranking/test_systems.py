"""Rankings of few units."""

from __future__ import annotations

import pytest

import spokeneval


@pytest.mark.parametrize(
    ("units", "pairs", "words"),
    [
        (1, 0, "1 item is too few to separate 2 systems; at least 6 are needed."),
        (3, 0, "3 items are too few"),
        (5, 1, "5 items are too few"),
    ],
)
def test_nothing_is_inferred_from_too_few_units(units, pairs, words):
    # With one unit, the interval of a difference had no width; below four units, no score has an interval.
    said = [f"good morning number {n}" for n in range(units)]
    found = spokeneval.compare({"kind": "transcripts"}, said, {"a": said, "b": ["good", *said[1:]]})
    assert len(found.pairs) == pairs
    note = next(note for note in found.notes if "too few" in note)
    assert note.startswith(words)
    assert "may separate" not in note
    assert [row.ranks for row in found.rows] == [(1, 2), (1, 2)]


def test_of_many_shared_ranks_the_first_ones_have_notes():
    said = ["good morning"] * 20
    pairs = {f"{name}{wrong}": ["good"] * wrong + said[wrong:] for wrong in range(12) for name in "ab"}
    found = spokeneval.compare({"kind": "transcripts"}, said, pairs)
    notes = [note for note in found.notes if "same score" in note]
    assert notes[0].startswith("Tie at rank 1: a0, b0 ")
    assert (len(notes), notes[-1]) == (11, "Several systems have the same score at 2 further ranks.")
