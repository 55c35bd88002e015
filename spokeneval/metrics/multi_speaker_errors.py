"""Words of meetings by speaker: cpWER and tcpWER, with errors in words or in characters.

A side of a meeting has a stream of symbols for each of its speakers. The streams of the two sides are paired one to
one; those without a partner are deleted or inserted as a whole. Of all assignments the one with the fewest errors
counts, and of these the one with the most substitutions, so that no count depends on the names of speakers.

cpWER (concatenated minimum-permutation) aligns the streams as texts. tcpWER (time-constrained) pairs only symbols that
overlap in time: a symbol of the reference from its begin to its end, one of the hypothesis from `collar` before its
centre to `collar` after it. Where only segments have times, `symbol_times` divides them in proportion to characters.
Times are whole nanoseconds, so that all comparisons are exact.

`transcript_errors` has the rates; lower is better.

Sources: Watanabe et al. (2020), CHiME-6 Challenge, section 4 (cpWER); von Neumann et al. (2023), MeetEval (tcpWER). The
number of errors is that of MeetEval 0.4 with its defaults: `character_based` for references, `character_based_points`
for hypotheses, segments sorted by their start.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .alignment import best_path
from .assignment import greatest_assignment
from .counts import Counts, Number, ratio
from .edit_distance import Sequences, edit_distances, edit_errors, encode
from .shares import of_shares

_LONG = 1000  # symbols of streams on both sides from which only pairs that may be the best have their deletions counted
_CELLS = 1 << 20  # symbols of the hypotheses of all pairs of streams in a batch
_NEVER = np.iinfo(np.int64).max


class Stream(NamedTuple):
    """What a speaker said in a meeting.

    Attributes
    ----------
    symbols
        The words or characters, in the order in which they are compared.
    times : array_like of int, shape (n, 2)
        Begin and end of each symbol in ns, in a hypothesis including the collar; not needed for cpWER.
    """

    symbols: Sequence[Hashable]
    times: Any = ()


@dataclass(frozen=True)
class MeetingErrors(Counts):
    """Errors of meetings, in words or in characters.

    Attributes
    ----------
    substitutions, insertions, deletions, reference_length
        As in `transcript_errors.TranscriptErrors`, over all speakers.
    meetings
        The number of meetings.
    missed_speakers, added_speakers
        By how many the speakers of the reference outnumber those of the hypothesis in each meeting, and the reverse.
    """

    substitutions: Number
    insertions: Number
    deletions: Number
    reference_length: Number
    meetings: Number
    missed_speakers: Number
    added_speakers: Number


def symbol_times(spans: np.ndarray, lengths: Sequence[Sequence[int]], *, points: bool = False) -> np.ndarray:
    """Divide segments into their symbols, in proportion to the symbols' numbers of characters.

    Parameters
    ----------
    spans : ndarray of int, shape (k, 2)
        Start and end of each segment in ns.
    lengths
        The numbers of characters of each segment's symbols, 1 or more.
    points
        Whether begin and end of a symbol are both its centre, as for hypotheses.

    Returns
    -------
    ndarray of int, shape (n, 2)
        Begin and end of each symbol in ns.

    Examples
    --------
    >>> symbol_times(np.array([[0, 400]]), [[3, 1]]).tolist()
    [[0, 300], [300, 400]]
    >>> symbol_times(np.array([[0, 400]]), [[3, 1]], points=True).tolist()
    [[150, 150], [350, 350]]
    """
    counts = np.array([len(segment) for segment in lengths], dtype=np.int64)
    sizes = np.array([size for segment in lengths for size in segment], dtype=np.int64)
    ends = np.cumsum(sizes)
    bounds = np.concatenate(([0], ends))[np.concatenate(([0], np.cumsum(counts)))]
    start, length, first, total = (
        np.repeat(column, counts)
        for column in (spans[:, 0], spans[:, 1] - spans[:, 0], bounds[:-1], np.diff(bounds))
    )
    after, before = ends - first, ends - first - sizes
    if points:
        centre = start + length * (before + after) // (2 * total)
        return np.stack([centre, centre], axis=1)
    return np.stack([start + length * before // total, start + length * after // total], axis=1)


def errors_per_meeting(
    reference: Sequence[Sequence[Stream]], hypothesis: Sequence[Sequence[Stream]], *, timed: bool
) -> MeetingErrors:
    """Return the errors of each meeting: one row per meeting.

    Parameters
    ----------
    reference, hypothesis
        The streams of the speakers in each of n >= 1 meetings.
    timed
        Whether symbols are paired only if they overlap in time.

    Examples
    --------
    >>> said, heard = [[Stream("abc"), Stream("xy")]], [[Stream("xyz"), Stream("ab"), Stream("q")]]
    >>> rows = errors_per_meeting(said, heard, timed=False)
    >>> rows.insertions.tolist(), rows.deletions.tolist(), rows.added_speakers.tolist()
    ([2], [1], [1])
    """
    if len(reference) != len(hypothesis) or not len(reference):
        raise ValueError(
            f"{len(reference)} and {len(hypothesis)} meetings; expected the same number, 1 or more"
        )
    streams = [[stream for meeting in side for stream in meeting] for side in (reference, hypothesis)]
    sides = encode(*([stream.symbols for stream in side] for side in streams))
    speakers = np.array([[len(meeting) for meeting in side] for side in (reference, hypothesis)])
    firsts = np.cumsum(speakers, axis=1) - speakers
    pairs = [
        (np.repeat(np.arange(n), m) + first, np.tile(np.arange(m), n) + other)
        for n, m, first, other in zip(*speakers.tolist(), *firsts.tolist())
    ]
    rows, columns = (np.concatenate(each) for each in zip(*pairs))
    lazy = False
    if not len(rows):
        errors, deletions = rows, columns
    elif timed:
        times = [np.concatenate([_times(stream) for stream in side]) for side in streams]
        errors, deletions = _timed_errors(_chosen(sides[0], rows), _chosen(sides[1], columns), *times)
    else:
        chosen = _chosen(sides[0], rows), _chosen(sides[1], columns)
        lazy = min(int(side.lengths.max()) for side in chosen) >= _LONG
        if lazy:
            errors, deletions = edit_distances(*chosen), np.maximum(chosen[0].lengths - chosen[1].lengths, 0)
        else:
            substitutions, insertions, deletions = edit_errors(*chosen)
            errors = substitutions + insertions + deletions
    ends = np.cumsum(speakers[0] * speakers[1]).tolist()
    meetings = [
        _Meeting(
            slice(end - n * m, end), sides[0].lengths[first : first + n], sides[1].lengths[other : other + m]
        )
        for end, (n, m), (first, other) in zip(ends, speakers.T.tolist(), firsts.T.tolist())
    ]
    if lazy:
        _find_deletions(meetings, errors, deletions, chosen)
    counts = [
        (*_assigned(*each.found(errors, deletions)), 1, max(0, n - m), max(0, m - n))
        for each, (n, m) in zip(meetings, speakers.T.tolist())
    ]
    return MeetingErrors(*np.array(counts, dtype=np.int64).T)


class _Meeting(NamedTuple):
    """The place of a meeting among all pairs of streams, and the lengths of its streams on each side."""

    pairs: slice
    reference: np.ndarray
    hypothesis: np.ndarray

    def found(self, errors: np.ndarray, deletions: np.ndarray) -> tuple[np.ndarray, ...]:
        shape = len(self.reference), len(self.hypothesis)
        counts = (each[self.pairs].reshape(shape) for each in (errors, deletions))
        return (*counts, self.reference, self.hypothesis)


def _find_deletions(
    meetings: Sequence[_Meeting],
    errors: np.ndarray,
    deletions: np.ndarray,
    sides: tuple[Sequences, Sequences],
) -> None:
    """Replace the fewest possible deletions of pairs by their number, where a pair is in the best assignment.

    A pair has no fewer, so an assignment that is best although its own are known, is best for all that are unknown.
    """
    known = np.zeros(len(errors), dtype=bool)
    while meetings:
        best = []
        for each in meetings:
            rows, columns = _partners(*each.found(errors, deletions))[2]
            places = each.pairs.start + rows * len(each.hypothesis) + columns
            best.append(places[~known[places]])
        meetings = [each for each, places in zip(meetings, best) if len(places)]
        if meetings:
            places = np.concatenate(best)
            deletions[places] = edit_errors(*(_chosen(side, places) for side in sides))[2]
            known[places] = True


def _chosen(side: Sequences, streams: np.ndarray) -> Sequences:
    return Sequences(side.codes, side.starts[streams], side.lengths[streams])


def _times(stream: Stream) -> np.ndarray:
    times = np.asarray(stream.times, dtype=np.int64).reshape(-1, 2)
    if len(times) != len(stream.symbols):
        raise ValueError(f"{len(times)} times of {len(stream.symbols)} symbols; expected the same number")
    return times


def _assigned(
    errors: np.ndarray, deletions: np.ndarray, reference: np.ndarray, hypothesis: np.ndarray
) -> tuple[int, int, int, int]:
    """Substitutions, insertions, deletions and length of a meeting, from those of all pairs of its streams."""
    said, heard = int(reference.sum()), int(hypothesis.sum())
    kept, saved, pairs = _partners(errors, deletions, reference, hypothesis)
    wrong, deleted = said + heard - int(saved[pairs].sum()), said - int(kept[pairs].sum())
    inserted = deleted + heard - said
    return wrong - deleted - inserted, inserted, deleted, said


def _partners(
    errors: np.ndarray, deletions: np.ndarray, reference: np.ndarray, hypothesis: np.ndarray
) -> tuple[np.ndarray, np.ndarray, Any]:
    """The pairs of symbols of each pair of streams, by how much they lower the errors, and the best assignment."""
    kept, saved = reference[:, None] - deletions, reference[:, None] + hypothesis - errors
    return kept, saved, greatest_assignment(saved * (int(reference.sum()) + 1) + kept)


def partners_in_time(reference: Sequence[Stream], hypothesis: Sequence[Stream]) -> list[tuple[int, int]]:
    """Return the places of the streams of a meeting that are paired in tcpWER: (reference, hypothesis).

    Examples
    --------
    >>> a, b = Stream("ab", [[0, 1], [1, 2]]), Stream("c", [[0, 2]])
    >>> partners_in_time([a, b], [b, a])
    [(0, 1), (1, 0)]
    """
    if not reference or not hypothesis:
        return []
    n, m = len(reference), len(hypothesis)
    rows = errors_per_meeting(
        [[each] for each in reference for _ in range(m)], [[each] for each in hypothesis] * n, timed=True
    )
    errors = (rows.substitutions + rows.insertions + rows.deletions).reshape(n, m)
    lengths = (np.array([len(each.symbols) for each in side]) for side in (reference, hypothesis))
    pairs = _partners(errors, rows.deletions.reshape(n, m), *lengths)[2]
    return [(int(first), int(other)) for first, other in zip(*pairs)]


def path_in_time(reference: Stream, hypothesis: Stream) -> list[tuple[Optional[int], Optional[int]]]:
    """Return the alignment of two streams in tcpWER: places of their symbols, None for a missing one.

    Examples
    --------
    >>> path_in_time(Stream("ab", [[0, 1], [5, 6]]), Stream("xa", [[0, 1], [5, 6]]))
    [(0, 0), (1, 1)]
    """
    (begin, end), (first, last) = _times(reference).T, _times(hypothesis).T
    weight = len(reference.symbols) + 1
    places = {symbol: place for place, symbol in enumerate({*reference.symbols, *hypothesis.symbols})}
    said, heard = (
        np.array([places[symbol] for symbol in side.symbols], np.int64) for side in (reference, hypothesis)
    )
    both = (last > begin[:, None]) & (first < end[:, None])
    return best_path(np.where(both, weight + 1 + (said[:, None] == heard) * weight, -1))


def _timed_errors(
    reference: Sequences, hypothesis: Sequences, said: np.ndarray, heard: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Errors and deletions of each pair of streams, whose symbols may pair only if they overlap in time.

    Parameters
    ----------
    said, heard : ndarray of int, shape (symbols, 2)
        The times of all symbols.
    """
    costs = reference.lengths + hypothesis.lengths, reference.lengths.copy()
    order = np.argsort(reference.lengths, kind="stable")
    order = order[np.minimum(reference.lengths, hypothesis.lengths)[order] > 0]
    start = 0
    while start < len(order):
        length = int(reference.lengths[order[start]])
        widest = np.maximum.accumulate(np.maximum(reference.lengths, hypothesis.lengths)[order[start:]])
        fits = (widest * np.arange(1, len(widest) + 1) <= _CELLS) & (
            reference.lengths[order[start:]] <= length + length // 4 + 8
        )
        chosen = order[start : start + max(1, int(fits.sum()))]
        parts = _chosen(reference, chosen), _chosen(hypothesis, chosen)
        for cost, saved in zip(costs, _timed_savings(*parts, said, heard)):
            cost[chosen] -= saved
        start += len(chosen)
    return costs


def _timed_savings(
    reference: Sequences, hypothesis: Sequences, said: np.ndarray, heard: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """By how much the best alignment of each pair has fewer errors, and deletions, than one without any partners.

    saved[i, j] = max(saved[i-1, j-1] + saving of r_i and h_j, saved[i-1, j], saved[i, j-1]) is computed row by row, in
    a window of columns that only moves on: no later symbol of the reference overlaps one before it, and no earlier
    symbol one after it. There, a row has its last value throughout. A pair of different symbols saves an error, one of
    equal symbols two; each saves a deletion, which counts less than an error.
    """
    n, m = hypothesis.lengths, reference.lengths
    first, width = _windows(reference, hypothesis, said, heard)
    weight = int(m.max()) + 1
    room = int(n.max()) + width + 1
    place = np.arange(room)
    inside = place < n[:, None]
    at = (hypothesis.starts[:, None] + np.minimum(place, n[:, None] - 1)).clip(0)
    codes = hypothesis.codes[at]
    begins, ends = np.where(inside, heard[at, 0], _NEVER), np.where(inside, heard[at, 1], -_NEVER)
    table = np.zeros((len(n), room), dtype=np.int64)
    rows, top, last = room * np.arange(len(n)), np.zeros((len(n), 1), dtype=np.int64), first[:, :1] + width
    for i in range(int(m.max())):
        symbol = reference.starts + np.minimum(i, m - 1)
        here, start = rows + first[:, i], first[:, i : i + 1]
        saved = _view(table, width + 1)[here]
        np.copyto(saved, top, where=start + np.arange(width + 1) > last)
        both = (_view(ends, width)[here] > said[symbol, :1]) & (_view(begins, width)[here] < said[symbol, 1:])
        both &= (i < m)[:, None]
        same = _view(codes, width)[here] == reference.codes[symbol, None]
        np.maximum(saved[:, 1:], saved[:, :-1] + both * (weight + 1 + same * weight), out=saved[:, 1:])
        np.maximum.accumulate(saved, axis=1, out=saved)
        _view(table, width + 1)[here] = saved
        top, last = saved[:, -1:], start + width
    errors, deletions = np.divmod(top[:, 0], weight)
    return errors, deletions


def _view(rows: np.ndarray, width: int) -> np.ndarray:
    """All windows of a matrix, laid out one row after the other."""
    return as_strided(rows, (rows.size - width + 1, width), rows.strides[1:] * 2)


def _windows(
    reference: Sequences, hypothesis: Sequences, said: np.ndarray, heard: np.ndarray
) -> tuple[np.ndarray, int]:
    """The first column of each row's window, shape (pairs, longest), and the width of all windows."""
    first = np.zeros((len(reference.lengths), int(reference.lengths.max())), dtype=np.int64)
    width = 1
    for row, (r, m, h, n) in enumerate(
        zip(*(each.tolist() for side in (reference, hypothesis) for each in (side.starts, side.lengths)))
    ):
        spoken, claimed = said[r : r + m], heard[h : h + n]
        earliest = np.minimum.accumulate(spoken[::-1, 0])[::-1]
        latest = np.maximum.accumulate(spoken[:, 1])
        low = np.searchsorted(np.maximum.accumulate(claimed[:, 1]), earliest, "right")
        high = np.searchsorted(np.minimum.accumulate(claimed[::-1, 0])[::-1], latest, "left")
        first[row, :m], first[row, m:] = low, n
        width = max(width, int((high - low).max()))
    return first, width


@of_shares(lambda counts: (counts.missed_speakers, counts.meetings), rates=True)
def missed_speakers(counts: MeetingErrors) -> Number:
    """Return by how many the speakers of the reference outnumber those of the hypothesis, per meeting.

    >>> missed_speakers(MeetingErrors(1, 2, 3, 10, 2, 3, 1))
    1.5
    """
    return ratio(counts.missed_speakers, counts.meetings, "speakers of no meetings")


@of_shares(lambda counts: (counts.added_speakers, counts.meetings), rates=True)
def added_speakers(counts: MeetingErrors) -> Number:
    """Return by how many the speakers of the hypothesis outnumber those of the reference, per meeting.

    >>> added_speakers(MeetingErrors(1, 2, 3, 10, 2, 3, 1))
    0.5
    """
    return ratio(counts.added_speakers, counts.meetings, "speakers of no meetings")
