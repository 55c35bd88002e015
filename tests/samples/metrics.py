"""The registry of all scores of all tasks and of the public metrics, with the properties that are expected of each.

Every score is expected to lie in 0 to 1, to be best for a faultless hypothesis and worst for the worst one; where it is
otherwise, `EXPECTED` says so. What is public in `spokeneval.metrics`, takes arguments other than counts and gives a
number is in the registry or in `EXEMPT`, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from spokeneval.challenges import find_task
from spokeneval.challenges.merlion_identification import difference_trials
from spokeneval.metrics import accept_reject, agreement, correlation, equal_error_rate, prediction_error
from spokeneval.metrics import phoneme_recognition as recognition
from spokeneval.metrics.counts import total
from spokeneval.task import HIGHER, Score, Task
from tests.samples.metric_arguments import (
    INF,
    LANGUAGES,
    PARTS,
    RATINGS,
    SCALE,
    SEGMENTS,
    TRIALS,
    Arguments,
    Family,
    stacked,
)


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
    like("psst_recognition.fer", recognition.feature_error_rate),
    like("content_accuracy.pearson_r", correlation.pearson_r),
    like("content_accuracy.partial_r", correlation.partial_r),
    like("content_accuracy.rmse", prediction_error.rmse),
    like(PLAN, equal_error_rate.rocch_eer, stacked(difference_trials), SEGMENTS),
    like(INTERPOLATED, equal_error_rate.interpolated_eer, stacked(difference_trials), SEGMENTS),
)
"""Functions that return for the arguments the same as a score returns for their counts."""

METRICS = (
    *SCORES.values(),
    *TWINS,
    *(
        like("content_accuracy.quadratic_kappa", agreement.cohen_kappa, family=RATINGS, weights=each, **SCALE)
        for each in (None, "linear", "quadratic")
    ),
    like(EER, equal_error_rate.rocch_eer, family=TRIALS),
    like(INTERPOLATED, equal_error_rate.interpolated_eer, family=TRIALS),
)

CHANGED = {
    "relabelled": {
        *(f"psst_correctness.{key}" for key in ("f1", "precision", "recall", "specificity")),
        *("psst_recognition.fer", "phoneme_recognition.feature_error_rate"),
        *("content_accuracy.rmse", "prediction_error.rmse"),
        *(
            f"content_accuracy.{key}"
            for key in ("smd", "within_half", "within_one", "exact", "adjacent", "quadratic_kappa")
        ),
        *(f"merlion_identification.{language}_recall" for language in LANGUAGES),
        *(f"merlion_diarization.{language}_error{end}" for language in LANGUAGES for end in ("", "_script")),
    },
    "stretched": {
        *(PLAN, "equal_error_rate.rocch_eer of_columns"),
        *(INTERPOLATED, "equal_error_rate.interpolated_eer of_columns"),
        *(f"merlion_identification.{key}" for key in ("cllr", "minimum_cllr", "actual_dcf", "minimum_dcf")),
    },
}
"""The metrics that depend on the names of the classes, or on the scale of scores; the others do not."""

EXEMPT = {
    "accept_reject.is_required_share": "a part of the rule, which is in the registry",
    "agreement.kappa_of_sums": "what both kappas are computed with",
    "alternative_annotator.clustered_winning_rate": "of units: held against statsmodels in its tests",
    **{f"counts.{name}": "what rates are made with" for name in ("ratio", "number_or_array")},
    "detection_cost.look_like_posteriors": "of the form of scores",
    "identification.defined": "what means over classes are made with",
    "classification.counts_of": "gives counts",
    "jackknife.jackknife_error": "of scores",
    "jackknife.jackknife_p": "of scores",
    "jackknife.leave_one_out": "gives counts",
    "jackknife.effective_size": "a number of observations",
    "quantiles.beta_quantile": "held against scipy",
    "quantiles.gamma_quantile": "held against scipy",
    "quantiles.student_t_below": "of t, held against scipy",
    **{f"shares.{name}_of_shares": "of shares" for name in ("f1", "cost")},
    "phoneme_recognition.contains_pronunciation": "a baseline's rule",
    "prediction_error.prmse": "of several ratings of an item, in the report alone",
    **{
        f"transcript_errors.{unit}_error_rate": "no task's yet: held against jiwer"
        for unit in ("word", "character")
    },
}
"""Public functions of arguments that return a number, but are not scores of a reference and a hypothesis, and why."""
