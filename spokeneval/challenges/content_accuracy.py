"""Content accuracy: predict the score of a spoken response. Primary score: Pearson's r, higher is better.

The scale of the rubric is an option: 1 to 4, as published, unless the organiser chooses another. For kappa, exact and
adjacent agreement, predictions are trimmed to [1 - 0.4998, 4 + 0.4998] (or to the ends of the chosen scale) and rounded
to the nearest integer, halves to even, as in `rsmtool`; all other scores take them unchanged. The paper does not define
some correlations, which are 0 here: Pearson's r of constant predictions, and the partial correlation if nothing varies
once the number of words is held constant. An optional column `human_score2` of the reference has the scores of a second
rater, with empty cells for responses without one; the report then shows PRMSE.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Optional

import numpy as np

from ..formats.format import Answers, Sheet, sheet_format
from ..formats.problems import Problems
from ..formats.speakers import choose_units
from ..formats.tables import Table, whole_numbers
from ..kinds.scale import submitted
from ..kinds.scores import check_spread, scores
from ..task import Option, Task

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
    check_spread(answers, table, problems, truth="human_score", item="response")


def _second_scores(reference: Answers) -> Optional[np.ndarray]:
    """The scores of a second rater, NaN where there is none; None without any."""
    scores = np.array([float(score or "nan") for score in reference.texts.get(SECOND, ())])
    return None if np.isnan(scores).all() else scores


def on_scale(options: Mapping[str, str]) -> Task:
    """The task with the chosen scale of the rubric."""
    scale = scale_of(options)
    reference = Sheet(
        "reference.csv",
        "response_id",
        {"human_score": whole_numbers(*scale), "words": whole_numbers(1)},
        noun="response",
        texts=("prompt_id", "speaker_id"),
        optional=(SECOND,),
        aliases={"speaker": "speaker_id", "user": "speaker_id"},
    )
    submission = Sheet("predictions.csv", "response_id", {"score": submitted(scale, None)}, noun="response")
    form = sheet_format(
        reference,
        submission,
        list_file="responses.csv",
        public=reference.texts,
        check=partial(check_scores, scale=scale),
    )
    task = scores(
        "content_accuracy",
        "Content accuracy",
        scale=scale,
        step=1,
        control="words",
        item="response",
        truth="human_score",
        form=form,
        units=lambda reference: choose_units(
            reference.items.ids, "response", speaker=reference.texts["speaker_id"]
        ),
        held="the number of words",
    )
    scales = (PUBLISHED, *(other for other in SCALES if other != PUBLISHED))
    view = task.view._replace(
        facts={**task.view.facts, "second": _second_scores},
        groups=lambda reference: {"Prompt": reference.texts["prompt_id"]},
        texts=("prompt_id",),
    )
    published = tuple(score for score in task.scores if score.key != "ccc")
    return replace(task, scores=published, view=view, options=(Option("scale", scales),), vary=on_scale)


TASK = on_scale({"scale": PUBLISHED})
