"""Sections on decisions: how often each class is taken for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...formats.problems import name
from ...report.page import Html, long_table, paragraph, percent, section, table
from ...report.plots import Drawing
from ...scoring.scored import Scored
from ..decisions import DecisionsKind

MOST_CLASSES = 12
"""With more classes, the most frequent confusions are listed, without the whole table."""
COMMONEST = 25


def sections(kind: DecisionsKind, reference: Any, submission: Any, scored: Scored) -> list[Html]:
    """Return the section on confusions."""
    wanted = kind.wanted or range(len(kind.classes))
    return [
        confusions(kind.classes, kind.answers or kind.classes, *kind.sides(reference, submission), wanted)
    ]


def plots(kind: DecisionsKind, reference: Any, submission: Any, scored: Scored) -> dict[str, Drawing]:
    """Return the plots by name."""
    answers = kind.answers or kind.classes
    counts = confusion_counts(len(kind.classes), len(answers), *kind.sides(reference, submission))
    return {"confusion": confusion_plot(kind.classes, answers, counts)}


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


def groupings(kind: DecisionsKind, reference: Any) -> dict[str, Sequence[str]]:
    """Return the class of each item."""
    return {"True class": [kind.classes[label] for label in kind.expected(reference).tolist()]}


def sources(kind: DecisionsKind, reference: Any, submission: Any, scored: Scored) -> WrongClasses:
    """Return the wrong decisions by class and answer."""
    sides = kind.sides(reference, submission)
    wanted = np.array(kind.wanted or range(len(kind.classes)))[sides[0]]
    return wrong_classes((kind.classes, kind.answers or kind.classes), sides, wanted, range(len(wanted)))


WrongClasses = dict[str, Counter[int]]
"""How often each class is taken for another, `what is wrong -> row of the counts -> times`."""


def wrong_classes(
    names: Sequence[Any], sides: Sequence[Any], wanted: Any, rows: Sequence[int]
) -> WrongClasses:
    """Return the answers that are not those wanted; `names` and `sides` are of the classes and of the answers."""
    found: WrongClasses = {}
    for place in np.flatnonzero(sides[1] != wanted).tolist():
        source = " is taken for ".join(name(own[side[place]]) for own, side in zip(names, sides))
        found.setdefault(source, Counter())[rows[place]] += 1
    return found


def answers(
    kind: DecisionsKind, reference: Any, submission: Any, rows: Sequence[int]
) -> dict[str, list[str]]:
    """Return the class and the answer of some items."""
    expected, given = kind.sides(reference, submission)
    answered = kind.answers or kind.classes
    return {
        "True class": [kind.classes[expected[row]] for row in rows],
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
