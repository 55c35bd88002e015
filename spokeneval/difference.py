"""Two submissions side by side: what became better, what worse, and in which items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from .formats.problems import count_of, name
from .ranking.leaderboard import TextTable
from .ranking.writers import text_table
from .result import Result

SHOWN = 10
"""Number of items that became better, and worse, that are listed."""


class Change(NamedTuple):
    """An item, how right both answers to it are, from 0 to 1, and both answers as a report shows them."""

    item: str
    right: tuple[float, float]
    answers: tuple[Mapping[str, str], Mapping[str, str]]


@dataclass(frozen=True)
class Difference:
    """Two submissions on the same items. `str()` gives the text that ``python -m spokeneval diff`` prints.

    Attributes
    ----------
    names
        The names of both.
    results
        The results of both; the verdict of the second compares it with the first.
    numbers
        How many items became better, became worse, and stayed as right as they were.
    better, worse
        The items that changed most, at most `SHOWN` each.
    """

    names: tuple[str, str]
    results: tuple[Result, Result]
    numbers: tuple[int, int, int]
    better: Sequence[Change]
    worse: Sequence[Change]

    @property
    def verdict(self) -> str:
        """Whether the second is better than the first, with the paired interval of the difference, in words."""
        return self.results[1].verdict.replace("the baseline", name(self.names[0]))

    def __str__(self) -> str:
        rules, (first, second) = self.results[0].definition, self.results
        rows = []
        for score in rules.scores:
            values, digits = (first.scores[score.key], second.scores[score.key]), score.precision
            change = f"{values[1] - values[0]:+.{digits}f}"
            rows.append([score.heading, *(f"{value:.{digits}f}" for value in values), change])
        table = text_table(TextTable("", ["", *map(name, self.names), "change"], rows))
        lines = [f"{rules.title}: {count_of(first.items, 'item')}", "", table]
        better, worse, same = self.numbers
        lines += ["", *wrap(self.verdict, 100), ""]
        lines += [f"{count_of(better, 'item')} became better, {worse} worse, {same} unchanged."]
        for title, changes in (("Better", self.better), ("Worse", self.worse)):
            lines += ["", title] if changes else []
            lines += [line for change in changes for line in self._lines(change)]
        return "\n".join([*lines, "", first.signature])

    def _lines(self, change: Change) -> Iterator[str]:
        before, after = change.right
        yield f"  {name(change.item)}: {100 * before:.0f} % right, now {100 * after:.0f} %"
        for called, answers in zip(self.names, change.answers):
            for column, answer in answers.items():
                for line in answer.split("\n"):
                    yield f"    {name(called)}  {'' if column == 'Alignment' else column + ': '}{line}"

    def to_dict(self) -> dict[str, Any]:
        """The difference as it is written with ``--json``: numbers, texts, lists and dictionaries only."""
        return {
            "names": list(self.names),
            "results": [result.to_dict() for result in self.results],
            "verdict": self.verdict,
            **dict(zip(("better_items", "worse_items", "same_items"), self.numbers)),
            "better": [change._asdict() for change in self.better],
            "worse": [change._asdict() for change in self.worse],
        }


def difference_of(names: tuple[str, str], results: tuple[Result, Result]) -> Difference:
    """Compare the items of two results; the second was scored with the first as its baseline."""
    from .report.sections import rightness

    first, second = (rightness(result.definition, result.answered.scored) for result in results)
    change = second - first
    order = np.argsort(-np.abs(change), kind="stable")
    up, down = (order[change[order] > 0].tolist(), order[change[order] < 0].tolist())
    numbers = len(up), len(down), len(change) - len(up) - len(down)
    return Difference(names, results, numbers, _changes(results, up[:SHOWN]), _changes(results, down[:SHOWN]))


def _changes(results: tuple[Result, Result], rows: list[int]) -> list[Change]:
    from .report.sections import item_columns, plain_text

    sides = []
    for result in results:
        columns = item_columns(result.definition, result.answered.reference.labels, *result.answered[1:], rows)
        items, right = map(plain_text, columns.pop(next(iter(columns)))), columns.pop("Right")
        answers = [dict(zip(columns, map(plain_text, cells))) for cells in zip(*columns.values())]
        sides.append(list(zip(items, right, answers or [{} for _ in rows])))
    return [Change(item, (before, after), (old, new)) for (item, before, old), (_, after, new) in zip(*sides)]
