"""MERLion CCS, Task 2: the confusion of languages over time, the worst recording's timeline, every recording's DER."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ....formats.language_turns import Reference, Submission, Turns
from ....metrics import language_diarization as metrics
from ...scoring import Scored
from ..page import Html, figure, paragraph, section, table
from ..plots import BLUE, ORANGE, cells, plot

_STATES = ("neither", "English", "Mandarin", "both")
_LONGEST_TIMELINE = 500
"""Turns of a recording that a timeline can show."""


def sections(reference: Reference, submission: Submission, scored: Scored) -> list[Html]:
    return [
        _confusions(metrics.confusions(scored.totals["times"])),
        _recordings(reference, submission, scored.rows["times"]),
    ]


def _confusions(times: np.ndarray) -> Html:
    """Time in each pair of states, and each as a share of its row."""
    shares = times / np.maximum(times.sum(axis=1, keepdims=True), 1e-9)

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.2, 0.16, 0.78, 0.82])
        cells(axes, shares, [[f"{100 * share:.1f}" for share in row] for row in shares], largest=1)
        axes.set_xticklabels(_STATES)
        axes.set_yticklabels(_STATES)
        axes.set(xlabel="Submission", ylabel="Reference")

    caption = "Of the time with each language in the reference, the share with each in the submission (%)"
    spoken = "; ".join(
        f"{name}: {100 * row[index]:.1f} % as it is"
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
    # Where there is no reference speech, errors come first and no error comes last.
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
    return section(
        "Recordings, worst first",
        _timeline(
            reference.audio_names[order[0]],
            reference.turns[order[0]],
            submission.turns[order[0]],
            reference.regions[order[0]],
        ),
        table("DER, and seconds of errors and of reference", header, rows),
        paragraph(
            "A recording without any reference speech has no DER; claimed speech is false alarm.", kind="note"
        ),
    )


def _timeline(name: str, reference: Turns, submission: Turns, regions: np.ndarray) -> Optional[Html]:
    """Which language is spoken when, in the reference and in the submission."""
    lanes = (
        ("Reference", "English", reference[0], BLUE),
        ("Reference", "Mandarin", reference[1], ORANGE),
        ("Submission", "English", submission[0], BLUE),
        ("Submission", "Mandarin", submission[1], ORANGE),
    )
    if sum(len(turns) for *_, turns, _ in lanes) > _LONGEST_TIMELINE:
        return None
    regions = regions / 60000

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.22, 0.24, 0.75, 0.7])
        for start, end in regions.tolist():
            axes.axvspan(start, end, color="#eef1f4", linewidth=0)
        for lane, (_, _, turns, colour) in enumerate(lanes):
            spans = np.reshape(turns, (-1, 2)) / 60000
            axes.broken_barh(
                np.stack([spans[:, 0], spans[:, 1] - spans[:, 0]], axis=1).tolist(),
                (lane + 0.15, 0.7),
                facecolor=colour,
                linewidth=0,
            )
        axes.axhline(2, color="#57606a", linewidth=0.8)
        axes.set_yticks(np.arange(4) + 0.5)
        axes.set_yticklabels([f"{side}\n{language}" for side, language, *_ in lanes], fontsize=8.5)
        axes.set(ylim=(4, 0), xlim=(regions.min(), regions.max()), xlabel="Minutes (shaded: scored)")

    caption = f"The recording with the highest DER: {name}"
    svg = plot("timeline", draw, width=6.4, height=2.4, narrowest=4.4)
    return figure(caption, "Timeline of the languages in the reference and the submission.", svg)
