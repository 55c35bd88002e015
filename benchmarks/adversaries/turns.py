"""Diarization: very short turns whose lengths are powers of two, decoded from the error of a language bit by bit.

An English turn lowers the English error if English is spoken at that time, and does not change it otherwise. Each sum
of turns whose lengths are different powers of two belongs to one set of instants. The same number of Mandarin turns at
other instants is decoded from the Mandarin error. Labels are in whole milliseconds, so they do not cut a turn. The
total duration of each language is assumed to be known: it is in the evaluation plan.
"""

from __future__ import annotations

import math

import numpy as np

from spokeneval.metrics.counts import total

from .boards import Board
from .cases import instants_of, submission_of

LENGTHS = 2.0 ** np.arange(0, -24, -1)
"""In ms: a double has enough digits for the shortest of them in a sum of sixteen hours."""


def decode(board: Board, decoded: np.ndarray) -> None:
    """Decode 0 (English) or 1 (Mandarin) for 48 instants in each attempt."""
    case = board.case
    times = instants_of(case)
    silent = submission_of([([], [])] * len(case.reference.turns))
    spoken = total(case.task.count(case.reference, silent)["labels"]).reference
    totals = dict(zip(("english_error", "mandarin_error"), spoken.tolist(), strict=True))
    for first in range(0, len(times), 2 * len(LENGTHS)):
        turns: list[tuple[list, list]] = [([], []) for _ in case.reference.turns]
        asked = np.split(np.arange(first, min(first + 2 * len(LENGTHS), len(times))), [len(LENGTHS)])
        for language, places in enumerate(asked):
            for place, length in zip(places.tolist(), LENGTHS.tolist(), strict=False):
                turns[case.rows[place]][language].append([times[place], times[place] + length])
        line = board.ask(submission_of(turns))
        for language, (places, column) in enumerate(zip(asked, totals, strict=True)):
            if column in line:
                claimed = (100 - line[column]) / 100 * totals[column]
                decoded[places] = np.where(_bits(claimed, len(places)), language, 1 - language)


def _bits(claimed: float, size: int) -> np.ndarray:
    whole = math.floor(claimed / LENGTHS[-1] + 0.5)
    whole = min(max(whole, 0), (1 << len(LENGTHS)) - 1)
    return np.array([whole >> (len(LENGTHS) - 1 - place) & 1 for place in range(size)], dtype=bool)
