"""Plots as SVG that stands inside a page, by matplotlib; none where matplotlib is not installed.

The settings are matplotlib's own defaults whatever a user has chosen, every id belongs to its plot alone, and the
same data give the same bytes.
"""

from __future__ import annotations

import io
import logging
import os
import re
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Callable, Optional

import numpy as np

from .page import Html

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#b33c00", "#007a5a", "#8b949e"
"""Told apart by the colour-blind, and dark enough on white."""

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
    "grid.color": "#d8dee4",
    "path.simplify": True,
}
_POINTS = 72
_FONTS = 'system-ui, "Segoe UI", Arial, "DejaVu Sans", sans-serif'.replace('"', "'")


def plot(
    name: str, draw: Callable[[Any], None], *, width: float, height: float, narrowest: float = 0
) -> Optional[Html]:
    """What `draw` puts on a matplotlib Figure, or None without matplotlib.

    Parameters
    ----------
    name: of letters, the plot's own on its page.
    width, height: inches, of 72 to the width; a page never shows it wider than that by half.
    narrowest: inches below which it scrolls rather than shrinks.
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
            figure.savefig(stream, format="svg", metadata={"Date": None})
    return _inline(name, stream.getvalue(), width, narrowest)


@contextmanager
def _matplotlib() -> Iterator[Any]:
    """matplotlib, without its advice and warnings, or None where it is not installed."""
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
    """A folder for what matplotlib remembers, where the user has no home."""
    if os.path.isdir(os.path.expanduser("~")) or "MPLCONFIGDIR" in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MPLCONFIGDIR"] = folder
        try:
            yield
        finally:
            del os.environ["MPLCONFIGDIR"]


def _inline(name: str, svg: str, width: float, narrowest: float) -> Html:
    """An SVG file as an element of a page: ids only where one is referred to, and then the plot's own."""
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = svg[svg.index("<svg") :].replace("xlink:href", "href")
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    svg = re.sub(r' id="([^"]*)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in used else "", svg)
    svg = re.sub(r'(href="|url\()#', rf"\1#{name}-", svg)
    box = re.search(r'viewBox="[^"]*"', svg)
    assert box is not None
    style = f"max-width: {1.5 * width:g}in; min-width: {narrowest:g}in"
    opening = f'<svg {box[0]} style="{style}" aria-hidden="true" focusable="false">'
    svg = opening + svg[svg.index(">") + 1 :]
    svg = re.sub(r"'DejaVu Sans'(, [^;\"]*)?", _FONTS, svg)
    return Html(re.sub(r"\n\s*", "\n", svg).strip())


def shade(value: float) -> tuple[str, str]:
    """The colours of a cell and of the text on it, for a value from 0 to 1."""
    low, high = np.array([255, 255, 255]), np.array([0, 84, 140])
    red, green, blue = np.rint(low + (high - low) * value).astype(int).tolist()
    return f"#{red:02x}{green:02x}{blue:02x}", "#ffffff" if value > 0.55 else "#1b1f24"


def squares(axes: Any, rows: np.ndarray, columns: np.ndarray, colours: Sequence[str]) -> None:
    """Cells of a large matrix, as one collection: each at its row and column, in its colour."""
    from matplotlib.collections import PolyCollection

    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    outlines = np.stack([columns, rows], axis=1)[:, np.newaxis] + corners
    axes.add_collection(PolyCollection(outlines, facecolors=colours, linewidths=0))


def cells(axes: Any, values: np.ndarray, words: Sequence[Sequence[str]], *, largest: float) -> None:
    """A matrix as shaded cells with words on them, the first row on top."""
    rows, columns = values.shape
    for row in range(rows):
        for column in range(columns):
            fill, ink = shade(min(1.0, values[row, column] / largest if largest else 0.0))
            axes.fill_between([column, column + 1], row, row + 1, facecolor=fill, edgecolor="#d8dee4")
            axes.text(column + 0.5, row + 0.5, words[row][column], ha="center", va="center", color=ink)
    axes.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal")
    axes.set_xticks(np.arange(columns) + 0.5)
    axes.set_yticks(np.arange(rows) + 0.5)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
