"""Compare word errors with jiwer: from texts to substitutions, deletions and insertions.

python -m benchmarks.bench_words [UTTERANCES]     (default 100,000 synthetic utterances of 18 words on average)

Both programs split the texts and align them in one process, in turn; the best of three runs counts.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any

from spokeneval.formats.normalisation import read_rules
from spokeneval.metrics.transcript_errors import count_errors

WORDS = 20_000
LENGTH, SPREAD = 18, 9
ERRORS = (0.1, 0.3)
"""Shares of words that are wrong: half of them replaced, a quarter missing, a quarter followed by another word."""

RULES = ["nfkc", "casefold", "split_hyphens", "drop_punctuation", {"drop": ["uh", "um"]}]


def texts(utterances: int, errors: float) -> tuple[list[str], list[str]]:
    """References and hypotheses whose words have a long-tailed distribution."""
    rng = random.Random(1)
    reference, hypothesis = [], []
    for _ in range(utterances):
        length = max(1, round(rng.gauss(LENGTH, SPREAD)))
        words = [f"w{min(WORDS, int(rng.expovariate(25 / WORDS)))}" for _ in range(length)]
        heard = []
        for word in words:
            draw = rng.random()
            heard += (
                [] if draw < errors / 4 else [word if draw > 3 * errors / 4 else f"w{rng.randrange(WORDS)}"]
            )
            heard += [f"w{rng.randrange(WORDS)}"] if draw > 1 - errors / 4 else []
        reference.append(" ".join(words))
        hypothesis.append(" ".join(heard))
    return reference, hypothesis


def best_of_three(*runs: Callable[[], Any]) -> list[float]:
    """The shortest of three runs of each function, in turn."""
    taken: list[list[float]] = [[] for _ in runs]
    for _ in range(3):
        for run, times in zip(runs, taken, strict=True):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
    return list(map(min, taken))


def main() -> None:
    utterances = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    plain, rules = read_rules([]), read_rules(RULES)
    try:
        import jiwer
    except ImportError:
        jiwer = None
        print("jiwer is not installed and is left out")
    for errors in ERRORS:
        reference, hypothesis = texts(utterances, errors)

        def ours(normaliser: Any = plain, sides: Any = (reference, hypothesis)) -> Any:
            return count_errors(*map(normaliser.words, sides))

        runs = [ours, lambda: ours(rules)]
        if jiwer:
            runs.append(lambda sides=(reference, hypothesis): jiwer.process_words(*sides))
        own, normalised, *theirs = best_of_three(*runs)
        print(f"{utterances} utterances, {errors:.0%} of the words wrong")
        print(f"  ours                     {own:8.3f} s")
        print(f"  ours, five rules applied {normalised:8.3f} s")
        if theirs:
            print(f"  jiwer                    {theirs[0]:8.3f} s   {theirs[0] / own:.1f} x ours")
            found, other = ours(), jiwer.process_words(reference, hypothesis)
            same = found.substitutions + found.insertions + found.deletions == (
                other.substitutions + other.insertions + other.deletions
            )
            print(f"    same number of errors: {'yes' if same else 'NO'}")


if __name__ == "__main__":
    main()
