"""PSST Task B: is the naming response correct? Primary score: F1 of the correct ones, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/utterances.tsv, INPUT_DIR/res/correctness.tsv)

The metrics are defined in spokeneval.metrics.correctness. Ours, where the challenge leaves it open: F1 is 0 without
a true positive, precision is 0 where nothing is predicted correct.
"""

from __future__ import annotations

import sys

from spokeneval.metrics import correctness as metrics
from spokeneval.results.options import Options
from spokeneval.results.programs import score_main
from spokeneval.submissions.psst_correctness import Reference, Submission, read_reference, read_submission

SCORES = ("f1", "precision", "recall", "accuracy", "balanced_accuracy")

OPTIONS = {}


def evaluate(reference: Reference, submission: Submission, options: Options) -> dict[str, float]:
    """Every score of one submission, as fractions."""
    counts = metrics.count_predictions(reference.correct, submission.correct)
    return {
        "f1": counts.f1,
        "precision": counts.precision,
        "recall": counts.recall,
        "accuracy": counts.accuracy,
        "balanced_accuracy": counts.balanced_accuracy,
    }


if __name__ == "__main__":
    sys.exit(
        score_main(
            "psst_correctness",
            read_reference=read_reference,
            read_submission=read_submission,
            evaluate=evaluate,
            scores=SCORES,
            options=OPTIONS,
        )
    )
