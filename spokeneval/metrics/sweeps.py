"""Turns of recordings, and each recording cut at the instants at which something starts or ends."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Turns(NamedTuple):
    """Turns in any order; they may overlap.

    Attributes
    ----------
    spans : array_like, shape (n, 2)
        Start and end in ms, 0 <= start < end.
    labels : array_like of int, shape (n,)
        The number of each turn's label, from 0. Memory grows with the largest number.
    """

    spans: Any
    labels: Any

    @classmethod
    def of_labels(cls, *spans: Any) -> Turns:
        """Return the turns of each label, from the spans of label 0, 1 and so on."""
        arrays = [np.asarray(each, dtype=np.float64).reshape(-1, 2) for each in spans]
        return cls(np.concatenate(arrays), np.repeat(np.arange(len(arrays)), list(map(len, arrays))))


class Recording(NamedTuple):
    """The input for scoring one recording.

    Attributes
    ----------
    reference, hypothesis
        The `Turns` in the reference, and those that the system found.
    regions : array_like, shape (n, 2)
        Start and end of the evaluated regions in ms, as for turns.
    excluded : array_like, shape (n, 2)
        Start and end of excluded time within the regions, likewise.
    """

    reference: tuple[Any, Any]
    hypothesis: tuple[Any, Any]
    regions: Any
    excluded: Any = ()


class Sweep(NamedTuple):
    """One recording, cut at each of n + 1 instants at which something starts or ends.

    Attributes
    ----------
    instants : ndarray, shape (n + 1,)
        The instants in ms, ascending.
    evaluated, scored : ndarray of bool, shape (n,)
        Whether the time between neighbouring instants is evaluated, and whether it is scored.
    reference, hypothesis : ndarray of bool, shape (r, n), (h, n)
        Whether each label is active there.
    """

    instants: np.ndarray
    evaluated: np.ndarray
    scored: np.ndarray
    reference: np.ndarray
    hypothesis: np.ndarray


def sweep(recording: Recording, *, labels: int = 0, collar: int = 0, skip_overlap: bool = False) -> Sweep:
    """Cut a recording where something starts or ends; see `overlaps`.

    Parameters
    ----------
    labels
        The least number of labels on each side.

    Examples
    --------
    >>> found = sweep(Recording(Turns([(0, 600)], [0]), Turns([(100, 700)], [0]), [(0, 1000)]))
    >>> found.instants.tolist(), found.hypothesis.tolist()
    ([0, 100, 600, 700, 1000], [[False, True, True, False]])
    """
    names = ("reference", "hypothesis", *Recording._fields[2:])
    spans = [
        _checked(each, name) for each, name in zip((recording[0][0], recording[1][0], *recording[2:]), names)
    ]
    sides = [_merged(each, turns[1], name) for each, turns, name in zip(spans, recording[:2], names)]
    edges = sides[0][0].reshape(-1, 1)
    collars = np.concatenate([np.maximum(edges - collar, 0), edges + collar], axis=1) if collar else edges[:0]
    collars = collars.reshape(-1, 2)
    instants = np.unique(np.concatenate([*spans, collars]))
    evaluated = _covered(spans[2], instants) & ~_covered(spans[3], instants)
    scored = evaluated & ~_covered(collars, instants)
    reference, hypothesis = (_active(*side, labels, instants) for side in sides)
    if skip_overlap:
        scored &= reference.sum(axis=0) < 2
    return Sweep(instants, evaluated, scored, reference, hypothesis)


def error_spans(swept: Sweep, pairs: tuple[np.ndarray, np.ndarray]) -> dict[str, np.ndarray]:
    """Return start and end in ms of the scored time with a miss, a false alarm and a confusion, each shape (n, 2).

    Spans are in order, and do not overlap or touch.

    Parameters
    ----------
    pairs
        As from `label_pairs`.

    Examples
    --------
    >>> swept = sweep(Recording(Turns([(0, 600)], [0]), Turns([(100, 300), (300, 700)], [0, 1]), [(0, 2000)]), labels=2)
    >>> {error: spans.tolist() for error, spans in error_spans(swept, (np.arange(2), np.arange(2))).items()}
    {'miss': [[0, 100]], 'false_alarm': [[600, 700]], 'confusion': [[300, 600]]}
    """
    spoken, claimed = swept.reference.sum(axis=0), swept.hypothesis.sum(axis=0)
    common = (swept.reference[pairs[0]] & swept.hypothesis[pairs[1]]).sum(axis=0)
    wrong = {
        "miss": spoken > claimed,
        "false_alarm": claimed > spoken,
        "confusion": np.minimum(spoken, claimed) > common,
    }
    spans = {}
    for error, times in wrong.items():
        edges = np.diff(np.concatenate([[0], times & swept.scored, [0]]))
        spans[error] = np.stack([swept.instants[edges == 1], swept.instants[edges == -1]], axis=1)
    return spans


def _checked(spans: Any, name: str) -> np.ndarray:
    """Return spans as an array, shape (n, 2), after a check that they are numbers, 0 <= start < end."""
    array = np.asarray(spans)
    if not array.size:
        return np.zeros((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iuf":
        found = f"{array.dtype} of shape {array.shape}"
        raise ValueError(f"{name}: expected numbers of shape (n, 2), not {found}")
    if not ((array[:, 0] >= 0) & (array[:, 0] < array[:, 1]) & (array[:, 1] < np.inf)).all():
        raise ValueError(f"{name}: expected 0 <= start < end in every row")
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


def _merged(spans: np.ndarray, labels: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The turns of each label, merged where they overlap or touch, and their labels in ascending order."""
    labels = np.asarray(labels)
    if labels.shape != (len(spans),) or (len(spans) and (labels.dtype.kind not in "iu" or labels.min() < 0)):
        raise ValueError(f"{name}: expected {len(spans)} label numbers of 0 or more, shape ({len(spans)},)")
    if not len(spans):
        return spans, np.zeros(0, dtype=np.int64)
    instants, place = np.unique(spans, return_inverse=True)
    place = place.reshape(-1, 2)
    order = np.lexsort((place[:, 0], labels))
    place, labels = place[order], labels[order].astype(np.int64)
    ends = np.maximum.accumulate(labels * len(instants) + place[:, 1]) - labels * len(instants)
    first = np.concatenate([[True], (labels[1:] != labels[:-1]) | (place[1:, 0] > ends[:-1])])
    last = np.concatenate([first[1:], [True]])  # `ends` are the latest so far, of the same label
    return instants[np.stack([place[first, 0], ends[last]], axis=1)], labels[first]


def _covered(spans: np.ndarray, instants: np.ndarray) -> np.ndarray:
    """Whether any of the spans covers each interval between neighbouring instants, bool, shape (len(instants) - 1,)."""
    started, ended = (np.searchsorted(np.sort(edge), instants[:-1], side="right") for edge in spans.T)
    return started > ended


def _active(spans: np.ndarray, labels: np.ndarray, least: int, instants: np.ndarray) -> np.ndarray:
    """Whether each label is active between neighbouring instants, bool, shape (n_labels, len(instants) - 1)."""
    n_labels = max(least, int(labels.max(initial=-1)) + 1)
    steps = np.zeros((n_labels, max(len(instants), 1)), dtype=np.int8)
    for place, step in ((0, 1), (1, -1)):
        steps[labels, np.searchsorted(instants, spans[:, place])] += np.int8(step)
    return np.cumsum(steps, axis=1, dtype=np.int8, out=steps)[:, :-1].view(bool)
