"""Sections on scores on a scale: predictions at each human score, their shift, and a second rater."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from ...metrics import correlation
from ...metrics.agreement import cohen_kappa
from ...metrics.counts import total
from ...metrics.prediction_error import prmse
from ...report.page import Html, figure, paragraph, section, table
from ...report.plots import mean_difference, plot
from ...scoring.scored import Scored
from ..scores import SCORE, ScoresKind

MOST_LEVELS = 11
"""With more human scores on the scale, they are shown in bands."""
BANDS = 5

SHIFT = "A difference above 0 means that the submission is above the human score."


def sections(kind: ScoresKind, reference: Any, submission: Any, scored: Scored) -> list[Optional[Html]]:
    """Return the sections on the shift and on a second rater."""
    human, given = reference[kind.truth], submission[SCORE]
    ends, step = kind.scale, kind.step
    levels = np.unique(human)
    if step and len(levels) <= MOST_LEVELS:
        bands = [(f"{level:g}", human == level) for level in levels.tolist()]
    else:
        edges = np.linspace(ends[0], ends[1], BANDS + 1)
        place = np.clip(np.searchsorted(edges, human, side="right") - 1, 0, BANDS - 1)
        bands = [(f"{edges[n]:g} to {edges[n + 1]:g}", place == n) for n in range(BANDS)]
    bands.append(("all", np.ones(len(human), dtype=bool)))
    rows: list[list[Any]] = [
        [name, f"{(given - human)[inside].mean():+.3f}", f"{given[inside].mean():.3f}", int(inside.sum())]
        for name, inside in bands
        if inside.any()
    ]
    header = ["Human score", "Mean difference", "Mean prediction", "Items"]
    second = kind.second_scores(reference)
    return [
        section(
            "Shift of the predictions",
            table("Predictions at each human score", header, rows),
            paragraph(SHIFT, kind="note"),
            difference_figure(human, given, "the human score"),
        ),
        _second_rater(human, given, second, ends, step) if second is not None else None,
    ]


def groupings(kind: ScoresKind, reference: Any) -> dict[str, Sequence[str]]:
    """Return the human score of each item, if scores have steps."""
    return {"Human score": [f"{score:g}" for score in reference[kind.truth].tolist()]} if kind.step else {}


def distance(kind: ScoresKind, reference: Any, submission: Any) -> np.ndarray:
    """Return how far each prediction is from the human score."""
    return np.asarray(np.abs(submission[SCORE] - reference[kind.truth]))


def answers(kind: ScoresKind, reference: Any, submission: Any, rows: Sequence[int]) -> dict[str, list[str]]:
    """Return the human score and the prediction of some items."""
    human, given = reference[kind.truth], submission[SCORE]
    return {
        "Human score": [f"{human[row]:g}" for row in rows],
        "Predicted": [f"{given[row]:g}" for row in rows],
        "Difference": [f"{given[row] - human[row]:+.3f}" for row in rows],
    }


def difference_figure(human: np.ndarray, given: np.ndarray, called: str) -> Html:
    """Return a plot of the differences of a submission from human scores against their means."""
    apart = given - human

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.13, 0.16, 0.78, 0.8])
        mean_difference(axes, (human + given) / 2, apart)
        axes.set(xlabel=f"Mean of the submission and {called}", ylabel=f"Submission minus {called}")

    caption = "Difference against mean; lines at the mean difference and the limits of agreement (1.96 SD)"
    spoken = f"{caption}: mean difference {apart.mean():+.2f}, standard deviation {apart.std():.2f}."
    return figure(caption, spoken, plot("differences", draw, width=5.4, height=3.5))


def _second_rater(
    human: np.ndarray, given: np.ndarray, second: np.ndarray, scale: Sequence[float], step: Optional[float]
) -> Html:
    """Return PRMSE and the agreement of two raters; the second has NaN for items without a score.

    Without steps, the agreement is CCC, which quadratic kappa is for scores that are not in categories.
    """
    rated = ~np.isnan(second)
    try:
        reduction = f"{prmse(np.stack([human, second], axis=1), given):.4f}"
    except ValueError:
        reduction = "not defined"
    both = human[rated], second[rated]
    if step:
        ends = round(scale[0] / step), round(scale[1] / step)
        called, steps = "Quadratic κ", [np.rint(scores / step) for scores in both]  # they are on the scale
        agreement = cohen_kappa(*steps, weights="quadratic", scale=ends)
    else:
        called, centre = "CCC", sum(scale) / 2
        moments = correlation.rating_moments(*(scores - centre for scores in both))
        agreement = correlation.concordance(total(moments))
    rows: list[list[Any]] = [
        ["PRMSE: share of the variance of the true scores that is predicted", reduction],
        [f"{called} of the two raters", f"{agreement:.4f}"],
        ["Items with a second score", int(rated.sum())],
    ]
    return section(
        "Comparison with a second rater", table("Second human scores", ["Statistic", "Value"], rows)
    )
