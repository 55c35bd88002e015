"""PSST Task B: is the naming response correct? Primary score: F1 of the correct ones, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/utterances.tsv, INPUT_DIR/res/correctness.tsv)

The metrics are defined in spokeneval.metrics.correctness. Ours, where the challenge leaves it open: F1 is 0 without
a true positive, precision is 0 where nothing is predicted correct.
"""

from __future__ import annotations

import sys

import numpy as np

from spokeneval.metrics import correctness as metrics
from spokeneval.results.options import Options
from spokeneval.results.programs import score_main
from spokeneval.results.uncertainty import Statistics, summed_by_unit
from spokeneval.submissions.psst import speakers
from spokeneval.submissions.psst_correctness import Reference, Submission, read_reference, read_submission

SCORES = ("f1", "precision", "recall", "accuracy", "balanced_accuracy", "f1_low", "f1_high")

OPTIONS = {}

primary = metrics.f1_of_counts


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


def statistics(reference: Reference, submission: Submission) -> Statistics:
    """One row a session, that is a speaker: its responses in each of TP, FP, FN, TN."""
    correct, predicted = reference.correct, submission.correct
    cells = correct & predicted, ~correct & predicted, correct & ~predicted, ~correct & ~predicted
    unit, names = speakers(reference)
    values = np.stack(cells, axis=1).astype(np.int64)
    return summed_by_unit(unit, names, ("tp", "fp", "fn", "tn"), values)


if __name__ == "__main__":
    sys.exit(
        score_main(
            "psst_correctness",
            read_reference=read_reference,
            read_submission=read_submission,
            evaluate=evaluate,
            statistics=statistics,
            primary=primary,
            scores=SCORES,
            options=OPTIONS,
        )
    )
