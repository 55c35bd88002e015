"""Checks CodaLab's competition.yaml, format 1.5, for CodaLab, and for Codabench, which imports the same file."""

import itertools
import re
from datetime import timedelta

from speechbundles.bundle.check.inspection import DATA, STEPS, BuiltTask, Inspection, Part
from speechbundles.bundle.check.programs import Launch, check_programs, is_plain
from speechbundles.bundle.check.scores import writes_page
from speechbundles.bundle.check.settings import check_image, check_limits, check_period
from speechbundles.model.archive import Archive
from speechbundles.model.codalab import read_date
from speechbundles.model.document import FILE, Document
from speechbundles.model.finding import Report
from speechbundles.platforms.codalab.keys import LONGEST_COLUMN_KEY, PHASE, TABLES
from speechbundles.platforms.codalab.layout import METADATA_FILES, VARIABLES
from speechbundles.platforms.keys import is_true


def check_codalab(report: Report, files: Archive, document: Document) -> Inspection:
    """Check the file, and the programs, data and pages that it names."""
    bundle = Inspection(report, files, document, tables=TABLES, read_date=read_date, zips_only=True)
    _check_order(bundle)
    top = bundle.part((), document.content, "TOP")
    phases = list(top.get("phases", {}).values())
    tasks = [
        BuiltTask(
            str(phase.get("label", phase.path[-1])),
            phase.path,
            {k: phase[k] for k in (*STEPS, *DATA) if k in phase},
        )
        for phase in phases
    ]
    bundle.contents.tasks = tasks
    _check_phases(bundle, top, phases)
    _check_leaderboard(bundle, top.get("leaderboard", Part(("leaderboard",))))
    check_programs(bundle, Launch(METADATA_FILES, "$program/", _words))
    check_image(bundle, "competition_docker_image", top)
    for phase, task in zip(phases, tasks, strict=True):
        if phase.get(key := "leaderboard_management_mode") == "hide_results":
            exposed = is_true(top.get("enable_detailed_results")) and writes_page(bundle.contents, task)
            code = "detailed-results-exposed" if exposed else "hide-not-imported"
            bundle.add(code, (*phase.path, key), f"{key}: hide_results")
    if assets := files.folder("assets"):
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


def _check_phases(bundle: Inspection, top: Part, phases: list[Part]) -> None:
    daily, total = "max_submissions_per_day", "max_submissions"
    for phase in phases:
        # Both limits are 0 in a phase that is meant to be closed, between two open phases.
        zeros = [key for key in (daily, total) if phase.get(key) == 0]
        for key in zeros if len(zeros) == 1 else ():
            bundle.add("limit-none-allowed", (*phase.path, key), f"{key}: 0")
        check_limits(bundle, phase, PHASE[total]["default"])
    numbers = [phase["phasenumber"] for phase in phases if "phasenumber" in phase]
    if numbers != sorted(set(numbers)):
        bundle.add("phase-index", ("phases",), f"phasenumber {', '.join(map(str, numbers))}")
    if phases and is_true(phases[0].get("auto_migration")):
        place = (*phases[0].path, "auto_migration")
        bundle.add("auto-migrate-first", place, "auto_migration: true in the first phase")
    ordered = sorted(phases, key=lambda phase: phase.get("phasenumber", 0))
    for phase, following in itertools.pairwise(ordered):
        start, next_start = phase.get("start_date"), following.get("start_date")
        place = (*following.path, "start_date")
        if start and next_start and next_start <= start:
            bundle.add("phase-overlap", place, f"starts {next_start}; the previous phase starts {start}")
        elif start and next_start and next_start - start <= timedelta(days=1):
            bundle.add("phase-too-short", place, f"starts {next_start - start} after the previous phase")
    check_period(
        bundle, ("end_date",), ordered[-1].get("start_date") if ordered else None, top.get("end_date")
    )


def _check_leaderboard(bundle: Inspection, both: Part) -> None:
    boards, columns = (both.get(key, Part(())) for key in ("leaderboards", "columns"))
    labels = {str(board["label"]).strip(): board.path for board in boards.values() if "label" in board}
    used: set[str | None] = set()  # None for a column with an invalid label
    for name, column in columns.items():
        if (length := len(str(name))) > LONGEST_COLUMN_KEY:
            what = f"key {name!r} has {length} characters; at most {LONGEST_COLUMN_KEY}"
            bundle.add("too-long", column.path, what)
        label = column.get("leaderboard", {}).get("label")
        if label is not None and label not in labels:
            what = f"{label!r}; the leaderboards are {', '.join(map(repr, labels))}"
            bundle.add("leaderboard-label", (*column.path, "leaderboard", "label"), what)
        used.add(label if label in labels else None)
        if "computed" not in column:
            bundle.contents.columns.append((str(name), column.path))
    for label, path in labels.items():
        if columns and label not in used and None not in used:
            bundle.add("leaderboard-no-column", path, f"no column names {label!r}")
    ranks = [column["rank"] for column in columns.values() if "rank" in column]
    if len(set(ranks)) < len(ranks) or 0 < len(ranks) < len(columns):
        text = f"ranks {', '.join(map(str, ranks))} for {len(columns)} columns"
        bundle.add("column-rank", ("leaderboard", "columns"), text)
    ranked = sorted(enumerate(columns.items(), 1), key=lambda item: item[1][1].get("rank", item[0]))
    for _, (name, column) in ranked[:1]:
        bundle.contents.primary = None if "computed" in column else (str(name), column.path)


def _words(report: Report, where: str, command: str, step: str) -> list[str] | None:
    """Return the words of a command, split at each space."""
    if not is_plain(report, where, command, VARIABLES):
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
            what = f"{word!r}: the command runs in the parent folder; write $program/{word}"
            report.add("command-file", where, what)
            return None
    return [word for word in words if word]
