"""How Codabench reads, stores and shows the scores of a scoring program.

Source: `push_scores` in compute_worker.py, `upload_submission_scores` on the server, PostgreSQL's `numeric(20, 10)`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse.run import LARGEST_SCORES, RunFailed, ScoresLost
from speechbundles.model.bounded import DEEPEST, parse_yaml, read_file
from speechbundles.model.competition import Column
from speechbundles.platforms.keys import MOST_DECIMALS

_DIGITS = Context(prec=20)
_PLACES = Decimal(1).scaleb(-MOST_DECIMALS)


def read_scores(output: Path) -> Mapping[Any, Any]:
    """Read `scores.json`, or else `scores.txt` as YAML."""
    if (output / "scores.json").exists():
        try:
            scores = json.loads(read_file(output / "scores.json", LARGEST_SCORES).decode("utf-8"))
        except json.JSONDecodeError as error:
            raise RunFailed(f"scores.json is not valid JSON: {error}") from None
        except (ValueError, OSError, RecursionError) as error:
            raise ScoresLost(f"the worker crashes on scores.json: {error}") from None
    elif (output / "scores.txt").exists():
        try:
            scores = parse_yaml(read_file(output / "scores.txt", LARGEST_SCORES))
        except (ValueError, OSError) as error:
            raise ScoresLost(f"the worker crashes on scores.txt: {error}") from None
    else:
        raise RunFailed(
            "the scoring program ended without an error but wrote neither scores.json nor scores.txt"
        )
    if _depth(scores) > DEEPEST:
        raise ScoresLost("the scores are nested too deeply")
    if not isinstance(scores, dict):
        raise ScoresLost(f"the scores are {scores!r:.100}; expected numbers by key")
    return scores


def _depth(value: object) -> int:
    depth, level = 0, [value]
    while level := [inner for outer in level for inner in _inside(outer)]:
        depth += 1
    return depth


def _inside(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def store_scores(
    scores: Mapping[str, Any], columns: Sequence[Column], warnings: list[str]
) -> dict[str, Decimal]:
    """Return the stored scores. They are stored in the order of the file, up to the first that the database refuses."""
    try:
        scores = json.loads(json.dumps(scores, allow_nan=False))
    except (ValueError, TypeError):
        bad = ", ".join(f"{key} is {value!r}" for key, value in scores.items() if not _can_be_sent(value))
        warnings.append(f"the run is Finished, but no score is stored: the worker crashes because {bad}")
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
                f"{key} is {value!r:.100}, which the server cannot store; expected a number below 1e10. The run is "
                f"Finished, but the server keeps {kept}, loses {key} and all keys after it, and ranks no entry"
            )
            break
        if isinstance(value, (str, bool)):
            warnings.append(f"{key} is {value!r}; expected a number, although the server accepts this")
    return stored


def _can_be_sent(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, TypeError):
        return False
    return True


def _decimal(value: object) -> Decimal:
    """Return a number with the 20 digits, 10 of them decimal places, of the database field."""
    if isinstance(value, float):
        number = _DIGITS.create_decimal_from_float(value)
    elif isinstance(value, (int, str)):
        number = Decimal(value)
    else:
        raise TypeError
    if not number.is_finite():
        raise ValueError
    return number.quantize(_PLACES, rounding=ROUND_HALF_UP, context=_DIGITS)


def show_score(stored: Decimal, precision: int) -> str:
    """Return the text on the leaderboard, without trailing zeros: 4.09 for 4.090."""
    return str(round(float(stored), precision))
