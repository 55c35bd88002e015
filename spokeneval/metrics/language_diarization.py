"""Language diarization: English or Mandarin at each instant (MERLIon CCS Challenge, Task 2).

The errors are those of `diarization` without a mapping or a collar, for label 0, English, and label 1, Mandarin; the
language error is its confusion. The excluded speech is that in other languages. Times are in milliseconds, whole or
fractional.

A single language is missed if only the reference has it, and a false alarm if only the hypothesis has it. Both ways of
counting agree: miss + language error = English missed + Mandarin missed, and false alarm + language error = English
false alarms + Mandarin false alarms.

The counts are the times of all joint states, from which the error rates of the challenge's own script follow too.
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
from typing import Any

import numpy as np

from .counts import Counts, ratio
from .sweeps import Recording, checked_spans

_STATES = np.arange(16)
_ENGLISH, _MANDARIN, _ENGLISH_CLAIMED, _MANDARIN_CLAIMED = (_STATES >> bit & 1 for bit in range(4))
_SPOKEN, _CLAIMED = _ENGLISH + _MANDARIN, _ENGLISH_CLAIMED + _MANDARIN_CLAIMED
_COMMON = _ENGLISH * _ENGLISH_CLAIMED + _MANDARIN * _MANDARIN_CLAIMED
_ENGLISH_WRONG, _MANDARIN_WRONG = _ENGLISH ^ _ENGLISH_CLAIMED, _MANDARIN ^ _MANDARIN_CLAIMED


@dataclass(frozen=True)
class LanguageTimes(Counts):
    """Scored time in each joint state of reference and hypothesis; all rates are computed from it.

    Attributes
    ----------
    states : ndarray, shape (..., 16)
        The time in each state, in ms. In the number of a state, bits 0 and 1 are English and Mandarin in the reference,
        bits 2 and 3 are English and Mandarin in the hypothesis.
    """

    states: np.ndarray

    def __post_init__(self) -> None:
        super().__post_init__()
        if np.shape(self.states)[-1:] != (16,):
            raise ValueError(f"states must have shape (..., 16), not {np.shape(self.states)}")

    @property
    def der(self) -> Any:
        """The diarization error rate; see `der`."""
        return der(self)


@dataclass(frozen=True)
class JaccardErrors(Counts):
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

    @property
    def jer(self) -> Any:
        """The Jaccard error rate; see `jaccard_error_rate`."""
        return jaccard_error_rate(self)


def language_times(recordings: Sequence[Recording]) -> LanguageTimes:
    """Return the scored times of each of n >= 1 recordings, with `states` of shape (n, 16).

    Raises
    ------
    ValueError
        There is no recording or, in one of them, no region, a third label, an array of another shape or type, or a turn
        that is not 0 <= start < end.

    Examples
    --------
    English is spoken for 600 ms and Mandarin for 600 ms; during 200 ms both are spoken.

    >>> from spokeneval.metrics.sweeps import Turns
    >>> spoken, silent = Turns([(0, 600), (400, 1000)], [0, 1]), Turns([], [])
    >>> language_times([Recording(spoken, silent, [(0, 2000)])]).states[:, :4].tolist()
    [[1000.0, 400.0, 400.0, 200.0]]
    """
    if not recordings or not all(np.size(recording.regions) for recording in recordings):
        raise ValueError("expected one recording or more, and regions in each")
    parts, labels = [], []
    for (spoken, languages), (claimed, claims), *others in recordings:
        parts += [spans if np.size(spans) else _NO_SPANS for spans in (spoken, claimed, *others)]
        labels += [languages, claims, *([0] * len(spans) for spans in others)]
    sizes = np.array(list(map(len, parts)))
    if sizes.tolist() != list(map(len, labels)):
        raise ValueError("expected as many labels as turns")
    language = np.concatenate(labels).astype(np.int64)
    if not ((language == 0) | (language == 1)).all():
        raise ValueError("expected label 0, English, or 1, Mandarin")
    recording, layer = np.divmod(np.repeat(np.arange(len(parts)), sizes), _LAYERS)
    spans = checked_spans(np.concatenate(parts), "turns", "iuf")
    return LanguageTimes(_swept(len(recordings), recording, 2 * layer + language, spans))


_NO_SPANS = np.zeros((0, 2))
_LAYERS = 4
"""Reference, hypothesis, regions and excluded speech; in numbers of layers, the first two have two languages each."""


def _swept(n: int, recording: np.ndarray, layer: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """The scored time of each of n recordings in each joint state, shape (n, 16), from the spans of all of them."""
    instants, recording, layer = spans.T.ravel(), np.tile(recording, 2), np.tile(layer, 2)
    order = np.lexsort((instants, recording))
    step = np.where(order < len(spans), 1, -1)  # all starts, then all ends
    instants, recording, layer = instants[order], recording[order], layer[order]
    active = [np.cumsum(np.where(layer == number, step, 0))[:-1] > 0 for number in (0, 1, 2, 3, 4, 6)]
    scored = active[4] & ~active[5]  # between two recordings no layer is active
    state = active[0] + 2 * active[1] + 4 * active[2] + 8 * active[3]
    cell = len(_STATES) * recording[:-1] + state
    times = np.bincount(cell[scored], np.diff(instants)[scored], len(_STATES) * n)
    return times.reshape(n, len(_STATES))


def english_time(times: LanguageTimes) -> Any:
    """The time of English in the reference.

    Examples
    --------
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
    >>> english_time(times)
    600.0
    """
    return _time(times, _ENGLISH)


def mandarin_time(times: LanguageTimes) -> Any:
    """The time of Mandarin in the reference.

    Examples
    --------
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
    >>> mandarin_time(times)
    600.0
    """
    return _time(times, _MANDARIN)


def total_time(times: LanguageTimes) -> Any:
    """The time of both languages in the reference; an overlap of English and Mandarin counts twice.

    Examples
    --------
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
    >>> total_time(times)
    1200.0
    """
    return english_time(times) + mandarin_time(times)


def miss_time(times: LanguageTimes) -> Any:
    """The missed time: reference languages in excess of the number of hypothesis languages.

    Examples
    --------
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
    >>> miss_time(times)
    500.0
    """
    return _time(times, np.maximum(0, _SPOKEN - _CLAIMED))


def false_alarm_time(times: LanguageTimes) -> Any:
    """The false-alarm time: hypothesis languages in excess of the number of reference languages.

    Examples
    --------
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
    >>> false_alarm_time(times)
    300.0
    """
    return _time(times, np.maximum(0, _CLAIMED - _SPOKEN))


def language_error_time(times: LanguageTimes) -> Any:
    """The time attributed to the wrong language: min(r, h) - c languages, with r, h and c as in the module's text.

    Examples
    --------
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
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
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
    >>> der(times)
    0.75
    """
    # max(0, r - h) + max(0, h - r) + min(r, h) - c = max(r, h) - c
    return ratio(_time(times, np.maximum(_SPOKEN, _CLAIMED) - _COMMON), total_time(times), "DER")


def miss(times: LanguageTimes) -> Any:
    """The miss rate: `miss_time` / `total_time`.

    Examples
    --------
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
    >>> round(miss(times), 6)
    0.416667
    """
    return ratio(miss_time(times), total_time(times), "miss rate")


def false_alarm(times: LanguageTimes) -> Any:
    """The false-alarm rate: `false_alarm_time` / `total_time`.

    Examples
    --------
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
    >>> false_alarm(times)
    0.25
    """
    return ratio(false_alarm_time(times), total_time(times), "false-alarm rate")


def language_error(times: LanguageTimes) -> Any:
    """The language error rate: `language_error_time` / `total_time`.

    Examples
    --------
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
    >>> round(language_error(times), 6)
    0.083333
    """
    return ratio(language_error_time(times), total_time(times), "language error")


def english_error(times: LanguageTimes) -> Any:
    """The share of the reference's English time without English in the hypothesis.

    Examples
    --------
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
    >>> english_error(times)
    0.0
    """
    return ratio(_time(times, _ENGLISH & ~_ENGLISH_CLAIMED), english_time(times), "English error")


def mandarin_error(times: LanguageTimes) -> Any:
    """The share of the reference's Mandarin time without Mandarin in the hypothesis.

    Examples
    --------
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
    >>> mandarin_error(times)
    1.0
    """
    return ratio(_time(times, _MANDARIN & ~_MANDARIN_CLAIMED), mandarin_time(times), "Mandarin error")


def lder_script(times: LanguageTimes) -> Any:
    """Language DER of the challenge's script: misses and false alarms of both languages / `total_time`.

    Examples
    --------
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
    >>> round(lder_script(times), 6)
    0.833333
    """
    errors = _time(times, _ENGLISH_WRONG + _MANDARIN_WRONG)
    return ratio(errors, total_time(times), "language DER of the script")


def english_error_script(times: LanguageTimes) -> Any:
    """English error of the challenge's script: misses and false alarms of English / `english_time`.

    Examples
    --------
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
    >>> round(english_error_script(times), 6)
    0.666667
    """
    return ratio(_time(times, _ENGLISH_WRONG), english_time(times), "English error of the script")


def mandarin_error_script(times: LanguageTimes) -> Any:
    """Mandarin error of the challenge's script: misses and false alarms of Mandarin / `mandarin_time`.

    Examples
    --------
    >>> times = LanguageTimes([700.0, 0, 300, 0, 300, 400, 100, 200, *[0] * 8])
    >>> mandarin_error_script(times)
    1.0
    """
    return ratio(_time(times, _MANDARIN_WRONG), mandarin_time(times), "Mandarin error of the script")


def jaccard_errors(times: LanguageTimes) -> JaccardErrors:
    r"""The Jaccard error rates of the languages in each recording's reference, one row per recording.

    .. math:: \frac{\text{missed} + \text{false alarm}}{\text{time in reference or hypothesis}}

    Examples
    --------
    English is spoken for 600 ms and found for 700 ms, 600 ms in common. Mandarin is spoken, but not found.

    >>> errors = jaccard_errors(LanguageTimes(np.array([[1000.0, 0, 300, 0, 0, 400, 100, 200, *[0] * 8]])))
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
