"""PSST Task A: transcribe what people with aphasia said, phone by phone. Primary score: FER, lower is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/utterances.tsv, INPUT_DIR/res/transcripts.tsv)

The metrics are defined in spokeneval.metrics.phoneme_recognition, phones and features in the table beside it,
arpabet_features.tsv. An organiser's own table takes its place: whatever phones and features it has then hold for
references, submissions and scores alike, on the server and in the kit.
"""

from __future__ import annotations

import sys

import numpy as np

from spokeneval.metrics import phoneme_recognition as metrics
from spokeneval.results.options import Options
from spokeneval.results.programs import score_main
from spokeneval.results.uncertainty import Statistics, summed_by_unit
from spokeneval.submissions.psst import speakers
from spokeneval.submissions.psst_recognition import Reference, Submission, read_reference, read_submission

SCORES = ("fer", "per", "substitutions", "insertions", "deletions", "fer_low", "fer_high")

LOWER_IS_BETTER = SCORES

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


def statistics(reference: Reference, submission: Submission) -> Statistics:
    """One row a session, that is a speaker: feature cost, and features of the phones that were said."""
    errors = metrics.errors_by_utterance(reference.transcripts, submission.transcripts)
    unit, names = speakers(reference)
    values = np.stack([errors.feature_cost, errors.features * errors.reference_phones], axis=1)
    return summed_by_unit(unit, names, ("feature_cost", "reference_features"), values)


def primary(sums: np.ndarray) -> np.ndarray:
    """fer, in percent, of many sums of the statistics' rows, shape=(r, 2) to (r,)."""
    return 100 * metrics.feature_error_rate_of_sums(sums)


if __name__ == "__main__":
    sys.exit(
        score_main(
            "psst_recognition",
            read_reference=read_reference,
            read_submission=read_submission,
            evaluate=evaluate,
            statistics=statistics,
            primary=primary,
            scores=SCORES,
            options=OPTIONS,
        )
    )
