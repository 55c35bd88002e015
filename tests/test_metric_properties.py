"""What holds for every metric: a registry, which a new metric joins by one line.

A family draws the arguments of its metrics and knows how to spoil, reorder and rename them; a metric says in which
family it is and what its values are. Everything in `spokeneval.metrics` is here or in `EXEMPT`, with the reason.
"""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable
from dataclasses import astuple, dataclass, field
from typing import Any

import numpy as np
import pytest

import spokeneval.metrics
from spokeneval.metrics import accept_reject, agreement, content, correctness
from spokeneval.metrics import language_diarization as diarization
from spokeneval.metrics import language_identification as identification
from spokeneval.metrics import phoneme_recognition as recognition

DRAWS = 25
INF = math.inf

Arguments = tuple[Any, ...]


class Family:
    """Arguments of one shape. `items` draws them for about n items; the others change them."""

    def draw(self, rng: np.random.Generator, n: int) -> Arguments:
        raise NotImplementedError

    def reordered(self, arguments: Arguments, rng: np.random.Generator) -> Arguments:
        """The same items in another order."""
        order = rng.permutation(len(arguments[0]))
        return tuple(self.taken(argument, order) for argument in arguments)

    def taken(self, argument: Any, rows: np.ndarray) -> Any:
        return np.asarray(argument)[rows]

    def perfect(self, arguments: Arguments) -> Arguments:
        raise NotImplementedError

    def worst(self, arguments: Arguments) -> Arguments:
        raise NotImplementedError

    def relabelled(self, arguments: Arguments) -> Arguments:
        raise NotImplementedError

    def stretched(self, arguments: Arguments) -> Arguments:
        """Scores on another scale, in the same order."""
        raise NotImplementedError

    def count(self, arguments: Arguments) -> Any:
        """The counts that `+` pools; None where there are none."""
        return None

    def bad(self, arguments: Arguments) -> dict[str, Arguments]:
        """Arguments that no metric may take."""
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
        }

    def spoilt(self, arguments: Arguments, places: tuple[int, ...]) -> dict[str, Arguments]:
        """One value of one of the arguments replaced by what is no number."""
        spoilt = {}
        for place in places:
            for value in (math.nan, INF, -INF):
                values = np.asarray(arguments[place], dtype=float).copy()
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
        return arguments[0], arguments[1], arguments[0]

    def worst(self, arguments):
        return arguments[0], arguments[1], ~arguments[0]

    def count(self, arguments):
        return accept_reject.count_decisions(*arguments)

    def bad(self, arguments):
        correct, meaningful, accepted = arguments
        whole = {"whole numbers": (correct, meaningful, accepted.astype(int))}
        return {**super().bad(arguments), **whole, **self.spoilt(arguments, (0, 1, 2))}


class Truth(AcceptReject):
    """Correct, predicted correct."""

    def draw(self, rng, n):
        correct, _, predicted = super().draw(rng, n)
        return correct, predicted

    def perfect(self, arguments):
        return arguments[0], arguments[0]

    def worst(self, arguments):
        return arguments[0], ~arguments[0]

    def relabelled(self, arguments):
        return ~arguments[0], ~arguments[1]

    def count(self, arguments):
        return correctness.count_predictions(*arguments)

    def bad(self, arguments):
        whole = {"whole numbers": (arguments[0].astype(int), arguments[1])}
        return {**Family.bad(self, arguments), **whole, **self.spoilt(arguments, (0, 1))}


class Ratings(Family):
    """Two ratings from 1 to 5."""

    def draw(self, rng, n):
        first = rng.integers(1, 6, n)
        first[:2] = 1, 5
        return first, np.clip(first + rng.integers(-2, 3, n), 1, 5)

    def perfect(self, arguments):
        return arguments[0], arguments[0]

    def worst(self, arguments):
        return arguments[0], np.where(arguments[0] <= 3, 5, 1)

    def relabelled(self, arguments):
        return 6 - arguments[0], 6 - arguments[1]

    def count(self, arguments):
        return agreement.differences(*arguments, scale=(1, 5))

    def bad(self, arguments):
        first, second = arguments
        off = {f"the rating {value}": (first, np.where(second > 3, value, second)) for value in (0, 6, 4.5)}
        return {**super().bad(arguments), **off, **self.spoilt(arguments, (0, 1))}


class Predictions(Family):
    """Human scores and predictions."""

    controlled = False

    def draw(self, rng, n):
        human = rng.integers(1, 5, n).astype(float)
        human[:2] = 1, 4
        words = rng.integers(5, 100, n).astype(float)
        words[:3] = 5, 60, 7
        return (human, human + rng.normal(0, 1, n), *([words] if self.controlled else []))

    def perfect(self, arguments):
        return (arguments[0], arguments[0], *arguments[2:])

    def worst(self, arguments):
        return (arguments[0], -arguments[0], *arguments[2:])

    def relabelled(self, arguments):
        return (arguments[0], 3 * arguments[1] + 7, *arguments[2:])

    def bad(self, arguments):
        return {**super().bad(arguments), **self.spoilt(arguments, tuple(range(len(arguments))))}


class Controlled(Predictions):
    """Human scores, predictions, numbers of words."""

    controlled = True


class Segments(Family):
    """English or Mandarin, English scores, Mandarin scores."""

    def draw(self, rng, n):
        is_english = rng.random(n) < 0.7
        is_english[:2] = True, False
        return is_english, rng.normal(is_english, 1), rng.normal(~is_english, 1)

    def perfect(self, arguments):
        is_english = arguments[0]
        return is_english, is_english.astype(float), 1.0 - is_english

    def worst(self, arguments):
        is_english = arguments[0]
        return is_english, 1.0 - is_english, is_english.astype(float)

    def relabelled(self, arguments):
        return ~arguments[0], arguments[2], arguments[1]

    def stretched(self, arguments):
        return (arguments[0], *(stretch(scores) for scores in arguments[1:]))

    def count(self, arguments):
        return identification.count_decisions(*arguments)

    def bad(self, arguments):
        is_english, english, mandarin = arguments
        whole = {"whole numbers": (is_english.astype(int), english, mandarin)}
        return {**super().bad(arguments), **whole, **self.spoilt(arguments, (0, 1, 2))}


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
        return tuple(stretch(scores) for scores in arguments)

    def bad(self, arguments):
        bad = {name: some for name, some in super().bad(arguments).items() if not name.endswith("cut")}
        one = {
            "no target": (arguments[0][:0], arguments[1]),
            "no nontarget": (arguments[0], arguments[1][:0]),
        }
        return {**bad, **one, **self.spoilt(arguments, (0, 1))}


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

    def count(self, arguments):
        return recognition.count_errors(*arguments)

    def bad(self, arguments):
        reference, hypothesis = arguments
        return {
            "one cut": (reference, hypothesis[:-1]),
            "the other cut": (reference[:-1], hypothesis),
            "nothing": ([], []),
            "a string for an utterance": (reference, [*hypothesis[:-1], "K AE T"]),
            "a phone that is none": (reference, [*hypothesis[:-1], ["QX"]]),
            "nan": (reference, [*hypothesis[:-1], [math.nan]]),
            "an utterance one level deeper": ([[one] for one in reference], hypothesis),
        }


class Recordings(Family):
    """Recordings with turns, regions and excluded speech, in whole milliseconds."""

    def draw(self, rng, n):
        def turns(count: int) -> np.ndarray:
            start = rng.integers(0, 900, count)
            return np.stack([start, start + rng.integers(1, 200, count)], axis=1)

        def both() -> diarization.Turns:
            return diarization.Turns(turns(3), turns(3))

        return ([diarization.Recording(both(), both(), [[0, 500], [500, 1200]], turns(1)) for _ in range(n)],)

    def taken(self, argument, rows):
        return [argument[row] for row in rows]

    def reordered(self, arguments, rng):
        (recordings,) = super().reordered(arguments, rng)
        return ([
            recording._replace(hypothesis=diarization.Turns(*(rng.permutation(side) for side in recording.hypothesis)))
            for recording in recordings
        ],)  # fmt: skip

    def perfect(self, arguments):
        return ([recording._replace(hypothesis=recording.reference) for recording in arguments[0]],)

    def worst(self, arguments):
        silent = diarization.Turns((), ())
        return ([recording._replace(hypothesis=silent) for recording in arguments[0]],)

    def relabelled(self, arguments):
        return ([
            recording._replace(
                reference=diarization.Turns(*recording.reference[::-1]),
                hypothesis=diarization.Turns(*recording.hypothesis[::-1]),
            )
            for recording in arguments[0]
        ],)  # fmt: skip

    def count(self, arguments):
        return sum(diarization.language_times_per_recording(arguments[0]), diarization.LanguageTimes())

    def bad(self, arguments):
        first, *rest = arguments[0]
        bad = {"nothing": ([],), "no region": ([first._replace(regions=[]), *rest],)}
        for name, turns in {
            "nan": [[0.0, math.nan]],
            "inf": [[0.0, INF]],
            "a negative time": [[-1, 5]],
            "an end before its start": [[5, 4]],
            "no length": [[5, 5]],
            "three columns": [[1, 2, 3]],
            "a flat list": [1, 2],
            "words": [["1", "2"]],
        }.items():
            bad[f"{name} in a turn"] = ([first._replace(hypothesis=diarization.Turns(turns, ())), *rest],)
            bad[f"{name} in the regions"] = ([first._replace(regions=turns), *rest],)
        bad["one language"] = ([first._replace(reference=(first.reference.english,)), *rest],)
        return bad


def stretch(scores: np.ndarray) -> np.ndarray:
    """Strictly increasing, and far from linear."""
    return np.exp(scores) ** 3 - 5


ACCEPT_REJECT, TRUTH, RATINGS, PREDICTIONS = AcceptReject(), Truth(), Ratings(), Predictions()
CONTROLLED, SEGMENTS, TRIALS, TRANSCRIPTS, RECORDINGS = (
    Controlled(),
    Segments(),
    Trials(),
    Transcripts(),
    Recordings(),
)


@dataclass(frozen=True)
class Metric:
    """One metric of the registry.

    Attributes
    ----------
    name: `module.function`, or `module.Class.property` of the family's counts.
    bounds: the least and the greatest value.
    better: whether higher or lower is better.
    perfect: its value for a faultless hypothesis; None: the best of all, whatever it is.
    worst: its value for the family's worst hypothesis; None: not fixed.
    invariant: what does not change it, beside the order of the items: `relabelled`, `stretched`.
    of_counts: whether the function takes the family's counts.
    """

    name: str
    family: Family
    bounds: tuple[float, float]
    better: str
    perfect: float | None
    worst: float | None
    invariant: tuple[str, ...] = ()
    of_counts: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    def __call__(self, arguments: Arguments) -> Any:
        module, *path = self.name.split(".")
        owner = importlib.import_module(f"spokeneval.metrics.{module}")
        if len(path) == 2:
            return getattr(self.family.count(arguments), path[1])
        function = getattr(owner, path[0])
        return (
            function(self.family.count(arguments)) if self.of_counts else function(*arguments, **self.options)
        )

    def __str__(self) -> str:
        return " ".join([self.name, *map(str, self.options.values())])


def _decision(name, bounds, better, perfect, worst):
    return Metric(f"accept_reject.{name}", ACCEPT_REJECT, bounds, better, perfect, worst, of_counts=True)


def _times(name, bounds, worst, *invariant):
    return Metric(
        f"language_diarization.LanguageTimes.{name}", RECORDINGS, bounds, "lower", 0, worst, invariant
    )


def _kappa(weights):
    options = {"weights": weights, **SCALE}
    return Metric("agreement.cohen_kappa", RATINGS, (-1, 1), "higher", 1, None, SAME, options=options)


UNIT = (0, 1)
SAME = ("relabelled",)
EITHER = ("relabelled", "stretched")
SCALE = {"scale": (1, 5)}

METRICS = (
    _decision("precision", UNIT, "higher", 1, 0),
    _decision("recall", UNIT, "higher", 1, 0),
    _decision("f_measure", UNIT, "higher", 1, 0),
    _decision("scoring_accuracy", UNIT, "higher", 1, 0),
    _decision("relative_correct_reject_rate", UNIT, "higher", 1, 0),
    _decision("relative_false_reject_rate", UNIT, "lower", 0, 1),
    _decision("relative_false_accept_rate", UNIT, "lower", 0, 1),
    _decision("reject_rate_incorrect", UNIT, "higher", 1, 0),
    _decision("accept_rate_correct", UNIT, "higher", 1, 0),
    _decision("meets_fifty_percent_rule", UNIT, "higher", True, False),
    _decision("d", (0, INF), "higher", None, 0),
    _decision("d_a", (0, INF), "higher", None, 0),
    _decision("d_full", (0, INF), "higher", None, 0),
    Metric("correctness.CorrectnessCounts.f1", TRUTH, UNIT, "higher", 1, 0),
    Metric("correctness.CorrectnessCounts.precision", TRUTH, UNIT, "higher", 1, 0),
    Metric("correctness.CorrectnessCounts.recall", TRUTH, UNIT, "higher", 1, 0),
    Metric("correctness.CorrectnessCounts.accuracy", TRUTH, UNIT, "higher", 1, 0, SAME),
    Metric("correctness.CorrectnessCounts.balanced_accuracy", TRUTH, UNIT, "higher", 1, 0, SAME),
    _kappa(None),
    _kappa("linear"),
    _kappa("quadratic"),
    Metric("agreement.Differences.exact", RATINGS, UNIT, "higher", 1, 0, SAME),
    Metric("agreement.Differences.adjacent", RATINGS, UNIT, "higher", 1, 0, SAME),
    Metric("agreement.pearson_r", PREDICTIONS, (-1, 1), "higher", 1, -1, SAME),
    Metric("agreement.partial_r", CONTROLLED, (-1, 1), "higher", 1, -1, SAME),
    Metric("agreement.rmse", PREDICTIONS, (0, INF), "lower", 0, None),
    Metric("phoneme_recognition.phone_error_rate", TRANSCRIPTS, (0, INF), "lower", 0, 1, SAME),
    Metric("phoneme_recognition.feature_error_rate", TRANSCRIPTS, (0, INF), "lower", 0, None),
    Metric("phoneme_recognition.RecognitionErrors.phone_error_rate", TRANSCRIPTS, (0, INF), "lower", 0, 1, SAME),
    Metric("phoneme_recognition.RecognitionErrors.feature_error_rate", TRANSCRIPTS, (0, INF), "lower", 0, None),
    Metric("language_identification.rocch_eer", TRIALS, (0, 0.5), "lower", 0, 0.5, EITHER),
    Metric("language_identification.interpolated_eer", TRIALS, UNIT, "lower", 0, 1, EITHER),
    Metric("language_identification.LanguageDecisions.english_recall", SEGMENTS, UNIT, "higher", 1, 0, ("stretched",)),
    Metric("language_identification.LanguageDecisions.mandarin_recall", SEGMENTS, UNIT, "higher", 1, 0, ("stretched",)),
    Metric("language_identification.LanguageDecisions.balanced_accuracy", SEGMENTS, UNIT, "higher", 1, 0, EITHER),
    _times("der", (0, INF), 1, *SAME),
    _times("miss", UNIT, 1, *SAME),
    _times("false_alarm", (0, INF), None, *SAME),
    _times("language_error", UNIT, None, *SAME),
    _times("english_error", UNIT, 1),
    _times("mandarin_error", UNIT, 1),
    _times("lder_script", (0, INF), 1, *SAME),
    _times("english_error_script", (0, INF), 1),
    _times("mandarin_error_script", (0, INF), 1),
)  # fmt: skip

# What is public in a module and no metric of a reference and a hypothesis, with the reason.
EXEMPT = {
    "accept_reject.Decisions": "counts; `correct` and `incorrect` are sizes, its rates are functions",
    "accept_reject.count_decisions": "makes the counts, which the additivity test adds",
    "agreement.UndefinedCorrelation": "an error",
    "agreement.Differences": "counts; `items` and `shares` are sizes and a distribution",
    "agreement.differences": "makes the counts",
    "agreement.round_to_scale": "prepares predictions",
    "agreement.rating_cells": "sums of `linear_kappa_of_cells`, tested as its twin",
    "agreement.correlation_moments": "sums of `pearson_r_of_moments`, tested as its twin",
    "bootstrap": "resampling: no reference, no hypothesis",
    "content": "features of a response, one value each: tested below as a whole",
    "correctness.CorrectnessCounts": "counts",
    "correctness.count_predictions": "makes the counts",
    "correctness.contains_pronunciation": "a baseline's rule",
    "language_diarization.Turns": "arguments",
    "language_diarization.Recording": "arguments",
    "language_diarization.LanguageTimes": "counts; `total_time` is a size",
    "language_diarization.language_times": "makes the counts of one recording",
    "language_diarization.language_times_per_recording": "makes the counts",
    "language_diarization.language_confusions": "a table for the report, no single number",
    "language_diarization.error_sums": "sums of `der_of_sums`, tested as its twin",
    "language_identification.OperatingPoints": "a curve",
    "language_identification.LanguageDecisions": "counts",
    "language_identification.validate": "checks arguments",
    "language_identification.pooled_trials": "makes trials; tested below with the EER of them",
    "language_identification.difference_trials": "makes trials; tested below with the EER of them",
    "language_identification.operating_points": "a curve",
    "language_identification.score_bins": "a part of `histograms_per_recording`",
    "language_identification.histograms_per_recording": "sums of `eer_of_histograms`, tested as its twin",
    "language_identification.count_decisions": "makes the counts",
    "language_identification.decisions_per_recording": "makes the counts of each recording",
    "language_identification.balanced_accuracy_per_recording": "has an argument of its own: tested below",
    "phoneme_recognition.FeatureTable": "a table of constants",
    "phoneme_recognition.read_feature_table": "reads that table",
    "phoneme_recognition.arpabet_features": "that table",
    "phoneme_recognition.drop_fillers": "prepares transcripts",
    "phoneme_recognition.RecognitionErrors": "counts; `phone_errors` is one",
    "phoneme_recognition.UtteranceErrors": "counts of each utterance",
    "phoneme_recognition.errors_by_utterance": "makes those counts",
    "phoneme_recognition.count_errors": "makes the counts",
    "phoneme_recognition.Step": "a part of an alignment",
    "phoneme_recognition.align": "an alignment, no single number",
    "phoneme_recognition.phone_confusions": "a table for the report, no single number",
}

Twin = tuple[Family, Callable[[Arguments], np.ndarray], Callable[[Arguments], float]]


def _pooled_histogram(arguments: Arguments) -> np.ndarray:
    trials = identification.pooled_trials(*arguments)
    return identification.histograms_per_recording(*trials, np.arange(len(arguments[0])) % 3).sum(axis=0)


def _feature_sums(arguments: Arguments) -> np.ndarray:
    errors = recognition.count_errors(*arguments)
    return np.array([errors.feature_cost, errors.features * errors.reference_phones])


def _ruled_d_full(arguments: Arguments) -> float:
    counts = ACCEPT_REJECT.count(arguments)
    return accept_reject.d_full(counts) if accept_reject.meets_fifty_percent_rule(counts) else 0.0


# A score of many sums at once, for the bootstrap: its sums for one set of items, and the metric that it must equal.
TWINS: dict[str, Twin] = {
    "accept_reject.d_full_of_counts": (
        ACCEPT_REJECT, lambda arguments: np.array(astuple(ACCEPT_REJECT.count(arguments))), _ruled_d_full),
    "agreement.linear_kappa_of_cells": (
        RATINGS, lambda arguments: agreement.rating_cells(*arguments, **SCALE).sum(axis=0),
        lambda arguments: agreement.cohen_kappa(*arguments, weights="linear", **SCALE)),
    "agreement.pearson_r_of_moments": (
        PREDICTIONS, lambda arguments: agreement.correlation_moments(*arguments).sum(axis=0),
        lambda arguments: agreement.pearson_r(*arguments)),
    "correctness.f1_of_counts": (
        TRUTH, lambda arguments: np.array(astuple(TRUTH.count(arguments))),
        lambda arguments: TRUTH.count(arguments).f1),
    "language_diarization.der_of_sums": (
        RECORDINGS, lambda arguments: diarization.error_sums([RECORDINGS.count(arguments)])[0],
        lambda arguments: RECORDINGS.count(arguments).der),
    "language_identification.eer_of_histograms": (
        SEGMENTS, _pooled_histogram,
        lambda arguments: identification.rocch_eer(*identification.pooled_trials(*arguments))),
    "phoneme_recognition.feature_error_rate_of_sums": (
        TRANSCRIPTS, _feature_sums, lambda arguments: recognition.feature_error_rate(*arguments)),
}  # fmt: skip


def drawn(metric: Metric | Twin, draws: int = DRAWS):
    """A generator and arguments of different sizes, the same at every run."""
    rng = np.random.default_rng(20190915)
    family = metric.family if isinstance(metric, Metric) else metric[0]
    for draw in range(draws):
        yield rng, family.draw(rng, 3 + draw)


def close(found: float, expected: float) -> bool:
    return math.isclose(found, expected, rel_tol=0, abs_tol=1e-12)


every_metric = pytest.mark.parametrize("metric", METRICS, ids=str)


@every_metric
def test_values_are_within_their_bounds(metric):
    values = [metric(arguments) for _, arguments in drawn(metric)]
    low, high = metric.bounds
    assert all(low <= value <= high and math.isfinite(value) for value in values)
    assert len(set(values)) > 1


@every_metric
def test_the_order_of_the_items_is_of_no_account(metric):
    for rng, arguments in drawn(metric):
        assert close(metric(metric.family.reordered(arguments, rng)), metric(arguments))


@every_metric
def test_a_faultless_hypothesis_is_best_and_the_worst_is_worst(metric):
    sign = 1 if metric.better == "higher" else -1
    for _, arguments in drawn(metric):
        value, best = metric(arguments), metric(metric.family.perfect(arguments))
        assert sign * best >= sign * value - 1e-12
        if metric.perfect is not None:
            assert close(best, metric.perfect)
        if metric.worst is not None:
            worst = metric(metric.family.worst(arguments))
            assert close(worst, metric.worst)
            if metric.bounds[1] < INF or metric.better == "higher":
                assert sign * worst <= sign * value + 1e-12


@pytest.mark.parametrize("change", ["relabelled", "stretched"])
def test_what_a_metric_does_not_depend_on(change):
    metrics = [metric for metric in METRICS if change in metric.invariant]
    assert len(metrics) >= 5
    for metric in metrics:
        for _, arguments in drawn(metric):
            changed = getattr(metric.family, change)(arguments)
            assert close(metric(changed), metric(arguments)), metric.name


@every_metric
def test_what_is_no_input_is_refused(metric):
    _, arguments = next(drawn(metric))
    bad = metric.family.bad(arguments)
    assert len(bad) >= 7
    for name, wrong in bad.items():
        try:
            value = metric(wrong)
        except ValueError:
            continue
        pytest.fail(f"{name}: {value}")


@pytest.mark.parametrize(
    "family",
    sorted({m.family for m in METRICS}, key=lambda f: type(f).__name__),
    ids=lambda f: type(f).__name__,
)
def test_counts_of_two_halves_add_up_to_those_of_the_whole(family):
    rng = np.random.default_rng(7)
    for n in range(8, 20):
        arguments = family.draw(rng, n)
        counts = family.count(arguments)
        if counts is None:
            assert isinstance(family, (Predictions, Trials))
            return
        first, second = np.arange(n // 2), np.arange(n // 2, n)
        halves = [
            family.count(tuple(family.taken(argument, rows) for argument in arguments))
            for rows in (first, second)
        ]
        assert halves[0] + halves[1] == halves[1] + halves[0] == counts


@pytest.mark.parametrize("name", TWINS)
def test_the_score_of_many_sums_is_the_metric_of_each(name):
    module, function = name.split(".")
    family, sums, metric = TWINS[name]
    many = getattr(importlib.import_module(f"spokeneval.metrics.{module}"), function)
    rng = np.random.default_rng(11)
    samples = [family.draw(rng, 6 + draw) for draw in range(DRAWS)]
    found = many(np.stack([sums(arguments) for arguments in samples]))
    np.testing.assert_allclose(found, [metric(arguments) for arguments in samples], rtol=0, atol=1e-9)
    empty = many(np.zeros((1, *np.shape(sums(samples[0])))))
    assert np.isnan(empty).all()


@pytest.mark.parametrize("trials", ["pooled_trials", "difference_trials"])
def test_the_eer_of_segments_does_not_know_the_languages_names(trials):
    make = getattr(identification, trials)
    rng = np.random.default_rng(6)
    for n in range(3, 30):
        arguments = SEGMENTS.draw(rng, n)
        value = identification.rocch_eer(*make(*arguments))
        for changed in (SEGMENTS.relabelled(arguments), SEGMENTS.reordered(arguments, rng)):
            assert close(identification.rocch_eer(*make(*changed)), value)
        if trials == "pooled_trials":
            assert close(identification.rocch_eer(*make(*SEGMENTS.stretched(arguments))), value)
        assert identification.rocch_eer(*make(*SEGMENTS.perfect(arguments))) == 0
        assert identification.rocch_eer(*make(*SEGMENTS.worst(arguments))) == 0.5
    for wrong in SEGMENTS.bad(arguments).values():
        with pytest.raises(ValueError):
            make(*wrong)


def test_the_accuracy_by_recording_does_not_know_names_nor_order():
    rng = np.random.default_rng(5)
    for n in range(6, 30):
        segments = SEGMENTS.draw(rng, n)
        recording = rng.integers(0, 2, n)
        recording[:2] = 0
        value = identification.balanced_accuracy_per_recording(*segments, recording)
        assert 0 <= value <= 1
        for changed in (
            (*SEGMENTS.relabelled(segments), recording),
            (*segments, np.array(["b", "a"])[recording]),
            SEGMENTS.reordered((*segments, recording), rng),
        ):
            assert close(identification.balanced_accuracy_per_recording(*changed), value)
        assert identification.balanced_accuracy_per_recording(*SEGMENTS.perfect(segments), recording) == 1
        assert identification.balanced_accuracy_per_recording(*SEGMENTS.worst(segments), recording) == 0
    for wrong in SEGMENTS.bad(segments).values():
        with pytest.raises(ValueError):
            identification.balanced_accuracy_per_recording(*wrong, recording)
    with pytest.raises(ValueError):
        identification.balanced_accuracy_per_recording(*segments, recording[:-1])


WORDS = ("the", "boat", "left", "a", "harbour", "at", "dawn", "don't", "stop")

FEATURES = {
    "rouge, tokens": lambda *arguments: content.rouge(*arguments, unit="tokens"),
    "rouge, types": lambda *arguments: content.rouge(*arguments, unit="types"),
    "rouge-2": lambda *arguments: content.rouge(*arguments, n=2, unit="tokens"),
    "content_vector": content.content_vector,
}


@pytest.mark.parametrize("feature", FEATURES)
def test_features_of_a_responses_content(feature):
    value = FEATURES[feature]
    rng = np.random.default_rng(3)

    def say() -> str:
        return " ".join(rng.choice(WORDS, rng.integers(3, 9)))

    for _ in range(DRAWS):
        references = {prompt: [say() for _ in range(rng.integers(1, 4))] for prompt in "pq"}
        prompts = ["p", "q", *rng.choice(["p", "q"], 6)]
        responses = [say() for _ in prompts]
        values = value(references, prompts, responses)
        assert values.shape == (8,)
        assert ((values >= 0) & (values <= 1)).all()
        order = rng.permutation(8)
        again = value(references, [prompts[i] for i in order], [responses[i] for i in order])
        np.testing.assert_allclose(again, values[order], rtol=0, atol=1e-12)
        turned = {prompt: texts[::-1] for prompt, texts in references.items()}
        np.testing.assert_allclose(value(turned, prompts, responses), values, rtol=0, atol=1e-12)
        alone = {prompt: texts[:1] for prompt, texts in references.items()}
        np.testing.assert_allclose(
            value(alone, ["p", "q"], [alone["p"][0], alone["q"][0]]), 1, rtol=0, atol=1e-12
        )
        assert value(references, ["p", "q"], ["", "nothing alike here"]).tolist() == [0, 0]
    for wrong in (
        ({}, ["p"], ["a"]),
        ({"p": []}, ["p"], ["a"]),
        ({"p": "text"}, ["p"], ["a"]),
        ({"p": [""]}, ["p"], ["a"]),
        ({"p": ["a b"]}, ["q"], ["a"]),
        ({"p": ["a b"]}, ["p"], ["a", "b"]),
        ({"p": ["a b"]}, [], []),
        ({"p": ["a b"]}, ["p"], "a"),
        ({"p": ["a b"]}, ["p"], [math.nan]),
        ({"p": ["a b"]}, ["p"], [None]),
    ):
        with pytest.raises(ValueError):
            value(*wrong)


def public_names() -> set[str]:
    """Every public function and class of the metrics, and every property of their counts."""
    names = set()
    for found in pkgutil.iter_modules(spokeneval.metrics.__path__):
        module = importlib.import_module(f"spokeneval.metrics.{found.name}")
        for name, thing in vars(module).items():
            if (
                name.startswith("_")
                or getattr(thing, "__module__", None) != module.__name__
                or not callable(thing)
            ):
                continue
            names.add(f"{found.name}.{name}")
            if inspect.isclass(thing) and "__add__" in vars(thing):
                names |= {
                    f"{found.name}.{name}.{key}"
                    for key, each in vars(thing).items()
                    if isinstance(each, property)
                }
    return names


def test_every_public_metric_is_in_the_registry_or_says_why_not():
    registered = {metric.name for metric in METRICS} | set(TWINS)
    sizes = {"correct", "incorrect", "items", "shares", "total_time", "phone_errors"}
    names = public_names()
    assert registered <= names
    assert all(name in names or name in {"bootstrap", "content"} for name in EXEMPT)
    missing = {
        name
        for name in names - registered
        if name not in EXEMPT and name.split(".")[0] not in EXEMPT and name.rsplit(".", 1)[-1] not in sizes
    }
    assert not missing, f"add a line to METRICS or TWINS, or a reason to EXEMPT: {sorted(missing)}"
