"""Caller Experience: rate calls as expert listeners do. Primary score: the mean kappa with them, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/reference.csv, INPUT_DIR/res/ratings.csv)

The metrics are defined in spokeneval.metrics.agreement. Kappa has linear weights on the fixed scale 1-5, distances
being between the ratings themselves. Ours, where the paper leaves it open: if a listener and the system give one and
the same rating to all calls, their kappa is 1.
"""

from __future__ import annotations

import sys

import numpy as np

from spokeneval.metrics import agreement as metrics
from spokeneval.results.options import Options
from spokeneval.results.programs import score_main
from spokeneval.submissions.caller_experience import (
    SCALE,
    Reference,
    Submission,
    read_reference,
    read_submission,
)

SCORES = (
    "kappa_mean",
    "kappa_human1",
    "kappa_human2",
    "kappa_human3",
    "human_kappa_mean",
    "parity",
    "exact",
    "within_one",
)

OPTIONS = {}


def evaluate(reference: Reference, submission: Submission, options: Options) -> dict[str, float]:
    """Every score of one submission; the two agreements in percent, over the three listeners."""
    first, second, third = reference.listeners
    kappas = [kappa(listener, submission.ratings) for listener in reference.listeners]
    human_kappas = [kappa(first, second), kappa(first, third), kappa(second, third)]
    one, two, three = (
        metrics.differences(listener, submission.ratings, scale=SCALE) for listener in reference.listeners
    )
    differences = one + two + three
    return {
        "kappa_mean": sum(kappas) / 3,
        "kappa_human1": kappas[0],
        "kappa_human2": kappas[1],
        "kappa_human3": kappas[2],
        "human_kappa_mean": sum(human_kappas) / 3,
        "parity": (sum(kappas) - sum(human_kappas)) / 3,
        "exact": 100 * differences.exact,
        "within_one": 100 * differences.adjacent,
    }


def kappa(first: np.ndarray, second: np.ndarray) -> float:
    """Linearly weighted kappa of two raters, ratings shape=(n,)."""
    return metrics.cohen_kappa(first, second, weights="linear", scale=SCALE)


if __name__ == "__main__":
    sys.exit(
        score_main(
            "caller_experience",
            read_reference=read_reference,
            read_submission=read_submission,
            evaluate=evaluate,
            scores=SCORES,
            options=OPTIONS,
        )
    )
