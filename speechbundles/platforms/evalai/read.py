"""Reads a bundle's challenge_config.yaml, as EvalAI does."""

from collections.abc import Mapping
from typing import Any

from speechbundles.model.bundle import BuiltBundle, BuiltPhase, BuiltTask
from speechbundles.model.dates import expect_date
from speechbundles.model.keys import is_true
from speechbundles.model.platform import FORCE_BEST, PICKED
from speechbundles.platforms.evalai.facts import ITEMS, KIT, LABELS, PUBLIC, SECONDS, TABLES, read_date
from spokeneval.task import HIGHER, LOWER, Column


def is_own(content: Mapping[str, Any]) -> bool:
    """Return that a file is EvalAI's: no other platform has files of this name."""
    return True


def read(content: Mapping[str, Any]) -> BuiltBundle:
    """Return the bundle without its files.

    Raises
    ------
    BundleError: a date that EvalAI would refuse.
    AttributeError, KeyError, IndexError, TypeError, ValueError: a needed value is missing or malformed.
    """
    splits = {str(split["challenge_phase_id"]): split for split in content["challenge_phase_splits"]}
    phases = [_phase(str(content["evaluation_script"]), item, splits) for item in content["challenge_phases"]]
    first = next(iter(splits.values()))
    (schema,) = (each["schema"] for each in content["leaderboard"] if each["id"] == first["leaderboard_id"])
    columns = {str(key): _column(str(key), schema, first) for key in schema["labels"]}
    return BuiltBundle(
        platform="evalai",
        title=str(content["title"]),
        image=str(content.get("worker_image_url") or ""),
        phases=tuple(sorted(phases, key=lambda phase: phase.opens)),
        columns=tuple(columns.values()),
        primary=columns[str(schema["default_order_by"])],
        detailed_results=False,
    )


def _column(key: str, schema: Mapping[str, Any], split: Mapping[str, Any]) -> Column:
    """Return a column; what its metadata say of its order precedes what the split says."""
    about = schema.get("metadata", {}).get(key, {})
    ascending = (
        about.get("sort_ascending") is not False if about else not split["is_leaderboard_order_descending"]
    )
    title, precision = str(about.get("description") or key), int(split["leaderboard_decimal_precision"])
    return Column(key, title, LOWER if ascending else HIGHER, precision)


def _phase(script: str, item: Mapping[str, Any], splits: Mapping[str, Mapping[str, Any]]) -> BuiltPhase:
    name, labels = str(item["name"]), str(item["test_annotation_file"])
    opens, closes = (
        expect_date(read_date, f"{name}: {key}", item[key]) for key in ("start_date", "end_date")
    )
    limits = TABLES["PHASE"]
    per_day, total = (
        int(item.get(key, limits[key]["default"])) for key in ("max_submissions_per_day", "max_submissions")
    )
    picked = is_true(item.get("is_restricted_to_select_one_submission"))
    return BuiltPhase(
        number=str(item["codename"]),
        name=name,
        opens=opens,
        closes=closes,
        per_day=per_day,
        total=total,
        seconds=SECONDS,
        rule=PICKED[0] if picked else FORCE_BEST,
        hidden=int(splits[str(item["id"])]["visibility"]) != PUBLIC,
        tasks=(BuiltTask(name, script, None, labels, labels.replace(LABELS, ITEMS)),),
        starting_kit=KIT,
        results_only=True,
    )
