"""Edit distances at unit costs, and substitutions, insertions and deletions, of many pairs of sequences at once.

A sequence is a row of symbols, numbered by `encode`. All results are exact. Let m <= n be the lengths of the two sides,
and d = n - m. An alignment is a path through cells (i, j), each on the diagonal j - i. A path that leaves the diagonals
-t, ..., d + t has d + 2t + 2 errors or more, so a smaller distance, found within these diagonals, is correct. Pairs
whose distance is greater are computed again between more diagonals.

Sources: Ukkonen (1985), Algorithms for approximate string matching, Information and Control 64, for the diagonals;
Hyyrö (2003), A bit-vector algorithm for computing Levenshtein and Damerau edit distances, Nordic Journal of Computing
10(1), for long pairs;
Wagner and Fischer (1974), The String-to-String Correction Problem, Journal of the ACM 21(1), for the recurrence. Pairs
of similar lengths are computed together, by anti-diagonals i + j, mostly in integers of one byte.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

_PART_SYMBOLS = 1 << 25  # symbols of pairs that are computed at once
_BATCH_CELLS = 1 << 17  # cells of an anti-diagonal of a batch: they stay in the processor's cache
_LEAST_CELLS = 1 << 12  # of all pairs that remain
_BATCH_SYMBOLS = 1 << 23  # symbols of a batch
_FEW = 2000  # pairs whose lengths may differ by half in a batch
_MOST_DIAGONALS = 2000  # with more, and half of the shorter side, a pair's distance is computed in bits
_FIRST_DISTANCE, _GROWTH = 5, 3  # the largest distance that is found first, and by how much it then grows


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
        """Return the chosen sequences as columns, padded with arbitrary symbols: shape (longest, chosen)."""
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
    if all(issubclass(kind, str) for side in sides for kind in set(map(type, side))):
        codes = _numbered_characters(sides)
    else:
        number: defaultdict[Hashable, int] = defaultdict(count().__next__)
        codes = [
            np.fromiter(map(number.__getitem__, chain.from_iterable(side)), np.int32, int(each.sum()))
            for side, each in zip(sides, lengths)
        ]
    return tuple(Sequences(row, np.cumsum(each) - each, each) for row, each in zip(codes, lengths))


def _numbered_characters(sides: Sequence[Any]) -> list[np.ndarray]:
    """The numbers of the characters of lists of texts, in the smallest integers that hold them."""
    texts = ["".join(side) for side in sides]
    try:
        return [np.frombuffer(text.encode("latin-1"), np.uint8) for text in texts]
    except UnicodeEncodeError:
        points = [np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<i4") for text in texts]
    there = np.zeros(sys.maxunicode + 1, dtype=bool)
    for row in points:
        there[row] = True
    number = np.cumsum(there) - 1
    return [number.astype(np.min_scalar_type(number[-1]))[row] for row in points]


class _Pairs(NamedTuple):
    """Pairs of sequences, the shorter side first, in the order of its length, without common ends.

    Attributes
    ----------
    codes
        The symbols of all sequences, with room around them.
    short, long
        Where the sides begin.
    m, n
        The lengths of the sides: 0 < m <= n.
    """

    codes: np.ndarray
    short: np.ndarray
    long: np.ndarray
    m: np.ndarray
    n: np.ndarray

    def take(self, rows: np.ndarray) -> _Pairs:
        return _Pairs(self.codes, *(column[rows] for column in self[1:]))

    def windows(self, starts: np.ndarray, width: int) -> np.ndarray:
        """This many symbols from each start on: shape (starts, width)."""
        shape = (len(self.codes) - width, width)
        return np.asarray(as_strided(self.codes, shape, self.codes.strides * 2)[starts])

    def batches(self, most: int, rows: np.ndarray) -> Iterator[tuple[np.ndarray, _Pairs]]:
        """Of these rows, in the order of length, up to `most` of about the same length at a time, with their pairs."""
        start, lengths = 0, self.m[rows]
        while start < len(rows):
            least = int(lengths[start])
            near, wide = np.searchsorted(lengths, [least + least // 4, 2 * least], "right").tolist()
            size = max(1, min(most, max(near - start, min(wide - start, _FEW)), _BATCH_SYMBOLS // least))
            chosen = rows[start : start + size]
            yield chosen, self.take(chosen)
            start += size


def edit_distances(reference: Sequences, hypothesis: Sequences) -> np.ndarray:
    """The fewest substitutions, insertions and deletions that change one side of each pair into the other: int, shape
    (n,).

    >>> edit_distances(*encode(["kitten", "", "abc"], ["sitting", "ab", "bcd"])).tolist()
    [3, 2, 2]
    """
    return _by_parts(reference, hypothesis, False)[0]


def edit_errors(reference: Sequences, hypothesis: Sequences) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Substitutions, insertions and deletions of each pair at unit costs: three arrays of int, shape (n,).

    Among the alignments with the fewest errors, the one with the most substitutions counts.

    Examples
    --------
    >>> [errors.tolist() for errors in edit_errors(*encode(["kitten", "", "abc"], ["sitting", "ab", "bcd"]))]
    [[2, 0, 0], [1, 2, 1], [0, 0, 1]]
    """
    errors, alone = _by_parts(reference, hypothesis, True)
    longer = hypothesis.lengths - reference.lengths
    insertions, deletions = alone + np.maximum(longer, 0), alone + np.maximum(-longer, 0)
    return errors - insertions - deletions, insertions, deletions


def _by_parts(reference: Sequences, hypothesis: Sequences, alone: bool) -> tuple[np.ndarray, np.ndarray]:
    """The distance of each pair and, with `alone`, how many symbols of its shorter side have no partner."""
    symbols = np.cumsum(reference.lengths + hypothesis.lengths)
    ends = [*(np.flatnonzero(np.diff(symbols // _PART_SYMBOLS)) + 1).tolist(), len(symbols)]
    results = np.zeros((2, len(symbols)), dtype=np.int64)
    for start, end in zip([0, *ends], ends):
        part = slice(start, end)
        order, pairs = _pairs(reference.part(part), hypothesis.part(part))
        results[:, start:end][:, order] = _computed(pairs, alone)
    return results[0], results[1]


def _pairs(reference: Sequences, hypothesis: Sequences) -> tuple[np.ndarray, _Pairs]:
    """The order of the pairs by length, and the pairs in it, some with an empty side."""
    longest = int(max(reference.lengths.max(), hypothesis.lengths.max()))
    room = np.zeros(3 * longest + 32, reference.codes.dtype)
    codes = np.concatenate([room, reference.codes, hypothesis.codes, room])
    starts = np.stack([reference.starts + len(room), hypothesis.starts + len(room) + len(reference.codes)])
    lengths = np.stack([reference.lengths, hypothesis.lengths])
    swapped = lengths[0] > lengths[1]
    m, n = np.where(swapped, lengths[::-1], lengths)
    short, long = np.where(swapped, starts[::-1], starts)
    order = np.argsort(m.astype(np.min_scalar_type(longest)), kind="stable")
    pairs = _Pairs(codes, short, long, m, n).take(order)
    before, after = np.zeros((2, len(m)), dtype=np.int64)
    for rows, some in pairs.batches(2048, np.flatnonzero(pairs.m)):
        before[rows], after[rows] = _common_ends(some)
    ends = before + after
    pairs = _Pairs(codes, pairs.short + before, pairs.long + before, pairs.m - ends, pairs.n - ends)
    again = np.argsort(pairs.m.astype(np.min_scalar_type(longest)), kind="stable")
    pairs = pairs.take(again)
    return order[again], pairs


def _common_ends(pairs: _Pairs) -> tuple[np.ndarray, np.ndarray]:
    """How many symbols of each pair are alike from the beginning, and of the others from the end: never errors."""
    width = int(pairs.m[-1])
    different = np.ones((len(pairs.m), width + 1), dtype=bool)
    different[:, :-1] = pairs.windows(pairs.short, width) != pairs.windows(pairs.long, width)
    before = np.minimum(different.argmax(axis=1), pairs.m)
    short, long = pairs.short + pairs.m - width, pairs.long + pairs.n - width
    different[:, :-1] = (pairs.windows(short, width) != pairs.windows(long, width))[:, ::-1]
    return before, np.minimum(different.argmax(axis=1), pairs.m - before)


def _computed(pairs: _Pairs, alone: bool) -> np.ndarray:
    """The results of `_by_parts`, shape (2, pairs)."""
    extra, most = pairs.n - pairs.m, _FIRST_DISTANCE
    results = np.stack([pairs.n, np.zeros_like(extra)])
    least, largest = extra.copy(), pairs.n.copy()
    todo = np.flatnonzero(pairs.m)
    while len(todo):
        most = max(
            most, _LEAST_CELLS // len(todo)
        )  # a few pairs take as long with many diagonals as with few
        for row in todo[(most > _MOST_DIAGONALS + pairs.m // 2)[todo] & (least < largest)[todo]].tolist():
            one = pairs.take(np.array([row]))
            sides = ((one.short, int(one.m[0])), (one.long, int(one.n[0])))
            distance = _distance_in_bits(*(one.windows(*side)[0].tolist() for side in sides))
            least[row] = largest[row] = distance
            results[0, row] = distance
        if not alone:
            todo = todo[least[todo] < largest[todo]]
        for rows, some in pairs.batches(_BATCH_CELLS // most, todo[least[todo] <= most]):
            limit, longer = min(most, int(largest[rows].max())), extra[rows]
            below, above = (limit - int(longer.min())) // 2, (limit + int(longer.max())) // 2
            # An error weighs more than all symbols without a partner can, between these diagonals.
            weight = below + 1 if alone else 1
            costs = _costs(some, (-below, above), weight, alone, weight * (limit + 1))
            results[:, rows] = np.divmod(costs, weight)
        todo = todo[np.maximum(results[0], least)[todo] > most]
        most *= _GROWTH
    return results


def _distance_in_bits(short: Sequence[int], long: Sequence[int]) -> int:
    """The edit distance of two long sequences.

    Along a column of the matrix, neighbours differ by 1, 0 or -1. The bits of two whole numbers say where they rise and
    fall, and a column follows from the one before in a few operations on all of its cells.
    """
    last, places = len(short) - 1, dict.fromkeys(short, 0)
    for place, symbol in enumerate(short):
        places[symbol] |= 1 << place
    every = (1 << len(short)) - 1
    rises, falls, distance = every, 0, len(short)
    for symbol in long:
        equal = places.get(symbol, 0)
        same = (((equal & rises) + rises) ^ rises) | equal | falls  # as the cell before on the diagonal
        more, less = falls | (every & ~(same | rises)), same & rises  # than the cell in the column before
        distance += (more >> last & 1) - (less >> last & 1)
        more, less = (more << 1 | 1) & every, less << 1 & every
        rises, falls = less | (every & ~(same | more)), more & same
    return distance


def _costs(pairs: _Pairs, diagonals: tuple[int, int], weight: int, alone: bool, cap: int) -> np.ndarray:
    """The cost of the cheapest alignment of each pair between two diagonals, or `cap` or more.

    An error costs `weight`, a symbol of the shorter side without a partner `alone` more. Every other anti-diagonal has
    the same diagonals, so there are two rows of cells, each computed from the other one and in place. Cells outside of
    the matrix cost `cap` or more, whatever their symbols. An anti-diagonal has no more cells than the shorter side, so
    only these are computed: the time grows with the product of the lengths, not with the square of the longer one.
    """
    short, long, m, n = pairs[1:]
    lowest = diagonals[0] - diagonals[0] % 2
    size = (diagonals[1] - lowest) // 2 + 1
    last, room = m + n, size - lowest // 2 + 2
    rows = np.ascontiguousarray(pairs.windows(short - room + 1, int(m.max()) + 2 * room)[:, ::-1].T)
    columns = np.ascontiguousarray(pairs.windows(long - room, int(n.max()) + 2 * room).T)
    kind = np.min_scalar_type(cap + 4 * (weight + 1)).type
    often = 2 * ((int(np.iinfo(kind).max) - cap - weight - 1) // weight)  # before a cell could overflow
    even, odd = np.full((2, size + 1, len(m)), cap, dtype=kind)
    even[-lowest // 2] = 0
    cells, less, more = (even[:-1], odd[1:]), (odd[:-1], even[:-1]), (odd[1:], even[1:])
    both, unequal = np.empty_like(odd[1:]), np.empty(odd[1:].shape, dtype=bool)
    costs, place = np.zeros(len(m), dtype=np.int64), (n - m - lowest) // 2
    order = np.argsort(last, kind="stable")
    ends = np.searchsorted(last[order], np.arange(int(last.max()) + 2)).tolist()
    longest = int(m.max())
    for step in range(1, len(ends) - 1):
        side = step % 2
        row, column = (step - lowest - side) // 2, (step + lowest + side) // 2
        first, end = max(0, row - longest), min(size, row + 1)
        row, column = len(rows) - room - row + 1, column + room - 1
        new, different, pair = both[first:end], unequal[first:end], cells[side][first:end]
        np.not_equal(rows[row + first : row + end], columns[column + first : column + end], out=different)
        deleted = more[side][first:end]
        np.minimum(less[side][first:end], np.add(deleted, kind(1), out=new) if alone else deleted, out=new)
        new += kind(weight)
        wrong = different.view(np.uint8)
        pair += wrong if weight == 1 else np.multiply(wrong, kind(weight), dtype=kind)
        np.minimum(pair, new, out=pair)
        if step % often == 0:
            for cell in (even[first : end + 1], odd[first : end + 1]):
                np.minimum(cell, kind(cap), out=cell)
        if ends[step] < ends[step + 1]:
            finished = order[ends[step] : ends[step + 1]]
            costs[finished] = cells[side][place[finished], finished]
    return costs
