"""Checks EvalAI's challenge_config.yaml, as far as participants upload results."""

from collections.abc import Iterable

from speechbundles.bundle.check import (
    CheckedKeys,
    CheckedTask,
    Inspection,
    Launch,
    check_limits,
    check_period,
    check_programs,
    is_plain,
    split,
)
from speechbundles.model.archive import Archive, open_archive
from speechbundles.model.document import Document, Path
from speechbundles.model.finding import Report
from speechbundles.model.keys import is_true
from speechbundles.platforms.evalai.facts import (
    ITEMS,
    KIT,
    METADATA_FILES,
    PUBLIC,
    TABLES,
    VARIABLES,
    read_date,
)


def check(report: Report, files: Archive, document: Document) -> Inspection:
    """Check the file, and the script, labels and pages that it names. All other zips count as public."""
    bundle = Inspection(report, files, document, tables=TABLES, read_date=read_date, older_format=True)
    top = bundle.part((), document.content, "TOP")
    check_period(bundle, ("end_date",), top.get("start_date"), top.get("end_date"))
    phases = top.get("challenge_phases", [])
    for phase in phases:
        check_limits(bundle, phase, TABLES["PHASE"]["max_submissions"]["default"])
        check_period(bundle, (*phase.path, "end_date"), phase.get("start_date"), phase.get("end_date"))
        given = {
            "scoring_program": top.get("evaluation_script"),
            "reference_data": phase.get("test_annotation_file"),
        }
        parts = {step: archive for step, archive in given.items() if archive is not None}
        bundle.contents.tasks.append(CheckedTask(str(phase.get("name")), phase.path, parts))
    _check_splits(bundle, top, phases)
    for board in top.get("leaderboard", [])[:1]:
        _check_board(bundle, board.get("schema", CheckedKeys(())))
    check_programs(bundle, Launch(METADATA_FILES, "$program/", _words))
    named = {archive.name for task in bundle.contents.tasks for archive in task.parts.values()}
    for name in [name for name in files.files if name.endswith(".zip") and name not in named]:
        if archive := open_archive(report, name, files.files[name], files.room):
            lists, public = bundle.contents.item_lists, bundle.contents.public
            (lists if name.startswith(ITEMS) else public)[name] = archive
            bundle.contents.kits.update({KIT} & {name})
    return bundle


def _check_splits(bundle: Inspection, top: CheckedKeys, phases: list[CheckedKeys]) -> None:
    """Check that each phase has a split of its own codename, without which every submission fails."""
    codenames = {split.get("id"): split.get("codename") for split in top.get("dataset_splits", [])}
    joined = list(top.get("challenge_phase_splits", []))
    boards = [board.get("id") for board in top.get("leaderboard", [])]
    for each in joined:
        known = {"leaderboard_id": boards, "dataset_split_id": codenames}
        known["challenge_phase_id"] = [phase.get("id") for phase in phases]
        for key, ids in known.items():
            if key in each and each[key] not in ids:
                _add_choice(bundle, (*each.path, key), each[key], ids)
    for phase in phases:
        own = [each for each in joined if each.get("challenge_phase_id") == phase.get("id")]
        names = [codenames.get(each.get("dataset_split_id")) for each in own]
        if "codename" in phase and phase["codename"] not in names:
            _add_choice(bundle, (*phase.path, "codename"), phase["codename"], names)
        hidden = any(each.get("visibility", PUBLIC) != PUBLIC for each in own)
        if hidden and not is_true(phase.get("disable_logs")):
            bundle.add("hide-log", phase.path, "its scores are hidden, but disable_logs is not true")


def _add_choice(bundle: Inspection, path: Path, found: object, known: Iterable[object]) -> None:
    bundle.add("choice", path, f"{found!r}; expected one of {', '.join(map(str, known))}")


def _check_board(bundle: Inspection, schema: CheckedKeys) -> None:
    labels, first = schema.get("labels", []), schema.get("default_order_by")
    for label in labels:
        about = (*schema.path, "metadata", label)
        place = about if isinstance(bundle.document.value(about), dict) else schema.path
        bundle.contents.columns.append((str(label), place))
        if label == first:
            bundle.contents.primary = str(label), place
    if first is not None and first not in labels:
        _add_choice(bundle, (*schema.path, "default_order_by"), first, labels)


def _words(report: Report, where: str, command: str, step: str) -> list[str] | None:
    """Return the words of our command."""
    return split(report, where, command) if is_plain(report, where, command, VARIABLES) else None
