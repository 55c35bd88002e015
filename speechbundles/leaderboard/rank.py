"""The leaderboard of one task with its uncertainty: intervals of scores and ranks, differences, clusters, ties.

Scores that are equal to the ten decimals that a platform stores share the better rank. The interval of a score is the
one that its scoring program wrote. `spokeneval.ranking` compares the systems.
"""

import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np

from speechbundles.competition.read import read_competitions
from speechbundles.leaderboard import notes
from speechbundles.leaderboard.about import Description, folder_of, read_scored, read_systems
from speechbundles.leaderboard.conditions import (
    conditions_by_columns,
    read_conditions,
    scores_by_conditions,
)
from speechbundles.leaderboard.difficulty import explain, items_table
from speechbundles.leaderboard.given import MOST_SHOWN, no_board
from speechbundles.leaderboard.labelled_set import LabelledSet, find_labelled_set
from speechbundles.leaderboard.outputs import ScoringOutput, damage
from speechbundles.leaderboard.tables import task_tables
from speechbundles.model.competition import Competition
from speechbundles.model.sources import OWN_TASKS, Sources
from speechbundles.model.text import hint
from spokeneval.formats.problems import some_of
from spokeneval.formats.speakers import independence_note
from spokeneval.ranking.leaderboard import Leaderboard, System, TextTable
from spokeneval.ranking.notes import excluded, ties
from spokeneval.ranking.ranks import DECIMALS
from spokeneval.ranking.systems import rank_systems
from spokeneval.scoring.scored import FEWEST_UNITS, score_intervals
from spokeneval.task import ENDS, HIGHER, Column, Task

GIVE_COMPETITION = "Give the folder of your competition with --competition"


_Labels = tuple[LabelledSet, Mapping[str, Mapping[str, str]]]


class Breakdown(NamedTuple):
    """Tables of conditions and items that are added to a board.

    Attributes
    ----------
    conditions: a table with the condition of each unit or item; scores are broken down by it.
    by: columns of the organiser's reference; scores are broken down by each.
    submissions: the folder that was given to `score`; needed for a column whose values differ within a counted row.
    items: whether all items are listed, the hardest first.
    explain: a table with properties of items, which may explain why they are hard.
    within: a column of the organiser's reference; the properties are shown for each of its classes.
    """

    conditions: Path | None = None
    by: Sequence[str] = ()
    submissions: Path | None = None
    items: bool = False
    explain: Path | None = None
    within: str = ""


NOTHING = Breakdown()


def make_board(
    sources: Sources,
    outputs: Sequence[ScoringOutput],
    *,
    title: str = "",
    day: date | None = None,
    baseline: str = "",
    anonymous: bool = False,
    asked: Breakdown = NOTHING,
    progress: Callable[[str], None] = lambda step: None,
) -> Leaderboard:
    """Rank the outputs of one task.

    Parameters
    ----------
    sources: of the competition.
    outputs: as returned by `outputs.read_outputs`.
    title: of the board; default: the title that `score` recorded, else that of the only competition with the task.
    day: the date of the board.
    baseline: the name of the system that is marked as the baseline.
    anonymous: whether systems are named AAA, BBB, ... in the order of the board, systems without a score last, and
        are not described, except by their recogniser.
    asked: which tables of conditions and items are added.

    Raises
    ------
    OrganiserError: `competition.yaml` is unusable or lacks the task, the primary score is missing, the conditions do
        not match the units, no reference has the items, the baseline is not on the board, or `systems.csv` is unusable.
    """
    scored = [output for output in outputs if output.scores]
    folder = folder_of(outputs)
    recorded, phase = read_scored(folder) if folder else ("", "")
    task, competition, default = _find_task(sources, scored, recorded)
    column = _primary_column(task, competition, scored[0])
    present = [output.name for output in outputs]
    if baseline and baseline not in present:
        expected = f"expected one of {some_of(sorted(present), MOST_SHOWN)}"
        raise no_board(f"--baseline {baseline}: no such system{hint(baseline, present)}; {expected}")
    systems = read_systems(folder, present) if folder else {}
    sign = -1 if column.direction == HIGHER else 1
    scored.sort(key=lambda output: (np.round(sign * output.scores[column.key], DECIMALS), output.name))
    placed = scored + [output for output in outputs if not output.scores]
    aliases = {anonymous_name(place): output.name for place, output in enumerate(placed)} if anonymous else {}
    if aliases:
        placed = [replace(output, name=alias) for alias, output in zip(aliases, placed, strict=True)]
        baseline = next((alias for alias, name in aliases.items() if name == baseline), "")
        systems = {alias: systems[name].unnamed for alias, name in aliases.items() if name in systems}
    ranked, unscored = placed[: len(scored)], [output.name for output in placed[len(scored) :]]
    signature, is_known = ranked[0].signature, all(output.statistics for output in ranked)
    labels = _labels_asked_for(task, ranked, competition, asked)
    entries = [_system(task, output, is_known=is_known) for output in ranked]
    unofficial = {name for name, system in systems.items() if system.official.lower() == "no"}
    ranking = rank_systems(task, column, str(signature), entries, progress=progress, unofficial=unofficial)
    rows = [replace(row, recogniser=systems.get(row.name, Description()).recogniser) for row in ranking.rows]
    ranking = replace(ranking, rows=rows)
    ranked.sort(key=lambda output: ranking.names.index(output.name))
    phase = f"{phase} ({signature.part})" if signature.part else phase
    board = _with_tables(ranking, ranked, unscored, labels, asked)
    board = replace(board, title=title or recorded or default, phase=phase, day=day)
    return replace(board, marked=baseline, descriptions=systems, aliases=aliases)


def _with_tables(
    ranking: Leaderboard,
    ranked: Sequence[ScoringOutput],
    unscored: Sequence[str],
    labels: _Labels | None,
    asked: Breakdown,
) -> Leaderboard:
    """Return a ranking with the notes on its outputs, the trivial baselines, and further tables."""
    tables, files = _tables_of_items(ranking, ranked, labels, asked)
    is_known = all(output.statistics for output in ranked)
    trivial = notes.trivial_scores(ranked[0], ranking.column.precision) if is_known else {}
    remarks = [*notes.without_score(unscored), *ties(ranking.rows), *excluded(ranking.rows)]
    if ranked[0].statistics and is_known:
        remarks += filter(None, [independence_note(ranked[0].statistics.unit, ranking.own_task.declaration)])
        remarks += [*notes.beside_trivial(ranked[0], trivial), *notes.unchecked_labels(ranked)]
        remarks += notes.disagreements(ranking, ranked)
        remarks += ranking.notes or ["There is only one system, so nothing is compared."]
    else:
        remarks += notes.without_statistics(ranked)
    power = [ranking.power] if ranking.power else []
    called = [replace(output, name=row.called) for row, output in zip(ranking.rows, ranked, strict=True)]
    tables = [*task_tables(ranking.own_task.name, called), *power, *tables]
    return replace(ranking, notes=remarks, unscored=unscored, trivial=trivial, tables=tables, files=files)


def _find_task(
    sources: Sources, outputs: Sequence[ScoringOutput], recorded: str
) -> tuple[Task, Competition | None, str]:
    """Return the task of outputs, the competition, None if it is unknown, and the default title of the board."""
    name = outputs[0].signature.task
    competitions = read_competitions(sources)
    own = {competition["title"]: competition for competition in competitions if competition.task == name}
    competition = own.get(recorded, next(iter(own.values()), None))
    declared = next(
        (output.definition for output in outputs if output.definition and output.definition.declaration), None
    )
    task = declared or (competition.definition if competition else None)
    if task is None:
        known = sorted({competition.task for competition in competitions})
        what = f"competition.yaml has no task {name}; expected one of {', '.join(known)}"
        if outputs[0].signature.code:
            what = f"{name} is written in Python by its organiser; code is never taken from an output"
        raise no_board(f"{what}. {GIVE_COMPETITION}")
    _require_code(task, outputs)
    task = outputs[0].signature.ranked(task)
    return task, competition, next(iter(own)) if len(own) == 1 else task.title


def _primary_column(task: Task, competition: Competition | None, output: ScoringOutput) -> Column:
    """Return the column of the primary score, with the organiser's precision if the competition is known."""
    known = next(iter(competition.columns), None) if competition else None
    column = known if known and known.key == task.primary.key else task.columns[0]
    if column.key not in output.scores:
        raise no_board(f"{output.name} has no score {column.key}, the primary score of {task.name}")
    return Column(*column[:4])


def anonymous_name(place: int) -> str:
    """Return the name of the system at a position: AAA, BBB, ... ZZZ, then AAAA and so on."""
    rounds, letter = divmod(place, len(string.ascii_uppercase))
    return string.ascii_uppercase[letter] * (3 + rounds)


def _system(task: Task, output: ScoringOutput, *, is_known: bool) -> System:
    """Return a system with the intervals in its output and, if the counts of all systems are known, those from them.

    Scores in steps have none: the ends that version 0.3.0 wrote beside them have the width of another interval. Nor
    have scores over fewer than `FEWEST_UNITS` units; a platform's columns have theirs, because they must be numbers.
    """
    scores, (low, high) = output.scores, ENDS
    intervals: dict[str, tuple[float, float]] = {}
    counted = output.statistics if is_known else None
    if output.statistics is None or len(output.statistics.units) >= FEWEST_UNITS:
        written = [key for key in scores if {key + low, key + high} <= scores.keys()]
        if not output.signature.coarse:
            intervals |= {key: (scores[key + low], scores[key + high]) for key in written}
        if counted is not None:
            computed = score_intervals(task, scores, counted.parts)
            intervals |= {
                key: (each.low, each.high) for key, each in computed.items() if key not in intervals
            }
    return System(output.name, scores, intervals, counted)


def _labels_asked_for(
    task: Task, outputs: Sequence[ScoringOutput], competition: Competition | None, asked: Breakdown
) -> _Labels | None:
    """Return the labels and conditions that tables need, or None. Refuses before systems are compared.

    Raises
    ------
    OrganiserError: there are no statistics, labels or submissions for a table.
    """
    if asked.conditions is None and not (asked.by or asked.items or asked.explain):
        return None
    summed = [output.statistics for output in outputs if output.statistics is not None]
    if len(summed) < len(outputs):
        raise no_board(
            "--conditions, --by, --items and --explain need statistics.json in every output; "
            "score the submissions with `score` to get it"
        )
    if not (asked.by or asked.explain):
        return None
    if competition is None:
        raise no_board(f"competition.yaml has no task {task.name}. {GIVE_COMPETITION}")
    gold = find_labelled_set(competition, summed[0].rows[0])
    return gold, conditions_by_columns(asked.by, gold, summed[0].rows[0], asked.submissions)


def _tables_of_items(
    ranking: Leaderboard, outputs: Sequence[ScoringOutput], labels: _Labels | None, asked: Breakdown
) -> tuple[list[TextTable], dict[str, TextTable]]:
    """Return the tables that are asked for, and those that have a file of their own, by its name."""
    tables: list[TextTable] = []
    summed = [output.statistics for output in outputs if output.statistics is not None]
    task, column = ranking.own_task, ranking.column
    files = {"items.csv": items_table(task, summed)} if asked.items else {}
    if asked.conditions is not None:
        given = read_conditions(asked.conditions, summed[0].units, summed[0].rows[0])
        tables += scores_by_conditions({"condition": given}, outputs, task, column)
    if labels is None:
        return tables, files
    gold, by = labels
    tables += scores_by_conditions(by, outputs, gold.task, column, (gold, asked.submissions))
    explained = explain(asked.explain, asked.within, gold, task, summed) if asked.explain else {}
    return [*tables, *explained.values()], files | explained


def _require_code(task: Task, outputs: Sequence[ScoringOutput]) -> None:
    """Refuse outputs of another version of an organiser's own task, and statistics that it cannot have written."""
    code = outputs[0].signature.code
    if code != task.code:
        raise no_board(
            f"the outputs were scored with another {OWN_TASKS}/{task.name}.py ({code or 'none'}; yours is "
            f"{task.code or 'none'}). Build a bundle from the present file, and score the submissions again"
        )
    unknown = [(output.name, output.statistics) for output in outputs if output.definition is None]
    damaged = {name: damage(task, statistics) for name, statistics in unknown if statistics is not None}
    if any(damaged.values()):
        raise no_board(*(f"{name}: {what}" for name, what in damaged.items() if what))
