"""Checks CodaLab's competition.yaml, format 1.5, for CodaLab, and for Codabench, which imports the same file."""

import itertools
import posixpath
import re
from datetime import timedelta

from speechbundles.bundle.check import (
    DATA,
    STEPS,
    CheckedKeys,
    CheckedTask,
    Inspection,
    Launch,
    check_image,
    check_limits,
    check_period,
    check_programs,
    is_plain,
    split,
    writes_page,
)
from speechbundles.model.archive import Archive
from speechbundles.model.document import FILE, Document
from speechbundles.model.finding import Report
from speechbundles.model.keys import is_true
from speechbundles.platforms.codabench.facts import APP, OLD_IMAGES
from speechbundles.platforms.codabench.facts import METADATA_FILES as CODABENCH_FILES
from speechbundles.platforms.codabench.facts import VARIABLES as CODABENCH_VARIABLES
from speechbundles.platforms.codalab.facts import (
    INGESTION_VARIABLES,
    LONGEST_COLUMN_KEY,
    METADATA_FILES,
    PHASE,
    TABLES,
    VARIABLES,
)
from speechbundles.platforms.codalab.read import read_date

NAMES = tuple(dict.fromkeys((*METADATA_FILES, *CODABENCH_FILES)))


def check(report: Report, files: Archive, document: Document) -> Inspection:
    """Check the file, and the programs, data and pages that it names."""
    bundle = Inspection(report, files, document, tables=TABLES, read_date=read_date, older_format=True)
    _check_order(bundle)
    top = bundle.part((), document.content, "TOP")
    phases = list(top.get("phases", {}).values())
    if any(phase.get("is_parallel_parent") or phase.get("parent_phasenumber") for phase in phases):
        phases.remove(min(phases, key=lambda phase: phase.get("phasenumber", 0)))  # Codabench drops it
    parts = [{key: phase[key] for key in (*STEPS, *DATA) if key in phase} for phase in phases]
    names = [str(phase.get("label", phase.path[-1])) for phase in phases]
    tasks = [CheckedTask(*each) for each in zip(names, (phase.path for phase in phases), parts, strict=True)]
    bundle.contents.tasks = tasks
    _check_phases(bundle, top, phases)
    _check_leaderboard(bundle, top.get("leaderboard", CheckedKeys(("leaderboard",))))
    check_programs(bundle, Launch(NAMES, "$program/", _words, unwraps=True))
    check_image(bundle, "competition_docker_image", top, OLD_IMAGES)
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


def _check_phases(bundle: Inspection, top: CheckedKeys, phases: list[CheckedKeys]) -> None:
    daily, total = "max_submissions_per_day", "max_submissions"
    for phase in phases:
        # Both limits are 0 in a phase that is meant to be closed, between two open phases.
        zeros = [key for key in (daily, total) if phase.given.get(key, 1) in (0, None)]
        for key in zeros if len(zeros) == 1 else ():
            bundle.add("limit-none-allowed", (*phase.path, key), f"{key}: {phase.given[key] or 'none'}")
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
    last = ordered[-1].get("start_date") if ordered else None
    check_period(bundle, ("end_date",), last, top.get("end_date"))


def _check_leaderboard(bundle: Inspection, both: CheckedKeys) -> None:
    boards, columns = (both.get(key, CheckedKeys(())) for key in ("leaderboards", "columns"))
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
    for label in labels:
        own = [each for each in columns.values() if each.get("leaderboard", {}).get("label") == label]
        ranks = [column["rank"] for column in own if "rank" in column]
        if len(set(ranks)) < len(ranks) or 0 < len(ranks) < len(own):
            text = f"ranks {', '.join(map(str, ranks))} for {len(own)} columns"
            bundle.add("column-rank", ("leaderboard", "columns"), text)
    ranked = sorted(enumerate(columns.items(), 1), key=lambda item: item[1][1].get("rank", item[0]))
    for _, (name, column) in ranked[:1]:
        bundle.contents.primary = None if "computed" in column else (str(name), column.path)


def _words(report: Report, where: str, command: str, step: str) -> list[str] | None:
    """Return the words of a command, as Codabench splits it; report what CodaLab does otherwise."""
    ingests = step == "ingestion_program"
    if not is_plain(report, where, command, CODABENCH_VARIABLES[step]):
        return None
    known = INGESTION_VARIABLES if ingests else VARIABLES
    for variable in set(re.findall(r"\$\w*", command)) - known.keys():
        report.add("codalab-value", where, f"{variable!r} in {command!r}")
    if posixpath.basename(where) not in METADATA_FILES:
        report.add("metadata-name", where, f"expected {' or '.join(METADATA_FILES)}")
    if "  " in command or command != command.strip() or re.search(r"[\"']", command):
        report.add("command-spaces", where, f"{command!r}")
    words = split(report, where, command)
    for word in words or ():
        if word == APP or word.startswith(f"{APP}/"):
            report.add("command-literal-path", where, f"{word!r} in the command")
        elif re.fullmatch(r"[\w.][\w./-]*\.(py|sh|R)", word):
            report.add("command-folder", where, f"{word!r}: write $program/{word}")
    home = "$ingestion_program/" if ingests else f"{APP}/program/"
    return words and [re.sub(rf"^({re.escape(home)}|{APP}/program/)", "$program/", word) for word in words]
