"""Two submissions side by side: what became better, what worse, and in which items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from .formats.problems import count_of, name
from .ranking.leaderboard import TextTable
from .ranking.writers import text_table
from .result import Result

if TYPE_CHECKING:
    from .report.side_by_side import Change

SHOWN = 10
"""Number of items that became better, and worse, that are listed."""


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

    def report(self) -> str:
        """The page of both submissions as HTML: scores, the cheapest gains, and every item that changed or is wrong."""
        from .report.side_by_side import page_of_two

        task, labels = self.results[0].definition, self.results[0].answered.reference.labels
        return page_of_two(task, labels, self.names, [result.answered[1:] for result in self.results])

    def __str__(self) -> str:
        from .report.side_by_side import score_rows

        task, (first, second) = self.results[0].definition, self.results
        rows = score_rows(task, first.scores, second.scores)
        table = text_table(TextTable("", ["", *map(name, self.names), "change"], rows))
        lines = [f"{task.title}: {count_of(first.items, 'item')}", "", table]
        better, worse, same = self.numbers
        lines += ["", *wrap(self.verdict, 100), ""]
        lines += [f"{count_of(better, 'item')} became better, {worse} worse, {same} unchanged."]
        for title, listed in (("Better", self.better), ("Worse", self.worse)):
            lines += ["", title] if listed else []
            lines += [line for change in listed for line in self._lines(change)]
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
    from .report.side_by_side import changes, order_of

    task, labels, sides = (
        results[0].definition,
        results[0].answered.reference.labels,
        [result.answered[1:] for result in results],
    )
    order, change = order_of(task, sides)
    up, down = ([row for row in order if change[row] * sign > 0] for sign in (1, -1))
    better, worse = (changes(task, labels, sides, rows[:SHOWN]) for rows in (up, down))
    numbers = len(up), len(down), len(order) - len(up) - len(down)
    return Difference(names, results, numbers, better, worse)
