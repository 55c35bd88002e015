"""Language identification of segments, English or Mandarin (MERLIon CCS Challenge, Task 1).

Every segment has an English score and a Mandarin score; larger means more likely. The larger score decides the language
of a segment. Alternatively, segments are turned into detection trials in one of two ways:

- `pooled_trials`: two trials per segment in one pool, its English score (a target if the segment is English) and its
  Mandarin score (a target if the segment is Mandarin). This is the definition in the challenge's own script.
- `difference_trials`: one trial per segment, English minus Mandarin, with English as the target. This is the definition
  in the evaluation plan ("Scoring metrics"). A miss is English identified as Mandarin, a false alarm is Mandarin
  identified as English.

The metrics of trials are in `equal_error_rate` and `detection_cost`.

All functions of segments take the same arrays, of shape (n,) with n >= 1: `is_english` is bool; `english_scores` and
`mandarin_scores` are finite floats; `recording` is int, the number of each segment's recording from 0 to k - 1. Other
values raise ValueError. The rates of a language without segments are undefined (see `counts`).

Source: MERLIon CCS Challenge Evaluation Plan 1.2 (2023).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .arrays import doubles, refuse_not_finite
from .counts import Counts, Number, ratio
from .detection_cost import COST_RATIOS, LARGEST_RATIO, LikelihoodRatioCosts
from .equal_error_rate import ScoreHistograms, score_bins, trial_histograms


@dataclass(frozen=True)
class LanguageDecisions(Counts):
    """Segments of each language, and those that are identified correctly.

    Attributes
    ----------
    english
        The number of English segments.
    mandarin
        The number of Mandarin segments.
    english_correct
        The number of English segments identified as English.
    mandarin_correct
        The number of Mandarin segments identified as Mandarin.
    mixed_recordings
        The number of recordings with segments of both languages.
    mixed_accuracy
        The sum of the balanced accuracies of these recordings.

    Raises
    ------
    ValueError
        A count is not valid, or more segments of a language are correct than there are.
    """

    english: Number
    mandarin: Number
    english_correct: Number
    mandarin_correct: Number
    mixed_recordings: Number = 0
    mixed_accuracy: Number = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for correct, segments in (
            (self.english_correct, self.english),
            (self.mandarin_correct, self.mandarin),
        ):
            if np.any(correct > segments):
                raise ValueError("more correct decisions than segments of a language")


def decisions_per_recording(
    is_english: Any, english_scores: Any, mandarin_scores: Any, recording: Any
) -> LanguageDecisions:
    """Identify each segment by its larger score, ties as English, and count the segments of each of k recordings.

    Fields have the shape (k,), and are all 0 for a recording without segments.

    Examples
    --------
    >>> rows = decisions_per_recording([True, False, True], [2, 2, 2], [1, 3, 1], [0, 0, 1])
    >>> rows.english.tolist(), rows.mandarin_correct.tolist(), rows.mixed_recordings.tolist()
    ([1, 1], [1, 0], [1, 0])
    """
    is_english, english_scores, mandarin_scores = _segments(is_english, english_scores, mandarin_scores)
    recording, recordings = _numbered(recording, len(is_english))
    called_english = english_scores >= mandarin_scores
    chosen = (is_english, ~is_english, is_english & called_english, ~is_english & ~called_english)
    decisions = LanguageDecisions(*(np.bincount(recording[each], minlength=recordings) for each in chosen))
    mixed = np.asarray(decisions.english > 0) & np.asarray(decisions.mandarin > 0)
    accuracy = np.where(mixed, balanced_accuracy(decisions), 0.0)
    return replace(decisions, mixed_recordings=mixed.astype(np.int64), mixed_accuracy=accuracy)


def english_recall(decisions: LanguageDecisions) -> Any:
    """The share of English segments that are identified as English.

    Examples
    --------
    >>> english_recall(LanguageDecisions(english=4, mandarin=2, english_correct=3, mandarin_correct=1))
    0.75
    """
    return ratio(decisions.english_correct, decisions.english, "English recall")


def mandarin_recall(decisions: LanguageDecisions) -> Any:
    """The share of Mandarin segments that are identified as Mandarin.

    Examples
    --------
    >>> mandarin_recall(LanguageDecisions(english=4, mandarin=2, english_correct=3, mandarin_correct=1))
    0.5
    """
    return ratio(decisions.mandarin_correct, decisions.mandarin, "Mandarin recall")


def balanced_accuracy(decisions: LanguageDecisions) -> Any:
    """Balanced accuracy: the mean of the recalls of both languages.

    Examples
    --------
    >>> balanced_accuracy(LanguageDecisions(english=4, mandarin=2, english_correct=3, mandarin_correct=1))
    0.625
    """
    return (english_recall(decisions) + mandarin_recall(decisions)) / 2


def balanced_accuracy_per_recording(decisions: LanguageDecisions) -> Any:
    """The mean of the recordings' balanced accuracies, over the recordings with segments of both languages.

    This follows the evaluation plan ("computed for each file"). If no recording has both languages, it is the balanced
    accuracy over all segments. `decisions` is a total of `decisions_per_recording`.

    Examples
    --------
    Two of three recordings have both languages; their accuracies are 3/4 and 1/2.

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
    """The scores of n targets (each segment's own language) and n nontargets (the other language) of n segments.

    Examples
    --------
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
    """The scores of targets (English) and nontargets (Mandarin): English minus Mandarin, in the order of the segments.

    Differences are of doubles, so rounding may tie two of them, but never swaps them. If a difference overflows, as
    1e308 minus -1e308 does, all differences are replaced by their ranks, with the overflowing ones ordered by half the
    difference. Error rates depend only on order and ties, which ranks keep. If a language has no segments, its array is
    empty, and the error rates raise ValueError.

    Examples
    --------
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


def pooled_histograms(
    is_english: Any, english_scores: Any, mandarin_scores: Any, recording: Any
) -> ScoreHistograms:
    """The `pooled_trials` counted by recording and score, fields of shape (k, BINS).

    The EER of their total is the `rocch_eer` of the trials.

    Examples
    --------
    >>> histograms = pooled_histograms([True, False, True], [2, 1, 3], [-2, 3, 1], [0, 0, 1])
    >>> histograms.targets.sum(axis=1).tolist(), histograms.nontargets.sum(axis=1).tolist()
    ([2, 1], [2, 1])
    """
    trials = pooled_trials(is_english, english_scores, mandarin_scores)
    recording, recordings = _numbered(recording, len(trials[0]))
    return trial_histograms(trials, (recording, recording), recordings, score_bins(*trials))


def difference_histograms(
    is_english: Any, english_scores: Any, mandarin_scores: Any, recording: Any
) -> ScoreHistograms:
    """The `difference_trials` counted by recording and score, fields of shape (k, BINS), in `score_bins` with `whole`.

    The EERs of their total are the `rocch_eer` and the `interpolated_eer` of the trials. The minimum costs of the
    `exact_total` are those of the trials. A language without segments raises ValueError.

    Examples
    --------
    >>> histograms = difference_histograms([True, False, True], [2, 1, 3], [-2, 3, 1], [0, 0, 1])
    >>> histograms.targets.sum(axis=1).tolist(), histograms.nontargets.sum(axis=1).tolist()
    ([1, 1], [1, 0])
    """
    trials = difference_trials(is_english, english_scores, mandarin_scores)
    recording, recordings = _numbered(recording, len(trials[0]) + len(trials[1]))
    chosen = np.asarray(is_english)
    bins = score_bins(*trials, whole=True)
    return trial_histograms(trials, (recording[chosen], recording[~chosen]), recordings, bins)


def likelihood_ratio_costs(
    is_english: Any, english_scores: Any, mandarin_scores: Any, recording: Any
) -> LikelihoodRatioCosts:
    """The costs of the differences English minus Mandarin as natural log-likelihood ratios, one row per recording.

    Examples
    --------
    A likelihood ratio of 1 costs 1 bit. It is accepted as either language at a cost ratio of 1, and as neither at 9.

    >>> costs = likelihood_ratio_costs([True, False], [0, 0], [0, 30], [0, 0])
    >>> costs.bits.round(6).tolist(), costs.misses.tolist(), costs.false_alarms.tolist()
    ([[1.0, 0.0]], [[[0, 1], [0, 0]]], [[[1, 0], [0, 0]]])
    """
    is_english, english_scores, mandarin_scores = _segments(is_english, english_scores, mandarin_scores)
    recording, recordings = _numbered(recording, len(is_english))
    with np.errstate(over="ignore"):
        for_english = np.clip(english_scores - mandarin_scores, -LARGEST_RATIO, LARGEST_RATIO)
    for_own = np.where(is_english, for_english, -for_english)
    bits = (np.log1p(np.exp(-np.abs(for_own))) + np.maximum(-for_own, 0)) / np.log(2)
    cell = 2 * recording + ~is_english

    def summed(values: np.ndarray) -> np.ndarray:
        return np.bincount(cell, values, 2 * recordings).reshape(recordings, 2)

    def counted(chosen: np.ndarray) -> np.ndarray:
        return summed(chosen).astype(np.int64)

    thresholds = np.log(COST_RATIOS)
    return LikelihoodRatioCosts(
        counted(np.ones(len(cell))),
        summed(bits),
        np.stack([counted(for_own < threshold) for threshold in thresholds], axis=-1),
        np.stack([counted(-for_own >= threshold) for threshold in thresholds], axis=-1),
    )


def _segments(is_english: Any, *scores: Any) -> tuple[np.ndarray, ...]:
    """Check the three arrays, and return them as booleans, doubles and doubles."""
    is_english = np.asarray(is_english)
    if is_english.dtype != bool or is_english.ndim != 1:
        raise ValueError(
            f"is_english must be booleans of shape (n,), not {is_english.dtype} of shape {is_english.shape}"
        )
    arrays = [is_english]
    for each, name in zip(scores, ("English scores", "Mandarin scores")):
        arrays.append(doubles(each, name))
        if len(arrays[-1]) != len(is_english):
            raise ValueError(f"lengths differ: {len(is_english)} segments, {len(arrays[-1])} {name}")
        if not np.isfinite(arrays[-1]).all():
            refuse_not_finite(arrays[-1], name)
    return tuple(arrays)


def _numbered(recording: Any, segments: int) -> tuple[np.ndarray, int]:
    """Check each segment's recording, and return the array and the number of recordings."""
    recording = np.asarray(recording)
    if recording.shape != (segments,) or recording.dtype.kind not in "iu" or recording.min() < 0:
        raise ValueError(
            f"recordings must be {segments} whole numbers from 0, not {recording.dtype} of {recording.shape}"
        )
    return recording.astype(np.int64), int(recording.max()) + 1
