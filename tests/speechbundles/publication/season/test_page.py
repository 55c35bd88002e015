"""The page of a season."""

import re

import pytest

from speechbundles.publication.season.page import season_to_html
from tests.samples.seasons import COLUMNS, codabench, season_at
from tests.tools.colours import alike


@pytest.mark.parametrize("direction", ["desc", "asc"])
def test_the_chart_has_the_course_of_each_team_with_better_scores_above(tmp_path, direction):
    """SVG counts downwards: the course of the improving team ends at a smaller number."""
    columns = [{**COLUMNS[0], "sorting": direction}]
    bundle = codabench(tmp_path, columns=columns, rule="Force_Last")
    better, worse = (0.9, 0.1) if direction == "desc" else (0.1, 0.9)
    uploads = [(f"_team $ {n:02}", f"2027-01-01 10:00:{n:02}", 0.5) for n in range(13)]
    uploads += [("rising", "2027-01-01 09:00:00", worse), ("rising", "2027-01-03 09:00:00", better)]
    page = season_to_html(season_at(bundle, *uploads))
    (svg,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    words = re.findall(r">\s*([^<>]+?)\s*</text>", svg)
    assert {"day", "Accuracy", "rising", "_team $ 00", "_team $ 10"} < set(words)
    assert "_team $ 11" not in words  # twelve teams have names
    course = re.findall(r'<path d="M ([^"]*)"\s*clip-path[^>]*stroke: var\(--blue', svg)[0]
    heights = [float(point.split()[1]) for point in course.split("L")]
    assert heights[-1] < heights[0]
    assert alike(page) == []


def test_a_score_that_is_no_better_than_the_baseline_is_marked_in_the_chart(tmp_path):
    uploads = [("rising", "2027-01-01 09:00:00", 0.28), ("rising", "2027-01-03 09:00:00", 0.5)]
    season = season_at(codabench(tmp_path, rule="Force_Last"), *uploads)
    season.attempts[0].result.shown["accuracy"] = "28 (≤ baseline)"
    page = season_to_html(season)
    (svg,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert re.findall(r">\s*([^<>]*baseline[^<>]*?)\s*</text>", svg) == ["28 (≤ baseline)"]
