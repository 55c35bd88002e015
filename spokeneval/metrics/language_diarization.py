"""Language diarization: English or Mandarin at each instant (MERLIon CCS Challenge, Task 2).

At each instant, the reference and the hypothesis are *sets* of languages: two overlapping English turns are English
once, and an overlap of English and Mandarin is both. The languages of the hypothesis are compared directly, without a
mapping. Turns are half-open intervals [start, end) in milliseconds, whole or fractional. The scored time is that of the
evaluated regions without the excluded speech (other languages). There is no collar. Non-speech inside a region is
scored: any language in the hypothesis is a false alarm there.

At an instant with r languages in the reference, h in the hypothesis and c in both:

- the miss is max(0, r - h);
- the false alarm is max(0, h - r);
- the language error is min(r, h) - c.

A single language is missed if only the reference has it, and a false alarm if only the hypothesis has it. Both ways of
counting agree: miss + language error = English missed + Mandarin missed, and false alarm + language error = English
false alarms + Mandarin false alarms.

Functions of `LanguageTimes` with names that end in ``_time`` return milliseconds. The others return shares of reference
time, for which lower is better; they are undefined if that time is 0 (see `counts`).

Source: MERLIon CCS Challenge Evaluation Plan 1.2 (2023), "Scoring metrics". The error rates of the challenge's own
script (`lder_script` and its parts) also count false alarms. That script shortens Mandarin by 1 ms at each end, and
turns a chain of overlapping turns that contains Mandarin into Mandarin. Neither is done here. So the figures of the
script are the same to within 2 ms for each Mandarin turn if no turns of a recording overlap. Where turns overlap, even
by less than 100 ms, they can differ by 20 percentage points and more in a recording.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .counts import add, check_counts, ratio

_STATES = np.arange(16)
_ENGLISH, _MANDARIN, _ENGLISH_CLAIMED, _MANDARIN_CLAIMED = (_STATES >> bit & 1 for bit in range(4))
_SPOKEN, _CLAIMED = _ENGLISH + _MANDARIN, _ENGLISH_CLAIMED + _MANDARIN_CLAIMED
_COMMON = _ENGLISH * _ENGLISH_CLAIMED + _MANDARIN * _MANDARIN_CLAIMED
_ENGLISH_WRONG, _MANDARIN_WRONG = _ENGLISH ^ _ENGLISH_CLAIMED, _MANDARIN ^ _MANDARIN_CLAIMED


class Turns(NamedTuple):
    """The turns of each language, in any order; they may overlap.

    Attributes
    ----------
    english : array_like, shape (n, 2)
        Start and end of English turns in ms, finite, 0 <= start < end.
    mandarin : array_like, shape (m, 2)
        Start and end of Mandarin turns, likewise.
    """

    english: Any
    mandarin: Any


class Recording(NamedTuple):
    """The input for scoring one recording.

    Attributes
    ----------
    reference
        The turns in the reference.
    hypothesis
        The turns that the system found.
    regions : array_like, shape (n, 2), n >= 1
        Start and end of the evaluated regions in ms, as for turns.
    excluded : array_like, shape (n, 2)
        Start and end of excluded speech within the regions, likewise.
    """

    reference: Turns
    hypothesis: Turns
    regions: Any
    excluded: Any = ()


@dataclass(frozen=True)
class LanguageTimes:
    """Scored time in each joint state of reference and hypothesis; all rates are computed from it.

    Attributes
    ----------
    states : ndarray, shape (..., 16)
        The time in each state, in ms. In the number of a state, bits 0 and 1 are English and Mandarin in the reference,
        bits 2 and 3 are English and Mandarin in the hypothesis.
    """

    states: np.ndarray

    def __post_init__(self) -> None:
        check_counts(self)
        if np.shape(self.states)[-1:] != (16,):
            raise ValueError(f"states must have shape (..., 16), not {np.shape(self.states)}")

    def __add__(self, other: LanguageTimes) -> LanguageTimes:
        return add(self, other)

    @property
    def der(self) -> Any:
        """The diarization error rate; see `der`."""
        return der(self)


@dataclass(frozen=True)
class JaccardErrors:
    """Jaccard error rates, summed over the languages of recordings.

    Attributes
    ----------
    languages
        The number of languages in the references, each counted once per recording.
    error
        The sum of their Jaccard error rates.
    """

    languages: Any
    error: Any

    def __post_init__(self) -> None:
        check_counts(self)

    def __add__(self, other: JaccardErrors) -> JaccardErrors:
        return add(self, other)

    @property
    def jer(self) -> Any:
        """The Jaccard error rate; see `jaccard_error_rate`."""
        return jaccard_error_rate(self)


def language_times(reference: Turns, hypothesis: Turns, regions: Any, *, excluded: Any = ()) -> LanguageTimes:
    """The scored times of one recording.

    Parameters
    ----------
    reference, hypothesis, regions, excluded
        As in `Recording`. All except `regions` may be empty.

    Returns
    -------
    LanguageTimes
        The times, with `states` of shape (16,).

    Raises
    ------
    ValueError
        There is no region, an array has another shape or type, or a turn is not 0 <= start < end.

    Examples
    --------
    English is spoken for 600 ms and Mandarin for 600 ms; during 200 ms both are spoken.

    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([], []), [(0, 2000)])
    >>> times.states[:4].tolist()
    [1000.0, 400.0, 400.0, 200.0]
    """
    (states,) = language_times_per_recording([Recording(reference, hypothesis, regions, excluded)]).states
    return LanguageTimes(states)


def language_times_per_recording(recordings: Sequence[Recording]) -> LanguageTimes:
    """The `language_times` of each of n >= 1 recordings, with `states` of shape (n, 16).

    Error messages name recordings by their index, from 0.

    Examples
    --------
    >>> spoken, silent = Turns([(0, 600)], []), Turns([], [])
    >>> recordings = [Recording(spoken, spoken, [(0, 2000)]), Recording(spoken, silent, [(0, 500)])]
    >>> der(language_times_per_recording(recordings)).tolist()
    [0.0, 1.0]
    """
    if not len(recordings):
        raise ValueError("0 recordings; expected at least one")
    swept = []
    first, turns = 0, 0
    for last, (_, hypothesis, _, _) in enumerate(recordings, 1):
        turns += sum(map(np.size, hypothesis)) // 2
        if turns >= _TURNS_AT_A_TIME or last == len(recordings):
            swept.append(_sweep(last - first, *_gather(recordings[first:last], first)))
            first, turns = last, 0
    return LanguageTimes(np.concatenate(swept))


def confusions(times: LanguageTimes) -> np.ndarray:
    """The scored time in ms by the languages of reference and hypothesis: float, shape (..., 4, 4).

    Rows are the reference, columns the hypothesis, each with neither language, English, Mandarin, or both.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], []), Turns([(0, 500)], [(400, 600)]), [(0, 2000)])
    >>> confusions(times)[:2].tolist()
    [[1400.0, 0.0, 0.0, 0.0], [0.0, 400.0, 100.0, 100.0]]
    """
    states = np.asarray(times.states)
    return np.swapaxes(states.reshape(*states.shape[:-1], 4, 4), -1, -2)


def english_time(times: LanguageTimes) -> Any:
    """The time of English in the reference.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> english_time(times)
    600.0
    """
    return _time(times, _ENGLISH)


def mandarin_time(times: LanguageTimes) -> Any:
    """The time of Mandarin in the reference.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> mandarin_time(times)
    600.0
    """
    return _time(times, _MANDARIN)


def total_time(times: LanguageTimes) -> Any:
    """The time of both languages in the reference; an overlap of English and Mandarin counts twice.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> total_time(times)
    1200.0
    """
    return english_time(times) + mandarin_time(times)


def miss_time(times: LanguageTimes) -> Any:
    """The missed time: reference languages in excess of the number of hypothesis languages.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> miss_time(times)
    500.0
    """
    return _time(times, np.maximum(0, _SPOKEN - _CLAIMED))


def false_alarm_time(times: LanguageTimes) -> Any:
    """The false-alarm time: hypothesis languages in excess of the number of reference languages.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> false_alarm_time(times)
    300.0
    """
    return _time(times, np.maximum(0, _CLAIMED - _SPOKEN))


def language_error_time(times: LanguageTimes) -> Any:
    """The time attributed to the wrong language: min(r, h) - c languages, with r, h and c as in the module's text.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> language_error_time(times)
    100.0
    """
    return _time(times, np.minimum(_SPOKEN, _CLAIMED) - _COMMON)


def der(times: LanguageTimes) -> Any:
    r"""Diarization error rate.

    .. math:: DER = \frac{\text{miss} + \text{false alarm} + \text{language error}}{\text{total reference time}}

    The four times are `miss_time`, `false_alarm_time`, `language_error_time` and `total_time`.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> der(times)
    0.75
    """
    # max(0, r - h) + max(0, h - r) + min(r, h) - c = max(r, h) - c
    return ratio(_time(times, np.maximum(_SPOKEN, _CLAIMED) - _COMMON), total_time(times), "DER")


def miss(times: LanguageTimes) -> Any:
    """The miss rate: `miss_time` / `total_time`.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> round(miss(times), 6)
    0.416667
    """
    return ratio(miss_time(times), total_time(times), "miss rate")


def false_alarm(times: LanguageTimes) -> Any:
    """The false-alarm rate: `false_alarm_time` / `total_time`.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> false_alarm(times)
    0.25
    """
    return ratio(false_alarm_time(times), total_time(times), "false-alarm rate")


def language_error(times: LanguageTimes) -> Any:
    """The language error rate: `language_error_time` / `total_time`.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> round(language_error(times), 6)
    0.083333
    """
    return ratio(language_error_time(times), total_time(times), "language error")


def english_error(times: LanguageTimes) -> Any:
    """The share of the reference's English time without English in the hypothesis.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> english_error(times)
    0.0
    """
    return ratio(_time(times, _ENGLISH & ~_ENGLISH_CLAIMED), english_time(times), "English error")


def mandarin_error(times: LanguageTimes) -> Any:
    """The share of the reference's Mandarin time without Mandarin in the hypothesis.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> mandarin_error(times)
    1.0
    """
    return ratio(_time(times, _MANDARIN & ~_MANDARIN_CLAIMED), mandarin_time(times), "Mandarin error")


def lder_script(times: LanguageTimes) -> Any:
    """Language DER of the challenge's script: misses and false alarms of both languages / `total_time`.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> round(lder_script(times), 6)
    0.833333
    """
    errors = _time(times, _ENGLISH_WRONG + _MANDARIN_WRONG)
    return ratio(errors, total_time(times), "language DER of the script")


def english_error_script(times: LanguageTimes) -> Any:
    """English error of the challenge's script: misses and false alarms of English / `english_time`.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> round(english_error_script(times), 6)
    0.666667
    """
    return ratio(_time(times, _ENGLISH_WRONG), english_time(times), "English error of the script")


def mandarin_error_script(times: LanguageTimes) -> Any:
    """Mandarin error of the challenge's script: misses and false alarms of Mandarin / `mandarin_time`.

    Examples
    --------
    >>> times = language_times(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700), (1000, 1300)], []), [(0, 2000)])
    >>> mandarin_error_script(times)
    1.0
    """
    return ratio(_time(times, _MANDARIN_WRONG), mandarin_time(times), "Mandarin error of the script")


def error_spans(recording: Recording) -> dict[str, np.ndarray]:
    """The spans of a recording's scored time with a miss, a false alarm or a language error.

    The recording must be valid, as checked by `language_times_per_recording`.

    Returns
    -------
    dict
        For each of ``miss``, ``false_alarm`` and ``language_error``, start and end of the spans in ms, shape (n, 2).
        Spans are in order, and do not overlap or touch.

    Examples
    --------
    >>> spoken, claimed = Turns([(0, 600)], []), Turns([(100, 300)], [(300, 700)])
    >>> spans = error_spans(Recording(spoken, claimed, [(0, 2000)]))
    >>> {name: found.tolist() for name, found in spans.items()}
    {'miss': [[0.0, 100.0]], 'false_alarm': [[600.0, 700.0]], 'language_error': [[300.0, 600.0]]}
    """
    layers = (*recording.reference, *recording.hypothesis, recording.regions, recording.excluded)
    turns = [np.asarray(layer, dtype=np.float64).reshape(-1, 2) for layer in layers]
    instants = np.unique(np.concatenate(turns))
    middle = (instants[:-1] + instants[1:]) / 2
    active = [
        np.searchsorted(np.sort(layer[:, 0]), middle) > np.searchsorted(np.sort(layer[:, 1]), middle)
        for layer in turns
    ]
    state = sum(bit.astype(np.int64) << place for place, bit in enumerate(active[:4]))
    scored = active[_REGIONS] & ~active[_EXCLUDED]
    kinds = {
        "miss": _SPOKEN > _CLAIMED,
        "false_alarm": _CLAIMED > _SPOKEN,
        "language_error": np.minimum(_SPOKEN, _CLAIMED) > _COMMON,
    }
    spans = {}
    for name, wrong in kinds.items():
        edges = np.diff(np.concatenate([[0], wrong[state] & scored, [0]]))
        spans[name] = np.stack([instants[edges == 1], instants[edges == -1]], axis=1)
    return spans


def jaccard_errors(times: LanguageTimes) -> JaccardErrors:
    r"""The Jaccard error rates of the languages in each recording's reference, one row per recording.

    .. math:: \frac{\text{missed} + \text{false alarm}}{\text{time in reference or hypothesis}}

    Examples
    --------
    English is spoken for 600 ms and found for 700 ms, 600 ms in common. Mandarin is spoken, but not found.

    >>> recording = Recording(Turns([(0, 600)], [(400, 1000)]), Turns([(0, 700)], []), [(0, 2000)])
    >>> errors = jaccard_errors(language_times_per_recording([recording]))
    >>> errors.languages.tolist(), errors.error.round(6).tolist()
    ([2], [1.142857])
    """
    languages: Any = 0
    error: Any = 0.0
    for spoken, claimed in ((_ENGLISH, _ENGLISH_CLAIMED), (_MANDARIN, _MANDARIN_CLAIMED)):
        present = np.asarray(_time(times, spoken) > 0)
        either = np.where(present, _time(times, spoken | claimed), 1)
        languages = languages + present.astype(np.int64)
        error = error + np.where(present, _time(times, spoken ^ claimed) / either, 0)
    return JaccardErrors(languages, error)


def jaccard_error_rate(errors: JaccardErrors) -> Any:
    """JER: the mean Jaccard error rate over the languages of all recordings, with equal weights.

    DIHARD's `dscore` computes the same for speakers, but maps the speakers of the hypothesis to those of the reference.

    Source: Ryant et al. (2019), Second DIHARD Challenge Evaluation Plan.

    Examples
    --------
    >>> jaccard_error_rate(JaccardErrors(languages=4, error=1.0))
    0.25
    """
    return ratio(errors.error, errors.languages, "JER")


def _time(times: LanguageTimes, weights: np.ndarray) -> Any:
    """The weighted sum of the states' times, in a fixed order; unlike a matrix product, the same on every machine."""
    states = np.asarray(times.states, dtype=np.float64)
    columns = states.tolist() if states.ndim == 1 else np.moveaxis(states, -1, 0)
    return sum(weight * column for weight, column in zip(weights.tolist(), columns) if weight)


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
"""The number of turns to process at a time, in whole recordings, so that arrays fit into the processor's cache."""


def _gather(recordings: Sequence[Recording], first: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Recording and layer (index into `_LAYERS`) of every turn, shape (n,), and the checked turns, shape (n, 2).

    `first` is the index of the first recording among all recordings.
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
    """The scored time of each recording in each joint state, shape (n_recordings, 16), from gathered turns."""
    time = turns.T.ravel()  # all starts, then all ends
    order = np.argsort(time)
    order = order[np.argsort(np.tile(recording, 2)[order], kind="stable")]
    time = time[order]
    recording, layer = recording[order % len(recording)], layer[order % len(layer)]
    step = np.where(order < len(turns), 1, -1)
    active = [np.cumsum(np.where(layer == number, step, 0))[:-1] > 0 for number in range(len(_LAYERS))]
    scored = active[_REGIONS] & ~active[_EXCLUDED]  # between two recordings no layer is active
    state = active[0] + 2 * active[1] + 4 * active[2] + 8 * active[3]
    cell = 16 * recording[:-1] + state
    times = np.bincount(cell[scored], weights=np.diff(time)[scored], minlength=16 * n_recordings)
    return times.reshape(n_recordings, 16)
