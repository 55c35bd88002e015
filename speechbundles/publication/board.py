"""The leaderboard of one task with its uncertainty: intervals of scores and ranks, differences, clusters, ties.

Scores that are equal to the ten decimals that a platform stores share the better rank. The interval of a score is the
one that its scoring program wrote. The module `comparison` compares the systems.
"""

import string
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np

from speechbundles.competition.read import read_competitions
from speechbundles.model.competition import Column, Competition
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import OWN_TASKS, Sources
from speechbundles.model.text import hint
from speechbundles.publication import notes
from speechbundles.publication.about import MOST_SHOWN, About, folder_of, read_scored, read_systems
from speechbundles.publication.conditions import read_conditions, scores_by_columns, scores_by_condition
from speechbundles.publication.difficulty import NO_DIFFICULTY, Difficulty, abilities_table, item_difficulty
from speechbundles.publication.flags import explain_flags
from speechbundles.publication.gold import find_gold
from speechbundles.publication.outputs import ScoringOutput, damage, no_board
from speechbundles.publication.papers import task_tables
from spokeneval.formats.problems import count_of, some_of
from spokeneval.formats.speakers import independence_note
from spokeneval.ranking.notes import how_compared, ties
from spokeneval.ranking.power_table import power_table
from spokeneval.ranking.systems import Order, Row, compare_systems, ordered, rows_of
from spokeneval.ranking.tables import Table
from spokeneval.run.interval import score_intervals
from spokeneval.run.statistics import primary_matrix, primary_of_sums
from spokeneval.task import ENDS, Score, Task


@dataclass(frozen=True)
class Board:
    """The leaderboard of one task: rows from best to worst, further tables, and notes.

    Attributes
    ----------
    about: the competition, the phase and the systems.
    units: the number and kind of the units (`1000 responses`); None without statistics.
    compared: the comparison of the systems, by their positions in `rows`; None if they could not be compared.
    unscored: systems without a score.
    trivial: the scores of the trivial baselines as they are shown, `answer -> score`.
    difficulty: of the items; None unless it was asked for and can be estimated.
    indicators: of every item; None without flags.
    """

    about: About
    rules: Task
    column: Column
    signature: str
    units: str | None
    rows: Sequence[Row]
    compared: Order | None
    unscored: Sequence[str]
    aliases: Mapping[str, str]
    tables: Sequence[Table]
    notes: Sequence[str]
    trivial: Mapping[str, str]
    difficulty: Difficulty | None = None
    indicators: Table | None = None


def make_board(
    sources: Sources,
    outputs: Sequence[ScoringOutput],
    *,
    title: str = "",
    day: date | None = None,
    baseline: str = "",
    anonymous: bool = False,
    conditions: Path | None = None,
    by: Sequence[str] = (),
    submissions: Path | None = None,
    items: bool = False,
    flags: Path | None = None,
    progress: Callable[[str], None] = lambda step: None,
) -> Board:
    """Rank the outputs of one task.

    Parameters
    ----------
    sources: of the competition.
    outputs: as returned by `outputs.read_outputs`.
    title: of the board; default: the title that `score` recorded, else that of the only competition with the task.
    day: the date of the board.
    baseline: the name of the system that is marked as the baseline.
    anonymous: whether systems are named AAA, BBB, ... in the order of the board, systems without a score last, and
        are not described.
    conditions: a table with the condition of each unit or item; scores are broken down by it.
    by: columns of the organiser's reference; scores are broken down by each.
    submissions: the folder that was given to `score`; needed for a column whose values differ within a counted row.
    items: whether the difficulty of items and the ability of systems are estimated.
    flags: a table of annotators' flags, to explain the difficulty of items.

    Raises
    ------
    OrganiserError: `competition.yaml` is unusable or lacks the task, the primary score is missing, the conditions do
        not match the units, no reference has the items, the baseline is not on the board, or `systems.csv` is unusable.
    """
    scored = [output for output in outputs if output.scores]
    task = scored[0].task
    folder = folder_of(outputs)
    recorded, phase = read_scored(folder) if folder else ("", "")
    competitions = read_competitions(sources)
    own = {competition["title"]: competition for competition in competitions if competition.task == task}
    competition = own.get(recorded, next(iter(own.values()), None))
    tasks = {competition.task for competition in competitions}
    declared = next((output.rules for output in scored if output.rules and output.rules.declaration), None)
    rules = declared or (competition.rules if competition else None)
    if rules is None:
        raise _no_task(task, tasks, scored[0].signature.code)
    _require_code(rules, scored)
    column = _primary_column(rules, competition)
    if column.key not in scored[0].scores:
        raise no_board([f"{scored[0].name} has no score {column.key}, the primary score of {task}"])
    higher = column.direction == "higher"
    present = [output.name for output in outputs]
    if baseline and baseline not in present:
        expected = some_of(sorted(present), MOST_SHOWN)
        raise no_board(
            [f"--baseline {baseline}: no such system{hint(baseline, present)}; expected one of {expected}"]
        )
    systems = read_systems(folder, present) if folder and not anonymous else {}
    by_name = {output.name: output for output in scored}
    best_first, places = ordered(
        {name: output.scores[column.key] for name, output in by_name.items()}, higher=higher
    )
    placed = [by_name[name] for name in best_first] + [output for output in outputs if not output.scores]
    aliases = {anonymous_name(place): output.name for place, output in enumerate(placed)} if anonymous else {}
    if aliases:
        placed = [replace(output, name=alias) for alias, output in zip(aliases, placed, strict=True)]
        baseline = next((alias for alias, name in aliases.items() if name == baseline), "")
    ranked, unscored = placed[: len(scored)], [output.name for output in placed[len(scored) :]]
    names = [output.name for output in ranked]
    stored = np.array([output.scores[column.key] for output in ranked])
    summed = [output.statistics for output in ranked if output.statistics is not None]
    intervals = [_stored_intervals(output) for output in ranked]
    compared: Order | None = None
    tables = task_tables(task, ranked)
    difficulty: Difficulty | None = None
    indicators: Table | None = None
    remarks = notes.without_score(unscored) + ties(places, names)
    units = None
    trivial: Mapping[str, str] = {}
    if len(summed) < len(ranked):
        remarks += notes.without_statistics(ranked)
        if conditions is not None or by or items or flags is not None:
            raise no_board(
                [
                    "--conditions, --by, --items and --flags need statistics.json in every output; "
                    "score the submissions with `score` to get it"
                ]
            )
    else:
        unit, number = summed[0].unit, len(summed[0].units)
        units = count_of(number, unit)
        values = np.stack([primary_matrix(rules, statistics) for statistics in summed])
        primary = primary_of_sums(rules, summed[0])
        remarks += [note for note in [independence_note(unit, rules.declaration)] if note]
        trivial = notes.trivial_scores(ranked[0], column.precision)
        remarks += notes.beside_trivial(ranked[0], trivial)
        remarks += notes.unchecked_labels(ranked)
        remarks += notes.disagreements(names, stored, primary(values.sum(axis=1)))
        for output, statistics, known in zip(ranked, summed, intervals, strict=True):
            found = score_intervals(rules, output.scores, statistics.parts)
            known.update({key: (found[key].low, found[key].high) for key in found if key not in known})
        if len(ranked) > 1:
            compared = compare_systems(rules, summed, values, places, progress=progress)
            remarks += how_compared(units, unit, len(summed), number)
            tables += power_table(compared.pairs, names, unit, number, column, rules.primary.limits)
        else:
            remarks.append("There is only one system, so nothing is compared.")
        difficulty = item_difficulty(rules, summed) if items else None
        if difficulty is not None:
            tables.append(abilities_table(difficulty, names))
        elif items:
            remarks.append(NO_DIFFICULTY)
        counted = summed[0].rows[0]
        if conditions is not None:
            given = read_conditions(conditions, summed[0].units, counted)
            tables.append(scores_by_condition("condition", given, names, rules, summed, column))
        if by or flags is not None:
            if competition is None:
                raise _no_task(task, tasks)
            gold = find_gold(competition, counted)
            tables += scores_by_columns(by, gold, ranked, summed, column, submissions)
            if flags is not None:
                of_set = next(iter(gold.columns.values())).keys()
                explained, indicators = explain_flags(flags, of_set, rules, summed)
                tables += explained
    rows = rows_of(column.key, names, places, [output.scores for output in ranked], intervals, compared)
    part = ranked[0].signature.part
    title = title or recorded or (next(iter(own)) if len(own) == 1 else rules.title)
    about = About(title, f"{phase} ({part})" if part else phase, day, baseline, systems)
    return Board(
        about,
        rules,
        column,
        str(ranked[0].signature),
        units,
        rows,
        compared,
        unscored,
        aliases,
        tables,
        remarks,
        trivial,
        difficulty,
        indicators,
    )


def anonymous_name(place: int) -> str:
    """Return the name of the system at a position: AAA, BBB, ... ZZZ, then AAAA and so on."""
    rounds, letter = divmod(place, len(string.ascii_uppercase))
    return string.ascii_uppercase[letter] * (3 + rounds)


def _primary_column(rules: Task, competition: Competition | None) -> Column:
    """Return the column of the primary score, with the organiser's precision if the competition is known."""
    if competition is not None:
        return competition.columns[0]
    return Column(**rules.columns[0]._asdict(), precision=rules.primary.precision)


def _no_task(task: str, known: Collection[str], code: str = "") -> OrganiserError:
    what = f"competition.yaml has no task {task}; expected one of {', '.join(sorted(known))}"
    if code:
        what = f"{task} is written in Python by its organiser; code is never taken from an output"
    return no_board([f"{what}. Give the folder of your competition with --competition"])


def _require_code(rules: Task, outputs: Sequence[ScoringOutput]) -> None:
    """Refuse outputs of another version of an organiser's own task, and statistics that it cannot have written."""
    code = outputs[0].signature.code
    if code != rules.code:
        raise no_board(
            [
                f"the outputs were scored with another {OWN_TASKS}/{rules.name}.py ({code or 'none'}; yours is "
                f"{rules.code or 'none'}). Build a bundle from the present file, and score the submissions again"
            ]
        )
    unknown = [(output.name, output.statistics) for output in outputs if output.rules is None]
    damaged = {name: damage(rules, statistics) for name, statistics in unknown if statistics is not None}
    if any(damaged.values()):
        raise no_board([f"{name}: {what}" for name, what in damaged.items() if what])


def _stored_intervals(output: ScoringOutput) -> dict[str, tuple[float, float]]:
    """Return the intervals in the output, `score -> ends`.

    Scores in steps have none: the ends that version 0.3.0 wrote beside them have the width of another interval.
    """
    if output.signature.coarse:
        return {}
    scores = output.scores
    low, high = ENDS
    return {
        key: (scores[key + low], scores[key + high])
        for key in scores
        if {key + low, key + high} <= set(scores)
    }


def scores_table(board: Board) -> Table:
    """Return all scores of all systems, each with its interval if it has one."""
    shown = [score for score in board.rules.scores if score.key in board.rows[0].scores]
    header = ["System", *(score.heading for score in shown)]
    rows = [[row.name, *(_with_interval(row, score) for score in shown)] for row in board.rows]
    return Table("Every score, with its 95 % interval", header, rows)


def _with_interval(row: Row, score: Score) -> str:
    digits = 0 if score.bounds is None else 2 if score.percent else 3
    value = f"{row.scores[score.key]:.{digits}f}"
    ends = row.intervals.get(score.key)
    return f"{value} ({ends[0]:.{digits}f} – {ends[1]:.{digits}f})" if ends else value
