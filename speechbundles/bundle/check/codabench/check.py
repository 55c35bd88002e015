"""Checks Codabench's competition.yaml, version 2, for everything that Codabench refuses, ignores or misreads."""

import re
from collections.abc import Mapping
from typing import Any

from speechbundles.bundle.check.codabench.board import check_leaderboards
from speechbundles.bundle.check.codabench.commands import LAUNCH
from speechbundles.bundle.check.codabench.phases import Phases, check_phases, check_tasks_of_phases
from speechbundles.bundle.check.images import check_image, check_image_age
from speechbundles.bundle.check.inspection import DATA, STEPS, BuiltTask, Inspection
from speechbundles.bundle.check.pages import check_logo, check_page
from speechbundles.bundle.check.programs import check_programs
from speechbundles.bundle.check.scores import writes_page
from speechbundles.model.archive import Archive
from speechbundles.model.document import FILE, Document, Path
from speechbundles.model.finding import Report
from speechbundles.model.text import dotted
from speechbundles.platforms.codabench.keys import (
    BELONGS_TO,
    PAGE,
    QUESTION,
    QUESTION_TYPES,
    SOLUTION,
    TASK,
    TOP,
    VERSION,
)
from speechbundles.platforms.codabench.layout import METADATA_FILES
from speechbundles.platforms.keys import Keys, is_true

_EMAIL = re.compile(r"[^@\s<>,;\"]+@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}")
_UUID = re.compile(r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")

Tasks = Mapping[Any, BuiltTask | None]
"""Tasks by their indexes; None for a task that is stored on the server."""


def check_codabench(report: Report, files: Archive, document: Document) -> Inspection:
    """Check the file, and the programs, data and pages that it names."""
    bundle = Inspection(report, files, document, elsewhere=BELONGS_TO)
    first = next(iter(files.files))
    if first != FILE:
        report.add("yaml-not-first", FILE, f"the first entry is {first}")
    top = bundle.keys((), document.content, TOP)
    _check_version(bundle)
    _check_top(bundle, top)
    _check_fact_sheet(bundle, top.get("fact_sheet", {}))

    tasks = _read_tasks(bundle, top.get("tasks", []))
    _check_solutions(bundle, top.get("solutions", []), tasks)
    phases = check_phases(bundle, top.get("phases", []), tasks)
    board = check_leaderboards(bundle, top.get("leaderboards", []))
    check_tasks_of_phases(bundle, tasks, phases, board)
    _check_hiding(bundle, top, phases, board)

    check_programs(bundle, LAUNCH)
    check_image_age(bundle, "docker_image", top.get("docker_image", ""))
    _check_detailed_results(bundle, top, phases, tasks)
    if is_true(top.get("make_programs_available")):
        for task in bundle.contents.tasks:
            if "scoring_program" in task.parts:
                archive = task.parts["scoring_program"]
                bundle.contents.public[archive.name] = archive
    return bundle


def _check_version(bundle: Inspection) -> None:
    version = bundle.document.content.get("version")
    if str(version) != str(VERSION):
        found = "no version" if version is None else f"version {version!r}"
        bundle.add("version", ("version",), f"{found}; expected {VERSION}")


def _check_top(bundle: Inspection, top: dict[str, Any]) -> None:
    if "image" in top:
        check_logo(bundle, ("image",), top["image"])
    pages: list[tuple[Path, str]] = [(("terms",), top["terms"])] if "terms" in top else []
    for index, item in enumerate(top.get("pages", [])):
        page = bundle.keys(("pages", index), item, PAGE)
        if "file" in page:
            pages.append((("pages", index, "file"), page["file"]))
    for path, file in pages:
        check_page(bundle, path, file, sanitised=True)
    if "docker_image" not in bundle.document.content or "docker_image" in top:
        check_image(bundle, "docker_image", top.get("docker_image"))
    queue, email = top.get("queue"), top.get("contact_email")
    if queue and not _UUID.fullmatch(str(queue)):
        bundle.add("queue", ("queue",), f"{queue!r} is not a UUID")
    if email and not _EMAIL.fullmatch(str(email)):
        bundle.add("email", ("contact_email",), f"{email!r} is not an e-mail address")


def _check_fact_sheet(bundle: Inspection, questions: dict[Any, Any]) -> None:
    for name, question in questions.items():
        path = ("fact_sheet", name)
        if not isinstance(question, dict) or set(question) != set(QUESTION):
            keys = ", ".join(map(str, question)) if isinstance(question, dict) else repr(question)
            bundle.add("fact-sheet-keys", path, f"has {keys}; expected {', '.join(QUESTION)}")
            continue
        if question["key"] != name:
            bundle.add("fact-sheet-key", path, f"key is {question['key']!r}; expected {name!r}")
        for flag in ("is_required", "is_on_leaderboard"):
            if question[flag] not in ("true", "false"):
                text = f"{question[flag]!r}; expected the text 'true' or 'false'"
                bundle.add("fact-sheet-flag", (*path, flag), text)
        kind, selection = question["type"], question["selection"]
        if kind not in QUESTION_TYPES:
            bundle.add("fact-sheet-type", (*path, "type"), f"{kind!r}")
        elif not _selection_fits(kind, selection):
            bundle.add("fact-sheet-selection", (*path, "selection"), f"{selection!r} for a {kind}")


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


def _read_tasks(bundle: Inspection, items: list[Any]) -> Tasks:
    tasks: dict[Any, BuiltTask | None] = {}
    for number, item in enumerate(items):
        path = ("tasks", number)
        stored = isinstance(item, dict) and "key" in item
        keys: Keys = TASK
        if stored:
            bundle.add("outside-bundle", (*path, "key"), f"task {item['key']} of the server")
            keys = _stored_keys(TASK, required=("index",))
        task = bundle.keys(path, item, keys)
        if task.get("index") in tasks and "index" in task:
            bundle.add("task-index-duplicate", (*path, "index"), f"index {task['index']} appears twice")
        if is_true(task.get("ingestion_only_during_scoring")):
            place = (*path, "ingestion_only_during_scoring")
            bundle.add("ingestion-during-scoring", place, "ingestion_only_during_scoring: true")
        opened = {}
        for part in () if stored else (*STEPS, *DATA):
            archive = bundle.archive((*path, part), task[part]) if part in task else None
            if archive is not None:
                opened[part] = archive
        if isinstance(item, dict) and not stored and "reference_data" not in item:
            bundle.add("reference-missing", path, "no reference_data")
        read = BuiltTask(str(task.get("name", f"task {number}")), path, opened)
        if not stored:
            bundle.contents.tasks.append(read)
            for part, archive in opened.items():
                bundle.contents.publish(part, archive)
        if "index" in task:
            tasks[task["index"]] = None if stored else read
    return tasks


def _stored_keys(keys: Keys, required: tuple[str, ...]) -> Keys:
    """Return the keys with only some of them required, for an object that is stored on the server."""
    return {name: dict(rule, required=name in required) for name, rule in keys.items()}


def _check_solutions(bundle: Inspection, items: list[Any], tasks: Tasks) -> None:
    for number, item in enumerate(items):
        path = ("solutions", number)
        keys: Keys = SOLUTION
        if isinstance(item, dict) and "key" in item:
            bundle.add("outside-bundle", (*path, "key"), f"solution {item['key']} of the server")
            keys = _stored_keys(SOLUTION, required=("index", "tasks"))
        solution = bundle.keys(path, item, keys)
        for index in solution.get("tasks", []):
            if not isinstance(index, int) or index not in tasks:
                bundle.add("solution-task-unknown", (*path, "tasks"), f"no task has index {index!r}")
        archive = bundle.archive((*path, "path"), solution["path"]) if "path" in solution else None
        if archive is not None:
            for name in METADATA_FILES:
                if name in archive.files:
                    text = "a results submission that contains a metadata file"
                    bundle.report.add("solution-metadata", archive.where(name), text)
            bundle.contents.solutions[archive.name] = archive


def _check_hiding(bundle: Inspection, top: dict[str, Any], phases: Phases, board: dict[str, Any]) -> None:
    """Report scores that are computed but hidden: everybody can still read them through the API."""
    if not is_true(top.get("auto_run_submissions", TOP["auto_run_submissions"]["default"])):
        return
    places = [
        (*path, key)
        for path, phase in phases
        for key in ("hide_output", "hide_score_output")
        if is_true(phase.get(key))
    ]
    places += [("leaderboards", 0, "hidden")] if is_true(board.get("hidden")) else []
    if places:
        text = f"{', '.join(map(dotted, places))}; but submissions are scored at once"
        bundle.add("hide-browser-only", places[0], text)


def _check_detailed_results(bundle: Inspection, top: dict[str, Any], phases: Phases, tasks: Tasks) -> None:
    if not is_true(top.get("enable_detailed_results")):
        return
    for path, phase in phases:
        named = dict.fromkeys(index for index in phase.get("tasks", []) if isinstance(index, int))
        hides = [key for key in ("hide_output", "hide_score_output") if is_true(phase.get(key))]
        if hides and any(writes_page(bundle.contents, tasks.get(index)) for index in named):
            bundle.add("detailed-results-exposed", (*path, hides[0]), f"{hides[0]} is set")
