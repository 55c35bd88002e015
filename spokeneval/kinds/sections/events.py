"""Sections on events: hits and false alarms by label, misses against false alarms, and recordings, worst first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap
from typing import Any, Optional

import numpy as np

from ...formats.events import DetectedEvents
from ...formats.turns import TurnReference
from ...metrics import event_detection as metrics
from ...report.largest import Errors
from ...report.page import Html, figure, long_table, paragraph, percent, section, table
from ...report.plots import BLUE, GREY, LINE_STYLES, Drawing, plot
from ...scoring.scored import Scored
from ..events import EventsKind, Matched

MOST_EVENTS = 200
"""Missed events and false alarms that are listed."""
_RATES = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


def sections(
    kind: EventsKind, reference: TurnReference, submission: DetectedEvents, scored: Scored
) -> list[Optional[Html]]:
    """Return the sections of a submission."""
    matched = kind.matched(reference, submission)
    curve = _curve(matched, reference)
    return [
        _by_label(kind, scored.rows["events"]),
        _trade_off(kind, curve, scored.scores["miss_rate"]),
        _recordings(kind, reference, matched, scored.rows["events"]),
    ]


def errors(kind: EventsKind, reference: TurnReference, submission: DetectedEvents, scored: Scored) -> Errors:
    """Return the missed events and false alarms of each recording."""
    hits, detections, events = _of_recordings(scored.rows["events"])
    called = "the missed events and false alarms", "the events and detections"
    return Errors(1.0 * (events + detections - 2 * hits), 1.0 * (events + detections), called)


def plots(kind: EventsKind, reference: Any, submission: Any, scored: Scored) -> dict[str, Drawing]:
    """Return the plots that can be drawn, by name."""
    curve = _curve(kind.matched(reference, submission), reference)
    return {"misses": _det(kind, curve, scored.scores["miss_rate"])}


def _of_recordings(rows: metrics.EventCounts) -> list[np.ndarray]:
    """Return the hits, detections and events of each recording at the threshold."""
    return [
        np.asarray(side).sum(axis=1) for side in (rows.hits[..., 0], rows.detections[..., 0], rows.events)
    ]


def _by_label(kind: EventsKind, rows: metrics.EventCounts) -> Html:
    sides = (rows.hits[..., 0], rows.detections[..., 0], rows.events)
    shown = [
        [
            *(label, events, found, detections - found),
            *starmap(percent, ((found, detections), (found, events), (2 * found, detections + events))),
        ]
        for label, found, detections, events in zip(
            kind.classes, *(np.asarray(side).sum(axis=0).tolist() for side in sides)
        )
    ]
    caption = f"Events and detections with a score of {kind.threshold:g} or more"
    header = ["Label", "Events", "Found", "False alarms", "Precision", "Recall", "F1"]
    return section("By label", long_table(caption, header, shown))


def _curve(matched: Sequence[Matched], reference: TurnReference) -> tuple[np.ndarray, np.ndarray]:
    """Return the false alarms an hour and the miss rate at every threshold, the highest one first."""
    scores = np.concatenate([each.detections.scores for each in matched])
    hit = np.concatenate([each.partner for each in matched]) >= 0
    order = np.argsort(-scores, kind="stable")
    kept = (
        np.append(True, np.append(scores[order][1:] != scores[order][:-1], True)) if len(scores) else [True]
    )
    events = sum(len(each.events.labels) for each in matched)
    hours = sum(int(np.diff(regions).sum()) for regions in reference.regions) / metrics.HOUR
    counted = (np.append(0, np.cumsum(side[order]))[kept] for side in (~hit, hit))
    false_alarms, hits = counted
    return false_alarms / hours, 1 - hits / events


def _det(kind: EventsKind, curve: tuple[np.ndarray, np.ndarray], miss_rate: float) -> Drawing:
    """Return the detection error trade-off: the miss rate against false alarms an hour, on a logarithmic scale."""
    rates, misses = curve
    above = rates[rates > 0]
    low = min(kind.rate, float(above.min(initial=kind.rate))) / 2
    high = max(2 * kind.rate, float(above.max(initial=kind.rate)) * 1.2)

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.13, 0.24, 0.83, 0.73])
        axes.step(
            np.append(np.maximum(rates, low), high),
            np.append(misses, misses[-1]) * 100,
            where="post",
            color=BLUE,
        )
        axes.axvline(kind.rate, color=GREY, linestyle=LINE_STYLES[2], linewidth=0.8)
        label = f"{miss_rate:.2f} % missed at {kind.rate:g} an hour"
        axes.plot([kind.rate], [miss_rate], "o", color=BLUE, label=label)
        axes.set(xscale="log", xlim=(low, high), ylim=(0, 103))
        axes.set(xlabel="False alarms an hour", ylabel="Miss rate (%)")
        ticks = [rate for rate in _RATES if low <= rate <= high]
        axes.set_xticks(ticks)
        axes.set_xticklabels([f"{rate:g}" for rate in ticks])
        axes.minorticks_off()
        axes.grid()
        canvas.legend(loc="lower center", bbox_to_anchor=(0.55, 0.0), fontsize=9)

    return Drawing(draw, 5, 3.8)


def _trade_off(kind: EventsKind, curve: tuple[np.ndarray, np.ndarray], miss_rate: float) -> Html:
    rates, misses = curve
    words = f"{miss_rate:.2f} % of the events are missed at {kind.rate:g} false alarm{'s' * (kind.rate != 1)} an hour"
    shown = [
        [f"{rate:g}", f"{100 * misses[rates <= rate].min():.2f}"] for rate in sorted({*_RATES, kind.rate})
    ]
    note = "A threshold for all labels together. A curve that ends early has no detections with lower scores."
    return section(
        "Misses and false alarms",
        figure(
            "Misses against false alarms, at every threshold",
            f"Detection error trade-off. {words}.",
            plot("misses", *_det(kind, curve, miss_rate)),
        ),
        table("Points on the curve", ["Most false alarms an hour", "Miss rate (%)"], shown),
        paragraph(note, kind="note"),
    )


def _recordings(
    kind: EventsKind, reference: TurnReference, matched: Sequence[Matched], rows: metrics.EventCounts
) -> Optional[Html]:
    """Return the recordings with errors, and their errors; None if there are none."""
    hits, detections, events = _of_recordings(rows)
    names, wrong = reference.items.ids, events + detections - 2 * hits
    order = sorted(np.flatnonzero(wrong).tolist(), key=lambda row: (-wrong[row], names[row]))
    if not order:
        return None
    listed = [
        [names[row], int(events[row] - hits[row]), int(detections[row] - hits[row]), int(events[row])]
        for row in order
    ]
    places = [[names[row], *each] for row in order for each in _wrong(kind, matched[row])]
    header = ["Recording", "Error", "Label", "Start", "End", "Score"]
    return section(
        "Recordings, worst first",
        long_table(
            "Missed events and false alarms", ["Recording", "Missed", "False alarms", "Events"], listed
        ),
        long_table("Where they are, in seconds", header, places, shown=MOST_EVENTS),
    )


def _wrong(kind: EventsKind, matched: Matched) -> list[list[Any]]:
    """Return the missed events and the false alarms of a recording, by time."""
    events, detections, partner = matched
    accepted = detections.scores >= kind.threshold
    missed = np.setdiff1d(np.arange(len(events.labels)), partner[accepted])
    false_alarms = np.flatnonzero(accepted & (partner < 0))
    found = [("missed", *events[:2], missed), ("false alarm", *detections[:2], false_alarms)]
    rows = [
        (int(spans[place, 0]), error, int(labels[place]), int(spans[place, 1]), place)
        for error, spans, labels, places in found
        for place in places.tolist()
    ]
    return [
        [
            *(error, kind.classes[label], f"{start / 1000:.3f}", f"{end / 1000:.3f}"),
            "" if error == "missed" else f"{detections.scores[place]:g}",
        ]
        for start, error, label, end, place in sorted(rows)
    ]
