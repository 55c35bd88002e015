"""Simultaneous coverage and width of rank ranges, compared with naive ranges, and the time that boards take.

    python -m benchmarks.bench_ranks [REPETITIONS]

Boards are simulated. The gap is the distance between neighbouring systems, in standard errors of a score. Errors on the
same units are independent or correlated by 0.9, and either normal or with a long tail on one side. A naive range is
from the 2.5th to the 97.5th percentile of a system's ranks in the same resamples. With 400 boards, measured coverage
has a standard error of 1.1 percentage points; for fifty systems, a tenth as many boards are simulated. Last come equal
systems of unequal variances: the errors of half of the systems are eight times as large, or grow evenly to eight times.
"""

from __future__ import annotations

import resource
import sys
import time
from itertools import product

import numpy as np

from spokeneval.challenges import find_task
from spokeneval.metrics.accept_reject import decisions_per_response
from spokeneval.metrics.bootstrap import resample_weights
from spokeneval.metrics.counts import as_matrix, from_matrix
from spokeneval.ranking.multiple_comparisons import holm
from spokeneval.ranking.randomisation import (
    MOST_SWAPPED,
    randomisation_tests,
)
from spokeneval.ranking.ranks import known_by_bands, rank_sets, ranks_known

REPETITIONS = 400
SYSTEMS, GAPS, CORRELATIONS, UNITS = (5, 10, 50), (0, 0.5, 1, 3), (0, 0.9), (8, 30, 200, 1000)
ERRORS = ("normal", "skewed")
UNEQUAL_UNITS = (8, 12, 30, 200)
SPREADS = {
    "equal": np.ones,
    "halves": lambda systems: np.where(np.arange(systems) < systems // 2, 1, 8),
    "even": lambda systems: np.geomspace(1, 8, systems),
}
"""The sizes of systems' errors, `name -> function of the number of systems`."""


def noise(rng: np.random.Generator, errors: str, shape: tuple[int, ...]) -> np.ndarray:
    return rng.normal(size=shape) if errors == "normal" else rng.exponential(size=shape) - 1


def cover(
    errors: str,
    units: int,
    systems: int,
    gap: float,
    correlation: float,
    repetitions: int,
    spread: str = "equal",
) -> str:
    """Return one line of the table."""
    rng = np.random.default_rng(20)
    weights = resample_weights(units) / units
    truth = -gap / np.sqrt(units) * np.arange(systems)
    first = 1 + (truth > truth[:, np.newaxis]).sum(axis=1)
    last = systems - (truth < truth[:, np.newaxis]).sum(
        axis=1
    )  # for equal systems, any of their ranks is true
    held, widths = np.zeros(2), np.zeros(2)
    for _ in range(repetitions):
        own, common = noise(rng, errors, (units, systems)), noise(rng, errors, (units, 1))
        values = truth + SPREADS[spread](systems) * (
            np.sqrt(1 - correlation) * own + np.sqrt(correlation) * common
        )
        resampled = weights @ values
        together = rank_sets(values.mean(axis=0), resampled, units=units, higher=True)
        naive = np.percentile(ranks_by_sorting(resampled), (2.5, 97.5), axis=0, method="nearest").T
        for kind, ranges in enumerate((together, naive)):
            best, worst = np.array(list(ranges)).T
            held[kind] += ((best <= first) & (worst >= last)).all()
            widths[kind] += np.mean(worst - best + 1)
    covered, wide = 100 * held / repetitions, widths / repetitions
    return (
        f"{errors:8s}{units:6d}{systems:9d}{gap:6.1f}{correlation:13.1f}"
        f"{covered[0]:11.1f} %{wide[0]:8.1f}{covered[1]:11.1f} %{wide[1]:8.1f}"
    )


def ranks_by_sorting(scores: np.ndarray) -> np.ndarray:
    return 1 + np.argsort(np.argsort(-scores, axis=1), axis=1)


def decisions(systems: int, responses: int) -> np.ndarray:
    """Return counts of systems with more and more wrong decisions, shape=(s, n, k)."""
    rng = np.random.default_rng(7)
    correct = np.arange(responses) < 0.74 * responses
    meaningful = correct | (rng.random(responses) < 0.7)
    hardness = rng.normal(size=responses)
    counts = []
    for place in range(systems):
        wrong = hardness + rng.normal(size=responses) > 1.9 - 1.5 * place / systems
        counts.append(decisions_per_response(correct, meaningful, correct ^ wrong))
    values = np.stack([as_matrix(system) for system in counts]).astype(float)
    return values


def board_time(systems: int, responses: int = 1000) -> str:
    """Return one line of the second table: the time for a Spoken CALL board's differences, on one processor."""
    task = find_task("spoken_call")
    correct = np.ones(1, dtype=bool)
    model = decisions_per_response(correct, correct, correct)
    values = decisions(systems, responses)

    def primary(sums: np.ndarray) -> np.ndarray:
        return np.asarray(task.primary.value(from_matrix(model, sums)))

    began = time.process_time()
    if systems <= MOST_SWAPPED:
        how = "swapped"
        told = np.count_nonzero(holm(randomisation_tests(values, primary)) <= 0.05) // 2
    else:
        how = "bands"
        weights = resample_weights(responses)
        resampled = np.stack([primary(weights @ system) for system in values], axis=1)
        better = known_by_bands(primary(values.sum(axis=1)), resampled, units=responses, higher=True)
        told = len(ranks_known(better)) and np.count_nonzero(better)
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    pairs = systems * (systems - 1) // 2
    return f"{systems:7d}{responses:10d}{pairs:11d}{told:11d}  {how}{seconds:9.1f} s{peak:8.2f} GB"


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS
    print(f"{'systems':>7s}{'units':>10s}{'pairs':>11s}{'differ':>11s}  {'how':7s}{'time':>11s}{'peak':>11s}")
    for systems in (20, 40, 80, 1000, 10_000):
        print(board_time(systems), flush=True)
    print(f"\nSimultaneous coverage of rank ranges in {repetitions} boards, and coverage of naive ranges")
    print(
        f"{'errors':8s}{'units':>6s}{'systems':>9s}{'gap':>6s}{'correlation':>13s}{'covered':>13s}{'width':>8s}"
        f"{'naive':>13s}{'width':>8s}"
    )
    for errors, units, systems, gap, correlation in product(ERRORS, UNITS, SYSTEMS, GAPS, CORRELATIONS):
        boards = max(1, repetitions // 10) if systems == 50 else repetitions
        print(cover(errors, units, systems, gap, correlation, boards), flush=True)
    for spread in ("halves", "even"):
        print(f"\nThe same for equal systems with errors of unequal size ({spread})")
        for errors, units, systems in product(ERRORS, UNEQUAL_UNITS, SYSTEMS[:2]):
            print(cover(errors, units, systems, 0, 0, repetitions, spread), flush=True)


if __name__ == "__main__":
    main()
