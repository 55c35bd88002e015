"""Checks the phases of Codabench's competition.yaml: dates, limits, order and tasks."""

import itertools
from collections.abc import Collection, Mapping
from typing import Any

from speechbundles.bundle.check.inspection import BuiltTask, Inspection
from speechbundles.bundle.check.keys import check_period
from speechbundles.bundle.check.practice import MOST_SUBMISSIONS
from speechbundles.model.codabench import read_date
from speechbundles.model.document import Path
from speechbundles.platforms.codabench.keys import LEADERBOARD, PHASE
from speechbundles.platforms.facts import FORCE_BEST, FORCE_LAST
from speechbundles.platforms.keys import is_true

Phases = list[tuple[Path, dict[str, Any]]]
"""The phases with their places in the file, sorted as Codabench sorts them."""


def check_phases(bundle: Inspection, items: list[Any], tasks: Collection[Any]) -> Phases:
    phases: Phases = []
    for number, item in enumerate(items):
        path = ("phases", number)
        phase = bundle.keys(path, item, PHASE)
        _check_limits(bundle, path, item if isinstance(item, dict) else {}, phase)
        for key in ("start", "end"):
            if key in phase:
                phase[key] = read_date(bundle.report, bundle.document.where((*path, key)), phase[key])
        check_period(
            bundle.report, bundle.document.where((*path, "end")), phase.get("start"), phase.get("end")
        )
        for part in ("public_data", "starting_kit"):
            archive = bundle.archive((*path, part), phase[part]) if part in phase else None
            if archive is not None:
                bundle.contents.publish(part, archive)
        if phase.get("tasks") == []:
            bundle.add("phase-tasks-empty", (*path, "tasks"), "no task")
        for index in phase.get("tasks", []):
            if not isinstance(index, int) or index not in tasks:
                bundle.add("task-unknown", (*path, "tasks"), f"no task has index {index!r}")
        phases.append((path, phase))
    indexes = [phase["index"] for _, phase in phases if "index" in phase]
    some_lack = indexes and any(isinstance(item, dict) and "index" not in item for item in items)
    if some_lack or indexes != sorted(set(indexes)):
        bundle.add("phase-index", ("phases",), f"indexes {', '.join(map(str, indexes))}")
    phases.sort(key=lambda phase: phase[1].get("index", 0))
    _check_sequence(bundle, phases)
    return phases


def _check_limits(bundle: Inspection, path: Path, item: dict[str, Any], phase: dict[str, Any]) -> None:
    for key in ("max_submissions_per_day", "max_submissions", "execution_time_limit"):
        value = phase.get(key)
        if isinstance(value, int) and value < 0:
            bundle.add("limit-negative", (*path, key), f"{key}: {value}")
        elif key in item and (value == 0 or item[key] is None):
            code = "time-limit-default" if key == "execution_time_limit" else "limit-unlimited"
            bundle.add(code, (*path, key), f"{key}: {'null' if item[key] is None else value}")
    daily: Any = phase.get("max_submissions_per_day", PHASE["max_submissions_per_day"]["default"])
    total: Any = phase.get("max_submissions", PHASE["max_submissions"]["default"])
    if item and "max_submissions_per_day" not in item and not 0 < total <= MOST_SUBMISSIONS:
        bundle.add("daily-default", path, "no max_submissions_per_day")
    if 0 < total < daily and "max_submissions_per_day" in phase:
        bundle.add(
            "limit-inconsistent", (*path, "max_submissions_per_day"), f"{daily} per day, {total} in all"
        )


def _check_sequence(bundle: Inspection, phases: Phases) -> None:
    if phases and is_true(phases[0][1].get("auto_migrate_to_this_phase")):
        place = (*phases[0][0], "auto_migrate_to_this_phase")
        bundle.add("auto-migrate-first", place, "auto_migrate_to_this_phase: true in the first phase")
    for (path, phase), (next_path, following) in itertools.pairwise(phases):
        if "end" not in phase:
            bundle.add("phase-end-missing", path, "no end, but another phase follows")
        elif phase["end"] and following.get("start") and following["start"] <= phase["end"]:
            text = f"starts {following['start']}; the previous phase ends {phase['end']}"
            bundle.add("phase-overlap", (*next_path, "start"), text)


def check_tasks_of_phases(
    bundle: Inspection, tasks: Mapping[Any, BuiltTask | None], phases: Phases, board: dict[str, Any]
) -> None:
    rule, ascending = board.get("submission_rule"), board.get("ascending")
    one_shows = rule == FORCE_LAST or (rule == FORCE_BEST and ascending)
    used = set()
    for path, phase in phases:
        known = [index for index in phase.get("tasks", []) if isinstance(index, int) and index in tasks]
        used.update(known)
        if len(known) > 1:
            code = "several-tasks-force" if one_shows else "phase-several-tasks"
            text = f"{len(known)} tasks with the rule {rule or LEADERBOARD['submission_rule']['default']}"
            bundle.add(code, (*path, "tasks"), text)
    for index, task in tasks.items():
        if phases and index not in used:
            bundle.add(
                "task-unused",
                task.path if task else ("tasks",),
                f"no phase names the task with index {index}",
            )
