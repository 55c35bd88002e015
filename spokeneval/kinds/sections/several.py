"""Sections on several questions: those of each question's kind, below its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...report.page import Html, section
from ...scoring.scored import Scored
from ..several import SeveralKind
from . import decisions, scores

_SECTIONS: dict[str, Any] = {"scores": scores, "decisions": decisions}


def sections(kind: SeveralKind, reference: Any, submission: Any, scored: Scored) -> list[Html]:
    """Return a section for each question."""
    found = []
    for name, own in kind.kinds.items():
        sides = kind.alone(name, reference), kind.alone(name, submission)
        found.append(section(name, *_SECTIONS[own.name].sections(own, *sides, scored)))
    return found


def answers(kind: SeveralKind, reference: Any, submission: Any, rows: Sequence[int]) -> dict[str, list[str]]:
    """Return both sides of some items for each question."""
    columns = {}
    for name, own in kind.kinds.items():
        names = own.label_names()
        for title, side in ((name, reference), (f"{name}, answered", submission)):
            cells = side[name][list(rows)].tolist()
            columns[title] = [names[cell] if names else f"{cell:g}" for cell in cells]
    return columns
