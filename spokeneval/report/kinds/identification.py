"""Sections on scores of classes: the confusions of decisions for the class with the largest likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...run.scoring import Scored
from ...task import View
from ..page import Html
from .decisions import confusions


def sections(view: View, reference: Any, submission: Any, scored: Scored) -> list[Html]:
    """Return the section on confusions, from the natural-log likelihoods that the view gives, shape (n, k)."""
    names, given = view.facts["classes"], view.given(submission)
    largest = given == given.max(axis=1, keepdims=True)
    chosen = np.where(largest.sum(axis=1) == 1, largest.argmax(axis=1), len(names))
    note = "The class with the largest likelihood is chosen."
    return [
        confusions(names, [*names, "undecided"], view.expected(reference), chosen, range(len(names)), note)
    ]
