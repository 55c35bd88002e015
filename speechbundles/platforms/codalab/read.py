"""Reads a bundle's competition.yaml, format 1.5, as CodaLab does."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

from speechbundles.model import dates
from speechbundles.model.bundle import OTHER_PARTS, BuiltBundle, BuiltPhase, BuiltTask
from speechbundles.model.dates import expect_date
from speechbundles.model.keys import direction, is_true
from speechbundles.model.platform import FORCE_BEST, FORCE_LAST, PICKED
from speechbundles.platforms.codalab.facts import COLUMN, PHASE, TOP
from spokeneval.task import Column

read_date = partial(dates.read_date, unquoted="date-unquoted-import", only_iso="date-codalab")
"""CodaLab accepts only the ISO format, Codabench all. An unquoted date loses its time on Codabench alone."""


def is_own(content: Mapping[str, Any]) -> bool:
    """Return whether a file has `phases` that are a mapping, `html` or a `leaderboard`."""
    return isinstance(content.get("phases"), dict) or "html" in content or "leaderboard" in content


def read(content: Mapping[str, Any]) -> BuiltBundle:
    """Return the bundle without its files.

    Raises
    ------
    BundleError: a date that CodaLab would refuse.
    AttributeError, KeyError, IndexError, TypeError, ValueError: a needed value is missing or malformed.
    """
    listed, rank = content["leaderboard"]["columns"], COLUMN["rank"]["default"]
    ranked = sorted(listed.items(), key=lambda item: int(item[1].get("rank", rank)))
    columns = [_column(key, item) for key, item in ranked]
    items = phases_in_order(content)
    opens = [expect_date(read_date, str(item["label"]), item["start_date"]) for item in items]
    end = content.get("end_date")
    closes = [*opens[1:], expect_date(read_date, "end_date", end) if end else None]
    forced = is_true(content.get("force_submission_to_leaderboard"))
    return BuiltBundle(
        platform="codalab",
        title=str(content.get("title", "")),
        image=str(content.get("competition_docker_image") or TOP["competition_docker_image"]["default"]),
        phases=tuple(_phase(*each, forced) for each in zip(items, opens, closes, strict=True)),
        columns=tuple(columns),
        primary=columns[0],
        detailed_results=is_true(content.get("enable_detailed_results", False)),
    )


def phases_in_order(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the phases by their numbers, without the parent of parallel phases in format 1.8, as Codabench does."""
    items = sorted(content["phases"].values(), key=lambda item: int(item["phasenumber"]))
    parallel = any(item.get("is_parallel_parent") or item.get("parent_phasenumber") for item in items)
    return items[1:] if parallel else items


def _column(key: object, item: Mapping[str, Any]) -> Column:
    return Column(
        key=str(key),
        title=str(item.get("label", key)),
        direction=direction(item.get("sort") or COLUMN["sort"]["default"]),
        precision=int(item.get("numeric_format", COLUMN["numeric_format"]["default"])),
        hidden=is_true(item.get("hidden", False)),
        computed="computed" * ("computed" in item),
    )


def _phase(item: Mapping[str, Any], opens: datetime, closes: datetime | None, forced: bool) -> BuiltPhase:
    """Return a phase, open until the next phase starts, or until `end_date`. A limit of 0 allows no submission.

    Source of the limits: `CompetitionSubmission.save`.
    """
    name, hidden = str(item["label"]), item.get("leaderboard_management_mode") == "hide_results"
    others: Any = {key: item.get(key) for key in OTHER_PARTS}
    rule = FORCE_LAST if forced or hidden else PICKED[0]
    return BuiltPhase(
        number=str(item["phasenumber"]),
        name=name,
        opens=opens,
        closes=closes,
        per_day=int(item.get("max_submissions_per_day", PHASE["max_submissions_per_day"]["default"])),
        total=int(item.get("max_submissions", PHASE["max_submissions"]["default"])),
        seconds=float(item.get("execution_time_limit") or PHASE["execution_time_limit"]["default"]),
        rule=FORCE_BEST if is_true(item.get("force_best_submission_to_leaderboard")) else rule,
        hidden=hidden,
        tasks=(BuiltTask(name, item["scoring_program"], **others),),
        public_data=item.get("public_data"),
        starting_kit=item.get("starting_kit"),
        results_only=is_true(item.get("is_scoring_only", PHASE["is_scoring_only"]["default"])),
    )
