"""PSST Task B: correct and wrong predictions, and the prompts with the most wrong predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...formats.sheets import Answers
from ...metrics import correctness as metrics
from ...metrics.counts import by_group
from ...run.scoring import Scored
from ..largest import Errors
from ..page import Html, figure, folded, long_table, section, table
from ..plots import cells, plot
from ..speakers import groupings, speaker_section


def sections(reference: Answers, submission: Answers, scored: Scored) -> list[Html]:
    rows = scored.rows["predictions"]
    rates = (("F1", metrics.f1), ("Specificity", metrics.specificity), ("Accuracy", metrics.accuracy))
    parts = [
        _predictions(scored.totals["predictions"]),
        speaker_section(reference, rows, rates),
        _prompts(reference, rows),
    ]
    return [part for part in parts if part is not None]


def errors(reference: Answers, submission: Answers, scored: Scored) -> Errors:
    """Return the wrong predictions."""
    rows = scored.rows["predictions"]
    correct = np.asarray(rows.true_positives + rows.false_negatives) > 0
    groups = {**groupings(reference), "Responses": np.where(correct, "correct", "incorrect").tolist()}
    if "prompt" in reference.texts:
        groups["Prompt"] = reference.texts["prompt"]
    wrong = np.asarray(rows.false_positives + rows.false_negatives, dtype=float)
    return Errors(wrong, np.ones(len(wrong)), ("the wrong predictions", "the responses"), groups)


def _predictions(counts: metrics.CorrectnessCounts) -> Html:
    matrix = np.array(
        [
            [counts.true_positives, counts.false_negatives],
            [counts.false_positives, counts.true_negatives],
        ]
    )
    names = ("correct", "incorrect")

    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.3, 0.2, 0.68, 0.78])
        shares = matrix / matrix.sum(axis=1, keepdims=True)
        words = [
            [f"{count}\n{100 * share:.1f} %" for count, share in zip(*row)] for row in zip(matrix, shares)
        ]
        cells(axes, shares, words, largest=1)
        axes.set_xticklabels(names)
        axes.set_yticklabels(names)
        axes.set(xlabel="Predicted", ylabel="True class")

    caption = "Responses by true and predicted class, with the share of their row"
    rows = [
        [name, *row.tolist(), int(row.sum()), f"{100 * row[index] / row.sum():.1f} %"]
        for index, (name, row) in enumerate(zip(names, matrix))
    ]
    spoken = "; ".join(f"{row[0]}: {row[4]} predicted correctly" for row in rows)
    return section(
        "Predictions",
        folded(
            "Plot", figure(caption, f"{caption}. {spoken}.", plot("predictions", draw, width=4, height=3.4))
        ),
        table("Responses", ["True class", "predicted correct", "predicted incorrect", "all", "right"], rows),
    )


def _prompts(reference: Answers, predictions: metrics.CorrectnessCounts) -> Html:
    """Return the wrong predictions of each prompt, or of each utterance if there are no prompts."""
    column = "prompt" if "prompt" in reference.texts else "utterance"
    names = reference.texts.get("prompt", list(reference.items.ids))
    prompts, place = np.unique(np.array(names, dtype=str), return_inverse=True)
    by_prompt = by_group(predictions, place, len(prompts))
    rows = [
        [prompt, called_correct + called_incorrect, called_correct, called_incorrect, responses, correct]
        for prompt, called_correct, called_incorrect, responses, correct in zip(
            prompts.tolist(),
            by_prompt.false_positives.tolist(),
            by_prompt.false_negatives.tolist(),
            np.bincount(place).tolist(),
            (by_prompt.true_positives + by_prompt.false_negatives).tolist(),
        )
    ]
    rows.sort(key=lambda row: (-row[1], -row[1] / row[4], row[0]))
    header = [
        column.capitalize(),
        "Wrong",
        "Incorrect predicted correct",
        "Correct predicted incorrect",
        "Responses",
        "Correct responses",
    ]
    return section(
        f"{column.capitalize()}s, worst first",
        long_table(f"Wrong predictions of each {column}", header, rows),
    )
