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
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any, Callable, Optional, Union

import numpy as np

from ..formats.format import Answers, Items, sheet_format, with_unit_rows
from ..formats.tables import id_columns
from ..metrics import equal_error_rate, open_set
from ..metrics import identification as metrics
from ..metrics.equal_error_rate import ScoreHistograms
from ..task import Score, Task, View
from ..trivial import random_numbers
from .class_scores import LABEL, SCORE, SEGMENTS, ClassScoreFiles, contained_priors, lengths
from .decisions import MOST_TRIVIAL
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
    COMMON,
    ID,
    Kind,
    Parameter,
    ParameterError,
    class_names,
    finite_number,
    id_column_or_two,
    one_of,
    optional_text,
)
from .spoofing import read_rates, read_spoofing, with_spoofing

LARGEST_BETA = 1e6

EQUAL_COSTS = {"c_miss": 1.0, "c_fa": 1.0}
LIKELIHOODS, POSTERIORS = "likelihoods", "posteriors"
NORMALISED, UNNORMALISED = "normalised", "unnormalised"
P_OOS = 0.2
"""The prior of an item out of set in the open-set condition of NIST's evaluation of 2009."""


def identification(
    name: str,
    title: str,
    *,
    classes: tuple[str, ...] = (),
    target: str = "",
    priors: tuple[float, ...] = (0.5,),
    costs: Mapping[str, float] = EQUAL_COSTS,
    eer: str = HULL,
    dcf: str = NORMALISED,
    scores: Union[str, Mapping[str, float]] = LIKELIHOODS,
    out_of_set: str = "",
    p_oos: float = P_OOS,
    id: str = "id",
    item: str = "item",
    unit: str = "speaker",
    other_unit: str = "",
) -> Task:
    """Return a task that asks for scores of classes.

    Parameters
    ----------
    classes, target, priors, costs, eer, dcf, scores, out_of_set, p_oos, id, item, unit, other_unit
        As `IDENTIFICATION` describes them, with `scores` as the priors that posteriors contain, by class, if these are
        not equal.

    Contradictory parameters raise ParameterError.
    """
    _check_names(classes, target, (id, unit, other_unit))
    _check_out_of_set(out_of_set, p_oos, classes, target, priors)
    _check_two_sides(eer, dcf, bool(target) or len(classes) + bool(out_of_set) == 2)
    betas = _betas(priors, costs)
    point = _operating_point(priors, costs, out_of_set, p_oos)
    named = (target,) if target else (*classes, *([out_of_set] if out_of_set else ()))
    contained = None if scores == LIKELIHOODS else contained_priors(scores, named)
    read = _read_as(out_of_set or target, converted=contained is not None)
    files = ClassScoreFiles(classes, target, contained, id, item, unit, out_of_set, other_unit)
    weights: Sequence[Any] = open_weights(priors, costs, p_oos) if out_of_set else weights_of(betas)
    form = sheet_format(
        files.reference, files.submission, list_file="items.csv", public=SEGMENTS, check=files.check
    )
    return Task(
        name=name,
        title=title,
        format=with_unit_rows(form, files.reference, files.check, files.row_names),
        units=files.units,
        other_units=partial(files.crossed_units, side=other_unit) if other_unit else None,
        count=partial(_count, files=files, weights=weights),
        scores=_two_sided_scores(files, priors, costs, eer, dcf, point=point, read=read)
        if len(files.sides) == 2
        else class_scores(weights, point, classes, item, read, out_of_set),
        exact={"trials": partial(_exact_trials, files=files)},
        right=lambda rows: rows["classes"].hits.sum(axis=-1) / rows["classes"].items.sum(axis=-1),
        labels=lambda answers: answers[LABEL].tolist(),
        trivial=_trivial(files, max(abs(math.log(beta)) for beta in betas) + 1),
        partly_right=files.partly_right,
        remarks=files.remarks,
        view=_view(files, math.log(betas[0]), on_hull=eer == HULL),
        shared_scale=False,  # bins and thresholds depend on each system's own scores
    )


def with_priors_by_class(
    name: str, title: str, *, priors: Any, tandem: Optional[Mapping[str, float]], **parameters: Any
) -> Task:
    """Return the task of `identification`; with priors by class, one that `spoofing` scores."""
    plain = partial(identification, name, title, **parameters)
    target, classes, costs = (parameters[each] for each in ("target", "classes", "costs"))
    if not isinstance(priors, Mapping):
        if tandem is not None:
            raise ParameterError(
                "tandem", "expected with priors by class: of a target, other speakers and spoofs"
            )
        if set(costs) != set(EQUAL_COSTS):
            raise ParameterError("costs", f"{', '.join(costs)}; expected {{c_miss: …, c_fa: …}}")
        return plain(priors=priors)
    if (parameters["dcf"], parameters["scores"], parameters["out_of_set"]) != (NORMALISED, LIKELIHOODS, ""):
        raise ParameterError("priors", "by class; expected likelihoods, and no dcf and out_of_set")
    spoofing = read_spoofing(classes, target, priors, costs, tandem)
    files = ClassScoreFiles(classes, target, None, *(parameters[each] for each in ("id", "item", "unit")))
    files = replace(files, other_unit=parameters["other_unit"])
    return with_spoofing(plain(**spoofing.pooled), files, spoofing, parameters["eer"])


def _two_sided_scores(
    files: ClassScoreFiles,
    priors: Sequence[float],
    costs: Mapping[str, float],
    eer: str,
    dcf: str,
    **words: str,
) -> tuple[Score, ...]:
    weights = weights_of(_betas(priors, costs), normalised=True)
    if dcf != NORMALISED:
        weights = tuple((costs["c_miss"] * prior, costs["c_fa"] * (1 - prior)) for prior in priors)
    return detection_scores(
        weights, files.sides, files.target, eer=eer, normalised=dcf == NORMALISED, **words
    )


def _read_as(ratios: str, *, converted: bool) -> str:
    given = f"as natural-log likelihood{' ratios' if ratios else 's'}, not as probabilities"
    return "converted from probabilities to likelihoods" if converted else given


def _view(files: ClassScoreFiles, threshold: float, *, on_hull: bool) -> View:
    other = files.out_of_set

    def given(submitted: Answers) -> np.ndarray:
        scores = files.likelihoods(submitted)
        if not other:
            return scores
        return np.append(scores, np.full((len(scores), 1), np.nextafter(threshold, -np.inf)), axis=1)

    target = files.target
    facts = {
        "classes": [target, f"other than {target}"] if target else list(files.sides),
        "curves": partial(_curves, files=files),
        "lengths": lengths,
        "rows": files.row_numbers,
        "on_hull": on_hull,
        "unless": f", {other} where none reaches its threshold" if other else "",
    }
    return View("identification", expected=itemgetter(LABEL), given=given, facts=facts)


def _operating_point(
    priors: tuple[float, ...], costs: Mapping[str, float], out_of_set: str, p_oos: float
) -> str:
    other = f" and {p_oos:g} of {out_of_set} (open set, as in 2009)" if out_of_set else ""
    point = f"at a target's prior of {' and '.join(f'{prior:g}' for prior in priors)}{other}"
    if costs["c_miss"] != costs["c_fa"]:
        point += f", costs {costs['c_miss']:g} of a miss and {costs['c_fa']:g} of a false alarm"
    return point


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


def _check_two_sides(eer: str, dcf: str, two: bool) -> None:
    if not two and (eer, dcf) != (HULL, NORMALISED):
        raise ParameterError("eer" if eer != HULL else "dcf", "expected for two classes or a target only")


def _betas(priors: Sequence[float], costs: Mapping[str, float]) -> list[float]:
    betas = [costs["c_fa"] * (1 - prior) / (costs["c_miss"] * prior) for prior in priors]
    if not all(1 / LARGEST_BETA <= beta <= LARGEST_BETA for beta in betas):
        message = f"costs and priors differ by a factor of {max(*betas, *(1 / b for b in betas)):.3g}"
        raise ParameterError("priors", f"{message}; expected a million at most")
    return betas


def _count(
    answers: Answers, submitted: Answers, *, files: ClassScoreFiles, weights: Sequence[Any]
) -> dict[str, Any]:
    scored = answers[LABEL], files.likelihoods(submitted), files.row_numbers(answers)
    if files.out_of_set:
        pooled = metrics.pooled_histograms(*scored, out_of_set=1)
        return {"pooled": pooled, "classes": open_set.open_set_costs(*scored, weights=weights)}
    histograms = (
        {"trials": metrics.detection_histograms(*scored)}
        if len(files.sides) == 2
        else {"pooled": metrics.pooled_histograms(*scored)}
    )
    many = len(files.sides) > 2
    return {**histograms, "classes": metrics.class_costs(*scored, weights=weights, minimum=many)}


def _exact_trials(
    answers: Answers, submitted: Answers, whole: ScoreHistograms, *, files: ClassScoreFiles
) -> ScoreHistograms:
    trials = metrics.detection_trials(answers[LABEL], files.likelihoods(submitted))
    return equal_error_rate.exact_total(whole, *trials)


def _curves(answers: Answers, submitted: Answers, *, files: ClassScoreFiles) -> list[tuple[Any, ...]]:
    """The trials of a report's curve: their name, the key of their EER, and the scores of both sides."""
    labels, scores = answers[LABEL], files.likelihoods(submitted)
    if len(files.sides) > 2:
        pooled = metrics.pooled_trials(labels, scores)
        return [("pooled scores of own and of other classes", "eer", *pooled)]
    called = f"scores for {files.target}" if files.target else " minus ".join(files.sides)
    return [(called, "eer", *metrics.detection_trials(labels, scores))]


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


def _prior(value: Any) -> float:
    if not 0 < finite_number(value) < 1:
        raise ValueError(f"prior {value!r}; expected a number between 0 and 1")
    return float(value)


def _priors(value: Any) -> Union[tuple[float, ...], dict[str, float]]:
    if isinstance(value, Mapping):
        return {str(name): _prior(prior) for name, prior in value.items()}
    given = list(value) if isinstance(value, (list, tuple)) else [value]
    priors = tuple(map(_prior, given))
    if not priors or len(set(priors)) < len(priors):
        raise ValueError(f"{value!r}; expected a prior, or a list of different ones")
    return priors


def _costs(value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{value!r}; expected {{c_miss: …, c_fa: …}}")
    for name, cost in value.items():
        if finite_number(cost) <= 0:
            raise ValueError(f"{name} {cost!r}; expected a number above 0")
    given = {str(name): float(cost) for name, cost in value.items()}
    return {**EQUAL_COSTS, **given} if set(given) <= set(EQUAL_COSTS) else given


def _scale(value: Any) -> Union[str, dict[str, float]]:
    if value in (LIKELIHOODS, POSTERIORS):
        return str(value)
    if isinstance(value, Mapping) and list(value) == [POSTERIORS] and isinstance(value[POSTERIORS], Mapping):
        return {str(label): _prior(prior) for label, prior in value[POSTERIORS].items()}
    raise ValueError(f"{value!r}; expected likelihoods, posteriors, or {{posteriors: {{CLASS: PRIOR, …}}}}")


# fmt: off
IDENTIFICATION = Kind(
    "identification",
    "a score for each of two or more classes, or one for a target class",
    (
        Parameter("classes", "The classes, two or more, in the order of tables; each is a column of a submission. "
                  "With a target they may be left out: every other label is then a nontarget.",
                  lambda value: class_names(value) if value is not None else (), ["English", "Hindi", "Tamil"], None),
        Parameter("target", "A class to detect against all others, by one column `score` in a submission.",
                  optional_text, None, None),
        Parameter("priors", "The prior probability of a target in detection costs, or a list of several, whose costs "
                  "are averaged. For a target among three classes or more, priors by class, such as {target: 0.94, "
                  "other: 0.01, spoof: 0.05}, give the a-DCF in place of these costs.", _priors, 0.5, 0.5),
        Parameter("costs", "The costs of a miss and of a false alarm in detection costs; with priors by class, "
                  "{c_miss: 1, other: 10, spoof: 10}.", _costs, {"c_miss": 1, "c_fa": 1}, {"c_miss": 1, "c_fa": 1}),
        Parameter("eer", f"Where the EER of two classes or a target is read: {HULL}, on the ROC convex hull; "
                  f"{CROSSING}, on the lines between operating points; {NEAREST}, the mean of both rates where they "
                  "are nearest, as in many scripts.", one_of(*EERS), HULL, HULL),
        Parameter("dcf", f"Whether the detection costs of two classes or a target are {NORMALISED} or {UNNORMALISED}. "
                  "Normalised costs are divided by the cost of accepting all or of accepting nothing, whichever is "
                  "less.",
                  one_of(NORMALISED, UNNORMALISED), NORMALISED, NORMALISED),
        Parameter("tandem", "With priors by class: the error rates of a given verification system, its misses of "
                  "targets and its false alarms of other speakers and of spoofed speech, as {miss: 0.02, "
                  "false_alarm: 0.02, spoof: 0.46}. A submission then also has a column countermeasure, and t-DCF is a "
                  "score.", read_rates, None, None),
        Parameter("scores", "What scores are: likelihoods, in natural logarithms (for a target, a log-likelihood "
                  "ratio); or posteriors, probabilities from 0 to 1, which sum to 1 in each row. If they "
                  "contain unequal priors, give these: {posteriors: {English: 0.8, …}}.", _scale, LIKELIHOODS,
                  LIKELIHOODS),
        Parameter("out_of_set", "The label of items that are of none of the classes. A submission has no column for "
                  "it; scores are then log-likelihood ratios of a class against everything else, or posteriors that "
                  "sum to 1 at most.", optional_text, "other", None),
        Parameter("p_oos", "The prior probability of an item out of set in Cavg: P_Out-of-Set of the NIST evaluation "
                  "of 2009.", _prior, P_OOS, P_OOS),
        ID._replace(
            description="The column that names an item, in the reference and in submissions; or the two that name a "
            "trial together, such as [enrolment, test].", read=id_column_or_two),
        *COMMON[1:],
        Parameter("other_unit", "For trials of two sides, such as an enrolled speaker (`unit`) and a test: the column "
                  "of the reference with the other side. Intervals then allow for other units on both sides; ranks "
                  "still resample `unit` only.", optional_text, "test", None),
    ),
    with_priors_by_class,
    "Identify the class of each {item} by scores.",
)
# fmt: on
