"""Differences between two systems on the same units: coverage of their intervals, type-I error and power of their test.

    python -m benchmarks bench_differences [REPETITIONS [TASK|test|plan ...]]

The systems are from the populations of `bench_coverage`: one with usual rates and one with rates near 0 and 1 (`apart`:
drawn from the same random numbers, so their errors are correlated), or two with usual rates (`equal`: independent).
The first `covered` is for the jackknife interval of `rank`; the second is for `bootstrap`, percentiles of 500 joint
resamples. With 400 repetitions, measured coverage has a standard error of 1.1 percentage points.

`test`: the share of p <= 0.05 of the randomisation test alone (`swaps`), and of the test of `rank`, whose p is at least
that of the studentised bootstrap from 30 units on (`both`). Two systems have 100 words of each speaker, and word error
rates of `POPULATIONS`.

`plan`: how often the range of a pilot's plan (`spokeneval plan`) contains the number of speakers that is needed, and
the 5th and 95th percentiles of the planned number over the needed one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.bench_coverage import CASES, Case, Tally, population
from spokeneval.challenges import find_task
from spokeneval.metrics.counts import by_group, total
from spokeneval.metrics.jackknife import error_and_freedom
from spokeneval.ranking.plan import deviation_range
from spokeneval.ranking.randomisation import (
    FEWEST_RESAMPLED,
    pseudo_values,
    randomisation_tests,
    studentised_p_values,
)
from spokeneval.scoring.scored import difference_interval, ends_beyond, joint_scores, scores_without
from spokeneval.task import Score

REPETITIONS = 400
RESAMPLES = 500
SIZES = (12, 25, 50)
TEST_SIZES = (8, 12, 30, 60)
POPULATION = 400_000


def failing(rng: np.random.Generator, speakers: int, share: float) -> np.ndarray:
    """Return rates of 85 % for a share of the speakers, and of 5 % for the others."""
    return np.where(rng.random(speakers) < share, 0.85, 0.05)


def even(rng: np.random.Generator, speakers: int, rate: float = 0.1) -> np.ndarray:
    return np.full(speakers, rate)


def skewed(rng: np.random.Generator, speakers: int, rate: float = 0.1) -> np.ndarray:
    """Return rates that are log-normal over speakers, with a standard deviation of 1.2 of the logarithm."""
    return rate * np.exp(rng.normal(-0.72, 1.2, speakers))


Rates = Callable[[np.random.Generator, int], np.ndarray]

POPULATIONS: dict[str, tuple[Rates, Rates]] = {
    "one fails on a tenth": (partial(failing, share=0.1), partial(even, rate=0.13)),
    "one fails on a twentieth": (partial(failing, share=0.05), partial(even, rate=0.09)),
    "both fail on a tenth": (partial(failing, share=0.1), partial(failing, share=0.1)),
    "equal, Poisson": (even, even),
    "equal, log-normal": (skewed, skewed),
    "power, Poisson": (even, lambda rng, speakers: even(rng, speakers, 0.1 * (1 + 1.1 / speakers**0.5))),
    "power, log-normal": (skewed, lambda rng, speakers: skewed(rng, speakers, 0.1 * (1 + 6 / speakers**0.5))),
}
"""The word error rates of two systems, with equal means but for power."""


def rejected(population: str, speakers: int, repetitions: int) -> tuple[float, float]:
    """Return the shares of p <= 0.05 in percent, of swaps alone and of both tests."""
    rng, found = np.random.default_rng(21), np.zeros(2)
    for _ in range(repetitions):
        errors = np.stack([rng.poisson(100 * rates(rng, speakers)) for rates in POPULATIONS[population]])
        values = np.stack([errors, np.full_like(errors, 100)], axis=2).astype(float)
        p_values = randomisation_tests(values, rate_of_sums)
        found[0] += p_values[0, 1] <= 0.05
        if speakers >= FEWEST_RESAMPLED:
            p_values = studentised_p_values(p_values, pseudo_values(values, rate_of_sums)[:, :, 0])
        found[1] += p_values[0, 1] <= 0.05
    swaps, both = (100 * found / repetitions).tolist()
    return swaps, both


def planned(population: str, speakers: int, repetitions: int) -> tuple[float, float, float]:
    """Return the coverage of the range of a plan in percent, and two percentiles of the planned over the needed number.

    The needed number of speakers is proportional to the variance of the difference over speakers.
    """
    rng = np.random.default_rng(22)

    def differences(speakers: int) -> np.ndarray:
        first, second = (rng.poisson(100 * rates(rng, speakers)) for rates in POPULATIONS[population])
        return np.asarray((first - second) / 100)

    truth, covered, ratios = differences(POPULATION).std(), 0, []
    for _ in range(repetitions):
        pilot = differences(speakers)
        error, freedom = error_and_freedom((pilot.sum() - pilot) / (speakers - 1))
        deviation = error * speakers**0.5
        low, high = deviation_range(deviation, freedom)
        covered += low <= truth <= high
        ratios.append((deviation / truth) ** 2)
    return (100 * covered / repetitions, *np.percentile(ratios, [5, 95]).tolist())


def rate_of_sums(sums: np.ndarray) -> np.ndarray:
    return np.asarray(sums[:, 0] / sums[:, 1])


def by_speaker(case: Case, score: Score, speakers: int, seed: list[int]) -> Any:
    """Return the counts of a system's primary score, one row for each speaker."""
    sample = case.draw(np.random.default_rng(seed), speakers)
    _, group = np.unique(sample.speaker, return_inverse=True)
    return by_group(find_task(case.task).part(score, sample.parts), group, group[-1] + 1)


def cover(first: Case, second: Case, speakers: int, repetitions: int) -> str:
    """Return one line of the table."""
    score = find_task(first.task).primary
    kind = "equal" if first is second else "apart"
    truth = truth_of(first) - truth_of(second)
    jackknife, bootstrap = Tally(), Tally()
    for repetition in range(repetitions):
        seeds = [speakers, repetition], [speakers, repetition, *([1] if first is second else [])]
        rows = [
            by_speaker(case, score, speakers, seed) for case, seed in zip((first, second), seeds, strict=True)
        ]
        values = [value(score, total(system)) for system in rows]
        without = [scores_without(score, *pair) for pair in zip(values, rows, strict=True)]
        if len(without[0]) != len(without[1]) or np.isnan(values).any():
            continue
        ends = [known for pair in zip(values, rows, strict=True) if (known := ends_beyond(score, *pair))]
        interval = difference_interval(score, values, without, ends)
        jackknife.add(interval.low, interval.high, truth)
        resampled = joint_scores(score.value, rows, resamples=RESAMPLES)
        bootstrap.add(*np.nanpercentile(resampled[:, 0] - resampled[:, 1], (2.5, 97.5)), truth)
    width, other = np.median(jackknife.widths), np.median(bootstrap.widths)
    return (
        f"{first.task:24s}{kind:8s}{speakers:5d}{truth:9.3f}{width:9.3f}{jackknife.covered:9.1f}"
        f"{other:12.3f}{bootstrap.covered:9.1f}"
    )


@cache
def truth_of(case: Case) -> float:
    """Return the primary score of a population."""
    score = find_task(case.task).primary
    return value(score, total(by_speaker(case, score, population(case), [19])))


def value(score: Score, counts: Any) -> float:
    """Return a score; NaN if it is undefined."""
    try:
        return float(score.value(counts))
    except ValueError:
        return np.nan


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS
    chosen = sys.argv[2:] or ["test", *(case.task for case in CASES)]
    if "test" in chosen:
        print(f"Share of p <= 0.05 in {repetitions} samples, in %\n{'':26s}speakers   swaps    both")
        for population in POPULATIONS:
            for speakers in TEST_SIZES:
                swaps, both = rejected(population, speakers, repetitions)
                print(f"{population:26s}{speakers:8d}{swaps:8.1f}{both:8.1f}", flush=True)
    if "plan" in chosen:
        print(f"Plans from {repetitions} pilots\n{'':26s}speakers  covered 5th, 95th percentile")
        for population in POPULATIONS:
            for speakers in TEST_SIZES:
                covered, *ends = planned(population, speakers, repetitions)
                print(f"{population:26s}{speakers:8d}{covered:9.1f}{ends[0]:6.2f}{ends[1]:6.2f}", flush=True)
    if set(chosen) <= {"test", "plan"}:
        return
    print(f"Coverage of the 95 % intervals of differences in {repetitions} samples of synthetic populations")
    print(
        f"{'task':24s}{'systems':8s}{'speakers':8s}{'truth':>6s}{'width':>9s}{'covered':>9s}{'bootstrap':>12s}{'covered':>9s}"
    )
    usual, hard = ([case for case in CASES if case.population == kind] for kind in ("usual", "hard"))
    for first, other in zip(usual, hard, strict=True):
        if first.task in chosen:
            for second in (first, other):
                for speakers in SIZES:
                    print(cover(first, second, speakers, repetitions), flush=True)


if __name__ == "__main__":
    main()
