"""The files of the kind of identification, and what they give: labels, scores, and the rows of counts."""

from __future__ import annotations

import math
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Optional, Union

import numpy as np

from ..formats.format import Answers, Sheet
from ..formats.problems import SHOWN, Problems, quote, some_of
from ..formats.speakers import GROUP, Units, refuse_empty
from ..formats.tables import Parser, Table, id_columns, numbered, real_numbers, words
from ..formats.text import decimals
from ..metrics.detection_cost import LARGEST_RATIO, PROBABILITIES, look_like_posteriors
from .kind import ParameterError, one_table

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


@dataclass(frozen=True)
class ClassScoreFiles:
    """The files of a task: the parameters of `identification`, with the priors that posteriors contain or None."""

    classes: tuple[str, ...]
    target: str
    contained: Optional[np.ndarray]
    id: str
    item: str
    unit: str
    out_of_set: str = ""
    other_unit: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        return (SCORE,) if self.target else self.classes

    @property
    def sides(self) -> tuple[str, ...]:
        """The names of the classes that a label's number stands for."""
        if self.target:
            return (self.target, f"other than {self.target}")
        return (*self.classes, *([self.out_of_set] if self.out_of_set else ()))

    @property
    def reference(self) -> Sheet:
        cells = {LABEL: _label_cells(self.classes if self.target else self.sides, self.target)}
        sheet = one_table("labels.csv", cells, id=self.id, item=self.item, unit=self.unit)
        if self.other_unit:
            sheet = replace(sheet, texts=(self.unit, self.other_unit), optional=())
        segments = SEGMENTS if len(id_columns(self.id)) == 1 else ()
        return replace(sheet, optional=tuple(dict.fromkeys((*sheet.optional, *segments))))

    @property
    def submission(self) -> Sheet:
        cells = real_numbers() if self.contained is None else real_numbers(0, 1)
        sheet = one_table("scores.csv", dict.fromkeys(self.columns, cells), id=self.id, item=self.item)
        return sheet if self.contained is None or self.target else replace(sheet, check=self._check_sums)

    def _check_sums(self, columns: Mapping[str, np.ndarray], table: Table, problems: Problems) -> None:
        """Add a problem for each row of probabilities that do not sum to 1, up to their rounding."""
        sums, rounding = np.sum(list(columns.values()), axis=0), ROUNDED * len(columns) + 1e-9
        wrong = sums > 1 + rounding
        if not self.out_of_set:
            wrong |= sums < 1 - rounding
        expected = f"at most 1; the rest is that of {self.out_of_set}" if self.out_of_set else "1"
        bad = {problem.line for problem in problems.kept}
        for row in np.flatnonzero(wrong).tolist() if len(bad) < SHOWN else ():
            if table.lines[row] not in bad:
                message = f"the probabilities sum to {sums[row]:.4g}; expected {expected}"
                table.add_problem(problems, "sum", row, f"{message} (rounding may add {rounding:.3g})")

    def check_sides(self, answers: Answers, table: Table, problems: Problems) -> None:
        """Add a problem for each trial without its unit on one of two sides."""
        for side in (self.unit, self.other_unit) if self.other_unit else ():
            refuse_empty(table, side, answers.texts[side], problems)

    def check(self, answers: Answers, table: Table, problems: Problems) -> None:
        self.check_sides(answers, table, problems)
        missing = [label for n, label in enumerate(self.sides) if not (answers[LABEL] == n).any()]
        if missing and not problems:
            message = f"no {self.item} is {some_of(missing)}; expected at least one of each class"
            problems.add("one_class", table.file, message)

    def row_names(self, ids: Sequence[str], texts: Mapping[str, Sequence[str]]) -> list[str]:
        return self._rows(ids, texts)[1]

    def _rows(self, ids: Sequence[str], texts: Mapping[str, Sequence[str]]) -> tuple[str, list[str]]:
        """What a row of the counts is, and the row of each item: its unit or itself, or a group of them.

        Of crossed trials, a row is a unit on one side and one on the other.
        """
        if self.other_unit:
            sides = (self._side(texts, side)[1] for side in (self.unit, self.other_unit))
            return self.unit, list(map(CROSSED.join, zip(*sides)))
        units = texts.get(self.unit, ())
        called, names, different = (self.unit, units, set(units)) if any(units) else (self.item, ids, ids)
        if len(different) <= MOST_ROWS:
            return called, list(names)
        return called + GROUP, groups_of_units(names)

    def _side(self, texts: Mapping[str, Sequence[str]], side: str) -> tuple[str, list[str]]:
        """What the units on a side of crossed trials are called, and the one of each item."""
        names, different = list(texts[side]), set(texts[side])
        if len(different) <= MOST_OF_A_SIDE:
            return side, names
        groups = {name: _group_of_side(name) for name in different}
        return side + GROUP, [groups[name] for name in names]

    def crossed_units(self, answers: Answers, *, side: str) -> Units:
        """The units on one side of crossed trials, of each row of the counts."""
        called, names = self._side(answers.texts, side)
        rows = self._rows(answers.items.ids, answers.texts)[1]
        return _units(called, dict(zip(rows, names)), set(answers.texts[side]))

    def row_numbers(self, answers: Answers) -> np.ndarray:
        return numbered(self.row_names(answers.items.ids, answers.texts))[1]

    def units(self, answers: Answers) -> Units:
        if self.other_unit:
            return self.crossed_units(answers, side=self.unit)
        called, names = self._rows(answers.items.ids, answers.texts)
        single = answers.texts.get(self.unit, ())
        different = set(single) if any(single) else answers.items.ids
        return _units(called, {name: name for name in names}, different)

    def scores(self, submitted: Answers) -> np.ndarray:
        return np.stack([submitted[column] for column in self.columns], axis=1)

    def likelihoods(self, submitted: Answers) -> np.ndarray:
        scores = self.scores(submitted)
        return _ratios(scores, self.contained) if self.out_of_set else _likelihoods(scores, self.contained)

    def partly_right(self, answers: Answers, right: np.ndarray) -> Answers:
        """A submission that is certain of the class of the chosen items, and as good as no scores for the others."""
        prior = np.zeros(len(self.sides)) if self.contained is None else self.contained
        scores = np.tile(np.asarray(prior, dtype=float), (len(right), 1))
        own = np.arange(len(self.sides)) == answers[LABEL][:, np.newaxis]
        certain = own.astype(float) if self.contained is not None else np.where(own, CERTAIN, -CERTAIN)
        scores[right] = certain[right]
        return Answers(answers.items, dict(zip(self.columns, scores.T)))

    def remarks(self, submitted: Answers) -> list[str]:
        alike = self.contained is None and look_like_posteriors(self.scores(submitted))
        return [PROBABILITIES] if alike else []


def _units(called: str, of: Mapping[str, str], different: Collection[str]) -> Units:
    return Units(called, of, len(different) if called.endswith(GROUP) else 0)


_GROUPS = np.array([f"group {place}" for place in range(MOST_ROWS)], dtype=object)


def groups_of_units(names: Sequence[str]) -> list[str]:
    """The random group of each unit, where there are more than `MOST_ROWS` of them; equal groups are one object."""
    numbers = np.fromiter(map(zlib.crc32, map(str.encode, names)), np.int64, len(names))
    groups: list[str] = _GROUPS[numbers % MOST_ROWS].tolist()
    return groups


def _group_of_side(name: str) -> str:
    return f"group {zlib.crc32(name.encode()) % MOST_OF_A_SIDE}"


def rows_of_whole(name: str) -> Iterator[str]:
    """The names that a row of a part of a set may have in the whole set, where its units may be grouped."""
    sides = [(side, _group_of_side(side)) for side in name.split(CROSSED)]
    yield from (name, *groups_of_units([name]), *map(CROSSED.join, product(*sides)))


def lengths(answers: Answers) -> Optional[np.ndarray]:
    """The lengths of segments; None if the reference has none."""
    start, end = (decimals(answers.texts.get(column, [""])) for column in SEGMENTS[1:])
    return None if start is None or end is None else end - start


def _label_cells(classes: tuple[str, ...], target: str) -> Parser:
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


def _likelihoods(scores: np.ndarray, contained: Optional[np.ndarray]) -> np.ndarray:
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


def _ratios(scores: np.ndarray, contained: Optional[np.ndarray]) -> np.ndarray:
    """The log-likelihood ratios of each class against everything else, of such ratios or of probabilities."""
    if contained is None:
        return scores
    priors = contained[:-1]
    with np.errstate(divide="ignore"):
        ratios = np.log(scores) - np.log1p(-scores) - np.log(priors) + np.log1p(-priors)
    return np.asarray(np.clip(ratios, -LARGEST_RATIO, LARGEST_RATIO))
