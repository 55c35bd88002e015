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
from spokeneval.results.uncertainty import Statistics
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
    "kappa_mean_low",
    "kappa_mean_high",
)

OPTIONS = {}

PAIRS = ("human1_auto", "human2_auto", "human3_auto", "human1_human2", "human1_human3", "human2_human3")
"""The tables of two ratings that are counted: each listener with the system, then the listeners themselves."""


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


def statistics(reference: Reference, submission: Submission) -> Statistics:
    """One row a call: for each of `PAIRS` the one cell of 5 x 5 that the two ratings meet in.

    The mean kappa needs the first three tables; the others give the listeners' own, for the paper's tables.
    """
    first, second, third = reference.listeners
    pairs = [(listener, submission.ratings) for listener in reference.listeners]
    pairs += [(first, second), (first, third), (second, third)]
    cells = [metrics.rating_cells(*pair, scale=SCALE).reshape(len(first), -1) for pair in pairs]
    ratings = range(SCALE[0], SCALE[1] + 1)
    columns = [f"{pair}_{row}_{column}" for pair in PAIRS for row in ratings for column in ratings]
    return Statistics("call", reference.items.ids, columns, np.concatenate(cells, axis=1))


def primary(sums: np.ndarray) -> np.ndarray:
    """kappa_mean of many sums of the statistics' rows, shape=(r, 150) to (r,)."""
    tables = sums.reshape(len(sums), len(PAIRS), 5, 5)
    return sum(metrics.linear_kappa_of_cells(tables[:, listener]) for listener in range(3)) / 3


if __name__ == "__main__":
    sys.exit(
        score_main(
            "caller_experience",
            read_reference=read_reference,
            read_submission=read_submission,
            evaluate=evaluate,
            statistics=statistics,
            primary=primary,
            scores=SCORES,
            options=OPTIONS,
        )
    )
