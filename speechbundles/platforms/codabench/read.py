"""Reads a bundle's competition.yaml, version 2, as Codabench does."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

from speechbundles.model import dates
from speechbundles.model.bundle import OTHER_PARTS, BuiltBundle, BuiltPhase, BuiltTask
from speechbundles.model.dates import expect_date
from speechbundles.model.errors import BundleError
from speechbundles.model.keys import direction, is_true
from speechbundles.platforms.codabench.facts import COLUMN, LEADERBOARD, PHASE, SUBMISSION_RULES, TOP, VERSION
from spokeneval.task import Column

read_date = partial(dates.read_date, unquoted="date-unquoted", only_iso=None)
"""Codabench accepts many date formats, and drops the time of an unquoted date."""


def is_own(content: Mapping[str, Any]) -> bool:
    return str(content.get("version")) == str(VERSION)


def read(content: Mapping[str, Any]) -> BuiltBundle:
    """Return the bundle without its files.

    Raises
    ------
    BundleError: a date, a rule or a task that Codabench would refuse.
    AttributeError, KeyError, IndexError, TypeError, ValueError: a needed value is missing or malformed.
    """
    if not is_own(content):
        raise BundleError(f"competition.yaml does not have version {VERSION}: Codabench refuses it")
    board = content["leaderboards"][0]
    keys = {str(item["index"]): str(item["key"]) for item in board["columns"]}
    columns = [(int(item["index"]), _column(item, keys)) for item in board["columns"]]
    columns.sort(key=lambda column: column[0])
    primary_index = int(board.get("primary_index", LEADERBOARD["primary_index"]["default"]))
    solutions = content.get("solutions") or ()
    tasks = {item["index"]: _task(item, solutions) for item in content["tasks"]}
    return BuiltBundle(
        platform="codabench",
        title=str(content.get("title", "")),
        image=str(content.get("docker_image") or TOP["docker_image"]["default"]),
        phases=tuple(_phase(item, tasks, board) for item in phases_in_order(content)),
        columns=tuple(column for _, column in columns),
        primary=next((column for index, column in columns if index == primary_index), None),
        detailed_results=is_true(content.get("enable_detailed_results", False)),
        auto_run=is_true(content.get("auto_run_submissions", TOP["auto_run_submissions"]["default"])),
    )


def phases_in_order(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    return sorted(content["phases"], key=lambda item: int(item.get("index", 0)))


def _column(item: Mapping[str, Any], keys: Mapping[str, str]) -> Column:
    """Return a column; `keys`: those of all columns, by their indexes."""
    others = item.get("computation_indexes") or ()
    indexes = others.split(",") if isinstance(others, str) else map(str, others)
    return Column(
        key=str(item["key"]),
        title=str(item["title"]),
        direction=direction(item.get("sorting", COLUMN["sorting"]["default"])),
        precision=int(item.get("precision", COLUMN["precision"]["default"])),
        hidden=is_true(item.get("hidden", False)),
        computed=str(item.get("computation") or ""),
        computed_from=tuple(keys[index] for index in indexes if index in keys),
    )


def _limit(item: Mapping[str, Any], key: str) -> int | None:
    return int(item.get(key, PHASE[key]["default"]) or 0) or None


def _task(item: Mapping[str, Any], solutions: Iterable[Mapping[str, Any]]) -> BuiltTask:
    """Return a task, or one that is stored on the server, whose programs have its key as their name."""
    index = item["index"]
    return BuiltTask(
        name=str(item.get("name", index)),
        scoring_program=item["key"] if "key" in item else item["scoring_program"],
        **{key: item.get(key) for key in OTHER_PARTS},
        description=str(item.get("description") or ""),
        ingestion_only_during_scoring=is_true(item.get("ingestion_only_during_scoring")),
        solutions=tuple(each["path"] for each in solutions if index in each["tasks"] and "key" not in each),
    )


def _phase(item: Mapping[str, Any], tasks: Mapping[Any, BuiltTask], board: Mapping[str, Any]) -> BuiltPhase:
    """Return a phase, open from its `start` to its `end`, both seconds included. 0 or null means no limit.

    Source of the limits: `Phase.can_user_make_submissions`.
    """
    name = str(item["name"])
    rule = board.get("submission_rule", LEADERBOARD["submission_rule"]["default"])
    if rule not in SUBMISSION_RULES:
        raise BundleError(f"submission_rule is {rule!r}, which Codabench does not have")
    if not item["tasks"]:
        raise BundleError(f"phase {name!r} has no task")
    own = tuple(tasks[index] for index in item["tasks"])
    end = item.get("end")
    return BuiltPhase(
        number=str(item.get("index", 0)),
        name=name,
        opens=expect_date(read_date, name, item["start"]),
        closes=expect_date(read_date, name, end) + timedelta(seconds=1) if end else None,
        per_day=_limit(item, "max_submissions_per_day"),
        total=_limit(item, "max_submissions"),
        seconds=float(item.get("execution_time_limit") or PHASE["execution_time_limit"]["default"]),
        rule=rule,
        hidden=is_true(board.get("hidden", False)),
        takes_over=is_true(item.get("auto_migrate_to_this_phase")),
        tasks=own,
        public_data=item.get("public_data"),
        starting_kit=item.get("starting_kit"),
    )
