"""Compare word errors with jiwer and rapidfuzz: from texts, or their words, to substitutions, deletions and insertions.

python -m benchmarks.bench_words [UTTERANCES]     (default 100,000 synthetic utterances of 18 words on average)

All programs run in one process, in turn; the best of three runs counts, in processor time. jiwer gets texts, rapidfuzz
the lists of words or the texts as characters.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.processes import best_call
from spokeneval.formats.normalisation import read_rules
from spokeneval.metrics.edit_distance import edit_distances, encode
from spokeneval.metrics.transcript_errors import count_errors, errors_per_utterance

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
    taken = [[best_call(run, 1, time.process_time)[0] for run in runs] for _ in range(3)]
    return list(map(min, zip(*taken, strict=True)))


def compare_with_jiwer(reference: list[str], hypothesis: list[str]) -> None:
    import jiwer

    plain, rules = read_rules([]), read_rules(RULES)

    def ours(normaliser: Any = plain) -> Any:
        return count_errors(*map(normaliser.words, (reference, hypothesis)))

    runs = (ours, lambda: ours(rules), lambda: jiwer.process_words(reference, hypothesis))
    own, normalised, theirs = best_of_three(*runs)
    print(
        f"  texts        ours {own:7.3f} s   with five rules {normalised:7.3f} s   jiwer {theirs / own:5.2f} x ours"
    )
    found, other = ours(), jiwer.process_words(reference, hypothesis)
    same = found.substitutions + found.insertions + found.deletions == (
        other.substitutions + other.insertions + other.deletions
    )
    print(f"    same number of errors: {'yes' if same else 'NO'}")


def compare_with_rapidfuzz(unit: str, reference: list[Any], hypothesis: list[Any]) -> None:
    from rapidfuzz.distance import Levenshtein

    def each(function: Callable[..., Any]) -> list[Any]:
        return list(map(function, reference, hypothesis))

    runs = (
        lambda: errors_per_utterance(reference, hypothesis),
        lambda: each(Levenshtein.editops),
        lambda: edit_distances(*encode(reference, hypothesis)),
        lambda: each(Levenshtein.distance),
        lambda: encode(reference, hypothesis),
    )
    errors, editops, distances, theirs, numbers = best_of_three(*runs)
    same = edit_distances(*encode(reference, hypothesis)).tolist() == each(Levenshtein.distance)
    print(f"  {unit:12s} S, D, I {errors:7.3f} s = {errors / editops:5.2f} x editops", end="   ")
    print(f"distances {distances:7.3f} s = {distances / theirs:5.2f} x distance", end="   ")
    print(f"(symbols to numbers {numbers:7.3f} s)   same distances: {'yes' if same else 'NO'}")


def main() -> None:
    utterances = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for errors in ERRORS:
        reference, hypothesis = texts(utterances, errors)
        print(f"{utterances} utterances, {errors:.0%} of the words wrong")
        compare_with_jiwer(reference, hypothesis)
        compare_with_rapidfuzz(
            "words", *([text.split() for text in side] for side in (reference, hypothesis))
        )
        compare_with_rapidfuzz("characters", reference, hypothesis)


if __name__ == "__main__":
    main()
