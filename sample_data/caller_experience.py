"""Synthetic calls for `caller_experience` with the published statistics; no real calls are included.

`python -m sample_data` writes the sample files again, byte for byte.

A call goes well or badly. Its log has four features (classification status, recognition errors, operator requests, exit
status), which determine its quality. Each of fifteen listeners, some milder and some harsher, perceives the quality
with an error and rates it from 1 to 5. As in the paper, one listener rates each training call (1188 calls), and three
distinct listeners rate each test call (202 calls).

The linear kappas of the three ratings of the evaluation calls are the published 0.77, 0.78 and 0.80. The shares of
differences are not the published ones (54-59 % exact, 88-92 % within one), because no ratings from 1 to 5 have both. A
mean difference m gives a linear kappa of at most 1 - m / (2 + m^2 / 2); 54.0 % exact with 88.7 % within one implies
m >= 0.573, so kappa is at most 0.735, not 0.77. (With quadratic weights, such differences would match 0.77 to 0.80.)
Kappa is the score, so the sample matches kappa.
"""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import NamedTuple

from sample_data.tables import write_table
from spokeneval.formats.tables import csv_text

ROOT = Path(__file__).resolve().parent.parent
FEATURES = ("classification_status", "recognition_errors", "operator_requests", "exit_status")
CALLS = {"training": 1188, "development": 202, "evaluation": 202}
LISTENINGS = {"training": 1, "development": 3, "evaluation": 3}
# The evaluation seed was chosen because its three kappas round to the published ones.
SEEDS = {"training": 1, "development": 5, "evaluation": 4903}

LISTENERS = 15
# Standard deviations, in points of quality.
LISTENER_BIAS = 0.12  # of the listeners' levels
LISTENER_ERROR = 0.72  # of a listener's error in one rating
UNLOGGED = 0.5  # of quality that all listeners perceive but the log does not show

BEST_QUALITY, WORST_QUALITY = 5.3, 0.6
CLASSIFICATION_COST = {"specific": 0.0, "general": 0.9, "wrong": 2.3, "none": 2.7}
EXIT_COST = {"completed": 0.0, "transferred": 0.3, "operator": 1.5, "wrong_transfer": 2.2, "hung_up": 2.5}
ERROR_COST, REQUEST_COST = 0.33, 0.5


class Call(NamedTuple):
    """One call: the features in its log, and its ratings."""

    call_id: str
    classification_status: str
    recognition_errors: int
    operator_requests: int
    exit_status: str
    ratings: tuple[int, ...]


def make_calls(name: str) -> list[Call]:
    """Return the calls of one set: training, development or evaluation."""
    listener = random.Random("listeners")
    biases = [listener.gauss(0, LISTENER_BIAS) for _ in range(LISTENERS)]
    rng = random.Random(SEEDS[name])
    return [
        make_call(rng, f"{name[0].upper()}{number:04d}", biases, LISTENINGS[name])
        for number in range(1, CALLS[name] + 1)
    ]


def make_call(rng: random.Random, call_id: str, biases: list[float], listenings: int) -> Call:
    """Return one call, rated by distinct listeners."""
    if rng.random() < 0.5:
        classification = _choose(rng, {"specific": 0.85, "general": 0.15})
        errors, requests = _poisson(rng, 0.35), _poisson(rng, 0.05)
        exit_status = _choose(rng, {"completed": 0.7, "transferred": 0.3})
    else:
        classification = _choose(rng, {"specific": 0.08, "general": 0.22, "wrong": 0.3, "none": 0.4})
        errors, requests = _poisson(rng, 2.5), _poisson(rng, 1.0)
        exit_status = _choose(
            rng, {"transferred": 0.15, "operator": 0.3, "wrong_transfer": 0.2, "hung_up": 0.35}
        )
    cost = CLASSIFICATION_COST[classification] + EXIT_COST[exit_status]
    cost += ERROR_COST * errors + REQUEST_COST * requests
    quality = max(BEST_QUALITY - cost, WORST_QUALITY) + rng.gauss(0, UNLOGGED)
    heard = [
        quality + biases[listener] + rng.gauss(0, LISTENER_ERROR)
        for listener in rng.sample(range(LISTENERS), listenings)
    ]
    ratings = tuple(min(5, max(1, round(value))) for value in heard)
    return Call(call_id, classification, errors, requests, exit_status, ratings)


def submissions(name: str) -> dict[str, dict[str, bytes]]:
    """Return submissions for rehearsals, `name -> its files`: the three listeners' median, and random ratings.

    No submission is perfect, because the listeners disagree; their median is closest to all three.
    """
    calls = make_calls(name)
    chance = random.Random(f"random {name}")
    given = [rating for call in calls for rating in call.ratings]
    chosen = {
        "listeners' median": [sorted(call.ratings)[1] for call in calls],
        "random": [chance.choice(given) for _ in calls],
    }
    return {title: {"ratings.csv": ratings_text(calls, ratings)} for title, ratings in chosen.items()}


def ratings_text(calls: list[Call], ratings: list[int]) -> bytes:
    """Return a submission's `ratings.csv`."""
    rows = zip((call.call_id for call in calls), ratings, strict=True)
    return csv_text([("call_id", "rating"), *rows]).encode()


def write(root: Path = ROOT) -> list[Path]:
    """Write references and feature tables under `root`; return their paths."""
    written = []
    for name in CALLS:
        calls = make_calls(name)
        rating = ("rating",) if name == "training" else ()
        table = [("call_id", *FEATURES, *rating)]
        table += [(*call[:-1], *call.ratings) if rating else call[:-1] for call in calls]
        written.append(write_table(root / "starting_kit/caller_experience/data" / f"{name}_calls.csv", table))
        if name != "training":
            reference = [("call_id", "human1", "human2", "human3")]
            reference += [(call.call_id, *call.ratings) for call in calls]
            path = root / "reference_data/caller_experience" / name / "reference.csv"
            written.append(write_table(path, reference))
    return written


def _choose(rng: random.Random, shares: dict[str, float]) -> str:
    return rng.choices(list(shares), weights=list(shares.values()))[0]


def _poisson(rng: random.Random, mean: float) -> int:
    count, product = 0, rng.random()
    while product > math.exp(-mean):
        count, product = count + 1, product * rng.random()
    return count
