"""Random texts of a few words."""

from __future__ import annotations

import numpy as np

WORDS = ("to", "be", "or", "not", "bee", "two")


def random_texts(seed: int, n: int) -> tuple[list[str], list[str]]:
    """References, and hypotheses that share some of their words; some of either are empty."""
    rng = np.random.default_rng(seed)
    reference = [list(rng.choice(WORDS, rng.integers(0, 12))) for _ in range(n)]
    hypothesis = [
        [word if rng.random() < 0.7 else str(rng.choice(WORDS)) for word in words if rng.random() < 0.9]
        + list(rng.choice(WORDS, rng.integers(0, 3)))
        for words in reference
    ]
    return [" ".join(words) for words in reference], [" ".join(words) for words in hypothesis]
