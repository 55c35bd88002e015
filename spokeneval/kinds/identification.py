"""Identification: a score for each of two or more classes, or one score for a target class. Lower errors are better.

Reference, `labels.csv`: an item and its class in each row. Submission, `scores.csv`: an item and its scores in each
row, with a column for each class; with a target, one column `score`. Larger means more likely. Scores are natural-log
likelihoods, of which only the differences within an item count for costs; a target's score is a log-likelihood ratio.
Posterior probabilities are converted by log(p / prior), where a probability of 0 counts as exp(-1,000,000).

The primary score is the EER for two classes and for a target, and NIST's average cost for three classes or more. Two
classes have one trial an item: their log-likelihood ratio, the score of the first class minus that of the second.

Rows of the counts are units, such as speakers, or items if the reference names no units. More than `MOST_ROWS` of them
are grouped at random by their names, so that counts of any set fit into memory; intervals are then over these groups.
Source: `metrics.identification`, `metrics.equal_error_rate` and `metrics.detection_cost`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, Callable, Union

import numpy as np

from ..formats.format import Items
from ..formats.sheets import Answers, sheet_format
from ..metrics import detection_cost, equal_error_rate
from ..metrics import identification as metrics
from ..metrics.equal_error_rate import ScoreHistograms
from ..task import HIGHER, LOWER, POSITIVE, Score, Task, View
from ..trivial import random_numbers
from .class_scores import LABEL, SCORE, SEGMENTS, ClassScoreFiles, lengths, take_reference
from .decisions import MOST_TRIVIAL
from .kind import COMMON, Kind, Parameter, ParameterError, class_names, is_number, optional_text

LARGEST_BETA = 1e6

EQUAL_COSTS = {"c_miss": 1.0, "c_fa": 1.0}
LIKELIHOODS, POSTERIORS = "likelihoods", "posteriors"


def identification(
    name: str,
    title: str,
    *,
    classes: tuple[str, ...] = (),
    target: str = "",
    priors: tuple[float, ...] = (0.5,),
    costs: Mapping[str, float] = EQUAL_COSTS,
    scores: Union[str, Mapping[str, float]] = LIKELIHOODS,
    id: str = "id",
    item: str = "item",
    unit: str = "speaker",
) -> Task:
    """Return a task that asks for scores of classes.

    Parameters
    ----------
    classes, target, priors, costs, scores, id, item, unit
        As `IDENTIFICATION` describes them, with `scores` as the priors that posteriors contain, by class, if these are
        not equal.

    Contradictory parameters raise ParameterError.
    """
    _check_names(classes, target, id)
    betas = _betas(priors, costs)
    point = _operating_point(priors, costs)
    contained = None if scores == LIKELIHOODS else _contained_priors(scores, (target,) if target else classes)
    read = "as natural-log likelihoods" + (", not as probabilities" if contained is None else "")
    files = ClassScoreFiles(classes, target, contained, id, item, unit)
    two = len(files.sides) == 2
    form = sheet_format(
        files.reference, files.submission, list_file="items.csv", public=SEGMENTS, check=files.check
    )
    return Task(
        name=name,
        title=title,
        format=form._replace(
            read_reference=files.read_reference,
            rows=files.rows,
            item_rows=files.item_rows,
            take_reference=take_reference,
        ),
        units=files.units,
        count=partial(_count, files=files, betas=betas),
        scores=_detection_scores(betas, point, files.sides, target, read)
        if two
        else _class_scores(betas, point, classes, item, read),
        exact={"trials": partial(_exact_trials, files=files)},
        right=lambda rows: rows["classes"].hits.sum(axis=-1) / rows["classes"].items.sum(axis=-1),
        labels=lambda answers: answers[LABEL].tolist(),
        trivial=_trivial(files.columns, item),
        remarks=files.remarks,
        view=_view(files),
        shared_scale=False,  # bins and thresholds depend on each system's own scores
    )


def _view(files: ClassScoreFiles) -> View:
    facts = {
        "classes": files.sides,
        "curves": partial(_curves, files=files),
        "lengths": lengths,
        "rows": files.row_numbers,
    }
    return View("identification", expected=itemgetter(LABEL), given=files.likelihoods, facts=facts)


def _operating_point(priors: tuple[float, ...], costs: Mapping[str, float]) -> str:
    point = f"at a target's prior of {' and '.join(f'{prior:g}' for prior in priors)}"
    if costs["c_miss"] != costs["c_fa"]:
        point += f", costs {costs['c_miss']:g} of a miss and {costs['c_fa']:g} of a false alarm"
    return point


def _check_names(classes: tuple[str, ...], target: str, id: str) -> None:
    if not classes and not target:
        raise ParameterError("classes", "missing. Name two classes or more, or a target to detect")
    if target and classes and target not in classes:
        raise ParameterError("target", f"{target!r} is not one of the classes {', '.join(classes)}")
    columns = (SCORE,) if target else classes
    called = [column.lower() for column in (id, *columns)]
    for column in columns:
        if called.count(column.lower()) > 1:
            message = f"{column!r} is also the name of another column; capital letters make no difference"
            raise ParameterError("id" if target else "classes", message)


def _betas(priors: Sequence[float], costs: Mapping[str, float]) -> list[float]:
    betas = [costs["c_fa"] * (1 - prior) / (costs["c_miss"] * prior) for prior in priors]
    if not all(1 / LARGEST_BETA <= beta <= LARGEST_BETA for beta in betas):
        message = f"costs and priors differ by a factor of {max(*betas, *(1 / b for b in betas)):.3g}"
        raise ParameterError("priors", f"{message}; expected a million at most")
    return betas


def _count(
    answers: Answers, submitted: Answers, *, files: ClassScoreFiles, betas: Sequence[float]
) -> dict[str, Any]:
    scored = answers[LABEL], files.likelihoods(submitted), files.row_numbers(answers)
    histograms = (
        {"trials": metrics.detection_histograms(*scored)}
        if len(files.sides) == 2
        else {"pooled": metrics.pooled_histograms(*scored)}
    )
    return {**histograms, "classes": metrics.class_costs(*scored, weights=_weights(betas))}


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
    called = f"scores for {files.target}" if files.target else f"{files.sides[0]} minus {files.sides[1]}"
    return [(called, "eer", *metrics.detection_trials(labels, scores))]


def _weights(betas: Sequence[float], *, normalised: bool = False) -> tuple[tuple[float, float], ...]:
    """The weights of misses and of false alarms; normalised so that the better trivial detector costs 1."""
    return tuple((1 / min(1, beta), beta / min(1, beta)) if normalised else (1.0, beta) for beta in betas)


def _trivial(columns: tuple[str, ...], item: str) -> dict[str, Callable[[Items], Answers]]:
    """Trivial baselines: equal scores, one class throughout, and scores at random."""

    def guess(items: Items, column: Union[int, np.ndarray]) -> Answers:
        chosen = np.broadcast_to(column, len(items))
        return Answers(items, {name: (chosen == place).astype(float) for place, name in enumerate(columns)})

    def at_random(items: Items) -> Answers:
        return guess(items, random_numbers(len(items), max(2, len(columns))))

    each = enumerate(columns) if 1 < len(columns) <= MOST_TRIVIAL else ()
    return {
        f"the same scores for every {item}": partial(guess, column=-1),
        **{f"{label} for every {item}": partial(guess, column=place) for place, label in each},
        "scores at random": at_random,
    }


# fmt: off
def _detection_scores(
    betas: Sequence[float], point: str, sides: Sequence[str], target: str, read: str
) -> tuple[Score, ...]:
    """The scores of two classes, or of a target."""
    weights = _weights(betas, normalised=True)
    eer = f"scores for {target}" if target else f"differences of scores, {sides[0]} minus {sides[1]}"
    actual = metrics.target_cost if target else metrics.average_cost
    detector = f"detector of {target}" if target else "mean of both classes' detectors"
    balanced = Score("balanced_accuracy", "Balanced accuracy", HIGHER, metrics.macro_accuracy,
                     "mean recall of the two classes: unweighted average recall (UAR)", of="classes", percent=True)
    return (
        Score("eer", "EER", LOWER, equal_error_rate.histogram_eer,
              f"equal error rate of the {eer}, on the ROC convex hull", of="trials", percent=True, best=0,
              interval=equal_error_rate.eer_interval),
        *(() if target else (balanced,)),
        Score("cllr", "Cllr", LOWER, metrics.class_cllr,
              f"cost in bits of the scores {read}; 1 without information", of="classes",
              bounds=POSITIVE),
        Score("minimum_cllr", "Minimum Cllr", LOWER, detection_cost.minimum_cllr,
              "Cllr after the best calibration, by pool-adjacent-violators", of="trials",
              interval=detection_cost.minimum_cllr_interval),
        Score("actual_dcf", "Actual DCF", LOWER, partial(actual, weights=weights),
              f"normalised detection cost {point}, {detector}, with the scores {read}",
              of="classes", bounds=POSITIVE),
        Score("minimum_dcf", "Minimum DCF", LOWER,
              partial(detection_cost.minimum_detection_cost, weights=weights, of_nontargets=not target),
              f"normalised detection cost {point}, {detector}, each part at its own best threshold", of="trials",
              interval=partial(detection_cost.minimum_detection_cost_interval, weights=weights,
                               of_nontargets=not target)),
    )


def _class_scores(
    betas: Sequence[float], point: str, classes: tuple[str, ...], item: str, read: str
) -> tuple[Score, ...]:
    """The scores of three classes or more."""
    weights = _weights(betas)
    nothing = math.log2(len(classes))
    return (
        Score("cavg", "Cavg", LOWER, partial(metrics.average_cost, weights=weights),
              f"NIST's average cost of the classes' detectors {point}, with the scores {read}",
              of="classes", bounds=POSITIVE, best=0),
        Score("minimum_cavg", "Minimum Cavg", LOWER, partial(metrics.minimum_average_cost, weights=weights),
              f"NIST's average cost {point}, at the best threshold, the same for all classes", of="classes"),
        Score("eer", "EER", LOWER, equal_error_rate.histogram_eer,
              f"equal error rate of the pooled scores of each {item}'s class and of the others, on the ROC convex hull",
              of="pooled", percent=True, interval=equal_error_rate.eer_interval),
        Score("macro_accuracy", "Macro accuracy", HIGHER, metrics.macro_accuracy,
              "mean recall of the classes: unweighted average recall (UAR)", of="classes", percent=True),
        Score("cllr", "Cllr", LOWER, metrics.class_cllr,
              f"cost in bits of the scores {read}; {nothing:.3g} without information",
              of="classes", bounds=POSITIVE),
        *(
            Score(f"recall_{place + 1}", f"Recall {label}", HIGHER, partial(metrics.class_recall, number=place),
                  f"share of the {item}s of {label} whose score for {label} is largest", of="classes", percent=True)
            for place, label in enumerate(classes)
        ),
    )
# fmt: on


def _contained_priors(scores: Union[str, Mapping[str, float]], classes: tuple[str, ...]) -> np.ndarray:
    """The priors that posteriors contain: of each class, or of the target and the others."""
    if isinstance(scores, str):
        return np.full(max(2, len(classes)), 1 / max(2, len(classes)))
    if set(scores) != set(classes):
        raise ParameterError(
            "scores", f"priors of {', '.join(scores)}; expected those of {', '.join(classes)}"
        )
    if len(classes) == 1:
        prior = scores[classes[0]]
        return np.array([prior, 1 - prior])
    total = math.fsum(scores.values())
    if abs(total - 1) > 1e-6:
        raise ParameterError("scores", f"priors that add up to {total:g}; expected 1")
    return np.array([scores[label] for label in classes])


def _number(value: Any) -> float:
    if not is_number(value):
        raise ValueError(f"{value!r}; expected a number")
    return float(value)


def _prior(value: Any) -> float:
    if not 0 < _number(value) < 1:
        raise ValueError(f"prior {value!r}; expected a number between 0 and 1")
    return float(value)


def _priors(value: Any) -> tuple[float, ...]:
    given = list(value) if isinstance(value, (list, tuple)) else [value]
    priors = tuple(map(_prior, given))
    if not priors or len(set(priors)) < len(priors):
        raise ValueError(f"{value!r}; expected a prior, or a list of different ones")
    return priors


def _costs(value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping) or not set(value) <= set(EQUAL_COSTS):
        raise ValueError(f"{value!r}; expected {{c_miss: …, c_fa: …}}")
    for name, cost in value.items():
        if _number(cost) <= 0:
            raise ValueError(f"{name} {cost!r}; expected a number above 0")
    return {**EQUAL_COSTS, **{name: float(cost) for name, cost in value.items()}}


def _scale(value: Any) -> Union[str, dict[str, float]]:
    if value in (LIKELIHOODS, POSTERIORS):
        return str(value)
    if isinstance(value, Mapping) and list(value) == [POSTERIORS] and isinstance(value[POSTERIORS], Mapping):
        return {str(label): _prior(prior) for label, prior in value[POSTERIORS].items()}
    raise ValueError(f"{value!r}; expected likelihoods, posteriors, or {{posteriors: {{CLASS: PRIOR, …}}}}")


IDENTIFICATION = Kind(
    "identification",
    "a score for each of two or more classes, or one for a target class",
    (
        Parameter(
            "classes",
            "The classes, two or more, in the order of tables; each is a column of a submission. With a target they "
            "may be left out: every other label is then a nontarget.",
            lambda value: class_names(value) if value is not None else (),
            ["English", "Hindi", "Tamil"],
            None,
        ),
        Parameter(
            "target",
            "A class to detect against all others, by one column `score` in a submission.",
            optional_text,
            None,
            None,
        ),
        Parameter(
            "priors",
            "The prior probability of a target in detection costs, or a list of several, whose costs are averaged.",
            _priors,
            0.5,
            0.5,
        ),
        Parameter(
            "costs",
            "The costs of a miss and of a false alarm in detection costs.",
            _costs,
            {"c_miss": 1, "c_fa": 1},
            {"c_miss": 1, "c_fa": 1},
        ),
        Parameter(
            "scores",
            "What scores are: likelihoods, in natural logarithms (for a target, a log-likelihood ratio); or "
            "posteriors, probabilities from 0 to 1. Name unequal priors that they contain: "
            "{posteriors: {English: 0.8, …}}.",
            _scale,
            LIKELIHOODS,
            LIKELIHOODS,
        ),
        *COMMON,
    ),
    identification,
)
