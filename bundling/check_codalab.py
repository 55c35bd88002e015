"""CodaLab's competition.yaml, format 1.5, for CodaLab itself and for Codabench, which imports the same file.

CodaLab passes every key on to its database: a key that is no column there fails the upload.
"""

from __future__ import annotations

import datetime
import itertools
from typing import Any

from .bundle_files import Archive
from .check_contents import (
    DATA,
    STEPS,
    Column,
    Competition,
    Parts,
    Task,
    check_image,
    check_image_age,
    check_page,
    check_programs,
    writes_page,
)
from .check_yaml import Document, Key, check_docker_image, check_keys, check_period, is_true, read_date
from .check_yaml import Path as YamlPath
from .finding import Report

_FLAGS_OF_COMPETITION = (
    "has_registration",
    "published",
    "force_submission_to_leaderboard",
    "disallow_leaderboard_modifying",
    "enable_medical_image_viewer",
    "enable_detailed_results",
    "show_datasets_from_yaml",
    "allow_teams",
    "enable_per_submission_metadata",
    "allow_public_submissions",
    "enable_forum",
    "anonymous_leaderboard",
    "enable_teams",
    "require_team_approval",
    "hide_top_three",
    "hide_chart",
    "allow_organizer_teams",
)

TOP = {
    "title": Key("text", required=True, longest=100),
    "image": Key("file", required=True),
    "html": Key("mapping", required=True),
    "phases": Key("mapping", required=True),
    "leaderboard": Key("mapping", required=True),
    "description": Key("text", nullable=True, blank=True),
    "competition_docker_image": Key("text", blank=True, longest=128),
    "start_date": Key("date", nullable=True),
    "end_date": Key("date", nullable=True),
    "reward": Key("int", nullable=True),
    "url_redirect": Key("text", nullable=True, blank=True, longest=200),
    "image_url_base": Key("text", blank=True, longest=255),
    "upper_bound_max_submission_size": Key("int"),
    "admin_names": Key("text", nullable=True, blank=True),
    **{flag: Key("bool") for flag in _FLAGS_OF_COMPETITION},
}
PAGES = ("overview", "evaluation", "terms", "data")
PHASE = {
    "phasenumber": Key("int", required=True),
    "label": Key("text", required=True, longest=50),
    "start_date": Key("date", required=True),
    "scoring_program": Key("file", required=True),
    "reference_data": Key("file", required=True),
    "input_data": Key("file"),
    "ingestion_program": Key("file"),
    "starting_kit": Key("file"),
    "public_data": Key("file"),
    "description": Key("text", nullable=True, blank=True, longest=1000),
    "max_submissions": Key("int"),
    "max_submissions_per_day": Key("int"),
    "max_submission_size": Key("int"),
    "participant_max_storage_use": Key("int"),
    "execution_time_limit": Key("int"),
    "color": Key("text", nullable=True, choices=("white", "orange", "yellow", "green", "blue", "purple")),
    "leaderboard_management_mode": Key("text", choices=("default", "hide_results")),
    "datasets": Key("mapping"),
    **{
        image: Key("text", blank=True, longest=128)
        for image in (
            "scoring_program_docker_image",
            "ingestion_program_docker_image",
            "default_docker_image",
        )
    },
    **{
        flag: Key("bool")
        for flag in (
            "is_scoring_only",
            "auto_migration",
            "phase_never_ends",
            "force_best_submission_to_leaderboard",
            "delete_submissions_except_best_and_last",
            "disable_custom_docker_image",
        )
    },
}
BOARDS = {
    "leaderboards": Key("mapping", required=True),
    "columns": Key("mapping", required=True),
    "column_groups": Key("mapping", nullable=True),
}
LEADERBOARD = {"label": Key("text", required=True, longest=50), "rank": Key("int", required=True)}
COLUMN = {
    "leaderboard": Key("mapping", required=True),
    "label": Key("text", required=True, longest=36),
    "sort": Key("text", choices=("asc", "desc")),
    "numeric_format": Key("int"),
    "rank": Key("int"),
    "hidden": Key("bool"),
    "selection_default": Key("int"),
    "column_group": Key("mapping"),
    "computed": Key("mapping"),
}
_LONGEST_KEY = 36


def check_codalab(report: Report, bundle: Archive, document: Document) -> Competition:
    """Check the file and the parts that it names; returns what the checks of scores and labels need."""
    parts = Parts(report, bundle, "codalab")
    competition = Competition()
    top = check_keys(report, document, (), document.content, TOP)
    if "image" in top:
        check_image(report, parts, document.where("image"), top["image"])
    if "competition_docker_image" not in document.content or "competition_docker_image" in top:
        image = top.get("competition_docker_image")
        check_docker_image(report, document, "competition_docker_image", image)
    _check_pages(report, document, parts, top, competition)
    phases = _read_phases(report, document, parts, top, competition)
    _check_sequence(report, document, top, phases)
    _check_leaderboard(report, document, top, competition)
    programs = check_programs(report, competition, "codalab")
    competition.programs = programs
    where = document.where("competition_docker_image")
    check_image_age(report, where, top.get("competition_docker_image", ""), programs)
    _check_detailed_results(report, document, top, phases, competition)
    assets = bundle.folder("assets")
    if assets:
        competition.public["assets"] = assets
    return competition


def _check_pages(
    report: Report, document: Document, parts: Parts, top: dict[str, Any], competition: Competition
) -> None:
    if "html" not in top:
        return
    known = {page: Key("file", required=page in PAGES) for page in (*PAGES, *map(str, top["html"]))}
    for page, file in check_keys(report, document, ("html",), top["html"], known).items():
        data = check_page(report, parts, document.where("html", page), file)
        if data is not None:
            competition.pages[file] = data


# Phases


def _read_phases(
    report: Report, document: Document, parts: Parts, top: dict[str, Any], competition: Competition
) -> list[tuple[YamlPath, dict[str, Any], Task]]:
    phases = []
    for name, item in top.get("phases", {}).items():
        path = ("phases", name)
        phase = check_keys(report, document, path, item, PHASE)
        if "start_date" in phase:
            phase["start_date"] = _date(report, document, (*path, "start_date"), phase["start_date"])
        _check_limits(report, document, path, phase)
        opened = {}
        for part in (*STEPS, *DATA, "starting_kit", "public_data"):
            if part not in phase:
                continue
            archive = parts.archive(document.where(*path, part), phase[part])
            if archive is None:
                continue
            opened[part] = archive
            if part in ("input_data", "public_data"):
                competition.item_lists[archive.name] = archive
            elif part in ("starting_kit", "ingestion_program"):
                competition.public[archive.name] = archive
        task = Task(str(phase.get("label", name)), document.where(*path), opened)
        competition.tasks.append(task)
        phases.append((path, phase, task))
    return phases


def _date(report: Report, document: Document, path: YamlPath, value: Any) -> datetime.datetime | None:
    return read_date(report, document.where(*path), value, unquoted="date-unquoted-import", lenient=False)


def _check_limits(report: Report, document: Document, path: YamlPath, phase: dict[str, Any]) -> None:
    # Both limits 0: a phase that means to take nothing, between two that do.
    closed = phase.get("max_submissions_per_day") == phase.get("max_submissions") == 0
    for key in ("max_submissions_per_day", "max_submissions", "execution_time_limit"):
        value = phase.get(key, 1)
        if value < 0:
            report.add("limit-negative", document.where(*path, key), f"{key}: {value}")
        elif value == 0 and not (closed and key != "execution_time_limit"):
            code = "time-limit-default" if key == "execution_time_limit" else "limit-none-allowed"
            report.add(code, document.where(*path, key), f"{key}: 0")
    daily, total = phase.get("max_submissions_per_day", 0), phase.get("max_submissions", 100)
    if 0 < total < daily:
        where = document.where(*path, "max_submissions_per_day")
        report.add("limit-inconsistent", where, f"{daily} a day, {total} in all")


def _check_sequence(
    report: Report,
    document: Document,
    top: dict[str, Any],
    phases: list[tuple[YamlPath, dict[str, Any], Task]],
) -> None:
    numbers = [phase["phasenumber"] for _, phase, _ in phases if "phasenumber" in phase]
    if numbers != sorted(set(numbers)):
        report.add("phase-index", document.where("phases"), f"phasenumber {', '.join(map(str, numbers))}")
    if phases and is_true(phases[0][1].get("auto_migration")):
        place = document.where(*phases[0][0], "auto_migration")
        report.add("auto-migrate-first", place, "auto_migration: true on the first phase")
    ordered = sorted(phases, key=lambda phase: phase[1].get("phasenumber", 0))
    for (_, phase, _), (path, following, _) in itertools.pairwise(ordered):
        start, next_start = phase.get("start_date"), following.get("start_date")
        if not start or not next_start:
            continue
        where = document.where(*path, "start_date")
        if next_start <= start:
            report.add("phase-overlap", where, f"starts {next_start}; the phase before starts {start}")
        elif next_start - start <= datetime.timedelta(days=1):
            report.add("phase-too-short", where, f"starts {next_start - start} after the phase before")
    if "end_date" in top:
        end = _date(report, document, ("end_date",), top["end_date"])
        last = ordered[-1][1].get("start_date") if ordered else None
        check_period(report, document.where("end_date"), last, end)


# The leaderboard


def _check_leaderboard(
    report: Report, document: Document, top: dict[str, Any], competition: Competition
) -> None:
    if "leaderboard" not in top:
        return
    both = check_keys(report, document, ("leaderboard",), top["leaderboard"], BOARDS)
    labels = {}
    for name, item in both.get("leaderboards", {}).items():
        path = ("leaderboard", "leaderboards", name)
        board = check_keys(report, document, path, item, LEADERBOARD)
        if "label" in board:
            labels[str(board["label"]).strip()] = path
    columns = [
        _check_column(report, document, name, item, labels) for name, item in both.get("columns", {}).items()
    ]
    used = {label for _, label, _ in columns}
    for label, path in labels.items():
        if both.get("columns") and label not in used and None not in used:
            report.add("leaderboard-no-column", document.where(*path), f"no column names {label!r}")
    ranks = [rank for rank, _, _ in columns if rank is not None]
    if len(set(ranks)) < len(ranks) or 0 < len(ranks) < len(columns):
        text = f"ranks {', '.join(map(str, ranks))} for {len(columns)} columns"
        report.add("column-rank", document.where("leaderboard", "columns"), text)
    competition.columns = [column for _, _, column in columns if column is not None]
    ranked = sorted(enumerate(columns, 1), key=lambda item: item[0] if item[1][0] is None else item[1][0])
    competition.primary = ranked[0][1][2] if ranked else None


def _check_column(
    report: Report, document: Document, name: Any, item: Any, labels: dict[Any, YamlPath]
) -> tuple[int | None, Any, Column | None]:
    """The column's rank, its leaderboard's label (None if it has none that counts), and its score."""
    path = ("leaderboard", "columns", name)
    where = document.where(*path)
    column = check_keys(report, document, path, item, COLUMN)
    if len(str(name)) > _LONGEST_KEY:
        report.add("too-long", where, f"key {name!r} has {len(str(name))} characters; at most {_LONGEST_KEY}")
    for key, code in (("sort", "sorting-default"), ("numeric_format", "precision-default")):
        if isinstance(item, dict) and key not in item:
            report.add(code, where, f"{name} has no {key}")
    if not 0 <= column.get("numeric_format", 0) <= 10:
        place = document.where(*path, "numeric_format")
        report.add("precision-range", place, f"numeric_format {column['numeric_format']}")
    label = None
    if "leaderboard" in column:
        board = check_keys(
            report,
            document,
            (*path, "leaderboard"),
            column["leaderboard"],
            {"label": Key("text", required=True), "rank": Key("int")},
        )
        label = board.get("label")
        if label is not None and label not in labels:
            place = document.where(*path, "leaderboard", "label")
            text = f"{label!r}; the leaderboards are {', '.join(map(repr, labels))}"
            report.add("leaderboard-label", place, text)
            label = None
    scored = None if "computed" in column else Column(str(name), where)
    return column.get("rank"), label, scored


# What participants see


def _check_detailed_results(
    report: Report,
    document: Document,
    top: dict[str, Any],
    phases: list[tuple[YamlPath, dict[str, Any], Task]],
    competition: Competition,
) -> None:
    if not is_true(top.get("enable_detailed_results")):
        return
    for path, phase, task in phases:
        hides = phase.get("leaderboard_management_mode") == "hide_results"
        if hides and writes_page(task, competition.programs):
            where = document.where(*path, "leaderboard_management_mode")
            report.add("detailed-results-exposed", where, "leaderboard_management_mode: hide_results")
