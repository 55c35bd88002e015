"""Equal error rates side by side with sorting the two classes, the least that anyone could do, and scikit-learn.

Run as `python -m benchmarks.bench_language_identification [SCORES]` (default 5,000,000, half of them targets;
synthetic). Each round times all of them one after another; a ratio is the median over the rounds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from spokeneval.metrics.language_identification import interpolated_eer, rocch_eer

ROUNDS = 7


def seconds(run: Callable[[], object]) -> float:
    """The time of one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def trials(kind: str, scores: int) -> tuple[np.ndarray, np.ndarray]:
    """Target and nontarget scores of a good system, of guessing, of four-decimal or of eleven-step scores."""
    rng = np.random.default_rng(1)
    targets, nontargets = rng.normal(0, 1, scores // 2), rng.normal(0, 1, scores - scores // 2)
    if kind != "chance":
        targets += 1.5
    decimals = {"4 decimals": 4, "11 values": 0}.get(kind)
    if decimals is not None:
        targets, nontargets = targets.round(decimals), nontargets.round(decimals)
    return targets, nontargets


def main(scores: int) -> None:
    """Print a line for each kind and size: the ratios to sorting, and how the time grows."""
    print(f"{'scores':>10s}  {'kind':12s}{'np.sort':>10s}{'ROCCH EER':>12s}{'interpolated':>14s}   EER")
    taken: dict[int, list[float]] = {}
    for kind in ("separated", "chance", "4 decimals", "11 values"):
        for size in (scores // 10, scores):
            targets, nontargets = trials(kind, size)
            rounds = [
                (
                    seconds(lambda t=targets, n=nontargets: (np.sort(t), np.sort(n))),
                    seconds(lambda t=targets, n=nontargets: rocch_eer(t, n)),
                    seconds(lambda t=targets, n=nontargets: interpolated_eer(t, n)),
                )
                for _ in range(ROUNDS)
            ]
            taken[size] = [median(times[column] for times in rounds) for column in (0, 1)]
            print(
                f"{size:10d}  {kind:12s}{1000 * median(times[0] for times in rounds):7.1f} ms"
                f"{median(times[1] / times[0] for times in rounds):10.2f} x"
                f"{median(times[2] / times[0] for times in rounds):12.2f} x   {rocch_eer(targets, nontargets):.4f}"
            )
        sort, eer = (taken[scores][column] / taken[scores // 10][column] for column in (0, 1))
        print(f"{'':10s}  ten times the scores: EER {eer:.1f} x the time, np.sort {sort:.1f} x")

    try:
        from sklearn.metrics import roc_curve
    except ImportError:
        print("scikit-learn is not installed: left out")
        return
    targets, nontargets = trials("separated", scores // 10)
    labels = np.repeat([1, 0], [len(targets), len(nontargets)])
    pooled = np.concatenate([targets, nontargets])
    ratio = median(
        seconds(lambda: roc_curve(labels, pooled)) / seconds(lambda: interpolated_eer(targets, nontargets))
        for _ in range(ROUNDS)
    )
    print(
        f"scikit-learn's roc_curve on {scores // 10} scores takes {ratio:.1f} x the time of our interpolated EER"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000)
