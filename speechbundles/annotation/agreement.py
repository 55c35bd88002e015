"""Agreement between annotators, with 95 % intervals over speakers or other units, by the jackknife.

Cohen's kappa of each pair of annotators, with linear weights if the answers are numbers, and the share of equal
answers; the same between the first and the second answers of an annotator who got items twice; Krippendorff's alpha
of all, ordinal for numbers and nominal for classes. Formulas: `spokeneval.metrics.agreement`.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from speechbundles.annotation.tables import Frame
from spokeneval.formats.text import decimal
from spokeneval.metrics.agreement import RatingCells, exact, kappa, krippendorff_alpha
from spokeneval.metrics.jackknife import FEWEST_UNITS, value_and_without
from spokeneval.metrics.shares import interval_of_formula

COLUMNS = ("question", "measure", "annotators", "value", "low", "high", "units", "items")
MOST_UNITS = 1000
"""More units are pooled at random into this many, as in the delete-a-group jackknife."""
MOST_POINTS = 101
"""With more different answers, such as free text, or with only one, only the share of equal answers is computed."""
ONE, SYMMETRIC = (0.0, 1.0), (-1.0, 1.0)

Row = tuple[Any, ...]


def answer_agreement(answers: Frame, units: Mapping[str, str]) -> Frame:
    """Return the agreement on each question, a row for each measure and pair of annotators.

    Parameters
    ----------
    answers: see `sheets`.
    units: the unit of each item; an item without one is a unit.
    """
    given = answers[answers["value"] != ""].groupby("question", sort=False)
    rows = [(question, *row) for question, mine in given for row in _of_question(mine, units)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_question(answers: Frame, units: Mapping[str, str]) -> Iterator[Row]:
    numeric = bool(answers["value"].map(decimal).notna().all())
    values = sorted(answers["value"].unique(), key=float if numeric else str)
    steps = _steps([float(value) for value in values]) if numeric else range(len(values))
    table = answers.assign(step=answers["value"].map(dict(zip(values, steps, strict=True))))
    table = table.pivot(index="item", columns=["annotator", "time"], values="step")
    of, points = unit_codes([units.get(item) or item for item in table.index]), steps[-1] + 1
    is_scale = 1 < points <= MOST_POINTS
    weights = "linear" if numeric and len(values) > 2 else None
    people = sorted(answers["annotator"].unique())
    pairs = [((one, 0), (other, 0), f"{one}, {other}") for one, other in combinations(people, 2)]
    pairs += [((each, 0), (each, 1), f"{each}, again") for each in people if (each, 1) in table.columns]
    for one, other, who in pairs:
        first, second, units_of = _both(table[one], table[other], of)
        if len(first) and is_scale:
            cells = _cells(first, second, units_of, points)
            name = "kappa, linear weights" if weights else "kappa"
            yield name, who, *with_interval(partial(kappa, weights=weights), cells, SYMMETRIC), len(first)
        if len(first):
            cells = _cells(np.zeros_like(first), (first != second).astype(int), units_of, 2)
            yield "equal", who, *with_interval(exact, cells, ONE), len(first)
    once = table.xs(0, axis=1, level="time")
    there = once.notna().sum(axis=1).to_numpy()
    if (there > 1).any() and is_scale:
        each, counts = 1 / np.maximum(there - 1, 1), np.zeros((of.max() + 1, points, points))
        for one, other in combinations(people, 2):
            first, second, units_of, weight = _both(once[one], once[other], of, each)
            counts += _cells(first, second, units_of, points, weight, len(counts)).cells
        formula = partial(krippendorff_alpha, raters=2, ordinal=numeric)
        kind = "ordinal" if numeric else "nominal"
        rows = RatingCells(counts[counts.any(axis=(1, 2))])
        yield f"alpha, {kind}", "all", *with_interval(formula, rows, SYMMETRIC), int((there > 1).sum())


def _steps(numbers: Sequence[float]) -> list[int]:
    """Return ascending numbers as multiples of their smallest gap; as ranks if there would be too many."""
    steps = (np.array(numbers) - numbers[0]) / min(np.diff(numbers), default=1)
    whole = np.rint(steps).astype(int).tolist()
    return whole if np.allclose(steps, whole) and whole[-1] < MOST_POINTS else list(range(len(numbers)))


def unit_codes(units: Sequence[str]) -> np.ndarray:
    """Return units as numbers from 0, `MOST_UNITS` at most."""
    codes, names = pd.factorize(np.array(units, dtype=object))
    return np.asarray(np.random.default_rng(0).permutation(len(names))[codes] % MOST_UNITS)


def _both(first: Frame, second: Frame, *others: np.ndarray) -> list[np.ndarray]:
    """Return the answers to the items that two annotators answered, and the other values of these items."""
    both = (first.notna() & second.notna()).to_numpy()
    return [*(column[both].to_numpy(int) for column in (first, second)), *(other[both] for other in others)]


def _cells(
    first: Any, second: Any, units: Any, points: int, weights: Any = None, number: int = 0
) -> RatingCells:
    """Count pairs of answers, a table for each unit; for each of `number` units, also those without pairs, if given."""
    of = units if number else np.unique(units, return_inverse=True)[1]
    size = number or of.max() + 1
    counts = np.bincount((of * points + first) * points + second, weights, minlength=size * points**2)
    return RatingCells(counts.reshape(size, points, points))


def with_interval(formula: Callable[[Any], Any], rows: Any, bounds: tuple[float, float]) -> Row:
    """Return a measure of rows, one for each unit, the ends of its interval (NaN for few units), and the units."""
    number = len(next(iter(vars(rows).values())))
    try:
        value, without = value_and_without(formula, rows)
    except ValueError:  # undefined
        return math.nan, math.nan, math.nan, number
    if number < FEWEST_UNITS:
        return value, math.nan, math.nan, number
    return value, *interval_of_formula(formula, rows, bounds, value, without), number
