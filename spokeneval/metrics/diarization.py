"""Diarization: which labels, such as speakers or languages, are active at each instant.

Turns are half-open intervals [start, end) in milliseconds, whole or fractional. Overlapping or touching turns of one
label are one turn. A label of the hypothesis is correct where the label of the reference to which it is mapped is
active. Without a mapping, this is the label with the same number. The optimal mapping pairs the labels of the two sides
one to one, per recording, so that the pairs have the greatest time in common.

At an instant with r labels in the reference, h in the hypothesis and c correct ones:

- the miss is max(0, r - h);
- the false alarm is max(0, h - r);
- the confusion is min(r, h) - c.

The evaluated time is that of the regions without the excluded speech. The scored time is the evaluated time without
the collars, `collar` on each side of every start and end in the reference, and, if overlaps are skipped, without the
time in which the reference has two labels or more. The mapping and the Jaccard error rates are computed from the
evaluated time, the other rates from the scored time. Of several best mappings, one with the greatest common time in the
scored time is taken, so that no count depends on the names of labels.

Rates are fractions, lower is better; `counts` documents undefined results.

Sources: NIST's `md-eval.pl`, version 22, as run in the Rich Transcription evaluations (RT-09 evaluation plan), which
also maps before it leaves out collars; its option `-1` skips overlaps. The collar of `pyannote.metrics` is the total
width, twice this one, and its mapping is of the scored time. JER: Ryant et al. (2019), Second DIHARD Challenge
Evaluation Plan, as in `dscore`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .assignment import greatest_assignment
from .counts import Counts, Number, ratio
from .shares import of_shares
from .sweeps import Recording, sweep

_CELLS = 1 << 22
"""Labels times instants to process at a time, so that arrays stay small."""


class Overlaps(NamedTuple):
    """Times of one recording in ms, of r labels in the reference and h in the hypothesis.

    Attributes
    ----------
    reference, hypothesis : ndarray, shape (r,), (h,)
        The evaluated time of each label.
    common : ndarray, shape (r, h)
        The evaluated time in which two labels are active.
    scored, claimed : ndarray, shape (r,), (h,)
        The scored time of each label of the reference, and of the hypothesis.
    scored_common : ndarray, shape (r, h)
        The scored time in which two labels are active.
    miss, false_alarm
        The scored time of the labels by which the reference outnumbers the hypothesis, and the reverse.
    """

    reference: np.ndarray
    hypothesis: np.ndarray
    common: np.ndarray
    scored: np.ndarray
    claimed: np.ndarray
    scored_common: np.ndarray
    miss: Number
    false_alarm: Number


@dataclass(frozen=True)
class DiarizationErrors(Counts):
    """Scored time and errors in ms, and Jaccard error rates, summed over the labels of recordings.

    Attributes
    ----------
    reference
        The time of all labels in the reference; where two are active it counts twice.
    miss, false_alarm, confusion
        The times of the three kinds of errors.
    labels
        The number of labels in the references, each counted once per recording.
    jaccard
        The sum of their Jaccard error rates.
    """

    reference: Number
    miss: Number
    false_alarm: Number
    confusion: Number
    labels: Number
    jaccard: Number

    @property
    def der(self) -> Any:
        """The diarization error rate; see `der`."""
        return der(self)

    @property
    def jer(self) -> Any:
        """The Jaccard error rate; see `jaccard_error_rate`."""
        return jaccard_error_rate(self)


@dataclass(frozen=True)
class LabelTimes(Counts):
    """Scored time of each of k labels.

    Attributes
    ----------
    reference : shape (..., k)
        The label's time in the reference, in ms.
    missed : shape (..., k)
        The part of it in which the system does not find the label.
    false_alarm : shape (..., k)
        The time in which the system finds the label where it is not.
    """

    reference: Number
    missed: Number
    false_alarm: Number


def overlaps(recording: Recording, *, collar: int = 0, skip_overlap: bool = False) -> Overlaps:
    """Return the times of one recording from which all its counts are computed.

    Parameters
    ----------
    collar
        The time in ms that is not scored on each side of a turn's start and end in the reference.
    skip_overlap
        Whether time with two or more labels in the reference is not scored.

    Raises
    ------
    ValueError
        An array has another shape or type, or a turn does not have 0 <= start < end.

    Examples
    --------
    >>> from spokeneval.metrics.sweeps import Turns
    >>> recording = Recording(Turns([(0, 600)], [0]), Turns([(100, 700)], [0]), [(0, 1000)])
    >>> found = overlaps(recording)
    >>> found.common.tolist(), found.miss, found.false_alarm
    ([[500]], 100, 100)
    """
    swept = sweep(recording, collar=collar, skip_overlap=skip_overlap)
    instants, evaluated, scored, reference, hypothesis = swept
    duration = np.diff(instants)
    if (
        duration.dtype.kind == "f"
    ):  # sums of multiples of a step are exact, so that their order is of no account
        step = 2.0 ** (math.frexp(duration.sum() * (len(reference) + len(hypothesis)))[1] - 53)
        duration = np.rint(duration / step) * step
    times, scored_times = duration * evaluated, duration * scored
    excess = reference.sum(axis=0) - hypothesis.sum(axis=0)
    return Overlaps(
        _time(reference, times),
        _time(hypothesis, times),
        _common(reference, hypothesis, times),
        _time(reference, scored_times),
        _time(hypothesis, scored_times),
        _common(reference, hypothesis, scored_times),
        (scored_times @ np.maximum(excess, 0)).item(),
        (scored_times @ np.maximum(-excess, 0)).item(),
    )


def errors_per_recording(found: Sequence[Overlaps], *, mapped: bool) -> DiarizationErrors:
    """Return the errors of each of n >= 1 recordings.

    Parameters
    ----------
    mapped
        Whether the labels of the two sides are mapped, by the optimal mapping.

    Examples
    --------
    The labels are exchanged, which only a mapping forgives.

    >>> from spokeneval.metrics.sweeps import Turns
    >>> recording = Recording(Turns([(0, 600)], [0]), Turns([(0, 500)], [1]), [(0, 1000)])
    >>> one = [overlaps(recording)]
    >>> for mapped in (False, True):
    ...     errors = errors_per_recording(one, mapped=mapped)
    ...     print(errors.miss.tolist(), errors.confusion.tolist(), errors.jaccard.round(4).tolist())
    [100] [500] [1.0]
    [100] [0] [0.1667]
    """
    if not len(found):
        raise ValueError("0 recordings; expected at least one")
    rows = []
    for times in found:
        reference, labels = times.scored.sum().item(), int(np.count_nonzero(times.reference))
        right = times.scored_common[label_pairs(times, mapped=mapped)].sum().item()
        either = times.reference[:, None] + times.hypothesis - times.common
        similarity = times.common / np.where(either > 0, either, 1)
        alike = similarity[greatest_assignment(similarity) if mapped else _same_pairs(times)]
        # max(r, h) - c = max(0, r - h) + min(r, h) - c, so the confusion is r - miss - c
        confusion = reference - times.miss - right
        jaccard = float(labels - math.fsum(alike.tolist()))
        rows.append((reference, times.miss, times.false_alarm, confusion, labels, jaccard))
    columns = map(np.array, zip(*rows))
    return DiarizationErrors(*columns)


def label_pairs(times: Overlaps, *, mapped: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of the reference and those of the hypothesis that count as the same, each shape (k,).

    With a mapping, these are the pairs of greatest common time; of those with equal time, of the greatest scored common
    time.

    Examples
    --------
    >>> from spokeneval.metrics.sweeps import Turns
    >>> times = overlaps(Recording(Turns([(0, 600)], [0]), Turns([(0, 500)], [1]), [(0, 1000)]))
    >>> [labels.tolist() for labels in label_pairs(times, mapped=True)]
    [[0], [1]]
    """
    if not mapped:
        return _same_pairs(times)
    base = 1 + int(times.scored.sum())
    largest = base * (1 + int(times.common.max(initial=0)))
    kind: Any = times.common.dtype if largest < 1 << 62 else object
    return greatest_assignment(times.common.astype(kind) * base + times.scored_common)


def label_times_per_recording(found: Sequence[Overlaps], *, labels: int) -> LabelTimes:
    """Return the times of the labels from 0 to `labels` - 1 in each of n recordings, without a mapping.

    Examples
    --------
    >>> from spokeneval.metrics.sweeps import Turns
    >>> recording = Recording(Turns([(0, 600), (700, 800)], [0, 1]), Turns([(0, 500)], [0]), [(0, 1000)])
    >>> times = label_times_per_recording([overlaps(recording)], labels=2)
    >>> times.reference.tolist(), times.missed.tolist()
    ([[600, 100]], [[100, 100]])
    """
    kind = np.result_type(*(times.scored.dtype for times in found))
    reference, missed, false_alarm = np.zeros((3, len(found), labels), kind)
    for row, times in enumerate(found):
        reference[row, : len(times.scored)] = missed[row, : len(times.scored)] = times.scored
        false_alarm[row, : len(times.claimed)] = times.claimed
        same = _same_pairs(times)
        for wrong in (missed, false_alarm):
            wrong[row, same[0]] -= times.scored_common[same]
    return LabelTimes(reference, missed, false_alarm)


@of_shares(lambda counts: (counts.miss + counts.false_alarm + counts.confusion, counts.reference), rates=True)
def der(errors: DiarizationErrors) -> Any:
    """Diarization error rate: (miss + false alarm + confusion) / reference.

    Examples
    --------
    >>> der(DiarizationErrors(reference=1000, miss=100, false_alarm=50, confusion=100, labels=2, jaccard=0.5))
    0.25
    """
    return ratio(errors.miss + errors.false_alarm + errors.confusion, errors.reference, "DER")


@of_shares(lambda counts: (counts.miss, counts.reference), within=der)
def miss(errors: DiarizationErrors) -> Any:
    """Return the miss rate: miss / reference.

    Examples
    --------
    >>> miss(DiarizationErrors(reference=1000, miss=100, false_alarm=50, confusion=100, labels=2, jaccard=0.5))
    0.1
    """
    return ratio(errors.miss, errors.reference, "miss rate")


@of_shares(lambda counts: (counts.false_alarm, counts.reference), rates=True, within=der)
def false_alarm(errors: DiarizationErrors) -> Any:
    """Return the false-alarm rate: false alarm / reference.

    Examples
    --------
    >>> false_alarm(DiarizationErrors(reference=1000, miss=100, false_alarm=50, confusion=100, labels=2, jaccard=0.5))
    0.05
    """
    return ratio(errors.false_alarm, errors.reference, "false-alarm rate")


@of_shares(lambda counts: (counts.confusion, counts.reference), within=der)
def confusion(errors: DiarizationErrors) -> Any:
    """Return the confusion rate: confusion / reference.

    Examples
    --------
    >>> confusion(DiarizationErrors(reference=1000, miss=100, false_alarm=50, confusion=100, labels=2, jaccard=0.5))
    0.1
    """
    return ratio(errors.confusion, errors.reference, "confusion rate")


@of_shares(lambda counts: (counts.jaccard, counts.labels, counts.reference))
def jaccard_error_rate(errors: DiarizationErrors) -> Any:
    """JER: the mean Jaccard error rate over the labels of all references, with equal weights.

    The error of a label is 1 - common / either, where common is the evaluated time in which it and its partner in the
    hypothesis are both active, and either that in which at least one is. A label without a partner has the error 1.
    With a mapping, JER uses its own, which has the least sum of errors.

    Examples
    --------
    >>> jaccard_error_rate(DiarizationErrors(reference=900, miss=9, false_alarm=9, confusion=9, labels=2, jaccard=0.5))
    0.25
    """
    return ratio(errors.jaccard, errors.labels, "JER")


@of_shares(lambda counts, label: (counts.missed[:, label], counts.reference[:, label]))
def label_error(times: LabelTimes, *, label: int) -> Any:
    """Return the share of a label's time in which the system does not find it.

    Examples
    --------
    >>> label_error(LabelTimes([600, 100], [60, 100], [0, 0]), label=0)
    0.1
    """
    missed, reference = (np.asarray(field)[..., label] for field in (times.missed, times.reference))
    return ratio(missed, reference, "label error")


def _time(active: np.ndarray, times: np.ndarray) -> np.ndarray:
    return _common(active, np.ones((1, len(times)), dtype=bool), times)[:, 0]


def _common(first: np.ndarray, second: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The time in which each label of one side and each of the other are active, shape (r, h).

    Floats hold these sums exactly, because they are below 2 ** 53, or 2 ** 53 steps (see `overlaps`).
    """
    found = np.zeros((len(first), len(second)))
    width = max(1, _CELLS // max(len(first), len(second), 1))
    for start in range(0, len(times), width):
        part = slice(start, start + width)
        found += (first[:, part] * times[part].astype(float)) @ second[:, part].T.astype(float)
    return found.astype(times.dtype)


def _same_pairs(times: Overlaps) -> tuple[np.ndarray, np.ndarray]:
    same = np.arange(min(times.common.shape))
    return same, same
