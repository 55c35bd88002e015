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
from spokeneval.metrics.language_diarization import english_time, mandarin_time

from .boards import Board
from .cases import instants_of, submission_of

LENGTHS = 2.0 ** np.arange(0, -24, -1)
"""In ms: a double has enough digits for the shortest of them in a sum of sixteen hours."""


def decode(board: Board, attempts: int) -> np.ndarray:
    """Return 0 (English) or 1 (Mandarin) for each instant, 48 in each attempt; English for the remaining ones."""
    case = board.case
    times = instants_of(case)
    decoded = np.zeros(len(times), dtype=int)
    silent = submission_of([([], [])] * len(case.reference.turns))
    spoken = total(case.task.count(case.reference, silent)["times"])
    totals = (("english_error", english_time(spoken)), ("mandarin_error", mandarin_time(spoken)))
    first = 0
    while board.attempts < attempts and first < len(times):
        turns = [(list[list[float]](), list[list[float]]()) for _ in case.reference.turns]
        asked = []
        for language in (0, 1):
            places = np.arange(first, min(first + len(LENGTHS), len(times)))
            for place, length in zip(places.tolist(), LENGTHS[: len(places)].tolist(), strict=True):
                turns[case.rows[place]][language].append([times[place], times[place] + length])
            asked.append(places)
            first += len(places)
        line = board.ask(submission_of(turns))
        for language, (places, (column, time)) in enumerate(zip(asked, totals, strict=True)):
            if column in line:
                claimed = (100 - line[column]) / 100 * time
                bits = _bits(claimed, len(places))
                decoded[places] = np.where(bits, language, 1 - language)
    return decoded


def _bits(claimed: float, size: int) -> np.ndarray:
    whole = math.floor(claimed / LENGTHS[-1] + 0.5)
    whole = min(max(whole, 0), (1 << len(LENGTHS)) - 1)
    return np.array([whole >> (len(LENGTHS) - 1 - place) & 1 for place in range(size)], dtype=bool)
