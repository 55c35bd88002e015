"""How CodaLab reads, stores and shows the scores of a scoring program.

Source: `update_submission` in codalab/apps/web/tasks.py; the database has `float` columns.
"""

import io
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from errno import EFBIG
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse.run import LARGEST_SCORES, RunFailed
from speechbundles.model.bounded import read_file
from speechbundles.model.competition import Column
from speechbundles.platforms.keys import MOST_DECIMALS


def read_scores(output: Path) -> Mapping[Any, Any]:
    """Read `scores.txt`, with `key: value` in each line."""
    try:
        text = io.StringIO(read_file(output / "scores.txt", LARGEST_SCORES).decode(), newline=None).getvalue()
    except (OSError, ValueError) as error:
        why = (
            f": it {error.strerror}"
            if isinstance(error, OSError) and error.errno == EFBIG
            else "; CodaLab reads no other file"
        )
        raise RunFailed(f"the scoring program wrote no readable scores.txt{why}") from None
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
    """Return a finite number as the program wrote it, or else the text."""
    for kind in (int, float):
        with suppress(
            ValueError, OverflowError
        ):  # not a number, or an integer beyond all floating-point numbers
            number = kind(text)
            if math.isfinite(number):
                return number
    return text


def store_scores(
    scores: Mapping[str, Any], columns: Sequence[Column], warnings: list[str]
) -> dict[str, Decimal]:
    """Return the stored floating-point numbers; a non-numeric score fails the submission."""
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
            raise RunFailed(f"scores.txt: {column.key} is {value}; the database accepts finite numbers only")
        stored[column.key] = Decimal(repr(value))
    return stored


def show_score(stored: Decimal, precision: int) -> str:
    """Return the text on the leaderboard, with at least one decimal and all trailing zeros."""
    return f"{float(stored):.{min(MOST_DECIMALS, max(1, precision))}f}"
