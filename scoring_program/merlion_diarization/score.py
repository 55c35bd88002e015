"""MERLion CCS, Task 2: which language is spoken when. Primary score: DER in percent, lower is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/labels.csv and regions.csv, INPUT_DIR/res/*.txt)

The metrics are defined in spokeneval.metrics.language_diarization.
"""

from __future__ import annotations

import sys

from spokeneval.metrics import language_diarization as metrics
from spokeneval.results.options import Options
from spokeneval.results.programs import score_main
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
)

OPTIONS = {}


def evaluate(reference: Reference, submission: Submission, options: Options) -> dict[str, float]:
    """Every score of one submission, in percent."""
    recordings = map(
        metrics.Recording, reference.turns, submission.turns, reference.regions, reference.excluded
    )
    times = sum(metrics.language_times_per_recording(list(recordings)), metrics.LanguageTimes())
    return {key: 100 * getattr(times, key) for key in SCORES}


if __name__ == "__main__":
    sys.exit(
        score_main(
            "merlion_diarization",
            read_reference=read_reference,
            read_submission=read_submission,
            evaluate=evaluate,
            scores=SCORES,
            options=OPTIONS,
        )
    )
