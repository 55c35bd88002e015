"""The scores of identification: of two classes or a target, of more classes, and with items out of set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ..metrics import detection_cost, equal_error_rate, open_set
from ..metrics import identification as metrics
from ..metrics.shares import interval_of_fitted
from ..task import HIGHER, LOWER, POSITIVE, Score


def weights_of(betas: Sequence[float], *, normalised: bool = False) -> tuple[tuple[float, float], ...]:
    """The weights of misses and of false alarms; normalised so that the better trivial detector costs 1."""
    return tuple((1 / min(1, beta), beta / min(1, beta)) if normalised else (1.0, beta) for beta in betas)


def open_weights(
    priors: Sequence[float], costs: Mapping[str, float], p_oos: float
) -> tuple[tuple[float, float, float], ...]:
    """The weights of misses, and of false alarms of other classes and out of set."""
    c_miss, c_fa = costs["c_miss"], costs["c_fa"]
    return tuple((c_miss * prior, c_fa * (1 - prior - p_oos), c_fa * p_oos) for prior in priors)


HULL, CROSSING, NEAREST = "hull", "crossing", "nearest"
EERS = {
    HULL: ("", "on the ROC convex hull", equal_error_rate.histogram_eer),
    CROSSING: (
        " (crossing)",
        "where lines through the operating points cross",
        equal_error_rate.histogram_interpolated_eer,
    ),
    NEAREST: (
        " (nearest)",
        "as the mean of both rates where they are nearest",
        equal_error_rate.histogram_nearest_eer,
    ),
}
"""The EER's title, definition and formula, by name."""

eer_interval = partial(interval_of_fitted, formula=equal_error_rate.histogram_eer)
minimum_cllr_interval = partial(interval_of_fitted, formula=detection_cost.minimum_cllr)


# fmt: off
def eer_score(kind: str, sides: str) -> Score:
    """The EER of the scores that `sides` describes."""
    name, where, formula = EERS[kind]
    return Score("eer", f"EER{name}", LOWER, formula, f"equal error rate of the {sides}, {where}", of="trials",
                 percent=True, best=0, interval=eer_interval)


def detection_scores(
    weights: Sequence[tuple[float, float]], sides: Sequence[str], target: str, *, point: str, read: str, eer: str,
    normalised: bool,
) -> tuple[Score, ...]:
    """The scores of two classes, or of a target; `weights` of misses and false alarms, normalised or not."""
    largest = sum(map(min, weights)) / len(weights)
    called, highest = "normalised " * normalised, 1.0 if normalised else largest
    minimum_dcf = partial(detection_cost.minimum_detection_cost, weights=weights, of_nontargets=not target)
    scored = f"scores for {target}" if target else f"differences of scores, {sides[0]} minus {sides[1]}"
    actual = metrics.target_cost if target else metrics.average_cost
    detector = f"detector of {target}" if target else "mean of both classes' detectors"
    balanced = Score("balanced_accuracy", "Balanced accuracy", HIGHER, metrics.macro_accuracy,
                     "mean recall of the two classes: unweighted average recall (UAR)", of="classes", percent=True)
    return (
        eer_score(eer, scored),
        *(() if target else (balanced,)),
        Score("cllr", "Cllr", LOWER, metrics.class_cllr,
              f"cost in bits of the scores {read}; 1 without information", of="classes",
              bounds=POSITIVE),
        Score("minimum_cllr", "Minimum Cllr", LOWER, detection_cost.minimum_cllr,
              "Cllr after the best calibration, by pool-adjacent-violators", of="trials",
              interval=minimum_cllr_interval),
        Score("actual_dcf", "Actual DCF", LOWER, partial(actual, weights=weights),
              f"{called}detection cost {point}, {detector}, with the scores {read}",
              of="classes", bounds=POSITIVE),
        Score("minimum_dcf", "Minimum DCF", LOWER, minimum_dcf,
              f"{called}detection cost {point}, {detector}, each part at its own best threshold", of="trials",
              bounds=(0.0, highest),
              interval=partial(interval_of_fitted, formula=minimum_dcf, bias=4, highest=highest)),
    )


def class_scores(
    weights: Sequence[Any], point: str, classes: tuple[str, ...], item: str, read: str, other: str
) -> tuple[Score, ...]:
    """The scores of three classes or more, or with items out of set."""
    nothing = 1 if other else math.log2(len(classes))
    average, minimum, cllr, accuracy = (
        (open_set.open_average_cost, open_set.open_minimum_cost, open_set.ratio_cllr, open_set.macro_accuracy)
        if other else
        (metrics.average_cost, metrics.minimum_average_cost, metrics.class_cllr, metrics.macro_accuracy)
    )
    return (
        Score("cavg", "Cavg", LOWER, partial(average, weights=weights),
              f"NIST's average cost of the classes' detectors {point}, with the scores {read}",
              of="classes", bounds=POSITIVE, best=0),
        Score("minimum_cavg", "Minimum Cavg", LOWER, partial(minimum, weights=weights),
              f"NIST's average cost {point}, at the best threshold, the same for all classes", of="classes"),
        Score("eer", "EER", LOWER, equal_error_rate.histogram_eer,
              f"equal error rate of the pooled scores of each {item}'s class and of the others"
              f"{f', all those of {other} among them' if other else ''}, on the ROC convex hull",
              of="pooled", percent=True, interval=eer_interval),
        Score("macro_accuracy", "Macro accuracy", HIGHER, accuracy,
              "mean recall of the classes: unweighted average recall (UAR)"
              f"{f', without the {item}s of {other}' if other else ''}",
              of="classes", percent=True),
        Score("cllr", "Cllr", LOWER, cllr,
              f"cost in bits of the scores {read}; {nothing:.3g} without information",
              of="classes", bounds=POSITIVE),
        *(
            Score(f"recall_{place + 1}", f"Recall {label}", HIGHER, partial(metrics.class_recall, number=place),
                  f"share of the {item}s of {label} whose score for {label} is largest", of="classes", percent=True)
            for place, label in enumerate(classes)
        ),
        *([Score("rejected", f"Rejected {other}", HIGHER, partial(metrics.class_recall, number=len(classes)),
                 f"share of the {item}s of {other} that the detector of no class accepts", of="classes",
                 percent=True)] if other else ()),
    )
# fmt: on
