"""How much of the hidden labels a board can tell: attempts times the bits of a line, against the labels' entropy.

A line's bits are the logarithm of how many outputs can be told apart. An adversary tries variants of one system, whose
exact scores vary by about a standard error; what a grid leaves of that is the entropy of a rounded normal variable, 2.1
bits where a step is one standard error, a bit more each time it is halved. Numbers that are shown beside one another
are counted as if each told something of its own, so that the budget is an upper bound for answers of that kind. It is
none for whoever knows how to land at an edge of the grid every time, but a number at an edge tells one bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist

EXACT_BITS = 53.0
"""Bits of a number at full precision: those of a double."""

TOLERATED = 0.1
"""The share of the labels' entropy beyond which a board tells too much, unless a share of the set is sealed."""

_FARTHEST = 9.0  # standard errors; beyond it the normal distribution holds less than one part in 2**53


def bits_of_step(multiple: float) -> float:
    """What one number on a grid tells, in bits, where the grid lies worst: with an edge at the mean.

    Parameters
    ----------
    multiple: the step in standard errors of the score.

    Raises
    ------
    ValueError: a step that is not above 0.

    Examples
    --------
    >>> [round(bits_of_step(multiple), 1) for multiple in (0.25, 0.5, 1, 2)]
    [4.1, 3.1, 2.1, 1.3]
    """
    if not 0 < multiple < math.inf:
        raise ValueError(f"a step is {multiple!r} standard errors; expected a number above 0")
    cells = math.ceil(_FARTHEST / multiple)
    if cells > 1 << 16:
        return EXACT_BITS
    below = [NormalDist().cdf(cell * multiple) for cell in range(-cells, cells + 1)]
    return _entropy([after - before for before, after in pairwise(below)])


def label_entropy(counts: Sequence[int]) -> float:
    """The bits in labels of which each value occurs so often: those of a guess that knows the counts' shares.

    Examples
    --------
    >>> round(label_entropy([740, 260]))
    827
    """
    size = sum(counts)
    if size < 1 or min(counts) < 0:
        raise ValueError(f"labels counted {list(counts)}; expected some, none negative")
    return size * _entropy([count / size for count in counts])


def _entropy(shares: Iterable[float]) -> float:
    return -math.fsum(share * math.log2(share) for share in shares if share > 0) + 0.0


@dataclass(frozen=True)
class Budget:
    """What a phase can tell.

    Attributes
    ----------
    told: bits that all attempts of one participant tell at most.
    entropy: bits in the labels of the set.
    """

    told: float
    entropy: float

    @property
    def share(self) -> float:
        """The part of the labels' entropy that can be told, at most 1."""
        return min(1.0, self.told / self.entropy) if self.entropy else 1.0


def leakage_budget(attempts: int, multiples: Iterable[float | None], entropy: float) -> Budget:
    """What so many attempts tell about labels.

    Parameters
    ----------
    attempts: how often a participant may ask.
    multiples: of each number that a line shows, its step in standard errors; None where it is exact. An interval's end
        that follows from its score is no number of its own.
    entropy: bits in the labels, from `label_entropy`.

    Raises
    ------
    ValueError: a negative number of attempts, or a step that is not above 0.

    Examples
    --------
    Thirty attempts on 740 and 260 labels, one score in steps of a standard error; then twenty exact scores.

    >>> entropy = label_entropy([740, 260])
    >>> round(leakage_budget(30, [1.0], entropy).share, 2), leakage_budget(30, [None] * 20, entropy).share
    (0.08, 1.0)
    """
    if attempts < 0:
        raise ValueError(f"{attempts} attempts; expected 0 or more")
    line = math.fsum(EXACT_BITS if multiple is None else bits_of_step(multiple) for multiple in multiples)
    return Budget(attempts * line, entropy)
