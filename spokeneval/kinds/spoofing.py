"""Verification of speakers with spoofed speech: targets, other speakers and spoofed speech, each with its own cost.

A task of `identification` with a target is scored by the a-DCF of its scores. With the error rates of a given
verification system, a submission has a second column with the scores of a countermeasure, larger for bona fide speech,
for the t-DCF of both. Of three classes, the target is first, the other speakers second and spoofed speech third.
Source: `metrics.tandem`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Optional

import numpy as np

from ..formats.format import Answers, sheet_format
from ..formats.problems import Problems
from ..formats.tables import Table, real_numbers
from ..metrics import tandem as metrics
from ..metrics.shares import interval_of_fitted
from ..task import LOWER, Score, Task
from .class_scores import CERTAIN, LABEL, SCORE, SEGMENTS
from .identification_scores import eer_score
from .kind import ParameterError, finite_number

if TYPE_CHECKING:
    from .identification import IdentificationKind

COUNTERMEASURE = "countermeasure"
"""The column of a submission with the scores of a countermeasure."""
RATES = ("miss", "false_alarm", "spoof")
C_MISS = "c_miss"


@dataclass(frozen=True)
class Spoofing:
    """The classes, the target first, their priors, the costs of their errors, and the verification system's rates."""

    names: tuple[str, ...]
    priors: tuple[float, ...]
    costs: tuple[float, ...]
    rates: Optional[Mapping[str, float]]

    @property
    def weights(self) -> tuple[float, ...]:
        return tuple(prior * cost for prior, cost in zip(self.priors, self.costs))

    def labels(self, reference: Answers) -> np.ndarray:
        return np.array([self.names.index(label) for label in reference.texts[LABEL]])

    @property
    def pooled(self) -> dict[str, Any]:
        """The prior of a target, and the costs of a miss and of the mean false alarm."""
        alarms = sum(self.weights[1:]) / sum(self.priors[1:])
        return {"priors": self.priors[:1], "costs": {C_MISS: self.costs[0], "c_fa": alarms}}


def read_rates(value: Any) -> Optional[dict[str, float]]:
    """Return the error rates of the verification system that an organiser declares; None if there is none."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or set(value) != set(RATES):
        raise ValueError(f"{value!r:.100}; expected {{{', '.join(f'{name}: …' for name in RATES)}}}")
    rates = {name: finite_number(rate) for name, rate in value.items()}
    if not all(0 <= rate <= 1 for rate in rates.values()) or not rates["spoof"]:
        raise ValueError(f"{value!r:.100}; expected rates from 0 to 1, and above 0 for spoof")
    return rates


def read_spoofing(
    classes: tuple[str, ...],
    target: str,
    priors: Any,
    costs: Mapping[str, float],
    rates: Optional[Mapping[str, float]],
) -> Spoofing:
    """Return the classes with their priors and costs; raises ParameterError for contradictions."""
    if target not in classes or set(priors) != set(classes) or len(classes) < 3:
        raise ParameterError(
            "priors", "by class; expected a target, and three classes or more, each with its prior"
        )
    if abs(sum(priors.values()) - 1) > 1e-6:
        raise ParameterError("priors", f"they add up to {sum(priors.values()):g}; expected 1")
    names = (target, *(name for name in classes if name != target))
    if set(costs) != {C_MISS, *names[1:]}:
        raise ParameterError(
            "costs", f"expected {C_MISS} and the cost of accepting {' and '.join(names[1:])}"
        )
    if rates is not None and len(names) != 3:
        raise ParameterError(
            "tandem", f"{len(names)} classes; expected the target, other speakers and spoofed speech"
        )
    of_errors = (costs[C_MISS], *(costs[name] for name in names[1:]))
    found = Spoofing(names, tuple(priors[name] for name in names), of_errors, rates)
    if rates is not None and metrics.tandem_weights(found.priors, found.costs, rates)[1][0] <= 0:
        raise ParameterError(
            "tandem", "the verification system alone costs more than one that rejects everything"
        )
    return found


def with_spoofing(task: Task, kind: IdentificationKind, spoofing: Spoofing, eer: str) -> Task:
    """Return the task of detecting the target, scored with the priors and costs of each class."""
    reference = replace(kind.reference_sheet, optional=(*kind.reference_sheet.optional, LABEL))
    submission = kind.submission_sheet
    if spoofing.rates is not None:
        submission = replace(submission, columns={**submission.columns, COUNTERMEASURE: real_numbers()})

    def check(answers: Answers, table: Table, problems: Problems) -> None:
        kind.check_sides(answers, table, problems)
        missing = [name for name in spoofing.names if name not in answers.texts[LABEL]]
        if missing and not problems:
            message = f"no {kind.item} is {' or '.join(missing)}; expected at least one of each class"
            problems.add("one_class", table.file, message)

    trivial = {name: partial(_both_columns, make) for name, make in task.trivial.items()}
    return replace(
        task,
        format=sheet_format(reference, submission, public=SEGMENTS, check=check, names=kind.row_names),
        count=partial(_count, task=task, kind=kind, spoofing=spoofing),
        scores=_scores(spoofing, eer),
        trivial=trivial if spoofing.rates is not None else task.trivial,
        partly_right=partial(_partly_right, kind=kind, spoofing=spoofing),
    )


def _both_columns(make: Callable[[Any], Answers], items: Any) -> Answers:
    answers = make(items)
    return replace(answers, columns={**answers.columns, COUNTERMEASURE: answers[SCORE]})


def _partly_right(
    reference: Answers, right: np.ndarray, *, kind: IdentificationKind, spoofing: Spoofing
) -> Answers:
    answers = kind.partly_right(reference, right)
    bona_fide = np.where(spoofing.labels(reference) < 2, CERTAIN, -CERTAIN)
    return replace(answers, columns={**answers.columns, COUNTERMEASURE: np.where(right, bona_fide, 0.0)})


def _count(
    reference: Answers, submission: Answers, *, task: Task, kind: IdentificationKind, spoofing: Spoofing
) -> Any:
    labels, rows = spoofing.labels(reference), kind.row_numbers(reference)
    counts = dict(task.count(reference, submission))
    counts["a_dcf"] = metrics.threshold_errors(labels, submission[SCORE], rows, weights=spoofing.weights)
    if spoofing.rates is not None:
        weights = metrics.tandem_weights(spoofing.priors, spoofing.costs, spoofing.rates)[1]
        sides = (labels == 2).astype(np.int64)
        counts["t_dcf"] = metrics.threshold_errors(sides, submission[COUNTERMEASURE], rows, weights=weights)
    return counts


# fmt: off
def _scores(spoofing: Spoofing, eer: str) -> tuple[Score, ...]:
    a_dcf = partial(metrics.minimum_cost, weights=spoofing.weights)
    tandem: tuple[Score, ...] = ()
    if spoofing.rates is not None:
        constant, weights = metrics.tandem_weights(spoofing.priors, spoofing.costs, spoofing.rates)
        t_dcf = partial(metrics.minimum_cost, weights=weights, constant=constant)
        tandem = (
            Score("t_dcf", "Minimum t-DCF", LOWER, t_dcf,
                  "normalised cost of the countermeasure and a given verification system, at the best threshold",
                  of="t_dcf", interval=partial(interval_of_fitted, formula=t_dcf, bias=4)),
        )
    return (
        Score("a_dcf", "a-DCF", LOWER, a_dcf,
              "normalised detection cost with the prior and the cost of each class, at the best threshold", of="a_dcf",
              best=0, interval=partial(interval_of_fitted, formula=a_dcf, bias=4)),
        *tandem,
        eer_score(eer, f"scores for {spoofing.names[0]}"),
    )
# fmt: on
