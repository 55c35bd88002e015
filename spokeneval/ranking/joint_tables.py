"""A joint ranking as tables: as text, as CSV, and for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..formats.tables import csv_text, no_formula
from ..task import HIGHER
from .joint import JointRanking
from .tables import shown_cells, shown_p
from .values import Table


def joint_table(joint: JointRanking) -> Table:
    """The ranked systems with their joint score, and their scores and ranks in the tasks; the baseline among them."""
    header = ["System", "Rank", joint.column.title, "Ranks (95 %)", "Cluster", *joint.tasks]
    digits, rows = joint.column.precision, []
    for row, places in zip(joint.rows, joint.places):
        rank, score, _, known, cluster = shown_cells(row, digits)
        rows.append([row.name, rank, score, known, cluster, *_in_tasks(joint, row.scores, places)])
    if (own := joint.baseline) is not None:
        score, place = "–", len(rows)
        if own.score is not None:
            sign = 1 if joint.column.direction == HIGHER else -1
            score = f"{own.score:.{digits}f}"
            # It shares the rank of the system that it just beats, so it is shown before equal scores.
            place = sum(sign * row.score > sign * own.score for row in joint.rows)
        rows.insert(
            place, [f"{own.name} (baseline)", "–", score, "–", "–", *_in_tasks(joint, own.scores, {})]
        )
    return Table(joint.heading, header, rows, "In brackets: the rank in the task, among the ranked systems.")


def _in_tasks(joint: JointRanking, scores: Mapping[str, float], places: Mapping[str, int]) -> list[str]:
    return [
        f"{scores[task]:.{ranking.column.precision}f}" + (f" ({places[task]})" if task in places else "")
        if task in scores
        else "–"
        for task, ranking in joint.tasks.items()
    ]


def apart_table(apart: Mapping[str, str]) -> Table:
    """The systems that are not ranked, with the reason."""
    return Table("Not ranked", ["System", "Reason"], [[*pair] for pair in apart.items()], left=2)


def joint_pairs_table(joint: JointRanking) -> Table:
    """The differences between systems, neighbours in rank first."""
    rows = [
        [
            f"{joint.rows[pair.first].name} – {joint.rows[pair.second].name}",
            f"{pair.difference:.{joint.column.precision}f}",
            shown_p(pair.p),
            shown_p(pair.adjusted),
        ]
        for pair in sorted(joint.pairs, key=lambda pair: (pair.second - pair.first, pair.first))
    ]
    header = ["Systems", f"Difference in {joint.column.title}", "p", "p, stepwise"]
    return Table("Differences, neighbours on the leaderboard first", header, rows)


def joint_to_csv(joint: JointRanking) -> str:
    """The joint ranking as CSV, numbers in full precision; the baseline and systems that are not ranked come last."""
    tasks = [no_formula(task) for task in joint.tasks]
    header = ["rank", "tied", "system", joint.column.key, "best_rank", "worst_rank", "cluster"]
    rows: list[list[object]] = [[*header, *tasks, *(f"{task}_rank" for task in tasks), "reason"]]
    for row, places in zip(joint.rows, joint.places):
        place = [row.rank, int(row.tied), no_formula(row.name), row.score]
        place += [*(row.ranks or ("", "")), row.cluster or ""]
        scores = [row.scores.get(task, "") for task in joint.tasks]
        rows.append([*place, *scores, *(places.get(task, "") for task in joint.tasks), ""])
    if (own := joint.baseline) is not None:
        scores = [own.scores.get(task, "") for task in joint.tasks]
        score = "" if own.score is None else own.score
        rows.append(
            ["", "", no_formula(own.name), score, "", "", "", *scores, *[""] * len(tasks), "baseline"]
        )
    for name, reason in joint.apart.items():
        rows.append(["", "", no_formula(name), *[""] * (4 + 2 * len(tasks)), reason])
    return csv_text(rows)


def joint_pairs_to_csv(joint: JointRanking) -> str:
    """All pairs, the better ranked system first."""
    rows: list[list[object]] = [["first", "second", "difference", "p", "adjusted_p"]]
    for pair in joint.pairs:
        both = [no_formula(joint.rows[place].name) for place in (pair.first, pair.second)]
        rows.append([*both, pair.difference, pair.p, pair.adjusted])
    return csv_text(rows)


def joint_to_dict(joint: JointRanking) -> dict[str, Any]:
    """The joint ranking for JSON: numbers in full precision, texts, lists and dictionaries only."""
    names = [row.name for row in joint.rows]
    kept = ("name", "rank", "cluster", "score")
    systems = [
        {
            **{key: getattr(row, key) for key in kept},
            "ranks": list(row.ranks or ()),
            "scores": dict(row.scores),
            "task_ranks": dict(places),
        }
        for row, places in zip(joint.rows, joint.places)
    ]
    pairs = [
        {
            "first": names[first],
            "second": names[second],
            "difference": difference,
            "p": p,
            "adjusted_p": adjusted,
        }
        for first, second, difference, p, adjusted in joint.pairs
    ]
    rule = {"rule": joint.rule.rule, "missing": joint.rule.missing, "compulsory": list(joint.rule.compulsory)}
    signatures = {task: ranking.signature for task, ranking in joint.tasks.items()}
    of_all = {"weights": dict(joint.rule.weights), "tasks": signatures, "units": joint.units}
    return {
        **rule,
        **of_all,
        "systems": systems,
        "pairs": pairs,
        "baseline": joint.baseline._asdict() if joint.baseline else None,
        "apart": dict(joint.apart),
        "notes": list(joint.notes),
    }
