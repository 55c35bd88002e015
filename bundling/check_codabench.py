"""Codabench's competition.yaml, version 2: all that its unpacker refuses, ignores or takes for something else."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .bundle_files import Archive
from .check_contents import (
    DATA,
    STEPS,
    Column,
    Competition,
    Parts,
    Programs,
    Task,
    check_image,
    check_image_age,
    check_page,
    check_programs,
    check_solution,
    writes_page,
)
from .check_yaml import (
    Document,
    Key,
    check_docker_image,
    check_keys,
    check_period,
    is_true,
    read_date,
)
from .check_yaml import Path as YamlPath
from .finding import Report

RULES_OF_THE_BOARD = (
    "Add",
    "Add_And_Delete",
    "Add_And_Delete_Multiple",
    "Force_Last",
    "Force_Latest_Multiple",
    "Force_Best",
)

TOP = {
    "version": Key("any"),
    "title": Key("text", required=True, longest=256),
    "image": Key("file", required=True),
    "terms": Key("file", required=True),
    "pages": Key("list", required=True),
    "tasks": Key("list", required=True),
    "phases": Key("list", required=True),
    "leaderboards": Key("list", required=True),
    "solutions": Key("list", nullable=True, blank=True),
    "description": Key("text", nullable=True, blank=True),
    "reward": Key("text", nullable=True, blank=True, longest=256),
    "contact_email": Key("text", nullable=True, blank=True, longest=256),
    "docker_image": Key("text", longest=128),
    "competition_type": Key("text", choices=("competition", "benchmark")),
    "queue": Key("text", nullable=True, blank=True),
    "fact_sheet": Key("mapping", nullable=True, blank=True),
    **{
        flag: Key("bool")
        for flag in (
            "enable_detailed_results",
            "show_detailed_results_in_submission_panel",
            "show_detailed_results_in_leaderboard",
            "auto_run_submissions",
            "can_participants_make_submissions_public",
            "make_programs_available",
            "make_input_data_available",
            "forum_enabled",
            "registration_auto_approve",
        )
    },
}
PAGE = {"title": Key("text", required=True, longest=255), "file": Key("file", required=True)}
TASK = {
    "index": Key("int", required=True),
    "key": Key("text"),
    "name": Key("text", required=True, longest=256),
    "description": Key("text", nullable=True, blank=True),
    "scoring_program": Key("file", required=True),
    "reference_data": Key("file"),
    "input_data": Key("file"),
    "ingestion_program": Key("file"),
    "ingestion_only_during_scoring": Key("bool"),
}
PHASE = {
    "index": Key("int"),
    "name": Key("text", required=True, longest=256),
    "description": Key("text", nullable=True, blank=True),
    "start": Key("date", required=True),
    "end": Key("date", nullable=True),
    "tasks": Key("list", required=True, blank=True),
    "max_submissions_per_day": Key("int", nullable=True),
    "max_submissions": Key("int", nullable=True),
    "execution_time_limit": Key("int", nullable=True),
    "auto_migrate_to_this_phase": Key("bool"),
    "hide_output": Key("bool"),
    "hide_prediction_output": Key("bool"),
    "hide_score_output": Key("bool"),
    "public_data": Key("file"),
    "starting_kit": Key("file"),
}
LEADERBOARD = {
    "index": Key("int"),
    "title": Key("text", required=True, longest=64),
    "key": Key("text", required=True, longest=36),
    "primary_index": Key("int"),
    "submission_rule": Key("any", nullable=True),
    "hidden": Key("bool"),
    "columns": Key("list", required=True),
}
COLUMN = {
    "title": Key("text", required=True, longest=36),
    "key": Key("text", required=True, longest=36),
    "index": Key("int", required=True),
    "sorting": Key("text", choices=("asc", "desc")),
    "precision": Key("int"),
    "hidden": Key("bool"),
    "computation": Key("text", nullable=True, choices=("avg", "sum", "min", "max")),
    "computation_indexes": Key("any", nullable=True),
}
SOLUTION = {
    "index": Key("int", required=True),
    "tasks": Key("list", required=True),
    "path": Key("file", required=True),
    "key": Key("text"),
    "name": Key("text", nullable=True, blank=True, longest=256),
    "description": Key("text", nullable=True, blank=True),
}
QUESTION = ("key", "type", "title", "selection", "is_required", "is_on_leaderboard")
_ELSEWHERE = {
    key: level
    for level, keys in (
        ("leaderboards[].columns[]", COLUMN),
        ("solutions[]", SOLUTION),
        ("leaderboards[]", LEADERBOARD),
        ("tasks[]", TASK),
        ("phases[]", PHASE),
        ("the top level", TOP),
    )
    for key in keys
}
_EMAIL = re.compile(r"[^@\s<>,;\"]+@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}")
_UUID = re.compile(r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")


def check_codabench(report: Report, bundle: Archive, document: Document) -> Competition:
    """Check the file and the parts that it names; returns what the checks of scores and labels need."""
    parts = Parts(report, bundle, "codabench")
    competition = Competition()
    top = _keys(report, document, (), document.content, TOP)
    _check_version(report, document)
    _check_top(report, document, parts, top, competition)
    _check_fact_sheet(report, document, top.get("fact_sheet", {}))

    tasks = _read_tasks(report, document, parts, top.get("tasks", []), competition)
    _check_solutions(report, document, parts, top.get("solutions", []), tasks, competition)
    phases = _read_phases(report, document, parts, top.get("phases", []), tasks, competition)
    board = _check_leaderboards(report, document, top.get("leaderboards", []), competition)
    _check_tasks_of_phases(report, document, tasks, phases, board)
    _check_hiding(report, document, top, phases, board)

    programs = check_programs(report, competition, "codabench")
    check_image_age(report, document.where("docker_image"), top.get("docker_image", ""), programs)
    _check_detailed_results(report, document, top, phases, tasks, programs)
    if is_true(top.get("make_programs_available")):
        for task in competition.tasks:
            if "scoring_program" in task.parts:
                archive = task.parts["scoring_program"]
                competition.public[archive.name] = archive
    competition.programs = programs
    return competition


def _keys(
    report: Report, document: Document, path: YamlPath, value: Any, keys: Mapping[str, Key]
) -> dict[str, Any]:
    return check_keys(report, document, path, value, keys, elsewhere=_ELSEWHERE)


def _check_version(report: Report, document: Document) -> None:
    version = document.content.get("version")
    if str(version) != "2":
        found = "no version" if version is None else f"version {version!r}"
        report.add("version", document.where("version"), f"{found}; expected 2")


def _check_top(
    report: Report, document: Document, parts: Parts, top: dict[str, Any], competition: Competition
) -> None:
    if "image" in top:
        check_image(report, parts, document.where("image"), top["image"])
    pages: list[tuple[YamlPath, str]] = [(("terms",), top["terms"])] if "terms" in top else []
    for index, item in enumerate(top.get("pages", [])):
        page = _keys(report, document, ("pages", index), item, PAGE)
        if "file" in page:
            pages.append((("pages", index, "file"), page["file"]))
    for path, file in pages:
        data = check_page(report, parts, document.where(*path), file)
        if data is not None:
            competition.pages[file] = data
    if "docker_image" not in document.content or "docker_image" in top:
        check_docker_image(report, document, "docker_image", top.get("docker_image"))
    queue, email = top.get("queue"), top.get("contact_email")
    if queue and not _UUID.fullmatch(str(queue)):
        report.add("queue", document.where("queue"), f"{queue!r} is not a UUID")
    if email and not _EMAIL.fullmatch(str(email)):
        report.add("email", document.where("contact_email"), f"{email!r} is not an e-mail address")


def _check_fact_sheet(report: Report, document: Document, questions: dict[Any, Any]) -> None:
    for name, question in questions.items():
        where = document.where("fact_sheet", name)
        if not isinstance(question, dict) or set(question) != set(QUESTION):
            keys = ", ".join(map(str, question)) if isinstance(question, dict) else repr(question)
            report.add("fact-sheet-keys", where, f"has {keys}; expected {', '.join(QUESTION)}")
            continue
        if question["key"] != name:
            report.add("fact-sheet-key", where, f"key is {question['key']!r}; expected {name!r}")
        for flag in ("is_required", "is_on_leaderboard"):
            if question[flag] not in ("true", "false"):
                place = document.where("fact_sheet", name, flag)
                report.add(
                    "fact-sheet-flag", place, f"{question[flag]!r}; expected the text 'true' or 'false'"
                )
        kind, selection = question["type"], question["selection"]
        if kind not in ("checkbox", "text", "select"):
            report.add("fact-sheet-type", document.where("fact_sheet", name, "type"), f"{kind!r}")
        elif not _selection_fits(kind, selection):
            place = document.where("fact_sheet", name, "selection")
            report.add("fact-sheet-selection", place, f"{selection!r} for a {kind}")


def _selection_fits(kind: str, selection: Any) -> bool:
    if kind == "select":
        return (
            isinstance(selection, list)
            and all(isinstance(text, str) for text in selection)
            and any(selection)
        )
    if kind == "checkbox":
        return selection in ([True, False], [False, True], "")
    return selection in ("", None)


# Tasks and solutions


def _read_tasks(
    report: Report, document: Document, parts: Parts, items: list[Any], competition: Competition
) -> dict[Any, Task | None]:
    """`index -> task`; None for a task that is stored on the server."""
    tasks: dict[Any, Task | None] = {}
    for number, item in enumerate(items):
        path = ("tasks", number)
        stored = isinstance(item, dict) and "key" in item
        keys = TASK
        if stored:
            report.add("outside-bundle", document.where(*path, "key"), f"task {item['key']} of the server")
            keys = {name: replace(key, required=name == "index") for name, key in TASK.items()}
        task = _keys(report, document, path, item, keys)
        if task.get("index") in tasks and "index" in task:
            report.add("task-index-duplicate", document.where(*path, "index"), f"index {task['index']} again")
        if is_true(task.get("ingestion_only_during_scoring")):
            place = document.where(*path, "ingestion_only_during_scoring")
            report.add("ingestion-during-scoring", place, "ingestion_only_during_scoring: true")
        opened = {}
        for part in () if stored else (*STEPS, *DATA):
            if part in task:
                archive = parts.archive(document.where(*path, part), task[part])
                if archive is not None:
                    opened[part] = archive
        if isinstance(item, dict) and not stored and "reference_data" not in item:
            report.add("reference-missing", document.where(*path), "no reference_data")
        read = Task(str(task.get("name", f"task {number}")), document.where(*path), opened)
        if not stored:
            competition.tasks.append(read)
            if "input_data" in opened:
                competition.item_lists[opened["input_data"].name] = opened["input_data"]
            if "ingestion_program" in opened:
                competition.public[opened["ingestion_program"].name] = opened["ingestion_program"]
        if "index" in task:
            tasks[task["index"]] = None if stored else read
    return tasks


def _check_solutions(
    report: Report,
    document: Document,
    parts: Parts,
    items: list[Any],
    tasks: dict[Any, Task | None],
    competition: Competition,
) -> None:
    for number, item in enumerate(items):
        path = ("solutions", number)
        keys = SOLUTION
        if isinstance(item, dict) and "key" in item:
            report.add(
                "outside-bundle", document.where(*path, "key"), f"solution {item['key']} of the server"
            )
            keys = {
                name: replace(key, required=name != "path" and key.required) for name, key in SOLUTION.items()
            }
        solution = _keys(report, document, path, item, keys)
        for index in solution.get("tasks", []):
            if not isinstance(index, int) or index not in tasks:
                report.add(
                    "solution-task-unknown", document.where(*path, "tasks"), f"no task has index {index!r}"
                )
        if "path" in solution:
            archive = parts.archive(document.where(*path, "path"), solution["path"])
            if archive is not None:
                check_solution(report, archive)
                competition.solutions[archive.name] = archive


# Phases


def _read_phases(
    report: Report,
    document: Document,
    parts: Parts,
    items: list[Any],
    tasks: dict[Any, Task | None],
    competition: Competition,
) -> list[tuple[YamlPath, dict[str, Any]]]:
    """The phases with their places in the file, in the order in which Codabench puts them."""
    phases = []
    for number, item in enumerate(items):
        path = ("phases", number)
        phase = _keys(report, document, path, item, PHASE)
        _check_limits(report, document, path, item if isinstance(item, dict) else {}, phase)
        for key in ("start", "end"):
            if key in phase:
                where = document.where(*path, key)
                phase[key] = read_date(report, where, phase[key], unquoted="date-unquoted", lenient=True)
        check_period(report, document.where(*path, "end"), phase.get("start"), phase.get("end"))
        for part in ("public_data", "starting_kit"):
            if part in phase:
                archive = parts.archive(document.where(*path, part), phase[part])
                if archive is not None and part == "public_data":
                    competition.item_lists[archive.name] = archive
                elif archive is not None:
                    competition.public[archive.name] = archive
        if phase.get("tasks") == []:
            report.add("phase-tasks-empty", document.where(*path, "tasks"), "no task")
        for index in phase.get("tasks", []):
            if not isinstance(index, int) or index not in tasks:
                report.add("task-unknown", document.where(*path, "tasks"), f"no task has index {index!r}")
        phases.append((path, phase))
    indexes = [phase["index"] for _, phase in phases if "index" in phase]
    some_lack = indexes and any(isinstance(item, dict) and "index" not in item for item in items)
    if some_lack or indexes != sorted(set(indexes)):
        report.add("phase-index", document.where("phases"), f"indexes {', '.join(map(str, indexes))}")
    phases.sort(key=lambda phase: phase[1].get("index", 0))
    _check_sequence(report, document, phases)
    return phases


def _check_limits(
    report: Report, document: Document, path: YamlPath, item: dict[str, Any], phase: dict[str, Any]
) -> None:
    for key in ("max_submissions_per_day", "max_submissions", "execution_time_limit"):
        where, value = document.where(*path, key), phase.get(key)
        if isinstance(value, int) and value < 0:
            report.add("limit-negative", where, f"{key}: {value}")
        elif key in item and (value == 0 or item[key] is None):
            code = "time-limit-default" if key == "execution_time_limit" else "limit-unlimited"
            report.add(code, where, f"{key}: {'null' if item[key] is None else value}")
    daily, total = phase.get("max_submissions_per_day", 5), phase.get("max_submissions", 100)
    if 0 < total < daily and "max_submissions_per_day" in phase:
        where = document.where(*path, "max_submissions_per_day")
        report.add("limit-inconsistent", where, f"{daily} a day, {total} in all")


def _check_sequence(
    report: Report, document: Document, phases: list[tuple[YamlPath, dict[str, Any]]]
) -> None:
    if phases and is_true(phases[0][1].get("auto_migrate_to_this_phase")):
        place = document.where(*phases[0][0], "auto_migrate_to_this_phase")
        report.add("auto-migrate-first", place, "auto_migrate_to_this_phase: true on the first phase")
    for (path, phase), (next_path, following) in itertools.pairwise(phases):
        if "end" not in phase:
            report.add("phase-end-missing", document.where(*path), "no end, and a phase after it")
        elif phase["end"] and following.get("start") and following["start"] <= phase["end"]:
            text = f"starts {following['start']}; the phase before ends {phase['end']}"
            report.add("phase-overlap", document.where(*next_path, "start"), text)


def _check_tasks_of_phases(
    report: Report,
    document: Document,
    tasks: dict[Any, Task | None],
    phases: list[tuple[YamlPath, dict[str, Any]]],
    board: dict[str, Any],
) -> None:
    rule, ascending = board.get("submission_rule"), board.get("ascending")
    one_shows = rule == "Force_Last" or (rule == "Force_Best" and ascending)
    used = set()
    for path, phase in phases:
        known = [index for index in phase.get("tasks", []) if isinstance(index, int) and index in tasks]
        used.update(known)
        if len(known) > 1:
            code = "several-tasks-force" if one_shows else "phase-several-tasks"
            report.add(code, document.where(*path, "tasks"), f"{len(known)} tasks under {rule or 'Add'}")
    for index, task in tasks.items():
        if phases and index not in used:
            where = task.where if task else document.where("tasks")
            report.add("task-unused", where, f"no phase has the task with index {index}")


# The leaderboard


def _check_leaderboards(
    report: Report, document: Document, items: list[Any], competition: Competition
) -> dict[str, Any]:
    """Check the boards; returns the first one, with `ascending` for its primary column."""
    if len(items) > 1:
        report.add("leaderboards-several", document.where("leaderboards", 1), f"{len(items)} leaderboards")
    boards = [
        _check_leaderboard(report, document, ("leaderboards", number), item)
        for number, item in enumerate(items)
    ]
    if not boards:
        return {}
    board, columns = boards[0]
    primary_index = board.get("primary_index", 0)
    for place, column in columns:
        if "key" in column and not column.get("computation"):
            scored = Column(str(column["key"]), place)
            competition.columns.append(scored)
            if column.get("index") == primary_index and competition.primary is None:
                competition.primary = scored
        if column.get("index") == primary_index:
            board["ascending"] = column.get("sorting") == "asc"
    return board


def _check_leaderboard(
    report: Report, document: Document, path: YamlPath, item: Any
) -> tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]:
    board = _keys(report, document, path, item, LEADERBOARD)
    if isinstance(item, dict) and "submission_rule" not in item:
        report.add("submission-rule-default", document.where(*path), "no submission_rule")
    elif isinstance(item, dict) and item["submission_rule"] not in RULES_OF_THE_BOARD:
        text = f"{item['submission_rule']!r}; expected one of {', '.join(RULES_OF_THE_BOARD)}"
        report.add("submission-rule", document.where(*path, "submission_rule"), text)
    columns = []
    for number, entry in enumerate(board.get("columns", [])):
        place = (*path, "columns", number)
        columns.append((document.where(*place), _check_column(report, document, place, entry)))
    for key in ("key", "index"):
        seen: set[Any] = set()
        for where, column in columns:
            if key in column and column[key] in seen:
                report.add("column-duplicate", where, f"{key} {column[key]!r} again")
            seen.add(column.get(key))
    indexes = [column["index"] for _, column in columns if "index" in column]
    _check_computations(report, columns, indexes)
    primary = board.get("primary_index", 0)
    if indexes and primary not in indexes:
        where = document.where(*path, "primary_index")
        report.add("primary-index", where, f"{primary}; the columns have {', '.join(map(str, indexes))}")
    elif indexes and primary != min(indexes):
        text = f"{primary}; the first column has index {min(indexes)}"
        report.add("primary-not-first", document.where(*path, "primary_index"), text)
    for where, column in columns:
        if column.get("index") == primary and is_true(column.get("hidden")):
            report.add("primary-hidden", where, f"{column.get('key')} is hidden")
    return board, columns


def _check_column(report: Report, document: Document, path: YamlPath, item: Any) -> dict[str, Any]:
    column = _keys(report, document, path, item, COLUMN)
    where = document.where(*path)
    for key, code in (("sorting", "sorting-default"), ("precision", "precision-default")):
        if isinstance(item, dict) and key not in item:
            report.add(code, where, f"{column.get('key', 'a column')} has no {key}")
    if column.get("index", 0) < 0:
        report.add("column-index", document.where(*path, "index"), f"index {column['index']}")
    if not 0 <= column.get("precision", 0) <= 10:
        report.add("precision-range", document.where(*path, "precision"), f"precision {column['precision']}")
    return column


def _check_computations(
    report: Report, columns: list[tuple[str, dict[str, Any]]], indexes: list[int]
) -> None:
    for where, column in columns:
        computed, others = column.get("computation"), column.get("computation_indexes")
        if computed is None and others is None:
            continue
        if computed is None:
            report.add("computation", where, "computation_indexes without computation")
        elif not isinstance(others, list) or not others:
            report.add("computation", where, f"computation_indexes is {others!r}; expected a list of indexes")
        elif column.get("index") in others:
            report.add("computation", where, "the column is computed from itself")
        elif not set(map(str, others)) <= set(map(str, indexes)):
            report.add("computation", where, f"computation_indexes {others}; the columns have {indexes}")


# What participants see


def _check_hiding(
    report: Report,
    document: Document,
    top: dict[str, Any],
    phases: list[tuple[YamlPath, dict[str, Any]]],
    board: dict[str, Any],
) -> None:
    for path, phase in phases:
        if not is_true(phase.get("hide_score_output")):
            continue
        seen = [] if is_true(phase.get("hide_output")) else ["the scoring log"]
        seen += [] if is_true(board.get("hidden")) else ["the leaderboard"]
        if seen:
            text = f"the scores' file is hidden, {' and '.join(seen)} not"
            report.add("hide-inconsistent", document.where(*path, "hide_score_output"), text)


def _check_detailed_results(
    report: Report,
    document: Document,
    top: dict[str, Any],
    phases: list[tuple[YamlPath, dict[str, Any]]],
    tasks: dict[Any, Task | None],
    programs: Programs,
) -> None:
    if not is_true(top.get("enable_detailed_results")):
        return
    for path, phase in phases:
        named = [index for index in phase.get("tasks", []) if isinstance(index, int)]
        hides = [key for key in ("hide_output", "hide_score_output") if is_true(phase.get(key))]
        if hides and any(writes_page(tasks.get(index), programs) for index in named):
            report.add("detailed-results-exposed", document.where(*path, hides[0]), f"{hides[0]} is set")
