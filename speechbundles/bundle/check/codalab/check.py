"""Checks CodaLab's competition.yaml, format 1.5, for CodaLab, and for Codabench, which imports the same file."""

import itertools
import re
from datetime import timedelta
from typing import Any

from speechbundles.bundle.check.codalab.board import check_leaderboard
from speechbundles.bundle.check.images import check_image, check_image_age
from speechbundles.bundle.check.inspection import DATA, STEPS, BuiltTask, Inspection
from speechbundles.bundle.check.keys import check_period
from speechbundles.bundle.check.pages import check_logo, check_page
from speechbundles.bundle.check.practice import MOST_SUBMISSIONS
from speechbundles.bundle.check.programs import SHELL, Launch, check_programs
from speechbundles.bundle.check.scores import writes_page
from speechbundles.model.archive import Archive
from speechbundles.model.codalab import read_date
from speechbundles.model.document import FILE, Document, Path
from speechbundles.model.finding import Report
from speechbundles.platforms.codalab.keys import PAGES, PHASE, TOP
from speechbundles.platforms.codalab.layout import METADATA_FILES, VARIABLES
from speechbundles.platforms.keys import PATH, is_true

_Phases = list[tuple[Path, dict[str, Any], BuiltTask]]


def check_codalab(report: Report, files: Archive, document: Document) -> Inspection:
    """Check the file, and the programs, data and pages that it names."""
    bundle = Inspection(report, files, document, zips_only=True)
    _check_order(bundle)
    top = bundle.keys((), document.content, TOP)
    if "image" in top:
        check_logo(bundle, ("image",), top["image"])
    if "competition_docker_image" not in document.content or "competition_docker_image" in top:
        check_image(bundle, "competition_docker_image", top.get("competition_docker_image"))
    _check_pages(bundle, top.get("html"))
    phases = _read_phases(bundle, top.get("phases", {}))
    _check_sequence(bundle, top, phases)
    if "leaderboard" in top:
        check_leaderboard(bundle, top["leaderboard"])
    check_programs(bundle, Launch(METADATA_FILES, "$program/", _words))
    check_image_age(bundle, "competition_docker_image", top.get("competition_docker_image", ""))
    _check_hiding(bundle, top, phases)
    assets = files.folder("assets")
    if assets:
        bundle.contents.public["assets"] = assets
    return bundle


def _check_order(bundle: Inspection) -> None:
    """Check that competition.yaml is the first entry with '.yaml' in its name, which is the one that CodaLab reads."""
    names = list(bundle.files.files)
    yamls = [name for name in names if ".yaml" in name]
    if yamls[0] != FILE:
        bundle.report.add("yaml-shadowed", yamls[0], f"comes before {FILE}")
    elif len(yamls) > 1:
        bundle.report.add("yaml-extra", yamls[1], f"a second entry with '.yaml' in its name, beside {FILE}")
    elif names[0] != FILE:
        bundle.report.add("yaml-not-first", FILE, f"the first entry is {names[0]}")


def _check_pages(bundle: Inspection, html: dict[Any, Any] | None) -> None:
    if html is None:
        return
    known = {page: dict(PATH, required=page in PAGES) for page in (*PAGES, *map(str, html))}
    for page, file in bundle.keys(("html",), html, known).items():
        check_page(bundle, ("html", page), file, sanitised=False)


def _read_phases(bundle: Inspection, items: dict[Any, Any]) -> _Phases:
    phases: _Phases = []
    for name, item in items.items():
        path = ("phases", name)
        phase = bundle.keys(path, item, PHASE)
        if "start_date" in phase:
            where = bundle.document.where((*path, "start_date"))
            phase["start_date"] = read_date(bundle.report, where, phase["start_date"])
        _check_limits(bundle, path, phase)
        opened = {}
        for part in (*STEPS, *DATA, "starting_kit", "public_data"):
            archive = bundle.archive((*path, part), phase[part]) if part in phase else None
            if archive is not None:
                opened[part] = archive
                bundle.contents.publish(part, archive)
        task = BuiltTask(str(phase.get("label", name)), path, opened)
        bundle.contents.tasks.append(task)
        phases.append((path, phase, task))
    return phases


def _check_limits(bundle: Inspection, path: Path, phase: dict[str, Any]) -> None:
    # Both limits are 0 in a phase that is meant to be closed, between two open phases.
    closed = phase.get("max_submissions_per_day") == phase.get("max_submissions") == 0
    for key in ("max_submissions_per_day", "max_submissions", "execution_time_limit"):
        value = phase.get(key, 1)
        if value < 0:
            bundle.add("limit-negative", (*path, key), f"{key}: {value}")
        elif value == 0 and not (closed and key != "execution_time_limit"):
            code = "time-limit-default" if key == "execution_time_limit" else "limit-none-allowed"
            bundle.add(code, (*path, key), f"{key}: 0")
    daily = phase.get("max_submissions_per_day", 0)
    total: Any = phase.get("max_submissions", PHASE["max_submissions"]["default"])
    if phase and "max_submissions_per_day" not in phase and not 0 <= total <= MOST_SUBMISSIONS:
        bundle.add("daily-default", path, "no max_submissions_per_day")
    if 0 < total < daily:
        bundle.add(
            "limit-inconsistent", (*path, "max_submissions_per_day"), f"{daily} per day, {total} in all"
        )


def _check_sequence(bundle: Inspection, top: dict[str, Any], phases: _Phases) -> None:
    numbers = [phase["phasenumber"] for _, phase, _ in phases if "phasenumber" in phase]
    if numbers != sorted(set(numbers)):
        bundle.add("phase-index", ("phases",), f"phasenumber {', '.join(map(str, numbers))}")
    if phases and is_true(phases[0][1].get("auto_migration")):
        place = (*phases[0][0], "auto_migration")
        bundle.add("auto-migrate-first", place, "auto_migration: true in the first phase")
    ordered = sorted(phases, key=lambda phase: phase[1].get("phasenumber", 0))
    for (_, phase, _), (path, following, _) in itertools.pairwise(ordered):
        start, next_start = phase.get("start_date"), following.get("start_date")
        if not start or not next_start:
            continue
        place = (*path, "start_date")
        if next_start <= start:
            bundle.add("phase-overlap", place, f"starts {next_start}; the previous phase starts {start}")
        elif next_start - start <= timedelta(days=1):
            bundle.add("phase-too-short", place, f"starts {next_start - start} after the previous phase")
    if "end_date" in top:
        where = bundle.document.where(("end_date",))
        end = read_date(bundle.report, where, top["end_date"])
        check_period(bundle.report, where, ordered[-1][1].get("start_date") if ordered else None, end)


def _words(report: Report, where: str, command: str, step: str) -> list[str] | None:
    """Return the words of a command, split at each space."""
    if SHELL.search(command):
        report.add("command-shell", where, f"{command!r} needs a shell")
        return None
    for variable in dict.fromkeys(re.findall(r"\$\w*", command)):
        if variable not in VARIABLES:
            text = f"{variable!r} in {command!r}"
            report.add("command-variable-unknown", where, text, word=variable, known=VARIABLES)
            return None
    words = command.strip().split(" ")
    if "" in words or command != command.strip():
        report.add("command-spaces", where, f"{command!r}")
    if re.search(r"[\"']", command):
        report.add("command-shell", where, f"{command!r} has quotation marks for a shell")
        return None
    for word in words:
        if word == "/app" or word.startswith("/app/"):
            report.add("command-literal-path", where, f"{word!r} in the command")
            return None
        if re.fullmatch(r"[\w.][\w./-]*\.(py|sh|R)", word):
            report.add(
                "command-file",
                where,
                f"{word!r}: the command runs in the parent folder; write $program/{word}",
            )
            return None
    return [word for word in words if word]


def _check_hiding(bundle: Inspection, top: dict[str, Any], phases: _Phases) -> None:
    for path, phase, task in phases:
        if phase.get("leaderboard_management_mode") != "hide_results":
            continue
        place = (*path, "leaderboard_management_mode")
        exposed = is_true(top.get("enable_detailed_results")) and writes_page(bundle.contents, task)
        code = "detailed-results-exposed" if exposed else "hide-not-imported"
        bundle.add(code, place, "leaderboard_management_mode: hide_results")
