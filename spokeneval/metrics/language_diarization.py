"""Language diarization, English or Mandarin at each instant (MERLion CCS Challenge, Task 2).

At each instant the reference and the hypothesis are *sets* of languages: two overlapping English turns are
English once, an English-Mandarin overlap is both. Languages are identities and are never mapped. Turns are
half-open intervals [start, end) in milliseconds, whole or fractional. Scored time is that of the evaluated
regions without the excluded speech (other languages). There is no collar. Non-speech inside a region counts:
speech claimed there is a false alarm.

Source: MERLion CCS Challenge Evaluation Plan 1.2 (2023), "Scoring metrics". The error rates in the sense of
the challenge's own script (`lder_script` and its parts) count false alarms too. That script also shortens
Mandarin by 1 ms at each end and turns a chain of overlapping turns that contains Mandarin into Mandarin; both
are left out here, so that its published figures are comparable but not the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any, NamedTuple

import numpy as np


class Turns(NamedTuple):
    """Each language's turns: arrays of shape (n, 2), start and end in ms; they may overlap, in any order."""

    english: Any
    mandarin: Any


class Recording(NamedTuple):
    """What scores one recording: turns, evaluated regions, excluded speech; arrays of shape (n, 2) in ms."""

    reference: Turns
    hypothesis: Turns
    regions: Any
    excluded: Any = ()


@dataclass(frozen=True)
class LanguageTimes:
    """Scored times in ms and the rates they give; `+` pools recordings and `LanguageTimes()` is its zero.

    With r and h languages in the reference and the hypothesis at an instant, c of them in common: miss
    max(0, r - h), false alarm max(0, h - r), language error min(r, h) - c. For one language: missed where
    only the reference has it, a false alarm where only the hypothesis has it. Both countings agree:
    miss + language error = English missed + Mandarin missed, and likewise for the false alarms.
    """

    english_time: float = 0.0
    mandarin_time: float = 0.0
    miss_time: float = 0.0
    false_alarm_time: float = 0.0
    language_error_time: float = 0.0
    english_missed_time: float = 0.0
    mandarin_missed_time: float = 0.0
    english_false_alarm_time: float = 0.0
    mandarin_false_alarm_time: float = 0.0

    def __post_init__(self) -> None:
        if not all(0 <= time < np.inf for time in astuple(self)):
            raise ValueError(f"times must be finite and not negative: {self}")
        tolerance = 1e-9 * (1 + self.total_time + self.false_alarm_time)
        for by_set, by_language in (
            (self.miss_time, self.english_missed_time + self.mandarin_missed_time),
            (self.false_alarm_time, self.english_false_alarm_time + self.mandarin_false_alarm_time),
        ):
            if abs(by_set + self.language_error_time - by_language) > tolerance:
                raise ValueError(f"times of the two languages do not add up to those of the errors: {self}")

    def __add__(self, other: LanguageTimes) -> LanguageTimes:
        return LanguageTimes(*(a + b for a, b in zip(astuple(self), astuple(other))))

    @property
    def total_time(self) -> float:
        """Reference language time, an English-Mandarin overlap counting for both."""
        return self.english_time + self.mandarin_time

    @property
    def der(self) -> float:
        """(miss + false alarm + language error) / reference language time. ValueError without such time."""
        return _rate(self.miss_time + self.false_alarm_time + self.language_error_time, self.total_time)

    @property
    def miss(self) -> float:
        """Missed speech / reference language time. ValueError without such time."""
        return _rate(self.miss_time, self.total_time)

    @property
    def false_alarm(self) -> float:
        """False alarms / reference language time. ValueError without such time."""
        return _rate(self.false_alarm_time, self.total_time)

    @property
    def language_error(self) -> float:
        """Speech given the wrong language / reference language time. ValueError without such time."""
        return _rate(self.language_error_time, self.total_time)

    @property
    def english_error(self) -> float:
        """English that the hypothesis lacks / reference English. ValueError without reference English."""
        return _rate(self.english_missed_time, self.english_time, "English")

    @property
    def mandarin_error(self) -> float:
        """Mandarin that the hypothesis lacks / reference Mandarin. ValueError without reference Mandarin."""
        return _rate(self.mandarin_missed_time, self.mandarin_time, "Mandarin")

    @property
    def lder_script(self) -> float:
        """Missed and falsely claimed time of both / reference language time. ValueError without such time."""
        errors = self.english_missed_time + self.english_false_alarm_time
        errors += self.mandarin_missed_time + self.mandarin_false_alarm_time
        return _rate(errors, self.total_time)

    @property
    def english_error_script(self) -> float:
        """English missed or falsely claimed / reference English. ValueError without reference English."""
        return _rate(self.english_missed_time + self.english_false_alarm_time, self.english_time, "English")

    @property
    def mandarin_error_script(self) -> float:
        """Mandarin missed or falsely claimed / reference Mandarin. ValueError without reference Mandarin."""
        return _rate(
            self.mandarin_missed_time + self.mandarin_false_alarm_time, self.mandarin_time, "Mandarin"
        )


def language_times(reference: Turns, hypothesis: Turns, regions: Any, *, excluded: Any = ()) -> LanguageTimes:
    """Times of one recording. `reference` and `hypothesis` are pairs of arrays (English, Mandarin).

    All arrays have shape (n, 2): start and end in ms, finite, 0 <= start < end; turns may overlap and come in
    any order. All but `regions` may be empty. Raises ValueError otherwise.
    """
    return language_times_per_recording([Recording(reference, hypothesis, regions, excluded)])[0]


def language_times_per_recording(recordings: Sequence[Recording]) -> list[LanguageTimes]:
    """`language_times` of each recording, many in one sweep; `sum(times, LanguageTimes())` pools them.

    Raises ValueError as `language_times` does, naming the recording by its place in the sequence from 0, and
    if there is no recording.
    """
    joint_times = _joint_times(recordings)
    times = np.zeros((len(recordings), _JOINT_STATES.shape[1]))
    for state, adds in enumerate(_JOINT_STATES):  # in this order on every machine, unlike a matrix product
        times += joint_times[:, state, np.newaxis] * adds
    return [LanguageTimes(*each) for each in times.tolist()]


def language_confusions(recordings: Sequence[Recording]) -> np.ndarray:
    """Scored time of each recording by the languages at each instant, in ms, shape (n, 4, 4).

    Rows are the reference's, columns the hypothesis's: neither, English, Mandarin, both. Raises ValueError as
    `language_times_per_recording` does.
    """
    joint_times = _joint_times(recordings)
    return joint_times.reshape(-1, 4, 4).transpose(0, 2, 1)


def error_sums(times: Sequence[LanguageTimes]) -> np.ndarray:
    """Error time (miss + false alarm + language error) and reference language time, ms; shape (n, 2)."""
    return np.array(
        [
            (each.miss_time + each.false_alarm_time + each.language_error_time, each.total_time)
            for each in times
        ]
    )


def der_of_sums(sums: np.ndarray) -> np.ndarray:
    """DER for many sets of recordings at once.

    sums: of `error_sums`, shape (r, 2). Returns shape (r,), NaN where the reference has no language time.
    """
    error, total = np.asarray(sums, dtype=np.float64).T
    return np.divide(error, total, out=np.full_like(error, np.nan), where=total > 0)


_LAYERS = (
    "English reference",
    "Mandarin reference",
    "English hypothesis",
    "Mandarin hypothesis",
    "regions",
    "excluded speech",
)
_REGIONS, _EXCLUDED = 4, 5


_TURNS_AT_A_TIME = 1 << 12
"""Turns swept at a time, but a recording's all together: what is made of them stays in the processor's cache."""


def _joint_times(recordings: Sequence[Recording]) -> np.ndarray:
    """Scored time of each recording in each of 16 joint states, shape (n, 16).

    A state has bit 0 for English and bit 1 for Mandarin in the reference, bits 2 and 3 in the hypothesis.
    """
    if not len(recordings):
        raise ValueError("no recording to score: []")
    swept = []
    first, turns = 0, 0
    for last, (_, hypothesis, _, _) in enumerate(recordings, 1):
        turns += sum(map(np.size, hypothesis)) // 2
        if turns >= _TURNS_AT_A_TIME or last == len(recordings):
            swept.append(_sweep(last - first, *_gather(recordings[first:last], first)))
            first, turns = last, 0
    return np.concatenate(swept)


def _gather(recordings: Sequence[Recording], first: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Recording and layer (index into `_LAYERS`) of every turn, shape (n,), and the checked turns, (n, 2).

    first: the first recording's place among all, from 0.
    """
    arrays = []
    for index, (reference, hypothesis, regions, excluded) in enumerate(recordings, first):
        if len(reference) != 2 or len(hypothesis) != 2:
            raise ValueError(
                f"recording {index}: {len(reference)} languages in the reference, {len(hypothesis)} in the "
                "hypothesis; expected 2, English and Mandarin"
            )
        layers = [np.asarray(turns) for turns in (*reference, *hypothesis, regions, excluded)]
        for name, turns in zip(_LAYERS, layers):
            if turns.size and (turns.ndim != 2 or turns.shape[1] != 2 or turns.dtype.kind not in "iuf"):
                raise ValueError(
                    f"recording {index}, {name}: expected numbers of shape (n, 2), not {turns.dtype} of "
                    f"shape {turns.shape}"
                )
        if not layers[_REGIONS].size:
            raise ValueError(f"recording {index}: no evaluated region: {layers[_REGIONS]}")
        arrays += layers
    counts = np.array([array.size // 2 for array in arrays])
    place = np.repeat(np.arange(len(arrays)), counts)
    recording, layer = np.divmod(place, len(_LAYERS))
    turns = np.concatenate([array.reshape(-1, 2) for array in arrays if array.size]).astype(np.float64)
    start, end = turns.T
    bad = np.flatnonzero(~((start >= 0) & (start < end) & (end < np.inf)))
    if bad.size:
        raise ValueError(
            f"recording {first + recording[bad[0]]}, {_LAYERS[layer[bad[0]]]}: turn from {start[bad[0]]} to "
            f"{end[bad[0]]} ms; expected 0 <= start < end (and {bad.size - 1} more)"
        )
    return recording, layer, turns


def _sweep(n_recordings: int, recording: np.ndarray, layer: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """`_joint_times` of gathered turns, shape (n_recordings, 16)."""
    time = turns.T.ravel()  # all starts, then all ends
    order = np.argsort(time)
    order = order[np.argsort(np.tile(recording, 2)[order], kind="stable")]
    time = time[order]
    recording, layer = recording[order % len(recording)], layer[order % len(layer)]
    step = np.where(order < len(turns), 1, -1)
    active = [np.cumsum(np.where(layer == each, step, 0))[:-1] > 0 for each in range(len(_LAYERS))]
    scored = active[_REGIONS] & ~active[_EXCLUDED]  # nothing is active from one recording to the next
    state = active[0] + 2 * active[1] + 4 * active[2] + 8 * active[3]
    cell = 16 * recording[:-1] + state
    times = np.bincount(cell[scored], weights=np.diff(time)[scored], minlength=16 * n_recordings)
    return times.reshape(n_recordings, 16)


def _joint_states() -> np.ndarray:
    """What one ms in each of the 16 joint states adds to each field of `LanguageTimes`, shape (16, 9)."""
    english, mandarin, english_claimed, mandarin_claimed = (np.arange(16) >> bit & 1 for bit in range(4))
    r, h = english + mandarin, english_claimed + mandarin_claimed
    common = english * english_claimed + mandarin * mandarin_claimed
    return np.transpose(
        [
            english,
            mandarin,
            np.maximum(0, r - h),
            np.maximum(0, h - r),
            np.minimum(r, h) - common,
            english & ~english_claimed,
            mandarin & ~mandarin_claimed,
            english_claimed & ~english,
            mandarin_claimed & ~mandarin,
        ]
    ).astype(np.float64)


_JOINT_STATES = _joint_states()


def _rate(error_time: float, reference_time: float, language: str = "English or Mandarin") -> float:
    if not reference_time:
        raise ValueError(f"rate is undefined: the scored reference holds {reference_time} ms of {language}")
    return error_time / reference_time
