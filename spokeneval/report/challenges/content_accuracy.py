"""Content accuracy: predictions against human scores and length, a second rater, and the worst predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...challenges.content_accuracy import SECOND, scale_of
from ...formats.sheets import Answers
from ...metrics.agreement import cohen_kappa
from ...metrics.correlation import UndefinedCorrelation, pearson_r
from ...metrics.prediction_error import Differences, prmse, rmse, standardised_mean_difference
from ...run.scoring import Scored
from ..largest import Errors
from ..page import Html, figure, folded, long_table, paragraph, section, table
from ..plots import BLUE, STRONG, cells, mean_difference, plot

_MOST_SHIFT = 0.15
_COLUMNS, _ROWS = 90, 60
"""Size of the grid of a scatter plot; responses in the same cell are one point, larger for more responses."""


def sections(reference: Answers, submission: Answers, scored: Scored) -> list[Html]:
    human, predicted, words = reference["human_score"], submission["score"], reference["words"]
    scale = scale_of(scored.settings)
    parts = [
        _against_humans(human, predicted, scored.totals["rounded"].cells, scale),
        _shift(human, predicted, scored.totals["differences"]),
        _second_rater(human, predicted, reference.texts.get(SECOND, []), scale),
        _against_length(words, human, predicted, scale),
        _prompts(reference.texts["prompt_id"], human, predicted, words),
        _responses(reference, predicted),
    ]
    return [part for part in parts if part is not None]


def errors(reference: Answers, submission: Answers, scored: Scored) -> Errors:
    """Return the squared error of each response."""
    human = reference["human_score"]
    apart = (submission["score"] - human) ** 2
    groupings = {
        "Prompt": reference.texts["prompt_id"],
        "Responses with human score": [f"{score:g}" for score in human.tolist()],
    }
    return Errors(apart, np.ones(len(apart)), ("the squared error", "the responses"), groupings)


def _against_humans(
    human: np.ndarray, predicted: np.ndarray, joint: np.ndarray, scale: tuple[int, int]
) -> Html:
    low, high = scale
    levels = range(low, high + 1)
    beside = (np.argsort(np.argsort(_spread(len(human)))) / len(human) - 0.5) * 0.6

    def scatter(canvas: Any) -> None:
        axes = canvas.add_axes([0.12, 0.16, 0.84, 0.8])
        inside, ends = _shown(predicted, scale)
        _points(axes, human + beside, inside)
        axes.plot(scale, scale, color=STRONG, linewidth=1, linestyle="--")
        axes.set_xticks(levels)
        axes.set(xlim=(low - 0.5, high + 0.5), ylim=ends, xlabel="Human score (points spread sideways)")
        axes.set_ylabel("Predicted score")

    def matrix(canvas: Any) -> None:
        axes = canvas.add_axes([0.14, 0.16, 0.84, 0.82])
        cells(axes, joint, [[str(count) for count in row] for row in joint], largest=joint.max())
        axes.set_xticklabels(levels)
        axes.set_yticklabels(levels)
        axes.set(xlabel="Predicted score, rounded", ylabel="Human score")

    means = []
    for level in levels:
        found = predicted[human == level]
        mean = [f"{found.mean():.2f}", f"{found.std():.2f}"] if len(found) else ["", ""]
        means.append([str(level), len(found), *mean, *joint[level - low].tolist()])
    caption = "Predicted and human scores; larger points show more responses"
    spoken = "; ".join(f"human {row[0]}: mean prediction {row[2]}" for row in means if row[1])
    return section(
        "Predictions against human scores",
        figure(caption, f"{caption}. {spoken}.", plot("humans", scatter, width=5.2, height=3.8)),
        folded(
            "Agreement of the rounded predictions",
            figure(
                "Rounded predictions and human scores",
                f"Agreement of the rounded predictions: {int(np.trace(joint))} of {joint.sum()} equal.",
                plot("agreement", matrix, width=3.6, height=3.6),
            ),
        ),
        table(
            "Predictions at each human score",
            [
                "Human score",
                "Responses",
                "Mean prediction",
                "Standard deviation",
                *(f"rounded to {n}" for n in levels),
            ],
            means,
        ),
    )


def _shift(human: np.ndarray, predicted: np.ndarray, sums: Differences) -> Html:
    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.13, 0.16, 0.78, 0.8])
        mean_difference(axes, (human + predicted) / 2, predicted - human)
        axes.set(xlabel="Mean of prediction and human score", ylabel="Prediction minus human score")

    shift = standardised_mean_difference(sums)
    caption = "Difference against mean; lines at the mean difference and the limits of agreement (1.96 SD)"
    apart = predicted - human
    spoken = f"{caption}: mean difference {apart.mean():+.2f}, standard deviation {apart.std():.2f}."
    return section(
        "Shift of the predictions",
        figure(caption, spoken, plot("shift", draw, width=5.2, height=3.6)),
        paragraph(
            f"Standardised mean difference: {shift:+.4f}. It should be between -{_MOST_SHIFT} and +{_MOST_SHIFT} "
            "(Williamson, Xi and Breyer 2012)."
        ),
    )


def _second_rater(
    human: np.ndarray, predicted: np.ndarray, second: Sequence[str], scale: tuple[int, int]
) -> Html | None:
    """Return PRMSE and the agreement of the two raters; None if no response has a second score."""
    others = np.array([float(score) if score else np.nan for score in second])
    rated = ~np.isnan(others)
    if not rated.any():
        return None
    try:
        reduction = f"{prmse(np.stack([human, others], axis=1), predicted):.4f}"
    except ValueError:
        reduction = "not defined"
    kappa = cohen_kappa(human[rated], others[rated], weights="quadratic", scale=scale)
    rows: list[list[Any]] = [
        ["PRMSE: share of the variance of the true scores that is predicted", reduction],
        ["Quadratic κ of the two raters", f"{kappa:.4f}"],
        ["Responses with a second score", int(rated.sum())],
    ]
    return section(
        "Comparison with a second rater", table("Second human scores", ["Statistic", "Value"], rows)
    )


def _responses(reference: Answers, predicted: np.ndarray) -> Html:
    human, ids = reference["human_score"], reference.items.ids
    apart = predicted - human
    order = sorted(range(len(ids)), key=lambda row: (-abs(apart[row]), ids[row]))
    rows: list[list[Any]] = [
        [
            ids[row],
            reference.texts["prompt_id"][row],
            int(human[row]),
            f"{predicted[row]:.3f}",
            f"{apart[row]:+.3f}",
            int(reference["words"][row]),
        ]
        for row in order
    ]
    header = ["Response", "Prompt", "Human score", "Predicted", "Difference", "Words"]
    return section(
        "Responses, largest errors first", long_table("Prediction for each response", header, rows)
    )


def _against_length(
    words: np.ndarray, human: np.ndarray, predicted: np.ndarray, scale: tuple[int, int]
) -> Html:
    def draw(canvas: Any) -> None:
        axes = canvas.add_axes([0.12, 0.16, 0.84, 0.8])
        inside, ends = _shown(predicted, scale)
        _points(axes, words.astype(np.float64), inside)
        axes.set(ylim=ends, xlabel="Words in the response", ylabel="Predicted score")

    rows = []
    for name, values in (
        ("Human score", human),
        ("Predicted score", predicted),
    ):
        try:
            rows.append([name, f"{pearson_r(values, words):.4f}"])
        except UndefinedCorrelation:
            rows.append([name, "not defined"])
    caption = "Predicted score and length; larger points show more responses"
    spoken = f"{caption}. Correlation of the predicted score with the number of words: {rows[1][1]}."
    return section(
        "Predictions against length",
        figure(caption, spoken, plot("length", draw, width=5.2, height=3.8)),
        table("Correlation with the number of words", ["Score", "Pearson's r"], rows),
    )


def _spread(number: int) -> np.ndarray:
    """Return numbers that look random but are always the same."""
    return np.modf(np.arange(number) * 0.6180339887498949)[0]


def _shown(predicted: np.ndarray, scale: tuple[int, int]) -> tuple[np.ndarray, tuple[float, float]]:
    """Clip predictions to an axis that covers the rubric and all but the extreme predictions; return its ends too."""
    low, high = np.percentile(predicted, [0.5, 99.5]).tolist()
    ends = min(low, scale[0] - 0.5), max(high, scale[1] + 0.5)
    return np.clip(predicted, *ends), ends


def _points(axes: Any, x: np.ndarray, y: np.ndarray) -> None:
    """Draw one point, in three sizes, for each cell of a fine grid that contains an item."""
    steps = [max(np.ptp(values), 1e-9) / number for values, number in ((x, _COLUMNS), (y, _ROWS))]
    grid = np.stack([np.rint((x - x.min()) / steps[0]), np.rint((y - y.min()) / steps[1])], axis=1)
    places, counts = np.unique(grid, axis=0, return_counts=True)
    for least, most, size in ((1, 1, 2.5), (2, 4, 3.8), (5, len(x), 5.5)):
        chosen = places[(counts >= least) & (counts <= most)]
        axes.plot(
            x.min() + steps[0] * chosen[:, 0],
            y.min() + steps[1] * chosen[:, 1],
            "o",
            color=BLUE,
            alpha=0.55,
            markersize=size,
            markeredgewidth=0,
        )


def _prompts(names: Sequence[str], human: np.ndarray, predicted: np.ndarray, words: np.ndarray) -> Html:
    prompts, place = np.unique(np.array(names, dtype=str), return_inverse=True)
    rows = []
    for index, prompt in enumerate(prompts.tolist()):
        chosen = place == index
        try:
            correlation = f"{pearson_r(human[chosen], predicted[chosen]):.4f}"
        except UndefinedCorrelation:
            correlation = "not defined"
        error = rmse(human[chosen], predicted[chosen])
        row = [
            prompt,
            f"{error:.4f}",
            correlation,
            int(chosen.sum()),
            f"{human[chosen].mean():.2f}",
            f"{predicted[chosen].mean():.2f}",
            f"{words[chosen].mean():.1f}",
        ]
        rows.append((-error, prompt, row))
    header = ["Prompt", "RMSE", "Pearson's r", "Responses", "Mean human", "Mean predicted", "Mean words"]
    return section(
        "Prompts, worst first", long_table("Errors of each prompt", header, [row for *_, row in sorted(rows)])
    )
