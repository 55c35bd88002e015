"""The board of one task, with what it can bear: intervals, ranks by resampling, clusters, ties.

Conventions: a *unit* is what the statistics are counted by (a speaker, a recording, a call, a response); rank 1 is
the best; equal scores, to the ten decimals that a platform stores, share the better rank.

- *Interval*: the score's 95 % percentile bootstrap over units, as its scoring program wrote it.
- *Rank interval*: every resample draws the same units for all systems and ranks them anew; from the 2.5th to the
  97.5th percentile of a system's ranks. A resample in which some system has no score is left out.
- *Difference of two systems*: paired randomisation (Noreen 1989; Yeh 2000). In each round the two systems swap
  their rows of statistics, unit by unit, with probability 1/2; p is the share of rounds, the observed one counted
  among them, whose difference in score is at least the observed one. A round without a score counts as one.
  Where the statistics of two systems are not on one scale (`OWN_SCALE`), the units' jackknife pseudo-values of the
  score are swapped instead.
- *Holm's correction* (1979) over all pairs: at most 5 % risk that any difference on the board is a chance one.
- *Cluster*: down the board, a new one begins with the first rank at which some system differs significantly from
  the first system of the current cluster. So nobody in a cluster is shown to differ from its first; that two of
  them are equal is not shown either.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bundling.board_tables import Table, task_tables
from bundling.manifest import Column, read_manifest
from bundling.scoring_outputs import OutputError, ScoringOutput
from spokeneval.metrics.bootstrap import (
    RESAMPLES,
    SEED,
    ScoreOfSums,
    bootstrap_scores,
    percentile_interval,
    resample_weights,
)
from spokeneval.results.uncertainty import Statistics, primary_interval

SIGNIFICANCE = 0.05

ROUNDS = 10_000
ROUNDS_A_PAIR = 40
"""Rounds for each pair on the board, where that is more: p can be no less than 1/rounds, and Holm's correction
multiplies it by the number of pairs."""

DECIMALS = 10
"""A platform stores a score to so many; what is equal to all of them is a tie."""

CLOSE = 1e-3
"""What a score of statistics may be off by: histograms and rounded moments give it to about 0.01 points."""

OWN_SCALE = frozenset({"merlion_identification", "content_accuracy"})
"""Tasks whose statistics are on a scale of each system's own (bins laid by its scores, moments counted from its
least prediction): rows of two systems cannot be swapped, their pseudo-values can."""

_BATCH = 1000


@dataclass(frozen=True)
class Row:
    """A system's place: its score, and what is known of how sure that is (None: not known)."""

    rank: int
    tied: bool
    name: str
    score: float
    interval: tuple[float, float] | None
    ranks: tuple[int, int] | None
    cluster: int | None
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Board:
    """The board of one task: rows from the best to the worst, the papers' tables, and how to read them.

    `units`: how many of what (`1000 responses`), None where no statistics were to be had.
    """

    task: str
    column: Column
    signature: str
    units: str | None
    rows: Sequence[Row]
    tables: Sequence[Table]
    notes: Sequence[str]


def make_board(
    root: Path, outputs: Sequence[ScoringOutput], *, progress: Callable[[str], None] = lambda step: None
) -> Board:
    """Rank the outputs of one task, from `bundling.scoring_outputs.read_outputs`.

    Parameters
    ----------
    root: the folder of `competition.yaml` and `scoring_program`.

    Raises
    ------
    OutputError: a task that is not in `competition.yaml`, or scores without its primary one.
    ManifestError: `competition.yaml` cannot be used.
    """
    task = outputs[0].task
    column = _primary_column(root, task)
    if column.key not in outputs[0].scores:
        raise OutputError([f"no score {column.key}, the primary one of {task}, in {outputs[0].name}"])
    stored = np.array([output.scores[column.key] for output in outputs])
    higher = column.direction == "higher"
    places = ranks(stored, higher=higher)
    names = [output.name for output in outputs]
    primary = getattr(_program(root, task), "primary", None)
    summed = [output.statistics for output in outputs if output.statistics is not None]
    intervals = [_stored_interval(output, column.key) for output in outputs]
    rank_intervals: list[tuple[int, int] | None] = [None] * len(outputs)
    clustered: list[int | None] = [None] * len(outputs)
    notes = _ties(places, names)
    units = None
    if primary is None or len(summed) < len(outputs):
        notes += _without_statistics(outputs, primary)
    else:
        units = f"{len(summed[0].units)} {summed[0].unit}s"
        values = np.stack([statistics.values for statistics in summed])
        notes += _disagreements(names, stored, primary(values.sum(axis=1)), outputs[0].signature)
        intervals = [
            known or _interval(statistics, primary, score)
            for known, statistics, score in zip(intervals, summed, stored, strict=True)
        ]
        if len(outputs) > 1:
            rank_intervals = [*rank_percentiles(joint_bootstrap(values, primary), higher=higher)]
            pairs = len(outputs) * (len(outputs) - 1) // 2
            rounds = max(ROUNDS, ROUNDS_A_PAIR * pairs)
            if task in OWN_SCALE:
                values, primary = pseudo_values(values, primary), _mean_of_units(len(values[0]))
            adjusted = holm(randomisation_tests(values, primary, rounds=rounds, progress=progress))
            clustered = [*clusters(places, adjusted <= SIGNIFICANCE)]
            notes += _how_compared(units, summed[0].unit, pairs, rounds)
    rows = [
        Row(
            rank=int(places[index]),
            tied=int((places == places[index]).sum()) > 1,
            name=names[index],
            score=float(stored[index]),
            interval=intervals[index],
            ranks=rank_intervals[index],
            cluster=clustered[index],
            scores=outputs[index].scores,
        )
        for index in sorted(range(len(outputs)), key=lambda index: (places[index], names[index]))
    ]
    ordered = [outputs[names.index(row.name)] for row in rows]
    return Board(task, column, outputs[0].signature, units, rows, task_tables(task, ordered), notes)


def _primary_column(root: Path, task: str) -> Column:
    bundles = read_manifest(root / "competition.yaml")
    for bundle in bundles:
        if bundle.task == task:
            return bundle.columns[0]
    known = ", ".join(sorted({bundle.task for bundle in bundles}))
    raise OutputError([f"no task {task} in competition.yaml; there are {known}"])


def _program(root: Path, task: str) -> Any:
    path = root / "scoring_program" / task / "score.py"
    spec = importlib.util.spec_from_file_location(f"scoring_program_{task}", path)
    if spec is None or spec.loader is None:
        raise OutputError([f"{path} cannot be loaded"])
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program


def _stored_interval(output: ScoringOutput, key: str) -> tuple[float, float] | None:
    ends = [output.scores.get(f"{key}_{end}") for end in ("low", "high")]
    return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])


def _interval(statistics: Statistics, primary: ScoreOfSums, score: float) -> tuple[float, float]:
    interval = primary_interval(statistics, primary, score)
    return interval.low, interval.high


def ranks(scores: np.ndarray, *, higher: bool) -> np.ndarray:
    """Ranks of scores, shape=(..., s), along the last axis: 1 and the number of better ones."""
    scores = np.round(scores if higher else -scores, DECIMALS)
    better = scores[..., np.newaxis, :] > scores[..., :, np.newaxis]
    places: np.ndarray = 1 + better.sum(axis=-1)
    return places


def joint_bootstrap(values: np.ndarray, primary: ScoreOfSums, *, resamples: int = RESAMPLES) -> np.ndarray:
    """Every system's score in each resample, shape=(resamples, s), from statistics of shape=(s, n, k)."""
    weights = resample_weights(values.shape[1], resamples=resamples)
    return np.stack([bootstrap_scores(mine, primary, weights) for mine in values], axis=1)


def rank_percentiles(scores: np.ndarray, *, higher: bool) -> list[tuple[int, int]]:
    """Each system's 95 % interval of ranks, from scores of shape=(r, s).

    From the first to the last rank where no resample has a score of every system.
    """
    complete = scores[~np.isnan(scores).any(axis=1)]
    if not len(complete):
        return [(1, scores.shape[1])] * scores.shape[1]
    intervals = map(percentile_interval, ranks(complete, higher=higher).T.astype(np.float64))
    return [(int(best), int(worst)) for best, worst in intervals]


def randomisation_tests(
    values: np.ndarray,
    primary: ScoreOfSums,
    *,
    rounds: int = ROUNDS,
    seed: int = SEED,
    progress: Callable[[str], None] = lambda step: None,
) -> np.ndarray:
    """Two-sided p of the difference of every two systems, shape=(s, s), from statistics of shape=(s, n, k).

    All pairs share the signs of a round. With signs of 1 (keep) and -1 (swap), the sums of A after swapping are
    (sum A + sum B + signed sum of A - signed sum of B) / 2, so each system is summed but once a round. A pair whose p
    is above `SIGNIFICANCE` whatever its other rounds bring gets no more of them.
    """
    systems, units, columns = values.shape
    sums = values.sum(axis=1)
    scores = primary(sums)
    flat = values.transpose(1, 0, 2).reshape(units, systems * columns)
    pairs = list(zip(*np.triu_indices(systems, 1), strict=True))
    extreme, drawn = np.zeros((2, systems, systems))
    state = np.random.RandomState(seed)
    for begin in range(0, rounds, _BATCH):
        size = min(_BATCH, rounds - begin)
        signs = 2.0 * state.randint(0, 2, size=(size, units)) - 1.0
        signed = (signs @ flat).reshape(size, systems, columns)
        for a, b in pairs:
            progress(f"comparing systems in pairs, round {begin} of {rounds}")
            both, apart = sums[a] + sums[b], signed[:, a] - signed[:, b]
            swapped = np.abs(primary((both + apart) / 2) - primary((both - apart) / 2))
            less = swapped < abs(scores[a] - scores[b]) - 10.0**-DECIMALS
            extreme[a, b] += np.count_nonzero(~less)
            drawn[a, b] += size
        pairs = [pair for pair in pairs if 1 + extreme[pair] <= SIGNIFICANCE * (1 + rounds)]
    p_values = np.triu((1 + extreme) / (1 + drawn), 1)
    return p_values + p_values.T + np.eye(systems)


def pseudo_values(values: np.ndarray, primary: ScoreOfSums) -> np.ndarray:
    """Jackknife pseudo-values, shape=(s, n, 1): what each unit adds to the score, n times the score less n - 1 times
    that of the other units; the score itself for a unit without which there is none.
    """
    units = values.shape[1]
    found = []
    for mine in values:
        total = mine.sum(axis=0)
        score, without = primary(total[np.newaxis])[0], primary(total - mine)
        found.append(units * score - (units - 1) * np.where(np.isnan(without), score, without))
    return np.stack(found)[:, :, np.newaxis]


def _mean_of_units(units: int) -> ScoreOfSums:
    return lambda sums: sums[:, 0] / units


def holm(p_values: np.ndarray) -> np.ndarray:
    """Holm's step-down adjustment over all pairs, shape=(s, s), symmetric: the i-th smallest of m times m - i + 1."""
    pairs = np.triu_indices(len(p_values), 1)
    found = p_values[pairs]
    order = np.argsort(found, kind="stable")
    steps = np.arange(len(found), 0, -1)
    adjusted = np.ones_like(p_values)
    stepped = np.empty_like(found)
    stepped[order] = np.minimum(1, np.maximum.accumulate(found[order] * steps))
    adjusted[pairs] = stepped
    return np.minimum(adjusted, adjusted.T)


def clusters(places: np.ndarray, differ: np.ndarray) -> list[int]:
    """Each system's cluster, 1 the best, from ranks, shape=(s,), and significant differences, bool, shape=(s, s)."""
    number, first = 0, None
    found = np.zeros(len(places), dtype=np.int64)
    for rank in np.unique(places):
        tied = np.flatnonzero(places == rank)
        if first is None or differ[first, tied].any():
            number, first = number + 1, tied[0]
        found[tied] = number
    return [int(cluster) for cluster in found]


# What is said below the board


def _ties(places: np.ndarray, names: Sequence[str]) -> list[str]:
    notes = []
    for rank in sorted(set(places.tolist())):
        tied = sorted(name for name, place in zip(names, places, strict=True) if place == rank)
        if len(tied) > 1:
            notes.append(f"Tie at rank {rank}: {', '.join(tied)} have the same score to {DECIMALS} decimals.")
    return notes


def _without_statistics(outputs: Sequence[ScoringOutput], primary: ScoreOfSums | None) -> list[str]:
    if primary is None:
        return ["Scores only: this task has no statistics to compare systems by."]
    missing = [output.name for output in outputs if output.statistics is None]
    who = "no output has" if len(missing) == len(outputs) else f"{_listed(missing)} came without"
    return [
        f"Scores only: {who} statistics.json, so whether two systems differ is not tested. Platforms withhold it "
        "where the labels are hidden, because it would spell them out. Get it at home: download the submissions, "
        "`build_bundle.py rehearse BUNDLE.zip TEAM.zip --statistics --keep DIR/TEAM` for each, then `rank DIR/*`."
    ]


def _listed(names: Sequence[str]) -> str:
    more = len(names) - 5
    return ", ".join(names[:5]) + (f" and {more} more" if more > 0 else "")


def _disagreements(names: Sequence[str], stored: np.ndarray, summed: np.ndarray, signature: str) -> list[str]:
    """Where statistics do not give the score they came with: approximate ones, or scores that were rounded."""
    apart = [
        f"{name} {mine:.6g} for {score:.6g}"
        for name, score, mine in zip(names, stored, summed, strict=True)
        if not abs(score - mine) <= CLOSE * max(1, abs(score))
    ]
    if not apart or "rounded" in signature.split("|"):
        return []
    shown = _listed(apart)
    return [f"The statistics give another score than the one they came with: {shown}."]


def _how_compared(units: str, unit: str, pairs: int, rounds: int) -> list[str]:
    return [
        f"Ranks: 95 % interval of the ranks in {RESAMPLES} bootstrap resamples of {units}, the same for all systems.",
        f"Clusters: a new one begins where a system differs from the first of the cluster above it (paired "
        f"randomisation by {unit}, {rounds} rounds, Holm's correction over {_count(pairs, 'pair')}, 5 %). Within a "
        "cluster no system is shown to differ from its first; that they are equal is not shown either.",
    ]


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
