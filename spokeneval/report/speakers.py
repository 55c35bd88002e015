"""Tables of naming responses by test, session and severity of the aphasia, if the reference names them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..formats.naming import SEVERITY
from ..formats.sheets import Answers
from ..metrics.counts import by_group
from .page import Html, long_table, section

_SEVERITIES = ((25, "very severe"), (50, "severe"), (75, "moderate"), (100, "mild"))
"""Highest aphasia quotient of each severity (Kertesz 2006, Western Aphasia Battery, revised)."""

_UNKNOWN = "unknown"


def speaker_section(
    reference: Answers, rows: Any, columns: Sequence[tuple[str, Callable[[Any], Any]]]
) -> Html | None:
    """Return a section with a table each for test, severity and session; None if the reference names none of them.

    Parameters
    ----------
    rows: the counts from which the rates are computed, one row per response.
    columns: titles, and functions that compute a rate for each group.
    """
    tables = [_table(title, names, rows, columns) for title, names in groupings(reference).items()]
    return section("By test, severity and session", *tables) if tables else None


def groupings(reference: Answers) -> dict[str, list[str]]:
    """Return the test, severity and session of each response, `title -> names`, of which there are several."""
    texts, found = reference.texts, {}
    if "test" in texts:
        found["Test"] = texts["test"]
    if SEVERITY in texts:
        found["Severity (aphasia quotient)"] = [_severity(quotient) for quotient in texts[SEVERITY]]
    if "session" in texts:
        found["Session"] = texts["session"]
    return {title: names for title, names in found.items() if len(set(names)) > 1}


def _severity(quotient: str) -> str:
    try:
        return next(f"{name} (to {most})" for most, name in _SEVERITIES if float(quotient) <= most)
    except (ValueError, StopIteration):
        return _UNKNOWN


def _table(
    title: str, names: Sequence[str], rows: Any, columns: Sequence[tuple[str, Callable[[Any], Any]]]
) -> Html:
    groups, place = np.unique(np.array(names, dtype=str), return_inverse=True)
    counts = by_group(rows, place, len(groups))
    found = [np.asarray(rate(counts), dtype=np.float64) for _, rate in columns]
    sizes = np.bincount(place)
    body = [
        [group, int(sizes[row]), *("none" if np.isnan(each[row]) else f"{each[row]:.4f}" for each in found)]
        for row, group in enumerate(groups.tolist())
    ]
    return long_table(f"By {title.lower()}", [title, "Responses", *(name for name, _ in columns)], body)
