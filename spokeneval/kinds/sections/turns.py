"""Sections on turns: labels taken for each other, errors by changes of label, and the recordings, worst first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle, permutations
from typing import Any, NamedTuple, Optional

import numpy as np

from ...formats.problems import name
from ...formats.turns import RecordingTurns, Submission, TurnReference
from ...metrics import diarization as metrics
from ...metrics.counts import by_group
from ...metrics.sweeps import Sweep, error_spans, sweep
from ...report.largest import Errors, GroupedErrors
from ...report.page import Html, figure, folded, long_table, paragraph, percent, section, table
from ...report.plots import BLUE, ERROR, GREEN, GREY, ORANGE, Lane, timeline
from ...scoring.scored import Scored
from ..turns import TurnsKind

MOST_TIMELINES = 20
MOST_LANES = 6
"""Labels with a lane of their own; those with the most time are shown."""
MOST_CLASSES = 12
COLOURS = (BLUE, ORANGE, GREEN)
"""Of labels in timelines: those that count as the same have the same one."""
GROUPS = 4
"""Groups of recordings by how often the label changes."""

_NAMES = {"miss": "Miss", "false_alarm": "False alarm", "confusion": "Confusion"}


class _Compared(NamedTuple):
    """What is shown of a submission.

    Attributes
    ----------
    reference, submission: the turns.
    errors: the errors of each recording.
    regions: the evaluated regions of each recording.
    sweeps: each recording, cut where something starts or ends.
    pairs: the labels of each recording that count as the same.
    mapped: whether they are those with the most common time, whatever their names.
    classes: the names of the labels; empty if any are allowed.
    """

    reference: TurnReference
    submission: Submission
    errors: metrics.DiarizationErrors
    regions: Sequence[np.ndarray]
    sweeps: Sequence[Sweep]
    pairs: Sequence[tuple[np.ndarray, np.ndarray]]
    mapped: bool
    classes: Sequence[str]


def _compared(kind: TurnsKind, reference: TurnReference, submission: Submission, scored: Scored) -> _Compared:
    regions, sweeps, pairs = [], [], []
    for recording in kind.recordings(reference, submission):
        swept = sweep(recording, labels=len(kind.classes), **kind.excluded)
        regions.append(recording.regions)
        sweeps.append(swept)
        if kind.mapped:
            times = metrics.overlaps(recording, **kind.excluded)
            said, heard = metrics.label_pairs(times, mapped=True)
            shared = times.common[said, heard] > 0
            pairs.append((said[shared], heard[shared]))
        else:
            pairs.append((np.arange(min(len(swept.reference), len(swept.hypothesis))),) * 2)
    return _Compared(
        reference, submission, scored.rows["errors"], regions, sweeps, pairs, kind.mapped, kind.classes
    )


def sections(
    kind: TurnsKind, reference: TurnReference, submission: Submission, scored: Scored
) -> list[Optional[Html]]:
    """Return the sections of a submission."""
    found = _compared(kind, reference, submission, scored)
    return [_confusions(found), _changes(found), _recordings(found)]


def errors(kind: TurnsKind, reference: TurnReference, submission: Submission, scored: Scored) -> Errors:
    """Return the time of errors in each recording, and by the labels of the reference."""
    found = _compared(kind, reference, submission, scored)
    rows = found.errors
    wrong = np.asarray(rows.miss + rows.false_alarm + rows.confusion, dtype=float)
    sizes = np.array([np.diff(regions).sum() for regions in found.regions], dtype=float)
    called = "the time with errors", "the evaluated time"
    if not found.classes:
        return Errors(wrong, sizes, called, unit="ms")
    times = [(each.sum(axis=1), each.diagonal().copy()) for each in _times(found)]
    spoken, right = map(np.concatenate, zip(*times))
    parts = {"Label": GroupedErrors([*found.classes, "no label"] * len(times), spoken - right, spoken)}
    return Errors(wrong, sizes, called, parts=parts, unit="ms")


def sources(
    kind: TurnsKind, reference: TurnReference, submission: Submission, scored: Scored
) -> dict[str, dict[int, float]]:
    """Return the time of errors by label, or by kind of error if any labels are allowed, `what -> row -> ms`."""
    found = _compared(kind, reference, submission, scored)
    parts = {f"{called}, all of it": getattr(found.errors, error) for error, called in _NAMES.items()}
    if found.classes:
        names, none = list(map(name, found.classes)), len(found.classes)
        times = np.array([*_times(found, wrong=True)])
        parts = {
            **{f"{said} is missed": times[:, place, none] for place, said in enumerate(names)},
            **{f"{heard} is a false alarm": times[:, none, place] for place, heard in enumerate(names)},
            **{
                f"{names[a]} is taken for {names[b]}": times[:, a, b] for a, b in permutations(range(none), 2)
            },
        }
    return {what: {row: own[row] for row in np.flatnonzero(own).tolist()} for what, own in parts.items()}


def answers(
    kind: TurnsKind, reference: TurnReference, submission: Submission, rows: Sequence[int]
) -> dict[str, list[str]]:
    """Return the seconds of each error in some recordings."""
    counts = kind.count(reference, submission)["errors"]
    return {
        called: [f"{getattr(counts, error)[row] / 1000:.1f} s" for row in rows]
        for error, called in _NAMES.items()
    }


def _times(found: _Compared, *, wrong: bool = False) -> Iterator[np.ndarray]:
    """Yield the scored time with each class, or none, in a recording's reference and submission, in ms.

    With `wrong`, only classes that the other side does not have at the same time count.
    """
    k = len(found.classes)
    for swept in found.sweeps:
        said, heard = swept.reference[:k], swept.hypothesis[:k]
        if wrong:
            said, heard = said & ~heard, heard & ~said
        spoken, claimed = (np.vstack([side, ~side.any(axis=0)]) for side in (said, heard))
        yield (spoken * np.where(swept.scored, np.diff(swept.instants), 0)) @ claimed.T.astype(float)


def _confusions(found: _Compared) -> Optional[Html]:
    if not 0 < len(found.classes) <= MOST_CLASSES:
        return None
    times: np.ndarray = sum(_times(found), np.zeros(()))
    names = [*found.classes, "no label"]
    rows = [
        [name, *(f"{time / 1000:.3f}" for time in row), percent(row[place], sum(row))]
        for place, (name, row) in enumerate(zip(names, times.tolist()))
    ]
    return section(
        "Labels over time",
        table("Seconds with each label in reference and submission", ["Reference", *names, "same"], rows),
        paragraph("Time with several labels counts for each of them.", kind="note"),
    )


def _changes(found: _Compared) -> Optional[Html]:
    """Return the errors of recordings by how often the class changes; None if there are few recordings."""
    rates = np.array(
        [_changes_a_minute(*each) for each in zip(found.reference.turns, found.reference.regions)]
    )
    if not found.classes or len(rates) < 2 * GROUPS:
        return None
    place = np.argsort(np.argsort(rates, kind="stable"), kind="stable") * GROUPS // len(rates)
    groups = by_group(found.errors, place, GROUPS)
    shown = [rate(groups) for rate in (metrics.der, metrics.miss, metrics.false_alarm, metrics.confusion)]
    rows: list[list[Any]] = []
    for group in range(GROUPS):
        inside = rates[place == group]
        shares = ("none" if np.isnan(rate[group]) else f"{100 * rate[group]:.2f}" for rate in shown)
        rows.append([f"{inside.min():.1f} to {inside.max():.1f}", len(inside), *shares])
    header = ["Changes per minute", "Recordings", "DER (%)", *(f"{name} (%)" for name in _NAMES.values())]
    return section("By changes of label", table("Recordings by how often the label changes", header, rows))


def _changes_a_minute(turns: RecordingTurns, regions: np.ndarray) -> float:
    """Return the number of changes between consecutive turns of the reference, per evaluated minute."""
    labels = turns.labels[np.argsort(turns.spans[:, 0], kind="stable")]
    return float((np.diff(labels) != 0).sum() / (np.diff(regions).sum() / 60000))


def _recordings(found: _Compared) -> Html:
    rows = found.errors
    times = np.stack([rows.miss, rows.false_alarm, rows.confusion, rows.reference], axis=1) / 1000
    wrong, spoken = times[:, :3].sum(axis=1), times[:, 3]
    # Recordings without labelled time come first if they have errors, and last if not.
    rates = np.where(spoken > 0, wrong / np.where(spoken > 0, spoken, 1), np.where(wrong > 0, np.inf, 0))
    names = found.reference.files or found.reference.items.ids
    order = sorted(range(len(rates)), key=lambda row: (-rates[row], names[row]))
    shown = [f"{100 * rate:.2f}" if length else "no label" for rate, length in zip(rates, spoken)]
    worst, *others = (
        folded(f"{names[row]}: DER (%) {shown[row]}", _timeline(found, names[row], row), opened=place == 0)
        for place, row in enumerate(order[:MOST_TIMELINES])
    )
    return section(
        "Recordings, worst first",
        worst,
        folded("Timelines of further recordings", *others) if others else None,
        long_table(
            "DER, and seconds of each error and of all labels in the reference",
            ["Recording", "DER (%)", *_NAMES.values(), "Labelled"],
            [[names[row], shown[row], *(f"{time:.1f}" for time in times[row])] for row in order],
            shown=len(order),
        ),
        paragraph(
            "A recording without labels has no DER; any label in the submission is a false alarm.",
            kind="note",
        ),
        scored_outside(
            *([turns.spans.ravel() for turns in side.turns] for side in (found.reference, found.submission))
        )
        if found.reference.items.latest is None
        else None,
    )


def scored_outside(said: Sequence[Any], heard: Sequence[Any]) -> Html:
    """Return a note on the scored time outside the turns of a reference without regions, from all times in ms."""
    seconds = sum(float(np.ptp([*one, *other]) - np.ptp(one)) for one, other in zip(said, heard)) / 1000
    outside = f"{seconds:.1f} s are before the first or after the last turn of the reference."
    return paragraph(f"The reference has no regions, so all time is scored: {outside}", kind="note")


def _partners(found: _Compared, row: int) -> dict[str, str]:
    """Return the labels of the submission that are mapped in a recording, with the labels that they count as."""
    order = [*dict.fromkeys((*found.reference.names, *found.submission.names))]
    said, heard = (
        sorted({side.names[label] for label in side.turns[row].labels.tolist()}, key=order.index)
        for side in (found.reference, found.submission)
    )
    return {heard[other]: said[label] for label, other in zip(*map(np.ndarray.tolist, found.pairs[row]))}


def _timeline(found: _Compared, name: str, row: int) -> Html:
    """Return a timeline of the labels in the reference and in the submission, and of the errors.

    A label of the submission has the colour and the name of the label that it counts as; without one it is grey.
    """
    spans = error_spans(found.sweeps[row], found.pairs[row])
    colours = dict(zip(found.reference.names, cycle(COLOURS)))
    own = {label: label for label in colours}
    lanes = []
    for side, answers, same in (
        ("Reference", found.reference, own),
        ("Submission", found.submission, _partners(found, row) if found.mapped else own),
    ):
        turns = answers.turns[row]
        lengths = np.bincount(turns.labels, np.diff(turns.spans)[:, 0], len(answers.names))
        for label in sorted(np.argsort(-lengths, kind="stable")[:MOST_LANES].tolist()):
            if found.classes or lengths[label]:
                given = answers.names[label]
                called = f"{given} = {same[given]}" if same.get(given, given) != given else given
                colour = colours[same[given]] if given in same else GREY
                lanes.append(Lane(f"{side}, {called}", [(turns.spans[turns.labels == label], colour)]))
    lanes += [Lane(called, [(spans[error], ERROR)]) for error, called in _NAMES.items()]
    seconds = "; ".join(
        f"{called} {np.diff(spans[error]).sum() / 1000:.1f} s" for error, called in _NAMES.items()
    )
    return figure(
        f"{name}, in minutes and seconds; evaluated regions are shaded",
        f"Timeline of the labels and errors: {seconds}.",
        timeline(lanes, found.regions[row]),
    )
