"""Content accuracy: predict the score of a spoken response. Primary score: Pearson's r, higher is better.

The scale of the rubric is an option: 1 to 4, as published, unless the organiser chooses another. For kappa, exact and
adjacent agreement, predictions are trimmed to [1 - 0.4998, 4 + 0.4998] (or to the ends of the chosen scale) and rounded
to the nearest integer, halves to even, as in `rsmtool`; all other scores take them unchanged. The paper does not define
some correlations, which are 0 here: Pearson's r of constant predictions, and the partial correlation if nothing varies
once the number of words is held constant. An optional column `human_score2` of the reference has the scores of a second
rater, with empty cells for responses without one; the report then shows PRMSE, and `rank` the agreement of both raters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Optional

import numpy as np

from ..formats.format import Answers, Format, Sheet, sheet_format
from ..formats.problems import Problems
from ..formats.speakers import Units, choose_units
from ..formats.tables import Table, whole_numbers
from ..kinds.scale import submitted
from ..kinds.scores import ScoresKind
from ..metrics.correlation import concordance, rating_moments
from ..metrics.counts import as_matrix, from_matrix
from ..task import Option, Score, Task

SCALES = tuple(f"{low}-{high}" for low in (0, 1) for high in range(low + 2, 11))
"""Lowest and highest score of a rubric."""
PUBLISHED = "1-4"


def scale_of(options: Any) -> tuple[int, int]:
    """The lowest and the highest score of the scale that the organiser chose."""
    low, _, high = options["scale"].partition("-")
    return int(low), int(high)


SECOND = "human_score2"
"""The column with a second rater's scores."""
RATERS = "raters"
"""The part of the counts with the moments of both raters' scores; 0 for responses without a second score."""
raters_kappa = concordance
"""Takes the total of this part, and returns the raters' quadratic kappa."""


class Rubric(ScoresKind):
    """The kind with the challenge's files."""

    truth, held = "human_score", "the number of words"
    texts = ("prompt_id",)

    def format(self) -> Format:
        reference = Sheet(
            "reference.csv",
            "response_id",
            {"human_score": whole_numbers(*self.whole_scale), "words": whole_numbers(1)},
            noun="response",
            texts=("prompt_id", "speaker_id"),
            optional=(SECOND,),
            aliases={"speaker": "speaker_id", "user": "speaker_id"},
        )
        columns = {"score": submitted(self.scale, None)}
        submission = Sheet("predictions.csv", "response_id", columns, noun="response")
        return sheet_format(
            reference, submission, list_file="responses.csv", public=reference.texts, check=self.check
        )

    @property
    def whole_scale(self) -> tuple[int, int]:
        return int(self.scale[0]), int(self.scale[1])

    def check(self, answers: Answers, table: Table, problems: Problems) -> None:
        low, high = self.whole_scale
        allowed = ("", *map(str, range(low, high + 1)))
        for row, score in enumerate(answers.texts.get(SECOND, ())):
            if score not in allowed:
                message = f"{SECOND} {score!r}; expected an integer from {low} to {high}, or an empty cell"
                table.add_problem(problems, "off_scale", row, message)
        self.check_spread(answers, table, problems)

    def units_of(self, reference: Answers) -> Units:
        return choose_units(reference.items.ids, "response", speaker=reference.texts["speaker_id"])

    def all_scores(self) -> tuple[Score, ...]:
        return tuple(score for score in super().all_scores() if score.key != "ccc")

    def groupings(self, reference: Answers) -> dict[str, Sequence[str]]:
        return {"Prompt": reference.texts["prompt_id"]}

    def count(self, reference: Answers, submission: Answers) -> dict[str, Any]:
        """Count each item; those with two human scores also for the agreement of the raters."""
        parts, second = super().count(reference, submission), self.second_scores(reference)
        if second is not None:
            human, rated = reference[self.truth], ~np.isnan(second)
            moments = rating_moments(human, np.where(rated, second, human))
            parts[RATERS] = from_matrix(moments, as_matrix(moments) * rated[:, np.newaxis])
        return parts

    def second_scores(self, reference: Answers) -> Optional[np.ndarray]:
        scores = np.array([float(score or "nan") for score in reference.texts.get(SECOND, ())])
        return None if np.isnan(scores).all() else scores


def on_scale(options: Mapping[str, str]) -> Task:
    """The task with the chosen scale of the rubric."""
    rubric = Rubric(scale_of(options), 1, "words", item="response")
    scales = (PUBLISHED, *(other for other in SCALES if other != PUBLISHED))
    task = rubric.task("content_accuracy", "Content accuracy")
    return replace(task, options=(Option("scale", scales),), vary=on_scale)


TASK = on_scale({"scale": PUBLISHED})
