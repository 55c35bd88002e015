"""PSST Task B: is the naming response correct? Primary score: F1 of the correct responses, higher is better.

The challenge does not define F1 without a true positive, or precision if no response is predicted correct; here both
are 0.

Source: PSST Challenge (Gale, Fleegle, Bedrick and Fergadiotis 2022, RaPID-4), Task B.
"""

from __future__ import annotations

from typing import Callable

from ..formats.format import Answers, Format, Items
from ..formats.naming import naming_format, naming_groups, naming_reference, naming_submission, naming_units
from ..formats.speakers import Units
from ..formats.tables import words
from ..kinds.decisions import DecisionsKind
from ..trivial import always, at_random

TRUTH = words({"true": 1, "false": 0}, spelled=str.lower)
REFERENCE = naming_reference("correctness", TRUTH)
SUBMISSION = naming_submission("correctness.tsv", "prediction", TRUTH)


class Correctness(DecisionsKind):
    """The kind with the challenge's files."""

    truth, predicted = "correctness", "prediction"

    def format(self) -> Format:
        return naming_format(REFERENCE, SUBMISSION, check=self.check)

    def units_of(self, reference: Answers) -> Units:
        return naming_units(reference)

    def groupings(self, reference: Answers) -> dict[str, list[str]]:
        return naming_groups(reference)

    def trivial(self) -> dict[str, Callable[[Items], Answers]]:
        return {
            "everything correct": always("prediction", 1),
            "everything incorrect": always("prediction", 0),
            "correct at random": at_random("prediction", (0, 1)),
        }


TASK = Correctness(("incorrect", "correct"), "correct", item="response").task(
    "psst_correctness", "PSST, correctness"
)
