"""PSST Task A: transcribe what people with aphasia said, phone by phone. Primary score: FER, lower is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/utterances.tsv, INPUT_DIR/res/transcripts.tsv)

The metrics are defined in spokeneval.metrics.phoneme_recognition, phones and features in the table beside it,
arpabet_features.tsv. An organiser's own table takes its place: whatever phones and features it has then hold for
references, submissions and scores alike, on the server and in the kit.
"""

from __future__ import annotations

import sys

from spokeneval.metrics import phoneme_recognition as metrics
from spokeneval.results.options import Options
from spokeneval.results.programs import score_main
from spokeneval.submissions.psst_recognition import Reference, Submission, read_reference, read_submission

SCORES = ("fer", "per", "substitutions", "insertions", "deletions")

OPTIONS = {}


def evaluate(reference: Reference, submission: Submission, options: Options) -> dict[str, float]:
    """Every score of one submission; the two rates in percent, pooled over the utterances, not capped."""
    errors = metrics.count_errors(reference.transcripts, submission.transcripts)
    return {
        "fer": 100 * errors.feature_error_rate,
        "per": 100 * errors.phone_error_rate,
        "substitutions": errors.substitutions,
        "insertions": errors.insertions,
        "deletions": errors.deletions,
    }


if __name__ == "__main__":
    sys.exit(
        score_main(
            "psst_recognition",
            read_reference=read_reference,
            read_submission=read_submission,
            evaluate=evaluate,
            scores=SCORES,
            options=OPTIONS,
        )
    )
