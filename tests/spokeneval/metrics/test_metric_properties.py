"""What holds for every metric: the registry of all scores of all tasks, which a new score joins by itself.

A family draws the arguments of a part of a task's counts, and knows how to spoil, reorder and rename them. Every score
of such a part is expected to lie in 0 to 1, to be best for a faultless hypothesis and worst for the worst one; where it
is otherwise, `EXPECTED` says so. What is public in `spokeneval.metrics` and gives a number is in the registry or in
`EXEMPT`, with the reason.
"""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import spokeneval.metrics
from spokeneval.challenges import caller_experience, find_task, task_names
from spokeneval.formats.sheets import Answers
from spokeneval.metrics import (
    accept_reject,
    agreement,
    classification,
    correlation,
    equal_error_rate,
    prediction_error,
)
from spokeneval.metrics import language_diarization as diarization
from spokeneval.metrics import language_identification as identification
from spokeneval.metrics import phoneme_recognition as recognition
from spokeneval.metrics.counts import as_matrix, field_arrays, from_matrix, taken, total
from spokeneval.metrics.sweeps import Recording, Turns
from spokeneval.task import HIGHER, Score, Task
from tests.samples.cases import OWN

DRAWS = 25
INF = math.inf

Arguments = tuple[Any, ...]


class Family:
    """Arguments of one shape.

    `draw` makes them of about n items, `perfect` puts a faultless hypothesis in them, `worst` the worst. A family may
    have `relabelled` (other names for the classes) and `stretched` (scores on another scale, in the same order).

    Attributes
    ----------
    rows: arguments -> counts, one row an item, a speaker or a recording.
    """

    def __init__(self, rows: Callable[..., Any] | None = None) -> None:
        self.rows = rows

    def taken(self, argument: Any, rows: np.ndarray) -> Any:
        return np.asarray(argument)[rows]

    def reordered(self, arguments: Arguments, rng: np.random.Generator) -> Arguments:
        """The same items in another order."""
        order = rng.permutation(len(arguments[0]))
        return tuple(self.taken(argument, order) for argument in arguments)

    def bad(self, arguments: Arguments) -> dict[str, Arguments]:
        """Arguments that every metric must refuse."""
        first, *rest = arguments
        cut = {
            f"argument {place} cut": (*arguments[:place], arguments[place][:-1], *arguments[place + 1 :])
            for place in range(len(arguments))
        }
        return {
            **cut,
            "nothing": tuple(np.asarray(argument)[:0] for argument in arguments),
            "a matrix": tuple(np.asarray(argument)[:, None] for argument in arguments),
            "a number": tuple(np.asarray(argument)[0] for argument in arguments),
            "words": tuple(np.asarray(argument).astype(str) for argument in arguments),
            "None": (None, *rest),
            "one more dimension": (np.asarray(first)[None, :], *rest),
            **self.spoilt(arguments),
        }

    def spoilt(self, arguments: Arguments) -> dict[str, Arguments]:
        """The arguments with one value replaced by a value that is not a finite number."""
        spoilt = {}
        for place, argument in enumerate(arguments):
            for value in (math.nan, INF, -INF):
                values = np.asarray(argument, dtype=float).copy()
                values[-1] = value
                spoilt[f"{value} in argument {place}"] = (*arguments[:place], values, *arguments[place + 1 :])
        return spoilt


class AcceptReject(Family):
    """Correct in language, correct in meaning, accepted."""

    def draw(self, rng, n):
        correct = rng.random(n) < 0.6
        correct[:2] = True, False
        return correct, correct | (rng.random(n) < 0.5), rng.random(n) < 0.5

    def perfect(self, arguments):
        return (*arguments[:-1], arguments[0])

    def worst(self, arguments):
        return (*arguments[:-1], ~arguments[0])

    def bad(self, arguments):
        return {**super().bad(arguments), "whole numbers": (*arguments[:-1], arguments[-1].astype(int))}


class Truth(AcceptReject):
    """Correct, predicted correct."""

    def draw(self, rng, n):
        correct, _, predicted = super().draw(rng, n)
        return correct, predicted

    def relabelled(self, arguments):
        return ~arguments[0], ~arguments[1]


class Ratings(Family):
    """Two ratings from 1 to 5."""

    def draw(self, rng, n):
        first = rng.integers(1, 6, n)
        first[:2] = 1, 5
        return first, np.clip(first + rng.integers(-2, 3, n), 1, 5)

    def perfect(self, arguments):
        return (arguments[0],) * len(arguments)

    def worst(self, arguments):
        return (*self.perfect(arguments)[:-1], np.where(arguments[0] <= 3, 5, 1))

    def relabelled(self, arguments):
        return tuple(6 - ratings for ratings in arguments)

    def bad(self, arguments):
        *rest, last = arguments
        off = {
            f"the rating {value}": (*rest, np.where(last == last.max(), value, last)) for value in (0, 6, 4.5)
        }
        return {**super().bad(arguments), **off}


class Listeners(Ratings):
    """Three listeners' ratings and the system's."""

    def draw(self, rng, n):
        first, second = super().draw(rng, n)
        return (first, *(np.clip(second + rng.integers(-1, 2, n), 1, 5) for _ in range(3)))


class Predictions(Family):
    """Human scores and predictions."""

    def draw(self, rng, n):
        human = rng.integers(1, 5, n).astype(float)
        human[:2] = 1, 4
        return human, human + rng.normal(0, 1, n)

    def perfect(self, arguments):
        return (arguments[0], arguments[0], *arguments[2:])

    def worst(self, arguments):
        return (arguments[0], -arguments[0], *arguments[2:])

    def relabelled(self, arguments):
        return (arguments[0], 3 * arguments[1] + 7, *arguments[2:])


class Controlled(Predictions):
    """Human scores, predictions, numbers of words."""

    def draw(self, rng, n):
        words = rng.integers(5, 100, n).astype(float)
        words[:3] = 5, 60, 7
        return (*super().draw(rng, n), words)


class Segments(Family):
    """English or Mandarin, English scores, Mandarin scores."""

    def draw(self, rng, n):
        is_english = rng.random(n) < 0.7
        is_english[:2] = True, False
        return is_english, rng.normal(is_english, 1), rng.normal(~is_english, 1)

    def perfect(self, arguments):
        is_english = arguments[0]
        return (is_english, is_english.astype(float), 1.0 - is_english, *arguments[3:])

    def worst(self, arguments):
        is_english = arguments[0]
        return (is_english, 1.0 - is_english, is_english.astype(float), *arguments[3:])

    def relabelled(self, arguments):
        return (~arguments[0], arguments[2], arguments[1], *arguments[3:])

    def stretched(self, arguments):
        return (arguments[0], *map(stretch, arguments[1:3]), *arguments[3:])

    def bad(self, arguments):
        return {**super().bad(arguments), "whole numbers": (arguments[0].astype(int), *arguments[1:])}


class Recorded(Segments):
    """Segments and the numbers of their recordings. The first two, one of each language, share a recording."""

    def draw(self, rng, n):
        recordings = rng.integers(0, 2, n)
        recordings[:2] = 0
        return (*super().draw(rng, n), recordings)

    def reordered(self, arguments, rng):
        *segments, recordings = super().reordered(arguments, rng)
        return (*segments, 5 - 2 * recordings)


class LogRatios(Recorded):
    """Recorded segments. A perfect hypothesis is certain of each language, the worst of the other one."""

    def perfect(self, arguments):
        is_english, english, mandarin, *rest = super().perfect(arguments)
        return (is_english, 50 * english, 50 * mandarin, *rest)

    def worst(self, arguments):
        is_english, english, mandarin, *rest = super().worst(arguments)
        return (is_english, 50 * english, 50 * mandarin, *rest)


class Trials(Family):
    """Target scores and nontarget scores."""

    def draw(self, rng, n):
        return rng.normal(1, 1, n).round(1), rng.normal(0, 1, n // 2 + 1).round(1)

    def reordered(self, arguments, rng):
        return tuple(rng.permutation(argument) for argument in arguments)

    def perfect(self, arguments):
        return np.abs(arguments[0]) + 1, -np.abs(arguments[1])

    def worst(self, arguments):
        return self.perfect(arguments[::-1])[::-1]

    def relabelled(self, arguments):
        return -arguments[1], -arguments[0]

    def stretched(self, arguments):
        return tuple(map(stretch, arguments))

    def bad(self, arguments):
        targets, nontargets = arguments
        bad = {name: some for name, some in super().bad(arguments).items() if not name.endswith("cut")}
        return {**bad, "no target": (targets[:0], nontargets), "no nontarget": (targets, nontargets[:0])}


class Transcripts(Family):
    """Reference and recognised phones."""

    def draw(self, rng, n):
        phones = np.array(recognition.arpabet_features().phones)
        said = [list(rng.choice(phones, rng.integers(1, 6))) for _ in range(n)]
        return said, [[phone for phone in rng.permutation(one) if rng.random() < 0.8] for one in said]

    def taken(self, argument, rows):
        return [argument[row] for row in rows]

    def perfect(self, arguments):
        return arguments[0], arguments[0]

    def worst(self, arguments):
        return arguments[0], [[] for _ in arguments[0]]

    def relabelled(self, arguments):
        phones = recognition.arpabet_features().phones
        other = {phone: phones[place - 1] for place, phone in enumerate(phones)}
        return tuple([[other[phone] for phone in one] for one in side] for side in arguments)

    def bad(self, arguments):
        reference, hypothesis = arguments
        return {
            "one cut": (reference, hypothesis[:-1]),
            "the other cut": (reference[:-1], hypothesis),
            "nothing": ([], []),
            "nan": (reference, [*hypothesis[:-1], [math.nan]]),
            "an utterance one level deeper": ([[one] for one in reference], hypothesis),
        }


class Recordings(Family):
    """Recordings with turns, regions and excluded speech, in whole milliseconds."""

    def draw(self, rng, n):
        def turns(count: int) -> np.ndarray:
            start = rng.integers(0, 900, count)
            return np.stack([start, start + rng.integers(1, 200, count)], axis=1)

        def both() -> Turns:
            return Turns.of_labels(turns(3), turns(3))

        return ([Recording(both(), both(), [[0, 500], [500, 1200]], turns(1)) for _ in range(n)],)

    def taken(self, argument, rows):
        return [argument[row] for row in rows]

    def changed(self, arguments, change):
        return ([recording._replace(**change(recording)) for recording in arguments[0]],)

    def reordered(self, arguments, rng):
        def shuffle(recording):
            orders = [rng.permutation(len(labels)) for _, labels in recording[:2]]
            sides = [
                Turns(spans[order], labels[order]) for (spans, labels), order in zip(recording[:2], orders)
            ]
            return dict(zip(recording._fields, [*sides, *map(rng.permutation, recording[2:])]))

        return self.changed(super().reordered(arguments, rng), shuffle)

    def perfect(self, arguments):
        return self.changed(arguments, lambda recording: {"hypothesis": recording.reference})

    def worst(self, arguments):
        return self.changed(arguments, lambda recording: {"hypothesis": Turns((), ())})

    def relabelled(self, arguments):
        def exchange(recording):
            sides = [Turns(spans, 1 - labels) for spans, labels in recording[:2]]
            return dict(zip(recording._fields, sides))

        return self.changed(arguments, exchange)

    def bad(self, arguments):
        first, *rest = arguments[0]
        nan, words = (Turns(turns, [0]) for turns in ([[0.0, math.nan]], [["1", "2"]]))
        return {
            "nothing": ([],),
            "no region": ([first._replace(regions=[]), *rest],),
            "nan in a turn": ([first._replace(hypothesis=nan), *rest],),
            "words in a turn": ([first._replace(reference=words), *rest],),
            "a third language": ([first._replace(reference=Turns([[0, 1]], [2])), *rest],),
            "no label": ([first._replace(reference=Turns([[0, 1]], [])), *rest],),
        }


def stretch(scores: np.ndarray) -> np.ndarray:
    """A strictly increasing function that is far from linear."""
    return np.exp(scores) ** 3 - 5


def count_ratings(*raters: np.ndarray, part: str) -> Any:
    listeners = {name: raters[place] for place, name in enumerate(caller_experience.LISTENERS)}
    return caller_experience.count(Answers(None, listeners), Answers(None, {"rating": raters[-1]}))[part]


def jaccard_rows(recordings: list[Recording]) -> diarization.JaccardErrors:
    return diarization.jaccard_errors(diarization.language_times(recordings))


def rating_sums(*ratings: np.ndarray) -> correlation.CorrelationMoments:
    return total(correlation.rating_moments(*ratings))


LANGUAGES = ("english", "mandarin")
SCALE = {"scale": (1, 5)}
RATINGS, SEGMENTS, TRIALS = Ratings(partial(agreement.rating_cells, **SCALE)), Segments(), Trials()

PARTS: Mapping[str, Mapping[str, Family]] = {
    "spoken_call": {"decisions": AcceptReject(accept_reject.decisions_per_response)},
    "caller_experience": {
        part: Listeners(partial(count_ratings, part=part)) for part in ("pairs", "comparisons")
    },
    "psst_recognition": {"errors": Transcripts(recognition.errors_per_utterance)},
    "psst_correctness": {"predictions": Truth(classification.predictions_per_item)},
    "merlion_identification": {
        "pooled": Recorded(identification.pooled_histograms),
        "differences": Recorded(identification.difference_histograms),
        "decisions": Recorded(identification.decisions_per_recording),
        "ratios": LogRatios(identification.likelihood_ratio_costs),
    },
    "merlion_diarization": {
        "times": Recordings(diarization.language_times),
        "jaccard": Recordings(jaccard_rows),
    },
    "content_accuracy": {
        "correlation": Predictions(correlation.correlation_moments),
        "partial": Controlled(correlation.partial_moments),
        "rounded": RATINGS,
        "errors": Predictions(prediction_error.squared_errors),
        "ranks": Predictions(correlation.rank_moments),
        "differences": Predictions(prediction_error.differences),
    },
}
"""The generator of the arguments for each part of a task's counts."""


@dataclass(frozen=True)
class Metric:
    """One metric of the registry.

    Attributes
    ----------
    name: `task.score`, or what a function is called.
    value: the family's arguments -> its value.
    better: whether higher or lower is better.
    bounds: the least and the greatest value.
    perfect: its value for a faultless hypothesis; None: the best of all, whatever it is.
    worst: its value for the family's worst hypothesis; None: not fixed.
    twin: the score that a function is like.
    """

    name: str
    family: Family
    value: Callable[..., Any]
    better: str
    bounds: tuple[float, float]
    perfect: float | None
    worst: float | None
    twin: str = ""

    def __call__(self, arguments: Arguments) -> Any:
        return self.value(*arguments)

    def __str__(self) -> str:
        return self.name


RATIO = {"bounds": (0, INF)}
COUNT = {"bounds": (0, INF), "worst": None}
GAIN = {"bounds": (0, INF), "perfect": None}
KAPPA = {"bounds": (-1, 1), "worst": None}
R = {"bounds": (-1, 1), "worst": -1}
HALF = {"bounds": (0, 0.5), "worst": 0.5}

EXPECTED: Mapping[str, Mapping[str, Any]] = {
    **{f"spoken_call.{key}": GAIN for key in ("d_full", "d_full_raw", "d", "d_a", "ca", "cr")},
    **{f"spoken_call.{key}": COUNT for key in ("fr", "pfa", "gfa")},
    "spoken_call.matthews": R,
    "psst_correctness.matthews": R,
    "caller_experience.kappa_mean": KAPPA,
    **{f"caller_experience.kappa_human{place}": KAPPA for place in (1, 2, 3)},
    **{f"caller_experience.{key}": KAPPA for key in ("human_kappa_mean", "quadratic_kappa", "human_alpha")},
    "caller_experience.alpha": {**KAPPA, "perfect": 1},
    "caller_experience.winning_rate": {"worst": None},
    "caller_experience.advantage": {"worst": None},
    "caller_experience.parity": {"bounds": (-2, 2), "perfect": 0, "worst": None},
    "psst_recognition.per": RATIO,
    **{f"psst_recognition.{key}": COUNT for key in ("fer", "substitutions", "insertions", "deletions")},
    "merlion_identification.eer": HALF,
    "merlion_identification.eer_plan": HALF,
    "merlion_identification.cllr": COUNT,
    "merlion_identification.actual_dcf": {"bounds": (0, 6), "worst": 6},
    "merlion_diarization.der": RATIO,
    "merlion_diarization.false_alarm": COUNT,
    "merlion_diarization.language_error": {"worst": None},
    **{f"merlion_diarization.{key}_script": RATIO for key in ("lder", "english_error", "mandarin_error")},
    "content_accuracy.pearson_r": R,
    "content_accuracy.partial_r": R,
    "content_accuracy.quadratic_kappa": KAPPA,
    "content_accuracy.rmse": COUNT,
    "content_accuracy.spearman_r": R,
    "content_accuracy.smd": COUNT,
}
"""The properties that are not expected of every score."""


def metric_of(task: Task, score: Score) -> Metric:
    name = f"{task.name}.{score.key}"
    family = PARTS[task.name][score.of or next(iter(PARTS[task.name]))]
    higher = score.direction == HIGHER
    expected = {"bounds": (0, 1), "perfect": int(higher), "worst": int(not higher), **EXPECTED.get(name, {})}

    def value(*arguments: Any) -> Any:
        return score.formula(total(family.rows(*arguments)))

    return Metric(name, family, value, score.direction, **expected)


TASKS = [find_task(name) for name in PARTS]
FORMULAS = {f"{task.name}.{score.key}": score.formula for task in TASKS for score in task.scores}
SCORES = {f"{task.name}.{score.key}": metric_of(task, score) for task in TASKS for score in task.scores}


def like(
    score: str, function: Callable, of: Callable | None = None, family: Family | None = None, **options
) -> Metric:
    """A function of the arguments, or of the counts that `of` computes from them, with all properties of a score."""

    def value(*arguments: Any) -> Any:
        made = of(*arguments) if of else arguments
        return function(*(made if isinstance(made, tuple) else [made]), **options)

    words = [qualified(function), *([of.__name__] if of else []), *map(str, options.values())]
    family = family or SCORES[score].family
    return replace(SCORES[score], name=" ".join(words), family=family, value=value, twin=score)


def qualified(function: Callable) -> str:
    return f"{function.__module__.rpartition('.')[-1]}.{function.__name__}"


EER, PLAN = "merlion_identification.eer", "merlion_identification.eer_plan"
INTERPOLATED = "merlion_identification.eer_interpolated"

TWINS = (
    like("spoken_call.eligible", accept_reject.meets_fifty_percent_rule, accept_reject.count_decisions),
    like("psst_recognition.per", recognition.phone_error_rate),
    like("psst_recognition.fer", recognition.feature_error_rate),
    like("content_accuracy.pearson_r", correlation.pearson_r),
    like("content_accuracy.partial_r", correlation.partial_r),
    like("content_accuracy.rmse", prediction_error.rmse),
    like("content_accuracy.quadratic_kappa", agreement.cohen_kappa, weights="quadratic", **SCALE),
    like(EER, equal_error_rate.rocch_eer, identification.pooled_trials, SEGMENTS),
    like(PLAN, equal_error_rate.rocch_eer, identification.difference_trials, SEGMENTS),
    like(INTERPOLATED, equal_error_rate.interpolated_eer, identification.difference_trials, SEGMENTS),
)
"""Functions that return for the arguments the same as a score returns for their counts."""

METRICS = (
    *SCORES.values(),
    *TWINS,
    like("content_accuracy.quadratic_kappa", agreement.cohen_kappa, weights=None, **SCALE),
    like("content_accuracy.quadratic_kappa", agreement.cohen_kappa, weights="linear", **SCALE),
    like(
        *("content_accuracy.quadratic_kappa", correlation.concordance, rating_sums),
        Predictions(correlation.rating_moments),
    ),
    like(EER, equal_error_rate.rocch_eer, family=TRIALS),
    like(INTERPOLATED, equal_error_rate.interpolated_eer, family=TRIALS),
)

CHANGED = {
    "relabelled": {
        *(f"psst_correctness.{key}" for key in ("f1", "precision", "recall", "specificity")),
        *("psst_recognition.fer", "phoneme_recognition.feature_error_rate"),
        *("content_accuracy.rmse", "prediction_error.rmse", "correlation.concordance rating_sums"),
        *(f"content_accuracy.{key}" for key in ("smd", "within_half", "within_one")),
        *(f"merlion_identification.{language}_recall" for language in LANGUAGES),
        *(f"merlion_diarization.{language}_error{end}" for language in LANGUAGES for end in ("", "_script")),
    },
    "stretched": {
        *(PLAN, "equal_error_rate.rocch_eer difference_trials"),
        *(INTERPOLATED, "equal_error_rate.interpolated_eer difference_trials"),
        *(f"merlion_identification.{key}" for key in ("cllr", "minimum_cllr", "actual_dcf", "minimum_dcf")),
    },
}
"""The metrics that depend on the names of the classes, or on the scale of scores; the others do not."""

# Public functions that return a number, but are not metrics of a reference and a hypothesis, with the reason.
EXEMPT = {
    **{f"accept_reject.{kind}_responses": "a size" for kind in ("correct", "incorrect")},
    "accept_reject.false_accepts": "a count",
    "accept_reject.is_required_share": "a part of the rule, which is in the registry",
    "agreement.krippendorff_alpha": "of pairs of raters: Caller Experience's alpha and human_alpha",
    **{
        f"agreement.{name}": "no task's yet: held against scikit-learn in the tests of the kind of ratings"
        for name in ("pair_kappas", "mean_kappa")
    },
    "alternative_annotator.clustered_winning_rate": "of units: held against statsmodels in its tests",
    "alternative_annotator.mean_advantage": "no task's yet: held against its definition there",
    "prediction_error.prmse": "of several ratings of an item, in the report alone",
    **{
        f"prediction_error.{name}": "of several ratings of an item: held against exact arithmetic"
        for name in ("true_score_variance", "proportional_reduction")
    },
    "prediction_error.standardised_mean_difference": "has a sign; its size is in the registry",
    "detection_cost.look_like_posteriors": "of the form of scores",
    "jackknife.leave_one_out": "gives counts",
    "jackknife.jackknife_error": "of scores",
    "jackknife.student_quantile": "of a number of degrees of freedom",
    "phoneme_recognition.contains_pronunciation": "a baseline's rule",
    **{f"counts.{name}": "what rates are made with" for name in ("ratio", "number_or_array")},
    **{f"language_diarization.{kind}_time": "a size" for kind in ("english", "mandarin", "total")},
    **{f"language_diarization.{kind}_time": "a size" for kind in ("miss", "false_alarm", "language_error")},
    "phoneme_recognition.phone_errors": "a count",
    **{
        f"classification.{name}": "no task's yet: held against scikit-learn"
        for name in ("class_f1", "macro_f1")
    },
    **{
        f"identification.{name}": "no task's yet: held against the definitions and scikit-learn"
        for name in (
            *("average_cost", "minimum_average_cost", "target_cost"),
            *("class_cllr", "class_recall", "macro_accuracy"),
        )
    },
    **{
        f"diarization.{name}": "no task's yet: held against pyannote, spyder and every millisecond"
        for name in ("der", "miss", "false_alarm", "confusion", "jaccard_error_rate", "label_error")
    },
    "transcript_errors.errors": "a count",
    **{
        f"transcript_errors.{name}": "no task's yet: held against jiwer, meeteval and sclite"
        for name in (
            *("character_error_rate", "word_error_rate", "error_rate", "mean_rate", "mean_clipped_rate"),
            *("substitution_rate", "insertion_rate", "deletion_rate", "wrong_utterances"),
        )
    },
}


@cache
def draws(family: Family) -> tuple[Arguments, ...]:
    """Arguments of different sizes, the same in every run."""
    rng = np.random.default_rng(20190915)
    return tuple(family.draw(rng, 3 + draw) for draw in range(DRAWS))


def close(found: float, expected: float) -> bool:
    return math.isclose(found, expected, rel_tol=0, abs_tol=1e-12)


every_metric = pytest.mark.parametrize("metric", METRICS, ids=str)


@every_metric
def test_values_are_within_their_bounds(metric):
    values = [float(metric(arguments)) for arguments in draws(metric.family)]
    low, high = metric.bounds
    assert all(low <= value <= high and math.isfinite(value) for value in values)
    assert len(set(values)) > 1


@every_metric
def test_the_order_of_the_items_is_of_no_account(metric):
    rng = np.random.default_rng(1)
    for arguments in draws(metric.family):
        assert close(metric(metric.family.reordered(arguments, rng)), metric(arguments))


@every_metric
def test_a_faultless_hypothesis_is_best_and_the_worst_is_worst(metric):
    sign = 1 if metric.better == HIGHER else -1
    for arguments in draws(metric.family):
        value, best = metric(arguments), metric(metric.family.perfect(arguments))
        if metric.name != "caller_experience.parity":  # where listeners agree perfectly, nobody is above them
            assert sign * best >= sign * value - 1e-12
        if metric.perfect is not None:
            assert close(best, metric.perfect)
        if metric.worst is not None:
            worst = metric(metric.family.worst(arguments))
            assert close(worst, metric.worst)
            if metric.bounds[1] < INF or metric.better == HIGHER:
                assert sign * worst <= sign * value + 1e-12


@pytest.mark.parametrize("change", CHANGED)
def test_what_a_metric_depends_on(change):
    changed = set()
    for metric in METRICS:
        for arguments in draws(metric.family) if hasattr(metric.family, change) else ():
            if not close(metric(getattr(metric.family, change)(arguments)), metric(arguments)):
                changed.add(metric.name)
    assert changed == CHANGED[change]


@every_metric
def test_what_is_no_input_is_refused(metric):
    bad = metric.family.bad(draws(metric.family)[0])
    assert len(bad) >= 5
    for name, wrong in bad.items():
        try:
            value = metric(wrong)
        except ValueError:
            continue
        pytest.fail(f"{name}: {value}")


OWN_SCALE = (equal_error_rate.ScoreHistograms, correlation.CorrelationMoments, correlation.PartialMoments)
"""Counts on a scale that depends on their rows, so that rows counted separately do not add up."""


@pytest.mark.parametrize("family", [family for parts in PARTS.values() for family in parts.values()])
def test_counts_of_two_halves_add_up_to_those_of_the_whole(family):
    rng = np.random.default_rng(7)
    for n in range(8, 20):
        arguments = family.draw(rng, n)
        if isinstance(family, Recorded):  # recordings are not cut in two
            arguments = (*arguments[:-1], np.repeat([0, 1], [n // 2, n - n // 2]))
        whole = total(family.rows(*arguments))
        if isinstance(whole, OWN_SCALE):
            return
        first, second = (
            total(family.rows(*(family.taken(argument, rows) for argument in arguments)))
            for rows in (np.arange(n // 2), np.arange(n // 2, n))
        )
        for added in (first + second, second + first):
            assert type(added) is type(whole)
            for name, array in field_arrays(whole).items():
                np.testing.assert_allclose(getattr(added, name), array, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", sorted(set(SCORES) - {"spoken_call.eligible"}))  # undefined is not eligible
def test_the_score_of_many_sets_is_that_of_each(name):
    formula, family = FORMULAS[name], SCORES[name].family
    rng = np.random.default_rng(11)
    for arguments in draws(family):
        rows = family.rows(*arguments)
        weights = rng.integers(0, 2, (12, len(as_matrix(rows)))) * rng.integers(0, 3, (12, 1))
        weights[0] = 0
        many = from_matrix(rows, weights @ as_matrix(rows).astype(float))
        each = [total(taken(many, np.array([row]))) for row in range(len(weights))]
        values = [value_or_nan(formula, counts) for counts in each]
        np.testing.assert_array_equal(formula(many), values)
        assert values[0] == 0 if isinstance(formula, attrgetter) else math.isnan(values[0])


def value_or_nan(formula: Callable[[Any], Any], counts: Any) -> float:
    """The score of one set, NaN if it is undefined. Six pairs of raters are already several sets."""
    try:
        value = formula(counts)
    except ValueError as refusal:
        if not re.search("undefined|constant|expected (some|both)", str(refusal)):
            raise
        return math.nan
    assert not math.isnan(value) or (isinstance(counts, agreement.RatingCells) and len(counts.cells) == 6)
    return value


@pytest.mark.parametrize("twin", TWINS, ids=str)
def test_a_function_of_arguments_gives_what_the_score_of_their_counts_gives(twin):
    score = SCORES[twin.twin]
    size = len(draws(twin.family)[0])
    for arguments in draws(score.family):
        assert close(twin(arguments[:size]), score(arguments))


MODULES = [
    importlib.import_module(f"spokeneval.metrics.{found.name}")
    for found in pkgutil.iter_modules(spokeneval.metrics.__path__)
]


def public_names() -> set[str]:
    """Every public function of the metrics that returns a number."""
    return {
        qualified(function)
        for module in MODULES
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
        if function.__annotations__.get("return") in NUMBERS
    }


NUMBERS = ("Number", "Any", "float", "int", "bool", "Union[bool, np.ndarray]")


def test_every_task_has_its_parts_here():
    assert set(task_names()) - set(OWN) <= set(
        PARTS
    )  # a new task joins by its line, if it has formulas of its own


def test_every_public_metric_is_in_the_registry_or_says_why_not():
    functions = [getattr(formula, "func", formula) for formula in FORMULAS.values()]
    registered = {metric.name.split()[0] for metric in METRICS if metric.twin}
    registered |= {qualified(function) for function in functions if inspect.getmodule(function) in MODULES}
    names = public_names()
    assert registered <= names
    assert set(EXEMPT) <= names - registered
    missing = sorted(names - registered - set(EXEMPT))
    assert not missing, f"use it in a task's score, add a line to METRICS, or a reason to EXEMPT: {missing}"
