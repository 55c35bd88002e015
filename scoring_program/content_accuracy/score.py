"""Content accuracy: predict the score of a spoken response. Primary score: Pearson's r, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/reference.csv, INPUT_DIR/res/predictions.csv)

The metrics are defined in spokeneval.metrics.agreement. For kappa and the two agreements, predictions are trimmed to
[1 - 0.4998, 4 + 0.4998] and rounded to the nearest integer, halves to even. Ours, where the paper leaves it open: a
correlation that is not defined counts as 0, that is pearson_r of constant predictions, and partial_r where nothing is
left to correlate once the number of words is held constant.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from spokeneval.metrics import agreement as metrics
from spokeneval.results.options import Options
from spokeneval.results.programs import score_main
from spokeneval.results.uncertainty import Statistics, summed_by_unit
from spokeneval.submissions.content_accuracy import (
    RUBRIC,
    Reference,
    Submission,
    read_reference,
    read_submission,
)

SCORES = (
    "pearson_r",
    "quadratic_kappa",
    "partial_r",
    "exact",
    "adjacent",
    "rmse",
    "pearson_r_low",
    "pearson_r_high",
)

LOWER_IS_BETTER = ("rmse",)

OPTIONS = {}


def evaluate(reference: Reference, submission: Submission, options: Options) -> dict[str, float]:
    """Every score of one submission; the two agreements in percent."""
    human, predicted = reference.human_scores, submission.scores
    rounded = metrics.round_to_scale(predicted, *RUBRIC)
    differences = metrics.differences(human, rounded, scale=RUBRIC)
    return {
        "pearson_r": or_zero(metrics.pearson_r, human, predicted),
        "quadratic_kappa": metrics.cohen_kappa(human, rounded, weights="quadratic", scale=RUBRIC),
        "partial_r": or_zero(metrics.partial_r, human, predicted, reference.words),
        "exact": 100 * differences.exact,
        "adjacent": 100 * differences.adjacent,
        "rmse": metrics.rmse(human, predicted),
    }


def or_zero(correlation: Callable[..., float], *variables: Any) -> float:
    """The correlation, or 0 where there is none because something does not vary."""
    try:
        return correlation(*variables)
    except metrics.UndefinedCorrelation:
        return 0.0


def statistics(reference: Reference, submission: Submission) -> Statistics:
    """One row a speaker: responses, and sums of x (human score), y (prediction), their squares and product.

    Both less their means over all responses, and scaled: a correlation does not see it.
    """
    moments = metrics.correlation_moments(reference.human_scores, submission.scores)
    return summed_by_unit(
        "speaker", reference.sheet["speaker_id"], ("n", "x", "y", "xx", "yy", "xy"), moments
    )


def primary(sums: np.ndarray) -> np.ndarray:
    """pearson_r of many sums of the statistics' rows, shape=(r, 6) to (r,); 0 where something is constant."""
    return np.nan_to_num(metrics.pearson_r_of_moments(sums))


if __name__ == "__main__":
    sys.exit(
        score_main(
            "content_accuracy",
            read_reference=read_reference,
            read_submission=read_submission,
            evaluate=evaluate,
            statistics=statistics,
            primary=primary,
            scores=SCORES,
            options=OPTIONS,
        )
    )
