"""One ranking of systems over several tasks.

The joint score is computed again in each bootstrap resample, with the ranks or the totals of this resample. Units of
the same kind and name in several tasks, such as speakers, are one unit, which a resample draws for all of them; tasks
without common units are resampled independently. Ranges of ranks and clusters are from the stepwise p-values of
`ranks.lead_p_values`, with as many units as the task with the fewest has. A mean rank jumps where two systems change
places, so its true value is understood as its mean over test sets of the same size.

Neuhof and Benjamini, Rank intervals for leaderboards (arXiv 2606.08679, 2026), predict ranks in further tasks instead.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType
from typing import Any, Callable, NamedTuple

import numpy as np

from ..formats.problems import count_of, some_of
from ..formats.speakers import unit_noun
from ..metrics.bootstrap import SEED, bootstrap_scores, resample_weights
from ..scoring.scored import Interval, Statistics
from ..task import HIGHER
from .joint_rule import BASELINE, EXCLUDED, MEAN_RANK, JointRule, joint_scores_of
from .leaderboard import UNOFFICIAL, Entry, JointBaseline, Leaderboard, Pair, System
from .multiple_comparisons import SIGNIFICANCE, clusters
from .notes import how_joined, how_scored, one_side, ties
from .randomisation import MOST_SWAPPED
from .ranks import LEAST, infers_ranks, lead_p_values, ranks, ranks_known, shared_places

NO_INTERVAL = Interval(math.nan, math.nan, math.nan)

_VERY_MANY = 10**6
"""So many units have normal errors."""


class _Entries(NamedTuple):
    """The tasks and the names of the systems of a joint ranking. In tables, the baseline comes after them."""

    rule: JointRule
    tasks: Mapping[str, Leaderboard]
    names: Sequence[str]

    @property
    def higher(self) -> list[bool]:
        """For each task, whether higher scores are better."""
        return [ranking.column.direction == HIGHER for ranking in self.tasks.values()]

    @property
    def shown(self) -> list[str]:
        """The systems, then the baseline."""
        return [*self.names, *([self.rule.baseline] if self.rule.baseline else [])]

    @property
    def exact(self) -> np.ndarray:
        """The scores in the tasks, shape (1, s, t); NaN where a system has none."""
        return self.table(1, lambda task, system: system.scores[self.tasks[task].column.key])

    def table(self, sets: int, value: Callable[[str, System], Any]) -> np.ndarray:
        """The values of each system in each task, shape (sets, s, t)."""
        rows = {name: row for row, name in enumerate(self.shown)}
        values = np.full((sets, len(rows), len(self.tasks)), np.nan)
        for place, (task, ranking) in enumerate(self.tasks.items()):
            for system in ranking.systems:
                if system.name in rows:
                    values[:, rows[system.name], place] = value(task, system)
        return values

    def counted(self, weights: Mapping[str, np.ndarray]) -> np.ndarray:
        """The scores in the tasks, shape (r, s, t), from counts and the weights of each task's units, shape (r, n)."""

        def weighted(task: str, system: System) -> Any:
            own = self.tasks[task].own_task
            rows = own.part(own.primary, system.statistics.parts) if system.statistics else None
            return bootstrap_scores(rows, own.primary.value, weights[task])

        return self.table(len(next(iter(weights.values()))), weighted)

    def joint(self, scores: np.ndarray) -> np.ndarray:
        """The joint scores, shape (r, s), of scores in the tasks, shape (r, s, t)."""
        present, ranked = ~np.isnan(self.exact[0]), len(self.names)
        return joint_scores_of(self.rule, [*self.tasks], self.higher, scores, present, ranked, ranked)

    def joint_of_ranked(self, scores: np.ndarray) -> np.ndarray:
        """The joint scores of all systems but the baseline."""
        return self.joint(scores)[:, : len(self.names)]


def join_tasks(tasks: Mapping[str, Leaderboard], rule: JointRule) -> Leaderboard:
    """Rank systems by a joint score of several tasks.

    Parameters
    ----------
    tasks
        The rankings of the tasks, ``name -> ranking``. A system has the same name in all of them.

    Raises
    ------
    ValueError
        The rule does not fit the tasks; all problems are listed.
    """
    problems = rule.problems({task: ranking.own_task.primary for task, ranking in tasks.items()})
    lacking = [task for task, own in tasks.items() if rule.baseline and rule.baseline not in own.names]
    without = f"{rule.baseline} has no score in {' and '.join(lacking)}" if lacking else ""
    entered = {task: {system.name for system in ranking.systems} for task, ranking in tasks.items()}
    named = {name for task, ranking in tasks.items() for name in (*entered[task], *ranking.unscored)}
    absent = f"; expected one of {some_of(sorted(named))}" if rule.baseline not in named else ""
    problems += [f"baseline: {without}{absent}"] if without and (absent or rule.missing == BASELINE) else []
    if problems:
        raise ValueError("; ".join(problems))
    names = sorted(named - {rule.baseline})
    excluded = rule.missing == EXCLUDED
    late = {row.name for own in tasks.values() for row in own.rows if row.excluded == UNOFFICIAL}
    reasons = {name: why_apart(name, entered, rule.compulsory, excluded=excluded) for name in names}
    reasons |= dict.fromkeys(late.intersection(names), UNOFFICIAL)
    apart = {name: why for name, why in reasons.items() if why}
    ranked = [name for name in names if name not in apart]
    shown = {task: ranking for task, ranking in tasks.items() if entered[task].intersection(ranked)}
    column = rule.column([ranking.column for ranking in tasks.values()])
    if not ranked:
        return Leaderboard(column, (), rule=rule, tasks=tasks, apart=apart)
    entries, higher = _Entries(rule, shown, ranked), column.direction == HIGHER
    scores, own = np.split(entries.joint(entries.exact)[0], [len(ranked)])
    if np.isnan(scores).any():
        raise ValueError(f"rule: {rule.rule} is undefined, because all scores in a task are 0")
    order = np.argsort(ranks(scores, higher=higher), kind="stable")
    entries, scores = entries._replace(names=[ranked[index] for index in order]), scores[order]
    rows, exact = _rows(entries, scores, higher=higher), entries.exact[0]
    baseline = None
    if rule.baseline:
        total = None if lacking else float(own[0])
        baseline = JointBaseline(rule.baseline, total, _present(exact[-1], shown))
    notes = [*how_scored(rule, [task for task in tasks if task not in shown], without), *ties(rows)]
    board = Leaderboard(column, rows, notes=notes, rule=rule, tasks=tasks, apart=apart, baseline=baseline)
    return _compared(board, entries, scores)


def _rows(entries: _Entries, scores: np.ndarray, *, higher: bool) -> list[Entry]:
    """The rows of the ranked systems, in order, with their scores and ranks in the tasks."""
    exact, tasks = entries.exact[0, : len(scores)], list(entries.tasks)
    within = [ranks(exact[:, task], higher=up).tolist() for task, up in enumerate(entries.higher)]
    shared = shared_places(ranks(scores, higher=higher).tolist())
    rows = []
    for place, (name, (rank, tied)) in enumerate(zip(entries.names, shared)):
        own = _present(exact[place], tasks)
        places = {task: of_all[place] for task, of_all in zip(tasks, within) if task in own}
        rows.append(Entry(rank, tied, name, float(scores[place]), scores=own, places=places))
    return rows


def _present(values: np.ndarray, tasks: Collection[str]) -> dict[str, float]:
    """The scores of a system in the tasks in which it has one."""
    return {task: value for task, value in zip(tasks, values.tolist()) if value == value}


def why_apart(
    name: str,
    entered: Mapping[str, set[str]],
    compulsory: Collection[str],
    *,
    excluded: bool,
    called: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Why a system is not ranked; empty if it is.

    Parameters
    ----------
    entered
        The systems with a score in each task.
    excluded
        Whether a system needs a score in every task.
    called
        What tasks are called, if not by their names.
    """
    lacking = [task for task, names in entered.items() if name not in names]
    excluded = excluded or len(lacking) == len(entered)
    needed = [task for task in lacking if task in compulsory]
    why = f"no score in {' and '.join(called.get(task, task) for task in needed or lacking)}"
    if needed:
        return f"{why}, which {'is' if len(needed) == 1 else 'are'} compulsory"
    return why if lacking and excluded else ""


def _compared(board: Leaderboard, entries: _Entries, scores: np.ndarray) -> Leaderboard:
    """The board with ranges of ranks, clusters and pairs, if the counts of its systems are known."""
    number, higher = len(entries.names), board.column.direction == HIGHER
    systems = [system for ranking in entries.tasks.values() for system in ranking.systems]
    is_known = all(system.statistics for system in systems if system.name in entries.shown)
    if not 1 < number <= MOST_SWAPPED or not is_known:
        return board
    counts = {
        task: next(system.statistics for system in ranking.systems if system.statistics)
        for task, ranking in entries.tasks.items()
    }
    groups = tasks_with_common_units(counts)
    least = min(len(own.units) for own in counts.values())
    single, adjusted = joint_p_values(
        entries.joint_of_ranked,
        entries.counted({task: np.ones((1, len(own.units))) for task, own in counts.items()}),
        entries.counted(joint_weights(counts, groups)),
        units=least,
        higher=higher,
        jumps=entries.rule.rule == MEAN_RANK,
    )
    pairs = [
        Pair(
            *both,
            float(scores[both[0]] - scores[both[1]]),
            NO_INTERVAL,
            float(single[both]),
            float(adjusted[both]),
        )
        for both in combinations(range(number), 2)
    ]
    better = np.triu(adjusted <= SIGNIFICANCE, 1)
    named = [" and ".join(group) if len(group) < 3 else some_of(group) for group in groups]
    units = " and ".join(
        f"{_units_of(group, entries.tasks, counts)} of {tasks}" for group, tasks in zip(groups, named)
    )
    notes = how_joined(units, number, least, common=len(groups) < len(counts))
    notes += [f"{task}: {note}" for task, own in entries.tasks.items() for note in one_side(own.own_task)]
    found = zip(board.rows, ranks_known(better), clusters(ranks(scores, higher=higher), better | better.T))
    rows = [replace(row, ranks=ends, cluster=cluster) for row, ends, cluster in found]
    return replace(board, rows=rows, units=units, pairs=pairs, notes=[*board.notes, *notes])


def joint_p_values(
    joint: Callable[[np.ndarray], np.ndarray],
    scores: np.ndarray,
    resampled: np.ndarray,
    *,
    units: int,
    higher: bool,
    jumps: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """The p-values of the leads of joint scores, and those after the stepwise correction, as `lead_p_values`.

    A mean rank jumps: if the order is the same in nearly all resamples, it shows no error. So the scores of a resample
    are moved away from the observed ones as Student's t is wider than the normal distribution, p is at least twice the
    share of resamples in which the lead is lost, and the number of units plays no further part.

    Parameters
    ----------
    joint
        A function from scores in the tasks, shape (r, s, t), to joint scores, shape (r, s).
    scores : ndarray, shape (1, s, t)
        The scores in the tasks.
    resampled : ndarray, shape (r, s, t)
        The scores in each resample.
    units
        The fewest units of a task.
    jumps
        Whether the joint score is a mean rank.
    """
    (observed,) = joint(scores)
    if not jumps or not infers_ranks(units):
        return lead_p_values(observed, joint(resampled), units=units, higher=higher)
    varied = np.random.RandomState(SEED).chisquare(units - 2, (len(resampled), 1, 1)) / (units - 2)
    drawn = joint(scores + (resampled - scores) * np.sqrt(units / (units - 1) / varied))
    drawn = drawn[~np.isnan(drawn).any(axis=1)]
    single, adjusted = lead_p_values(observed, drawn, units=_VERY_MANY, higher=higher)
    ahead = (drawn[:, :, np.newaxis] - drawn[:, np.newaxis]) * np.sign(observed[:, np.newaxis] - observed)
    lost = np.minimum(1.0, 2 * (ahead <= LEAST).mean(axis=0)) if len(drawn) else 1.0
    return np.maximum(single, lost), np.maximum(adjusted, lost)


def _units_of(
    group: Sequence[str], tasks: Mapping[str, Leaderboard], counts: Mapping[str, Statistics]
) -> str:
    """The number and kind of the units of tasks with common units."""
    units = {name for task in group for name in counts[task].units}
    return count_of(len(units), unit_noun(counts[group[0]].unit, tasks[group[0]].own_task.declaration))


def tasks_with_common_units(counts: Mapping[str, Statistics]) -> list[list[str]]:
    """The tasks in groups: tasks in different groups have no unit in common."""
    named = {task: {(own.unit, name) for name in own.units} for task, own in counts.items()}
    groups: list[list[str]] = []
    for task, units in named.items():
        joined = [group for group in groups if any(units & named[other] for other in group)]
        groups = [group for group in groups if group not in joined]
        groups.append([*(other for group in joined for other in group), task])
    return groups


def joint_weights(counts: Mapping[str, Statistics], groups: Sequence[Sequence[str]]) -> dict[str, np.ndarray]:
    """How often each resample draws each unit, shape (resamples, n) for each task.

    A resample of a group of tasks draws as many units as they have together.
    """
    weights = {}
    for number, group in enumerate(groups):
        names = dict.fromkeys(name for task in group for name in counts[task].units)
        places = {name: place for place, name in enumerate(names)}
        drawn = resample_weights(len(names), seed=SEED + number)
        for task in group:
            weights[task] = drawn[:, [places[name] for name in counts[task].units]]
    return weights
