"""MERLIon CCS, Task 2: confusions of languages, DER and timeline of every recording, DER by language switches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...formats.language_turns import Reference, Submission, Turns
from ...formats.problems import count_of
from ...metrics import language_diarization as metrics
from ...metrics.counts import by_group
from ...run.scoring import Scored
from ...task import View
from ..largest import Errors, Group
from ..page import Html, figure, folded, long_table, paragraph, section, table
from ..plots import BLUE, ERROR, GREEN, ORANGE, WRONG, Lane, Part, cells, plot, stacked_bars, timeline

_STATES = ("neither", "English", "Mandarin", "both")
_BARS = 20
"""Number of recordings with a bar that is not folded."""

_GROUPS = 4
"""Number of groups of recordings by how often the language changes."""

_PARTS = (
    (Part("Miss", BLUE, ""), "miss"),
    (Part("False alarm", GREEN, "M0 3H6"), "false_alarm"),
    (Part("Language error", WRONG, "M0 6L6 0"), "language_error"),
)


def sections(view: View, reference: Reference, submission: Submission, scored: Scored) -> list[Html]:
    parts = [
        _confusions(metrics.confusions(scored.totals["times"])),
        _switches(reference, scored.rows["times"]),
        _recordings(reference, submission, scored.rows["times"]),
    ]
    return [part for part in parts if part is not None]


def errors(view: View, reference: Reference, submission: Submission, scored: Scored) -> Errors:
    """Return the time of errors in each recording, and by the languages spoken."""
    times = scored.rows["times"]
    wrong = metrics.miss_time(times) + metrics.false_alarm_time(times) + metrics.language_error_time(times)
    spoken = metrics.confusions(scored.totals["times"])
    groups = [
        Group("Spoken", name, row.sum() - row[state], row.sum())
        for state, (name, row) in enumerate(zip(_STATES, spoken))
    ]
    sizes = np.array([np.diff(regions).sum() for regions in reference.regions])
    return Errors(np.asarray(wrong), sizes, ("the time with errors", "the scored time"), groups=groups)


def _confusions(times: np.ndarray) -> Html:
    """Return the time in each pair of states, also as a share of its row."""
    shares = times / np.maximum(times.sum(axis=1, keepdims=True), 1e-9)

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.22, 0.16, 0.76, 0.82])
        cells(axes, shares, [[f"{100 * share:.1f}" for share in row] for row in shares], largest=1)
        axes.set_xticklabels(_STATES)
        axes.set_yticklabels(_STATES)
        axes.set(xlabel="Submission", ylabel="Reference")

    caption = (
        "For each language in the reference, the share of its time with each language in the submission (%)"
    )
    spoken = "; ".join(
        f"{name}: {100 * row[index]:.1f} % correct"
        for index, (name, row) in enumerate(zip(_STATES, shares))
        if times[index].sum()
    )
    rows = [
        [name, *(f"{time / 1000:.3f}" for time in row), f"{row.sum() / 1000:.3f}"]
        for name, row in zip(_STATES, times)
    ]
    return section(
        "Confusion of languages over time",
        figure(caption, f"{caption}. {spoken}.", plot("confusion", draw, width=4.4, height=4.1)),
        table("Seconds of scored time", ["Reference", *_STATES, "all"], rows),
    )


def _recordings(reference: Reference, submission: Submission, times: metrics.LanguageTimes) -> Html:
    rates = metrics.der(times)
    parts = np.stack(
        [
            metrics.miss_time(times),
            metrics.false_alarm_time(times),
            metrics.language_error_time(times),
            metrics.english_time(times),
            metrics.mandarin_time(times),
        ],
        axis=1,
    )
    # Recordings without reference speech come first if they have errors, and last if not.
    by_rate = np.where(np.isnan(rates), np.where(parts[:, :3].any(axis=1), np.inf, 0), rates)
    order = sorted(range(len(rates)), key=lambda row: (-by_rate[row], reference.items.ids[row]))
    rows = [
        [
            reference.audio_names[row],
            "no speech" if np.isnan(rates[row]) else f"{100 * rates[row]:.2f}",
            *(f"{time / 1000:.1f}" for time in parts[row].tolist()),
        ]
        for row in order
    ]
    header = ["Recording", "DER (%)", "Miss", "False alarm", "Language error", "English", "Mandarin"]
    worst, *timelines = [
        folded(
            f"{name}: {rate if np.isnan(rates[row]) else f'DER {rate} %'}",
            _timeline(reference, submission, row),
            opened=place == 0,
        )
        for place, (row, (name, rate, *_)) in enumerate(zip(order, rows))
    ]
    bars = [
        (name, parts[row, :3], parts[row, 3:])
        for row, name in zip(order, _short_names([row[0] for row in rows]))
    ]
    return section(
        "Recordings, worst first",
        _bars(bars[:_BARS], "bars", "each recording"),
        worst,
        folded(f"Timelines of the other {count_of(len(timelines), 'recording')}", *timelines)
        if timelines
        else None,
        folded(
            f"Bars of the other {count_of(len(bars) - _BARS, 'recording')}",
            _bars(bars[_BARS:], "others", "the other recordings"),
        )
        if len(bars) > _BARS
        else None,
        long_table(
            "DER, and seconds of each error and of each language in the reference",
            header,
            rows,
            shown=len(rows),
        ),
        paragraph(
            "A recording without reference speech has no DER; any speech in the submission is false alarm.",
            kind="note",
        ),
    )


def _bars(recordings: Sequence[tuple[str, np.ndarray, np.ndarray]], called: str, which: str) -> Html:
    """Return bars with the parts of each recording's DER, from its name, its errors and the time of each language."""
    names, errors, spoken = (list(values) for values in zip(*recordings))
    speech = np.sum(spoken, axis=1, keepdims=True)
    shares = np.where(speech > 0, 100 * np.array(errors) / np.maximum(speech, 1e-9), 0)
    bars = stacked_bars(called, names, shares, [part for part, _ in _PARTS], "DER (%), by its parts")
    caption = f"Parts of the DER of {which}"
    return figure(caption, f"{caption}; the table below has the same numbers.", bars)


def _short_names(names: Sequence[str]) -> list[str]:
    """Shorten names to different ones that fit the axis: remove their common beginning and end, then the middle."""
    start, end = _shared(names), _shared([name[::-1] for name in names])
    short = [name[start : len(name) - end] if start + end < len(name) else name for name in names]
    fitted = [name if len(name) <= 24 else f"{name[:11]}…{name[-12:]}" for name in short]
    if len(set(fitted)) == len(fitted):
        return fitted
    return [f"{place}: {name[:8]}…{name[-8:]}" for place, name in enumerate(short, 1)]


def _shared(names: Sequence[str]) -> int:
    """Return the length of the names' common beginning."""
    differ = (place for place, letters in enumerate(zip(*names)) if len(set(letters)) > 1)
    return next(differ, min(map(len, names)))


def _timeline(reference: Reference, submission: Submission, row: int) -> Html:
    """Return a timeline of the languages in the reference and in the submission, and of the errors."""
    recording = metrics.Recording(
        metrics.Turns(*reference.turns[row]),
        metrics.Turns(*submission.turns[row]),
        reference.regions[row],
        reference.excluded[row],
    )
    spans = metrics.error_spans(recording)
    lanes = [
        Lane(f"{side}, {language}", [(turns, colour)])
        for side, spoken in (("Reference", recording.reference), ("Submission", recording.hypothesis))
        for language, turns, colour in zip(_STATES[1:3], spoken, (BLUE, ORANGE))
    ]
    lanes += [Lane(part.label, [(spans[error], ERROR)]) for part, error in _PARTS]
    svg = timeline(lanes, reference.regions[row])
    seconds = "; ".join(f"{part.label} {np.diff(spans[error]).sum() / 1000:.1f} s" for part, error in _PARTS)
    return figure(
        f"{reference.audio_names[row]}, in minutes and seconds; scored regions are shaded",
        f"Timeline of the languages and errors: {seconds}.",
        svg,
    )


def _switches(reference: Reference, times: metrics.LanguageTimes) -> Html | None:
    """Return the DER of recordings by how often the language changes; None if there are few recordings."""
    rates = np.array(
        [_switches_a_minute(turns, regions) for turns, regions in zip(reference.turns, reference.regions)]
    )
    if len(rates) < 2 * _GROUPS:
        return None
    place = np.argsort(np.argsort(rates, kind="stable"), kind="stable") * _GROUPS // len(rates)
    groups = by_group(times, place, _GROUPS)
    shown = (metrics.der, metrics.miss, metrics.false_alarm, metrics.language_error)
    rows: list[list[Any]] = []
    for group in range(_GROUPS):
        inside = rates[place == group]
        found = [rate(groups)[group] for rate in shown]
        rows.append(
            [
                f"{inside.min():.1f} to {inside.max():.1f}",
                len(inside),
                *("none" if np.isnan(rate) else f"{100 * rate:.2f}" for rate in found),
            ]
        )
    header = [
        "Switches per minute",
        "Recordings",
        "DER (%)",
        "Miss (%)",
        "False alarm (%)",
        "Language error (%)",
    ]
    return section(
        "By language switches", table("Recordings by how often the language changes", header, rows)
    )


def _switches_a_minute(turns: Turns, regions: np.ndarray) -> float:
    """Return the number of language changes between consecutive reference turns, per evaluated minute."""
    starts = np.concatenate([np.reshape(spoken, (-1, 2))[:, 0] for spoken in turns])
    language = np.repeat([0, 1], [len(spoken) for spoken in turns])[np.argsort(starts, kind="stable")]
    return float((np.diff(language) != 0).sum() / (np.diff(regions).sum() / 60000))
