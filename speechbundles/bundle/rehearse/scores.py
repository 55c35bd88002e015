"""Reading, storing and showing the scores of a scoring program as a platform does, including scores that it loses."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse.run import ScoresLost, Worker
from speechbundles.model.archive import Archive
from speechbundles.model.bounded import parse_settings, read_file
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.keys import MOST_DECIMALS, SORTING
from speechbundles.model.platform import platforms
from spokeneval.scoring.options import OPTIONS_FILE, SIGNATURE_FILE, Options, SetFeedback, Signature
from spokeneval.task import Column

PLACES = Decimal(1).scaleb(-MOST_DECIMALS)


@dataclass(frozen=True)
class Cell:
    """One column of the leaderboard row. Without a score, `stored` is None and `shown` the platform's placeholder.

    `bound` is what a score at the floor means, such as `≤ baseline` (see `SetFeedback.bound`); else it is empty. `task`
    is the name of the task, in a phase with several tasks; each has all columns.
    """

    key: str
    title: str
    stored: Decimal | None
    shown: str
    precision: int
    sorting: str
    hidden: bool
    bound: str = ""
    task: str = ""

    def fixed(self) -> str:
        """Return the score with all decimals of the precision, so that the numbers of several runs are aligned."""
        if self.stored is None:
            return self.shown
        return self.with_bound(f"{float(self.stored):.{max(0, self.precision)}f}")

    def with_bound(self, score: str) -> str:
        """Return a score with what it means behind it."""
        return f"{score} ({self.bound})" if self.bound else score


def read_scores(output: Path, worker: Worker, warnings: list[str]) -> dict[str, Any]:
    """Return the scores as written; empty, with a warning, if the platform loses them.

    Raises
    ------
    RunFailed: the platform cannot read any scores.
    """
    try:
        return {str(key): value for key, value in worker.read_scores(output).items()}
    except ScoresLost as loss:
        warnings.append(f"the run is Finished, but no score is stored: {loss}")
        return {}


def store_scores(
    scores: Mapping[str, Any],
    bundle: BuiltBundle,
    worker: Worker,
    warnings: list[str],
    declared: Collection[str] = (),
) -> dict[str, Decimal]:
    """Return the scores that the database stores, by column key; add warnings on all others.

    Parameters
    ----------
    declared: the keys that the program declares. A declared key without a column is left out on purpose.

    Raises
    ------
    RunFailed: the platform fails on a score.
    """
    stored: dict[str, Decimal] = worker.store_scores(scores, bundle.columns, warnings)
    columns = {column.key: column for column in bundle.columns}
    if dropped := [key for key in scores if key not in columns and key not in declared]:
        listed = ", ".join(dropped)
        warnings.append(f"scores without a column, dropped by the platform without notice: {listed}")
    missing = [key for key, column in columns.items() if key not in stored and not column.computed]
    if missing:
        warnings.append(f"columns without a score: {', '.join(missing)}")
    primary, board = bundle.primary, platforms()[bundle.platform].board
    if primary and primary.key in missing and board.missing_first and primary.direction == "higher":
        warnings.append(f"without {primary.key}, the primary score, this entry ranks first")
    for key, column in columns.items():
        if column.computed:
            stored.pop(key, None)
            values = [stored[other] for other in column.computed_from if other in stored]
            if values and column.computed in worker.COMPUTATIONS:
                stored[key] = worker.COMPUTATIONS[column.computed](values).quantize(PLACES, ROUND_HALF_UP)
            elif column.computed not in worker.COMPUTATIONS:
                warnings.append(f"{key} is computed by the server; the rehearsal does not compute it")
        elif key in stored:
            warnings += _hidden_by_rounding(column, scores[key], stored[key], column is primary, worker)
    return stored


def leaderboard_row(
    bundle: BuiltBundle,
    worker: Worker,
    stored: Mapping[str, Decimal],
    feedback: SetFeedback | None = None,
) -> tuple[Cell, ...]:
    """Return one cell for each column, in the board's order; `feedback` is that on a hidden set."""

    def cell(column: Column) -> Cell:
        score, shown, bound = stored.get(column.key), platforms()[bundle.platform].no_score, ""
        if score is not None:
            shown = worker.show_score(score, column.precision)
            if column is bundle.primary and feedback is not None:
                bound = feedback.bound({column.key: float(score)}, column.key, column.direction)
        sorting = SORTING[column.direction]
        return Cell(column.key, column.title, score, shown, column.precision, sorting, column.hidden, bound)

    return tuple(map(cell, bundle.columns))


def feedback_of(output: Path, program: Archive | None) -> SetFeedback | None:
    """Return the coarse feedback by which a scoring program wrote its scores; None if exact or unknown."""
    try:
        signature = Signature.parse(read_file(output / SIGNATURE_FILE, LONGEST_SIGNATURE).decode().strip())
        if not signature.coarse or program is None:
            return None
        return Options.load(parse_settings(program.files[OPTIONS_FILE])).feedback_on(signature.items)
    except (KeyError, OSError, ValueError):
        return None


LONGEST_SIGNATURE = 2000
"""The most bytes of a signature that is read."""


def _hidden_by_rounding(
    column: Column, written: Any, stored: Decimal, is_primary: bool, worker: Worker
) -> list[str]:
    """Return a warning if the board shows 0 for another score, or a primary score that is more than 0.5 % off."""
    if not stored:
        if not float(written):
            return []
        return [f"{column.key}: {written!r} is stored as 0 ({MOST_DECIMALS} decimal places)"]
    shown = Decimal(worker.show_score(stored, column.precision).replace(",", ""))
    if shown and not (is_primary and abs(shown - stored) > abs(stored) / 200):
        return []
    return [
        f"{column.key}: precision {column.precision} shows {shown} for {stored.normalize()}; "
        "different scores look the same"
    ]
