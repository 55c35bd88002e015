"""How often the 95 % intervals cover the score that a system has in its population: each task, at its size.

    python -m benchmarks.bench_coverage [REPETITIONS]

Synthetic populations in which units differ (speakers, recordings and calls have effects of their own) are sampled
again and again; each sample gets its interval as a scoring program computes it. Measured coverage has a standard
error of 0.7 percentage points in 1,000 repetitions, of 0.35 where units are few: there are four times as many then.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from spokeneval.metrics import agreement
from spokeneval.metrics import language_identification as identification
from spokeneval.metrics.accept_reject import Decisions
from spokeneval.metrics.correctness import CorrectnessCounts
from spokeneval.metrics.counts import by_group, total
from spokeneval.metrics.language_diarization import LanguageTimes
from spokeneval.metrics.phoneme_recognition import RecognitionErrors
from spokeneval.run.interval import score_interval
from spokeneval.tasks import find_task

REPETITIONS = 1000
POPULATION = 200_000  # units from which a population's score is computed where no formula gives it

Draw = Callable[[np.random.Generator, int], Any]
"""Generator, number of units -> the counts that the primary score takes, one row a unit."""


class Case(NamedTuple):
    """A task at one size; `truth` is the population's score, None where a large sample gives it."""

    task: str
    unit: str
    units: int
    draw: Draw
    truth: float | None = None


def responses(rng: np.random.Generator, units: int) -> Decisions:
    """Responses with the probabilities of the shared task's baseline (Table 1), each on its own."""
    share = np.array([635, 105, 213, 32, 15]) / 1000
    return Decisions(*np.eye(5, dtype=np.int64)[rng.choice(5, size=units, p=share)].T)


def calls(rng: np.random.Generator, units: int) -> agreement.RatingCells:
    """Three listeners and a system rate a call's quality, each with an error of their own."""
    quality = rng.normal(3, 1.3, units)
    ratings = [np.clip(np.rint(quality + rng.normal(0, 0.5, units)), 1, 5) for _ in range(4)]
    *listeners, system = ratings
    pairs = [(listener, system) for listener in listeners]
    pairs += [(listeners[0], listeners[1]), (listeners[0], listeners[2]), (listeners[1], listeners[2])]
    cells = [agreement.rating_cells(*pair, scale=(1, 5)).cells for pair in pairs]
    return agreement.RatingCells(np.stack(cells, axis=1))


def transcripts(rng: np.random.Generator, units: int) -> RecognitionErrors:
    """Sessions of 16 utterances; some speakers are recognised far worse than others, and say more."""
    rate = rng.beta(3, 22, units)
    phones = rng.poisson(16 * 6 * (0.8 + 2 * rate))
    errors = rng.binomial(phones, rate)
    cost = rng.gamma(np.maximum(errors, 1e-9)) * 24
    nothing = np.zeros(units, dtype=np.int64)
    return RecognitionErrors(errors, nothing, nothing, phones, np.rint(4 * cost) / 4, 24 * phones)


def namings(rng: np.random.Generator, units: int) -> CorrectnessCounts:
    """TP, FP, FN, TN in sessions of 16 responses; speakers differ in how much is correct, and in how clearly."""
    correct = rng.binomial(16, rng.beta(3, 2.5, units))
    missed = rng.binomial(correct, rng.beta(2, 14, units))
    claimed = rng.binomial(16 - correct, rng.beta(2, 12, units))
    return CorrectnessCounts(correct - missed, claimed, missed, 16 - correct - claimed)


RECORDING_EFFECT, SEPARATION = 0.6, 1.8
EER = 100 * NormalDist().cdf(-SEPARATION / 2 / math.hypot(1, RECORDING_EFFECT))


def segments(rng: np.random.Generator, units: int) -> identification.ScoreHistograms:
    """49,239 segments in 154 recordings of very different lengths, each shifting the scores of either language.

    Target and nontarget scores are normal with one variance, over all recordings: the EER is known by formula.
    """
    length = rng.lognormal(0, 0.6, units)
    recording = rng.choice(units, size=round(49239 / 154 * units), p=length / length.sum())
    is_english = rng.random(len(recording)) < rng.beta(4, 1, units)[recording]
    effect = rng.normal(0, RECORDING_EFFECT, (2, units))
    english = SEPARATION * is_english + effect[0][recording] + rng.normal(size=len(recording))
    mandarin = SEPARATION * ~is_english + effect[1][recording] + rng.normal(size=len(recording))
    _, recording = np.unique(recording, return_inverse=True)
    return identification.pooled_histograms(is_english, english, mandarin, recording)


def sessions(rng: np.random.Generator, units: int) -> LanguageTimes:
    """Error and language time of recordings of 2 to 25 minutes, longer ones a little worse."""
    reference = 1e6 * np.clip(rng.lognormal(math.log(430), 0.6, units), 120, 1500)
    share = rng.gamma(4, 0.08, units) * (reference / 4.3e8) ** 0.2
    states = np.zeros((units, 16))
    states[:, 1] = np.rint(np.minimum(share, 1) * reference)  # English in the reference alone: missed
    states[:, 5] = np.rint(reference) - states[:, 1]  # English in both
    states[:, 4] = np.rint(np.maximum(share - 1, 0) * reference)  # English in the hypothesis alone
    return LanguageTimes(states)


def answers(rng: np.random.Generator, units: int) -> agreement.CorrelationMoments:
    """Three or four responses a speaker; how good the speaker is shows in all of them, in the system's error too."""
    speaker = np.repeat(np.arange(units), rng.choice([3, 4], size=units, p=[0.32, 0.68]))
    quality = rng.normal(0, 0.6, units)[speaker] + rng.normal(0, 0.7, len(speaker))
    human = np.clip(np.rint(2.5 + quality + rng.normal(0, 0.3, len(speaker))), 1, 4)
    predicted = 2.5 + quality + rng.normal(0, 0.4, units)[speaker] + rng.normal(0, 0.5, len(speaker))
    return by_group(agreement.correlation_moments(human, predicted), speaker, units)


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


def cover(case: Case, repetitions: int) -> str:
    """One line of the table."""
    primary = find_task(case.task).primary
    rng = np.random.default_rng(20)
    truth = case.truth
    if truth is None:
        truth = primary.value(total(case.draw(rng, POPULATION)))
    repetitions *= 4 if case.units < 100 else 1
    above = below = 0
    widths, seconds = [], []
    for _ in range(repetitions):
        rows = case.draw(rng, case.units)
        score = primary.value(total(rows))
        began = time.perf_counter()
        interval = score_interval(primary, rows, score)
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
