"""Sections on the answers to a declared task, by its kind: confusions, most frequent errors, or the shift."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Optional

import numpy as np

from ..formats.sheets import Answers
from ..metrics.edit_distance import cheapest_path
from ..metrics.transcript_errors import best_references
from ..task import Task
from .page import Html, long_table, paragraph, section, table

NOTHING = "–"
MOST_CLASSES = 12
"""With more classes, the most frequent confusions are listed, without the whole table."""
COMMONEST = 25
MOST_LEVELS = 11
"""With more human scores on the scale, they are shown in bands."""
BANDS = 5
LARGEST, MOST_CELLS = 1_000_000, 100_000_000
"""Cells of the table of an alignment, and of all tables together. Items beyond these limits are not aligned."""


def kind_section(task: Task, reference: Answers, submission: Answers) -> Optional[Html]:
    """Return the section that is usual for the kind of a declared task; None if it has none."""
    declared = task.declaration
    kind = declared.get("kind")
    if kind == "decisions":
        classes = list(map(str, declared["classes"]))
        return _confusions(classes, classes, reference["label"], submission["label"])
    if kind == "identification":
        return _decided(declared, reference["label"], submission)
    if kind == "transcripts":
        return _words(str(declared.get("units", "words")), reference["transcript"], submission["transcript"])
    if kind == "ratings":
        return _rating_shift(reference, submission["rating"].astype(float), int(declared["scale"][0]))
    if kind == "scores":
        ends = (float(declared["scale"][0]), float(declared["scale"][1]))
        return _score_shift(reference["score"], submission["score"], ends, declared.get("step"))
    return None


# Classes


def _decided(declared: Mapping[str, Any], labels: np.ndarray, submission: Answers) -> Html:
    """Return the confusions of decisions for the class with the largest likelihood."""
    scale, target = declared.get("scores", "likelihoods"), declared.get("target")
    priors = scale["posteriors"] if isinstance(scale, Mapping) else {}
    if target:
        equal = 0 if scale == "likelihoods" else priors.get(target, 0.5)
        score = submission["score"]
        chosen = np.where(score > equal, 0, np.where(score < equal, 1, 2))
        names = [str(target), f"other than {target}"]
        note = f"A score above {equal:g} counts as {target}, one below as another class."
    else:
        names = list(map(str, declared["classes"]))
        given = np.stack([submission[name] / priors.get(name, 1) for name in names], axis=1)
        largest = given == given.max(axis=1, keepdims=True)
        chosen = np.where(largest.sum(axis=1) == 1, largest.argmax(axis=1), len(names))
        note = "The class with the largest score is chosen."
        note = f"{note[:-1]}, after its prior is taken out." if priors else note
    return _confusions(names, [*names, "undecided"], labels, chosen, note)


def _confusions(
    names: Sequence[str], called: Sequence[str], expected: np.ndarray, chosen: np.ndarray, note: str = ""
) -> Html:
    """Return how often each class is taken for each; `called`: the classes, and a further answer if it occurs."""
    pairs, numbers = np.unique(np.stack([expected, chosen], axis=1), axis=0, return_counts=True)
    counts = np.zeros((len(names), len(called)), dtype=np.int64)
    counts[pairs[:, 0], pairs[:, 1]] = numbers
    sizes = counts.sum(axis=1)
    parts: list[Html] = []
    if len(names) <= MOST_CLASSES:
        shown = [place for place in range(len(called)) if place < len(names) or counts[:, place].any()]
        rows = [
            [
                name,
                *counts[place, shown].tolist(),
                int(sizes[place]),
                _share(counts[place, place], sizes[place]),
            ]
            for place, name in enumerate(names)
        ]
        header = ["True class", *(f"answered {called[place]}" for place in shown), "all", "right"]
        parts.append(table("Items by true and answered class", header, rows))
    else:
        wrong = [
            (-int(number), names[true], called[answer], _share(number, sizes[true]))
            for (true, answer), number in zip(pairs.tolist(), numbers.tolist())
            if true != answer
        ]
        rows = [[f"{true} → {answer}", -number, share] for number, true, answer, share in sorted(wrong)]
        header = ["True → answered", "Times", "Share of the true class"]
        parts.append(long_table("Most frequent confusions", header, rows[:COMMONEST]))
    return section("Confusions", *parts, paragraph(note, kind="note") if note else None)


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


# Words


def _words(units: str, references: np.ndarray, hypotheses: np.ndarray) -> Html:
    """Return the symbols with the most errors, and the most frequent errors."""
    flat = list(chain.from_iterable(references))
    owner = [place for place, row in enumerate(references) for _ in row]
    rows, best = best_references(flat, hypotheses.tolist(), owner)
    said = [flat[place] for place in best]
    flawed = np.flatnonzero(rows.wrong).tolist()
    sizes = np.array([(len(said[row]) + 1) * (len(hypotheses[row]) + 1) for row in flawed], dtype=np.int64)
    within = sizes <= LARGEST
    within &= np.cumsum(sizes * within) <= MOST_CELLS
    aligned = [row for row, kept in zip(flawed, within.tolist()) if kept]
    errors: Counter[tuple[Optional[str], Optional[str]]] = Counter()
    for row in aligned:
        errors.update(pair for pair in _aligned(said[row], hypotheses[row]) if pair[0] != pair[1])
    unit = units[:-1]
    spoken = Counter(chain.from_iterable(said))
    wrong: Counter[str] = Counter()
    for (word, _), times in errors.items():
        if word is not None:
            wrong[word] += times
    worst = sorted(wrong, key=lambda word: (-wrong[word], word))[:COMMONEST]
    commonest = sorted(errors.items(), key=lambda found: (-found[1], found[0][0] or "", found[0][1] or ""))
    notes = [
        f"{NOTHING} → {unit} is an insertion, {unit} → {NOTHING} a deletion. Each item is compared with the reference "
        "that gives it the fewest errors."
    ]
    if len(aligned) < len(flawed):
        notes.append(
            f"Of the {len(flawed)} items with errors, {len(aligned)} are counted here; the others are too long."
        )
    return section(
        f"{units.capitalize()} with the most errors",
        long_table(
            f"{units.capitalize()} of the reference that are most often wrong or missing",
            [unit.capitalize(), "Wrong", "Times in the reference", "Share"],
            [[word, wrong[word], spoken[word], _share(wrong[word], spoken[word])] for word in worst],
        )
        if worst
        else None,
        long_table(
            "Most frequent errors",
            ["Reference → recognised", "Times"],
            [[f"{a or NOTHING} → {b or NOTHING}", times] for (a, b), times in commonest[:COMMONEST]],
        )
        if flawed
        else paragraph("There are no substitutions, deletions or insertions."),
        paragraph(*notes, kind="note"),
    )


def _aligned(said: Sequence[str], heard: Sequence[str]) -> Iterator[tuple[Optional[str], Optional[str]]]:
    """Yield the pairs of the alignment with the fewest errors, and of these the most substitutions."""
    symbols = sorted({*said, *heard})
    number = {symbol: place for place, symbol in enumerate(symbols)}
    first, second = (np.array([number[symbol] for symbol in side], dtype=np.int64) for side in (said, heard))
    error = len(said) + len(heard) + 1  # outweighs any number of insertions and deletions
    substitution = error * (1 - np.eye(len(symbols), dtype=np.int64))
    for a, b in cheapest_path(first, second, substitution, np.full(len(symbols), error + 1)):
        yield None if a is None else symbols[a], None if b is None else symbols[b]


# Ratings and scores


def _rating_shift(reference: Answers, given: np.ndarray, low: int) -> Html:
    """Return by how much the ratings are above those of each rater."""
    rows: list[list[Any]] = []
    for name, ratings in reference.columns.items():
        apart = (given - ratings)[ratings >= low]
        if len(apart):
            shares = (_share(each.sum(), len(apart)) for each in (apart < 0, apart == 0, apart > 0))
            rows.append([name, f"{apart.mean():+.2f}", *shares, len(apart)])
    header = ["Rater", "Mean difference", "lower", "equal", "higher", "Items"]
    return section("Shift of the ratings", table("Ratings compared with each rater", header, rows), _SHIFT)


def _score_shift(
    human: np.ndarray, given: np.ndarray, ends: tuple[float, float], step: Optional[float]
) -> Html:
    """Return by how much the predictions are above the human scores, at each human score or band of scores."""
    levels = np.unique(human)
    if step and len(levels) <= MOST_LEVELS:
        bands = [(f"{level:g}", human == level) for level in levels.tolist()]
    else:
        edges = np.linspace(*ends, BANDS + 1)
        place = np.clip(np.searchsorted(edges, human, side="right") - 1, 0, BANDS - 1)
        bands = [(f"{edges[n]:g} to {edges[n + 1]:g}", place == n) for n in range(BANDS)]
    bands.append(("all", np.ones(len(human), dtype=bool)))
    rows: list[list[Any]] = [
        [name, f"{(given - human)[inside].mean():+.3f}", f"{given[inside].mean():.3f}", int(inside.sum())]
        for name, inside in bands
        if inside.any()
    ]
    header = ["Human score", "Mean difference", "Mean prediction", "Items"]
    return section("Shift of the predictions", table("Predictions at each human score", header, rows), _SHIFT)


_SHIFT = paragraph("A difference above 0 means that the submission is above the human score.", kind="note")
