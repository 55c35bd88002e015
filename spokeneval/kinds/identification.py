"""Identification: a score for each of two or more classes, or one score for a target class. Lower errors are better.

Reference, `labels.csv`: an item and its class in each row. Submission, `scores.csv`: an item and its scores in each
row, with a column for each class; with a target, one column `score`. Larger means more likely. Scores are natural-log
likelihoods, of which only the differences within an item count for costs; a target's score is a log-likelihood ratio.
Posterior probabilities are converted by log(p / prior), where a probability of 0 counts as exp(-1,000,000).

With a label for items out of set, which are of none of the classes, a submission has no column for it. Scores are then
log-likelihood ratios of a class against everything else, or probabilities whose sum falls short of 1 by that of an item
out of set. Such an item is a nontarget of every class; recalls are over the items of the classes (see
`metrics.open_set`).

The primary score is the EER for two classes and for a target, and NIST's average cost for three classes or more. Two
classes have one trial an item: their log-likelihood ratio, the score of the first class minus that of the second.

Rows of the counts are units, such as speakers, or items if the reference names no units. More than `MOST_ROWS` of them
are grouped at random by their names, so that counts of any set fit into memory; intervals are then over these groups.
Source: `metrics.identification`, `metrics.equal_error_rate` and `metrics.detection_cost`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Callable, Optional, Union

import numpy as np

from ..formats.format import Answers, Format, Items, sheet_format, with_unit_rows
from ..formats.speakers import Units
from ..formats.tables import id_columns
from ..metrics import equal_error_rate, open_set
from ..metrics import identification as metrics
from ..metrics.equal_error_rate import ScoreHistograms
from ..task import Score, Task
from ..trivial import MOST_TRIVIAL, random_numbers
from .class_scores import LABEL, SCORE, SEGMENTS, ClassScoreFiles, contained_priors, lengths
from .identification_scores import (
    CROSSING,
    EERS,
    HULL,
    NEAREST,
    class_scores,
    detection_scores,
    open_weights,
    weights_of,
)
from .kind import (
    Kind,
    ParameterError,
    class_names,
    finite_number,
    id_column_or_two,
    id_parameter,
    item_parameter,
    one_of,
    optional_text,
    parameter,
    unit_parameter,
)
from .spoofing import Spoofing, read_rates, read_spoofing, with_spoofing

LARGEST_BETA = 1e6

EQUAL_COSTS = {"c_miss": 1.0, "c_fa": 1.0}
LIKELIHOODS, POSTERIORS = "likelihoods", "posteriors"
NORMALISED, UNNORMALISED = "normalised", "unnormalised"
COSTS = {"actual_dcf": True, "minimum_dcf": False, "cavg": True, "minimum_cavg": False}
"""The costs at the stated priors, and whether their thresholds are those of the priors."""
MOST_PRIORS = 20
P_OOS = 0.2
"""The prior of an item out of set in the open-set condition of NIST's evaluation of 2009."""


def _prior(value: Any) -> float:
    if not 0 < finite_number(value) < 1:
        raise ValueError(f"prior {value!r}; expected a number between 0 and 1")
    return float(value)


def _priors(value: Any) -> Union[tuple[float, ...], dict[str, float]]:
    if isinstance(value, Mapping):
        return {str(name): _prior(prior) for name, prior in value.items()}
    priors = tuple(map(_prior, list(value) if isinstance(value, (list, tuple)) else [value]))
    if not 0 < len(priors) == len(set(priors)) <= MOST_PRIORS:
        raise ValueError(
            f"{value!r:.100}; expected a prior, or a list of at most {MOST_PRIORS} different ones"
        )
    return priors


def _costs(value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{value!r}; expected {{c_miss: …, c_fa: …}}")
    for name, cost in value.items():
        if finite_number(cost) <= 0:
            raise ValueError(f"{name} {cost!r}; expected a number above 0")
    given = {str(name): float(cost) for name, cost in value.items()}
    return {**EQUAL_COSTS, **given} if set(given) <= set(EQUAL_COSTS) else given


def _read_scores(value: Any) -> Union[str, dict[str, float]]:
    if value in (LIKELIHOODS, POSTERIORS):
        return str(value)
    if isinstance(value, Mapping) and list(value) == [POSTERIORS] and isinstance(value[POSTERIORS], Mapping):
        return {str(label): _prior(prior) for label, prior in value[POSTERIORS].items()}
    raise ValueError(f"{value!r}; expected likelihoods, posteriors, or {{posteriors: {{CLASS: PRIOR, …}}}}")


@dataclass(frozen=True)
class IdentificationKind(Kind):
    """A task that asks for scores of classes; with priors by class, one that `spoofing` scores."""

    # fmt: off
    classes: tuple[str, ...] = parameter(
        "The classes, two or more, in the order of tables; each is a column of a submission. With a target they may be "
        "left out: every other label is then a nontarget.",
        lambda value: class_names(value) if value is not None else (), ["English", "Hindi", "Tamil"], None)
    target: str = parameter(
        "A class to detect against all others, by one column `score` in a submission.", optional_text, None, None)
    priors: Any = parameter(
        "The prior probability of a target in detection costs, or a list of several: their costs are averaged, and "
        "each cost is also a score of its own. For a target among three classes or more, priors by class, such as "
        "{target: 0.94, other: 0.01, spoof: 0.05}, give "
        "the a-DCF in place of these costs.", _priors, 0.5, 0.5)
    costs: Mapping[str, float] = parameter(
        "The costs of a miss and of a false alarm in detection costs; with priors by class, {c_miss: 1, other: 10, "
        "spoof: 10}.", _costs, {"c_miss": 1, "c_fa": 1}, {"c_miss": 1, "c_fa": 1})
    eer: str = parameter(
        f"Where the EER of two classes or a target is read: {HULL}, on the ROC convex hull; {CROSSING}, on the lines "
        f"between operating points; {NEAREST}, the mean of both rates where they are nearest, as in many scripts.",
        one_of(*EERS), HULL, HULL)
    dcf: str = parameter(
        f"Whether the detection costs of two classes or a target are {NORMALISED} or {UNNORMALISED}. Normalised costs "
        "are divided by the cost of accepting all or of accepting nothing, whichever is less.",
        one_of(NORMALISED, UNNORMALISED), NORMALISED, NORMALISED)
    tandem: Optional[Mapping[str, float]] = parameter(
        "With priors by class: the error rates of a given verification system, its misses of targets and its false "
        "alarms of other speakers and of spoofed speech, as {miss: 0.02, false_alarm: 0.02, spoof: 0.46}. A submission "
        "then also has a column countermeasure, and t-DCF is a score.", read_rates, None, None)
    scores: Union[str, Mapping[str, float]] = parameter(
        "What scores are: likelihoods, in natural logarithms (for a target, a log-likelihood ratio); or posteriors, "
        "probabilities from 0 to 1, which sum to 1 in each row. If they contain unequal priors, give these: "
        "{posteriors: {English: 0.8, …}}.", _read_scores, LIKELIHOODS, LIKELIHOODS)
    out_of_set: str = parameter(
        "The label of items that are of none of the classes. A submission has no column for it; scores are then "
        "log-likelihood ratios of a class against everything else, or posteriors that sum to 1 at most.", optional_text,
        "other", None)
    p_oos: float = parameter(
        "The prior probability of an item out of set in Cavg: P_Out-of-Set of the NIST evaluation of 2009.", _prior,
        P_OOS, P_OOS)
    id: str = id_parameter(
        "The column that names an item, in the reference and in submissions; or the two that name a trial together, "
        "such as [enrolment, test].", read=id_column_or_two)
    item: str = item_parameter()
    unit: str = unit_parameter()
    other_unit: str = parameter(
        "For trials of two sides, such as an enrolled speaker (`unit`) and a test: the column of the reference with "
        "the other side. Intervals then allow for other units on both sides; ranks still resample `unit` only.",
        optional_text, "test", None)
    # fmt: on

    name = "identification"
    description = "a score for each of two or more classes, or one for a target class"
    opening = "Identify the class of each {item} by scores."
    shared_scale = False  # bins and thresholds depend on each system's own scores

    def __post_init__(self) -> None:
        if isinstance(self.priors, Mapping):
            if (self.dcf, self.scores, self.out_of_set) != (NORMALISED, LIKELIHOODS, ""):
                raise ParameterError("priors", "by class; expected likelihoods, and no dcf and out_of_set")
            _ = self.pooled  # its parameters are checked
            return
        if self.tandem is not None:
            message = "expected with priors by class: of a target, other speakers and spoofs"
            raise ParameterError("tandem", message)
        if set(self.costs) != set(EQUAL_COSTS):
            raise ParameterError("costs", f"{', '.join(self.costs)}; expected {{c_miss: …, c_fa: …}}")
        _check_names(self.classes, self.target, (self.id, self.unit, self.other_unit))
        _check_out_of_set(self.out_of_set, self.p_oos, self.classes, self.target, self.priors)
        two = bool(self.target) or len(self.classes) + bool(self.out_of_set) == 2
        if not two and (self.eer, self.dcf) != (HULL, NORMALISED):
            name = "eer" if self.eer != HULL else "dcf"
            raise ParameterError(name, "expected for two classes or a target only")
        _check_betas(self.betas)
        _ = self.files  # the priors that posteriors contain are checked

    @cached_property
    def spoofing(self) -> Spoofing:
        return read_spoofing(self.classes, self.target, self.priors, self.costs, self.tandem)

    @cached_property
    def pooled(self) -> IdentificationKind:
        """Of priors by class, the kind with those of the target and of all others."""
        return replace(self, **self.spoofing.pooled, tandem=None)

    @cached_property
    def files(self) -> ClassScoreFiles:
        classes, target = self.classes, self.target
        named = (target,) if target else (*classes, *([self.out_of_set] if self.out_of_set else ()))
        contained = None if self.scores == LIKELIHOODS else contained_priors(self.scores, named)
        columns = (self.id, self.item, self.unit, self.out_of_set, self.other_unit)
        return ClassScoreFiles(classes, target, contained, *columns)

    @property
    def betas(self) -> list[float]:
        """The costs of a false alarm at each prior, with that of a miss as the unit, both at their priors."""
        c_miss, c_fa = self.costs["c_miss"], self.costs["c_fa"]
        return [c_fa * (1 - prior) / (c_miss * prior) for prior in self.priors]

    @property
    def weights(self) -> Sequence[Any]:
        if self.out_of_set:
            return open_weights(self.priors, self.costs, self.p_oos)
        return weights_of(self.betas)

    def format(self) -> Format:
        files = self.files
        form = sheet_format(
            files.reference, files.submission, list_file="items.csv", public=SEGMENTS, check=files.check
        )
        return with_unit_rows(form, files.reference, files.check, files.row_names)

    def units_of(self, reference: Answers) -> Units:
        return self.files.units(reference)

    def expected(self, reference: Any) -> np.ndarray:
        """The number of each item's class."""
        return reference[LABEL]  # type: ignore[no-any-return]

    def count(self, reference: Answers, submission: Answers) -> dict[str, Any]:
        files = self.files
        scored = reference[LABEL], files.likelihoods(submission), files.row_numbers(reference)
        if files.out_of_set:
            pooled = metrics.pooled_histograms(*scored, out_of_set=1)
            return {"pooled": pooled, "classes": open_set.open_set_costs(*scored, weights=self.weights)}
        histograms = (
            {"trials": metrics.detection_histograms(*scored)}
            if len(files.sides) == 2
            else {"pooled": metrics.pooled_histograms(*scored)}
        )
        many = len(files.sides) > 2
        return {**histograms, "classes": metrics.class_costs(*scored, weights=self.weights, minimum=many)}

    def exact_trials(
        self, reference: Answers, submission: Answers, whole: ScoreHistograms
    ) -> ScoreHistograms:
        return equal_error_rate.exact_total(
            whole, lambda: metrics.detection_trials(reference[LABEL], self.files.likelihoods(submission))
        )

    def all_scores(self) -> tuple[Score, ...]:
        return (*self._scores(), *(self._of_each_prior() if len(self.priors) > 1 else ()))

    def _of_each_prior(self) -> Iterator[Score]:
        """The costs at each of several priors, which are averaged in the costs without a number."""
        several = len(self.priors)
        for place, prior in enumerate(self.priors):
            for score in replace(self, priors=(prior,)).all_scores():
                if score.key not in COSTS:
                    continue
                formula: Any = score.formula
                if COSTS[score.key]:  # counted at the thresholds of all priors: the others have no weight
                    (own,) = formula.keywords["weights"]
                    padded = [
                        tuple(several * (each == place) * part for part in own) for each in range(several)
                    ]
                    formula = partial(formula.func, **{**formula.keywords, "weights": tuple(padded)})
                title = f"{score.title} at {prior:g}"
                yield score._replace(key=f"{score.key}_{place + 1}", title=title, formula=formula)

    def _scores(self) -> tuple[Score, ...]:
        files, other = self.files, self.out_of_set
        given = f"as natural-log likelihood{' ratios' if other or self.target else 's'}, not as probabilities"
        read = given if files.contained is None else "converted from probabilities to likelihoods"
        if len(files.sides) != 2:
            return class_scores(self.weights, self.operating_point, self.classes, self.item, read, other)
        normalised = self.dcf == NORMALISED
        weights = weights_of(self.betas, normalised=True)
        if not normalised:
            c_miss, c_fa = self.costs["c_miss"], self.costs["c_fa"]
            weights = tuple((c_miss * prior, c_fa * (1 - prior)) for prior in self.priors)
        words: Any = {"point": self.operating_point, "read": read}
        return detection_scores(
            weights, files.sides, self.target, eer=self.eer, normalised=normalised, **words
        )

    @property
    def operating_point(self) -> str:
        """The priors and the costs, in words."""
        costs, other = self.costs, f" and {self.p_oos:g} of {self.out_of_set} (open set, as in 2009)"
        priors = " and ".join(f"{prior:g}" for prior in self.priors)
        point = f"at a target's prior of {priors}{other if self.out_of_set else ''}"
        if costs["c_miss"] != costs["c_fa"]:
            point += f", costs {costs['c_miss']:g} of a miss and {costs['c_fa']:g} of a false alarm"
        return point

    def right(self, rows: Mapping[str, Any]) -> Any:
        return rows["classes"].hits.sum(axis=-1) / rows["classes"].items.sum(axis=-1)

    def labels(self, reference: Answers) -> list[int]:
        return list(reference[LABEL].tolist())

    def trivial(self) -> dict[str, Callable[[Items], Answers]]:
        return _trivial(self.files, max(abs(math.log(beta)) for beta in self.betas) + 1)

    def partly_right(self, reference: Answers, right: np.ndarray) -> Answers:
        return self.files.partly_right(reference, right)

    def remarks(self, submission: Answers) -> list[str]:
        return self.files.remarks(submission)

    def task(self, name: str, title: str) -> Task:
        if isinstance(self.priors, Mapping):
            plain = self.pooled.task(name, title)
            return with_spoofing(plain, self.pooled.files, self.spoofing, self.eer)
        task = super().task(name, title)
        if self.other_unit:
            task = replace(task, other_units=partial(self.files.crossed_units, side=self.other_unit))
        return replace(task, exact={"trials": self.exact_trials})

    # What a report shows

    def label_names(self) -> Sequence[str]:
        target = self.target
        return [target, f"other than {target}"] if target else list(self.files.sides)

    @property
    def on_hull(self) -> bool:
        """Whether the EER is read on the ROC convex hull."""
        return self.eer == HULL

    def given(self, submission: Any) -> np.ndarray:
        """The natural-log likelihoods of k classes, shape (n, k); out of set, where no ratio reaches its threshold."""
        scores = self.files.likelihoods(submission)
        if not self.out_of_set:
            return scores
        below = np.nextafter(math.log(self.betas[0]), -np.inf)
        return np.append(scores, np.full((len(scores), 1), below), axis=1)

    def curves(self, reference: Any, submission: Any) -> list[tuple[Any, ...]]:
        """The trials of a report's curves: their name, the key of their EER, and the scores of both sides."""
        labels, scores = reference[LABEL], self.files.likelihoods(submission)
        sides = self.files.sides
        if len(sides) > 2:
            return [
                ("pooled scores of own and of other classes", "eer", *metrics.pooled_trials(labels, scores))
            ]
        called = f"scores for {self.target}" if self.target else " minus ".join(sides)
        return [(called, "eer", *metrics.detection_trials(labels, scores))]

    def lengths(self, reference: Any) -> Optional[np.ndarray]:
        """The lengths of segments; None if the reference has none."""
        return lengths(reference)

    def row_numbers(self, reference: Any) -> np.ndarray:
        """The row of the counts of each item."""
        return self.files.row_numbers(reference)


def _check_names(classes: tuple[str, ...], target: str, others: tuple[str, str, str]) -> None:
    if not classes and not target:
        raise ParameterError("classes", "missing. Name two classes or more, or a target to detect")
    if target and classes and target not in classes:
        raise ParameterError("target", f"{target!r} is not one of the classes {', '.join(classes)}")
    columns = (SCORE,) if target else classes
    id, unit, other_unit = (column.lower() for column in others)
    ids = id_columns(id)
    called = [*ids, *(column.lower() for column in columns)]
    twice = [LABEL] if LABEL in ids else [column for column in columns if called.count(column.lower()) > 1]
    if twice:
        message = f"{twice[0]!r} is also the name of another column; capital letters make no difference"
        raise ParameterError("id" if target or LABEL in ids else "classes", message)
    if other_unit and other_unit in (*called[len(ids) if ids[1:] else 0 :], unit, LABEL):
        raise ParameterError("other_unit", f"{others[2]!r} is also the name of another column")


def _check_out_of_set(
    other: str, p_oos: float, classes: tuple[str, ...], target: str, priors: Sequence[float]
) -> None:
    if not other and p_oos != P_OOS:
        raise ParameterError("p_oos", "the prior of items out of set; name their label with out_of_set")
    if other and (target or other in classes):
        found = f"{other!r} is a class" if other in classes else "every label but the target is out of set"
        raise ParameterError(
            "out_of_set", f"{found}; name a label that is none of the classes, without target"
        )
    if other and max(priors) + p_oos >= 1:
        raise ParameterError(
            "p_oos", f"{p_oos:g} and a prior of {max(priors):g}; expected less than 1 together"
        )


def _check_betas(betas: Sequence[float]) -> None:
    if not all(1 / LARGEST_BETA <= beta <= LARGEST_BETA for beta in betas):
        message = f"costs and priors differ by a factor of {max(*betas, *(1 / b for b in betas)):.3g}"
        raise ParameterError("priors", f"{message}; expected a million at most")


def _trivial(files: ClassScoreFiles, certain: float) -> dict[str, Callable[[Items], Answers]]:
    """Trivial baselines: equal scores, one class throughout, and scores at random; ratios are +-`certain`."""
    columns, item, other = files.columns, files.item, files.out_of_set
    low, high, equal = 0.0, 1.0, 0.0
    if files.contained is None and other:
        low, high, equal = -certain, certain, -certain
    elif not other and len(columns) > 1 and files.contained is not None:
        equal = 1 / len(columns)

    def guess(items: Items, column: Union[int, np.ndarray]) -> Answers:
        chosen = np.broadcast_to(column, len(items))
        none = np.where(chosen < 0, equal, low)
        return Answers(
            items, {name: np.where(chosen == place, high, none) for place, name in enumerate(columns)}
        )

    def at_random(items: Items) -> Answers:
        return guess(items, random_numbers(len(items), max(2, len(columns) + bool(other))))

    each = enumerate(columns) if 1 < len(columns) <= MOST_TRIVIAL else ()
    return {
        f"{other} for every {item}" if other else f"the same scores for every {item}": partial(
            guess, column=-1
        ),
        **{f"{label} for every {item}": partial(guess, column=place) for place, label in each},
        "scores at random": at_random,
    }
