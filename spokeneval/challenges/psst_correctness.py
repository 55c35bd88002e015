"""PSST Task B: is the naming response correct? Primary score: F1 of the correct responses, higher is better.

The challenge does not define F1 without a true positive, or precision if no response is predicted correct; here both
are 0.

Source: PSST Challenge (Gale, Fleegle, Bedrick and Fergadiotis 2022, RaPID-4), Task B.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ..formats.naming import naming_format, naming_groups, naming_reference, naming_submission, naming_units
from ..formats.tables import words
from ..kinds.decisions import decisions
from ..trivial import always, at_random

TRUTH = words({"true": 1, "false": 0}, spelled=str.lower)
REFERENCE = naming_reference("correctness", TRUTH)
SUBMISSION = naming_submission("correctness.tsv", "prediction", TRUTH)

_KIND = decisions(
    "psst_correctness",
    "PSST, correctness",
    classes=("incorrect", "correct"),
    positive="correct",
    item="response",
    truth="correctness",
    answer="prediction",
    form=partial(naming_format, REFERENCE, SUBMISSION),
    units=naming_units,
)
TASK = replace(
    _KIND,
    view=_KIND.view._replace(groups=naming_groups),
    trivial={
        "everything correct": always("prediction", 1),
        "everything incorrect": always("prediction", 0),
        "correct at random": at_random("prediction", (0, 1)),
    },
)
