"""MERLIon CCS, Task 1: is a segment English or Mandarin? Primary score: EER in percent, lower is better.

The evaluation plan does not define the balanced accuracy per recording if no recording has segments of both languages;
here it is then the balanced accuracy over all segments.

Source: MERLIon CCS Challenge Evaluation Plan 1.2 (2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

import numpy as np

from ..formats import segment_scores as files
from ..formats.format import Format, Items
from ..formats.language_labels import LANGUAGES, recording_names
from ..formats.segment_scores import Reference
from ..formats.sheets import Answers, take_answers
from ..formats.speakers import choose_units
from ..metrics import detection_cost, equal_error_rate
from ..metrics import language_identification as identification
from ..metrics.equal_error_rate import ScoreHistograms
from ..task import HIGHER, LOWER, POSITIVE, Score, Task, View
from ..trivial import random_numbers


def count(reference: Reference, submission: Answers) -> dict[str, Any]:
    """Count one row for each recording.

    An EER cannot be computed from sums, but the EER of a histogram can. The histograms' bins are chosen so that the EER
    over all recordings is exactly that of the scores, and the EER of a resample nearly so; minimum costs are those of
    `exact_differences`. If the segments are all of
    one language, as in a part of a set, the plan's trials of English against Mandarin are not counted.
    """
    scored = reference.is_english, *submission.columns.values(), reference.recordings
    both = len(set(reference.is_english.tolist())) == 2
    return {
        "pooled": identification.pooled_histograms(*scored),
        **({"differences": identification.difference_histograms(*scored)} if both else {}),
        "decisions": identification.decisions_per_recording(*scored),
        "ratios": identification.likelihood_ratio_costs(*scored),
    }


def exact_differences(reference: Reference, submission: Answers, whole: ScoreHistograms) -> ScoreHistograms:
    """The histogram of all differences with every vertex of the hull, for exact minimum costs; see `Task.exact`."""
    scored = reference.is_english, *submission.columns.values()
    return equal_error_rate.exact_total(whole, *identification.difference_trials(*scored))


def curves(reference: Reference, submission: Answers) -> list[tuple[Any, ...]]:
    """Return the trials of the report's curves: their name, the key of their EER, and the scores of both sides."""
    scored = reference.is_english, *submission.columns.values()
    return [
        ("two trials per segment, pooled", "eer", *identification.pooled_trials(*scored)),
        ("English minus Mandarin", "eer_plan", *identification.difference_trials(*scored)),
    ]


def right(rows: Mapping[str, Any]) -> Any:
    """The share of the segments whose language is identified correctly."""
    decisions = rows["decisions"]
    correct = decisions.english_correct + decisions.mandarin_correct
    return correct / (decisions.english + decisions.mandarin)


def remarks(submission: Answers) -> list[str]:
    scores = np.stack(list(submission.columns.values()), axis=1)
    return [detection_cost.PROBABILITIES] if detection_cost.look_like_posteriors(scores) else []


def chosen(submission: Answers) -> np.ndarray:
    """1 for the language of each segment that the scores decide, and 0 for the other, shape (n, 2)."""
    english = submission["English"] >= submission["Mandarin"]
    return np.stack([english, ~english], axis=1).astype(float)


def guesses(items: Items, english: np.ndarray) -> Answers:
    """A submission with score 1 for the guessed language of each segment, and 0 for the other."""
    return files.given_scores(items, english.astype(np.float64), 1.0 - english)


def partly_right(reference: Any, right: np.ndarray) -> Answers:
    """A submission with score 1 for the language of each chosen segment, and 0 for all others."""
    english = np.asarray(reference.is_english, dtype=bool)
    return files.given_scores(reference.items, *((right & own) * 1.0 for own in (english, ~english)))


# fmt: off
SCORES = (
    Score("eer", "EER", LOWER, equal_error_rate.histogram_eer,
          "equal error rate of two pooled trials per segment, on the ROC convex hull", of="pooled", percent=True,
          best=0, interval=equal_error_rate.eer_interval),
    Score("balanced_accuracy", "Balanced accuracy", HIGHER, identification.balanced_accuracy,
          "mean recall of the two languages over all segments", of="decisions", percent=True),
    Score("eer_plan", "EER of the plan", LOWER, equal_error_rate.histogram_eer,
          "one trial per segment, English minus Mandarin score, on the ROC convex hull", of="differences",
          percent=True, interval=equal_error_rate.eer_interval),
    Score("eer_interpolated", "EER interpolated", LOWER, equal_error_rate.histogram_interpolated_eer,
          "as the plan's EER, but on the interpolated curve where miss = false alarm", of="differences", percent=True),
    Score("balanced_accuracy_per_recording", "Balanced acc. per recording", HIGHER,
          identification.balanced_accuracy_per_recording, "mean over the recordings in which both languages occur",
          of="decisions", percent=True),
    Score("english_recall", "English recall", HIGHER, identification.english_recall,
          "share of English segments identified as English", of="decisions", percent=True),
    Score("mandarin_recall", "Mandarin recall", HIGHER, identification.mandarin_recall,
          "share of Mandarin segments identified as Mandarin", of="decisions", percent=True),
    Score("cllr", "Cllr", LOWER, detection_cost.cllr,
          "cost in bits if score differences are read as log-likelihood ratios; 1 without information, 0.45 or more "
          "for probabilities, which are not such scores",
          of="ratios", bounds=POSITIVE),
    Score("minimum_cllr", "Minimum Cllr", LOWER, detection_cost.minimum_cllr,
          "Cllr after the best calibration, by pool-adjacent-violators", of="differences",
          interval=detection_cost.minimum_cllr_interval),
    Score("actual_dcf", "Actual DCF", LOWER, detection_cost.detection_cost,
          "NIST's detection cost at the thresholds of log-likelihood ratios, priors 1/2 and 1/10; 0.5 or more for "
          "probabilities, which are not such scores", of="ratios", bounds=POSITIVE),
    Score("minimum_dcf", "Minimum DCF", LOWER, detection_cost.minimum_detection_cost,
          "NIST's detection cost, each language at each prior at its own best threshold", of="differences",
          interval=detection_cost.minimum_detection_cost_interval),
)
# fmt: on

TASK = Task(
    name="merlion_identification",
    title="MERLIon CCS, language identification",
    format=Format(
        files.LAYOUTS,
        files.SUBMISSION.file,
        files.LIST_FILES,
        files.read_reference,
        files.public_files,
        files.read_items,
        files.read_submission,
        files.rows,
        take_answers,
        item_rows=files.item_rows,
        take_reference=files.take_reference,
        any_order=True,
        submission=files.SUBMISSION,
        write_submission=files.write_submission,
    ),
    units=lambda reference: choose_units(
        recording_names(reference.audio_names), "recording", speaker=reference.speakers
    ),
    count=count,
    scores=SCORES,
    exact={"differences": exact_differences},
    right=right,
    labels=lambda reference: reference.is_english.tolist(),
    trivial={
        "always English": lambda items: guesses(items, np.ones(len(items))),
        "always Mandarin": lambda items: guesses(items, np.zeros(len(items))),
        "a language at random": lambda items: guesses(items, random_numbers(len(items), 2)),
    },
    partly_right=partly_right,
    remarks=remarks,
    view=View(
        "identification",
        expected=lambda reference: (~reference.is_english).astype(int),
        given=chosen,
        facts={
            "classes": LANGUAGES,
            "curves": curves,
            "lengths": files.lengths,
            "rows": attrgetter("recordings"),
        },
    ),
    shared_scale=False,  # the bins depend on each system's own scores
)
