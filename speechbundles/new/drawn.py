"""Synthetic labels and answers of examples: what several of them share."""

import csv
import io
import random
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from spokeneval.formats.tables import csv_text

Files = dict[str, str]
Labels = Callable[[random.Random, Sequence[str]], Files]
Answers = Callable[[random.Random, Mapping[str, str], float], Files]
Cells = Sequence[object]
Answer = Callable[[random.Random, str, float], Cells]
"""Draws the cells of an answer from a cell of the reference and the share of right answers."""

SPEAKERS = 24
"""The number of speakers in each set."""


class Example(NamedTuple):
    """An example.

    Attributes
    ----------
    description: of its task, in one line.
    labels: a random generator and the items' ids -> the reference's files, of several tasks as `task/file`.
    answers: a random generator, the reference's files and the share of right answers -> a submission's files.
    joint: whether it is a challenge with several tasks, whose submissions are a season of teams.
    """

    description: str
    labels: Labels
    answers: Answers
    joint: bool = False


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def speaker_of(item: str, number: int) -> str:
    """Return the name of one of the speakers of an item's set; no speaker is in two sets."""
    return f"{item[0].upper()}{number % SPEAKERS:02d}"


def labelled(
    draw_label: Callable[[random.Random], Cells],
    columns: Sequence[str] = ("label",),
    file: str = "labels.csv",
    *,
    once: bool = False,
) -> Labels:
    """Return a maker of labels, the cells in `columns`; `once`: every speaker has one item, as labels of speakers need.

    Few speakers with one label each would have so little entropy that a leaderboard can reveal it.
    """

    def labels(draw: random.Random, items: Sequence[str]) -> Files:
        speakers = [item.upper() if once else speaker_of(item, number) for number, item in enumerate(items)]
        rows = [(item, *draw_label(draw), speaker) for item, speaker in zip(items, speakers, strict=True)]
        return {file: csv_text([("id", *columns, "speaker"), *rows])}

    return labels


def answered(
    file: str, columns: Sequence[str], answer: Answer, source: str = "labels.csv", label: str = "label"
) -> Answers:
    """Return a maker of a file of answers, drawn from the cells in the column `label` of the file `source`."""

    def answers(draw: random.Random, labels: Mapping[str, str], right: float) -> Files:
        rows = [(row["id"], *answer(draw, row[label], right)) for row in rows_of(labels[source])]
        return {file: csv_text([("id", *columns), *rows])}

    return answers


def one_of(*labels: str) -> Callable[[random.Random], Cells]:
    return lambda draw: [draw.choice(labels)]


def own_or_other(*labels: str) -> Answer:
    return lambda draw, label, right: [label if draw.random() < right else draw.choice(labels)]


def higher_for(*labels: str, range_: float = 8) -> Answer:
    """Return a maker of scores: the better the system, the higher for these labels, and the lower for others."""
    return lambda draw, label, right: [
        f"{draw.gauss(range_ * right - range_ / 2, 1.5) * (1 if label in labels else -1):.4f}"
    ]
