"""Edit distances of many pairs of sequences at once, for errors in words, characters, phones and features.

A sequence is a row of symbols, numbered by `encode`. Costs are whole numbers, so all results are exact. The cost of an
alignment is that of deleting and inserting all symbols, minus the savings of its pairs: the saving of a pair is the
cost of deleting one symbol and inserting the other, minus the cost of the substitution.

Source: Wagner and Fischer (1974), The String-to-String Correction Problem, Journal of the ACM 21(1). Pairs of similar
lengths are computed together, by anti-diagonals.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from typing import Callable, Optional

import numpy as np

_PART_SYMBOLS = 1 << 22  # symbols of pairs whose common ends are removed at once
_BATCH_CELLS = 1 << 15  # symbols of a padded batch: its working arrays then stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Sequences:
    """Many sequences of symbols in one array.

    Attributes
    ----------
    codes : ndarray of int
        The numbers of the symbols, 0 or more, one sequence after the other.
    starts, lengths : ndarray of int, shape (n,)
        Where each sequence begins in `codes`, and how many symbols it has.
    """

    codes: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray

    def padded(self, chosen: np.ndarray) -> np.ndarray:
        """Return the chosen sequences as columns, filled up with any symbols: shape=(longest, chosen)."""
        position = np.arange(self.lengths[chosen].max())[:, None]
        return np.asarray(self.codes.take(self.starts[chosen] + position, mode="clip"))

    def part(self, chosen: slice) -> Sequences:
        """Return some of the sequences."""
        return Sequences(self.codes, self.starts[chosen], self.lengths[chosen])

    def sums(self, weights: np.ndarray) -> np.ndarray:
        """Return the sum of the symbols' weights in each sequence."""
        running = np.concatenate(([0], np.cumsum(weights[self.codes])))
        return np.asarray(running[self.starts + self.lengths] - running[self.starts])


def encode(*sides: Sequence[Sequence[Hashable]]) -> tuple[Sequences, ...]:
    """Number the symbols of several lists of sequences; equal symbols get the same number.

    >>> reference, hypothesis = encode([["a", "b"], []], [["b"], ["c", "a"]])
    >>> reference.codes.tolist(), hypothesis.codes.tolist(), hypothesis.lengths.tolist()
    ([0, 1], [1, 2, 0], [1, 2])
    """
    lengths = [np.fromiter(map(len, side), np.int64, len(side)) for side in sides]
    if all(isinstance(row, str) for side in sides for row in side):
        codes = _numbered_characters(["".join(map(str, side)) for side in sides])
    else:
        number: defaultdict[Hashable, int] = defaultdict(count().__next__)
        codes = [
            np.fromiter(map(number.__getitem__, chain.from_iterable(side)), np.int32, int(each.sum()))
            for side, each in zip(sides, lengths)
        ]
    return tuple(Sequences(row, np.cumsum(each) - each, each) for row, each in zip(codes, lengths))


def _numbered_characters(texts: Sequence[str]) -> list[np.ndarray]:
    """The numbers of the characters of each text, in the order of Unicode."""
    points = [np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<i4") for text in texts]
    there = np.zeros(sys.maxunicode + 1, dtype=bool)
    for row in points:
        there[row] = True
    number = np.cumsum(there, dtype=np.int32) - 1
    return [number[row] for row in points]


def edit_errors(reference: Sequences, hypothesis: Sequences) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Substitutions, insertions and deletions of each pair at unit costs: three arrays of int, shape (n,).

    Among the alignments with the fewest errors, the one with the most substitutions counts.

    Examples
    --------
    >>> [errors.tolist() for errors in edit_errors(*encode(["kitten", "", "abc"], ["sitting", "ab", "bcd"]))]
    [[2, 0, 0], [1, 2, 1], [0, 0, 1]]
    """
    parts = [
        _errors_of_part(reference.part(part), hypothesis.part(part)) for part in _parts(reference, hypothesis)
    ]
    substitutions, insertions, deletions = map(np.concatenate, zip(*parts))
    return substitutions, insertions, deletions


def _parts(reference: Sequences, hypothesis: Sequences) -> Iterator[slice]:
    """Slices of the pairs with about `_PART_SYMBOLS` symbols each, so that the working arrays stay small."""
    symbols = np.cumsum(reference.lengths + hypothesis.lengths)
    ends = np.flatnonzero(np.diff(symbols // _PART_SYMBOLS)) + 1
    for start, end in zip([0, *ends.tolist()], [*ends.tolist(), len(symbols)]):
        yield slice(start, end)


def _errors_of_part(reference: Sequences, hypothesis: Sequences) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    reference, hypothesis = _without_common_ends(reference, hypothesis)
    longer = hypothesis.lengths - reference.lengths
    errors, indels = np.maximum(reference.lengths, hypothesis.lengths), np.abs(longer)
    for chosen in _batches(reference, hypothesis):
        symbols = reference.lengths[chosen] + hypothesis.lengths[chosen]
        # An error weighs more than all insertions and deletions together can, and each of those adds one.
        weight = 1 + int(symbols.max())
        savings = partial(_unit_savings, weight=weight)
        saved = _most_saved(reference, hypothesis, chosen, savings, 2 * (weight + 1))
        errors[chosen], indels[chosen] = np.divmod(symbols * (weight + 1) - saved, weight)
    return errors - indels, (indels + longer) // 2, (indels - longer) // 2


def _unit_savings(a: np.ndarray, b: np.ndarray, kind: np.dtype, *, weight: int) -> np.ndarray:
    """The savings of equal and different symbols, if a substitution costs `weight`, other errors 1 more."""
    cells: np.ndarray = np.multiply(a == b, weight, dtype=kind)
    cells += weight + 2
    return cells


def edit_costs(
    reference: Sequences, hypothesis: Sequences, substitution: np.ndarray, indel: np.ndarray
) -> np.ndarray:
    """The cost of the cheapest alignment of each pair: int, shape (n,).

    Parameters
    ----------
    substitution : ndarray of int, shape (p, p)
        The cost of replacing each symbol (row) by each other (column).
    indel : ndarray of int, shape (p,)
        The cost of deleting or inserting each symbol.

    Examples
    --------
    >>> pairs = encode(["ab"], ["b"])
    >>> edit_costs(*pairs, np.array([[0, 1], [1, 0]]), np.array([3, 5])).tolist()
    [3]
    """
    saved = indel[:, None] + indel[None, :] - substitution
    rows = replace(reference, codes=reference.codes.astype(np.int64) * len(indel))
    costs: np.ndarray = reference.sums(indel) + hypothesis.sums(indel)
    for chosen in _batches(reference, hypothesis):
        costs[chosen] -= _most_saved(
            rows, hypothesis, chosen, partial(_listed_savings, saved), int(saved.max())
        )
    return costs


def _listed_savings(saved: np.ndarray, a: np.ndarray, b: np.ndarray, kind: np.dtype) -> np.ndarray:
    """The savings in a table with p columns, for p times the number of one symbol and the number of the other."""
    return np.asarray(saved.astype(kind).take(a + b))


def cheapest_path(
    reference: np.ndarray, hypothesis: np.ndarray, substitution: np.ndarray, indel: np.ndarray
) -> list[tuple[Optional[int], Optional[int]]]:
    """The pairs of symbols along the cheapest alignment of two sequences; None for a missing symbol.

    Of several cheapest alignments it is the one that, read from the end, has a pair before a deletion before an
    insertion.

    Parameters
    ----------
    reference, hypothesis : ndarray of int, shape (m,), shape (n,)
        The symbols.
    substitution, indel
        Costs, as for `edit_costs`.

    Examples
    --------
    >>> cheapest_path(np.array([0, 1]), np.array([1]), 1 - np.eye(2, dtype=int), np.array([1, 1]))
    [(0, None), (1, 1)]
    """
    savings = (indel[:, None] + indel[None, :] - substitution)[reference[:, None], hypothesis[None, :]]
    i, j = savings.shape
    saved = np.zeros((i + 1, j + 1), dtype=np.int64)
    for row in range(i):
        best = np.maximum(saved[row, :-1] + savings[row], saved[row, 1:])
        np.maximum.accumulate(best, out=saved[row + 1, 1:])
    steps: list[tuple[Optional[int], Optional[int]]] = []
    while i or j:
        if i and j and saved[i, j] == saved[i - 1, j - 1] + savings[i - 1, j - 1]:
            i, j = i - 1, j - 1
            steps.append((int(reference[i]), int(hypothesis[j])))
        elif i and saved[i, j] == saved[i - 1, j]:
            i -= 1
            steps.append((int(reference[i]), None))
        else:
            j -= 1
            steps.append((None, int(hypothesis[j])))
    return steps[::-1]


_PAIR, _DELETION, _INSERTION = range(3)


def partners(reference: Sequences, hypothesis: Sequences) -> np.ndarray:
    """Which symbol of its hypothesis each reference symbol is paired with at unit costs.

    The alignment of each pair is that of `edit_errors`; of several it is the one that, read from the end, has a pair
    before a deletion before an insertion. In it, no deletion is next to an insertion.

    Returns
    -------
    ndarray of int, shape (symbols of all references,)
        Places in the hypothesis, from 0; -1 for a deleted symbol.

    Examples
    --------
    >>> partners(*encode(["abcd", "e"], ["xacd", ""])).tolist(), partners(*encode(["abcd"], ["acd"])).tolist()
    ([0, 1, 2, 3, -1], [0, -1, 1, 2])
    """
    found = np.full(len(reference.codes), -1, dtype=np.int64)
    for chosen in _batches(reference, hypothesis):
        columns, rows = reference.padded(chosen), hypothesis.padded(chosen)
        weight = 1 + len(columns) + len(rows)
        saved = np.zeros((len(rows) + 1, len(chosen)), _kind(min(len(columns), len(rows)), 2 * (weight + 1)))
        steps = np.empty((len(columns), *rows.shape), np.int8)
        for place, symbols in enumerate(columns):
            paired = saved[:-1] + _unit_savings(symbols, rows, saved.dtype, weight=weight)
            best = np.maximum.accumulate(np.maximum(paired, saved[1:]), axis=0)
            steps[place] = np.where(best == paired, _PAIR, np.where(best == saved[1:], _DELETION, _INSERTION))
            saved[1:] = best
        pair, starts = np.arange(len(chosen)), reference.starts[chosen]
        i, j = reference.lengths[chosen] - 1, hypothesis.lengths[chosen] - 1
        while len(pair):
            step = steps[i, j, pair]
            here = step == _PAIR
            found[(starts[pair] + i)[here]] = j[here]
            i, j = i - (step != _INSERTION), j - (step != _DELETION)
            inside = (i >= 0) & (j >= 0)
            i, j, pair = i[inside], j[inside], pair[inside]
    return found


def _without_common_ends(reference: Sequences, hypothesis: Sequences) -> tuple[Sequences, Sequences]:
    """Both sides without the symbols that they begin with and end with alike: these are never errors."""
    shorter = np.minimum(reference.lengths, hypothesis.lengths)
    before = _common(reference, hypothesis, shorter, 1)
    after = _common(reference, hypothesis, shorter - before, -1)
    ends = before + after
    return (
        Sequences(reference.codes, reference.starts + before, reference.lengths - ends),
        Sequences(hypothesis.codes, hypothesis.starts + before, hypothesis.lengths - ends),
    )


def _common(reference: Sequences, hypothesis: Sequences, longest: np.ndarray, step: int) -> np.ndarray:
    """How many symbols, at most `longest`, are alike from the beginning (step 1) or from the end (step -1)."""
    common: np.ndarray = longest.copy()
    some = np.flatnonzero(longest)
    if len(some):
        firsts = np.cumsum(longest[some]) - longest[some]
        place = np.arange(int(longest.sum())) - np.repeat(firsts, longest[some])
        sides = []
        for side in (reference, hypothesis):
            edge = side.starts + (side.lengths - 1 if step < 0 else 0)
            sides.append(side.codes[np.repeat(edge[some], longest[some]) + step * place])
        place[sides[0] == sides[1]] = len(place)
        common[some] = np.minimum(common[some], np.minimum.reduceat(place, firsts))
    return common


def _batches(reference: Sequences, hypothesis: Sequences) -> Iterator[np.ndarray]:
    """Pairs of about the same length on either side (within a quarter), without those that have an empty side."""
    paired = np.flatnonzero(np.minimum(reference.lengths, hypothesis.lengths))
    sizes = [np.ceil(np.log(side.lengths[paired]) / np.log(1.25)) for side in (reference, hypothesis)]
    group = sizes[0] * 256 + sizes[1]
    order = np.argsort(group)
    for members in np.split(paired[order], np.flatnonzero(np.diff(group[order])) + 1):
        if len(members):
            longest = max(int(side.lengths[members].max()) for side in (reference, hypothesis))
            size = 1 + _BATCH_CELLS // longest
            for start in range(0, len(members), size):
                yield members[start : start + size]


Savings = Callable[[np.ndarray, np.ndarray, np.dtype], np.ndarray]
"""Symbols of reference and hypothesis, a type of integer -> the savings of pairing them, of this type."""


def _most_saved(
    reference: Sequences, hypothesis: Sequences, chosen: np.ndarray, savings: Savings, largest: int
) -> np.ndarray:
    """The largest saving of any alignment, for each chosen pair; `largest`: of any two symbols.

    saved[i, j] = max(saved[i-1, j-1] + savings of r_i and h_j, saved[i-1, j], saved[i, j-1]) is computed by
    anti-diagonals i + j = d. Each needs only the previous two, so it is one operation over all its cells and all pairs.
    The result of a pair is on the diagonal of its own lengths.
    """
    columns, backwards = reference.padded(chosen), hypothesis.padded(chosen)[::-1]
    m, n = len(columns), len(backwards)
    ends = reference.lengths[chosen]
    last_diagonal = ends + hypothesis.lengths[chosen]
    result = np.zeros(len(chosen), dtype=np.int64)
    kind = _kind(min(m, n), largest)
    older, old, new = np.zeros((3, m + 1, len(chosen)), dtype=kind)
    for d in range(2, m + n + 1):
        first, last = max(1, d - n), min(m, d - 1)
        cells = savings(columns[first - 1 : last], backwards[n - d + first : n - d + last + 1], kind)
        cells += older[first - 1 : last]
        np.maximum(cells, old[first - 1 : last], out=cells)
        np.maximum(cells, old[first : last + 1], out=new[first : last + 1])
        finished = np.flatnonzero(last_diagonal == d)
        result[finished] = new[ends[finished], finished]
        older, old, new = old, new, older
    return result


def _kind(pairs: int, largest: int) -> np.dtype:
    """The smallest type of integer for the sum of so many savings."""
    return np.dtype(np.min_scalar_type(-pairs * largest - 1))
