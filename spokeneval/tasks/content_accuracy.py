"""Content accuracy: predict the score of a spoken response. Primary score: Pearson's r, higher is better.

The scale of the rubric is an option: 1 to 4, as published, unless the organiser chooses another. For kappa, exact and
adjacent agreement, predictions are trimmed to [1 - 0.4998, 4 + 0.4998] (or to the ends of the chosen scale) and rounded
to the nearest integer, halves to even. The paper does not define some correlations, which are 0 here: Pearson's r of
constant predictions, and the partial correlation if nothing varies once the number of words is held constant. An
optional column `human_score2` of the reference has the scores of a second rater, with empty cells for responses without
one; the report then shows PRMSE.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..formats.cells import real_numbers, whole_numbers
from ..formats.problems import Problems
from ..formats.sheets import Answers, Sheet, sheet_format
from ..formats.speakers import choose_units
from ..formats.tables import Table
from ..metrics import agreement, correlation, prediction_error
from ..task import AGREEMENT, HIGHER, LOWER, POSITIVE, Option, Score, Task
from ..trivial import always, at_random

REFERENCE_FILE = "reference.csv"
DECIMALS = 3
FEWEST_RESPONSES = 3

SCALES = tuple(f"{low}-{high}" for low in (0, 1) for high in range(low + 2, 11))
"""Lowest and highest score of a rubric."""
PUBLISHED = "1-4"


def scale_of(options: Any) -> tuple[int, int]:
    """The lowest and the highest score of the scale that the organiser chose."""
    low, _, high = options["scale"].partition("-")
    return int(low), int(high)


SECOND = "human_score2"
"""The column with a second rater's scores."""


def check_scores(answers: Answers, table: Table, problems: Problems, scale: tuple[int, int]) -> None:
    low, high = scale
    allowed = ("", *map(str, range(low, high + 1)))
    for row, score in enumerate(answers.texts.get(SECOND, ())):
        if score not in allowed:
            message = f"{SECOND} {score!r}; expected an integer from {low} to {high}, or an empty cell"
            table.add_problem(problems, "off_scale", row, message)
    human = answers["human_score"]
    if not problems and len(human) < FEWEST_RESPONSES:
        message = f"{len(human)} responses; expected at least {FEWEST_RESPONSES}"
        problems.add("too_few_items", REFERENCE_FILE, message)
    elif not problems and (human == human[0]).all():
        message = f"all human scores are {human[0]}; a correlation needs scores that differ"
        problems.add("constant_scores", REFERENCE_FILE, message)


def count(reference: Answers, submission: Answers, scale: tuple[int, int]) -> dict[str, Any]:
    human, predicted = reference["human_score"], submission["score"]
    return {
        "correlation": correlation.correlation_moments(human, predicted),
        "partial": correlation.partial_moments(human, predicted, reference["words"]),
        "rounded": agreement.rating_cells(
            human, prediction_error.round_to_scale(predicted, *scale), scale=scale
        ),
        "errors": prediction_error.squared_errors(human, predicted),
        "ranks": correlation.rank_moments(human, predicted),
        "differences": prediction_error.differences(human, predicted),
    }


# fmt: off
SCORES = (
    Score("pearson_r", "Pearson r", HIGHER, correlation.correlation,
          "correlation of the predictions with the human scores", of="correlation", undefined=0.0, bounds=AGREEMENT,
          best=1),
    Score("quadratic_kappa", "Quadratic κ", HIGHER, partial(agreement.kappa, weights="quadratic"),
          "agreement of the rounded predictions with the human scores", of="rounded", bounds=AGREEMENT),
    Score("partial_r", "Partial r", HIGHER, correlation.partial_correlation,
          "correlation with the number of words held constant", of="partial", undefined=0.0, bounds=AGREEMENT),
    Score("exact", "Exact", HIGHER, agreement.exact, "rounded predictions equal to the human score", of="rounded",
          percent=True),
    Score("adjacent", "Adjacent", HIGHER, agreement.adjacent, "rounded predictions at most 1 from the human score",
          of="rounded", percent=True),
    Score("rmse", "RMSE", LOWER, prediction_error.root_mean_square, "root mean square error of the raw predictions",
          of="errors", bounds=POSITIVE),
    Score("spearman_r", "Spearman r", HIGHER, correlation.correlation,
          "correlation of the ranks of predictions and human scores", of="ranks", undefined=0.0,
          bounds=None),  # no interval: the ranks are among all responses, and would change if some were left out
    Score("smd", "Mean shift", LOWER, prediction_error.mean_shift,
          "absolute standardised mean difference: mean error over the human scores' standard deviation",
          of="differences", bounds=POSITIVE),
    Score("within_half", "Within 0.5", HIGHER, prediction_error.within_half,
          "raw predictions at most 0.5 from the human score", of="differences", percent=True),
    Score("within_one", "Within 1.0", HIGHER, prediction_error.within_one,
          "raw predictions at most 1.0 from the human score", of="differences", percent=True),
)
# fmt: on


def on_scale(options: Mapping[str, str]) -> Task:
    """The task with the chosen scale of the rubric.

    Predictions may lie beyond either end of the scale by at most its width, and are rounded to `DECIMALS` decimals. An
    honest system needs no more, and further digits could be used to ask about single labels.
    """
    low, high = scale = scale_of(options)
    middle, width = (low + high) / 2, high - low
    reference = Sheet(
        REFERENCE_FILE,
        "response_id",
        {"human_score": whole_numbers(*scale), "words": whole_numbers(1)},
        noun="response",
        texts=("prompt_id", "speaker_id"),
        optional=(SECOND,),
        aliases={"speaker": "speaker_id", "user": "speaker_id"},
    )
    submission = Sheet(
        "predictions.csv",
        "response_id",
        {"score": real_numbers(low - width, high + width, decimals=DECIMALS)},
        noun="response",
    )
    return Task(
        name="content_accuracy",
        title="Content accuracy",
        format=sheet_format(
            reference,
            submission,
            list_file="responses.csv",
            public=reference.texts,
            check=partial(check_scores, scale=scale),
        ),
        units=lambda reference: choose_units(
            reference.items.ids, "response", speaker=reference.texts["speaker_id"]
        ),
        count=partial(count, scale=scale),
        scores=SCORES,
        right=lambda rows: agreement.exact(rows["rounded"]),
        labels=lambda reference: reference["human_score"].tolist(),
        options=(Option("scale", (PUBLISHED, *(other for other in SCALES if other != PUBLISHED))),),
        vary=on_scale,
        trivial={
            f"{middle:g} for every response": always("score", middle),
            "scores at random": at_random("score", range(low, high + 1)),
        },
        shared_scale=False,  # the moments of each system are taken about its own mean
    )


TASK = on_scale({"scale": PUBLISHED})
