"""Sections on decisions: how often each class is taken for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...scoring.scored import Scored
from ...task import View
from ..page import Html, long_table, paragraph, percent, section, table
from ..plots import Drawing

MOST_CLASSES = 12
"""With more classes, the most frequent confusions are listed, without the whole table."""
COMMONEST = 25


def sections(view: View, reference: Any, submission: Any, scored: Scored) -> list[Html]:
    """Return the section on confusions."""
    facts = view.facts
    return [
        confusions(facts["classes"], facts["answers"], *_sides(view, reference, submission), facts["wanted"])
    ]


def plots(view: View, reference: Any, submission: Any, scored: Scored) -> dict[str, Drawing]:
    """Return the plots by name."""
    names, answers = view.facts["classes"], view.facts["answers"]
    counts = confusion_counts(len(names), len(answers), *_sides(view, reference, submission))
    return {"confusion": confusion_plot(names, answers, counts)}


def confusion_counts(names: int, answers: int, expected: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Return how often each class has each answer, shape (names, answers)."""
    counts = np.zeros((names, answers), dtype=np.int64)
    np.add.at(counts, (expected, given), 1)
    return counts


def confusion_plot(names: Sequence[str], answers: Sequence[str], counts: np.ndarray) -> Drawing:
    """Return a picture of a table of confusions, in shares of each class; answers that do not occur are left out."""
    shown = [place for place in range(len(answers)) if place < len(names) or counts[:, place].any()]
    counts, answers = counts[:, shown], [answers[place] for place in shown]

    def draw(canvas: Any) -> None:
        axes = canvas.add_subplot()
        axes.imshow(counts / np.maximum(1, counts.sum(axis=1, keepdims=True)), cmap="Blues", vmin=0, vmax=1)
        axes.set(xlabel="Answered", ylabel="True class")
        axes.set_xticks(range(len(answers)), answers, rotation=90 if len(answers) > 4 else 0)
        axes.set_yticks(range(len(names)), names)
        if len(names) <= MOST_CLASSES:
            for (row, column), number in np.ndenumerate(counts):
                dark = number > 0.6 * counts[row].sum()
                axes.text(column, row, number, ha="center", va="center", color="white" if dark else "black")
        canvas.tight_layout()

    return Drawing(draw, 2.2 + 0.6 * len(answers), 1.6 + 0.5 * len(names))


def _sides(view: View, reference: Any, submission: Any) -> tuple[Any, Any]:
    """Return the class and the answer of each row of the counts: of each item, or of each unit if items are pooled."""
    sides = view.facts.get("sides")
    return sides(reference, submission) if sides else (view.expected(reference), view.given(submission))


def groups(view: View, reference: Any) -> dict[str, Sequence[str]]:
    """Return the class of each item."""
    classes = view.facts["classes"]
    return {"True class": [classes[label] for label in view.expected(reference).tolist()]}


def answers(view: View, reference: Any, submission: Any, rows: Sequence[int]) -> dict[str, list[str]]:
    """Return the class and the answer of some items."""
    classes, answered = view.facts["classes"], view.facts["answers"]
    expected, given = _sides(view, reference, submission)
    return {
        "True class": [classes[expected[row]] for row in rows],
        "Answered": [answered[given[row]] for row in rows],
    }


def confusions(
    names: Sequence[str],
    answers: Sequence[str],
    expected: np.ndarray,
    given: np.ndarray,
    wanted: Sequence[int],
    note: str = "",
) -> Html:
    """Return how often each class has each answer; answers beyond the classes are shown only if they occur.

    Parameters
    ----------
    wanted: the right answer to each class.
    """
    counts = confusion_counts(len(names), len(answers), expected, given)
    sizes = counts.sum(axis=1)
    if len(names) <= MOST_CLASSES:
        shown = [place for place in range(len(answers)) if place < len(names) or counts[:, place].any()]
        rows: list[list[Any]] = [
            [
                name,
                *counts[place, shown].tolist(),
                int(sizes[place]),
                percent(counts[place, wanted[place]], sizes[place]),
            ]
            for place, name in enumerate(names)
        ]
        header = ["True class", *(f"answered {answers[place]}" for place in shown), "all", "right"]
        part = table("Items by true and answered class", header, rows)
    else:
        counts[range(len(names)), wanted] = 0
        found = [(-int(counts[pair]), *pair) for pair in zip(*np.nonzero(counts))]
        found.sort(key=lambda each: (each[0], names[each[1]], answers[each[2]]))
        rows = [
            [f"{names[true]} → {answers[answer]}", -number, percent(-number, sizes[true])]
            for number, true, answer in found[:COMMONEST]
        ]
        part = long_table(
            "Most frequent confusions", ["True → answered", "Times", "Share of the true class"], rows
        )
    return section("Confusions", part, paragraph(note, kind="note") if note else None)
