"""What a platform makes of the scores that a scoring program wrote: read, stored, shown, or lost.

Codabench: `push_scores` in compute_worker.py, `upload_submission_scores` on the server, PostgreSQL's
`numeric(20, 10)` below it. CodaLab: `update_submission` in codalab/apps/web/tasks.py, `float` columns.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import yaml

from bundling.rehearsal_bundle import CODABENCH, Column, Plan

_DIGITS = Context(prec=20)
_PLACES = Decimal(1).scaleb(-10)


class RunFailed(Exception):
    """The platform would say Failed, for this reason."""


class ScoresLost(Exception):
    """The platform would lose all scores and say Finished, for this reason."""


@dataclass(frozen=True)
class Cell:
    """One column of the leaderboard row. `stored` and `shown` are None and `n/a` (CodaLab: `-`) without a score."""

    key: str
    title: str
    stored: Decimal | None
    shown: str
    precision: int
    sorting: str
    hidden: bool

    def fixed(self) -> str:
        """As shown, but with all decimals of the precision, so that the numbers of several runs stand in line."""
        return self.shown if self.stored is None else f"{float(self.stored):.{max(0, self.precision)}f}"


def read_scores(output: Path, plan: Plan, warnings: list[str]) -> dict[str, Any]:
    """The scores as written; empty, with a warning, where the platform loses them.

    Raises
    ------
    RunFailed: where there are none that the platform can read.
    """
    read = _read_codabench if plan.platform == CODABENCH else _read_codalab
    try:
        return {str(key): value for key, value in read(output).items()}
    except ScoresLost as loss:
        warnings.append(f"no score is stored, though the run is Finished: {loss}")
        return {}


def store_scores(scores: Mapping[str, Any], plan: Plan, warnings: list[str]) -> dict[str, Decimal]:
    """What the database keeps of the scores, by column key; warns of all that it does not.

    Raises
    ------
    RunFailed: CodaLab's answer to a value that is no finite number.
    """
    store = _store_codabench if plan.platform == CODABENCH else _store_codalab
    stored = store(scores, plan.columns, warnings)
    keys = {column.key for column in plan.columns}
    dropped = [key for key in scores if key not in keys]
    if dropped:
        warnings.append(f"written but without a column, dropped in silence: {', '.join(dropped)}")
    missing = [column for column in plan.columns if column.key not in stored and not column.computed]
    if missing:
        warnings.append(f"columns without a score: {', '.join(column.key for column in missing)}")
    primary = plan.primary
    if plan.platform == CODABENCH and primary in missing and primary.sorting == "desc":
        warnings.append(f"without {primary.key}, the primary score, this entry ranks first")
    for column in plan.columns:
        if column.computed:
            warnings.append(f"{column.key} is computed by the server; that is not rehearsed")
        elif column.key in stored:
            warnings += _hidden_by_rounding(column, scores[column.key], stored[column.key], plan)
    return stored


def leaderboard_row(plan: Plan, stored: Mapping[str, Decimal]) -> tuple[Cell, ...]:
    """One cell a column, in the board's order."""
    return tuple(_cell(column, stored.get(column.key), plan.platform) for column in plan.columns)


def _hidden_by_rounding(column: Column, written: Any, stored: Decimal, plan: Plan) -> list[str]:
    """A warning where the board shows 0 for what is not 0, or a primary score more than half a percent off."""
    if not stored:
        return [f"{column.key}: {written!r} is stored as 0 (10 decimal places)"] if float(written) else []
    shown = Decimal(_shown(stored, column.precision, plan.platform))
    if shown and not (column is plan.primary and abs(shown - stored) > abs(stored) / 200):
        return []
    return [
        f"{column.key}: precision {column.precision} shows {shown} for {stored.normalize()}; "
        "entries that differ look the same"
    ]


def _read_codabench(output: Path) -> Mapping[str, Any]:
    """`scores.json`, else `scores.txt` as YAML."""
    if (output / "scores.json").exists():
        try:
            scores = json.loads((output / "scores.json").read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise RunFailed(f"scores.json is not valid JSON: {error}") from None
        except (ValueError, OSError) as error:
            raise ScoresLost(f"the worker crashes on scores.json: {error}") from None
    elif (output / "scores.txt").exists():
        try:
            scores = yaml.safe_load((output / "scores.txt").read_text(encoding="utf-8"))
        except (ValueError, OSError, yaml.YAMLError) as error:
            raise ScoresLost(f"the worker crashes on scores.txt: {error}") from None
    else:
        raise RunFailed("the scoring program ended well but wrote neither scores.json nor scores.txt")
    if not isinstance(scores, dict):
        raise ScoresLost(f"the scores are no mapping of keys to numbers but {scores!r:.100}")
    return scores


def _store_codabench(
    scores: Mapping[str, Any], columns: Sequence[Column], warnings: list[str]
) -> dict[str, Decimal]:
    """Key by key, as they stand in the file; the first that the database refuses ends it."""
    try:
        scores = json.loads(json.dumps(scores, allow_nan=False))
    except (ValueError, TypeError):
        bad = ", ".join(f"{key} is {value!r}" for key, value in scores.items() if not _sendable(value))
        warnings.append(f"no score is stored, though the run is Finished: the worker crashes, {bad}")
        return {}
    known = {column.key for column in columns}
    stored: dict[str, Decimal] = {}
    for key, value in scores.items():
        if key not in known:
            continue
        try:
            stored[key] = _decimal(value)
        except (InvalidOperation, ValueError, TypeError):
            kept = ", ".join(stored) or "nothing"
            warnings.append(
                f"{key} is {value!r:.100}, which the server cannot store (expected a number below 1e10): "
                f"it keeps {kept}, loses {key} and every key after it, and ranks no entry; the run is Finished"
            )
            break
        if isinstance(value, (str, bool)):
            warnings.append(f"{key} is {value!r}, not a number; the server happens to take it")
    return stored


def _sendable(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, TypeError):
        return False
    return True


def _decimal(value: object) -> Decimal:
    """20 digits, 10 of them decimal places, as the score's database field has it."""
    if isinstance(value, float):
        number = _DIGITS.create_decimal_from_float(value)
    elif isinstance(value, (int, str)):
        number = Decimal(value)
    else:
        raise TypeError
    if not number.is_finite():
        raise ValueError
    return number.quantize(_PLACES, rounding=ROUND_HALF_UP, context=_DIGITS)


def _read_codalab(output: Path) -> Mapping[str, Any]:
    """`scores.txt` alone: `key: value` in each line."""
    try:
        text = (output / "scores.txt").read_text(encoding="utf-8")
    except (OSError, ValueError):
        raise RunFailed(
            "the scoring program wrote no scores.txt that can be read; CodaLab reads no other file"
        ) from None
    scores: dict[str, Any] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line:
            continue
        parts = line.split(":")
        if len(parts) != 2:
            raise RunFailed(f"scores.txt, line {number}: {line!r:.100}; expected `key: value` with one colon")
        scores[parts[0].strip()] = _number(parts[1].strip())
    return scores


def _number(text: str) -> int | float | str:
    """A number as the program wrote it; the text where it is no finite number."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if math.isfinite(number):
            return number
    return text


def _store_codalab(
    scores: Mapping[str, Any], columns: Sequence[Column], warnings: list[str]
) -> dict[str, Decimal]:
    """Floating-point numbers; whatever is none fails the submission."""
    stored: dict[str, Decimal] = {}
    for column in columns:
        if column.key not in scores:
            continue
        try:
            value = float(scores[column.key])
        except ValueError:
            raise RunFailed(
                f"scores.txt: {column.key} is {scores[column.key]!r:.100}; expected a number"
            ) from None
        if not math.isfinite(value):
            raise RunFailed(f"scores.txt: {column.key} is {value}; the database takes finite numbers only")
        stored[column.key] = Decimal(repr(value))
    return stored


def _cell(column: Column, stored: Decimal | None, platform: str) -> Cell:
    if stored is not None:
        shown = _shown(stored, column.precision, platform)
    else:
        shown = "n/a" if platform == CODABENCH else "-"
    return Cell(column.key, column.title, stored, shown, column.precision, column.sorting, column.hidden)


def _shown(stored: Decimal, precision: int, platform: str) -> str:
    """The leaderboard's text: Codabench drops trailing zeros (4.090 is shown as 4.09), CodaLab does not."""
    if platform == CODABENCH:
        return str(round(float(stored), precision))
    return f"{float(stored):.{min(10, max(1, precision))}f}"
