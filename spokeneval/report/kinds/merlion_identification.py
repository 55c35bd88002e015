"""MERLIon CCS, Task 1: detection error trade-off, calibration, errors by length, and recordings, worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...formats.segment_scores import Reference, Submission
from ...metrics import language_identification as identification
from ...metrics.equal_error_rate import OperatingPoints, hull_points, operating_points, rocch_eer
from ...run.scoring import Scored
from ...task import Number, View
from ..largest import Errors, Group
from ..page import Html, figure, long_table, paragraph, section, table
from ..plots import BLUE, GREY, LINE_STYLES, ORANGE, plot

_TICKS = (0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)
_RANGE = (0.0008, 0.97)
_BINS = 60
_LARGEST_RATIO = 8.0
"""Largest log-likelihood ratio in the calibration plot."""

_GROUPS = 5


def sections(view: View, reference: Reference, submission: Submission, scored: Scored) -> list[Html]:
    segments = reference.is_english, submission.english, submission.mandarin
    differences = identification.difference_trials(*segments)
    parts = [
        _trade_off(identification.pooled_trials(*segments), differences, scored.scores),
        _histograms(*differences),
        _calibration(*differences, scored.scores),
        _lengths(reference, submission),
        _recordings(reference.audio_names, scored.rows["decisions"]),
    ]
    return [part for part in parts if part is not None]


def errors(view: View, reference: Reference, submission: Submission, scored: Scored) -> Errors:
    """Return the wrong decisions by the larger score in each recording, and by language and length."""
    decisions = scored.rows["decisions"]
    sizes = {"English": decisions.english, "Mandarin": decisions.mandarin}
    right = {"English": decisions.english_correct, "Mandarin": decisions.mandarin_correct}
    wrong = {name: np.asarray(size - right[name], dtype=float) for name, size in sizes.items()}
    groups = [Group("Language", name, each.sum(), sizes[name].sum()) for name, each in wrong.items()]
    place, names = _bands(reference)
    for band, name in enumerate(names):
        inside = place == band
        found = identification.count_decisions(
            reference.is_english[inside], submission.english[inside], submission.mandarin[inside]
        )
        correct = found.english_correct + found.mandarin_correct
        groups.append(Group("Length in seconds", name, inside.sum() - correct, inside.sum()))
    return Errors(
        sum(wrong.values()),  # type: ignore[arg-type]
        np.asarray(sum(sizes.values()), dtype=float),
        ("the wrong decisions", "the segments"),
        groups=groups,
    )


def _trade_off(pooled: Any, differences: Any, scores: Mapping[str, Number]) -> Html:
    """Return the DET curve: miss rate against false-alarm rate, both on the scale of a normal deviate."""
    curves = (
        (
            "two trials per segment, pooled",
            operating_points(*pooled),
            hull_points(*pooled),
            float(scores["eer"]),
            BLUE,
        ),
        (
            "one trial per segment, English minus Mandarin",
            operating_points(*differences),
            hull_points(*differences),
            float(scores["eer_plan"]),
            ORANGE,
        ),
    )

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.15, 0.24, 0.81, 0.73])
        ticks = _deviate(np.array(_TICKS))
        edges = _deviate(np.array(_RANGE))
        axes.plot(edges, edges, color=GREY, linestyle=LINE_STYLES[2], linewidth=0.8)
        for (label, points, hull, eer, colour), style, symbol in zip(curves, LINE_STYLES, "os"):
            x, y = _thinned(points)
            axes.plot(x, y, color=colour, linestyle=style, linewidth=1.8, label=label)
            axes.plot(*_edges(hull), color=colour, linestyle=style, linewidth=0.8, alpha=0.7)
            at = _deviate(np.array([eer / 100]))
            axes.plot(
                at,
                at,
                symbol,
                color=colour,
                markersize=6,
                label=f"EER {eer:.2f} %, on the convex hull (thin line)",
            )
        axes.set_xticks(ticks)
        axes.set_yticks(ticks)
        names = [f"{100 * tick:g}" for tick in _TICKS]
        axes.set_xticklabels(names)
        axes.set_yticklabels(names)
        axes.set(xlim=edges, ylim=edges, xlabel="False-alarm rate (%)", ylabel="Miss rate (%)")
        axes.grid()
        canvas.legend(loc="lower center", bbox_to_anchor=(0.53, 0.0), fontsize=9)

    eers = "; ".join(f"{label}: EER {eer:.2f} %" for label, _, _, eer, _ in curves)
    rows = [
        [f"{100 * rate:g}", *(_missed_at(points, rate) for _, points, _, _, _ in curves)]
        for rate in (0.01, 0.05, 0.1, 0.2, 0.5)
    ]
    header = ["Maximum false-alarm rate (%)", *(f"Miss rate (%): {label}" for label, *_ in curves)]
    return section(
        "Detection error trade-off",
        figure("DET curve", f"DET curve. {eers}.", plot("det", draw, width=5, height=5.3)),
        table("Points on the curves", header, rows),
    )


def _missed_at(points: OperatingPoints, rate: float) -> str:
    return f"{100 * points.miss_rate[points.false_alarm_rate <= rate].min():.2f}"


def _deviate(rates: np.ndarray) -> np.ndarray:
    """Return the normal deviate of rates, clipped to the range of the plot, shape=(n,)."""
    from statistics import NormalDist

    return np.array([NormalDist().inv_cdf(rate) for rate in np.clip(rates, *_RANGE).tolist()])


def _thinned(points: OperatingPoints) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of a curve that can be distinguished on the plot, with both ends of each run that cannot."""
    rates = np.stack([points.false_alarm_rate, points.miss_rate])
    grid = np.unique(np.concatenate([np.geomspace(*_RANGE, 200), np.linspace(*_RANGE, 200)]))
    cell = np.searchsorted(grid, rates)
    moved = (np.diff(cell) != 0).any(axis=0)
    kept = np.append(True, moved) | np.append(moved, True)
    x, y = (_deviate(rate[kept]) for rate in rates)
    return x, y


def _edges(hull: OperatingPoints) -> tuple[np.ndarray, np.ndarray]:
    """Return points on the hull's edges, which are curved on the scale of a normal deviate."""
    share = np.linspace(0, 1, 12)[:, np.newaxis]
    x, y = (
        _deviate(((1 - share) * rate[:-1] + share * rate[1:]).T.ravel())
        for rate in (hull.false_alarm_rate, hull.miss_rate)
    )
    return x, y


def _calibration(english: np.ndarray, mandarin: np.ndarray, scores: Mapping[str, Number]) -> Html:
    """Return a plot of scores against the log-likelihood ratios estimated from the labels."""
    hull = hull_points(english, mandarin)
    in_blocks = np.diff(hull.miss_rate), -np.diff(hull.false_alarm_rate)
    with np.errstate(divide="ignore"):
        ratios = np.log(in_blocks[0]) - np.log(in_blocks[1])
    low, high = -_LARGEST_RATIO, _LARGEST_RATIO
    highest = max(english.max(), mandarin.max())
    edges = np.clip(np.append(hull.threshold[:-1], highest), low, high)

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.13, 0.15, 0.83, 0.8])
        axes.plot((low, high), (low, high), color=GREY, linestyle=LINE_STYLES[2], linewidth=0.8)
        axes.step(
            edges, np.clip(np.append(ratios, ratios[-1]), low, high), where="post", color=BLUE, linewidth=1.8
        )
        axes.set(xlim=(low, high), ylim=(low, high), xlabel="English minus Mandarin score")
        axes.set_ylabel("Log-likelihood ratio from the labels")
        axes.grid()

    caption = "Calibration: score differences against log-likelihood ratios from the labels; the dotted line is perfect"
    words = f"Cllr {scores['cllr']:.4f}; after the best calibration, {scores['minimum_cllr']:.4f}"
    return section(
        "Calibration",
        figure(caption, f"{caption}. {words}.", plot("calibration", draw, width=5, height=3.8)),
        paragraph(
            f"{words}. Better calibration can remove the difference. A system without information has a Cllr of 1."
        ),
    )


def _lengths(reference: Reference, submission: Submission) -> Html | None:
    """Return errors by length of segment; None if the lengths cannot be grouped."""
    place, names = _bands(reference)
    if len(names) < 2:
        return None
    rows: list[list[Any]] = []
    for group, name in enumerate(names):
        inside = place == group
        segments = reference.is_english[inside], submission.english[inside], submission.mandarin[inside]
        decisions = identification.count_decisions(*segments)
        both = bool(decisions.english and decisions.mandarin)
        plan = rocch_eer(*identification.difference_trials(*segments)) if both else None
        found = (
            rocch_eer(*identification.pooled_trials(*segments)),
            plan,
            identification.english_recall(decisions) if decisions.english else None,
            identification.mandarin_recall(decisions) if decisions.mandarin else None,
        )
        rows.append(
            [
                name,
                int(inside.sum()),
                *("none" if rate is None else f"{100 * rate:.2f}" for rate in found),
            ]
        )
    header = [
        "Seconds",
        "Segments",
        "EER (%)",
        "EER of the plan (%)",
        "English recall (%)",
        "Mandarin recall (%)",
    ]
    return section("By length of segment", table("Errors by length, in fifths of the segments", header, rows))


def _bands(reference: Reference) -> tuple[np.ndarray, list[str]]:
    """Return the band of each segment by its length, and the bands in seconds."""
    lengths = np.array([_length(item) for item in reference.items.ids])
    edges = np.unique(np.quantile(lengths, np.linspace(0, 1, _GROUPS + 1)))
    place = np.clip(np.searchsorted(edges, lengths, side="right") - 1, 0, max(0, len(edges) - 2))
    return place, [f"{low / 1000:.2f} to {high / 1000:.2f}" for low, high in zip(edges, edges[1:])]


def _length(item: str) -> float:
    """Return the length of a segment in ms, from its id."""
    *_, start, end = item.rsplit("_", 2)
    return float(end) - float(start)


def _histograms(english: np.ndarray, mandarin: np.ndarray) -> Html:
    """Return the distribution of English minus Mandarin scores for the segments of each language."""
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
            axes.set(
                xlabel="English minus Mandarin score", ylabel="% of a language's segments", ylim=(0, None)
            )
            canvas.legend(loc="lower center", bbox_to_anchor=(0.55, -0.02), ncol=2)

        svg = plot("histograms", draw, width=5.2, height=3)
        caption = (
            "Scores of English and Mandarin segments; the outer bars include the extreme 0.5 % on each side"
        )
        medians = "; ".join(f"{row[0]}: median {row[4]}" for row in quartiles)
        parts.insert(0, figure(caption, f"{caption}. {medians}.", svg))
    return section("Scores by language", *parts)


def _recordings(audio_names: Sequence[str], decisions: identification.LanguageDecisions) -> Html:
    recalls = np.stack([identification.english_recall(decisions), identification.mandarin_recall(decisions)])
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
        long_table("Decisions by the larger score", header, [row for *_, row in sorted(rows)]),
        paragraph(
            "For a recording with only one language, balanced accuracy is the recall of that language.",
            kind="note",
        ),
    )
