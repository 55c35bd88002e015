"""Sections on scores of classes: confusions, error trade-off, calibration, and errors by the length of segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple, Optional

import numpy as np

from ...metrics.equal_error_rate import OperatingPoints, hull_points, operating_points
from ...report.largest import Errors, GroupedErrors
from ...report.page import Html, figure, paragraph, percent, section, table
from ...report.plots import BLUE, GREY, LINE_STYLES, ORANGE, Drawing, plot
from ...scoring.scored import Scored
from ...task import Number
from ..identification import IdentificationKind
from .decisions import MOST_CLASSES, WrongClasses, confusion_counts, confusion_plot, confusions, wrong_classes

_TICKS = (0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)
_RANGE = (0.0008, 0.97)
_RATES = (0.01, 0.05, 0.1, 0.2, 0.5)
_BINS, _PER_BIN = 60, 5
"""The most bars of a distribution, and the fewest scores for each of them on average."""
_LARGEST_RATIO = 8.0
"""Largest log-likelihood ratio in the calibration plot."""
_BANDS = 5


class Curve(NamedTuple):
    """Trials of a curve: their name, the key of their EER among the scores, and the scores of both sides."""

    name: str
    key: str
    targets: np.ndarray
    nontargets: np.ndarray


def sections(
    kind: IdentificationKind, reference: Any, submission: Any, scored: Scored
) -> list[Optional[Html]]:
    """Return the sections, from the natural-log likelihoods that the view gives, shape (n, k)."""
    names, labels = kind.label_names(), kind.expected(reference)
    chosen = _chosen(kind, submission)
    unless = f", {kind.out_of_set} where none reaches its threshold" if kind.out_of_set else ""
    note = f"The class with the largest likelihood is chosen{unless}"
    curves = _curves(kind, reference, submission)
    differences = curves[-1] if len(names) == 2 else None
    return [
        confusions(names, [*names, "undecided"], labels, chosen, range(len(names)), note + "."),
        _trade_off(kind, curves, scored.scores),
        differences and _histograms(names, differences),
        _calibration(differences, scored.scores) if differences and "cllr" in scored.scores else None,
        _lengths(names, labels, chosen, kind.lengths(reference)),
    ]


def errors(kind: IdentificationKind, reference: Any, submission: Any, scored: Scored) -> Errors:
    """Return the wrong decisions in each row of the counts, and by class and length."""
    labels, row = kind.expected(reference), kind.row_numbers(reference)
    wrong = _chosen(kind, submission) != labels
    groupings = {
        "Class": (labels, kind.label_names()),
        "Length": _bands(kind.lengths(reference)),
    }
    sums = np.bincount(row, wrong), np.bincount(row).astype(float)
    parts = {
        kind: GroupedErrors(np.array(names, dtype=str)[place], wrong, np.ones(len(wrong)))
        for kind, (place, names) in groupings.items()
        if len(names)
    }
    return Errors(*sums, ("the wrong decisions", "the items"), parts=parts)


def sources(kind: IdentificationKind, reference: Any, submission: Any, scored: Scored) -> WrongClasses:
    """Return the wrong decisions by class and answer."""
    names, labels = kind.label_names(), kind.expected(reference)
    sides = labels, _chosen(kind, submission)
    return wrong_classes((names, [*names, "undecided"]), sides, labels, kind.row_numbers(reference).tolist())


def _chosen(kind: IdentificationKind, submission: Any) -> np.ndarray:
    """Return the class with the largest likelihood; the number of classes where there are several."""
    given = kind.given(submission)
    largest = given == given.max(axis=1, keepdims=True)
    return np.asarray(np.where(largest.sum(axis=1) == 1, largest.argmax(axis=1), given.shape[1]))


def plots(kind: IdentificationKind, reference: Any, submission: Any, scored: Scored) -> dict[str, Drawing]:
    """Return the plots that can be drawn, by name."""
    names, curves = kind.label_names(), _curves(kind, reference, submission)
    counts = confusion_counts(len(names), len(names) + 1, kind.expected(reference), _chosen(kind, submission))
    drawings = {"confusion": confusion_plot(names, [*names, "undecided"], counts)}
    if any(map(_both, curves)):
        drawings["det"] = _det(kind, curves, scored.scores)
    if len(names) == 2:
        drawings["reliability"] = _reliability(curves[-1])
    return drawings


def _curves(kind: IdentificationKind, reference: Any, submission: Any) -> list[Curve]:
    return [Curve(*curve) for curve in kind.curves(reference, submission)]


def _both(curve: Curve) -> bool:
    return bool(len(curve.targets) and len(curve.nontargets))


def _det(kind: IdentificationKind, curves: Sequence[Curve], scores: Mapping[str, Number]) -> Drawing:
    """Return the DET curves: miss rate against false-alarm rate, both on the scale of a normal deviate."""
    drawn = list(filter(_both, curves))
    points = [operating_points(*curve[2:]) for curve in drawn]
    on_hull = ", on the convex hull (thin line)" if kind.on_hull else ""

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.15, 0.24, 0.81, 0.73])
        edges = _deviate(np.array(_RANGE))
        axes.plot(edges, edges, color=GREY, linestyle=LINE_STYLES[2], linewidth=0.8)
        for curve, each, colour, style, symbol in zip(drawn, points, (BLUE, ORANGE), LINE_STYLES, "os"):
            pen = {"color": colour, "linestyle": style}
            axes.plot(*_thinned(each), linewidth=1.8, label=curve.name, **pen)
            axes.plot(*_edges(hull_points(*curve[2:])), linewidth=0.8, alpha=0.7, **pen)
            at = _deviate(np.array([scores[curve.key] / 100]))
            label = f"EER {scores[curve.key]:.2f} %{on_hull}"
            axes.plot(at, at, symbol, color=colour, markersize=6, label=label)
        for set_ticks, set_names in (
            (axes.set_xticks, axes.set_xticklabels),
            (axes.set_yticks, axes.set_yticklabels),
        ):
            set_ticks(_deviate(np.array(_TICKS)))
            set_names([f"{100 * tick:g}" for tick in _TICKS])
        axes.set(xlim=edges, ylim=edges, xlabel="False-alarm rate (%)", ylabel="Miss rate (%)")
        axes.grid()
        canvas.legend(loc="lower center", bbox_to_anchor=(0.53, 0.0), fontsize=9)

    return Drawing(draw, 5, 5.3)


def _trade_off(
    kind: IdentificationKind, curves: Sequence[Curve], scores: Mapping[str, Number]
) -> Optional[Html]:
    """Return the section with the DET curves and some of their points."""
    drawn = list(filter(_both, curves))
    if not drawn:
        return None
    points = [operating_points(*curve[2:]) for curve in drawn]
    eers = "; ".join(f"{curve.name}: EER {scores[curve.key]:.2f} %" for curve in drawn)
    rows = [
        [
            f"{100 * rate:g}",
            *(f"{100 * each.miss_rate[each.false_alarm_rate <= rate].min():.2f}" for each in points),
        ]
        for rate in _RATES
    ]
    header = ["Maximum false-alarm rate (%)", *(f"Miss rate (%): {curve.name}" for curve in drawn)]
    return section(
        "Detection error trade-off",
        figure("DET curve", f"DET curve. {eers}.", plot("det", *_det(kind, curves, scores))),
        table("Points on the curves", header, rows),
    )


def _deviate(rates: np.ndarray) -> np.ndarray:
    """Return the normal deviate of rates, clipped to the range of the plot, shape=(n,)."""
    return np.array([NormalDist().inv_cdf(rate) for rate in np.clip(rates, *_RANGE).tolist()])


def _thinned(points: OperatingPoints) -> list[np.ndarray]:
    """Return the points of a curve that can be distinguished on the plot, with both ends of each run that cannot."""
    rates = np.stack([points.false_alarm_rate, points.miss_rate])
    grid = np.unique(np.concatenate([np.geomspace(*_RANGE, 200), np.linspace(*_RANGE, 200)]))
    moved = (np.diff(np.searchsorted(grid, rates)) != 0).any(axis=0)
    kept = np.append(True, moved) | np.append(moved, True)
    return [_deviate(rate[kept]) for rate in rates]


def _edges(hull: OperatingPoints) -> list[np.ndarray]:
    """Return points on the hull's edges, which are curved on the scale of a normal deviate."""
    share = np.linspace(0, 1, 12)[:, np.newaxis]
    rates = (hull.false_alarm_rate, hull.miss_rate)
    return [_deviate(((1 - share) * rate[:-1] + share * rate[1:]).T.ravel()) for rate in rates]


def _histograms(names: Sequence[str], curve: Curve) -> Html:
    """Return the distribution of the scores of each side."""
    sides = dict(zip(names, curve[2:]))
    both = np.concatenate(curve[2:])
    low, high = np.percentile(both, [0.5, 99.5])
    if low == high:
        low, high = both.min(), both.max()
    quartiles: list[list[Any]] = [
        [name, len(values), *(f"{score:.4g}" for score in np.percentile(values, [5, 25, 50, 75, 95]))]
        for name, values in sides.items()
    ]

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.13, 0.27, 0.83, 0.7])
        edges = np.linspace(low, high, min(_BINS, len(both) // _PER_BIN + 1) + 1)
        for (name, values), colour, style in zip(sides.items(), (BLUE, ORANGE), LINE_STYLES):
            shares = 100 * np.histogram(np.clip(values, low, high), edges)[0] / len(values)
            axes.stairs(shares, edges, color=colour, linestyle=style, linewidth=1.8, label=name)
        axes.set(xlabel=f"Score: {curve.name}", ylabel="% of the class", ylim=(0, None))
        canvas.legend(loc="lower center", bbox_to_anchor=(0.55, -0.02), ncol=2)

    caption = "Scores of each class; the outer bars include the extreme 0.5 % on each side"
    medians = "; ".join(f"{row[0]}: median {row[4]}" for row in quartiles)
    drawable = low < high and np.isfinite(high - low)
    return section(
        "Scores by class",
        figure(caption, f"{caption}. {medians}.", plot("histograms", draw, width=5.2, height=3))
        if drawable
        else None,
        table(
            f"Quantiles: {curve.name}",
            ["Class", "Number", "5 %", "25 %", "Median", "75 %", "95 %"],
            quartiles,
        ),
    )


def _reliability(curve: Curve) -> Drawing:
    """Return a plot of scores against the log-likelihood ratios estimated from the labels."""
    hull = hull_points(*curve[2:])
    with np.errstate(divide="ignore"):
        ratios = np.log(np.diff(hull.miss_rate)) - np.log(-np.diff(hull.false_alarm_rate))
    low, high = -_LARGEST_RATIO, _LARGEST_RATIO
    edges = np.clip(np.append(hull.threshold[:-1], max(map(np.max, curve[2:]))), low, high)

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.13, 0.15, 0.83, 0.8])
        axes.plot((low, high), (low, high), color=GREY, linestyle=LINE_STYLES[2], linewidth=0.8)
        steps = np.clip(np.append(ratios, ratios[-1]), low, high)
        axes.step(edges, steps, where="post", color=BLUE, linewidth=1.8)
        axes.set(xlim=(low, high), ylim=(low, high), xlabel=f"Score: {curve.name}")
        axes.set_ylabel("Log-likelihood ratio from the labels")
        axes.grid()

    return Drawing(draw, 5, 3.8)


def _calibration(curve: Curve, scores: Mapping[str, Number]) -> Html:
    """Return the section with the plot of calibration and its cost."""
    caption = "Calibration: scores against log-likelihood ratios from the labels; the dotted line is perfect"
    words = f"Cllr {scores['cllr']:.4f}; after the best calibration, {scores['minimum_cllr']:.4f}"
    return section(
        "Calibration",
        figure(caption, f"{caption}. {words}.", plot("calibration", *_reliability(curve))),
        paragraph(
            f"{words}. Better calibration can remove the difference. A system without information has a Cllr of 1."
        ),
    )


def _lengths(
    names: Sequence[str], labels: np.ndarray, chosen: np.ndarray, lengths: Optional[np.ndarray]
) -> Optional[Html]:
    """Return right decisions by length; None if the lengths are not known, or cannot be grouped."""
    place, bands = _bands(lengths)
    if len(bands) < 2 or len(names) > MOST_CLASSES:
        return None
    rows: list[list[Any]] = []
    for band, called in enumerate(bands):
        inside = place == band
        right = inside & (chosen == labels)
        shares = [
            percent((right & of).sum(), (inside & of).sum())
            for of in (labels == n for n in range(len(names)))
        ]
        rows.append([called, int(inside.sum()), percent(right.sum(), inside.sum()), *shares])
    header = ["End minus start", "Items", "Right", *(f"{name} right" for name in names)]
    return section("By length", table("Decisions by length, in fifths of the items", header, rows))


def _bands(lengths: Optional[np.ndarray]) -> tuple[np.ndarray, list[str]]:
    """Return the band of each item by its length, and the names of the bands; none without lengths."""
    if lengths is None:
        return np.zeros(0), []
    edges = np.unique(np.quantile(lengths, np.linspace(0, 1, _BANDS + 1)))
    place = np.clip(np.searchsorted(edges, lengths, side="right") - 1, 0, max(0, len(edges) - 2))
    return place, [f"{low:g} to {high:g}" for low, high in zip(edges, edges[1:])]
