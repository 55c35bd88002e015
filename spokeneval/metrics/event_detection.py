r"""Detection of events, such as sounds, wake words and terms: F1, term-weighted value, misses at a false-alarm rate.

An event has a start and an end in whole milliseconds, which are the same for a point in time, and one of k labels. A
detection also has a score; it is *accepted* at a threshold t if its score is >= t. Each event is matched with at most
one detection of its label, and each detection with at most one event, by one of these rules:

- `ONSET`: the starts differ by `collar` at most, as in wake-word detection.
- `ONSET_OFFSET`: the ends also differ by the larger of `collar` and a share of the event's length at most. An event
  that is a point has no end to compare. These are the rules of `sed_eval`.
- `MIDPOINT`: the middle of the detection is at most `collar` before the start or after the end of the event, as in
  NIST's F4DE, where it is 0.5 s.

Of all matchings, one with the most pairs at *every* threshold is taken; there is always one, because sets of detections
that can be matched together form a matroid. It does not depend on the order of the rows.

The term-weighted value of Fiscus, Ajot, Garofolo and Doddington, Results of the 2006 Spoken Term Detection evaluation
(SIGIR SSCS 2007), with N_k events of label k and T seconds of evaluated time, one trial a second:

.. math:: TWV(t) = 1 - \frac{1}{K} \sum_k \left( P_{miss}(k, t) + \beta\, P_{FA}(k, t) \right), \quad
          P_{FA}(k, t) = \frac{N_{FA}(k, t)}{T - N_k}

Labels without events are left out of this mean. F4DE rounds T to whole seconds. Event and segment F1: Mesaros, Heittola
and Virtanen, Metrics for Polyphonic Sound Event Detection (Applied Sciences 6, 2016), as the mean over labels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .counts import Counts, number_or_array, ratio, total
from .shares import Shares, f1_of_shares, interval_of_fitted, interval_of_shares, of_shares, with_interval

ONSET_OFFSET, ONSET, MIDPOINT = "onset_offset", "onset", "midpoint"

BETA = 999.9
"""The weight of false alarms in NIST's evaluations: a tenth of the cost of a miss, at a prior of 0.0001."""

HOUR = 3_600_000
_CELLS, _MOST, _FEWEST = 5_000_000, 64, 3
"""The most counts of hits if there are many recordings and labels; the most and the fewest further thresholds."""


class MatchRule(NamedTuple):
    """Which pairs of an event and a detection can be matched.

    Attributes
    ----------
    match : `ONSET_OFFSET`, `ONSET` or `MIDPOINT`
    collar : int
        In ms.
    offset : int
        The share of an event's length by which the ends may differ, in thousandths.
    """

    match: str
    collar: int
    offset: int = 0


@dataclass(frozen=True)
class EventCounts(Counts):
    """Events and detections, or segments of time with events, of k labels at b thresholds; the first is the chosen one.

    Attributes
    ----------
    hits : shape (..., k, b)
        Accepted detections that are matched with an event.
    detections : shape (..., k, b)
        All accepted detections.
    events : shape (..., k)
        Events in the reference.
    milliseconds : shape (...)
        The evaluated time.
    """

    hits: np.ndarray
    detections: np.ndarray
    events: np.ndarray
    milliseconds: Any


def matches(events: np.ndarray, detections: np.ndarray, scores: np.ndarray, rule: MatchRule) -> np.ndarray:
    """Return the event that each detection of one label is matched with, or -1.

    Parameters
    ----------
    events, detections : ndarray of int, shape (n, 2) and (m, 2)
        Start and end in ms.
    scores : ndarray of float, shape (m,)
    rule : MatchRule

    Returns
    -------
    ndarray of int, shape (m,)

    Examples
    --------
    The second detection is the only one near the second event, so the first one is matched with the first event.

    >>> events = np.array([[1000, 1500], [1300, 1800]])
    >>> detections = np.array([[1150, 1600], [1400, 1900], [5000, 5100]])
    >>> matches(events, detections, np.array([0.9, 0.8, 0.7]), MatchRule(ONSET, 200)).tolist()
    [0, 1, -1]
    """
    by_start = np.argsort(events[:, 0], kind="stable")
    starts, ends = events[by_start].T
    if rule.match == MIDPOINT:
        starts, ends, place = 2 * starts, 2 * ends, detections.sum(axis=1)
        collar, before = 2 * rule.collar, int((ends - starts).max(initial=0))
    else:
        place, collar, before = detections[:, 0], rule.collar, 0
    first = np.searchsorted(starts, place - collar - before)
    last = np.searchsorted(starts, place + collar, side="right")
    order = np.lexsort((detections[:, 1], detections[:, 0], -scores))
    found = np.full(len(detections), -1)
    owner = np.full(len(events), -1)  # the detection of each event
    closed = np.zeros(len(events), dtype=bool)  # events from which no free event can be reached
    near: dict[int, list[int]] = {}
    for detection in order[first[order] < last[order]].tolist():
        window = first[detection] + np.flatnonzero(~closed[first[detection] : last[detection]])
        if rule.match == MIDPOINT:
            window = window[place[detection] <= ends[window] + collar]
        elif rule.match == ONSET_OFFSET:
            lengths = ends[window] - starts[window]
            apart = 1000 * np.abs(ends[window] - detections[detection, 1])
            allowed = np.maximum(1000 * collar, rule.offset * lengths)
            window = window[(apart <= allowed) | (lengths == 0)]
        near[detection] = window.tolist()
        _match(detection, near, owner, found, closed)
    return np.where(found >= 0, np.append(by_start, -1)[found], -1)


def _match(
    detection: int, near: dict[int, list[int]], owner: np.ndarray, found: np.ndarray, closed: np.ndarray
) -> None:
    """Match a detection, if other detections can be matched with other events."""
    came_from: dict[int, int] = {}
    queue = [detection]
    for asking in queue:
        for event in near[asking]:
            if event in came_from or closed[event]:
                continue
            came_from[event] = asking
            if owner[event] >= 0:
                queue.append(int(owner[event]))
                continue
            while event >= 0:
                asking = came_from[event]
                owner[event] = asking
                event, found[asking] = int(found[asking]), event
            return
    closed[list(came_from)] = True


def useful_thresholds(
    labels: np.ndarray,
    scores: np.ndarray,
    hit: np.ndarray,
    events: np.ndarray,
    time: np.ndarray,
    *,
    rate: float,
    beta: float,
) -> np.ndarray:
    """Return thresholds at which detections are counted: those of the maximum TWV and of the rate, and others.

    The others let resamples find their own. There are fewer if there are many recordings and labels, but as many for
    every system, so that the counts of two can be paired: the highest one is repeated. The best score of a group of
    recordings is at one of them, too, although another threshold may be better for the group.

    Parameters
    ----------
    labels, scores, hit : ndarray, shape (m,)
        The detections of all recordings, and whether each is matched.
    events : ndarray, shape (k,)
        The number of events of each label.
    time : ndarray, shape (n,)
        The evaluated time of each recording in ms.
    rate : float
        False alarms an hour.
    """
    number = int(np.clip(_CELLS // (len(time) * len(events)), _FEWEST, _MOST))
    chosen = np.zeros(2 * (number // 2 + 1))
    if not len(scores):
        return chosen
    order = np.argsort(-scores, kind="stable")
    labels, scores, hit = labels[order], scores[order], hit[order]
    whole = int(time.sum())
    trials = np.maximum(whole / 1000 - events, 1)
    gain = np.where(hit, 1 / np.maximum(events, 1)[labels], -beta / trials[labels]) * (events[labels] > 0)
    lowest = np.append(scores[1:] != scores[:-1], True)  # the last of equal scores
    ends = np.flatnonzero(lowest)
    false_alarms = np.cumsum(~hit)[ends]
    best = ends[np.cumsum(gain)[ends].argmax()]
    allowed = rate * whole * np.append(1, np.geomspace(0.25, 4, number // 2))
    at_rate = np.searchsorted(false_alarms * HOUR, allowed, side="right") - 1
    of_hits = np.flatnonzero(hit)
    spread = of_hits[np.linspace(0, len(of_hits) - 1, number // 2).astype(int)] if len(of_hits) else of_hits
    found = np.unique(scores[np.concatenate([[best], ends[at_rate[at_rate >= 0]], spread])])
    chosen[:] = found[-1]
    chosen[: len(found)] = found
    return chosen


def active_segments(
    spans: np.ndarray, labels: np.ndarray, number: int, start: int, end: int, length: int
) -> np.ndarray:
    """Return in which segments of a region each label has an event, shape (number, segments); a point is in one.

    Examples
    --------
    >>> active_segments(np.array([[500, 2000], [2000, 2000]]), np.array([0, 1]), 2, 0, 2500, 1000).astype(int)
    array([[1, 1, 0],
           [0, 0, 1]])
    """
    inside = (spans[:, 0] < end) & ((spans[:, 1] > start) | (spans[:, 0] == start))
    spans = np.clip(spans[inside], start, end) - start
    first = spans[:, 0] // length
    last = np.maximum(-(-spans[:, 1] // length), first + 1)
    change = np.zeros((number, -(-(end - start) // length) + 1), dtype=np.int64)
    np.add.at(change, (labels[inside], first), 1)
    np.add.at(change, (labels[inside], last), -1)
    return np.asarray(change.cumsum(axis=1)[:, :-1] > 0)


def _at_chosen(counts: EventCounts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the hits, detections and events of each label at the chosen threshold."""
    return counts.hits[..., 0], counts.detections[..., 0], np.asarray(counts.events)


def _overlap_of_each(counts: EventCounts) -> tuple[np.ndarray, np.ndarray]:
    hits, detections, events = _at_chosen(counts)
    return hits, detections + events - hits


@of_shares(_overlap_of_each, f1_of_shares)
def mean_f1(counts: EventCounts) -> Any:
    """The mean over labels of F1, the harmonic mean of precision and recall; labels without any events are left out.

    Examples
    --------
    Of two labels, one has 3 hits of 4 detections and 4 events, the other no hit of 1 and 2.

    >>> mean_f1(EventCounts(np.array([[3], [0]]), np.array([[4], [1]]), np.array([4, 2]), 60000))
    0.375
    """
    hits, detections, events = _at_chosen(counts)
    either = detections + events
    shares = 2 * hits / np.maximum(either, 1)
    return ratio(shares.sum(axis=-1), (either > 0).sum(axis=-1), "F1")


@of_shares(lambda counts, number: [side[:, number] for side in _overlap_of_each(counts)], f1_of_shares)
def label_f1(counts: EventCounts, number: int) -> Any:
    """The F1 of one label; see `mean_f1`."""
    hits, detections, events = (side[..., number] for side in _at_chosen(counts))
    return ratio(2 * hits, detections + events, "F1")


@of_shares(lambda counts: (counts.hits[..., 0].sum(axis=-1), counts.detections[..., 0].sum(axis=-1)))
def precision(counts: EventCounts) -> Any:
    """The share of all accepted detections that are matched with an event; 0 if there are none."""
    hits, detections, _ = (side.sum(axis=-1) for side in _at_chosen(counts))
    return ratio(hits, np.maximum(detections, 1), "precision")


@of_shares(lambda counts: (counts.hits[..., 0].sum(axis=-1), np.sum(counts.events, axis=-1)))
def recall(counts: EventCounts) -> Any:
    """The share of all events that are matched with an accepted detection."""
    hits, _, events = (side.sum(axis=-1) for side in _at_chosen(counts))
    return ratio(hits, events, "recall")


def _losses(counts: EventCounts, beta: float) -> tuple[np.ndarray, np.ndarray]:
    """The sum of 1 - TWV over the labels with events at each threshold, shape (..., b), and the number of these."""
    events = np.asarray(counts.events, dtype=float)[..., np.newaxis]
    trials = np.maximum(np.asarray(counts.milliseconds)[..., np.newaxis, np.newaxis] / 1000 - events, 1)
    cost = 1 - counts.hits / np.maximum(events, 1) + beta * (counts.detections - counts.hits) / trials
    return (cost * (events > 0)).sum(axis=-2), (events[..., 0] > 0).sum(axis=-1)


def _mean_product(factors: np.ndarray, shares: np.ndarray) -> float:
    return float((factors * shares).mean())


def _value_interval(rows: EventCounts, *, beta: float) -> tuple[float, float]:
    """The 95 % interval of the actual value, from those of the misses, and of the false alarms as rates per unit."""
    there = np.sum(rows.events, axis=0) > 0
    hits, detections, events = (side[:, there] for side in _at_chosen(rows))
    trials = np.asarray(rows.milliseconds)[:, np.newaxis] / 1000 - events
    a_unit = trials.mean(axis=0)
    if not len(a_unit) or a_unit.min() <= 0:
        return np.nan, np.nan
    missed, false_alarms = (events - hits, events), (detections - hits, trials / a_unit)
    value, squares = 1.0, np.zeros(2)
    for (errors, wholes), factor in ((missed, np.ones(len(a_unit))), (false_alarms, beta / a_unit)):
        combined = partial(_mean_product, factor)
        parts = Shares(lambda given: given, combined, rates=wholes is not events)
        mean = float(parts.combined(errors.sum(axis=0) / wholes.sum(axis=0)))
        value -= mean
        squares += (np.array(interval_of_shares(parts, (errors, wholes))) - mean) ** 2
    up, down = np.sqrt(squares).tolist()
    return value - down, value + up


@with_interval(_value_interval)
def actual_value(counts: EventCounts, *, beta: float = BETA) -> Any:
    """The actual term-weighted value (ATWV): TWV at the chosen threshold; 1 is perfect, 0 is that of no detections.

    Examples
    --------
    In 1,000 s, one term is found 3 of 4 times, with a false alarm; another one is found never.

    >>> counts = EventCounts(np.array([[3], [0]]), np.array([[4], [0]]), np.array([4, 2]), 1_000_000)
    >>> round(actual_value(counts), 6) == round(1 - ((1 / 4 + 999.9 / 996) + 1) / 2, 6)
    True
    """
    losses, labels = _losses(counts, beta)
    return 1 - ratio(losses[..., 0], labels, "the term-weighted value")


def maximum_value(counts: EventCounts, *, beta: float = BETA) -> Any:
    """The maximum term-weighted value (MTWV): TWV at the best threshold for all labels; at least 0, that of none."""
    losses, labels = _losses(counts, beta)
    return number_or_array(np.maximum(1 - ratio(losses.min(axis=-1), labels, "the term-weighted value"), 0))


def miss_rate_at(counts: EventCounts, *, rate: float) -> Any:
    """The lowest miss rate of all events at any threshold with at most `rate` false alarms an hour, of all labels.

    Examples
    --------
    At the second threshold, 3 of 4 events are found, with two false alarms in an hour.

    >>> counts = EventCounts(np.array([[2, 3]]), np.array([[2, 5]]), np.array([4]), HOUR)
    >>> miss_rate_at(counts, rate=1), miss_rate_at(counts, rate=2)
    (0.5, 0.25)
    """
    hits = np.asarray(counts.hits).sum(axis=-2)
    false_alarms = np.asarray(counts.detections).sum(axis=-2) - hits
    allowed = false_alarms * HOUR <= rate * np.asarray(counts.milliseconds)[..., np.newaxis]
    events = np.sum(counts.events, axis=-1)
    return ratio(events - (hits * allowed).max(axis=-1), events, "the miss rate")


def maximum_value_interval(rows: EventCounts, *, beta: float) -> tuple[float, float, float]:
    """The 95 % interval and the standard error of `maximum_value`, whose threshold is fitted to the set.

    Its lower end is at most that of the actual value at this threshold, because few or no false alarms in a short time
    do not show a low rate.
    """
    low, high, error = interval_of_fitted(rows, formula=partial(_least_cost, beta=beta))
    best = int(_losses(total(rows), beta)[0].argmin())
    fixed = replace(rows, hits=rows.hits[..., [best]], detections=rows.detections[..., [best]])
    return max(0.0, float(np.fmin(1 - high, _value_interval(fixed, beta=beta)[0]))), 1 - low, error


def _least_cost(counts: EventCounts, *, beta: float) -> Any:
    return 1 - maximum_value(counts, beta=beta)
