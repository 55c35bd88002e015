"""MERLion CCS, Task 2: which language is spoken when. Primary score: DER in percent, lower is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/labels.csv and regions.csv, INPUT_DIR/res/*.txt)

The metrics are defined in spokeneval.metrics.language_diarization.
"""

from __future__ import annotations

import sys

import numpy as np

from spokeneval.metrics import language_diarization as metrics
from spokeneval.results.options import Options
from spokeneval.results.programs import score_main
from spokeneval.results.uncertainty import Statistics
from spokeneval.submissions.merlion_diarization import (
    Reference,
    Submission,
    read_reference,
    read_submission,
)

SCORES = (
    "der",
    "english_error",
    "mandarin_error",
    "miss",
    "false_alarm",
    "language_error",
    "lder_script",
    "english_error_script",
    "mandarin_error_script",
    "der_low",
    "der_high",
)

LOWER_IS_BETTER = SCORES

OPTIONS = {}


def evaluate(reference: Reference, submission: Submission, options: Options) -> dict[str, float]:
    """Every score of one submission, in percent."""
    times = sum(times_per_recording(reference, submission), metrics.LanguageTimes())
    return {key: 100 * getattr(times, key) for key in SCORES[:-2]}


def times_per_recording(reference: Reference, submission: Submission) -> list[metrics.LanguageTimes]:
    """The scored times of each recording, in the order of the items."""
    recordings = map(
        metrics.Recording, reference.turns, submission.turns, reference.regions, reference.excluded
    )
    return metrics.language_times_per_recording(list(recordings))


def statistics(reference: Reference, submission: Submission) -> Statistics:
    """One row a recording: time in error and language time of the reference, in ms."""
    values = metrics.error_sums(times_per_recording(reference, submission))
    return Statistics("recording", reference.items.ids, ("error_ms", "reference_ms"), values)


def primary(sums: np.ndarray) -> np.ndarray:
    """der, in percent, of many sums of the statistics' rows, shape=(r, 2) to (r,)."""
    return 100 * metrics.der_of_sums(sums)


if __name__ == "__main__":
    sys.exit(
        score_main(
            "merlion_diarization",
            read_reference=read_reference,
            read_submission=read_submission,
            evaluate=evaluate,
            statistics=statistics,
            primary=primary,
            scores=SCORES,
            options=OPTIONS,
        )
    )
