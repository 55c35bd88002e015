"""The check of plots without colours: its simulations, and that it finds marks that only colours tell apart."""

import pytest

from spokeneval.report import plots
from tests.tools.colours import alike, lab, linear


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
