"""The check of plots without colours: its simulations, and that it finds marks that only colours tell apart."""

import numpy as np
import pytest

from spokeneval.report import plots
from tests.tools.colours import MACHADO, VISIONS, alike, distance, lab, linear, marks_of, seen


@pytest.mark.parametrize(
    ("colour", "expected"),
    [
        ("#ffffff", (100, 0, 0)),
        ("#ff0000", (53.24, 80.09, 67.20)),
        ("#0000ff", (32.30, 79.19, -107.86)),
        ("#808080", (53.59, 0, 0)),
    ],
)
def test_colours_have_their_published_places_in_cielab(colour, expected):
    """Lindbloom's values of the corners of sRGB in CIELAB, for D65."""
    assert lab(linear(colour)) == pytest.approx(expected, abs=0.02)


def test_each_simulation_keeps_greys_and_confuses_its_own_pairs():
    for vision in VISIONS:
        for grey in ("#000", "#777777", "#fff"):
            assert seen(grey, vision) == pytest.approx(linear(grey), abs=1e-4)
    for rows in MACHADO.values():
        assert np.sum(rows, axis=1) == pytest.approx(1, abs=1e-5)
    red, green = "#c05020", "#707a20"
    for vision in ("protan", "deutan"):
        assert distance(red, green, vision) < 0.5 * distance(red, green, "full")
    assert distance(red, green, "tritan") > 0.7 * distance(red, green, "full")
    assert distance(plots.BLUE, plots.GREEN, "tritan") < 15 < distance(plots.BLUE, plots.GREEN, "deutan")
    assert distance(plots.BLUE, plots.ORANGE, "greyscale") < 15 < distance(plots.BLUE, plots.ORANGE, "full")


def drawn(*parts):
    return plots.drawing(100, 100, "", 13, parts).markup


def line(colour, more=""):
    return f'<path d="M0 0L9 9" fill="none" stroke="{colour}" {more}/>'


PATTERN = (
    '<pattern id="p"><rect fill="{}"/><path d="M0 3H6" stroke="#ffffff"/></pattern><rect fill="url(#p)"/>'
)


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        (line(plots.BLUE), line(plots.ORANGE), "greyscale"),
        (line(plots.BLUE), line(plots.ORANGE, 'stroke-dasharray="4 2"'), ""),
        (line(plots.BLUE), line(plots.BLUE), ""),
        (line(plots.BLUE), line(plots.INK), ""),
        (line(plots.BLUE), f'<circle r="3" fill="{plots.GREEN}"/>', ""),
        (line("#e69f00"), line("#003366"), ""),
        (f'<rect fill="{plots.BLUE}"/>', f'<rect fill="{plots.GREEN}"/>', "tritan"),
        (f'<rect fill="{plots.BLUE}"/>', PATTERN.format(plots.GREEN), ""),
        ('<defs><path id="a" d="M1 1"/></defs>', "", ""),
    ],
)
def test_marks_of_one_shape_need_colours_that_differ_in_every_vision(first, second, found):
    lines = alike(drawn(first, second))
    assert any(words.endswith(found) for words in lines) if found else lines == []


def test_symbols_and_lanes_are_shapes():
    symbols = "".join(f'<path id="{name}" d="{path}"/>' for name, path in (("a", "M0 0"), ("b", "M1 1")))
    circle, square = f'<use href="#a" fill="{plots.BLUE}"/>', '<use href="#{}" fill="' + plots.ORANGE + '"/>'
    assert alike(drawn(f"<defs>{symbols}</defs>", circle, square.format("b"))) == []
    assert alike(drawn(f"<defs>{symbols}</defs>", circle, square.format("a"))) != []
    turns, region = np.array([[0, 500]]), np.array([[0, 1000]])
    one = [plots.Lane("Reference", [(turns, plots.BLUE), (turns + 500, plots.ORANGE)])]
    two = [plots.Lane(name, [(turns, colour)]) for name, colour in (("A", plots.BLUE), ("B", plots.ORANGE))]
    assert alike(plots.timeline(one, region).markup) != []
    assert alike(plots.timeline(two, region).markup) == []
    assert {mark.colour for mark in marks_of(plots.timeline(two, region).markup)} == {
        "blue",
        "orange",
        "region",
    }
