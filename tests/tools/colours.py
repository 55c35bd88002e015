"""Which marks of a page's plots look alike without colours, or to readers with a colour vision deficiency.

Deficiencies are simulated with the matrices for severity 1.0 of Machado, Oliveira and Fernandes, A physiologically-
based model for simulation of color vision deficiency (IEEE Transactions on Visualization and Computer Graphics 15,
2009), on linear RGB; differences are distances in CIELAB (1976, white point D65).
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from spokeneval.report import page

MACHADO = {
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
)
VISIONS = ("full", *MACHADO, "greyscale")

LEAST = 15.0
"""Distance in CIELAB of two colours that a reader must distinguish; a just noticeable difference is 2.3."""
LEAST_BEHIND = 5.0
"""The same for a large area behind the marks, and the page."""

FURNITURE = {"ink", "page", "line", "strong"}
"""Variables of axes, grids and text, which carry no difference."""


class Mark(NamedTuple):
    """The colour of a mark, a variable of the page or a hexadecimal number, and everything else that identifies it."""

    colour: str
    shape: tuple[str, ...]


def schemes() -> dict[str, dict[str, str]]:
    """Return the page's colours in light and in dark mode."""
    light, dark = re.findall(r":root \{(.*?)\}", page.STYLE, flags=re.DOTALL)
    found = [dict(re.findall(r"--(\w+): (#[0-9a-f]+)", text)) for text in (light, dark)]
    return {"light": found[0], "dark": {**found[0], **found[1]}}


def linear(colour: str) -> np.ndarray:
    """Return linear RGB, from 0 to 1, of a colour such as `#0072b2` or `#fff` (IEC 61966-2-1)."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    value = np.array([int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)])
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def seen(colour: str, vision: str) -> np.ndarray:
    """Return linear RGB of a colour as it looks to a vision."""
    value = linear(colour)
    if vision == "greyscale":
        return np.full(3, value @ _XYZ[1])
    return np.clip(np.array(MACHADO[vision]) @ value, 0, 1) if vision in MACHADO else value


def lab(value: np.ndarray) -> np.ndarray:
    """Return CIELAB of linear RGB."""
    share = _XYZ @ value / _XYZ.sum(axis=1)
    x, y, z = np.where(share > (6 / 29) ** 3, np.cbrt(share), share * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(first: str, second: str, vision: str) -> float:
    return float(np.linalg.norm(lab(seen(first, vision)) - lab(seen(second, vision))))


def alike(markup: str) -> list[str]:
    """Return the pairs of marks of each plot that differ in nothing but colours that look alike, one line each."""
    found: dict[str, None] = {}
    for svg in re.findall(r"<svg(?:<svg.*?</svg>|(?!</svg>).)*</svg>", markup, flags=re.DOTALL):
        marks = set(marks_of(svg))
        for first, second in combinations(sorted(marks), 2):
            if first.shape == second.shape and "region" not in (first.colour, second.colour):
                found |= dict.fromkeys(_close(first.colour, second.colour, LEAST))
        if any(mark.colour == "region" for mark in marks):
            found |= dict.fromkeys(_close("region", "page", LEAST_BEHIND))
    return list(found)


def _close(first: str, second: str, least: float) -> Iterator[str]:
    for scheme, colours in schemes().items():
        for vision in VISIONS:
            apart = distance(colours.get(first, first), colours.get(second, second), vision)
            if apart < least:
                yield f"{first} and {second}: {apart:.1f} apart in {scheme} mode, {vision}"


def marks_of(svg: str) -> Iterator[Mark]:
    """Yield the marks of a plot: lines, areas and symbols, without its furniture."""
    root = ET.fromstring(svg)
    named = {element.get("id"): element for element in root.iter() if element.get("id")}
    hidden = {
        each
        for element in root.iter()
        if element.tag in ("defs", "pattern", "clipPath")
        for each in element.iter()
    }
    labels = [(float(text.get("y", "nan")), "".join(text.itertext())) for text in root.iter("text")]
    for element in root.iter():
        if element in hidden or element.tag not in ("path", "circle", "rect", "line", "use"):
            continue
        style = _style(element)
        symbol = named.get(element.get("href", "").lstrip("#"))
        outline = symbol.get("d", "") if symbol is not None and symbol in hidden else ""
        for kind in ("fill", "stroke"):
            colour, shape = style.get(kind, ""), (element.tag, kind, outline)
            if pattern := re.fullmatch(r"url\(#(.*)\)", colour):
                tile = list(named[pattern[1]].iter())
                texture = [each.get("d", "") for each in tile if each.tag == "path"]
                colour, shape = _style(tile[1]).get("fill", ""), (*shape, *texture)
            elif kind == "stroke":
                lane = re.match(r"M[\d.]+ ([\d.]+)h", element.get("d", ""))
                shape = (
                    *shape,
                    _label(float(lane[1]), labels) if lane else style.get("stroke-dasharray", ""),
                )
            if (name := _name(colour)) and name not in FURNITURE:
                yield Mark(name, shape)


def _style(element: ET.Element) -> Mapping[str, str]:
    declared = dict(re.findall(r"([\w-]+): ?([^;]+)", element.get("style", "")))
    return {**element.attrib, **declared}


def _label(height: float, labels: list[tuple[float, str]]) -> str:
    return min(labels, key=lambda label: abs(label[0] - height))[1] if labels else ""


def _name(colour: str) -> str:
    if found := re.match(r"var\(--(\w+)", colour):
        return found[1]
    return colour if re.fullmatch(r"#[0-9a-f]{6}", colour) else ""
