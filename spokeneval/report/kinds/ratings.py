"""Sections on ratings: agreement and shift of the system and each rater, and each two raters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ...metrics.agreement import cohen_kappa
from ...scoring.scored import Scored
from ...task import View
from ..page import Html, folded, paragraph, percent, section, table
from .scores import SHIFT, difference_figure

SUBMISSION = "submission"
LARGEST = 21
"""The most ratings of a scale for which tables show each pair of ratings."""


def sections(view: View, reference: Any, submission: Any, scored: Scored) -> list[Html]:
    """Return the sections on agreement and on the shift."""
    raters, given = _raters(view, reference), view.given(submission).astype(float)
    low, high = view.facts["scale"]
    step = view.facts["step"]
    levels = [f"{level * step:g}" for level in range(low, high + 1)]
    listed = len(raters) <= view.facts["listed"]
    pairs = [*(combinations(raters, 2) if listed else ()), *((name, SUBMISSION) for name in raters)]
    everyone = {**raters, SUBMISSION: given}
    agreement: list[list[Any]] = []
    shift: list[list[Any]] = []
    matrices = []
    for first, second in pairs:
        both = ~np.isnan(everyone[first] + everyone[second])
        if not both.any():
            continue
        one, other = everyone[first][both], everyone[second][both]
        kappa = cohen_kappa(one, other, weights=view.facts["weights"], scale=(low, high))
        near = np.abs(one - other)
        shares = percent((near == 0).sum(), len(near)), percent((near <= 1).sum(), len(near))
        agreement.append([f"{first}, {second}", f"{kappa:.4f}", *shares, len(near)])
        if second == SUBMISSION:
            apart = other - one
            above = (percent(each.sum(), len(apart)) for each in (apart < 0, apart == 0, apart > 0))
            shift.append([first, f"{apart.mean() * step:+.2f}", *above, len(apart)])
            if not listed or len(levels) > LARGEST:
                continue
            joint = np.zeros((len(levels), len(levels)), dtype=int)
            np.add.at(joint, ((one - low).astype(int), (other - low).astype(int)), 1)
            rows = [[level, *counts] for level, counts in zip(levels, joint.tolist())]
            matrices.append(
                table(f"Items by the rating of {first}", [first, *(f"submission {n}" for n in levels)], rows)
            )
    mean = np.nanmean(list(raters.values()), axis=0) * step
    within = "within one" if step == 1 else f"within {step:g}"
    return [
        section(
            "Agreement of the raters and the submission",
            table("Agreement of each pair", ["Raters", "κ", "equal", within, "Items"], agreement),
            folded("Ratings of the submission at each rating of a rater", *matrices) if matrices else None,
        ),
        section(
            "Shift of the ratings",
            table(
                "Ratings compared with each rater",
                ["Rater", "Mean difference", "lower", "equal", "higher", "Items"],
                shift,
            ),
            paragraph(SHIFT, kind="note"),
            difference_figure(mean, given * step, "the raters' mean"),
        ),
    ]


def groups(view: View, reference: Any) -> dict[str, Sequence[str]]:
    """Return the mean rating of each item, rounded."""
    means = np.rint(np.nanmean(list(_raters(view, reference).values()), axis=0)) * view.facts["step"]
    return {"Rounded mean rating": [f"{mean:g}" for mean in means.tolist()]}


def distance(view: View, reference: Any, submission: Any) -> np.ndarray:
    """Return the mean distance of each rating to the raters'."""
    apart = np.abs(list(_raters(view, reference).values()) - view.given(submission))
    return np.asarray(np.nanmean(apart, axis=0))


def answers(view: View, reference: Any, submission: Any, rows: Sequence[int]) -> dict[str, list[str]]:
    """Return the ratings of some items."""
    raters = _raters(view, reference)
    if len(raters) > view.facts["listed"]:
        raters = {"Mean rating": np.nanmean(list(raters.values()), axis=0)}
    sides = {**raters, SUBMISSION.capitalize(): view.given(submission)}
    return {
        name: ["" if np.isnan(side[row]) else f"{side[row] * view.facts['step']:g}" for row in rows]
        for name, side in sides.items()
    }


def _raters(view: View, reference: Any) -> dict[str, np.ndarray]:
    """Return the ratings of each rater, NaN where there is none."""
    low = view.facts["scale"][0]
    return {
        name: np.where(ratings < low, np.nan, ratings) for name, ratings in view.expected(reference).items()
    }
