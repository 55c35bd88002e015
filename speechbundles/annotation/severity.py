"""Severity of raters, and fair means: an additive model, item + rater, fitted by least squares.

A rater's severity is how far the ratings are above those of the mean rater for the same items; severities sum to 0. The
fair mean of an item is what all raters would give it on average. It differs from the plain mean where an item's raters
are severe or lenient. Raters are compared through the items that they share.

The 95 % intervals are Student's, of the residual variance. That of a fair mean is over the ratings of the item and over
those by which its raters' severities are known. Neither allows for raters whose severity changes from item to item.
Source: Searle (1971), Linear Models, chapter 7: the two-way classification without interaction, unequal numbers.
"""

import math

import numpy as np
import pandas as pd

from speechbundles.annotation.tables import Frame
from speechbundles.model.errors import OrganiserError
from spokeneval.metrics.quantiles import student_quantile


def fair_means(ratings: Frame) -> tuple[Frame, Frame]:
    """Fit the model.

    Parameters
    ----------
    ratings: a row for each item, a column for each rater, NaN where there is no rating.

    Returns
    -------
    The items with `ratings`, `mean`, `fair_mean`, `low` and `high`; the raters with `ratings`, `severity`, `low` and
    `high`.

    Raises
    ------
    OrganiserError: raters whom no common items connect.
    """
    ratings = ratings.loc[ratings.notna().any(axis=1), ratings.notna().any()]
    table, there = ratings.to_numpy(float), ratings.notna().to_numpy(float)
    items, raters = there.sum(axis=1), there.sum(axis=0)
    plain = np.nansum(table, axis=1) / items
    equations = np.diag(raters) - there.T @ (there / items[:, np.newaxis])  # of the raters, without the items
    if np.linalg.matrix_rank(equations, hermitian=True) < len(raters) - 1:
        message = "raters in groups without a common item, whose severities cannot be compared"
        raise OrganiserError(f"{message}; let some raters rate items of others, or use the plain mean")
    inverse = np.linalg.pinv(equations, hermitian=True)
    severity = inverse @ (np.nansum(table, axis=0) - there.T @ plain)
    fair = plain - there @ severity / items
    freedom = int(there.sum()) - len(items) - len(raters) + 1
    squares = np.nansum((table - fair[:, np.newaxis] - severity) ** 2)
    wide = student_quantile(freedom) * math.sqrt(squares / freedom) if freedom > 0 else math.nan
    of_items = wide * np.sqrt(1 / items + ((there @ inverse) * there).sum(axis=1) / items**2)
    of_raters = wide * np.sqrt(np.diag(inverse))
    means = {"ratings": items.astype(int), "mean": plain, "fair_mean": fair}
    severities = {"ratings": raters.astype(int), "severity": severity}
    return (
        pd.DataFrame({**means, "low": fair - of_items, "high": fair + of_items}, ratings.index),
        pd.DataFrame(
            {**severities, "low": severity - of_raters, "high": severity + of_raters},
            ratings.columns.rename("annotator"),
        ),
    )


def differences(items: Frame, raters: Frame) -> str:
    """Return the most lenient and the most severe rater, and how much it matters, in words."""
    severity, moved = raters["severity"].sort_values(), (items["fair_mean"] - items["mean"]).abs()
    ends = " to ".join(f"{severity.iloc[end]:+.2f} ({severity.index[end]})" for end in (0, -1))
    most = f"fair and plain means differ by up to {moved.max():.2f} (item {moved.idxmax()})"
    return f"on the same items, raters differ from the mean rater by {ends}; {most}"
