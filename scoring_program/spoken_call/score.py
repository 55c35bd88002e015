"""Spoken CALL: accept or reject each learner's response. Primary score: Dfull, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/reference.csv, INPUT_DIR/res/results.csv)

The metrics are defined in spokeneval.metrics.accept_reject.
"""

from __future__ import annotations

import sys

import numpy as np

from spokeneval.metrics import accept_reject as metrics
from spokeneval.results.options import Options
from spokeneval.results.programs import score_main
from spokeneval.results.uncertainty import Statistics
from spokeneval.submissions.spoken_call import (
    Reference,
    Submission,
    read_reference,
    read_submission,
    rule_broken,
)

SCORES = (
    "d_full",
    "d",
    "d_a",
    "precision",
    "recall",
    "f_measure",
    "scoring_accuracy",
    "rcr",
    "rfr",
    "rca",
    "rfa",
    "reject_rate_incorrect",
    "accept_rate_correct",
    "eligible",
    "d_full_raw",
    "ca",
    "cr",
    "fr",
    "pfa",
    "gfa",
    "d_full_low",
    "d_full_high",
)

LOWER_IS_BETTER = ("rfr", "rfa", "fr", "pfa", "gfa")

OPTIONS = {
    # flag: an entry that breaks the 50 % rule is scored, but its d_full is 0; reject: its run fails.
    "fifty_percent_rule": ("flag", "reject"),
    # public: participants are told how many responses are correct, and a number of accepts that cannot meet the
    # rule is refused before it is scored.
    "class_sizes": ("hidden", "public"),
}

PUBLIC_ONLY = {
    # A failed run costs no attempt: on hidden labels this would answer questions about them without limit.
    "fifty_percent_rule": "reject",
}

primary = metrics.d_full_of_counts
"""Dfull of summed statistics, under the 50 % rule."""


def evaluate(reference: Reference, submission: Submission, options: Options) -> dict[str, float]:
    """Every score of one submission."""
    counts = metrics.count_decisions(reference.correct, reference.meaningful, submission.accept)
    eligible = metrics.meets_fifty_percent_rule(counts)
    rates = metrics.accept_rate_correct(counts), metrics.reject_rate_incorrect(counts)
    if not eligible and options["fifty_percent_rule"] == "reject":
        rule_broken(rates if options.labels_public else None).raise_if_any()
    nothing_accepted = not submission.accept.any()
    return {
        "d_full": metrics.d_full(counts) if eligible else 0.0,
        "d": metrics.d(counts),
        "d_a": metrics.d_a(counts),
        "precision": 0.0 if nothing_accepted else metrics.precision(counts),
        "recall": metrics.recall(counts),
        "f_measure": metrics.f_measure(counts),
        "scoring_accuracy": metrics.scoring_accuracy(counts),
        "rcr": metrics.relative_correct_reject_rate(counts),
        "rfr": metrics.relative_false_reject_rate(counts),
        "rca": metrics.recall(counts),
        "rfa": metrics.relative_false_accept_rate(counts),
        "reject_rate_incorrect": rates[1],
        "accept_rate_correct": rates[0],
        "eligible": int(eligible),
        "d_full_raw": metrics.d_full(counts),
        "ca": counts.correct_accepts,
        "cr": counts.correct_rejects,
        "fr": counts.false_rejects,
        "pfa": counts.plain_false_accepts,
        "gfa": counts.gross_false_accepts,
    }


def statistics(reference: Reference, submission: Submission) -> Statistics:
    """One row a response: it is one of CA, FR, CR, PFA, GFA."""
    correct, meaningful, accept = reference.correct, reference.meaningful, submission.accept
    cells = (
        correct & accept,
        correct & ~accept,
        ~correct & ~accept,
        ~correct & meaningful & accept,
        ~correct & ~meaningful & accept,
    )
    values = np.stack(cells, axis=1).astype(np.int64)
    return Statistics("response", reference.items.ids, ("ca", "fr", "cr", "pfa", "gfa"), values)


if __name__ == "__main__":
    sys.exit(
        score_main(
            "spoken_call",
            read_reference=read_reference,
            read_submission=read_submission,
            evaluate=evaluate,
            statistics=statistics,
            primary=primary,
            scores=SCORES,
            options=OPTIONS,
        )
    )
