"""Language identification of segments, English or Mandarin (MERLion CCS Challenge, Task 1).

Every segment has an English score and a Mandarin score; larger means more likely. They are compared, never
added, so that only their order matters: exact for any finite doubles, and -0.0 equals 0.0.

Two ways to turn segments into detection trials:

- `pooled_trials`: two a segment, its English score (a target if the segment is English) and its Mandarin
  score (a target if it is Mandarin), in one pool: the sense of the challenge's own script.
- `difference_trials`: one a segment, English minus Mandarin, English the target: the sense of the evaluation
  plan ("Scoring metrics"). A miss is English called Mandarin, a false alarm Mandarin called English.

A threshold t accepts the trials with score >= t. Miss rate: targets rejected / targets. False-alarm rate:
nontargets accepted / nontargets. All rates are fractions.

Sources: MERLion CCS Challenge Evaluation Plan 1.2 (2023); for the EER of the ROC convex hull (ROCCH),
N. Brümmer and E. de Villiers, "The BOSARIS Toolkit: Theory, Algorithms and Code for Surviving the New DCF"
(2013).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

LEVELS = 127
"""Steps of an error rate that the bins of a histogram tell apart (see `score_bins`)."""
BINS = 2 * LEVELS + 1


class OperatingPoints(NamedTuple):
    """Error rates at each threshold, from the lowest score to infinity: arrays of one shape (n,)."""

    threshold: np.ndarray
    miss_rate: np.ndarray
    false_alarm_rate: np.ndarray


@dataclass(frozen=True)
class LanguageDecisions:
    """Segments of each language, and those decided right; `+` pools two sets of segments."""

    english: int
    mandarin: int
    english_correct: int
    mandarin_correct: int

    def __post_init__(self) -> None:
        for correct, total in ((self.english_correct, self.english), (self.mandarin_correct, self.mandarin)):
            if not 0 <= correct <= total:
                raise ValueError(f"{correct} correct decisions among {total} segments")

    def __add__(self, other: LanguageDecisions) -> LanguageDecisions:
        return LanguageDecisions(
            self.english + other.english,
            self.mandarin + other.mandarin,
            self.english_correct + other.english_correct,
            self.mandarin_correct + other.mandarin_correct,
        )

    @property
    def english_recall(self) -> float:
        """English segments called English / English segments. ValueError if there are none."""
        if not self.english:
            raise ValueError("English recall is undefined: 0 English segments")
        return self.english_correct / self.english

    @property
    def mandarin_recall(self) -> float:
        """Mandarin segments called Mandarin / Mandarin segments. ValueError if there are none."""
        if not self.mandarin:
            raise ValueError("Mandarin recall is undefined: 0 Mandarin segments")
        return self.mandarin_correct / self.mandarin

    @property
    def balanced_accuracy(self) -> float:
        """Mean of the two recalls. ValueError if a language has no segment."""
        return (self.english_recall + self.mandarin_recall) / 2


def validate(
    is_english: Any, english_scores: Any, mandarin_scores: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The three as arrays of shape (n,), n >= 1: booleans, finite doubles, finite doubles; or ValueError."""
    is_english = np.asarray(is_english)
    if is_english.dtype != bool or is_english.ndim != 1:
        raise ValueError(
            f"is_english must be booleans of shape (n,), not {is_english.dtype} of shape {is_english.shape}"
        )
    english_scores = _scores("English scores", english_scores)
    mandarin_scores = _scores("Mandarin scores", mandarin_scores)
    if not len(is_english) == len(english_scores) == len(mandarin_scores):
        raise ValueError(
            f"lengths differ: {len(is_english)} segments, {len(english_scores)} English scores, "
            f"{len(mandarin_scores)} Mandarin scores"
        )
    for name, scores in (("English", english_scores), ("Mandarin", mandarin_scores)):
        if not np.isfinite(scores).all():
            _refuse_not_finite(f"{name} scores", scores)
    return is_english, english_scores, mandarin_scores


def pooled_trials(
    is_english: Any, english_scores: Any, mandarin_scores: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Target and nontarget scores, two trials a segment: n targets and n nontargets from n segments.

    `is_english` booleans, scores finite, all of shape (n,). Raises ValueError otherwise.
    """
    is_english, english_scores, mandarin_scores = validate(is_english, english_scores, mandarin_scores)
    targets = np.where(is_english, english_scores, mandarin_scores)
    nontargets = np.where(is_english, mandarin_scores, english_scores)
    return targets, nontargets


def difference_trials(
    is_english: Any, english_scores: Any, mandarin_scores: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Target (English) and nontarget (Mandarin) scores, one trial a segment: English minus Mandarin.

    The difference is that of doubles: rounding may tie two of them but never swaps them. Where one overflows
    (1e308 minus -1e308) all are replaced by their ranks, the overflowing ones ordered by half the difference;
    ranks keep every order and every tie, and an error rate sees nothing else.

    `is_english` booleans, scores finite, all of shape (n,). Raises ValueError otherwise. With one language
    missing, one of the two arrays is empty and the error rates below refuse it.
    """
    is_english, english_scores, mandarin_scores = validate(is_english, english_scores, mandarin_scores)
    with np.errstate(over="ignore"):
        difference = english_scores - mandarin_scores
    if not np.isfinite(difference).all():
        half = np.where(np.isinf(difference), english_scores / 2 - mandarin_scores / 2, 0)
        order = np.lexsort((half, difference))
        difference, half = difference[order], half[order]
        rises = (difference[1:] > difference[:-1]) | (half[1:] > half[:-1])
        rank = np.zeros(len(order))
        rank[order[1:]] = np.cumsum(rises)
        difference = rank
    return difference[is_english], difference[~is_english]


def rocch_eer(target_scores: Any, nontarget_scores: Any) -> float:
    """Equal error rate of the ROC convex hull, where it crosses miss rate = false-alarm rate. At most 0.5.

    The hull is the one that pool-adjacent-violators finds: the lower left convex hull of all operating points
    in the (false alarm, miss) plane (Brümmer and de Villiers 2013). Scores of shape (n,) and (m,), finite,
    both at least one, else ValueError.

    Only the edge on the diagonal is looked for. Among the points between two vertices on either side of the
    diagonal the one farthest below their chord is a vertex too; it replaces the one on its own side, until
    nothing lies below. Counts are integers, so that the result is the exact quotient, rounded once.
    """
    targets, nontargets = _sorted_trials(target_scores, nontarget_scores)
    n_targets, n_nontargets = len(targets), len(nontargets)
    right, left = _diagonal_edge(targets, nontargets)
    right_excess = right[1] * n_targets - right[0] * n_nontargets
    left_excess = left[0] * n_nontargets - left[1] * n_targets
    return (right[0] * left_excess + left[0] * right_excess) / (n_targets * (right_excess + left_excess))


def interpolated_eer(target_scores: Any, nontarget_scores: Any) -> float:
    """Equal error rate where the line through the operating points crosses miss = false alarm. At most 1.

    Scores of shape (n,) and (m,), finite, both at least one, else ValueError. Tied scores make one step of
    the line. Reversed scores give 1, where the convex hull gives 0.5.
    """
    targets, nontargets = _sorted_trials(target_scores, nontarget_scores)
    n_targets, n_nontargets = len(targets), len(nontargets)

    def errors(threshold: float) -> tuple[int, int]:
        misses = int(np.searchsorted(targets, threshold))
        return misses, n_nontargets - int(np.searchsorted(nontargets, threshold))

    def excess(threshold: float) -> int:
        misses, false_alarms = errors(threshold)
        return misses * n_nontargets - false_alarms * n_targets

    below, above = -np.inf, np.inf  # the last threshold with miss < false alarm, the first without
    for scores in (targets, nontargets):
        low, high = 0, len(scores)
        while low < high:
            middle = (low + high) // 2
            if excess(scores[middle]) < 0:
                low = middle + 1
            else:
                high = middle
        below = max(below, scores[low - 1] if low else below)
        above = min(above, scores[low] if low < len(scores) else above)
    under, over = -excess(below), excess(above)
    return (errors(below)[0] * over + errors(above)[0] * under) / (n_targets * (under + over))


def operating_points(target_scores: Any, nontarget_scores: Any) -> OperatingPoints:
    """Miss and false-alarm rate at every distinct score, ascending, and at infinity (nothing accepted).

    The points of a DET curve, or of a ROC curve with 1 - miss rate as the detection rate. Scores of shape
    (n,) and (m,), finite, both at least one, else ValueError.
    """
    targets, nontargets = _sorted_trials(target_scores, nontarget_scores)
    threshold = np.append(np.unique(np.concatenate([targets, nontargets])), np.inf)
    return OperatingPoints(
        threshold,
        np.searchsorted(targets, threshold) / len(targets),
        (len(nontargets) - np.searchsorted(nontargets, threshold)) / len(nontargets),
    )


def score_bins(target_scores: Any, nontarget_scores: Any) -> np.ndarray:
    """Thresholds between the `BINS` bins of a histogram that has the EER of the scores themselves.

    Two of them are the ends of the hull's edge on which the EER lies. At the others the miss rate or the
    false-alarm rate takes the values i^3 / (i^3 + (m - i)^3), i = 1 ... m - 1, m = `LEVELS`: close together
    towards 0 and 1, as on the axes of a DET plot, so that a low EER is resampled as well as a high one. Equal
    scores are in one bin. As rates alone place them, a bin means about the same for every system, whatever its
    scores are.

    Scores of shape (n,) and (m,), finite, both at least one, else ValueError. Returns shape (BINS - 1,),
    ascending; bin k has the scores from threshold k - 1 on and below threshold k.
    """
    targets, nontargets = _sorted_trials(target_scores, nontarget_scores)
    ends = [
        targets[misses] if misses < len(targets) else np.inf
        for misses, _ in _diagonal_edge(targets, nontargets)
    ]
    level = np.arange(1, LEVELS, dtype=np.int64) ** 3
    whole = level + level[::-1]
    levels = [scores[len(scores) * level // whole] for scores in (targets, nontargets)]
    return np.sort(np.concatenate([ends, *levels]))


def histograms_per_recording(target_scores: Any, nontarget_scores: Any, recording: Any) -> np.ndarray:
    """Pooled trials counted by recording and score, to be summed for `eer_of_histograms`.

    A target and a nontarget score for each segment, from `pooled_trials`, and the name or number of its
    recording, all of shape (n,). Returns integers of shape (recordings, 2 BINS), in the sorted order of the
    names: the targets in each of `score_bins`, then the nontargets. Raises ValueError for malformed input.
    """
    edges = score_bins(target_scores, nontarget_scores)
    names, index = np.unique(np.asarray(recording), return_inverse=True)
    histograms = []
    for scores in (target_scores, nontarget_scores):
        if np.shape(scores) != index.shape:
            raise ValueError(f"recording has shape {index.shape}, the scores {np.shape(scores)}")
        cell = BINS * index + np.searchsorted(edges, scores, side="right")
        histograms.append(np.bincount(cell, minlength=BINS * len(names)).reshape(-1, BINS))
    return np.concatenate(histograms, axis=1)


def eer_of_histograms(histograms: np.ndarray) -> np.ndarray:
    """`rocch_eer` of many histograms at once, each bin's scores taken as equal.

    histograms: counts, shape (r, 2 k): targets in k bins of ascending scores, then nontargets. Returns shape
    (r,), NaN without targets or without nontargets. With all bins of `score_bins` it is the EER of the scores
    themselves; for a resample the hull of fewer points is higher, by some 0.01 percentage points (0.04 at most)
    at the challenge's size.

    The same search for the edge on the diagonal as in `rocch_eer`, for all at once.
    """
    targets, nontargets = np.split(np.asarray(histograms, dtype=np.float64), 2, axis=1)
    n_targets, n_nontargets = targets.sum(axis=1), nontargets.sum(axis=1)
    none_rejected = np.zeros((len(targets), 1))
    misses = np.concatenate([none_rejected, np.cumsum(targets, axis=1)], axis=1)
    rejected = np.concatenate([none_rejected, np.cumsum(nontargets, axis=1)], axis=1)
    false_alarms = n_nontargets[:, np.newaxis] - rejected
    right = np.zeros(len(targets), dtype=np.int64)
    left = np.full(len(targets), targets.shape[1])
    open_rows = np.arange(len(targets))
    while len(open_rows):
        miss, false_alarm = misses[open_rows], false_alarms[open_rows]
        row = np.arange(len(open_rows))
        right_vertex, left_vertex = right[open_rows], left[open_rows]
        miss_weight = false_alarm[row, right_vertex] - false_alarm[row, left_vertex]
        false_alarm_weight = miss[row, left_vertex] - miss[row, right_vertex]
        cost = miss_weight[:, np.newaxis] * miss + false_alarm_weight[:, np.newaxis] * false_alarm
        vertex = cost.argmin(axis=1)
        below = cost[row, vertex] < cost[row, right_vertex]
        open_rows, vertex, row = open_rows[below], vertex[below], row[below]
        on_right = (
            miss[row, vertex] * n_nontargets[open_rows] <= false_alarm[row, vertex] * n_targets[open_rows]
        )
        right[open_rows[on_right]] = vertex[on_right]
        left[open_rows[~on_right]] = vertex[~on_right]
    row = np.arange(len(targets))
    right_excess = false_alarms[row, right] * n_targets - misses[row, right] * n_nontargets
    left_excess = misses[row, left] * n_nontargets - false_alarms[row, left] * n_targets
    crossing = misses[row, right] * left_excess + misses[row, left] * right_excess
    whole = n_targets * (right_excess + left_excess)
    return np.divide(
        crossing, whole, out=np.full_like(whole, np.nan), where=(n_targets > 0) & (n_nontargets > 0)
    )


def count_decisions(is_english: Any, english_scores: Any, mandarin_scores: Any) -> LanguageDecisions:
    """Each segment decided by its larger score, ties to English, and counted over all segments.

    `is_english` booleans, scores finite, all of shape (n,), n >= 1. Raises ValueError otherwise.
    """
    is_english, english_scores, mandarin_scores = validate(is_english, english_scores, mandarin_scores)
    called_english = english_scores >= mandarin_scores
    return LanguageDecisions(
        int(is_english.sum()),
        int((~is_english).sum()),
        int((is_english & called_english).sum()),
        int((~is_english & ~called_english).sum()),
    )


def decisions_per_recording(
    is_english: Any, english_scores: Any, mandarin_scores: Any, recording: Any
) -> dict[Any, LanguageDecisions]:
    """`count_decisions` for each recording, in the sorted order of their names.

    `recording` of shape (n,): the name or number of each segment's recording. Raises ValueError as above.
    """
    is_english, english_scores, mandarin_scores = validate(is_english, english_scores, mandarin_scores)
    recording = np.asarray(recording)
    if recording.shape != is_english.shape:
        raise ValueError(f"recording has shape {recording.shape}, the segments {is_english.shape}")
    names, index = np.unique(recording, return_inverse=True)
    called_english = english_scores >= mandarin_scores
    counts = [
        np.bincount(index[chosen], minlength=len(names)).tolist()
        for chosen in (is_english, ~is_english, is_english & called_english, ~is_english & ~called_english)
    ]
    return {name: LanguageDecisions(*each) for name, *each in zip(names.tolist(), *counts)}


def balanced_accuracy_per_recording(
    is_english: Any, english_scores: Any, mandarin_scores: Any, recording: Any
) -> float:
    """Mean of the recordings' balanced accuracies, over those in which both languages occur.

    The evaluation plan's wording ("computed for each file"). Arrays of shape (n,). Raises ValueError also if
    no recording has both languages.
    """
    decisions = decisions_per_recording(is_english, english_scores, mandarin_scores, recording).values()
    accuracies = [each.balanced_accuracy for each in decisions if each.english and each.mandarin]
    if not accuracies:
        raise ValueError(f"none of the {len(decisions)} recordings has segments of both languages")
    return sum(accuracies) / len(accuracies)


def _diagonal_edge(targets: np.ndarray, nontargets: np.ndarray) -> tuple[tuple[int, int], tuple[int, int]]:
    """The ends (misses, false alarms) of the hull's edge on the diagonal, of scores in ascending order."""
    rejecting_none = (0, _false_alarms(targets, nontargets, np.array([0])).item())
    rejecting_all = (len(targets), 0)
    right, left = rejecting_none, rejecting_all  # miss rate at most, and above, the false-alarm rate
    while True:
        vertex = _farthest_below(targets, nontargets, right, left)
        if vertex is None:
            return right, left
        if vertex[0] * len(nontargets) <= vertex[1] * len(targets):
            right = vertex
        else:
            left = vertex


def _farthest_below(
    targets: np.ndarray, nontargets: np.ndarray, right: tuple[int, int], left: tuple[int, int]
) -> tuple[int, int] | None:
    """The point (misses, false alarms) farthest below the chord from `right` to `left`, or None.

    A threshold at the i-th lowest target, i from 0, gives i misses (fewer if it is tied with the one before,
    which is then the better point of the two), and any other threshold does worse than one of these. A run of
    them, from i up to j, costs at least what i misses with j's false alarms would. Runs that cannot beat the
    best point so far are dropped, the others cut finer, so that few scores are looked at.
    """
    miss_weight, false_alarm_weight = right[1] - left[1], left[0] - right[0]
    best = chord = miss_weight * right[0] + false_alarm_weight * right[1]
    vertex = None
    stride = 4096
    start = np.arange(right[0], left[0], stride, dtype=np.int64)
    while True:
        false_alarms = _false_alarms(targets, nontargets, start)
        cost = miss_weight * start + false_alarm_weight * false_alarms
        if cost.size and cost.min() < best:
            lowest = int(cost.argmin())
            best, vertex = int(cost[lowest]), (int(start[lowest]), int(false_alarms[lowest]))
        if stride == 1:
            return vertex if best < chord else None
        end = np.minimum(start + stride, left[0])
        bound = miss_weight * start + false_alarm_weight * _false_alarms(targets, nontargets, end)
        stride //= 16
        start = (start[bound < best][:, None] + np.arange(0, 16 * stride, stride)).ravel()
        start = start[start < left[0]]


def _false_alarms(targets: np.ndarray, nontargets: np.ndarray, misses: np.ndarray) -> np.ndarray:
    """Nontargets accepted by a threshold at `targets[misses]`; none where every target is missed."""
    all_missed = misses == len(targets)
    rejected = np.searchsorted(nontargets, targets[np.where(all_missed, 0, misses)])
    return np.where(all_missed, 0, len(nontargets) - rejected)


def _sorted_trials(target_scores: Any, nontarget_scores: Any) -> tuple[np.ndarray, np.ndarray]:
    targets = np.sort(_scores("target scores", target_scores))
    nontargets = np.sort(_scores("nontarget scores", nontarget_scores))
    for name, scores in (("target scores", targets), ("nontarget scores", nontargets)):
        if not np.isfinite(scores[[0, -1]]).all():  # sorted: -inf comes first, inf and nan last
            _refuse_not_finite(name, scores)
    return targets, nontargets


def _scores(name: str, values: Any) -> np.ndarray:
    values = np.asarray(values)
    if values.ndim != 1 or not values.size:
        raise ValueError(f"{name} must have shape (n,) with n >= 1, not {values.shape}")
    if values.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be numbers, not {values.dtype}: {values[0]!r}")
    return values.astype(np.float64, copy=False)


def _refuse_not_finite(name: str, values: np.ndarray) -> None:
    bad = values[~np.isfinite(values)]
    raise ValueError(f"{name} must be finite: {bad[0]} (and {len(bad) - 1} more)")
