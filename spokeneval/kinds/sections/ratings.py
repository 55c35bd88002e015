"""Sections on ratings: agreement and shift of the system and each rater, and each two raters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ...metrics.agreement import cohen_kappa
from ...report.page import Html, folded, paragraph, percent, section, table
from ...scoring.scored import Scored
from ..ratings import COLUMN, RatingsKind
from .scores import SHIFT, difference_figure

SUBMISSION = "submission"
LARGEST = 21
"""The most ratings of a scale for which tables show each pair of ratings."""
MOST_APART = 7
"""The most ratings of a scale for which a table has each difference of two ratings."""


def sections(kind: RatingsKind, reference: Any, submission: Any, scored: Scored) -> list[Html]:
    """Return the sections on agreement and on the shift."""
    raters, given = kind.ratings_of(reference), submission[COLUMN].astype(float)
    (low, high), step, listed = kind.steps, kind.step, kind.listed
    levels = [f"{level * step:g}" for level in range(low, high + 1)]
    pairs = [*(combinations(raters, 2) if listed else ()), *((name, SUBMISSION) for name in raters)]
    everyone = {**raters, SUBMISSION: given}
    more = range(2, len(levels)) if len(levels) <= MOST_APART else ()
    agreement: list[list[Any]] = []
    shift: list[list[Any]] = []
    matrices = []
    for first, second in pairs:
        both = ~np.isnan(everyone[first] + everyone[second])
        if not both.any():
            continue
        one, other = everyone[first][both], everyone[second][both]
        kappa = cohen_kappa(one, other, weights=kind.weights, scale=(low, high))
        near = np.abs(one - other)
        shares = percent((near == 0).sum(), len(near)), percent((near <= 1).sum(), len(near))
        farther = [percent((near == each).sum(), len(near)) for each in more]
        agreement.append([f"{first}, {second}", f"{kappa:.4f}", *shares, *farther, len(near)])
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
            table(
                "Agreement of each pair",
                ["Raters", "κ", "equal", within, *(f"{each * step:g} apart" for each in more), "Items"],
                agreement,
            ),
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


def groupings(kind: RatingsKind, reference: Any) -> dict[str, Sequence[str]]:
    """Return the mean rating of each item, rounded."""
    means = np.rint(np.nanmean(list(kind.ratings_of(reference).values()), axis=0)) * kind.step
    return {"Rounded mean rating": [f"{mean:g}" for mean in means.tolist()]}


def distance(kind: RatingsKind, reference: Any, submission: Any) -> np.ndarray:
    """Return the mean distance of each rating to the raters'."""
    apart = np.abs(list(kind.ratings_of(reference).values()) - submission[COLUMN])
    return np.asarray(np.nanmean(apart, axis=0))


def answers(kind: RatingsKind, reference: Any, submission: Any, rows: Sequence[int]) -> dict[str, list[str]]:
    """Return the ratings of some items."""
    raters = kind.ratings_of(reference)
    if not kind.listed:
        raters = {"Mean rating": np.nanmean(list(raters.values()), axis=0)}
    sides = {**raters, SUBMISSION.capitalize(): submission[COLUMN]}
    return {
        name: ["" if np.isnan(side[row]) else f"{side[row] * kind.step:g}" for row in rows]
        for name, side in sides.items()
    }
