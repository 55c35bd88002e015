"""PSST Task B: right and wrong predictions, and the prompts with the most wrong ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...metrics import correctness as metrics
from ...submissions.psst_correctness import Reference, Submission
from ..page import Html, figure, section, table
from ..plots import cells, plot
from ..scores import Score

TITLE = "PSST, correctness"


def sections(reference: Reference, submission: Submission, scores: Mapping[str, Score]) -> list[Html]:
    counts = metrics.count_predictions(reference.correct, submission.correct)
    return [_predictions(counts), _prompts(reference, submission)]


def _predictions(counts: metrics.CorrectnessCounts) -> Html:
    matrix = np.array(
        [
            [counts.true_positives, counts.false_negatives],
            [counts.false_positives, counts.true_negatives],
        ]
    )
    names = ("correct", "incorrect")

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.24, 0.2, 0.74, 0.78])
        shares = matrix / matrix.sum(axis=1, keepdims=True)
        words = [
            [f"{count}\n{100 * share:.1f} %" for count, share in zip(*row)] for row in zip(matrix, shares)
        ]
        cells(axes, shares, words, largest=1)
        axes.set_xticklabels(names)
        axes.set_yticklabels(names)
        axes.set(xlabel="Predicted", ylabel="Response")

    caption = "Responses by what they are and what was predicted, with the share of their row"
    rows = [
        [name, *row.tolist(), int(row.sum()), f"{100 * row[index] / row.sum():.1f} %"]
        for index, (name, row) in enumerate(zip(names, matrix))
    ]
    spoken = "; ".join(f"{row[0]}: {row[4]} predicted rightly" for row in rows)
    return section(
        "Predictions",
        figure(caption, f"{caption}. {spoken}.", plot("predictions", draw, width=3.6, height=3.4)),
        table("Responses", ["Response", "predicted correct", "predicted incorrect", "all", "rightly"], rows),
    )


def _prompts(reference: Reference, submission: Submission) -> Html:
    """Wrong predictions of each prompt, or of each utterance where no prompts are known."""
    column = "prompt" if "prompt" in reference.sheet else "utterance"
    named = reference.sheet.get("prompt", list(reference.items.ids))
    prompts, place = np.unique(np.array(named, dtype=object).astype(str), return_inverse=True)
    called_correct = ~reference.correct & submission.correct
    called_incorrect = reference.correct & ~submission.correct
    responses, correct, false_positives, false_negatives = (
        np.bincount(place[chosen], minlength=len(prompts)).tolist()
        for chosen in (
            np.ones(len(place), dtype=bool),
            reference.correct,
            called_correct,
            called_incorrect,
        )
    )
    wrong = [a + b for a, b in zip(false_positives, false_negatives)]
    order = sorted(
        range(len(prompts)), key=lambda row: (-wrong[row], -wrong[row] / responses[row], str(prompts[row]))
    )
    rows = [
        [
            str(prompts[row]),
            wrong[row],
            false_positives[row],
            false_negatives[row],
            responses[row],
            correct[row],
        ]
        for row in order
    ]
    header = [
        column.capitalize(),
        "Wrong",
        "Incorrect called correct",
        "Correct called incorrect",
        "Responses",
        "Correct ones",
    ]
    return section(
        f"{column.capitalize()}s, worst first", table(f"Wrong predictions of each {column}", header, rows)
    )
