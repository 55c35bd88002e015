"""Edit distances at unit costs, and substitutions, insertions and deletions, of many pairs of sequences at once.

A sequence is a row of symbols, numbered by `encode`. All results are exact. Let m <= n be the lengths of the two sides,
and d = n - m. An alignment is a path through cells (i, j), each on the diagonal j - i. A path that leaves the diagonals
-t, ..., d + t has d + 2t + 2 errors or more, so a smaller distance, found within these diagonals, is correct. Pairs
whose distance is greater are computed again between more diagonals. Pairs of similar lengths are computed together, by
anti-diagonals i + j, mostly in integers of one byte.

The matrix of a long pair is computed in bits. Its alignments with the fewest errors usually meet in many cells. Each of
them consists of such alignments of the parts between these cells, which are computed as pairs.

Sources: Ukkonen (1985), Algorithms for approximate string matching, Information and Control 64, for the diagonals;
Hyyrö (2003), A bit-vector algorithm for computing Levenshtein and Damerau edit distances, Nordic Journal of Computing
10(1), for long pairs;
Wagner and Fischer (1974), The String-to-String Correction Problem, Journal of the ACM 21(1), for the recurrence.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.lib.stride_tricks import as_strided

_PART_SYMBOLS = 1 << 25  # symbols of pairs that are computed at once
_BATCH_CELLS = 1 << 16  # cells of an anti-diagonal of a batch: they stay in the processor's cache
_LEAST_CELLS = 1 << 11  # of all pairs that remain
_BATCH_SYMBOLS = 1 << 23  # symbols of a batch
_ROW_PAIRS = 200  # numpy takes as long for fewer pairs
_LONG_CELLS = 400  # with more, and an eighth of the shorter side, a pair is computed in bits
_CUT_CELLS = 1 << 27  # the bits of more take more than 50 MB
_FIRST_CELLS, _GROWTH = 10, 3  # cells of a pair's anti-diagonal at first, which fit into bytes; how they grow


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
    """Pairs of sequences, the shorter side first, in the order of the length of both.

    Attributes
    ----------
    codes
        The symbols of all sequences, with room around them.
    short, long
        Where the sides begin.
    m, n
        The lengths of the sides: m <= n.
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
        start, lengths = 0, (self.m + self.n)[rows]
        while start < len(rows):
            longest = 4 * int(lengths[start]) + 16
            alike = int(np.searchsorted(lengths, longest)) - start
            chosen = rows[start : start + max(1, min(most, alike, _BATCH_SYMBOLS // longest))]
            yield chosen, self.take(chosen)
            start += len(chosen)


def _by_length(codes: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, _Pairs]:
    """The order of pairs by the length of both sides, and the pairs in it; rows of the arguments are sides."""
    swapped, both = lengths[0] > lengths[1], lengths.sum(axis=0)
    m, n = np.where(swapped, lengths[::-1], lengths)
    short, long = np.where(swapped, starts[::-1], starts)
    order = np.argsort(both.astype(np.min_scalar_type(int(both.max()))), kind="stable")
    return order, _Pairs(codes, short, long, m, n).take(order)


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
    order, pairs = _by_length(codes, starts, np.stack([reference.lengths, hypothesis.lengths]))
    before, after = np.zeros((2, len(order)), dtype=np.int64)
    for rows, some in pairs.batches(1024, np.flatnonzero(pairs.m)):
        before[rows], after[rows] = _common_ends(some)
    starts = np.stack([pairs.short, pairs.long]) + before
    again, pairs = _by_length(codes, starts, np.stack([pairs.m, pairs.n]) - before - after)
    return order[again], pairs


def _common_ends(pairs: _Pairs) -> tuple[np.ndarray, np.ndarray]:
    """How many symbols of each pair are alike from the beginning, and of the others from the end: never errors."""
    width = int(pairs.m.max())
    different = np.ones((len(pairs.m), width + 1), dtype=bool)
    different[:, :-1] = pairs.windows(pairs.short, width) != pairs.windows(pairs.long, width)
    before = np.minimum(different.argmax(axis=1), pairs.m)
    short, long = pairs.short + pairs.m - width, pairs.long + pairs.n - width
    different[:, :-1] = (pairs.windows(short, width) != pairs.windows(long, width))[:, ::-1]
    return before, np.minimum(different.argmax(axis=1), pairs.m - before)


def _computed(
    pairs: _Pairs, alone: bool, between: Optional[tuple[np.ndarray, np.ndarray]] = None
) -> np.ndarray:
    """The results of `_by_parts`, shape (2, pairs). With bounds of the distances, no pair is cut."""
    least, largest = between or (pairs.n - pairs.m, pairs.n)
    results, size = np.stack([pairs.n, np.zeros_like(least)]), _FIRST_CELLS
    todo = np.flatnonzero(pairs.m)
    while len(todo):
        few = _LEAST_CELLS // len(todo)  # a few pairs take as long with many diagonals as with few
        size = max(size, few)
        if not between:
            long = few + np.minimum(size, pairs.n[todo] // 2) > _LONG_CELLS + pairs.m[todo] // 8
            if long.any():
                results[:, todo[long]] = _cut(pairs.take(todo[long]), alone)
            todo = todo[~long]
        limit = 2 * size - 2
        for rows, some in pairs.batches(_BATCH_CELLS // size, todo[least[todo] <= limit]):
            cells = min(size, (int(largest[rows].max()) + 1) // 2 + 1)
            results[:, rows] = np.divmod(_costs(some, cells, alone), cells if alone else 1)
        todo = todo[np.maximum(results[0], least)[todo] > limit]
        size *= _GROWTH
    return results


def _cut(pairs: _Pairs, alone: bool) -> np.ndarray:
    """The results of long pairs, shape (2, pairs).

    Each pair is cut where all its alignments with the fewest errors meet. The parts of all are computed together.
    """
    results, parts = np.zeros((2, len(pairs.m)), dtype=np.int64), []
    for row, (m, n) in enumerate(zip(pairs.m.tolist(), pairs.n.tolist())):
        starts = np.array([[pairs.short[row]], [pairs.long[row]]])
        short, long = (pairs.windows(*side)[0].tolist() for side in zip(starts, (m, n)))
        columns: list[_Column] = []
        results[0, row] = _distance_in_bits(short, long, columns if alone and m * n < _CUT_CELLS else None)
        cuts = np.full(n + 1, -1)
        cuts[[0, -1]] = 0, m
        cuts[1 : len(columns)] = _meetings(m, columns)
        places = np.stack([cuts, np.arange(n + 1)])[:, cuts >= 0]
        lengths = np.diff(places)
        parts.append([*(starts + places[:, :-1]), *lengths, np.full(lengths.shape[1], row)])
    if alone:
        short, long, m, n, owner = np.concatenate(parts, axis=1)
        order, shorter = _by_length(pairs.codes, np.stack([short, long]), np.stack([m, n]))
        owner, longer, distance = owner[order], shorter.n - shorter.m, results[0][owner[order]]
        others = np.bincount(owner, shorter.n)[owner] - shorter.n
        between = np.maximum(distance - others, longer), np.minimum(distance, shorter.n)
        without_partner = longer + 2 * _computed(shorter, True, between)[1]
        results[1] = (np.bincount(owner, without_partner) - pairs.n + pairs.m) // 2
    return results


_Column = tuple[int, int, int]


def _distance_in_bits(short: Sequence[int], long: Sequence[int], columns: Optional[list[_Column]]) -> int:
    """The edit distance of two long sequences; adds the bits of each column of the matrix to `columns`.

    Along a column of the matrix, neighbours differ by 1, 0 or -1. The bits of two whole numbers say where they rise and
    fall, and a column follows from the one before in a few operations on all of its cells. The added bits are the cells
    that do not follow from the one before on the diagonal, that follow from the one before in the row, and from the one
    above in the column.
    """
    places = dict.fromkeys(short, 0)
    for place, symbol in enumerate(short):
        places[symbol] |= 1 << place
    every = (1 << len(short)) - 1
    rises, falls = every, 0
    for symbol in long:
        equal = places.get(symbol, 0)
        same = (((equal & rises) + rises) ^ rises) | equal | falls  # as the cell before on the diagonal
        more = (falls | (same | rises) ^ every) << 1 | 1  # than the cell in the column before
        rises, falls = ((same & rises) << 1 | (same | more) ^ every) & every, more & same
        if columns is not None:
            columns.append((equal ^ same, more, rises))
    return len(long) + bin(rises).count("1") - bin(falls & every).count("1")


def _meetings(m: int, columns: list[_Column]) -> list[int]:
    """The row in which all alignments with the fewest errors pass each inner column; -1 for columns with several.

    From the last cell, `cells` follows these alignments back to the first column; bit i is row i.
    """
    cells, rows = 1 << m, []
    for unpaired, more, rises in reversed(columns):
        step, grown = 1, cells | cells >> 1 & rises
        while grown != cells:
            rises &= rises >> step
            step *= 2
            cells, grown = grown, grown | grown >> step & rises
        rows.append(-1 if cells & (cells - 1) else cells.bit_length() - 1)
        before = cells >> 1
        cells = before ^ before & unpaired | cells & more
    return rows[:0:-1]


def _costs(pairs: _Pairs, size: int, alone: bool) -> np.ndarray:
    """The cost of the cheapest alignment of each pair on 2 `size` diagonals: exact up to 2 `size` - 2 errors.

    An error costs 1 or, with `alone`, `size`. Then a symbol of the shorter side without a partner costs 1 more.

    Every other anti-diagonal has the same diagonals, so there are two rows of cells, each computed from the other one
    and in place. Cells outside of the matrix cost `cap` or more. An anti-diagonal has no more cells than the shorter
    side, so only about these are computed: the time grows with the product of the lengths, not with the square of the
    longer one.
    """
    short, long, m, n = pairs[1:]
    weight, last, number = size if alone else 1, m + n, np.arange(len(m))
    cap, steps = weight * (2 * size - 1), int(last[-1])
    below = (2 * size - n + m) // 4  # half of the diagonals below the one of the first cell
    width = steps // 2 + size
    rows = np.ascontiguousarray(pairs.windows(short + below - size, width)[:, ::-1].T)
    columns = np.ascontiguousarray(pairs.windows(long - below, width).T)
    kind = np.min_scalar_type(cap + 4 * (weight + 1))
    room = int(np.iinfo(kind).max) - cap - weight - 1
    often = min(16, 2 * (room // weight))  # before a cell could overflow
    one, error, largest = (np.array(each, dtype=kind) for each in (1, weight, cap))
    even, odd, new, scaled = np.full((4, size + 1, len(m)), cap, dtype=kind)
    even[below, number] = 0
    sides = (even[:-1], odd[:-1], odd[1:]), (odd[1:], even[:-1], even[1:])
    unequal = np.empty(even.shape, dtype=bool)
    costs, final = np.zeros(len(m), dtype=np.int64), below + (n - m) // 2
    ends = np.searchsorted(last, np.arange(steps + 2)).tolist()
    lowest, highest, top, right = below.min(), below.max(), (below - m).min(), (below + n).max()
    for start in range(1, steps + 1, often):
        stop = min(start + often, steps + 1)
        first = max(0, start // 2 + top, lowest - stop // 2)
        end = min(size, (stop + 1) // 2 + highest, right - (start + 1) // 2 + 1)
        active = min(ends[start], max(0, len(m) - _ROW_PAIRS))
        region = slice(first, end), slice(active, None)
        views = [[cells[region] for cells in side] for side in sides]
        gap, wrong, different = new[region], scaled[region], unequal[region]
        for cells in (even[first : end + 1], odd[first : end + 1]):
            np.minimum(cells, largest, out=cells)
        for step in range(start, stop):
            row, column = width - size - step // 2 + first, (step - 1) // 2 + first
            symbols = rows[row : row + end - first, active:], columns[column : column + end - first, active:]
            pair, less, more = views[step % 2]
            np.not_equal(*symbols, out=different)
            np.minimum(less, np.add(more, one, out=gap) if alone else more, out=gap)
            gap += error
            added = different.view(np.uint8)
            pair += np.multiply(added, error, out=wrong) if alone else added
            np.minimum(pair, gap, out=pair)
            done = slice(ends[step], ends[step + 1])
            if done.start < done.stop:
                costs[done] = sides[step % 2][0][final[done], number[done]]
    return costs
