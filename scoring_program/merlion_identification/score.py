"""MERLion CCS, Task 1: English or Mandarin, segment by segment. Primary score: EER in percent, lower is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/labels.csv, INPUT_DIR/res/prediction.txt)

The metrics are defined in spokeneval.metrics.language_identification. Where no recording has segments of both
languages, the balanced accuracy per recording is the one pooled over all segments.
"""

from __future__ import annotations

import sys

import numpy as np

from spokeneval.metrics import language_identification as metrics
from spokeneval.results.options import Options
from spokeneval.results.programs import score_main
from spokeneval.results.uncertainty import Statistics
from spokeneval.submissions.merlion import recording_names
from spokeneval.submissions.merlion_identification import (
    Reference,
    Submission,
    read_reference,
    read_submission,
)

SCORES = (
    "eer",
    "balanced_accuracy",
    "eer_plan",
    "eer_interpolated",
    "balanced_accuracy_per_recording",
    "english_recall",
    "mandarin_recall",
    "eer_low",
    "eer_high",
)

LOWER_IS_BETTER = ("eer", "eer_plan", "eer_interpolated", "eer_low", "eer_high")

OPTIONS = {}


def evaluate(reference: Reference, submission: Submission, options: Options) -> dict[str, float]:
    """Every score of one submission, in percent."""
    segments = reference.is_english, submission.english, submission.mandarin
    pooled = metrics.pooled_trials(*segments)
    differences = metrics.difference_trials(*segments)
    recordings = metrics.decisions_per_recording(*segments, reference.recordings)
    decisions = sum(recordings.values(), metrics.LanguageDecisions(0, 0, 0, 0))
    both = [each.balanced_accuracy for each in recordings.values() if each.english and each.mandarin]
    scores = {
        "eer": metrics.rocch_eer(*pooled),
        "balanced_accuracy": decisions.balanced_accuracy,
        "eer_plan": metrics.rocch_eer(*differences),
        "eer_interpolated": metrics.interpolated_eer(*differences),
        "balanced_accuracy_per_recording": sum(both) / len(both) if both else decisions.balanced_accuracy,
        "english_recall": decisions.english_recall,
        "mandarin_recall": decisions.mandarin_recall,
    }
    return {key: 100 * score for key, score in scores.items()}


def statistics(reference: Reference, submission: Submission) -> Statistics:
    """One row a recording: its target scores counted in each of 255 bins, then its nontarget scores.

    An EER is no function of sums, but that of a histogram is. The bins are laid so that all rows together have the
    EER of the scores themselves, and a resample nearly so (`score_bins`).
    """
    segments = reference.is_english, submission.english, submission.mandarin
    values = metrics.histograms_per_recording(*metrics.pooled_trials(*segments), reference.recordings)
    columns = [f"{kind}_{bin}" for kind in ("target", "nontarget") for bin in range(metrics.BINS)]
    return Statistics("recording", recording_names(reference.audio_names), columns, values)


def primary(sums: np.ndarray) -> np.ndarray:
    """eer, in percent, of many sums of the statistics' rows, shape=(r, 510) to (r,)."""
    return 100 * metrics.eer_of_histograms(sums)


if __name__ == "__main__":
    sys.exit(
        score_main(
            "merlion_identification",
            read_reference=read_reference,
            read_submission=read_submission,
            evaluate=evaluate,
            statistics=statistics,
            primary=primary,
            scores=SCORES,
            options=OPTIONS,
        )
    )
