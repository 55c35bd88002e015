"""The result of scoring: scores with their intervals, as text, JSON, a data frame, plots or a report page."""

from __future__ import annotations

import copyreg
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from textwrap import wrap
from typing import Any, NamedTuple

from .challenges import find_task, task_names
from .formats.problems import count_of
from .formats.speakers import independence_note, unseen_share
from .kinds.declared import declared_task
from .scoring.groups import GroupScores, group_scores
from .scoring.library import (
    STRICT,
    Reading,
    given_units,
    read_answers,
    read_for_scoring,
    require_data,
    score_against,
)
from .scoring.output import score_table
from .scoring.reference import Reference
from .scoring.scored import FEWEST_UNITS, Scored, beside, score_both_submissions, score_submission
from .task import Number, Task

SHOWN = 20
"""Up to this many rows that were left out are listed; further ones are counted."""


class Answered(NamedTuple):
    """What a result was computed from: the reference, the submission as its format reads it, and the counts."""

    reference: Reference
    submission: Any
    scored: Scored


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The result of scoring a submission. `str()` gives the table that the command line prints; a notebook shows it as
    a table. A result can be copied and pickled, except that of a task written in Python outside this package.

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
    definition
        The task itself, with the titles and definitions of its scores.
    answered
        The reference, the submission and the counts, for `plot`, `items_table` and `report`.
    left_out
        The rows of the reference that were left out because they are invalid, each with its problem.
    warnings
        What makes the result doubtful, such as a column of speakers with another name, which is not used.
    groups
        The scores of each group of `by`, ``group -> GroupScores``: `scores`, `intervals`, and the number of `units`.
    """

    definition: Task
    answered: Answered
    left_out: Sequence[str] = ()
    warnings: Sequence[str] = ()
    groups: Mapping[str, GroupScores] = field(default_factory=dict)

    def _facts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _FACTS}

    def __repr__(self) -> str:
        return f"Result({', '.join(f'{name}={value!r}' for name, value in self._facts().items())})"

    def __eq__(self, other: object) -> bool:
        return self._facts() == other._facts() if isinstance(other, Result) else NotImplemented

    @property
    def task(self) -> str:
        return self.definition.name

    @property
    def scores(self) -> Mapping[str, Number]:
        return self.answered.scored.values

    @property
    def intervals(self) -> Mapping[str, tuple[float, float]]:
        return ends_of(self.answered.scored)

    @property
    def items(self) -> int:
        return len(self.answered.reference.labels.items)

    @property
    def unit(self) -> str:
        return self.answered.scored.statistics.unit

    @property
    def units(self) -> int:
        return len(self.answered.scored.statistics.units)

    @property
    def signature(self) -> str:
        return str(self.answered.scored.chosen.signature)

    @property
    def baseline(self) -> Mapping[str, Number]:
        """The scores of the baseline; empty without a baseline."""
        known = self.answered.scored.settings.baseline
        return {key: known[key] for key in self.scores if key in known}

    @property
    def verdict(self) -> str:
        """Whether the submission is better than the baseline: the difference of the primary scores with its paired 95 %
        interval, in words; empty without a baseline."""
        from .report.verdict import public_verdict

        scored = self.answered.scored
        if not self.baseline:
            return ""
        found = public_verdict(
            self.definition, scored, scored.settings, self.definition.view.broken(scored.totals)
        )
        return f"{found.words} {found.reason}".strip()

    @property
    def score(self) -> Number:
        """The primary score."""
        return self.scores[self.definition.primary.key]

    def _repr_html_(self) -> str:
        from .report.page import paragraph, table

        rows = [
            [
                score.heading,
                f"{self.scores[score.key]:.{score.precision}f}",
                " to ".join(f"{end:.{score.precision}f}" for end in self.intervals.get(score.key, ())),
            ]
            for score in self.definition.scores
        ]
        shown = table(self.definition.title, ["Score", "", "95 % interval"], rows, shown=len(rows))
        return shown.markup + paragraph(self.signature).markup

    def __str__(self) -> str:
        over = f"intervals over {count_of(self.units, self.unit)}"
        if self.units < FEWEST_UNITS:
            over = f"no {over} ({FEWEST_UNITS} needed)"
        lines = [f"{self.definition.title}: {count_of(self.items, 'item')}, {over}", ""]
        lines += score_table(self.definition, self.scores, self.intervals, self.baseline)
        lines += ["", *wrap(self.verdict, 80)] if self.baseline else []
        lines += self._group_lines() if self.groups else []
        note = independence_note(self.unit, self.definition.declaration) if self.intervals else ""
        for warning in self.warnings or ([note] if note else []):
            lines += ["", *wrap(warning, 80)]
        lines += ["", *without(self.left_out)] if self.left_out else []
        return "\n".join([*lines, "", self.signature])

    def _group_lines(self) -> list[str]:
        """The primary score of each group."""
        primary, width = self.definition.primary, max(map(len, self.groups))
        lines = ["", f"{primary.heading} by group"]
        for name, group in self.groups.items():
            line = (
                f"  {name:<{width}}  {group.scores[primary.key]:>10.4f}   {count_of(group.units, self.unit)}"
            )
            ends = group.intervals.get(primary.key)
            lines.append(f"{line}   95 % interval {ends[0]:.4f} to {ends[1]:.4f}" if ends else line)
        return lines

    def to_dict(self) -> dict[str, Any]:
        """The result as it is written with ``--json``: numbers, texts, lists and dictionaries only."""
        declaration = self.definition.declaration
        return {
            "task": self.task,
            **({"declaration": dict(declaration)} if declaration else {}),
            "scores": dict(self.scores),
            "intervals": {
                score.key: list(self.intervals[score.key]) if score.key in self.intervals else None
                for score in self.definition.scores
                if score.limits or score.interval
            },
            "items": self.items,
            "unit": self.unit,
            **{"units": self.units, "unseen": unseen_share(self.units)},
            "signature": self.signature,
            **({"baseline": dict(self.baseline), "verdict": self.verdict} if self.baseline else {}),
            **({"groups": {key: each._asdict() for key, each in self.groups.items()}} if self.groups else {}),
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
        ends = [self.intervals.get(score.key, (None, None)) for score in self.definition.scores]
        columns = {
            "title": [score.heading for score in self.definition.scores],
            "score": list(self.scores.values()),
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
        }
        return data_frame(columns, index=list(self.scores))

    def items_table(self) -> Any:
        """The items as a pandas data frame with a row for each, worst first.

        Returns
        -------
        DataFrame
            How correct each answer is, from 0 to 1, and both sides: of transcripts their `Alignment`, otherwise
            classes, scores or ratings. A row is a recording for turns, and a unit for scores of classes and for
            decisions about units.

        Raises
        ------
        ImportError
            pandas is not installed.
        """
        from .report.sections import items, plain_text

        columns = items(self.definition, self.answered.reference.labels, *self.answered[1:])
        texts = {name: list(map(plain_text, cells)) for name, cells in columns.items() if name != "Right"}
        return data_frame({**columns, **texts}).set_index(next(iter(columns)))

    def report(self) -> str:
        """The report page as HTML: scores, intervals, plots, the largest sources of error, and the worst items."""
        from .report.results import scored_page

        reference, submission, scored = self.answered
        return scored_page(self.definition, scored.settings, scored.scores, scored, reference, submission)

    def plot(self, kind: str = "scores") -> Any:
        """Draw a plot, and return the matplotlib figure.

        Parameters
        ----------
        kind
            ``scores``: the scores with their intervals. ``confusion``: how often each class is answered for each class,
            for decisions and identification. ``det`` and ``reliability``, for identification: the detection error
            trade-off, and scores against the log-likelihood ratios that the labels give.

        Raises
        ------
        ValueError
            The task has no such plot.
        ImportError
            matplotlib is not installed.
        """
        if kind != "scores":
            from .report.sections import plots

            found = plots(self.definition, self.answered.reference.labels, *self.answered[1:])
            if kind not in found:
                raise ValueError(
                    f"no plot {kind!r} of {self.task}; expected one of {', '.join(['scores', *found])}"
                )
            draw, *size = found[kind]
            figure = new_figure(figsize=size)
            draw(figure)
            return figure
        shown = [score for score in self.definition.scores if score.key in self.intervals]
        figure = new_figure(figsize=(6, 0.8 + 0.45 * len(shown)), layout="constrained")
        for axes, score in zip(figure.subplots(len(shown), squeeze=False)[:, 0], shown):
            axes.plot(self.intervals[score.key], (0, 0), linewidth=2)
            axes.plot(self.scores[score.key], 0, "o", color="C0")
            axes.set_yticks([0], labels=[score.heading])
            axes.margins(x=0.1)
        return figure


_FACTS = (
    *("task", "scores", "intervals", "items", "unit", "units", "signature"),
    *("left_out", "warnings", "groups"),
)
"""What a result shows, and what equal results have in common."""


def data_frame(columns: Mapping[str, Any], **arguments: Any) -> Any:
    """A pandas data frame."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise ImportError("to_frame() needs pandas; install it with pip install pandas") from None
    return pandas.DataFrame(columns, **arguments)


def new_figure(**arguments: Any) -> Any:
    """An empty matplotlib figure."""
    try:
        pyplot = import_module("matplotlib.pyplot")
    except ImportError:
        raise ImportError("plot() needs matplotlib; install it with pip install matplotlib") from None
    return pyplot.figure(**arguments)


def without(left_out: Sequence[str]) -> list[str]:
    """Lines on the rows of a reference that were left out."""
    more = [f"  and {len(left_out) - SHOWN} more"] if len(left_out) > SHOWN else []
    rows = [f"  {row}" for row in left_out[:SHOWN]]
    counted = re.match(r"\d+ rows? of the \d+ in ", left_out[0])  # this line says whether the set is biased
    biases = "" if counted else ", which biases the set"
    return [f"Invalid rows of the reference are left out{biases}:", *rows, *more]


def ends_of(scored: Scored) -> dict[str, tuple[float, float]]:
    """The intervals to show, `key -> (low, high)`."""
    return {key: (low, high) for key, (low, high, _) in scored.shown_intervals.items()}


def score_data(
    default: Task,
    reference: Any,
    submission: Any,
    chosen: Mapping[str, str],
    reading: Reading = STRICT,
    *,
    baseline: Any = None,
    by: Any = None,
) -> Result:
    """Score a submission against a reference; see `spokeneval.score`."""
    require_data(reference=reference, submission=submission)
    gold = read_for_scoring(default, reference, chosen, reading)
    answers = read_answers(gold, submission)
    if baseline is not None:
        gold = gold._replace(settings=beside(gold.task, gold.settings, score_against(gold, baseline)))
    scored = score_submission(gold.task, gold.reference.labels, answers, gold.settings)
    groups = group_scores(gold.task, gold.reference, answers, scored, by) if by is not None else {}
    return Result(gold.task, Answered(gold.reference, answers, scored), gold.left_out, gold.warnings, groups)


def score_both(
    task: Task, sides: Sequence[Any], chosen: Mapping[str, str], reading: Reading
) -> tuple[Result, Result]:
    """Score two submissions against a reference, which is first; the first is the baseline of the second."""
    gold = read_for_scoring(task, sides[0], chosen, reading)
    first, second = (read_answers(gold, side) for side in sides[1:])
    scored = score_both_submissions(gold.task, gold.reference.labels, (first, second), gold.settings)
    answered = (Answered(gold.reference, *side) for side in zip((first, second), scored))
    one, other = (Result(gold.task, each, gold.left_out, gold.warnings) for each in answered)
    return one, other


def _same_task(name: str, declaration: Mapping[str, Any], chosen: Mapping[str, str], units: Any) -> Task:
    task = (declared_task(name, declaration) if declaration else find_task(name)).with_options(chosen)
    return replace(task, units=units) if units else task


def _reduced(task: Task) -> tuple[Any, ...]:
    """A task as `pickle` keeps it: what it was made from, because its functions cannot be pickled."""
    if not task.declaration and (task.code or task.name not in task_names()):
        raise TypeError(f"{task.name} is written in Python and cannot be pickled; use a declaration")
    given = task.units if getattr(task.units, "func", None) is given_units else None
    return _same_task, (task.name, dict(task.declaration), dict(task.chosen), given)


copyreg.pickle(Task, _reduced)
