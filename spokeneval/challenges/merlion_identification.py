"""MERLIon CCS, Task 1: is a segment English or Mandarin? Primary score: the EER of the plan in percent.

The larger score decides the language of a segment; of equal ones, English. For error rates and costs, segments are
turned into detection trials in one of two ways:

- two trials per segment in one pool, its English score (a target if the segment is English) and its Mandarin score (a
  target if the segment is Mandarin). This is the definition in the challenge's own script.
- one trial per segment, English minus Mandarin, with English as the target. This is the definition in the evaluation
  plan ("Scoring metrics"). A miss is English identified as Mandarin, a false alarm is Mandarin identified as English.

The evaluation plan does not define the balanced accuracy per recording if no recording has segments of both languages;
here it is then the balanced accuracy over all segments.

Sources: MERLIon CCS Challenge Evaluation Plan 1.2 (2023); N. Brümmer and J. du Preez, "Application-independent
evaluation of speaker detection" (2006), for Cllr; NIST 2022 Language Recognition Evaluation Plan, section 4, for the
detection costs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Callable, Optional

import numpy as np

from ..formats.format import Answers, Format, Items
from ..formats.language_labels import LANGUAGES
from ..formats.segment_scores import FORMAT, given_scores, lengths
from ..formats.speakers import Units, choose_units
from ..formats.tables import numbered
from ..kinds.identification import IdentificationKind
from ..kinds.identification_scores import eer_interval, minimum_cllr_interval
from ..metrics import detection_cost, equal_error_rate
from ..metrics import identification as metrics
from ..metrics.counts import Number, cell_sums, ratio
from ..metrics.equal_error_rate import ScoreHistograms
from ..metrics.shares import cost_of_shares, cost_shares, interval_of_fitted, of_shares
from ..task import HIGHER, LOWER, POSITIVE, Score
from ..trivial import random_numbers

WEIGHTS = ((1, 1), (1, 9))
"""The weights of misses and of false alarms in NIST's detection costs, for priors of 1/2 and 1/10."""


@dataclass(frozen=True)
class SegmentCosts(metrics.ClassCosts):
    """Segments of each language, their decisions and costs at the thresholds of `WEIGHTS`.

    Attributes
    ----------
    mixed_recordings
        The number of recordings with segments of both languages.
    mixed_accuracy
        The sum of the balanced accuracies of these recordings.
    """

    mixed_recordings: Number
    mixed_accuracy: Number


def segment_costs(labels: Any, scores: Any, recording: Any) -> SegmentCosts:
    """Count decisions and costs, one row for each recording.

    Cllr's bits are log2(1 + 1 / LR), with the likelihood ratio LR for the true language.
    """
    costs = metrics.class_costs(labels, scores, recording, weights=WEIGHTS, minimum=False)
    own = metrics.detector_ratios(scores)[np.arange(len(labels)), labels]
    bits = (np.log1p(np.exp(-np.abs(own))) + np.clip(-own, 0, detection_cost.LARGEST_RATIO)) / np.log(2)
    rows, cell = len(costs.items), 2 * np.asarray(recording) + labels
    mixed = np.asarray(costs.items > 0).all(axis=1)
    return SegmentCosts(
        costs.items,
        costs.hits,
        cell_sums(cell, bits, 2 * rows).reshape(rows, 2),
        costs.misses,
        costs.false_alarms,
        mixed.astype(np.int64),
        np.where(mixed, metrics.macro_accuracy(costs), 0.0),
    )


def difference_trials(labels: Any, scores: Any) -> tuple[np.ndarray, np.ndarray]:
    """The differences English minus Mandarin of the English segments, and of the Mandarin ones.

    Differences are of doubles, so rounding may tie two of them, but never swaps them. If a difference overflows, as
    1e308 minus -1e308 does, all differences are replaced by their ranks, with the overflowing ones ordered by half the
    difference. Error rates depend only on order and ties, which ranks keep.
    """
    labels, scores, *_ = metrics.checked_items(labels, scores, np.zeros(len(scores), dtype=np.int64))
    with np.errstate(over="ignore"):
        difference = scores[:, 0] - scores[:, 1]
    if not np.isfinite(difference).all():
        half = np.where(np.isinf(difference), scores[:, 0] / 2 - scores[:, 1] / 2, 0)
        _, rank = np.unique(np.stack([difference, half], axis=1), axis=0, return_inverse=True)
        difference = rank.ravel().astype(float)
    return difference[labels == 0], difference[labels == 1]


def _scored(reference: Answers, submission: Answers) -> tuple[np.ndarray, np.ndarray]:
    return reference["label"], np.stack([submission[language] for language in LANGUAGES], axis=1)


def exact_differences(reference: Answers, submission: Answers, whole: ScoreHistograms) -> ScoreHistograms:
    """The histogram of all differences with every vertex of the hull, for exact minimum costs; see `Task.exact`."""
    return equal_error_rate.exact_total(whole, lambda: difference_trials(*_scored(reference, submission)))


@of_shares(lambda costs: (costs.mixed_accuracy, costs.mixed_recordings, costs.items.sum(axis=-1)))
def balanced_accuracy_per_recording(costs: SegmentCosts) -> Any:
    """The mean of the balanced accuracies of the recordings with segments of both languages ("for each file").

    If no recording has both languages, it is the balanced accuracy over all segments.
    """
    recordings = np.asarray(costs.mixed_recordings)
    by_recording = costs.mixed_accuracy / np.maximum(recordings, 1)
    if not recordings.ndim:
        return float(by_recording) if recordings else metrics.macro_accuracy(costs)
    return np.where(recordings > 0, by_recording, metrics.macro_accuracy(costs))


@of_shares(partial(cost_shares, weights=WEIGHTS), partial(cost_of_shares, weights=WEIGHTS))
def actual_cost(costs: SegmentCosts) -> Any:
    r"""NIST's primary cost of the 2017 and 2022 evaluations, at the thresholds for calibrated log-likelihood ratios.

    It is the mean over both languages and both `WEIGHTS` of P(miss) + beta P(false alarm), where a language is accepted
    if its log-likelihood ratio is at least log(beta). The cost is from 0 to 6, and 1 for a system that accepts nothing.
    """
    cost = 0
    for own, other in ((0, 1), (1, 0)):
        for place, (_, beta) in enumerate(WEIGHTS):
            misses, false_alarms = costs.misses[..., own, place], costs.false_alarms[..., other, place]
            cost = cost + ratio(misses, costs.items[..., own], "the detection cost")
            cost = cost + beta * ratio(false_alarms, costs.items[..., other], "the detection cost")
    return cost / (2 * len(WEIGHTS))


def guesses(items: Items, english: Any) -> Answers:
    """A submission with score 1 for the guessed language of each segment, and 0 for the other."""
    english = np.broadcast_to(np.float64(english), len(items))
    return given_scores(items, english, 1.0 - english)


minimum_dcf = partial(detection_cost.minimum_detection_cost, weights=WEIGHTS)

# fmt: off
SCORES = (
    Score("eer_plan", "EER", LOWER, equal_error_rate.histogram_eer,
          "equal error rate of the evaluation plan: one trial per segment, English minus Mandarin score, on the ROC "
          "convex hull", of="differences", percent=True, best=0, interval=eer_interval),
    Score("balanced_accuracy", "Balanced accuracy", HIGHER, metrics.macro_accuracy,
          "mean recall of the two languages over all segments", of="classes", percent=True),
    Score("eer", "EER, pooled (script)", LOWER, equal_error_rate.histogram_eer,
          "equal error rate of the challenge's script: two pooled trials per segment, on the ROC convex hull",
          of="pooled", percent=True, best=0, interval=eer_interval),
    Score("eer_interpolated", "EER interpolated", LOWER, equal_error_rate.histogram_interpolated_eer,
          "as the EER, but on the interpolated curve where miss = false alarm", of="differences", percent=True),
    Score("balanced_accuracy_per_recording", "Bal. acc. per recording", HIGHER, balanced_accuracy_per_recording,
          "mean over the recordings in which both languages occur", of="classes", percent=True),
    Score("english_recall", "English recall", HIGHER, partial(metrics.class_recall, number=0),
          "share of English segments identified as English", of="classes", percent=True),
    Score("mandarin_recall", "Mandarin recall", HIGHER, partial(metrics.class_recall, number=1),
          "share of Mandarin segments identified as Mandarin", of="classes", percent=True),
    Score("cllr", "Cllr", LOWER, metrics.class_cllr,
          "cost in bits if score differences are read as log-likelihood ratios; 1 without information, 0.45 or more "
          "for probabilities, which are not such scores",
          of="classes", bounds=POSITIVE),
    Score("minimum_cllr", "Minimum Cllr", LOWER, detection_cost.minimum_cllr,
          "Cllr after the best calibration, by pool-adjacent-violators", of="differences",
          interval=minimum_cllr_interval),
    Score("actual_dcf", "Actual DCF", LOWER, actual_cost,
          "NIST's detection cost at the thresholds of log-likelihood ratios, priors 1/2 and 1/10; 0.5 or more for "
          "probabilities, which are not such scores", of="classes", bounds=POSITIVE),
    Score("minimum_dcf", "Minimum DCF", LOWER, minimum_dcf,
          "NIST's detection cost, each language at each prior at its own best threshold", of="differences",
          interval=partial(interval_of_fitted, formula=minimum_dcf, bias=4)),
)
# fmt: on


class LanguageSegments(IdentificationKind):
    """The kind with the challenge's files, counts and scores."""

    def format(self) -> Format:
        return FORMAT

    def units_of(self, reference: Answers) -> Units:
        return choose_units(reference.texts["recording"], "recording", speaker=reference.speakers)

    def count(self, reference: Answers, submission: Answers) -> dict[str, Any]:
        """Count one row for each recording.

        An EER cannot be computed from sums, but the EER of a histogram can. The histograms' bins are chosen so that the
        EER over all recordings is exactly that of the scores, and the EER of a resample nearly so; minimum costs are
        those of `exact_differences`.
        """
        labels, scores = _scored(reference, submission)
        row = numbered(reference.texts["recording"])[1]
        trials = difference_trials(labels, scores)
        return {
            "pooled": metrics.pooled_histograms(labels, scores, row),
            "differences": metrics.detection_histograms(labels, scores, row, trials=trials),
            "classes": segment_costs(labels, scores, row),
        }

    def all_scores(self) -> tuple[Score, ...]:
        return SCORES

    def trivial(self) -> dict[str, Callable[[Items], Answers]]:
        return {
            "always English": partial(guesses, english=1),
            "always Mandarin": partial(guesses, english=0),
            "a language at random": lambda items: guesses(items, random_numbers(len(items), 2)),
        }

    def partly_right(self, reference: Answers, right: np.ndarray) -> Answers:
        """A submission with score 1 for the language of each chosen segment, and 0 for all others."""
        own = (reference["label"] == language for language in (0, 1))
        return given_scores(reference.items, *((right & each) * 1.0 for each in own))

    def given(self, submission: Answers) -> np.ndarray:
        """1 for the language of each segment that the scores decide, and 0 for the other, shape (n, 2)."""
        english = submission["English"] >= submission["Mandarin"]
        return np.stack([english, ~english], axis=1).astype(float)

    def curves(self, reference: Answers, submission: Answers) -> list[tuple[Any, ...]]:
        """Return the trials of the report's curves: their name, the key of their EER, and the scores of both sides."""
        scored = _scored(reference, submission)
        return [
            ("two trials per segment, pooled", "eer", *metrics.pooled_trials(*scored)),
            ("English minus Mandarin", "eer_plan", *difference_trials(*scored)),
        ]

    def lengths(self, reference: Answers) -> Optional[np.ndarray]:
        return lengths(reference)

    def row_numbers(self, reference: Answers) -> np.ndarray:
        return numbered(reference.texts["recording"])[1]


TASK = replace(
    LanguageSegments(LANGUAGES).task("merlion_identification", "MERLIon CCS, language identification"),
    exact={"differences": exact_differences},
)
