"""Comparison of systems outside any bundle, for `spokeneval.compare` and the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from textwrap import fill
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from ..formats.problems import FileProblems, SubmissionError, count_of
from ..formats.speakers import independence_note
from ..run.library import STRICT, Reading, read_gold, require_data, score_against
from ..run.output import write_file
from ..run.result import data_frame, ends_of, without
from ..run.statistics import primary_matrix
from ..task import HIGHER, Task
from .latex import to_latex
from .notes import how_compared, ties
from .power_table import power_table
from .systems import Order, Pair, Row, compare_systems, ordered, rows_of
from .tables import Table, heading, pairs_table, pairs_to_csv, ranking_table, text_table, to_csv, to_dict

FILES = ("board.csv", "pairs.csv", "board.tex")
"""The files of a comparison, as `rank --out` writes them."""


class Column(NamedTuple):
    """How the primary score is shown."""

    key: str
    title: str
    direction: str
    precision: int


@dataclass(frozen=True)
class Comparison:
    """Systems on the same items, from best to worst. `str()` gives the tables that the command line prints.

    Attributes
    ----------
    task
        The name of the task.
    rows
        A row for each system: ``rank``, ``name``, ``score``, its ``interval``, ``ranks`` (the best and the worst, with
        95 % confidence for all systems together), ``cluster``, and all ``scores`` and ``intervals``.
    pairs
        Every two systems, by their positions in `rows`: ``difference`` of the primary scores, its ``interval``, ``p``
        of the randomisation test, and ``adjusted``, p after Holm's correction. Empty for more than 100 systems, and
        for fewer than 4 units.
    units
        The number and kind of the units, such as ``24 speakers``.
    signature
        How the results were computed.
    notes
        How systems were compared, and which assumptions were made.
    power
        The statistical power of larger test sets, as a table; None if no two neighbours have a difference that varies.
    rules
        The task itself.
    column
        The title, direction and decimals of the primary score.
    warnings
        The `notes` that are warnings about the data, as in a `Result`.
    """

    task: str
    rows: Sequence[Row]
    pairs: Sequence[Pair]
    units: str
    signature: str
    notes: Sequence[str]
    power: Optional[Table]
    rules: Task = field(repr=False, compare=False)
    column: Column = field(repr=False)
    warnings: Sequence[str] = ()

    unscored = ()

    @property
    def names(self) -> list[str]:
        """The names of the systems, from best to worst."""
        return [row.name for row in self.rows]

    def __str__(self) -> str:
        tables = [
            ranking_table(self),
            *([pairs_table(self.pairs, self.names, self.column)] if self.pairs else []),
        ]
        tables += [self.power] if self.power else []
        first, *others = (text_table(table) for table in tables)
        titles = (table.title for table in tables[1:])
        parts = [f"{heading(self)}\n{self.signature}", first]
        parts += [fill(note, 100, initial_indent="  ", subsequent_indent="  ") for note in self.notes]
        for title, table in zip(titles, others):
            parts += [title, table]
        if self.power:
            parts.append(fill(self.power.note, 100, initial_indent="  ", subsequent_indent="  "))
        return "\n\n".join(parts)

    def to_csv(self) -> str:
        """The ranking as CSV, as in ``board.csv`` of `rank`."""
        return to_csv(self)

    def pairs_to_csv(self) -> str:
        """The pairs as CSV, as in ``pairs.csv`` of `rank`."""
        return pairs_to_csv(self.pairs, self.names)

    def to_latex(self) -> str:
        """The ranking as a LaTeX file, as ``board.tex`` of `rank`; a comment at its top names the packages."""
        return to_latex(self)

    def write(self, folder: Any) -> None:
        """Write ``board.csv``, ``pairs.csv`` and ``board.tex`` to a folder."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        for file, text in zip(FILES, (self.to_csv(), self.pairs_to_csv(), self.to_latex())):
            write_file(Path(folder) / file, text)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as it is written with ``--json``: numbers, texts, lists and dictionaries only."""
        power = asdict(self.power) if self.power else None
        warnings = {"warnings": list(self.warnings)} if self.warnings else {}
        return {**to_dict(self, self.pairs), "power": power, **warnings}

    def to_frame(self) -> Any:
        """The ranking as a pandas data frame with a row for each system, in the order of the ranks.

        Raises
        ------
        ImportError
            pandas is not installed.
        """
        best, worst = zip(*(row.ranks for row in self.rows if row.ranks))
        columns: dict[str, Any] = {
            "rank": [row.rank for row in self.rows],
            "best_rank": best,
            "worst_rank": worst,
            "cluster": [row.cluster for row in self.rows],
            **{key: [row.scores[key] for row in self.rows] for key in self.rows[0].scores},
        }
        return data_frame(columns, index=self.names)


def compare_data(
    default: Task,
    reference: Any,
    submissions: Mapping[str, Any],
    chosen: Mapping[str, str],
    reading: Reading = STRICT,
    *,
    progress: Callable[[str], None] = lambda step: None,
) -> Comparison:
    """Score systems against one reference and compare them; see `spokeneval.compare`."""
    if not isinstance(submissions, Mapping):
        raise TypeError(f"the submissions are {submissions!r:.60}; expected a mapping from names of systems")
    if len(submissions) < 2:
        raise ValueError(f"{count_of(len(submissions), 'submission')}; expected those of two systems or more")
    if len(set(map(str, submissions))) < len(submissions):
        raise ValueError(f"two systems have the same name; found {', '.join(map(str, submissions))}")
    require_data(reference=reference, **{f"submission {name}": data for name, data in submissions.items()})
    gold = read_gold(default, reference, chosen, reading)
    scored = {}
    refused = []
    for name, submission in submissions.items():
        try:
            scored[str(name)] = score_against(gold, submission)
        except SubmissionError as error:
            refused.append((str(name), error))
    if refused:
        raise _all_refusals(refused)
    task = gold.task
    column = Column(*task.columns[0][:3], task.primary.precision)
    names, places = ordered(
        {name: system.scores[column.key] for name, system in scored.items()},
        higher=task.primary.direction == HIGHER,
    )
    best_first = [scored[name] for name in names]
    statistics = [system.statistics for system in best_first]
    values = np.stack([primary_matrix(task, each) for each in statistics])
    order: Order = compare_systems(task, statistics, values, places, progress=progress)
    keys = [score.key for score in task.scores]
    rows = rows_of(
        column.key,
        names,
        places,
        [{key: system.scores[key] for key in keys} for system in best_first],
        [ends_of(system) for system in best_first],
        order,
    )
    unit, number = statistics[0].unit, len(statistics[0].units)
    units = count_of(number, unit)
    remarks = [" ".join(without(gold.left_out))] if gold.left_out else []
    remarks += ties(places, names)
    remarks += gold.warnings or filter(None, [independence_note(unit, task.declaration)])
    remarks += how_compared(units, unit, len(names), number)
    power = power_table(order.pairs, names, unit, number, column, task.primary.limits)
    return Comparison(
        task.name,
        rows,
        order.pairs,
        units,
        str(gold.settings.signature),
        remarks,
        power[0] if power else None,
        task,
        column,
        gold.warnings,
    )


def _all_refusals(refused: Sequence[tuple[str, FileProblems]]) -> SubmissionError:
    """One error with the problems of all systems; the name of the system is before that of the file."""
    problems = [
        replace(problem, file=f"{name}/{problem.file}")
        for name, error in refused
        for problem in error.summarised
    ]
    return SubmissionError(problems, place=refused[0][1].place)
