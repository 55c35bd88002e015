"""Alignments of pairs of sequences: the cost of the cheapest one with weighted errors, and which symbols are paired.

Sequences are those of `edit_distance`. Costs are whole numbers, so all results are exact. The cost of an alignment is
that of deleting and inserting all symbols, minus the savings of its pairs: the saving of a pair is the cost of deleting
one symbol and inserting the other, minus the cost of the substitution.

Source: Wagner and Fischer (1974), The String-to-String Correction Problem, Journal of the ACM 21(1). Pairs of similar
lengths are computed together, by anti-diagonals.

Where compounds are no errors, two or more words of one side that make a word of the other when they are joined are
correct: "ice cream" and "icecream". Source: `merge_compounds` of kaldialign 0.12. The number of errors is the same; of
the alignments that have it, kaldialign takes one with fewer substitutions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Optional

import numpy as np

from .edit_distance import Sequences

_BATCH_CELLS = 1 << 15  # symbols of a padded batch: its working arrays then stay in the processor's cache


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
    >>> from spokeneval.metrics.edit_distance import encode
    >>> edit_costs(*encode([["a", "b"]], [["b"]]), np.array([[0, 1], [1, 0]]), np.array([3, 5])).tolist()
    [3]
    """
    saved = indel[:, None] + indel[None, :] - substitution
    rows = replace(reference, codes=reference.codes.astype(np.int64) * len(indel))
    costs: np.ndarray = reference.sums(indel) + hypothesis.sums(indel)
    for chosen in _batches(reference, hypothesis):
        costs[chosen] -= _most_saved(rows, hypothesis, chosen, saved)
    return costs


def cheapest_path(
    reference: np.ndarray, hypothesis: np.ndarray, substitution: np.ndarray, indel: np.ndarray
) -> list[tuple[Optional[int], Optional[int]]]:
    """The pairs of symbols along the cheapest alignment of two sequences; None for a missing symbol.

    Of several cheapest alignments it is the one that, read from the end, prefers pairs to deletions, and deletions to
    insertions.

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
    return [
        (None if i is None else int(reference[i]), None if j is None else int(hypothesis[j]))
        for i, j in best_path(savings)
    ]


def best_path(savings: np.ndarray) -> list[tuple[Optional[int], Optional[int]]]:
    """The places in both sequences along the alignment whose pairs save most; None for a missing symbol.

    Parameters
    ----------
    savings : ndarray of int, shape (m, n)
        The saving of each pair; negative for symbols that cannot be a pair.

    Examples
    --------
    >>> best_path(np.array([[-1, 2], [1, -1]]))
    [(None, 0), (0, 1), (1, None)]
    """
    i, j = savings.shape
    saved = np.zeros((i + 1, j + 1), dtype=np.int64)
    for row in range(i):
        best = np.maximum(saved[row, :-1] + savings[row], saved[row, 1:])
        np.maximum.accumulate(best, out=saved[row + 1, 1:])
    steps: list[tuple[Optional[int], Optional[int]]] = []
    while i or j:
        if i and j and saved[i, j] == saved[i - 1, j - 1] + savings[i - 1, j - 1]:
            i, j = i - 1, j - 1
            steps.append((i, j))
        elif i and saved[i, j] == saved[i - 1, j]:
            i -= 1
            steps.append((i, None))
        else:
            j -= 1
            steps.append((None, j))
    return steps[::-1]


_PAIR, _DELETION, _INSERTION = range(3)


def partners(reference: Sequences, hypothesis: Sequences) -> np.ndarray:
    """Which symbol of its hypothesis each reference symbol is paired with at unit costs.

    The alignment of each pair is that of `edit_errors`; of several it is the one that, read from the end, prefers pairs
    to deletions, and deletions to insertions. In it, no deletion is next to an insertion.

    Returns
    -------
    ndarray of int, shape (symbols of all references,)
        Places in the hypothesis, from 0; -1 for a deleted symbol.

    Examples
    --------
    >>> from spokeneval.metrics.edit_distance import encode
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
            paired = np.multiply(symbols == rows, weight, dtype=saved.dtype)
            paired += saved[:-1] + (weight + 2)
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


def _most_saved(
    reference: Sequences, hypothesis: Sequences, chosen: np.ndarray, savings: np.ndarray
) -> np.ndarray:
    """The largest saving of any alignment of each chosen pair.

    `savings` has those of p symbols; the numbers of the symbols in `reference` are times p.

    saved[i, j] = max(saved[i-1, j-1] + savings of r_i and h_j, saved[i-1, j], saved[i, j-1]) is computed by
    anti-diagonals i + j = d. Each needs only the previous two, so it is one operation over all its cells and all pairs.
    The result of a pair is on the diagonal of its own lengths.
    """
    columns, backwards = reference.padded(chosen), hypothesis.padded(chosen)[::-1]
    m, n = len(columns), len(backwards)
    ends = reference.lengths[chosen]
    last_diagonal = ends + hypothesis.lengths[chosen]
    result = np.zeros(len(chosen), dtype=np.int64)
    kind = _kind(min(m, n), int(savings.max()))
    savings = savings.astype(kind)
    older, old, new = np.zeros((3, m + 1, len(chosen)), dtype=kind)
    for d in range(2, m + n + 1):
        first, last = max(1, d - n), min(m, d - 1)
        cells = savings.take(columns[first - 1 : last] + backwards[n - d + first : n - d + last + 1])
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


def compound_errors(reference: Sequence[str], hypothesis: Sequence[str]) -> Optional[tuple[int, int, int]]:
    """Return the substitutions, insertions and deletions of a pair whose compounds are no errors; None without any.

    Of the alignments with the fewest errors, the one with the most substitutions counts, and of these the one with the
    fewest deletions. A pair of two million words, which no honest one has, is taken to have no compounds.

    >>> compound_errors(["an", "ice", "cream", "van"], ["an", "icecream"])
    (0, 0, 1)
    """
    few = len(reference) + len(hypothesis) < _MOST_WORDS
    compounds = _compounds(reference, hypothesis) if few else ()
    if not any(compounds):
        return None
    (last,) = deque(_compound_costs(reference, hypothesis, *compounds), maxlen=1)
    total, deletions = divmod(int(last[-1]), _MOST_WORDS)
    errors, alone = divmod(total, _MOST_WORDS)
    return errors - alone, alone - deletions, deletions


def compound_path(
    reference: Sequence[str], hypothesis: Sequence[str]
) -> list[tuple[Optional[str], Optional[str]]]:
    """Return the pairs of words along an alignment of `compound_errors`; None for a missing word.

    The words that the reference has for a compound are paired with themselves.

    >>> compound_path(["an", "ice", "cream", "van"], ["an", "icecream"])
    [('an', 'an'), ('ice', 'ice'), ('cream', 'cream'), ('van', None)]
    """
    joined, apart = _compounds(reference, hypothesis)
    costs = list(_compound_costs(reference, hypothesis, joined, apart))
    path: list[tuple[Optional[str], Optional[str]]] = []
    i, j = len(reference), len(hypothesis)
    while i or j:
        said, heard = "".join(reference[i - 1 : i]), "".join(hypothesis[j - 1 : j])
        steps = [(1, 1, _WRONG * (said != heard)), (1, 0, _MISSING), (0, 1, _ADDED)]
        steps += [(words, 1, 0) for words, word in joined.get(i, ()) if word == heard]
        steps += [(1, end - start, 0) for start, end in apart.get(said, ()) if end == j]
        m, n = next(
            (m, n) for m, n, cost in steps if m <= i and n <= j and costs[i - m][j - n] + cost == costs[i][j]
        )
        words = reference[i - m : i][::-1]
        path += zip_longest(words, words if m + n > 2 else hypothesis[j - n : j])
        i, j = i - m, j - n
    return path[::-1]


_Joined = Mapping[int, Sequence[tuple[int, str]]]
_Apart = Mapping[str, Sequence[tuple[int, int]]]


def _compounds(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[_Joined, _Apart]:
    """Return the words of the hypothesis that the reference writes apart, as numbers of words by the place where they
    end, and the words of the reference that the hypothesis writes apart, with the places there."""
    joined, apart = defaultdict(list), defaultdict(list)
    for word, start, end in _written_apart(reference, hypothesis):
        joined[end].append((end - start, word))
    for word, start, end in _written_apart(hypothesis, reference):
        apart[word].append((start, end))
    return joined, apart


def _written_apart(words: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Yield which of the others are two or more words in a row when these are joined, and their first and last + 1."""
    known = {*others}
    ordered = sorted(known)
    for start, text in enumerate(words):
        for end in range(start + 1, len(words)):
            place = bisect_right(ordered, text)  # of the longer ones that begin so, the first is here
            if not "".join(ordered[place : place + 1]).startswith(text):
                break
            text += words[end]
            if text in known:
                yield text, start, end + 1


_MOST_WORDS = 1 << 21
_WRONG = _MOST_WORDS**2
_ADDED = _WRONG + _MOST_WORDS
_MISSING = _ADDED + 1
"""Costs whose sums have three digits: all errors, then insertions and deletions, then deletions."""


def _compound_costs(
    reference: Sequence[str], hypothesis: Sequence[str], joined: _Joined, apart: _Apart
) -> Iterator[np.ndarray]:
    """Yield the rows of the table of costs, for 0, 1, 2, ... words of the reference."""
    number = {word: place for place, word in enumerate([*reference, *hypothesis])}
    heard = np.array([number[word] for word in hypothesis], dtype=np.int64)
    inserted = _ADDED * np.arange(len(hypothesis) + 1, dtype=np.int64)
    rows = deque([inserted], max((words for each in joined.values() for words, _ in each), default=1))
    yield inserted
    for end, word in enumerate(reference, 1):
        row = rows[-1] + _MISSING
        np.minimum(row[1:], rows[-1][:-1] + _WRONG * (heard != number[word]), out=row[1:])
        for words, compound in joined.get(end, ()):
            np.minimum(row[1:], rows[-words][:-1], out=row[1:], where=heard == number[compound])
        if word in apart:
            starts, ends = np.transpose(apart[word])
            row[ends] = np.minimum(row[ends], rows[-1][starts])
        rows.append(np.minimum.accumulate(row - inserted) + inserted)
        yield rows[-1]
