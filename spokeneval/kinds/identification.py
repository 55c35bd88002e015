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

from ..formats.format import Answers, Format, Items, Sheet, sheet_format
from ..formats.problems import SHOWN, Problems, some_of
from ..formats.speakers import GROUP, Units, refuse_empty
from ..formats.tables import Table, id_columns, numbered, real_numbers
from ..metrics import equal_error_rate, open_set
from ..metrics import identification as metrics
from ..metrics.detection_cost import PROBABILITIES, look_like_posteriors
from ..metrics.equal_error_rate import ScoreHistograms
from ..task import Score, Task
from ..trivial import MOST_TRIVIAL, random_numbers
from .class_scores import (
    CERTAIN,
    CROSSED,
    LABEL,
    MOST_OF_A_SIDE,
    MOST_ROWS,
    ROUNDED,
    SCORE,
    SEGMENTS,
    contained_priors,
    group_of_side,
    grouped_units,
    groups_of_units,
    label_cells,
    lengths,
    likelihoods_of,
    ratios_of,
)
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
    one_table,
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
        _ = self.contained  # the priors that posteriors contain are checked

    @cached_property
    def spoofing(self) -> Spoofing:
        return read_spoofing(self.classes, self.target, self.priors, self.costs, self.tandem)

    @cached_property
    def pooled(self) -> IdentificationKind:
        """Of priors by class, the kind with those of the target and of all others."""
        return replace(self, **self.spoofing.pooled, tandem=None)

    @cached_property
    def contained(self) -> Optional[np.ndarray]:
        """The priors that posteriors contain; None for likelihoods."""
        named = (self.target,) if self.target else self.sides
        return None if self.scores == LIKELIHOODS else contained_priors(self.scores, named)

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

    @property
    def columns(self) -> tuple[str, ...]:
        return (SCORE,) if self.target else self.classes

    @property
    def sides(self) -> tuple[str, ...]:
        """The names of the classes that a label's number stands for."""
        if self.target:
            return (self.target, f"other than {self.target}")
        return (*self.classes, *([self.out_of_set] if self.out_of_set else ()))

    @property
    def reference_sheet(self) -> Sheet:
        cells = {LABEL: label_cells(self.classes if self.target else self.sides, self.target)}
        sheet = one_table("labels.csv", cells, id=self.id, item=self.item, unit=self.unit)
        if self.other_unit:
            sheet = replace(sheet, texts=(self.unit, self.other_unit), optional=())
        segments = SEGMENTS if len(id_columns(self.id)) == 1 else ()
        return replace(sheet, optional=tuple(dict.fromkeys((*sheet.optional, *segments))))

    @property
    def submission_sheet(self) -> Sheet:
        cells = real_numbers() if self.contained is None else real_numbers(0, 1)
        sheet = one_table("scores.csv", dict.fromkeys(self.columns, cells), id=self.id, item=self.item)
        return sheet if self.contained is None or self.target else replace(sheet, check=self._check_sums)

    def _check_sums(self, columns: Mapping[str, np.ndarray], table: Table, problems: Problems) -> None:
        """Add a problem for each row of probabilities that do not sum to 1, up to their rounding."""
        sums, rounding = np.sum(list(columns.values()), axis=0), ROUNDED * len(columns) + 1e-9
        wrong = sums > 1 + rounding
        if not self.out_of_set:
            wrong |= sums < 1 - rounding
        expected = f"at most 1; the rest is that of {self.out_of_set}" if self.out_of_set else "1"
        bad = {problem.line for problem in problems.kept}
        for row in np.flatnonzero(wrong).tolist() if len(bad) < SHOWN else ():
            if table.lines[row] not in bad:
                message = f"the probabilities sum to {sums[row]:.4g}; expected {expected}"
                table.add_problem(problems, "sum", row, f"{message} (rounding may add {rounding:.3g})")

    def check_sides(self, answers: Answers, table: Table, problems: Problems) -> None:
        """Add a problem for each trial without its unit on one of two sides."""
        for side in (self.unit, self.other_unit) if self.other_unit else ():
            refuse_empty(table, side, answers.texts[side], problems)

    def check(self, answers: Answers, table: Table, problems: Problems) -> None:
        self.check_sides(answers, table, problems)
        missing = [label for n, label in enumerate(self.sides) if not (answers[LABEL] == n).any()]
        if missing and not problems:
            message = f"no {self.item} is {some_of(missing)}; expected at least one of each class"
            problems.add("one_class", table.file, message)

    def row_names(self, ids: Sequence[str], texts: Mapping[str, Sequence[str]]) -> list[str]:
        return self._rows(ids, texts)[1]

    def _rows(self, ids: Sequence[str], texts: Mapping[str, Sequence[str]]) -> tuple[str, list[str]]:
        """What a row of the counts is, and the row of each item: its unit or itself, or a group of them.

        Of crossed trials, a row is a unit on one side and one on the other.
        """
        if self.other_unit:
            sides = (self._side(texts, side)[1] for side in (self.unit, self.other_unit))
            return self.unit, list(map(CROSSED.join, zip(*sides)))
        units = texts.get(self.unit, ())
        called, names, different = (self.unit, units, set(units)) if any(units) else (self.item, ids, ids)
        if len(different) <= MOST_ROWS:
            return called, list(names)
        return called + GROUP, groups_of_units(names)

    def _side(self, texts: Mapping[str, Sequence[str]], side: str) -> tuple[str, list[str]]:
        """What the units on a side of crossed trials are called, and the one of each item."""
        names, different = list(texts[side]), set(texts[side])
        if len(different) <= MOST_OF_A_SIDE:
            return side, names
        groups = {name: group_of_side(name) for name in different}
        return side + GROUP, [groups[name] for name in names]

    def crossed_units(self, answers: Answers, *, side: str) -> Units:
        """The units on one side of crossed trials, of each row of the counts."""
        called, names = self._side(answers.texts, side)
        rows = self._rows(answers.items.ids, answers.texts)[1]
        return grouped_units(called, dict(zip(rows, names)), set(answers.texts[side]))

    def row_numbers(self, answers: Answers) -> np.ndarray:
        return numbered(self.row_names(answers.items.ids, answers.texts))[1]

    def units_of(self, answers: Answers) -> Units:
        if self.other_unit:
            return self.crossed_units(answers, side=self.unit)
        called, names = self._rows(answers.items.ids, answers.texts)
        single = answers.texts.get(self.unit, ())
        different = set(single) if any(single) else answers.items.ids
        return grouped_units(called, {name: name for name in names}, different)

    def given_scores(self, submitted: Answers) -> np.ndarray:
        return np.stack([submitted[column] for column in self.columns], axis=1)

    def likelihoods(self, submitted: Answers) -> np.ndarray:
        scores = self.given_scores(submitted)
        return (
            ratios_of(scores, self.contained) if self.out_of_set else likelihoods_of(scores, self.contained)
        )

    def partly_right(self, answers: Answers, right: np.ndarray) -> Answers:
        """A submission that is certain of the class of the chosen items, and as good as no scores for the others."""
        prior = np.zeros(len(self.sides)) if self.contained is None else self.contained
        scores = np.tile(np.asarray(prior, dtype=float), (len(right), 1))
        own = np.arange(len(self.sides)) == answers[LABEL][:, np.newaxis]
        certain = own.astype(float) if self.contained is not None else np.where(own, CERTAIN, -CERTAIN)
        scores[right] = certain[right]
        return Answers(answers.items, dict(zip(self.columns, scores.T)))

    def remarks(self, submitted: Answers) -> list[str]:
        alike = self.contained is None and look_like_posteriors(self.given_scores(submitted))
        return [PROBABILITIES] if alike else []

    def format(self) -> Format:
        sheets = self.reference_sheet, self.submission_sheet
        return sheet_format(*sheets, public=SEGMENTS, check=self.check, names=self.row_names)

    def expected(self, reference: Any) -> np.ndarray:
        """The number of each item's class."""
        return reference[LABEL]  # type: ignore[no-any-return]

    def count(self, reference: Answers, submission: Answers) -> dict[str, Any]:
        scored = reference[LABEL], self.likelihoods(submission), self.row_numbers(reference)
        if self.out_of_set:
            pooled = metrics.pooled_histograms(*scored, out_of_set=1)
            return {"pooled": pooled, "classes": open_set.open_set_costs(*scored, weights=self.weights)}
        histograms = (
            {"trials": metrics.detection_histograms(*scored)}
            if len(self.sides) == 2
            else {"pooled": metrics.pooled_histograms(*scored)}
        )
        many = len(self.sides) > 2
        return {**histograms, "classes": metrics.class_costs(*scored, weights=self.weights, minimum=many)}

    def exact_trials(
        self, reference: Answers, submission: Answers, whole: ScoreHistograms
    ) -> ScoreHistograms:
        return equal_error_rate.exact_total(
            whole, lambda: metrics.detection_trials(reference[LABEL], self.likelihoods(submission))
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
        other = self.out_of_set
        given = f"as natural-log likelihood{' ratios' if other or self.target else 's'}, not as probabilities"
        read = given if self.contained is None else "converted from probabilities to likelihoods"
        if len(self.sides) != 2:
            return class_scores(self.weights, self.operating_point, self.classes, self.item, read, other)
        normalised = self.dcf == NORMALISED
        weights = weights_of(self.betas, normalised=True)
        if not normalised:
            c_miss, c_fa = self.costs["c_miss"], self.costs["c_fa"]
            weights = tuple((c_miss * prior, c_fa * (1 - prior)) for prior in self.priors)
        words: Any = {"point": self.operating_point, "read": read}
        return detection_scores(
            weights, self.sides, self.target, eer=self.eer, normalised=normalised, **words
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
        return _trivial(self, max(abs(math.log(beta)) for beta in self.betas) + 1)

    def task(self, name: str, title: str) -> Task:
        if isinstance(self.priors, Mapping):
            plain = self.pooled.task(name, title)
            return with_spoofing(plain, self.pooled, self.spoofing, self.eer)
        task = super().task(name, title)
        if self.other_unit:
            task = replace(task, other_units=partial(self.crossed_units, side=self.other_unit))
        return replace(task, exact={"trials": self.exact_trials})

    # What a report shows

    def label_names(self) -> Sequence[str]:
        return self.sides

    @property
    def on_hull(self) -> bool:
        """Whether the EER is read on the ROC convex hull."""
        return self.eer == HULL

    def given(self, submission: Any) -> np.ndarray:
        """The natural-log likelihoods of k classes, shape (n, k); out of set, where no ratio reaches its threshold."""
        scores = self.likelihoods(submission)
        if not self.out_of_set:
            return scores
        below = np.nextafter(math.log(self.betas[0]), -np.inf)
        return np.append(scores, np.full((len(scores), 1), below), axis=1)

    def curves(self, reference: Any, submission: Any) -> list[tuple[Any, ...]]:
        """The trials of a report's curves: their name, the key of their EER, and the scores of both sides."""
        labels, scores = reference[LABEL], self.likelihoods(submission)
        sides = self.sides
        if len(sides) > 2:
            return [
                ("pooled scores of own and of other classes", "eer", *metrics.pooled_trials(labels, scores))
            ]
        called = f"scores for {self.target}" if self.target else " minus ".join(sides)
        return [(called, "eer", *metrics.detection_trials(labels, scores))]

    def lengths(self, reference: Any) -> Optional[np.ndarray]:
        """The lengths of segments; None if the reference has none."""
        return lengths(reference)


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


def _trivial(kind: IdentificationKind, certain: float) -> dict[str, Callable[[Items], Answers]]:
    """Trivial baselines: equal scores, one class throughout, and scores at random; ratios are +-`certain`."""
    columns, item, other = kind.columns, kind.item, kind.out_of_set
    low, high, equal = 0.0, 1.0, 0.0
    if kind.contained is None and other:
        low, high, equal = -certain, certain, -certain
    elif not other and len(columns) > 1 and kind.contained is not None:
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
