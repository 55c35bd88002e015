"""How often the 95 % intervals cover the score that a system has in its population: each task, at its size.

    python -m benchmarks.bench_coverage [REPETITIONS]

Synthetic populations in which units differ (speakers, recordings and calls have effects of their own) are sampled
again and again; each sample gets its interval as a scoring program computes it. Measured coverage has a standard
error of 0.7 percentage points in 1,000 repetitions, of 0.35 where units are few: there are four times as many then.
"""

from __future__ import annotations

import importlib.util
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from spokeneval.metrics import agreement
from spokeneval.metrics import language_identification as identification
from spokeneval.results.uncertainty import Statistics, primary_interval

ROOT = Path(__file__).resolve().parent.parent
REPETITIONS = 1000
POPULATION = 200_000  # units from which a population's score is computed where no formula gives it

Draw = Callable[[np.random.Generator, int], np.ndarray]
"""Generator, number of units -> values of the statistics, one row a unit."""


class Case(NamedTuple):
    """A task at one size; `truth` is the population's score, None where a large sample gives it."""

    task: str
    unit: str
    units: int
    draw: Draw
    truth: float | None = None


def responses(rng: np.random.Generator, units: int) -> np.ndarray:
    """CA, FR, CR, PFA, GFA with the probabilities of the shared task's baseline (Table 1), each on its own."""
    share = np.array([598, 142, 225, 10, 25]) / 1000
    return np.eye(5)[rng.choice(5, size=units, p=share)]


def calls(rng: np.random.Generator, units: int) -> np.ndarray:
    """Three listeners and a system rate a call's quality, each with an error of their own."""
    quality = rng.normal(3, 1.3, units)
    ratings = [np.clip(np.rint(quality + rng.normal(0, 0.5, units)), 1, 5) for _ in range(4)]
    *listeners, system = ratings
    pairs = [(listener, system) for listener in listeners]
    pairs += [(listeners[0], listeners[1]), (listeners[0], listeners[2]), (listeners[1], listeners[2])]
    cells = [agreement.rating_cells(*pair, scale=(1, 5)).reshape(units, -1) for pair in pairs]
    return np.concatenate(cells, axis=1)


def transcripts(rng: np.random.Generator, units: int) -> np.ndarray:
    """Sessions of 16 utterances; some speakers are recognised far worse than others, and say more."""
    rate = rng.beta(3, 22, units)
    phones = rng.poisson(16 * 6 * (0.8 + 2 * rate))
    errors = rng.binomial(phones, rate)
    cost = rng.gamma(np.maximum(errors, 1e-9)) * 24
    return np.stack([np.rint(4 * cost) / 4, 24.0 * phones], axis=1)


def namings(rng: np.random.Generator, units: int) -> np.ndarray:
    """TP, FP, FN, TN in sessions of 16 responses; speakers differ in how much is correct, and in how clearly."""
    correct = rng.binomial(16, rng.beta(3, 2.5, units))
    missed = rng.binomial(correct, rng.beta(2, 14, units))
    claimed = rng.binomial(16 - correct, rng.beta(2, 12, units))
    return np.stack([correct - missed, claimed, missed, 16 - correct - claimed], axis=1)


RECORDING_EFFECT, SEPARATION = 0.6, 1.8
EER = 100 * NormalDist().cdf(-SEPARATION / 2 / math.hypot(1, RECORDING_EFFECT))


def segments(rng: np.random.Generator, units: int) -> np.ndarray:
    """49,239 segments in 154 recordings of very different lengths, each shifting the scores of either language.

    Target and nontarget scores are normal with one variance, over all recordings: the EER is known by formula.
    """
    length = rng.lognormal(0, 0.6, units)
    recording = rng.choice(units, size=round(49239 / 154 * units), p=length / length.sum())
    is_english = rng.random(len(recording)) < rng.beta(4, 1, units)[recording]
    effect = rng.normal(0, RECORDING_EFFECT, (2, units))
    english = SEPARATION * is_english + effect[0][recording] + rng.normal(size=len(recording))
    mandarin = SEPARATION * ~is_english + effect[1][recording] + rng.normal(size=len(recording))
    trials = identification.pooled_trials(is_english, english, mandarin)
    return identification.histograms_per_recording(*trials, recording)


def sessions(rng: np.random.Generator, units: int) -> np.ndarray:
    """Error and language time of recordings of 2 to 25 minutes, longer ones a little worse."""
    reference = 1e6 * np.clip(rng.lognormal(math.log(430), 0.6, units), 120, 1500)
    share = rng.gamma(4, 0.08, units) * (reference / 4.3e8) ** 0.2
    return np.rint(np.stack([share * reference, reference], axis=1))


def answers(rng: np.random.Generator, units: int) -> np.ndarray:
    """Three or four responses a speaker; how good the speaker is shows in all of them, in the system's error too."""
    speaker = np.repeat(np.arange(units), rng.choice([3, 4], size=units, p=[0.32, 0.68]))
    quality = rng.normal(0, 0.6, units)[speaker] + rng.normal(0, 0.7, len(speaker))
    human = np.clip(np.rint(2.5 + quality + rng.normal(0, 0.3, len(speaker))), 1, 4)
    predicted = 2.5 + quality + rng.normal(0, 0.4, units)[speaker] + rng.normal(0, 0.5, len(speaker))
    moments = agreement.correlation_moments(human, predicted)
    return np.stack([np.bincount(speaker, weights=column) for column in moments.T], axis=1)


CASES = (
    Case("spoken_call", "response", 1000, responses),
    Case("caller_experience", "call", 202, calls),
    Case("psst_recognition", "session", 22, transcripts),
    Case("psst_recognition", "session", 41, transcripts),
    Case("psst_correctness", "session", 22, namings),
    Case("psst_correctness", "session", 41, namings),
    Case("merlion_identification", "recording", 154, segments, EER),
    Case("merlion_diarization", "recording", 154, sessions),
    Case("content_accuracy", "speaker", 56, answers),
    Case("content_accuracy", "speaker", 1611, answers),
)


def primary_of(task: str) -> Callable[[np.ndarray], np.ndarray]:
    """What the task's scoring program makes of sums."""
    spec = importlib.util.spec_from_file_location(
        f"{task}_score", ROOT / "scoring_program" / task / "score.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.primary


def cover(case: Case, repetitions: int) -> str:
    """One line of the table."""
    primary = primary_of(case.task)
    rng = np.random.default_rng(20)
    truth = case.truth
    if truth is None:
        truth = float(primary(case.draw(rng, POPULATION).sum(axis=0, keepdims=True))[0])
    repetitions *= 4 if case.units < 100 else 1
    above = below = 0
    widths, seconds = [], []
    for _ in range(repetitions):
        values = case.draw(rng, case.units)
        score = float(primary(values.sum(axis=0, keepdims=True))[0])
        began = time.perf_counter()
        interval = primary_interval(Statistics(case.unit, [""] * len(values), (), values), primary, score)
        seconds.append(time.perf_counter() - began)
        above += truth < interval.low
        below += truth > interval.high
        widths.append(interval.high - interval.low)
    missed = above + below
    return (
        f"{case.task:24s}{case.units:6d} {case.unit + 's':12s}{truth:9.4f}{np.mean(widths):9.4f}"
        f"{100 * (1 - missed / repetitions):8.1f} %{100 * above / repetitions:8.1f} %{100 * below / repetitions:8.1f} %"
        f"{1000 * np.median(seconds):8.0f} ms"
    )


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS
    print(f"Coverage of the 95 % intervals in {repetitions} samples of synthetic populations")
    print(
        f"{'task':24s}{'':6s} {'units':12s}{'truth':>9s}{'width':>9s}{'covered':>10s}{'above':>10s}{'below':>10s}"
        f"{'time':>11s}"
    )
    for case in CASES:
        print(cover(case, repetitions), flush=True)


if __name__ == "__main__":
    main()
