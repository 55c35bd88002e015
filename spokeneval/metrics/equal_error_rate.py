"""Equal error rates of a detector, from scores or from histograms of scores; operating points and ROC convex hull.

A trial is a *target* or a *nontarget*; a larger score means that a target is more likely. A threshold t accepts the
trials with score >= t. The miss rate is the share of targets that are rejected, the false-alarm rate the share of
nontargets that are accepted. All rates are fractions. Scores are only compared, never added, so results depend only on
their order and are exact for any finite doubles; -0.0 equals 0.0.

Scores of targets and of nontargets are finite numbers of shape (n,), n >= 1; other values raise ValueError. Rates of
histograms are undefined without targets or without nontargets (see `counts`).

Source for the EER of the ROC convex hull (ROCCH): N. Brümmer and E. de Villiers, "The BOSARIS Toolkit: Theory,
Algorithms and Code for Surviving the New DCF" (2013).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, NamedTuple

import numpy as np

from .counts import Counts, number_or_array, ratio
from .roc_hull import (
    diagonal_edge,
    diagonal_step,
    errors_at,
    hull_thresholds,
    pool_adjacent_violators,
    sorted_trials,
)
from .shares import of_observations

BINS = 255
"""The number of bins in a histogram of scores (see `score_bins`)."""

_HULL_BINS = 200


class OperatingPoints(NamedTuple):
    """Error rates at each threshold, from the lowest score to infinity.

    Attributes
    ----------
    threshold : ndarray of float, shape (n,)
        The thresholds, ascending.
    miss_rate : ndarray of float, shape (n,)
        The share of targets below each threshold.
    false_alarm_rate : ndarray of float, shape (n,)
        The share of nontargets at or above each threshold.
    """

    threshold: np.ndarray
    miss_rate: np.ndarray
    false_alarm_rate: np.ndarray


@dataclass(frozen=True)
class ScoreHistograms(Counts):
    """Detection trials counted by score, with the same bins for all rows.

    Attributes
    ----------
    targets : ndarray, shape (..., b)
        The number of targets in each of b bins, in ascending order of scores. `score_bins` defines `BINS` bins.
    nontargets : ndarray, shape (..., b)
        The number of nontargets in each bin.
    """

    targets: np.ndarray
    nontargets: np.ndarray

    def __post_init__(self) -> None:
        super().__post_init__()
        if np.ndim(self.targets) == 0 or np.shape(self.targets) != np.shape(self.nontargets):
            raise ValueError(
                f"targets of shape {np.shape(self.targets)}, nontargets of shape {np.shape(self.nontargets)}; "
                "expected the same number of bins"
            )

    @property
    def eer(self) -> Any:
        """The equal error rate; see `histogram_eer`."""
        return histogram_eer(self)


def trials_of(histograms: ScoreHistograms, **_: Any) -> np.ndarray:
    """The numbers of targets and nontargets, shape (..., 2)."""
    return np.stack([histograms.targets.sum(axis=-1), histograms.nontargets.sum(axis=-1)], axis=-1)


def rocch_eer(target_scores: Any, nontarget_scores: Any) -> float:
    """Equal error rate on the ROC convex hull: the rate where miss rate = false-alarm rate; at most 0.5.

    The hull is the lower left convex hull of all operating points in the (false alarm, miss) plane, as found by
    pool-adjacent-violators (Brümmer and de Villiers 2013).

    Counts are integers, so the result is the exact quotient, rounded once.
    """
    targets, nontargets = sorted_trials(target_scores, nontarget_scores)
    return float(_crossing(*diagonal_edge(targets, nontargets), (len(targets), len(nontargets))))


def interpolated_eer(target_scores: Any, nontarget_scores: Any) -> float:
    """Equal error rate on the line through the operating points: the rate where miss rate = false-alarm rate.

    Tied scores are one step of the line. A perfectly reversed ranking has a rate of 1, and 0.5 on the convex hull.
    """
    targets, nontargets = sorted_trials(target_scores, nontarget_scores)
    below, above = (
        tuple(map(int, errors_at(threshold, targets, nontargets)))
        for threshold in diagonal_step(targets, nontargets)
    )
    return float(_crossing(below, above, (len(targets), len(nontargets))))


def operating_points(target_scores: Any, nontarget_scores: Any) -> OperatingPoints:
    """Miss and false-alarm rates at every distinct score, ascending, and at infinity, where no trial is accepted.

    These are the points of a DET curve, or of a ROC curve with 1 - miss rate as the detection rate.
    """
    targets, nontargets = sorted_trials(target_scores, nontarget_scores)
    threshold = np.append(np.unique(np.concatenate([targets, nontargets])), np.inf)
    misses, false_alarms = errors_at(threshold, targets, nontargets)
    return OperatingPoints(threshold, misses / len(targets), false_alarms / len(nontargets))


def hull_points(target_scores: Any, nontarget_scores: Any) -> OperatingPoints:
    """The vertices of the ROC convex hull among the `operating_points`.

    They are ordered from the point where every trial is accepted to the point where none is. The `rocch_eer` is on one
    of the hull's edges.
    """
    targets, nontargets = sorted_trials(target_scores, nontarget_scores)
    inner = hull_thresholds(targets, nontargets)
    lowest = min(targets[0], nontargets[0])
    threshold = np.unique(np.concatenate([[lowest], inner, [np.inf]]))
    misses, false_alarms = errors_at(threshold, targets, nontargets)
    return OperatingPoints(threshold, misses / len(targets), false_alarms / len(nontargets))


def score_bins(target_scores: Any, nontarget_scores: Any, *, whole: bool = False) -> np.ndarray:
    r"""Thresholds between the `BINS` bins of a histogram with the same EER as the scores, in ascending order.

    Bin k contains the scores s with threshold k - 1 <= s < threshold k. Equal scores are in the same bin.

    Two thresholds are the ends of the hull's edge with the EER. With `whole`, two more are the ends of the step with
    the interpolated EER, and further ones are the vertices of the whole hull: about 120 for 250,000 trials, and 200
    evenly chosen ones if there are more. The histogram then also has the interpolated EER of the scores, and their
    minimum Cllr and minimum detection cost, or slightly higher ones if vertices are left out (see `exact_total`).

    At the remaining thresholds, the miss rate or the false-alarm rate takes the values

    .. math:: \frac{i^3}{i^3 + (m - i)^3}, \quad i = 1, \dots, m - 1

    with m = 127, or fewer with `whole`. These values are dense near 0 and 1, like the axes of a DET plot, so that a low
    EER is resampled as precisely as a high one. Since the thresholds depend only on rates, a bin has about the same
    meaning for every system.
    """
    targets, nontargets = sorted_trials(target_scores, nontarget_scores)
    thresholds = [
        targets[misses] if misses < len(targets) else np.inf
        for misses, _ in diagonal_edge(targets, nontargets)
    ]
    if whole:
        thresholds += diagonal_step(targets, nontargets)
        hull = hull_thresholds(targets, nontargets)
        chosen = np.rint(np.linspace(0, len(hull) - 1, min(len(hull), _HULL_BINS))).astype(int)
        thresholds += hull[chosen].tolist()
    thresholds += [np.inf] * (len(thresholds) % 2)
    steps = (BINS - 1 - len(thresholds)) // 2 + 1
    cubes = np.arange(1, steps, dtype=np.int64) ** 3
    spans = cubes + cubes[::-1]
    levels = [scores[len(scores) * cubes // spans] for scores in (targets, nontargets)]
    return np.sort(np.concatenate([thresholds, *levels]))


def trial_histograms(trials: Any, rows_of_trials: Any, rows: int, bins: np.ndarray) -> ScoreHistograms:
    """Trials counted by row, such as a recording, and by score: fields of shape (rows, BINS).

    Parameters
    ----------
    trials : two ndarrays of float
        The scores of the targets, and of the nontargets.
    rows_of_trials : two ndarrays of int
        The row of each trial, from 0 to `rows` - 1.
    bins : ndarray of float, shape (BINS - 1,)
        The thresholds from `score_bins`.

    Examples
    --------
    >>> trials = np.array([2.0, 1.0]), np.array([0.0])
    >>> histograms = trial_histograms(trials, (np.array([0, 1]), np.array([1])), 2, score_bins(*trials))
    >>> histograms.targets.sum(axis=1).tolist(), histograms.nontargets.sum(axis=1).tolist()
    ([1, 1], [0, 1])
    """
    histograms = []
    for scores, row in zip(trials, rows_of_trials):
        cell = BINS * row + np.searchsorted(bins, scores, side="right")
        histograms.append(np.bincount(cell, minlength=BINS * rows).reshape(rows, BINS))
    return ScoreHistograms(*histograms)


def exact_total(histograms: ScoreHistograms, trials: Callable[[], tuple[Any, Any]]) -> ScoreHistograms:
    """The total of histograms in the `score_bins` with `whole`, with more bins if those lack vertices of the hull.

    The minimum costs of the total are then those of the scores, for any number of vertices. Resamples and sets without
    a unit are sums of histograms with `BINS` bins; where these leave out vertices, minimum costs are higher by about
    1e-5.

    Parameters
    ----------
    histograms : ScoreHistograms
        The total over all rows.
    trials
        Returns the scores of all targets, and those of all nontargets; called only if bins are missing.
    """
    filled = np.flatnonzero(histograms.targets + histograms.nontargets)
    first, *_ = pool_adjacent_violators(
        np.zeros(len(filled)), histograms.targets[filled], histograms.nontargets[filled]
    )
    if len(first) < _HULL_BINS - 1:  # 200 vertices are the ends of 199 edges
        return histograms
    ordered = sorted_trials(*trials())
    thresholds = np.unique([*diagonal_step(*ordered), *hull_thresholds(*ordered)])
    below = (np.searchsorted(scores, thresholds) for scores in ordered)
    return ScoreHistograms(
        *(np.diff(places, prepend=0, append=len(scores)) for places, scores in zip(below, ordered))
    )


@of_observations(trials_of)
def histogram_eer(histograms: ScoreHistograms) -> Any:
    """The `rocch_eer` of histograms with any number of bins; scores within a bin count as equal.

    For the total of `identification.pooled_histograms` or `identification.detection_histograms` it is exactly the EER
    of the scores. A resample of rows has fewer operating points than its scores, so its hull and its EER are higher: by
    about 0.01 percentage points (0.04 at most) for 50,000 segments in 154 recordings.

    One set of integers is computed in integers, several sets in doubles. Doubles are exact as long as 2 n^2 m < 2^53
    for n targets and m nontargets (165,000 of each); with more trials, the last digits may differ.
    """
    return _histogram_crossing(histograms, _hull_edges)


@of_observations(trials_of)
def histogram_interpolated_eer(histograms: ScoreHistograms) -> Any:
    """The `interpolated_eer` of histograms with any number of bins; scores within a bin count as equal.

    For the total of `identification.detection_histograms` it is exactly the EER of the scores. The precision is as for
    `histogram_eer`.
    """
    return _histogram_crossing(histograms, _interpolation_steps)


@of_observations(trials_of)
def histogram_nearest_eer(histograms: ScoreHistograms) -> Any:
    """The mean of both rates at the operating point at which they are nearest; scores within a bin count as equal.

    Of two equally near points, the one with fewer misses is taken. This is the EER of many scripts. With few trials it
    may be larger or smaller than the rate where the lines cross.

    Examples
    --------
    At the second point the rates are 1/4 and 1/3, at the third 2/4 and 0.

    >>> histogram_nearest_eer(ScoreHistograms(np.array([0, 1, 1, 2]), np.array([2, 0, 1, 0])))
    0.2916666666666667
    """
    return _histogram_crossing(histograms, _interpolation_steps, nearest=True)


def _histogram_crossing(
    histograms: ScoreHistograms, find_ends: Callable[..., Any], *, nearest: bool = False
) -> Any:
    """The EER between the two operating points that `find_ends` chooses for each row; `nearest` as for `_crossing`.

    A histogram of b bins has b + 1 operating points, with thresholds below, between and above its bins.
    """
    one_set = np.ndim(histograms.targets) == 1
    counts = [np.atleast_2d(field) for field in (histograms.targets, histograms.nontargets)]
    exact = one_set and all(field.dtype.kind in "iu" for field in counts)
    none_rejected = np.zeros((len(counts[0]), 1), dtype=np.int64 if exact else np.float64)
    misses, rejected = (np.cumsum(np.concatenate([none_rejected, field], axis=1), axis=1) for field in counts)
    false_alarms = rejected[:, -1:] - rejected
    row = np.arange(len(misses))
    ends = [(misses[row, end], false_alarms[row, end]) for end in find_ends(misses, false_alarms)]
    points = (*ends, (misses[:, -1], false_alarms[:, 0]))
    if one_set:
        points = tuple((first.item(), second.item()) for first, second in points)
    return _crossing(*points, nearest=nearest)


def _hull_edges(misses: np.ndarray, false_alarms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the hull's edge on the diagonal, as indices into each row of operating points.

    The search starts from a vertex on either side. The point farthest below the chord of both is also a vertex, and
    replaces the vertex on its side, until no point lies below the chord.
    """
    n_targets, n_nontargets = misses[:, -1], false_alarms[:, 0]
    right = np.zeros(len(misses), dtype=np.int64)
    left = np.full(len(misses), misses.shape[1] - 1)
    open_rows = np.arange(len(misses))
    while len(open_rows):
        miss, false_alarm = misses[open_rows], false_alarms[open_rows]
        row = np.arange(len(open_rows))
        right_vertex, left_vertex = right[open_rows], left[open_rows]
        miss_weight = false_alarm[row, right_vertex] - false_alarm[row, left_vertex]
        false_alarm_weight = miss[row, left_vertex] - miss[row, right_vertex]
        cost = miss_weight[:, np.newaxis] * miss + false_alarm_weight[:, np.newaxis] * false_alarm
        vertex = cost.argmin(axis=1)
        # A lower vertex is between the two, but rounding of fractional counts may make another one seem lower.
        below = (right_vertex < vertex) & (vertex < left_vertex)
        below &= cost[row, vertex] < cost[row, right_vertex]
        open_rows, vertex, row = open_rows[below], vertex[below], row[below]
        on_right = (
            miss[row, vertex] * n_nontargets[open_rows] <= false_alarm[row, vertex] * n_targets[open_rows]
        )
        right[open_rows[on_right]] = vertex[on_right]
        left[open_rows[~on_right]] = vertex[~on_right]
    return right, left


def _interpolation_steps(misses: np.ndarray, false_alarms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The last index in each row with miss rate < false-alarm rate, and the next one."""
    excess = misses * false_alarms[:, :1] - false_alarms * misses[:, -1:]
    # Without targets or nontargets there is no such index, and 0 is used.
    below = np.maximum((excess < 0).sum(axis=1) - 1, 0)
    return below, below + 1


def _crossing(right: Any, left: Any, trials: Any, *, nearest: bool = False) -> Any:
    """The miss rate where the line from one operating point to another meets miss rate = false-alarm rate.

    `right` and `left` are misses and false alarms, numbers or arrays of shape (r,). At `right` the miss rate is at most
    the false-alarm rate, at `left` it is at least the false-alarm rate. `trials` are the numbers of targets and
    nontargets. With `nearest`, the mean of both rates at the nearer of the two points.
    """
    (right_misses, right_false_alarms), (left_misses, left_false_alarms) = right, left
    targets, nontargets = trials
    right_excess = right_false_alarms * targets - right_misses * nontargets
    left_excess = left_misses * nontargets - left_false_alarms * targets
    if not nearest:
        crossing = right_misses * left_excess + left_misses * right_excess
        return ratio(crossing, targets * (right_excess + left_excess), "the equal error rate")
    near = right_excess <= left_excess
    misses = number_or_array(np.where(near, right_misses, left_misses))
    false_alarms = number_or_array(np.where(near, right_false_alarms, left_false_alarms))
    both = misses * nontargets + false_alarms * targets
    return ratio(both, 2 * targets * nontargets, "the equal error rate")
