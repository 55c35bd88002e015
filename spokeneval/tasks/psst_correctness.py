"""PSST Task B: is the naming response correct? Primary score: F1 of the correct responses, higher is better.

The challenge does not define F1 without a true positive, or precision if no response is predicted correct; here both
are 0.

Source: PSST Challenge (Gale, Fleegle, Bedrick and Fergadiotis 2022, RaPID-4), Task B.
"""

from __future__ import annotations

from ..formats.cells import words
from ..formats.naming import naming_format, naming_reference, naming_submission, naming_units
from ..formats.problems import Problems
from ..formats.sheets import Answers
from ..formats.tables import Table
from ..metrics import correctness as metrics
from ..task import AGREEMENT, HIGHER, Score, Task
from ..trivial import always, at_random

TRUTH = words({"true": 1, "false": 0}, spelled=str.lower)
REFERENCE = naming_reference("correctness", TRUTH)
SUBMISSION = naming_submission("correctness.tsv", "prediction", TRUTH)


def check_classes(answers: Answers, table: Table, problems: Problems) -> None:
    if not problems and len(set(answers["correctness"].tolist())) < 2:
        message = "only one kind of response; expected both correct and incorrect responses"
        problems.add("one_class", REFERENCE.file, message)


def count(reference: Answers, submission: Answers) -> dict[str, metrics.CorrectnessCounts]:
    correct, predicted = reference["correctness"] == 1, submission["prediction"] == 1
    return {"predictions": metrics.predictions_per_response(correct, predicted)}


# fmt: off
SCORES = (
    Score("f1", "F1", HIGHER, metrics.f1, "harmonic mean of precision and recall for correct responses", best=1),
    Score("precision", "Precision", HIGHER, metrics.precision,
          "share of the responses predicted correct that are correct"),
    Score("recall", "Recall", HIGHER, metrics.recall, "share of the correct responses that are predicted correct"),
    Score("accuracy", "Accuracy", HIGHER, metrics.accuracy, "share of the responses with the right prediction"),
    Score("balanced_accuracy", "Balanced accuracy", HIGHER, metrics.balanced_accuracy,
          "mean recall of correct and incorrect responses"),
    Score("matthews", "Matthews correlation", HIGHER, metrics.matthews_correlation,
          "correlation of reference and prediction", bounds=AGREEMENT),
    Score("specificity", "Specificity", HIGHER, metrics.specificity,
          "share of the incorrect responses that are predicted incorrect"),
)
# fmt: on

TASK = Task(
    name="psst_correctness",
    title="PSST, correctness",
    format=naming_format(REFERENCE, SUBMISSION, check_classes),
    units=naming_units,
    count=count,
    scores=SCORES,
    right=lambda rows: rows["predictions"].true_positives + rows["predictions"].true_negatives,
    labels=lambda reference: reference["correctness"].tolist(),
    trivial={
        "everything correct": always("prediction", 1),
        "everything incorrect": always("prediction", 0),
        "correct at random": at_random("prediction", (0, 1)),
    },
)
