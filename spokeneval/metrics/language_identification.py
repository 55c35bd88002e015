"""Language identification of segments, English or Mandarin (MERLion CCS Challenge, Task 1).

Every segment has an English score and a Mandarin score; larger means more likely. Scores are compared, never
added, so that only their order matters: exact for any finite doubles, and -0.0 equals 0.0.

Two ways to turn segments into detection trials:

- `pooled_trials`: two per segment, its English score (a target if the segment is English) and its Mandarin
  score (a target if it is Mandarin), in one pool: the definition of the challenge's own script.
- `difference_trials`: one per segment, English minus Mandarin, with English as the target: the definition of the
  evaluation plan ("Scoring metrics"). A miss is English called Mandarin, a false alarm Mandarin called English.

A threshold t accepts the trials with score >= t. Miss rate: targets rejected / targets. False-alarm rate:
nontargets accepted / nontargets. All rates are fractions.

What the functions of segments share: `is_english` is bool, shape=(n,), n >= 1; `english_scores` and `mandarin_scores`
are finite floats, shape=(n,); `recording` is int, shape=(n,), the number of each segment's recording from 0 to k - 1.
Anything else raises ValueError, and so do scores of trials that are not finite numbers of shape (n,), n >= 1. The
rates of a language without segments, or of trials without targets or nontargets, are undefined (see `counts`).

Sources: MERLion CCS Challenge Evaluation Plan 1.2 (2023); for the EER of the ROC convex hull (ROCCH),
N. Brümmer and E. de Villiers, "The BOSARIS Toolkit: Theory, Algorithms and Code for Surviving the New DCF"
(2013); for Cllr, N. Brümmer and J. du Preez, "Application-independent evaluation of speaker detection" (2006); for the
detection costs, NIST 2022 Language Recognition Evaluation Plan, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable, NamedTuple

import numpy as np

from .counts import Number, add, check_counts, ratio

BINS = 255
"""Bins of a histogram of scores (see `score_bins`)."""

COST_RATIOS = (1, 9)
"""The cost of a false alarm in misses, at priors of one half and one tenth: the beta of NIST's detection costs."""

LARGEST_RATIO = 1e6
"""Largest difference of scores, as a log-likelihood ratio: larger ones count as this, so that every cost is finite."""

_HULL_BINS = 200


class OperatingPoints(NamedTuple):
    """Error rates at each threshold, from the lowest score to infinity.

    Attributes
    ----------
    threshold: float, shape=(n,), ascending.
    miss_rate: float, shape=(n,): targets below the threshold / targets.
    false_alarm_rate: float, shape=(n,): nontargets at or above the threshold / nontargets.
    """

    threshold: np.ndarray
    miss_rate: np.ndarray
    false_alarm_rate: np.ndarray


@dataclass(frozen=True)
class LanguageDecisions:
    """Segments of each language, and the correctly decided ones; more of these than segments raise ValueError.

    Attributes
    ----------
    english: English segments.
    mandarin: Mandarin segments.
    english_correct: English segments called English.
    mandarin_correct: Mandarin segments called Mandarin.
    mixed_recordings: recordings with segments of both languages.
    mixed_accuracy: sum of the balanced accuracies of these recordings.
    """

    english: Number
    mandarin: Number
    english_correct: Number
    mandarin_correct: Number
    mixed_recordings: Number = 0
    mixed_accuracy: Number = 0

    def __post_init__(self) -> None:
        check_counts(self)
        for correct, segments in (
            (self.english_correct, self.english),
            (self.mandarin_correct, self.mandarin),
        ):
            wrong = np.asarray(correct > segments)
            if wrong.any():
                raise ValueError(
                    f"{np.asarray(correct)[wrong][0]} correct decisions among "
                    f"{np.asarray(segments)[wrong][0]} segments"
                )

    def __add__(self, other: LanguageDecisions) -> LanguageDecisions:
        return add(self, other)


@dataclass(frozen=True)
class ScoreHistograms:
    """Detection trials counted by score, in the same bins for all rows.

    Attributes
    ----------
    targets: shape=(..., b): target scores in each of b bins, scores ascending; `score_bins` makes `BINS` bins.
    nontargets: shape=(..., b): nontarget scores in each bin.
    """

    targets: np.ndarray
    nontargets: np.ndarray

    def __post_init__(self) -> None:
        check_counts(self)
        if np.ndim(self.targets) == 0 or np.shape(self.targets) != np.shape(self.nontargets):
            raise ValueError(
                f"targets of shape {np.shape(self.targets)}, nontargets of shape {np.shape(self.nontargets)}; "
                "expected the same number of bins"
            )

    def __add__(self, other: ScoreHistograms) -> ScoreHistograms:
        return add(self, other)


@dataclass(frozen=True)
class LikelihoodRatioCosts:
    """The costs of score differences as log-likelihood ratios.

    Attributes
    ----------
    segments: shape=(..., 2): English and Mandarin segments.
    bits: shape=(..., 2): sum over them of log2(1 + 1 / LR), LR being the likelihood ratio for the true language.
    misses: shape=(..., 2, 2): segments of each language that are not accepted as it, at each of `COST_RATIOS`.
    false_alarms: shape=(..., 2, 2): segments of each language that are accepted as the other, at each of `COST_RATIOS`.
    """

    segments: np.ndarray
    bits: np.ndarray
    misses: np.ndarray
    false_alarms: np.ndarray

    def __post_init__(self) -> None:
        check_counts(self)

    def __add__(self, other: LikelihoodRatioCosts) -> LikelihoodRatioCosts:
        return add(self, other)


def count_decisions(is_english: Any, english_scores: Any, mandarin_scores: Any) -> LanguageDecisions:
    """Each segment decided by its larger score, ties to English, and counted over all segments.

    The fields of mixed recordings are 0, because segments alone do not define recordings.

    >>> decisions = count_decisions([True, True, False, False], [2, 0.5, 1, -1], [-2, 0.5, 3, -2])
    >>> decisions.english_correct, decisions.mandarin_correct
    (2, 1)
    """
    is_english, english_scores, mandarin_scores = _segments(is_english, english_scores, mandarin_scores)
    called_english = english_scores >= mandarin_scores
    return LanguageDecisions(
        int(is_english.sum()),
        int((~is_english).sum()),
        int((is_english & called_english).sum()),
        int((~is_english & ~called_english).sum()),
    )


def decisions_per_recording(
    is_english: Any, english_scores: Any, mandarin_scores: Any, recording: Any
) -> LanguageDecisions:
    """`count_decisions` of each recording, shape=(k,): all 0 for a recording without segments.

    >>> rows = decisions_per_recording([True, False, True], [2, 2, 2], [1, 3, 1], [0, 0, 1])
    >>> rows.english.tolist(), rows.mandarin_correct.tolist(), rows.mixed_recordings.tolist()
    ([1, 1], [1, 0], [1, 0])
    """
    is_english, english_scores, mandarin_scores = _segments(is_english, english_scores, mandarin_scores)
    recording, recordings = _numbered(recording, len(is_english))
    called_english = english_scores >= mandarin_scores
    decisions = LanguageDecisions(
        *(
            np.bincount(recording[chosen], minlength=recordings)
            for chosen in (
                is_english,
                ~is_english,
                is_english & called_english,
                ~is_english & ~called_english,
            )
        )
    )
    mixed = np.asarray(decisions.english > 0) & np.asarray(decisions.mandarin > 0)
    accuracy = np.where(mixed, balanced_accuracy(decisions), 0.0)
    return replace(decisions, mixed_recordings=mixed.astype(np.int64), mixed_accuracy=accuracy)


def english_recall(decisions: LanguageDecisions) -> Any:
    """English segments called English / English segments.

    >>> english_recall(LanguageDecisions(english=4, mandarin=2, english_correct=3, mandarin_correct=1))
    0.75
    """
    return ratio(decisions.english_correct, decisions.english, "English recall")


def mandarin_recall(decisions: LanguageDecisions) -> Any:
    """Mandarin segments called Mandarin / Mandarin segments.

    >>> mandarin_recall(LanguageDecisions(english=4, mandarin=2, english_correct=3, mandarin_correct=1))
    0.5
    """
    return ratio(decisions.mandarin_correct, decisions.mandarin, "Mandarin recall")


def balanced_accuracy(decisions: LanguageDecisions) -> Any:
    """Mean of the two recalls.

    >>> balanced_accuracy(LanguageDecisions(english=4, mandarin=2, english_correct=3, mandarin_correct=1))
    0.625
    """
    return (english_recall(decisions) + mandarin_recall(decisions)) / 2


def balanced_accuracy_per_recording(decisions: LanguageDecisions) -> Any:
    """Mean of the recordings' balanced accuracies, over those in which both languages occur.

    The evaluation plan's wording ("computed for each file"). If no recording has both languages, it is the balanced
    accuracy of all segments together. `decisions` are added up from `decisions_per_recording`.

    Three recordings, one of them with English alone; the others have accuracies of 3/4 and 1/2.

    >>> from spokeneval.metrics.counts import total
    >>> is_english, recording = [True, True, False, True, False, True], [0, 0, 0, 1, 1, 2]
    >>> rows = decisions_per_recording(is_english, [1, 0, 0, 1, 1, 1], [0, 1, 1, 0, 0, 0], recording)
    >>> balanced_accuracy_per_recording(total(rows))
    0.625
    """
    recordings = decisions.mixed_recordings
    by_recording = decisions.mixed_accuracy / np.maximum(recordings, 1)
    if np.ndim(recordings) == 0:
        return float(by_recording) if recordings else balanced_accuracy(decisions)
    return np.where(np.asarray(recordings) > 0, by_recording, balanced_accuracy(decisions))


def pooled_trials(
    is_english: Any, english_scores: Any, mandarin_scores: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of n targets (each segment's own language) and n nontargets (the other language) from n segments.

    >>> targets, nontargets = pooled_trials([True, False], [2, 1], [-2, 3])
    >>> targets.tolist(), nontargets.tolist()
    ([2.0, 3.0], [-2.0, 1.0])
    """
    is_english, english_scores, mandarin_scores = _segments(is_english, english_scores, mandarin_scores)
    targets = np.where(is_english, english_scores, mandarin_scores)
    nontargets = np.where(is_english, mandarin_scores, english_scores)
    return targets, nontargets


def difference_trials(
    is_english: Any, english_scores: Any, mandarin_scores: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of targets (English) and nontargets (Mandarin), each in the segments' order: English minus Mandarin.

    The difference is that of doubles: rounding may tie two of them but never swaps them. Where one overflows
    (1e308 minus -1e308) all are replaced by their ranks, the overflowing ones ordered by half the difference;
    ranks keep every order and every tie, and an error rate depends on nothing else. One of the two arrays is empty if a
    language has no segment; the error rates below refuse it.

    >>> targets, nontargets = difference_trials([True, False], [2, 1], [-2, 3])
    >>> targets.tolist(), nontargets.tolist()
    ([4.0], [-2.0])
    """
    is_english, english_scores, mandarin_scores = _segments(is_english, english_scores, mandarin_scores)
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
    """Equal error rate of the ROC convex hull, where it crosses miss rate = false-alarm rate; at most 0.5.

    The hull is the one that pool-adjacent-violators finds: the lower left convex hull of all operating points
    in the (false alarm, miss) plane (Brümmer and de Villiers 2013).

    Only the edge on the diagonal is computed. Among the points between two vertices on either side of the diagonal the
    one farthest below their chord is a vertex too; it replaces the one on its own side, until nothing lies below.
    Counts are integers, so that the result is the exact quotient, rounded once.

    Thresholds at 0.3 and 0.8 give the hull's vertices (miss, false alarm) = (0, 1/2) and (1/2, 0).

    >>> rocch_eer([0.9, 0.8, 0.4, 0.3], [0.7, 0.5, 0.2, 0.1])
    0.25
    """
    targets, nontargets = _sorted_trials(target_scores, nontarget_scores)
    return _crossing(*_diagonal_edge(targets, nontargets), (len(targets), len(nontargets)))


def interpolated_eer(target_scores: Any, nontarget_scores: Any) -> float:
    """Equal error rate where the line through the operating points crosses miss rate = false-alarm rate.

    Tied scores make one step of the line. Reversed scores give 1, where the convex hull gives 0.5.

    A threshold at 0.5 misses two of four targets and accepts two of four nontargets.

    >>> interpolated_eer([0.9, 0.8, 0.4, 0.3], [0.7, 0.5, 0.2, 0.1])
    0.5
    """
    targets, nontargets = _sorted_trials(target_scores, nontarget_scores)
    below, above = (
        (int(misses), int(false_alarms))
        for misses, false_alarms in (
            _errors_at(threshold, targets, nontargets) for threshold in _diagonal_step(targets, nontargets)
        )
    )
    return _crossing(below, above, (len(targets), len(nontargets)))


def operating_points(target_scores: Any, nontarget_scores: Any) -> OperatingPoints:
    """Miss and false-alarm rate at every distinct score, ascending, and at infinity (nothing accepted).

    The points of a DET curve, or of a ROC curve with 1 - miss rate as the detection rate.

    >>> points = operating_points([1, 2], [0, 1])
    >>> points.threshold.tolist(), points.miss_rate.tolist(), points.false_alarm_rate.tolist()
    ([0.0, 1.0, 2.0, inf], [0.0, 0.0, 0.5, 1.0], [1.0, 0.5, 0.0, 0.0])
    """
    targets, nontargets = _sorted_trials(target_scores, nontarget_scores)
    threshold = np.append(np.unique(np.concatenate([targets, nontargets])), np.inf)
    misses, false_alarms = _errors_at(threshold, targets, nontargets)
    return OperatingPoints(threshold, misses / len(targets), false_alarms / len(nontargets))


def hull_points(target_scores: Any, nontarget_scores: Any) -> OperatingPoints:
    """The vertices of the ROC convex hull among the `operating_points`; the `rocch_eer` is on one of its edges.

    From the point that accepts every trial to the one that accepts none.

    >>> points = hull_points([0.9, 0.8, 0.4, 0.3], [0.7, 0.5, 0.2, 0.1])
    >>> points.miss_rate.tolist(), points.false_alarm_rate.tolist()
    ([0.0, 0.0, 0.5, 1.0], [1.0, 0.5, 0.0, 0.0])
    """
    targets, nontargets = _sorted_trials(target_scores, nontarget_scores)
    inner = _hull_thresholds(targets, nontargets)
    lowest = min(targets[0], nontargets[0])
    threshold = np.unique(np.concatenate([[lowest], inner, [np.inf]]))
    misses, false_alarms = _errors_at(threshold, targets, nontargets)
    return OperatingPoints(threshold, misses / len(targets), false_alarms / len(nontargets))


def score_bins(target_scores: Any, nontarget_scores: Any, *, whole: bool = False) -> np.ndarray:
    """Thresholds between the `BINS` bins of a histogram that has the EER of the scores themselves: ascending.

    Bin k has the scores from threshold k - 1 on and below threshold k. Equal scores are in one bin.

    Two thresholds are the ends of the hull's edge with the EER. With `whole`, two more are the ends of the step with
    the interpolated EER, and further ones are the vertices of the whole hull (some 120 for 250,000 trials; 200 evenly
    chosen ones of more), so that the histogram has the interpolated EER, the minimum Cllr and the minimum detection
    cost too. At the rest the miss rate or the false-alarm rate takes the values i^3 / (i^3 + (m - i)^3), i = 1 ... m -
    1, with m = 127 or, with `whole`, what is left: close together towards 0 and 1, as on the axes of a DET plot, so
    that a low EER is resampled as well as a high one. Since only rates determine them, a bin means about the same for
    every system, whatever its scores are.

    >>> bins = score_bins([0.9, 0.8, 0.4, 0.3], [0.7, 0.5, 0.2, 0.1])
    >>> len(bins) == BINS - 1, sorted(set(bins.tolist()))
    (True, [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.8, 0.9])
    """
    targets, nontargets = _sorted_trials(target_scores, nontarget_scores)
    thresholds = [
        targets[misses] if misses < len(targets) else np.inf
        for misses, _ in _diagonal_edge(targets, nontargets)
    ]
    if whole:
        thresholds += _diagonal_step(targets, nontargets)
        hull = _hull_thresholds(targets, nontargets)
        chosen = np.rint(np.linspace(0, len(hull) - 1, min(len(hull), _HULL_BINS))).astype(int)
        thresholds += hull[chosen].tolist()
    thresholds += [np.inf] * (len(thresholds) % 2)
    steps = (BINS - 1 - len(thresholds)) // 2 + 1
    cubes = np.arange(1, steps, dtype=np.int64) ** 3
    spans = cubes + cubes[::-1]
    levels = [scores[len(scores) * cubes // spans] for scores in (targets, nontargets)]
    return np.sort(np.concatenate([thresholds, *levels]))


def pooled_histograms(
    is_english: Any, english_scores: Any, mandarin_scores: Any, recording: Any
) -> ScoreHistograms:
    """`pooled_trials` counted by recording and score, shape=(k, BINS); their total has the `rocch_eer` of the trials.

    >>> histograms = pooled_histograms([True, False, True], [2, 1, 3], [-2, 3, 1], [0, 0, 1])
    >>> histograms.targets.sum(axis=1).tolist(), histograms.nontargets.sum(axis=1).tolist()
    ([2, 1], [2, 1])
    """
    trials = pooled_trials(is_english, english_scores, mandarin_scores)
    recording, recordings = _numbered(recording, len(trials[0]))
    return _histograms(trials, (recording, recording), recordings, score_bins(*trials))


def difference_histograms(
    is_english: Any, english_scores: Any, mandarin_scores: Any, recording: Any
) -> ScoreHistograms:
    """`difference_trials` counted by recording and score, shape=(k, BINS), in `score_bins` with `whole`.

    Their total has the `rocch_eer` and the `interpolated_eer` of the trials, and the least costs at any threshold. A
    language without segments raises ValueError.

    >>> histograms = difference_histograms([True, False, True], [2, 1, 3], [-2, 3, 1], [0, 0, 1])
    >>> histograms.targets.sum(axis=1).tolist(), histograms.nontargets.sum(axis=1).tolist()
    ([1, 1], [1, 0])
    """
    trials = difference_trials(is_english, english_scores, mandarin_scores)
    recording, recordings = _numbered(recording, len(trials[0]) + len(trials[1]))
    chosen = np.asarray(is_english)
    bins = score_bins(*trials, whole=True)
    return _histograms(trials, (recording[chosen], recording[~chosen]), recordings, bins)


def histogram_eer(histograms: ScoreHistograms) -> Any:
    """`rocch_eer` of histograms, with equal scores within a bin; any number of bins.

    For all rows of `pooled_histograms` or `difference_histograms` together it is that of the scores themselves, to the
    last digit. A resample of rows has fewer operating points than its scores, so its hull is higher: by some 0.01
    percentage points (0.04 at most) at the challenge's size.

    One set of integers is computed in integers, many sets in doubles. Doubles are exact as long as
    2 n^2 m < 2^53 for n targets and m nontargets (165,000 of each); with more, the last digits may differ.

    >>> histogram_eer(ScoreHistograms(np.array([0, 2, 0, 2]), np.array([2, 0, 2, 0])))
    0.25
    """
    return _histogram_crossing(histograms, _hull_edges)


def histogram_interpolated_eer(histograms: ScoreHistograms) -> Any:
    """`interpolated_eer` of histograms, with equal scores within a bin; any number of bins.

    For all rows of `difference_histograms` together it is that of the scores themselves, to the last digit; integers
    and doubles are as for `histogram_eer`.

    >>> histogram_interpolated_eer(ScoreHistograms(np.array([0, 2, 0, 2]), np.array([2, 0, 2, 0])))
    0.5
    """
    return _histogram_crossing(histograms, _interpolation_steps)


def minimum_cllr(histograms: ScoreHistograms) -> Any:
    """The Cllr of the best calibration: the least that any increasing function of the scores gives, from 0 to 1 bit.

    The likelihood ratios are those of the blocks into which pool-adjacent-violators puts the bins, with equal scores
    within a bin. For all rows of `difference_histograms` together it is that of the scores themselves.
    Source: Brümmer and du Preez (2006).

    Scores give no information within the two blocks, of 1 target among 2 and of 1 among 2.

    >>> minimum_cllr(ScoreHistograms(np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1])))
    1.0
    """
    targets, nontargets = (np.atleast_2d(field) for field in (histograms.targets, histograms.nontargets))
    row, place = np.nonzero(targets + nontargets)
    first, targets_in, nontargets_in = _pool(row, targets[row, place], nontargets[row, place])
    row = row[first]
    sizes = targets.sum(axis=1), nontargets.sum(axis=1)
    both = (sizes[0] > 0) & (sizes[1] > 0)
    shares = [inside / np.maximum(size, 1)[row] for inside, size in zip((targets_in, nontargets_in), sizes)]
    bits = [share * np.log2(sum(shares) / np.where(share, share, 1)) for share in shares]
    of_targets, of_nontargets = (np.bincount(row, weights=part, minlength=len(targets)) for part in bits)
    return _of_both((of_targets + of_nontargets) / 2, both, histograms, "the minimum Cllr")


def minimum_detection_cost(histograms: ScoreHistograms) -> Any:
    """The least `detection_cost`, each of its four parts at its own best threshold; from 0 to 1.

    Scores within a bin are taken as equal. For all rows of `difference_histograms` together it is that of the scores
    themselves.

    A threshold that misses one of four targets and accepts no nontarget is the best for English at both ratios, and
    one that misses none and accepts one of four nontargets for Mandarin: (1/4 + 1/4 + 1/4 + 1/4) / 4.

    >>> minimum_detection_cost(ScoreHistograms(np.array([0, 1, 0, 3]), np.array([3, 0, 1, 0])))
    0.25
    """
    targets, nontargets = (np.atleast_2d(field) for field in (histograms.targets, histograms.nontargets))
    sizes = targets.sum(axis=1), nontargets.sum(axis=1)
    both = (sizes[0] > 0) & (sizes[1] > 0)
    none = np.zeros((len(targets), 1))
    missed, rejected = (
        np.cumsum(np.concatenate([none, counts], axis=1), axis=1) / np.maximum(size, 1)[:, np.newaxis]
        for counts, size in zip((targets, nontargets), sizes)
    )
    accepted = 1 - rejected
    costs = [
        (one + ratio_of_costs * other).min(axis=1)
        for ratio_of_costs in COST_RATIOS
        for one, other in ((missed, accepted), (accepted, missed))
    ]
    return _of_both(sum(costs) / len(costs), both, histograms, "the minimum detection cost")


def likelihood_ratio_costs(
    is_english: Any, english_scores: Any, mandarin_scores: Any, recording: Any
) -> LikelihoodRatioCosts:
    """The costs of score differences, English minus Mandarin, as natural log-likelihood ratios; one row per recording.

    A ratio of 1 costs 1 bit; it is accepted as either language where errors cost the same, and as none at 9.

    >>> costs = likelihood_ratio_costs([True, False], [0, 0], [0, 30], [0, 0])
    >>> costs.bits.round(6).tolist(), costs.misses.tolist(), costs.false_alarms.tolist()
    ([[1.0, 0.0]], [[[0, 1], [0, 0]]], [[[1, 0], [0, 0]]])
    """
    is_english, english_scores, mandarin_scores = _segments(is_english, english_scores, mandarin_scores)
    recording, recordings = _numbered(recording, len(is_english))
    with np.errstate(over="ignore"):
        for_english = np.clip(english_scores - mandarin_scores, -LARGEST_RATIO, LARGEST_RATIO)
    for_own = np.where(is_english, for_english, -for_english)
    cell = 2 * recording + ~is_english

    def summed(values: np.ndarray) -> np.ndarray:
        return np.bincount(cell, weights=values, minlength=2 * recordings).reshape(recordings, 2)

    def counted(chosen: np.ndarray) -> np.ndarray:
        return np.bincount(cell[chosen], minlength=2 * recordings).reshape(recordings, 2)

    thresholds = np.log(COST_RATIOS)
    return LikelihoodRatioCosts(
        counted(np.ones(len(cell), dtype=bool)),
        summed((np.log1p(np.exp(-np.abs(for_own))) + np.maximum(-for_own, 0)) / np.log(2)),
        np.stack([counted(for_own < threshold) for threshold in thresholds], axis=-1),
        np.stack([counted(-for_own >= threshold) for threshold in thresholds], axis=-1),
    )


def cllr(costs: LikelihoodRatioCosts) -> Any:
    """The cost of log-likelihood ratios in bits: the mean over both languages of the mean of log2(1 + 1 / LR).

    1 for a system without information, more for a misleading one. Requires scores whose difference, English minus
    Mandarin, is a natural log-likelihood ratio; differences beyond a million count as a million.
    Source: Brümmer and du Preez (2006).

    >>> from spokeneval.metrics.counts import total
    >>> round(cllr(total(likelihood_ratio_costs([True, False], [0, 0], [0, 0], [0, 0]))), 6)
    1.0
    """
    bits, segments = np.moveaxis(costs.bits, -1, 0), np.moveaxis(costs.segments, -1, 0)
    return sum(ratio(*language, "Cllr") for language in zip(bits, segments)) / 2


def detection_cost(costs: LikelihoodRatioCosts) -> Any:
    """NIST's primary cost of the 2017 and 2022 evaluations, at the thresholds of calibrated log-likelihood ratios.

    The mean over both languages and both `COST_RATIOS` of P(miss) + beta P(false alarm), where a language is accepted
    if its log-likelihood ratio is at least log(beta). From 0 to 6; 1 for a system that accepts nothing.
    Source: NIST 2022 Language Recognition Evaluation Plan, section 4.

    The languages are separated, but not surely enough where a false alarm costs nine misses: (0 + 0 + 1 + 1) / 4.

    >>> from spokeneval.metrics.counts import total
    >>> detection_cost(total(likelihood_ratio_costs([True, False], [1, 0], [0, 1], [0, 0])))
    0.5
    """
    cost = 0
    for own in range(2):
        other = 1 - own
        for place, beta in enumerate(COST_RATIOS):
            cost = cost + ratio(costs.misses[..., own, place], costs.segments[..., own], "the detection cost")
            false_alarms = costs.false_alarms[..., other, place]
            cost = cost + beta * ratio(false_alarms, costs.segments[..., other], "the detection cost")
    return cost / (2 * len(COST_RATIOS))


def _of_both(costs: np.ndarray, both: np.ndarray, histograms: ScoreHistograms, name: str) -> Any:
    """Costs of r rows, a number for one set; undefined without targets or nontargets."""
    if np.ndim(histograms.targets) == 1:
        return ratio(costs[0].item(), int(both[0]), name)
    return np.where(both, costs, np.nan)


def _pool(row: np.ndarray, targets: np.ndarray, nontargets: np.ndarray) -> tuple[np.ndarray, ...]:
    """Groups of trials, scores ascending, pooled until the share of targets rises from block to block of a row.

    Neighbours that violate this are in one block of the result whatever else is pooled, so that all are pooled at once.
    Returns the first group of each block, its targets and its nontargets.
    """
    first = np.arange(len(row))
    while True:
        falls = targets[:-1] * nontargets[1:] >= targets[1:] * nontargets[:-1]
        begins = np.flatnonzero(np.append(True, ~(falls & (row[1:] == row[:-1])))[: len(row)])
        if len(begins) == len(first):
            return first, targets, nontargets
        first, row = first[begins], row[begins]
        targets, nontargets = np.add.reduceat(targets, begins), np.add.reduceat(nontargets, begins)


def _hull_thresholds(targets: np.ndarray, nontargets: np.ndarray) -> np.ndarray:
    """The thresholds at the vertices of the ROC convex hull, of scores in ascending order.

    A block of the hull begins with a target: a target and the nontargets up to the next are a group.
    """
    rejected = np.searchsorted(nontargets, targets)
    in_groups = np.ones(len(targets)), np.diff(np.append(rejected, len(nontargets)))
    first, *_ = _pool(np.zeros(len(targets)), *in_groups)
    return targets[first]


def _histograms(
    trials: tuple[np.ndarray, np.ndarray],
    recordings_of_trials: tuple[np.ndarray, np.ndarray],
    recordings: int,
    bins: np.ndarray,
) -> ScoreHistograms:
    """Targets and nontargets counted by recording and bin."""
    histograms = []
    for scores, recording in zip(trials, recordings_of_trials):
        cell = BINS * recording + np.searchsorted(bins, scores, side="right")
        histograms.append(np.bincount(cell, minlength=BINS * recordings).reshape(recordings, BINS))
    return ScoreHistograms(*histograms)


def _histogram_crossing(histograms: ScoreHistograms, find_ends: Callable[..., Any]) -> Any:
    """The EER between the two operating points that `find_ends` picks for each row.

    A histogram of b bins has the b + 1 operating points of the thresholds below, between and above its bins.
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
    return _crossing(*points)


def _hull_edges(misses: np.ndarray, false_alarms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the hull's edge on the diagonal, as places along each row of operating points.

    The same search as in `_diagonal_edge`, for all rows at once.
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
        below = cost[row, vertex] < cost[row, right_vertex]
        open_rows, vertex, row = open_rows[below], vertex[below], row[below]
        on_right = (
            miss[row, vertex] * n_nontargets[open_rows] <= false_alarm[row, vertex] * n_targets[open_rows]
        )
        right[open_rows[on_right]] = vertex[on_right]
        left[open_rows[~on_right]] = vertex[~on_right]
    return right, left


def _interpolation_steps(misses: np.ndarray, false_alarms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The last place of each row with miss rate < false-alarm rate, and the next one."""
    excess = misses * false_alarms[:, :1] - false_alarms * misses[:, -1:]
    below = np.maximum((excess < 0).sum(axis=1) - 1, 0)  # none is below without targets or nontargets
    return below, below + 1


def _crossing(right: Any, left: Any, trials: Any) -> Any:
    """The miss rate where the line from one operating point to another meets miss rate = false-alarm rate.

    right, left: misses and false alarms, numbers or arrays of shape (r,); at `right` the miss rate is at most
    the false-alarm rate, at `left` at least.
    trials: numbers of targets and of nontargets.
    """
    (right_misses, right_false_alarms), (left_misses, left_false_alarms) = right, left
    targets, nontargets = trials
    right_excess = right_false_alarms * targets - right_misses * nontargets
    left_excess = left_misses * nontargets - left_false_alarms * targets
    crossing = right_misses * left_excess + left_misses * right_excess
    return ratio(crossing, targets * (right_excess + left_excess), "the equal error rate")


def _errors_at(threshold: Any, targets: np.ndarray, nontargets: np.ndarray) -> tuple[Any, Any]:
    """Misses and false alarms at thresholds, of scores in ascending order."""
    return np.searchsorted(targets, threshold), len(nontargets) - np.searchsorted(nontargets, threshold)


def _diagonal_step(targets: np.ndarray, nontargets: np.ndarray) -> tuple[float, float]:
    """The last threshold with miss rate < false-alarm rate and the first without, of scores in ascending order."""

    def excess(threshold: float) -> int:
        misses, false_alarms = _errors_at(threshold, targets, nontargets)
        return int(misses) * len(nontargets) - int(false_alarms) * len(targets)

    below, above = -np.inf, np.inf
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
    return below, above


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
    best point so far are dropped, the others are divided further, so that few scores are evaluated.
    """
    miss_weight, false_alarm_weight = right[1] - left[1], left[0] - right[0]
    best = miss_weight * right[0] + false_alarm_weight * right[1]
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
            return vertex
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


def _segments(
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


def _numbered(recording: Any, segments: int) -> tuple[np.ndarray, int]:
    """Each segment's recording, shape=(segments,), and how many recordings there are; or ValueError."""
    recording = np.asarray(recording)
    if recording.shape != (segments,):
        raise ValueError(f"recording has shape {recording.shape}, the segments ({segments},)")
    if recording.dtype.kind not in "iu":
        raise ValueError(
            f"recordings must be whole numbers from 0, not {recording.dtype}: {recording[0].item()!r}"
        )
    if recording.min() < 0:
        raise ValueError(f"recordings must be numbered from 0, got {recording.min()}")
    return recording.astype(np.int64), int(recording.max()) + 1


def _sorted_trials(target_scores: Any, nontarget_scores: Any) -> tuple[np.ndarray, np.ndarray]:
    targets = _scores("target scores", target_scores)
    nontargets = _scores("nontarget scores", nontarget_scores)
    for name, scores in (("target scores", targets), ("nontarget scores", nontargets)):
        scores.sort()
        if not np.isfinite(scores[[0, -1]]).all():  # sorted: -inf comes first, inf and nan last
            _refuse_not_finite(name, scores)
    return targets, nontargets


def _scores(name: str, values: Any) -> np.ndarray:
    """A copy of the scores, in doubles."""
    values = np.asarray(values)
    if values.ndim != 1 or not values.size:
        raise ValueError(f"{name} must have shape (n,) with n >= 1, not {values.shape}")
    if values.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be numbers, not {values.dtype}: {values[0]!r}")
    return values.astype(np.float64)


def _refuse_not_finite(name: str, values: np.ndarray) -> None:
    bad = values[~np.isfinite(values)]
    raise ValueError(f"{name} must be finite: {bad[0]} (and {len(bad) - 1} more)")
