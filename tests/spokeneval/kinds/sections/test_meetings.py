"""The alignment of meetings: its marks are the errors that tcpWER counts."""

import re
from collections import Counter

import numpy as np
import pytest

import spokeneval


def alignment(said, heard):
    result = spokeneval.score({"kind": "meetings"}, {"m": said}, {"m": heard})
    return result, result.items_table()["Alignment"].iloc[0].split("\n")


def test_words_are_aligned_by_speaker_and_errors_marked():
    said = [("Ann", 0, 3, "good morning to all of you"), ("Bob", 3, 5, "how are you"), ("Cy", 6, 7, "fine")]
    heard = [("1", 3, 5, "who are you there"), ("2", 0, 3, "good morning do all you")]
    assert alignment(said, heard)[1] == [
        *("Ann → 2", "said   good morning to all of you", "heard  good morning do all –  you"),
        *("                    S      D", "Bob → 1", "said   how are you –", "heard  who are you there"),
        *("       S           I", "Cy → –", "said   fine", "heard  –", "       D"),
    ]


def test_a_note_has_the_scored_time_outside_a_reference_without_regions():
    result, _ = alignment([("Ann", 1, 3, "good morning")], [("1", 0, 3, "good day"), ("2", 4, 8.5, "hm")])
    assert "6.5 s are before the first or after the last turn of the reference" in result.report()


@pytest.mark.parametrize("seed", range(4))
def test_as_many_errors_are_marked_as_tcpwer_counts(seed):
    draw = np.random.default_rng(seed)
    said, heard = (
        [
            (name, start, start + draw.integers(1, 9), " ".join(draw.choice(list("abc"), 3)))
            for start in (0, 6, 12)
            for name in names
        ]
        for names in ("AB", "xyz")
    )
    result, lines = alignment(said, heard)
    marked = Counter("".join(line for line in lines if re.fullmatch("[ SDI…]+", line)))
    words = 3 * len(said)
    for mark, key in zip("SDI", ("substitutions", "deletions", "insertions"), strict=True):
        assert marked[mark] == pytest.approx(result.scores[key] / 100 * words), (mark, lines)
