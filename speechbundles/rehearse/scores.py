"""What a platform makes of the scores that a scoring program wrote: read, stored, shown, or lost."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.competition import Column
from speechbundles.platforms.keys import MOST_DECIMALS, SORTING

if TYPE_CHECKING:
    from speechbundles.platforms.registry import Platform


class RunFailed(Exception):
    """The platform would say Failed, for this reason."""


class ScoresLost(Exception):
    """The platform would lose all scores and say Finished, for this reason."""


@dataclass(frozen=True)
class Cell:
    """One column of the leaderboard row. Without a score, `stored` is None and `shown` the platform's word for it."""

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


def read_scores(output: Path, platform: Platform, warnings: list[str]) -> dict[str, Any]:
    """The scores as written; empty, with a warning, where the platform loses them.

    Raises
    ------
    RunFailed: where there are none that the platform can read.
    """
    try:
        return {str(key): value for key, value in platform.read_scores(output).items()}
    except ScoresLost as loss:
        warnings.append(f"no score is stored, though the run is Finished: {loss}")
        return {}


def store_scores(
    scores: Mapping[str, Any],
    bundle: BuiltBundle,
    platform: Platform,
    warnings: list[str],
    declared: Callable[[], Collection[str]] = tuple,
) -> dict[str, Decimal]:
    """What the database keeps of the scores, by column key; warns of all that it does not.

    Parameters
    ----------
    declared: the keys that the program says it writes, asked for only if a key has no column: one of these is left out
        on purpose.

    Raises
    ------
    RunFailed: a score that the platform does not finish with.
    """
    stored = platform.store_scores(scores, bundle.columns, warnings)
    keys = {column.key for column in bundle.columns}
    dropped = [key for key in scores if key not in keys]
    if dropped:
        on_purpose = declared()
        dropped = [key for key in dropped if key not in on_purpose]
    if dropped:
        warnings.append(f"written but without a column, dropped in silence: {', '.join(dropped)}")
    missing = [column for column in bundle.columns if column.key not in stored and not column.computed]
    if missing:
        warnings.append(f"columns without a score: {', '.join(column.key for column in missing)}")
    primary = bundle.primary
    if primary and primary in missing and platform.board.missing_first and primary.direction == "higher":
        warnings.append(f"without {primary.key}, the primary score, this entry ranks first")
    for column in bundle.columns:
        if column.computed:
            warnings.append(f"{column.key} is computed by the server; that is not rehearsed")
        elif column.key in stored:
            warnings += _hidden_by_rounding(
                column, scores[column.key], stored[column.key], column is primary, platform
            )
    return stored


def leaderboard_row(
    bundle: BuiltBundle, platform: Platform, stored: Mapping[str, Decimal]
) -> tuple[Cell, ...]:
    """One cell a column, in the board's order."""
    row = []
    for column in bundle.columns:
        score = stored.get(column.key)
        shown = platform.no_score if score is None else platform.show_score(score, column.precision)
        sorting = SORTING[column.direction]
        row.append(Cell(column.key, column.title, score, shown, column.precision, sorting, column.hidden))
    return tuple(row)


def _hidden_by_rounding(
    column: Column, written: Any, stored: Decimal, is_primary: bool, platform: Platform
) -> list[str]:
    """A warning where the board shows 0 for what is not 0, or a primary score more than half a percent off."""
    if not stored:
        if not float(written):
            return []
        return [f"{column.key}: {written!r} is stored as 0 ({MOST_DECIMALS} decimal places)"]
    shown = Decimal(platform.show_score(stored, column.precision))
    if shown and not (is_primary and abs(shown - stored) > abs(stored) / 200):
        return []
    return [
        f"{column.key}: precision {column.precision} shows {shown} for {stored.normalize()}; "
        "entries that differ look the same"
    ]
