"""Plots as SVG inside a page. Most need matplotlib; the scale, timelines and stacked bars do not.

The settings are matplotlib's defaults, whatever the user's configuration is. Each id contains the name of its plot, and
the same data give the same bytes. The colours are variables of the page's style, so that they follow light and dark
mode; outside a page they are those of light mode.
"""

from __future__ import annotations

import io
import logging
import math
import os
import re
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from .page import STYLE, Html

_DRAWN = ("blue", "orange", "green", "error", "ink", "strong", "line", "region")
_LIGHT = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", STYLE.partition("}")[0]))
"""The variables of the page's style with their colours in light mode."""

BLUE, ORANGE, GREEN, ERROR, INK, STRONG, LINE, REGION = (_LIGHT[name] for name in _DRAWN)
"""Colours that colour-blind readers can distinguish, with enough contrast on white."""

PAPER, GREY = "#ffffff", "#8b949e"

_VARIABLES = {**{_LIGHT[name]: name for name in _DRAWN}, "#000000": "ink", PAPER: "page"}
"""The colours of light mode, each with the variable of `page` that replaces it."""

LINE_STYLES = ("-", (0, (5, 2)), (0, (1, 1.5)))

_SETTINGS = {
    "svg.fonttype": "none",
    "font.family": ["DejaVu Sans"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10.5,
    "legend.frameon": False,
    "axes.axisbelow": True,
    "grid.color": LINE,
    "path.simplify": True,
}
WIDEST = 1.2


class Drawing(NamedTuple):
    """What is drawn on a matplotlib Figure of a width and a height in inches."""

    draw: Callable[[Any], None]
    width: float
    height: float


_FONTS = 'system-ui, "Segoe UI", Arial, "DejaVu Sans", sans-serif'.replace('"', "'")


def plot(name: str, draw: Callable[[Any], None], width: float, height: float) -> Optional[Html]:
    """Return what `draw` puts on a matplotlib Figure, or None if matplotlib is not installed.

    Parameters
    ----------
    name: letters only; unique on the page.
    width, height: in inches; a page shows the plot at most `WIDEST` times as wide.
    """
    with _matplotlib() as matplotlib:
        if matplotlib is None:
            return None
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            matplotlib.rcParams.update({**_SETTINGS, "svg.hashsalt": name})
            figure = Figure(figsize=(width, height))
            FigureCanvasSVG(figure)
            draw(figure)
            stream = io.StringIO()
            figure.savefig(stream, format="svg", metadata={"Date": None}, transparent=True)
    return _inline(name, stream.getvalue(), width)


@contextmanager
def _matplotlib() -> Iterator[Any]:
    """Yield matplotlib with its log messages and warnings silenced, or None if it is not installed."""
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), _some_home():
            warnings.simplefilter("ignore")
            try:
                import matplotlib
            except ImportError:
                yield None
            else:
                yield matplotlib
    finally:
        logger.setLevel(level)


@contextmanager
def _some_home() -> Iterator[None]:
    """Provide a folder for matplotlib's cache if the user has no home."""
    if os.path.isdir(os.path.expanduser("~")) or "MPLCONFIGDIR" in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MPLCONFIGDIR"] = folder
        try:
            yield
        finally:
            del os.environ["MPLCONFIGDIR"]


def _inline(name: str, svg: str, width: float) -> Html:
    """Return an SVG file as an element of a page; keep only ids that are referred to, prefixed with the plot's name."""
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = svg[svg.index("<svg") :].replace("xlink:href", "href")
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    svg = re.sub(r' id="([^"]*)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in used else "", svg)
    svg = re.sub(r'(href="|url\()#', rf"\1#{name}-", svg)
    box = re.search(r'viewBox="[^"]*"', svg)
    assert box is not None
    style = f"max-width: {WIDEST * width:g}in"
    opening = f'<svg {box[0]} style="{style}" aria-hidden="true" focusable="false">'
    svg = opening + svg[svg.index(">") + 1 :]
    svg = re.sub(r"'DejaVu Sans'(, [^;\"]*)?", _FONTS, svg)
    svg = re.sub(
        r"(fill|stroke): (#[0-9a-f]{6})", lambda found: f"{found[1]}: {_paint(found[2])}", _painted(svg)
    )
    return Html(re.sub(r"\n\s*", "\n", svg).strip())


def _paint(colour: str) -> str:
    """Return a colour as a style has it: a variable of the page if there is one."""
    return f"var(--{_VARIABLES[colour]}, {colour})" if colour in _VARIABLES else colour


_LONGER = 4


class Mark(NamedTuple):
    """A score on a scale, with its interval if it has one."""

    label: str
    value: float
    shown: str
    interval: Optional[tuple[float, float]] = None
    colour: str = GREY


def scale(marks: Sequence[Mark]) -> Html:
    """Return scores on one axis, each in a line with its name and number; drawn without matplotlib.

    The first mark is the score that the plot is about, and is always on the axis.

    Names and numbers are text of the page, and lengths are in percent, so that everything can be read on a phone.
    """
    low, high = _ends(marks)
    margin = 0.06 * (high - low) or 0.5
    low, high = low - margin, high + margin

    def place(number: float) -> str:
        return f"{100 * (min(max(number, low), high) - low) / (high - low):.2f}%"

    ticks = [tick for tick in _ticks(low, high) if 0.03 < (tick - low) / (high - low) < 0.97]
    grid = "".join(f'<line x1="{x}" x2="{x}" y2="28" stroke="{LINE}"/>' for x in map(place, ticks))
    parts = []
    for mark in marks:
        drawn = grid
        if mark.interval is not None:
            start, end = map(place, mark.interval)
            drawn += (
                f'<line x1="{start}" x2="{end}" y1="14" y2="14" stroke="{mark.colour}" stroke-width="4"/>'
            )
        x = place(mark.value)
        if low <= mark.value <= high:
            drawn += f'<circle cx="{x}" cy="14" r="6" fill="{mark.colour}"/>'
        else:  # beyond an end, to which the arrow points
            arrow = f'<path d="M0 14l{11 if mark.value < low else -11} -7v14z" fill="{mark.colour}"/>'
            drawn += f'<svg x="{x}" overflow="visible">{arrow}</svg>'
        parts.append(f"<span>{escape(mark.label)}</span><b>{escape(mark.shown)}</b>{_track(drawn)}")
    labels = "".join(
        f'<text x="{place(tick)}" y="14" text-anchor="middle" font-size="12">{tick:g}</text>'
        for tick in ticks
    )
    parts.append(f"<span></span><b></b>{_track(labels)}")
    return Html('<div class="scale">\n' + "\n".join(parts) + "\n</div>")


def _ends(marks: Sequence[Mark]) -> tuple[float, float]:
    """Return the ends of an axis; marks but the first are beyond one if without them it is `_LONGER` times shorter."""
    extents = [(mark.value, *(mark.interval or ())) for mark in marks]
    spans = [(min(extent), max(extent)) for extent in extents]
    low, high = min(start for start, _ in spans), max(end for _, end in spans)
    for _ in range(len(spans) // 4):
        middle = float(np.median([mark.value for mark in marks]))
        del spans[max(range(1, len(spans)), key=lambda n: max(middle - spans[n][0], spans[n][1] - middle))]
        inner = min(start for start, _ in spans), max(end for _, end in spans)
        if 0 < _LONGER * (inner[1] - inner[0]) < high - low:
            low, high = inner
    return low, high


def _track(drawn: str) -> str:
    return f'<svg height="28" aria-hidden="true" focusable="false">{_painted(drawn)}</svg>'


class Lane(NamedTuple):
    """A lane of a timeline: its name, and spans in ms, shape=(n, 2), with their colour."""

    label: str
    spans: Sequence[tuple[np.ndarray, str]]


def timeline(lanes: Sequence[Lane], regions: np.ndarray) -> Html:
    """Return lanes over time, with a recording's regions, shape=(n, 2) in ms, shaded; drawn without matplotlib.

    Spans end at whole units of the picture and are at least one unit wide, so that a lane takes at most 1.6 kB for any
    number of spans.
    """
    left, length, high = 190, 710, 20
    start, end = float(regions.min()), float(regions.max())
    scale = length / (end - start)
    bottom = (high + 6) * len(lanes) + 4

    def line(spans: np.ndarray, middle: int, width: int, colour: str) -> str:
        dashes = _dashes(scale * (np.clip(np.reshape(spans, (-1, 2)), start, end) - start), length)
        pen = f'stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dashes}"'
        return f'<path d="M{left} {middle}h{length}" {pen}/>' if dashes else ""

    parts = [line(regions, bottom // 2, bottom, REGION)]
    for row, lane in enumerate(lanes):
        middle = (high + 6) * row + 4 + high // 2
        parts.append(f'<text x="{left - 10}" y="{middle + 5}" text-anchor="end">{escape(lane.label)}</text>')
        parts += [line(spans, middle, high, colour) for spans, colour in lane.spans]
    for tick in _clock_ticks(start / 1000, end / 1000):
        x = f"{left + scale * (1000 * tick - start):.1f}"
        clock = f"{tick // 60:.0f}:{tick % 60:02.0f}"
        parts.append(f'<path d="M{x} {bottom}v5" stroke="{STRONG}"/>')
        parts.append(f'<text x="{x}" y="{bottom + 20}" text-anchor="middle">{clock}</text>')
    return drawing(920, bottom + 28, "max-width: 56rem; min-width: 40rem", 13, parts)


def _dashes(spans: np.ndarray, length: int) -> str:
    """Return alternating lengths of dashes and gaps that draw spans, shape=(n, 2), on a line; empty without spans."""
    first = np.minimum(np.rint(spans[:, 0]), length - 1).astype(int)
    last = np.maximum(np.rint(spans[:, 1]).astype(int), first + 1)
    depth = np.zeros(length + 1, dtype=int)
    np.add.at(depth, first, 1)
    np.add.at(depth, last, -1)
    edges = np.flatnonzero(np.diff(np.append(0, np.cumsum(depth)) > 0))
    return " ".join(map(str, [0, *np.diff(np.append(0, edges)).tolist(), length])) if len(edges) else ""


def drawing(width: int, height: int, style: str, size: int, parts: Sequence[str]) -> Html:
    """Return an SVG element with the parts of a picture."""
    return Html(
        f'<svg viewBox="0 0 {width} {height}" style="{style}" font-size="{size}" '
        f'font-family="{_FONTS}" aria-hidden="true" focusable="false">\n'
        + _painted("\n".join(filter(None, parts)))
        + "\n</svg>"
    )


def _painted(drawn: str) -> str:
    """Return drawn elements with their colours as styles."""
    return re.sub(
        r'(fill|stroke)="(#[0-9a-f]{6})"', lambda found: f'style="{found[1]}: {_paint(found[2])}"', drawn
    )


def _clock_ticks(start: float, end: float) -> list[float]:
    """Return round times in seconds, at most ten."""
    steps = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 3600)
    step = next((step for step in steps if (end - start) / step <= 10), steps[-1])
    return [float(step * place) for place in range(math.ceil(start / step), math.floor(end / step) + 1)]


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers from low to high."""
    power = 10.0 ** math.floor(math.log10((high - low) / 4))
    step = next(factor * power for factor in (1, 2, 5, 10) if (high - low) / (factor * power) <= 6)
    first = math.ceil(low / step)
    return [float(f"{step * place:.10g}") for place in range(first, math.floor(high / step) + 1)]


def mean_difference(axes: Any, means: np.ndarray, differences: np.ndarray) -> tuple[float, float, float]:
    """Plot differences against means (Bland and Altman 1986); larger points show more items.

    Returns the mean difference and the limits of agreement, 1.96 standard deviations below and above it.
    """
    bias, spread = float(differences.mean()), float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    points, counts = np.unique(np.stack([means, differences]).round(2), axis=1, return_counts=True)
    axes.scatter(points[0], points[1], s=8 + 14 * np.log2(counts), color=BLUE, alpha=0.5, linewidths=0)
    ends = bias, bias - 1.96 * spread, bias + 1.96 * spread
    for end, style in zip(ends, ("-", "--", "--")):
        axes.axhline(end, color=ORANGE, linestyle=style, linewidth=1.2)
        axes.annotate(
            f"{end:+.2f}",
            (1, end),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
        )
    axes.axhline(0, color=STRONG, linewidth=0.6)
    return ends
