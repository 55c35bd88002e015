"""Canonical pronunciations beside transcripts in phones: the check of a reference, and the scores of detection."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..formats.problems import Problems
from ..formats.tables import Table
from ..metrics import mispronunciation
from ..metrics.counts import total
from ..task import HIGHER, LOWER, Score

DETECTIONS = "detections"


def check_pronunciations(
    canonical: np.ndarray, references: np.ndarray, items: Table, column: str, problems: Problems
) -> None:
    """Add the problems of items without canonical phones, and of a set in which either decision has no phone."""
    if problems:
        return
    for row in [row for row, phones in enumerate(canonical) if not phones]:
        items.add_problem(problems, "no_pronunciation", row, f"the {column} has no phones")
    if not problems:
        said = [each[0] for each in references]
        counts = total(
            mispronunciation.detections_per_utterance(canonical.tolist(), said, canonical.tolist())
        )
        if not counts.false_acceptances or not counts.true_acceptances:
            found = "every" if counts.false_acceptances else "no"
            message = (
                f"{found} phone of transcript differs from {column}; expected canonical and other phones"
            )
            problems.add("one_class", items.file, message)


# fmt: off
def detection_scores() -> tuple[Score, ...]:
    """Return the scores of mispronunciation detection and diagnosis."""
    higher, lower = (partial(Score, direction=way, of=DETECTIONS, percent=True) for way in (HIGHER, LOWER))
    return (
        higher("f1", "F1", formula=mispronunciation.f1, best=100,
               description="harmonic mean of precision and recall of the mispronounced phones"),
        higher("precision", "Precision", formula=mispronunciation.precision,
               description="share of the phones recognised as mispronounced that are"),
        higher("recall", "Recall", formula=mispronunciation.recall,
               description="share of the mispronounced phones that are recognised as such"),
        lower("false_acceptance", "False acceptances", formula=mispronunciation.false_acceptance_rate,
              description="share of the mispronounced phones that are recognised as canonical (FAR)"),
        lower("false_rejection", "False rejections", formula=mispronunciation.false_rejection_rate,
              description="share of the canonical phones that are recognised as mispronounced (FRR)"),
        lower("diagnostic_error", "Diagnostic errors", formula=mispronunciation.diagnostic_error_rate,
              description="share of the mispronunciations found that are recognised as another phone than said (DER)"),
    )
# fmt: on
