"""Checks Codabench's competition.yaml, version 2, for everything that Codabench refuses, ignores or misreads."""

import itertools
import re
from collections.abc import Mapping
from typing import Any

from speechbundles.bundle.check import (
    DATA,
    STEPS,
    CheckedKeys,
    CheckedProgram,
    CheckedTask,
    Inspection,
    Launch,
    check_image,
    check_limits,
    check_period,
    check_program,
    check_programs,
    is_plain,
    split,
    writes_page,
)
from speechbundles.model.archive import Archive
from speechbundles.model.document import Document
from speechbundles.model.finding import Report
from speechbundles.model.keys import QUESTION_TYPES, is_true
from speechbundles.model.platform import FORCE_BEST, FORCE_LAST
from speechbundles.model.text import dotted
from speechbundles.platforms.codabench.facts import (
    APP,
    BELONGS_TO,
    FOLDERS,
    LEADERBOARD,
    METADATA_FILES,
    OLD_IMAGES,
    PHASE,
    QUESTION,
    TABLES,
    TOP,
    VARIABLES,
    VERSION,
)
from speechbundles.platforms.codabench.read import read_date

_HIDING = ("hide_output", "hide_score_output")

_Tasks = Mapping[Any, CheckedTask | None]
"""Tasks by their indexes; None for a task that is stored on the server."""


def check(report: Report, files: Archive, document: Document) -> Inspection:
    """Check the file, and the programs, data and pages that it names."""
    bundle = Inspection(report, files, document, tables=TABLES, read_date=read_date, elsewhere=BELONGS_TO)
    top = bundle.part((), document.content, "TOP")
    version = document.content.get("version")
    if str(version) != str(VERSION):
        found = "no version" if version is None else f"version {version!r}"
        bundle.add("version", ("version",), f"{found}; expected {VERSION}")
    for name, question in top.get("fact_sheet", {}).items():
        _check_question(bundle, name, question)
    tasks = _check_tasks(bundle, top.get("tasks", []))
    _check_solutions(bundle, top.get("solutions", []), tasks)
    phases = _check_phases(bundle, top.get("phases", []), tasks)
    boards = top.get("leaderboards", [])
    for board in boards:
        _check_leaderboard(bundle, board)
    if len(boards) > 1:
        bundle.add("leaderboards-several", ("leaderboards", 1), f"{len(boards)} leaderboards")
    board = boards[0] if boards else CheckedKeys(("leaderboards",))
    _check_tasks_of_phases(bundle, tasks, phases, board)
    check_programs(bundle, LAUNCH)
    check_image(bundle, "docker_image", top, OLD_IMAGES)
    _check_hiding(bundle, top, phases, board, tasks)
    if is_true(top.get("make_programs_available")):
        programs = (task.parts.get("scoring_program") for task in bundle.contents.tasks)
        bundle.contents.public.update({program.name: program for program in programs if program})
    return bundle


def _check_question(bundle: Inspection, name: Any, question: Any) -> None:
    """Check a question of the fact sheet."""
    path = ("fact_sheet", name)
    if not isinstance(question, dict) or set(question) != set(QUESTION):
        keys = ", ".join(map(str, question)) if isinstance(question, dict) else repr(question)
        bundle.add("fact-sheet-keys", path, f"has {keys}; expected {', '.join(QUESTION)}")
        return
    if question["key"] != name:
        bundle.add("fact-sheet-key", path, f"key is {question['key']!r}; expected {name!r}")
    for flag in ("is_required", "is_on_leaderboard"):
        if question[flag] not in ("true", "false"):
            text = f"{question[flag]!r}; expected the text 'true' or 'false'"
            bundle.add("fact-sheet-flag", (*path, flag), text)
    kind, choices = question["type"], question["selection"]
    texts = isinstance(choices, list) and all(isinstance(text, str) for text in choices) and any(choices)
    fits = {
        "select": texts,
        "checkbox": choices in ([True, False], [False, True], ""),
        "text": choices in ("", None),
    }
    if kind not in QUESTION_TYPES:
        bundle.add("fact-sheet-type", (*path, "type"), f"{kind!r}")
    elif not fits[kind]:
        bundle.add("fact-sheet-selection", (*path, "selection"), f"{choices!r} for a {kind}")


def _is_stored(bundle: Inspection, part: CheckedKeys, what: str) -> bool:
    """Return whether a task or solution is stored on the server, where it cannot be checked."""
    if "key" in part:
        bundle.add("outside-bundle", (*part.path, "key"), f"{what} {part['key']} of the server")
    return "key" in part.given


def _check_tasks(bundle: Inspection, parts: list[CheckedKeys]) -> _Tasks:
    tasks: dict[Any, CheckedTask | None] = {}
    for number, part in enumerate(parts):
        index, key = part.get("index"), "ingestion_only_during_scoring"
        if index in tasks and index is not None:
            bundle.add("task-index-duplicate", (*part.path, "index"), f"index {index} appears twice")
        if is_true(part.get(key)):
            bundle.add("ingestion-during-scoring", (*part.path, key), f"{key}: true")
        opened = {step: part[step] for step in (*STEPS, *DATA) if step in part}
        task = CheckedTask(str(part.get("name", f"task {number}")), part.path, opened, part.get(key, False))
        stored = _is_stored(bundle, part, "task")
        bundle.contents.tasks += [] if stored else [task]
        tasks.update({} if index is None else {index: None if stored else task})
    return tasks


def _known(bundle: Inspection, part: CheckedKeys, tasks: _Tasks, code: str) -> list[int | str]:
    """Return the indexes of tasks that a phase or solution names; report those that no task has."""
    known = []
    for index in part.get("tasks", []):
        if isinstance(index, (int, str)) and index in tasks:
            known.append(index)
        else:
            bundle.add(code, (*part.path, "tasks"), f"no task has index {index!r}")
    return known


def _check_solutions(bundle: Inspection, solutions: list[CheckedKeys], tasks: _Tasks) -> None:
    for solution in solutions:
        _is_stored(bundle, solution, "solution")
        own = [tasks[index] for index in _known(bundle, solution, tasks, "solution-task-unknown")]
        if archive := solution.get("path"):
            bundle.contents.solutions[archive.name] = archive
            metadata = next((name for name in METADATA_FILES if name in archive.files), None)
            ingested = any(task and "ingestion_program" in task.parts for task in own)
            if metadata and not _is_code(archive, ingested=ingested):
                what = "a results submission that contains a metadata file"
                bundle.report.add("solution-metadata", archive.where(metadata), what)


def _is_code(archive: Archive, *, ingested: bool) -> bool:
    """Return whether a solution with a metadata file is code that the worker or an ingestion program runs."""
    report = Report()
    program = check_program(report, archive, "submission", LAUNCH)
    codes = {finding.code for finding in report.findings}
    if codes & {"program-command-missing", "program-metadata-invalid"}:
        return ingested
    words = program.command.split() if program else ()
    return any(word.removeprefix(LAUNCH.home) in archive.files for word in words)


def _check_phases(bundle: Inspection, parts: list[CheckedKeys], tasks: _Tasks) -> list[CheckedKeys]:
    """Return the phases as Codabench sorts them."""
    for phase in parts:
        check_limits(bundle, phase, PHASE["max_submissions"]["default"])
        check_period(bundle, (*phase.path, "end"), phase.get("start"), phase.get("end"))
        _known(bundle, phase, tasks, "task-unknown")
    indexes = [phase.get("index", 0) for phase in parts]
    if len(set(map(type, indexes))) > 1:
        what = f"indexes {indexes}, of which Codabench cannot sort numbers and texts"
        bundle.add("wrong-type", ("phases",), what)
        return parts
    if any("index" in phase.given for phase in parts) and indexes != sorted(set(indexes)):
        bundle.add("phase-index", ("phases",), f"indexes {', '.join(map(str, indexes))}")
    phases = sorted(parts, key=lambda phase: phase.get("index", 0))
    if phases and is_true(phases[0].get(key := "auto_migrate_to_this_phase")):
        bundle.add("auto-migrate-first", (*phases[0].path, key), f"{key}: true in the first phase")
    for phase, following in itertools.pairwise(phases):
        start, end = following.get("start"), phase.get("end")
        if not bundle.document.value((*phase.path, "end")):
            bundle.add("phase-end-missing", phase.path, "no end, but another phase follows")
        elif start and end and start <= end:
            what = f"starts {start}; the previous phase ends {end}"
            bundle.add("phase-overlap", (*following.path, "start"), what)
    return phases


def _check_tasks_of_phases(
    bundle: Inspection, tasks: _Tasks, phases: list[CheckedKeys], board: CheckedKeys
) -> None:
    rule = board.get("submission_rule", LEADERBOARD["submission_rule"]["default"])
    ascending = any(column.get("sorting") == "asc" for column in _primary(board))
    one_shows = rule == FORCE_LAST or (rule == FORCE_BEST and ascending)
    used = set()
    for phase in phases:
        known = [each for each in phase.get("tasks", []) if isinstance(each, (int, str)) and each in tasks]
        used.update(known)
        if len(known) > 1:
            code = "several-tasks-force" if one_shows else "phase-several-tasks"
            bundle.add(code, (*phase.path, "tasks"), f"{len(known)} tasks with the rule {rule}")
    for index, task in tasks.items():
        if phases and index not in used:
            place = task.path if task else ("tasks",)
            bundle.add("task-unused", place, f"no phase names the task with index {index}")


def _check_hiding(
    bundle: Inspection,
    top: CheckedKeys,
    phases: list[CheckedKeys],
    board: CheckedKeys,
    tasks: _Tasks,
) -> None:
    """Report scores that are hidden, but that everybody can read through the API or on the page of a run."""
    hides = {phase.path: [key for key in _HIDING if is_true(phase.get(key))] for phase in phases}
    places = [(*path, key) for path, keys in hides.items() for key in keys]
    places += [(*board.path, "hidden")] if is_true(board.get("hidden")) else []
    if places and is_true(top.get("auto_run_submissions", TOP["auto_run_submissions"]["default"])):
        text = f"{', '.join(map(dotted, places))}; but submissions are scored at once"
        bundle.add("hide-browser-only", places[0], text)
    for phase in phases if is_true(top.get("enable_detailed_results")) else ():
        named = {index for index in phase.get("tasks", []) if isinstance(index, (int, str))}
        keys = hides[phase.path]
        if keys and any(writes_page(bundle.contents, tasks.get(index)) for index in named):
            bundle.add("detailed-results-exposed", (*phase.path, keys[0]), f"{keys[0]} is set")


def _primary(board: CheckedKeys) -> list[CheckedKeys]:
    index = board.get("primary_index", LEADERBOARD["primary_index"]["default"])
    return [column for column in board.get("columns", []) if column.get("index") == index]


def _check_leaderboard(bundle: Inspection, board: CheckedKeys) -> None:
    columns = board.get("columns", [])
    for key in ("key", "index"):
        seen: set[Any] = set()
        for column in columns:
            if key in column and column[key] in seen:
                bundle.add("column-duplicate", column.path, f"{key} {column[key]!r} appears twice")
            seen.add(column.get(key))
    indexes = [column["index"] for column in columns if "index" in column]
    for column in columns:
        if what := _wrong_computation(column, indexes):
            bundle.add("computation", column.path, what)
    index = board.get("primary_index", LEADERBOARD["primary_index"]["default"])
    path = (*board.path, "primary_index")
    if indexes and index not in indexes:
        listed = ", ".join(map(str, indexes))
        bundle.add("primary-index", path, f"{index}; the columns have the indexes {listed}")
    elif indexes and index != min(indexes):
        bundle.add("primary-not-first", path, f"{index}; the first column has the index {min(indexes)}")
    for column in _primary(board):
        if is_true(column.get("hidden")):
            bundle.add("primary-hidden", column.path, f"{column.get('key')} is hidden")
    if board.path[-1] == 0:
        written = [column for column in columns if "key" in column and not column.get("computation")]
        bundle.contents.columns = [(str(column["key"]), column.path) for column in written]
        primary = {column.path for column in _primary(board)}
        bundle.contents.primary = next((each for each in bundle.contents.columns if each[1] in primary), None)


def _wrong_computation(column: CheckedKeys, indexes: list[int]) -> str | None:
    computed, others = column.get("computation"), column.get("computation_indexes")
    if computed is None:
        return None if others is None else "computation_indexes without computation"
    if not isinstance(others, list) or not others:
        return f"computation_indexes is {others!r}; expected a list of indexes"
    if column.get("index") in others:
        return "the column is computed from itself"
    if not set(map(str, others)) <= set(map(str, indexes)):
        return f"computation_indexes {others}; the columns have the indexes {indexes}"
    return None


def _words(report: Report, where: str, command: str, step: str) -> list[str] | None:
    """Return the words of a command, with its variables replaced."""
    if not is_plain(report, where, command, VARIABLES[step]):
        return None
    for variable in dict.fromkeys(re.findall(r"\$\w*", command)):
        report.add("command-variable", where, f"{variable} in {command!r}")
        command = re.sub(re.escape(variable) + r"(?!\w)", VARIABLES[step][variable], command)
    return split(report, where, command)


def _check_paths(report: Report, program: CheckedProgram, step: str, task: CheckedTask) -> None:
    """Report the /app paths of a command that do not exist in the step's container."""
    where = program.archive.where(program.metadata)
    for folder in re.findall(rf"{APP}/(\w+)", program.command):
        beside = task.beside and step == "ingestion_program"
        if folder not in FOLDERS["ingestion_beside_scoring" if beside else step]:
            what = f"{APP}/{folder} does not exist during {step.partition('_')[0]}"
            report.add("command-path", where, what)
        elif folder == "input_data" and "input_data" not in task.parts:
            report.add("command-path", where, f"{APP}/input_data, but {task.name} has no input_data")


LAUNCH = Launch(METADATA_FILES, f"{APP}/program/", _words, _check_paths)
