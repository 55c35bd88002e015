"""MERLion CCS, Task 1: the detection error trade-off, the scores of the two languages, the worst recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....formats.segment_scores import Reference, Submission
from ....metrics import language_identification as metrics
from ....task import Number
from ...scoring import Scored
from ..page import Html, figure, paragraph, section, table
from ..plots import BLUE, GREY, LINE_STYLES, ORANGE, plot

_TICKS = (0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)
_RANGE = (0.0008, 0.97)
_BINS = 60


def sections(reference: Reference, submission: Submission, scored: Scored) -> list[Html]:
    segments = reference.is_english, submission.english, submission.mandarin
    return [
        _trade_off(metrics.pooled_trials(*segments), metrics.difference_trials(*segments), scored.scores),
        _histograms(*metrics.difference_trials(*segments)),
        _recordings(reference.audio_names, scored.rows["decisions"]),
    ]


def _trade_off(pooled: Any, differences: Any, scores: Mapping[str, Number]) -> Html:
    """The DET curve: miss rate over false-alarm rate, both on the scale of a normal deviate."""
    curves = (
        ("two trials a segment, pooled", metrics.operating_points(*pooled), float(scores["eer"]), BLUE),
        (
            "one trial a segment, English minus Mandarin",
            metrics.operating_points(*differences),
            float(scores["eer_plan"]),
            ORANGE,
        ),
    )

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.15, 0.24, 0.81, 0.73])
        ticks = _deviate(np.array(_TICKS))
        edges = _deviate(np.array(_RANGE))
        axes.plot(edges, edges, color=GREY, linewidth=0.8)
        for (label, points, eer, colour), style in zip(curves, LINE_STYLES):
            x, y = _thinned(points)
            axes.plot(x, y, color=colour, linestyle=style, linewidth=1.8, label=label)
            at = _deviate(np.array([eer / 100]))
            axes.plot(at, at, "o", color=colour, markersize=6, label=f"its EER, {eer:.2f} %")
        axes.set_xticks(ticks)
        axes.set_yticks(ticks)
        names = [f"{100 * tick:g}" for tick in _TICKS]
        axes.set_xticklabels(names)
        axes.set_yticklabels(names)
        axes.set(xlim=edges, ylim=edges, xlabel="False-alarm rate (%)", ylabel="Miss rate (%)")
        axes.grid()
        canvas.legend(loc="lower center", bbox_to_anchor=(0.53, 0.0), fontsize=9)

    eers = "; ".join(f"{label}: EER {eer:.2f} %" for label, _, eer, _ in curves)
    rows = [
        [f"{100 * rate:g}", *(_missed_at(points, rate) for _, points, _, _ in curves)]
        for rate in (0.01, 0.05, 0.1, 0.2, 0.5)
    ]
    header = ["False-alarm rate at most (%)", *(f"Miss rate (%): {label}" for label, *_ in curves)]
    return section(
        "Detection error trade-off",
        figure("DET curve", f"DET curve. {eers}.", plot("det", draw, width=5, height=5.3)),
        table("Points on the curves", header, rows),
    )


def _missed_at(points: metrics.OperatingPoints, rate: float) -> str:
    return f"{100 * points.miss_rate[points.false_alarm_rate <= rate].min():.2f}"


def _deviate(rates: np.ndarray) -> np.ndarray:
    """The normal deviate of rates, cut to what the plot shows; shape=(n,)."""
    from statistics import NormalDist

    return np.array([NormalDist().inv_cdf(rate) for rate in np.clip(rates, *_RANGE).tolist()])


def _thinned(points: metrics.OperatingPoints) -> tuple[np.ndarray, np.ndarray]:
    """The curve's points that can be told apart on the plot, first and last of each that look alike."""
    rates = np.stack([points.false_alarm_rate, points.miss_rate])
    grid = np.unique(np.concatenate([np.geomspace(*_RANGE, 200), np.linspace(*_RANGE, 200)]))
    cell = np.searchsorted(grid, rates)
    moved = (np.diff(cell) != 0).any(axis=0)
    kept = np.append(True, moved) | np.append(moved, True)
    x, y = (_deviate(rate[kept]) for rate in rates)
    return x, y


def _histograms(english: np.ndarray, mandarin: np.ndarray) -> Html:
    """Scores, English minus Mandarin, of the segments of each language."""
    both = np.concatenate([english, mandarin])
    low, high = np.percentile(both, [0.5, 99.5])
    if low == high:
        low, high = both.min(), both.max()
    quartiles: list[list[Any]] = [
        [name, len(values), *(f"{score:.4g}" for score in np.percentile(values, [5, 25, 50, 75, 95]))]
        for name, values in (("English", english), ("Mandarin", mandarin))
    ]
    parts: list[Any] = [
        table(
            "Scores, English minus Mandarin",
            ["Segments of", "Number", "5 %", "25 %", "Median", "75 %", "95 %"],
            quartiles,
        )
    ]
    if low < high and np.isfinite(high - low):
        edges = np.linspace(low, high, _BINS + 1)

        def draw(canvas: Any) -> None:
            axes = canvas.add_axes([0.13, 0.27, 0.83, 0.7])
            for name, values, colour, style in (
                ("English", english, BLUE, LINE_STYLES[0]),
                ("Mandarin", mandarin, ORANGE, LINE_STYLES[1]),
            ):
                shares = 100 * np.histogram(np.clip(values, low, high), edges)[0] / len(values)
                axes.stairs(shares, edges, color=colour, linestyle=style, linewidth=1.8, label=name)
                axes.stairs(shares, edges, color=colour, alpha=0.15, fill=True)
            axes.set(
                xlabel="English minus Mandarin score", ylabel="% of a language's segments", ylim=(0, None)
            )
            canvas.legend(loc="lower center", bbox_to_anchor=(0.55, -0.02), ncol=2)

        svg = plot("histograms", draw, width=5.2, height=3)
        caption = "Scores of English and of Mandarin segments, the outermost half percent in the outer bars"
        medians = "; ".join(f"{row[0]}: median {row[4]}" for row in quartiles)
        parts.insert(0, figure(caption, f"{caption}. {medians}.", svg))
    return section("Scores by language", *parts)


def _recordings(audio_names: Sequence[str], decisions: metrics.LanguageDecisions) -> Html:
    recalls = np.stack([metrics.english_recall(decisions), metrics.mandarin_recall(decisions)])
    accuracies = np.nanmean(recalls, axis=0)
    rows = []
    for recording, audio_name in enumerate(audio_names):
        english, mandarin = int(decisions.english[recording]), int(decisions.mandarin[recording])
        right = int(decisions.english_correct[recording]), int(decisions.mandarin_correct[recording])
        wrong = english + mandarin - sum(right)
        accuracy = float(accuracies[recording])
        row: list[Any] = [
            audio_name,
            f"{100 * accuracy:.2f}",
            wrong,
            f"{right[0]} of {english}",
            f"{right[1]} of {mandarin}",
        ]
        rows.append((accuracy, -wrong, audio_name, row))
    header = [
        "Recording",
        "Balanced accuracy (%)",
        "Wrong",
        "English called English",
        "Mandarin called Mandarin",
    ]
    return section(
        "Recordings, worst first",
        table("Segments decided by the larger score", header, [row for *_, row in sorted(rows)]),
        paragraph("With one language alone, the accuracy is that language's recall.", kind="note"),
    )
