"""The cells of the kind of identification: numbers of classes, likelihoods, and groups of many units."""

from __future__ import annotations

import math
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Optional, Union

import numpy as np

from ..formats.format import Answers
from ..formats.problems import Problems, quote
from ..formats.speakers import GROUP, Units
from ..formats.tables import Parser, Table, words
from ..formats.text import decimals
from ..metrics.detection_cost import LARGEST_RATIO
from .kind import ParameterError

LABEL, SCORE = "label", "score"

SEGMENTS = ("recording", "start", "end")
"""Columns of a reference that participants get, for items that are segments of recordings."""

MOST_ROWS = 1000
MOST_OF_A_SIDE = 40
"""With more units on one side of crossed trials, they are grouped at random by their names."""

CROSSED = " × "
"""Between the two units of a row of crossed trials."""

ROUNDED = 0.005
"""How much the sum of an item's probabilities may differ from 1, for each class: as rounded to two decimals."""

CERTAIN = 100.0
"""The natural-log likelihood of a class of which a submission is certain; the negative of it for any other class."""


def grouped_units(called: str, of: Mapping[str, str], different: Collection[str]) -> Units:
    return Units(called, of, len(different) if called.endswith(GROUP) else 0)


_GROUPS = np.array([f"group {place}" for place in range(MOST_ROWS)], dtype=object)


def groups_of_units(names: Sequence[str]) -> list[str]:
    """The random group of each unit, where there are more than `MOST_ROWS` of them; equal groups are one object."""
    numbers = np.fromiter(map(zlib.crc32, map(str.encode, names)), np.int64, len(names))
    groups: list[str] = _GROUPS[numbers % MOST_ROWS].tolist()
    return groups


def group_of_side(name: str) -> str:
    return f"group {zlib.crc32(name.encode()) % MOST_OF_A_SIDE}"


def rows_of_whole(name: str) -> Iterator[str]:
    """The names that a row of a part of a set may have in the whole set, where its units may be grouped."""
    sides = [(side, group_of_side(side)) for side in name.split(CROSSED)]
    yield from (name, *groups_of_units([name]), *map(CROSSED.join, product(*sides)))


def lengths(answers: Answers) -> Optional[np.ndarray]:
    """The lengths of segments; None if the reference has none."""
    start, end = (decimals(answers.texts.get(column, [""])) for column in SEGMENTS[1:])
    return None if start is None or end is None else end - start


def label_cells(classes: tuple[str, ...], target: str) -> Parser:
    """A parser for labels: the number of the class; with a target, 0 for the target and 1 for any other class."""
    numbers = words({label: number for number, label in enumerate(classes)})

    def parse(table: Table, column: str, problems: Problems) -> np.ndarray:
        if not target:
            return numbers(table, column, problems)
        cells = table.columns[column]
        if classes:
            numbers(table, column, problems)
        else:
            for row, cell in enumerate(cells):
                if not cell.strip() or (cell.strip().lower() == target.lower() and cell != target):
                    found = f"{column} {quote(cell)}" if cell.strip() else f"the {column} is empty"
                    message = f"{found}; expected {quote(target)} or another label"
                    table.add_problem(problems, "unknown_value", row, message)
        return np.array([cell != target for cell in cells], dtype=np.int64)

    return parse


def likelihoods_of(scores: np.ndarray, contained: Optional[np.ndarray]) -> np.ndarray:
    """The log-likelihoods of two or more classes; of a target and the others, from a single score."""
    if contained is None:
        return scores if scores.shape[1] > 1 else np.concatenate([scores, np.zeros_like(scores)], axis=1)
    if scores.shape[1] == 1:
        scores = np.concatenate([scores, 1 - scores], axis=1)
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(np.log(scores) - np.log(contained), -LARGEST_RATIO))


def contained_priors(scores: Union[str, Mapping[str, float]], classes: tuple[str, ...]) -> np.ndarray:
    """The priors that posteriors contain: of each class, or of the target and the others."""
    if isinstance(scores, str):
        return np.full(max(2, len(classes)), 1 / max(2, len(classes)))
    if set(scores) != set(classes):
        raise ParameterError(
            "scores", f"priors of {', '.join(scores)}; expected those of {', '.join(classes)}"
        )
    if len(classes) == 1:
        prior = scores[classes[0]]
        return np.array([prior, 1 - prior])
    total = math.fsum(scores.values())
    if abs(total - 1) > 1e-6:
        raise ParameterError("scores", f"priors that add up to {total:g}; expected 1")
    return np.array([scores[label] for label in classes])


def ratios_of(scores: np.ndarray, contained: Optional[np.ndarray]) -> np.ndarray:
    """The log-likelihood ratios of each class against everything else, of such ratios or of probabilities."""
    if contained is None:
        return scores
    priors = contained[:-1]
    with np.errstate(divide="ignore"):
        ratios = np.log(scores) - np.log1p(-scores) - np.log(priors) + np.log1p(-priors)
    return np.asarray(np.clip(ratios, -LARGEST_RATIO, LARGEST_RATIO))
