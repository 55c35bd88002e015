"""Comparison of systems outside any bundle, for `spokeneval.compare` and the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Optional

import numpy as np

from ..formats.problems import FileProblems, SubmissionError, count_of
from ..formats.speakers import independence_note
from ..result import data_frame, ends_of, without
from ..scoring.groups import rows_of_groups
from ..scoring.library import (
    STRICT,
    Reading,
    ReadReference,
    read_answers,
    read_for_scoring,
    require_data,
)
from ..scoring.output import write_file
from ..scoring.scored import Scored, score_submission
from ..task import Task
from .group_differences import GroupPair, group_pairs, group_table
from .joint import join_tasks
from .joint_rule import JointRule
from .latex import table_to_latex, to_latex
from .leaderboard import Leaderboard, System
from .multiple_comparisons import stepped_down
from .notes import excluded, ties
from .systems import rank_systems
from .writers import apart_table, pairs_table, pairs_to_csv, ranking_table, to_csv, to_dict, to_text

FILES = ("board.csv", "pairs.csv", "board.tex")
"""The files of a comparison, as `rank --out` writes them."""


@dataclass(frozen=True)
class Comparison(Leaderboard):
    """Systems on the same items, from best to worst. `str()` gives the tables that the command line prints.

    Attributes
    ----------
    task
        The name of the task.
    rows
        A row for each system: ``rank``, ``name``, ``score``, its ``interval``, ``ranks`` (the best and the worst, with
        95 % confidence for all systems together), ``cluster``, and all ``scores`` and ``intervals``.
    pairs
        The pairs of systems, by their positions in `rows`: ``difference`` of the primary scores, its ``interval``,
        ``p`` of the randomisation test, and ``adjusted``, p after Holm's correction. Empty for more than 100 systems,
        and for fewer than 4 units.
    units
        The number and kind of the units, such as ``24 speakers``.
    signature
        How the results were computed.
    notes
        How systems were compared, and which assumptions were made.
    definition
        The task itself.
    column
        The title, direction and decimals of the primary score.
    warnings
        The `notes` that are warnings about the data, as in a `Result`.
    remarks
        The `notes` about the data and the rows; the others explain the method.
    groups
        The pairs of groups of `by` within each system: ``difference`` of the primary scores, its ``interval``, ``p`` of
        a t test over units, and ``adjusted``, p after Holm's correction over all systems and pairs of groups.
    """

    warnings: Sequence[str] = ()
    remarks: Sequence[str] = ()
    groups: Sequence[GroupPair] = ()

    @property
    def task(self) -> str:
        """The name of the task."""
        return self.own_task.name

    def __str__(self) -> str:
        tables = [pairs_table(self)] if self.pairs else []
        tables += [group_table(self.groups, self.column)] if self.groups else []
        return to_text(f"{self.heading}\n{self.signature}", ranking_table(self), self.notes, tables)

    def to_csv(self) -> str:
        """The ranking as CSV, as in ``board.csv`` of `rank`."""
        return to_csv(self)

    def pairs_to_csv(self) -> str:
        """The pairs as CSV, as in ``pairs.csv`` of `rank`."""
        return pairs_to_csv(self)

    def to_latex(
        self, scores: Sequence[str] = (), *, label: str = "", caption: str = "", digits: Optional[int] = None
    ) -> str:
        r"""The ranking as a LaTeX file, as ``board.tex`` of `rank`; a comment at its top names the packages.

        Parameters
        ----------
        scores : sequence of str
            The keys of the scores to show, each with its interval; otherwise the primary score.
        label : str
            The label for ``\ref``.
        caption : str
            The caption; otherwise the task, the score and the units.
        digits : int, optional
            The number of decimals of scores and intervals.
        """
        known = {column.key: column for column in self.own_task.columns[: len(self.own_task.scores)]}
        unknown = [key for key in scores if key not in known]
        if unknown:
            raise ValueError(f"scores: {', '.join(unknown)}; expected some of {', '.join(known)}")
        table = ranking_table(self, [known[key] for key in scores], digits)
        return table_to_latex(replace(table, title=caption or table.title), label)

    def write(self, folder: Any) -> None:
        """Write ``board.csv``, ``pairs.csv`` and ``board.tex`` to a folder."""
        _write(self, folder)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as it is written with ``--json``: numbers, texts, lists and dictionaries only."""
        warnings = {"warnings": list(self.warnings)} if self.warnings else {}
        groups = {"groups": [pair._asdict() for pair in self.groups]} if self.groups else {}
        return {**to_dict(self), **warnings, **groups}

    def to_frame(self) -> Any:
        """The ranking as a pandas data frame with a row for each system, in the order of the ranks.

        Raises
        ------
        ImportError
            pandas is not installed.
        """
        best, worst = zip(*(row.ranks or (None, None) for row in self.rows))
        columns: dict[str, Any] = {
            "rank": [None if row.excluded else row.rank for row in self.rows],
            "best_rank": best,
            "worst_rank": worst,
            "cluster": [row.cluster for row in self.rows],
            **{key: [row.scores[key] for row in self.rows] for key in self.rows[0].scores},
        }
        return data_frame(columns, index=self.names)


@dataclass(frozen=True)
class JointComparison(Leaderboard):
    """Systems in several tasks, from best to worst by a joint score: their `rows`, `places` in the tasks, `pairs` and
    `notes`; `apart` has the systems that are not ranked. `str()` gives the tables that the command line prints."""

    def __str__(self) -> str:
        tables = [apart_table(self.apart)] if self.apart else []
        tables += [pairs_table(self)] if self.pairs else []
        signatures = (f"{task}: {board.signature}" for task, board in self.tasks.items())
        return "\n\n".join([to_text(self.heading, ranking_table(self), self.notes, tables), *signatures])

    def to_csv(self) -> str:
        """The joint ranking as CSV; systems that are not ranked come last, with the reason."""
        return to_csv(self)

    def to_latex(self) -> str:
        """The joint ranking as a LaTeX file; a comment at its top names the packages."""
        return to_latex(self)

    def write(self, folder: Any) -> None:
        """Write ``board.csv``, ``pairs.csv`` and ``board.tex`` to a folder."""
        _write(self, folder)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as it is written with ``--json``: numbers, texts, lists and dictionaries only."""
        return to_dict(self)


def _write(board: Leaderboard, folder: Any) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    for file, text in zip(FILES, (to_csv(board), pairs_to_csv(board), to_latex(board))):
        write_file(Path(folder) / file, text)


def compare_joined(results: Mapping[str, Leaderboard], rule: JointRule) -> JointComparison:
    """Rank the systems of several comparisons by a joint score; see `spokeneval.compare_tasks`."""
    for task, result in results.items():
        if not isinstance(result, Leaderboard):
            raise TypeError(f"{task} is {result!r:.60}; expected the result of `compare`")
    return JointComparison(**vars(join_tasks(results, rule)))


def compare_data(
    default: Task,
    reference: Any,
    submissions: Mapping[str, Any],
    chosen: Mapping[str, str],
    reading: Reading = STRICT,
    *,
    baseline: str = "",
    by: Any = None,
    power: bool = False,
) -> Comparison:
    """Score systems against one reference and compare them; see `spokeneval.compare`."""
    if not isinstance(submissions, Mapping):
        raise TypeError(f"the submissions are {submissions!r:.60}; expected a mapping from names of systems")
    if len(submissions) < 2:
        raise ValueError(f"{count_of(len(submissions), 'submission')}; expected those of two systems or more")
    if len(set(map(str, submissions))) < len(submissions):
        raise ValueError(f"two systems have the same name; found {', '.join(map(str, submissions))}")
    if baseline and baseline not in map(str, submissions):
        raise ValueError(
            f"baseline: no system {baseline!r:.60}; expected one of {', '.join(map(str, submissions))}"
        )
    require_data(reference=reference, **{f"submission {name}": data for name, data in submissions.items()})
    gold = read_for_scoring(default, reference, chosen, reading)
    answers, scored = _scored(gold, submissions)
    task = gold.task
    keys = [score.key for score in task.scores]
    systems = [
        System(name, {key: system.scores[key] for key in keys}, ends_of(system), system.statistics)
        for name, system in sorted(scored.items())
    ]
    ranking = rank_systems(task, task.columns[0], str(gold.settings.signature), systems, power=power)
    unit = systems[0].statistics.unit if systems[0].statistics else ""
    remarks = [" ".join(without(gold.left_out))] if gold.left_out else []
    remarks += [*ties(ranking.rows), *excluded(ranking.rows)]
    remarks += gold.warnings or filter(None, [independence_note(unit, task.declaration)])
    pairs = ranking.pairs
    if baseline:
        place = ranking.names.index(baseline)
        pairs = [pair for pair in pairs if place in (pair.first, pair.second)]
        adjusted = stepped_down(np.array([pair.p for pair in pairs]))
        pairs = [replace(pair, adjusted=float(p)) for pair, p in zip(pairs, adjusted)]
        remarks += [
            f"Differences are those to {baseline}; Holm's correction is over {count_of(len(pairs), 'pair')}."
        ]
    counted = {
        name: rows_of_groups(task, gold.reference, answers[name], own, by)
        for name, own in scored.items()
        if by is not None
    }
    found = {**vars(ranking), "pairs": pairs, "notes": [*remarks, *ranking.notes]}
    groups = group_pairs(task, counted) if counted else ()
    return Comparison(**found, warnings=gold.warnings, remarks=remarks, groups=groups)


def _scored(gold: ReadReference, submissions: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Scored]]:
    """The answers and the scores of each system."""
    answers, scored, refused = {}, {}, []
    for name, submission in submissions.items():
        try:
            answers[str(name)] = own = read_answers(gold, submission)
            scored[str(name)] = score_submission(gold.task, gold.reference.labels, own, gold.settings)
        except SubmissionError as error:
            refused.append((str(name), error))
    if refused:
        raise _all_refusals(refused)
    return answers, scored


def _all_refusals(refused: Sequence[tuple[str, FileProblems]]) -> SubmissionError:
    """One error with the problems of all systems; the name of the system is before that of the file."""
    problems = [
        replace(problem, file=f"{name}/{problem.file}")
        for name, error in refused
        for problem in error.summarised
    ]
    return SubmissionError(problems, place=refused[0][1].place)
