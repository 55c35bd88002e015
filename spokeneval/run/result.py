"""The result of scoring: scores with their intervals, as text, JSON, a data frame or a plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from textwrap import wrap
from typing import Any

from ..formats.problems import count_of
from ..formats.speakers import independence_note
from ..task import Number, Task
from .interval import FEWEST_UNITS
from .output import score_table
from .scoring import Scored

SHOWN = 20
"""Up to this many rows that were left out are listed; further ones are counted."""


@dataclass(frozen=True)
class Result:
    """The result of scoring a submission. `str()` gives the table that the command line prints.

    Attributes
    ----------
    task
        The name of the task.
    scores
        The scores, ``key -> score``, the primary score first.
    intervals
        The 95 % confidence intervals, ``key -> (low, high)``, of all scores except counts and flags; empty with fewer
        than four units.
    items
        The number of scored items.
    unit
        The kind of unit over which intervals are computed, such as ``speaker``.
    units
        The number of units.
    signature
        How the result was computed. Compare two results only if their signatures are the same.
    rules
        The task itself, with the titles and definitions of its scores.
    left_out
        The rows of the reference that were left out because they are invalid, each with its problem.
    warnings
        What makes the result doubtful, such as a column of speakers with another name, which is not used.
    """

    task: str
    scores: Mapping[str, Number]
    intervals: Mapping[str, tuple[float, float]]
    items: int
    unit: str
    units: int
    signature: str
    rules: Task = field(repr=False, compare=False)
    left_out: Sequence[str] = ()
    warnings: Sequence[str] = ()

    def __str__(self) -> str:
        over = f"intervals over {count_of(self.units, self.unit)}"
        if self.units < FEWEST_UNITS:
            over = f"no {over} ({FEWEST_UNITS} needed)"
        lines = [f"{self.rules.title}: {count_of(self.items, 'item')}, {over}", ""]
        lines += score_table(self.rules, self.scores, self.intervals)
        note = independence_note(self.unit, self.rules.declaration) if self.intervals else ""
        for warning in self.warnings or ([note] if note else []):
            lines += ["", *wrap(warning, 80)]
        lines += ["", *without(self.left_out)] if self.left_out else []
        return "\n".join([*lines, "", self.signature])

    def to_dict(self) -> dict[str, Any]:
        """The result as it is written with ``--json``: numbers, texts, lists and dictionaries only."""
        declaration = self.rules.declaration
        return {
            "task": self.task,
            **({"declaration": dict(declaration)} if declaration else {}),
            "scores": dict(self.scores),
            "intervals": {
                score.key: list(self.intervals[score.key]) if score.key in self.intervals else None
                for score in self.rules.scores
                if score.limits or score.interval
            },
            "items": self.items,
            "unit": self.unit,
            "units": self.units,
            "signature": self.signature,
            **({"left_out": list(self.left_out)} if self.left_out else {}),
            **({"warnings": list(self.warnings)} if self.warnings else {}),
        }

    def to_frame(self) -> Any:
        """The scores as a pandas data frame with a row for each: `title`, `score`, `low`, `high`.

        Raises
        ------
        ImportError
            pandas is not installed.
        """
        ends = [self.intervals.get(score.key, (None, None)) for score in self.rules.scores]
        columns = {
            "title": [score.heading for score in self.rules.scores],
            "score": list(self.scores.values()),
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
        }
        return data_frame(columns, index=list(self.scores))

    def plot(self) -> Any:
        """Draw the scores with their intervals, and return the matplotlib figure.

        Raises
        ------
        ImportError
            matplotlib is not installed.
        """
        shown = [score for score in self.rules.scores if score.key in self.intervals]
        figure = new_figure(len(shown))
        for axes, score in zip(figure.subplots(len(shown), squeeze=False)[:, 0], shown):
            axes.plot(self.intervals[score.key], (0, 0), linewidth=2)
            axes.plot(self.scores[score.key], 0, "o", color="C0")
            axes.set_yticks([0], labels=[score.heading])
            axes.margins(x=0.1)
        return figure


def data_frame(columns: Mapping[str, Any], **arguments: Any) -> Any:
    """A pandas data frame."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise ImportError("to_frame() needs pandas; install it with pip install pandas") from None
    return pandas.DataFrame(columns, **arguments)


def new_figure(rows: int) -> Any:
    """An empty matplotlib figure for some rows."""
    try:
        pyplot = import_module("matplotlib.pyplot")
    except ImportError:
        raise ImportError("plot() needs matplotlib; install it with pip install matplotlib") from None
    return pyplot.figure(figsize=(6, 0.8 + 0.45 * rows), layout="constrained")


def without(left_out: Sequence[str]) -> list[str]:
    """Lines on the rows of a reference that were left out."""
    more = [f"  and {len(left_out) - SHOWN} more"] if len(left_out) > SHOWN else []
    rows = [f"  {row}" for row in left_out[:SHOWN]]
    return ["Invalid rows of the reference are left out, which biases the set:", *rows, *more]


def ends_of(scored: Scored) -> dict[str, tuple[float, float]]:
    """The intervals to show, `key -> (low, high)`."""
    return {key: (low, high) for key, (low, high, _) in scored.shown_intervals.items()}
