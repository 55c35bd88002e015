"""Arguments of metrics, by shape: how they are drawn, spoilt, reordered and renamed, and which metric takes which."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from spokeneval.challenges import (
    caller_experience,
    merlion_diarization,
    merlion_identification,
)
from spokeneval.formats.format import Items
from spokeneval.formats.sheets import Answers
from spokeneval.formats.turns import Reference, Submission
from spokeneval.metrics import (
    accept_reject,
    agreement,
    classification,
    correlation,
    identification,
    prediction_error,
    transcript_errors,
)
from spokeneval.metrics import phoneme_recognition as recognition
from spokeneval.metrics.sweeps import Recording, Turns

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

    def spoilt(self, arguments):  # NaN is a missing rating of a listener
        return {name: bad for name, bad in super().spoilt(arguments).items() if name[-1] == "3"}


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
    """Labels, 0 for English and 1 for Mandarin, and the scores of English and of Mandarin."""

    def __init__(self, rows: Callable[..., Any] | None = None) -> None:
        super().__init__(stacked(rows) if rows else None)

    def draw(self, rng, n):
        labels = (rng.random(n) < 0.3).astype(int)
        labels[:2] = 0, 1
        return labels, rng.normal(1 - labels, 1), rng.normal(labels, 1)

    def perfect(self, arguments):
        labels = arguments[0]
        return (labels, 1.0 - labels, 1.0 * labels, *arguments[3:])

    def worst(self, arguments):
        labels = arguments[0]
        return (labels, 1.0 * labels, 1.0 - labels, *arguments[3:])

    def relabelled(self, arguments):
        return (1 - arguments[0], arguments[2], arguments[1], *arguments[3:])

    def stretched(self, arguments):
        return (arguments[0], *map(stretch, arguments[1:3]), *arguments[3:])


class Recorded(Segments):
    """Segments and the numbers of their recordings. The first two, one of each language, share a recording."""

    def draw(self, rng, n):
        recordings = rng.integers(0, 2, n)
        recordings[:2] = 0
        return (*super().draw(rng, n), recordings)

    def reordered(self, arguments, rng):
        *segments, recordings = super().reordered(arguments, rng)
        return (*segments, 5 - 2 * recordings)


def stacked(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of labels and the scores of each class in an array of its own."""

    def of_columns(labels: Any, english: Any, mandarin: Any, *rows: Any) -> Any:
        return function(labels, np.stack([english, mandarin], axis=-1), *rows)

    return of_columns


class LogRatios(Recorded):
    """Recorded segments. A perfect hypothesis is certain of each language, the worst of the other one."""

    def perfect(self, arguments):
        labels, english, mandarin, *rest = super().perfect(arguments)
        return (labels, 50 * english, 50 * mandarin, *rest)

    def worst(self, arguments):
        labels, english, mandarin, *rest = super().worst(arguments)
        return (labels, 50 * english, 50 * mandarin, *rest)


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
        return self.changed(arguments, lambda recording: {"hypothesis": Turns.of_labels([], [])})

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
            "a region without end": ([first._replace(regions=[[0, INF]]), *rest],),
            "nan in a turn": ([first._replace(hypothesis=nan), *rest],),
            "words in a turn": ([first._replace(reference=words), *rest],),
            "a turn backwards": ([first._replace(reference=Turns([[2, 1]], [0])), *rest],),
            "no label": ([first._replace(reference=Turns([[0, 1]], [])), *rest],),
        }


def stretch(scores: np.ndarray) -> np.ndarray:
    """A strictly increasing function that is far from linear."""
    return np.exp(scores) ** 3 - 5


def count_ratings(*raters: np.ndarray, part: str) -> Any:
    listeners = {name: raters[place] for place, name in enumerate(caller_experience.LISTENERS)}
    return caller_experience.TASK.count(Answers(None, listeners), Answers(None, {"rating": raters[-1]}))[part]


def count_phones(reference: Any, hypothesis: Any, part: str) -> Any:
    features = recognition.errors_per_utterance(reference, hypothesis)
    sides = (list(map(recognition.drop_fillers, side)) for side in (reference, hypothesis))
    return features if part == "features" else transcript_errors.errors_per_utterance(*sides)


def count_differences(labels: Any, scores: Any, row: Any) -> Any:
    trials = merlion_identification.difference_trials(labels, scores)
    return identification.detection_histograms(labels, scores, row, trials=trials)


def count_turns(recordings: list[Recording], part: str) -> Any:
    languages = merlion_diarization.LANGUAGES
    sides = list(zip(*recordings)) or [()] * 4
    reference = Reference(Items(tuple(map(str, range(len(recordings))))), languages, sides[0], *sides[2:])
    return merlion_diarization.count(reference, Submission(languages, sides[1]))[part]


LANGUAGES = ("english", "mandarin")
SCALE = {"scale": (1, 5)}
RATINGS, SEGMENTS, TRIALS = Ratings(partial(agreement.rating_cells, **SCALE)), Segments(), Trials()

PARTS: Mapping[str, Mapping[str, Family]] = {
    "spoken_call": {"decisions": AcceptReject(accept_reject.decisions_per_response)},
    "caller_experience": {
        part: Listeners(partial(count_ratings, part=part))
        for part in ("pairs", "ratings", "with_system", "humans", "comparisons")
    },
    "psst_recognition": {
        part: Transcripts(partial(count_phones, part=part)) for part in ("features", "phones")
    },
    "psst_correctness": {"predictions": Truth(classification.predictions_per_item)},
    "merlion_identification": {
        "pooled": Recorded(identification.pooled_histograms),
        "differences": Recorded(count_differences),
        "classes": LogRatios(merlion_identification.segment_costs),
    },
    "merlion_diarization": {
        part: Recordings(partial(count_turns, part=part)) for part in ("errors", "labels")
    },
    "content_accuracy": {
        "correlation": Predictions(correlation.correlation_moments),
        "partial": Controlled(correlation.partial_moments),
        "rounded": Predictions(correlation.rating_moments),
        "rounded_differences": Predictions(prediction_error.differences),
        "errors": Predictions(prediction_error.squared_errors),
        "ranks": Predictions(correlation.rank_moments),
        "differences": Predictions(prediction_error.differences),
    },
}
"""The generator of the arguments for each part of a task's counts."""
