"""What a built bundle says about a whole competition: its phases with their dates, limits and submission rule."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from bundling.check_yaml import read_date
from bundling.finding import Report
from bundling.rehearsal_bundle import CODABENCH, CODALAB, BundleError, Column, Plan, read_bundle

FORCE_BEST, FORCE_LAST, FORCE_ALL = "Force_Best", "Force_Last", "Force_Latest_Multiple"
PICKED = ("Add", "Add_And_Delete", "Add_And_Delete_Multiple")

_SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Phase:
    """A phase: open from `opens` until before `closes` (None: for ever). A limit that is None does not limit."""

    number: str
    name: str
    opens: datetime
    closes: datetime | None
    per_day: int | None
    total: int | None
    rule: str
    hidden: bool

    def is_open(self, time: datetime) -> bool:
        return self.opens <= time and (self.closes is None or time < self.closes)

    def __str__(self) -> str:
        closes = f"before {self.closes}" if self.closes else "open end"
        day = "any number a day" if self.per_day is None else f"{self.per_day} a day"
        total = "no limit in all" if self.total is None else f"{self.total} in all"
        return f"{self.name}: {self.opens}, {closes}; {day}, {total}; {self.rule}"


@dataclass(frozen=True)
class Competition:
    """What a bundle says of a season: phases in order of time, columns in the board's order."""

    title: str
    platform: str
    phases: tuple[Phase, ...]
    columns: tuple[Column, ...]
    primary: Column
    notes: tuple[str, ...]


def read_competition(bundle: Path) -> Competition:
    """The phases, limits and rule of a bundle.

    Raises
    ------
    BundleError: as `rehearse`, for any of its phases, and where a date or a rule cannot be read.
    """
    plan = read_bundle(bundle, None)
    with zipfile.ZipFile(bundle) as archive:
        content = yaml.safe_load(archive.read("competition.yaml"))
    try:
        phases, notes = (_codabench_phases if plan.platform == CODABENCH else _codalab_phases)(content)
    except BundleError:
        raise
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise BundleError(f"{bundle}: competition.yaml is incomplete or malformed: {error!r}") from error
    plans = [read_bundle(bundle, phase.number) for phase in phases]
    return Competition(
        title=str(content.get("title", "")),
        platform=plan.platform,
        phases=tuple(phases),
        columns=plan.columns,
        primary=_primary(plan),
        notes=tuple(dict.fromkeys([*notes, *(warning for one in plans for warning in one.warnings)])),
    )


def _primary(plan: Plan) -> Column:
    if plan.primary is None:
        raise BundleError("primary_index names no column: the platform loses every score, there is no board")
    if plan.primary.computed:
        raise BundleError(f"{plan.primary.key} is computed by the server: the board's order is not rehearsed")
    return plan.primary


def _codabench_phases(content: Mapping[str, Any]) -> tuple[list[Phase], list[str]]:
    board = content["leaderboards"][0]
    rule = board.get("submission_rule", "Add")
    if rule not in (FORCE_BEST, FORCE_LAST, FORCE_ALL, *PICKED):
        raise BundleError(f"submission_rule is {rule!r}: Codabench has no such rule")
    phases, notes = [], []
    for item in sorted(content["phases"], key=lambda item: int(item.get("index", 0))):
        name = str(item["name"])
        end = item.get("end")
        phases.append(
            Phase(
                number=str(item.get("index", 0)),
                name=name,
                opens=_instant(item["start"], name, CODABENCH),
                closes=_instant(end, name, CODABENCH) + _SECOND if end else None,
                per_day=item.get("max_submissions_per_day", 5) or None,
                total=item.get("max_submissions", 100) or None,
                rule=rule,
                hidden=bool(board.get("hidden", False)),
            )
        )
        if item.get("auto_migrate_to_this_phase"):
            notes.append(f"phase {name} takes over submissions from the one before; that is not rehearsed")
    return phases, notes


def _codalab_phases(content: Mapping[str, Any]) -> tuple[list[Phase], list[str]]:
    items = sorted(content["phases"].values(), key=lambda item: int(item["phasenumber"]))
    opens = [_instant(item["start_date"], str(item["label"]), CODALAB) for item in items]
    end = content.get("end_date")
    closes = [*opens[1:], _instant(end, "end_date", CODALAB) if end else None]
    phases = []
    for item, start, stop in zip(items, opens, closes, strict=True):
        hidden = item.get("leaderboard_management_mode") == "hide_results"
        if item.get("force_best_submission_to_leaderboard"):
            rule = FORCE_BEST
        elif content.get("force_submission_to_leaderboard") or hidden:
            rule = FORCE_LAST
        else:
            rule = PICKED[0]
        phases.append(
            Phase(
                number=str(item["phasenumber"]),
                name=str(item["label"]),
                opens=start,
                closes=stop,
                per_day=int(item.get("max_submissions_per_day", 999)),
                total=int(item.get("max_submissions", 100)),
                rule=rule,
                hidden=hidden,
            )
        )
    return phases, []


def _instant(value: object, where: str, platform: str) -> datetime:
    lenient = platform == CODABENCH
    unquoted = "date-unquoted" if lenient else "date-unquoted-import"
    read = read_date(Report(), where, value, unquoted=unquoted, lenient=lenient)
    if read is None:
        raise BundleError(f'{where}: {value!r} is no date; expected a quoted "YYYY-MM-DD HH:MM:SS"')
    return read
