"""Scores: a number on a scale for each item, such as a proficiency score. Primary score: Pearson's r, higher is better.

Reference, `scores.csv`: an item, its human score, and as declared a second human score (empty where there is none) and
a control variable. Submission, `scores.csv`: one row an item. A submitted score may lie beyond either end of the scale
by at most its width, and is rounded to three decimals: an honest system needs no more, and further digits could be used
to ask about single labels. A score farther away is refused.

Where the scale has steps, kappa, exact and adjacent agreement take submitted scores that are trimmed to the scale and
rounded to the nearest step, halves to the even multiple; other scores take them as they are. A correlation that is
undefined because the submitted scores are constant is 0. Lin's concordance correlation (CCC) is below Pearson's r where
predictions are shifted or on another scale. The mean shift is without its sign, because a leaderboard
ranks in one direction.

With a level, such as the system whose speech was rated, the scores of `levels` come first.
Source: `metrics.correlation`, `metrics.prediction_error`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Callable, ClassVar, Optional

import numpy as np

from ..formats.format import Answers, Format, Items, sheet_format
from ..formats.problems import Problems, count_of
from ..formats.tables import Parser, Table, real_numbers
from ..metrics import correlation, prediction_error
from ..metrics.counts import total
from ..metrics.jackknife import FEWEST_UNITS
from ..task import AGREEMENT, HIGHER, LOWER, POSITIVE, Score
from ..trivial import always, at_random
from .kind import (
    Kind,
    ParameterError,
    id_parameter,
    item_parameter,
    one_table,
    optional_text,
    parameter,
    unit_parameter,
)
from .levels import (
    FEWEST,
    LEAST_SPREAD,
    check_levels,
    count_levels,
    level_parameter,
    level_scores,
    unit_of_levels,
)
from .scale import (
    HUMAN_DECIMALS,
    Scale,
    check_step,
    human_scores,
    in_steps,
    optional_cells,
    points,
    read_scale,
    read_step,
    submitted,
)

FILE, SCORE = "scores.csv", "score"
"""The file of a submission, and its column."""


@dataclass(frozen=True)
class ScoresKind(Kind):
    """A task that asks for scores on a scale."""

    # fmt: off
    scale: Scale = parameter(
        "The lowest and the highest score. A submitted score may lie beyond either end by at most the width of the "
        "scale; it is rounded to three decimals.", read_scale, [1, 6])
    step: Optional[float] = parameter(
        "The distance of neighbouring human scores, such as 1 or 0.5, which divides both ends of the scale. Leave it "
        "out if any number is a score: agreement in steps is then not offered.", read_step, 0.5, None)
    control: str = parameter(
        "A column of numbers in the reference, such as the length of a response: the partial correlation holds it "
        "constant.", optional_text, "words", None)
    second: str = parameter(
        "The column of the reference with a second human score, which may be empty for some items: PRMSE compares "
        "with the true scores behind both.", optional_text, "score2", None)
    level: str = level_parameter()
    id: str = id_parameter()
    item: str = item_parameter()
    unit: str = unit_parameter()
    # fmt: on

    name = "scores"
    description = "a score on a scale for each item"
    opening = "Score each {item} as humans do."
    shared_scale = False  # the moments of each system are taken about its own mean

    truth: ClassVar[str] = "score"
    """The column with the scores in the reference."""
    answer: ClassVar[str] = SCORE
    """The column of a submission."""
    held: ClassVar[str] = ""
    """What the control variable is, if it is not the name of its column."""

    def __post_init__(self) -> None:
        if self.step:
            check_step(self.scale, self.step)
        units = {"level" if self.level else "unit": self.unit_column}
        named = {"control": self.control, "second": self.second, "id": self.id, **units}
        used = Counter(filter(None, (self.truth, *named.values())))
        for name, column in named.items():
            if used[column] > 1:
                raise ParameterError(name, f"the column {column!r} is used twice")

    @property
    def unit_column(self) -> str:
        return unit_of_levels(self.level, self.unit, self.id)

    @property
    def width(self) -> float:
        return self.scale[1] - self.scale[0]

    def format(self) -> Format:
        reference = one_table(FILE, self.columns, id=self.id, item=self.item, unit=self.unit_column)
        if self.level:
            reference = replace(reference, texts=(self.level,), optional=())
        submission = one_table(FILE, {SCORE: self.cells[1]}, id=self.id, item=self.item)
        return sheet_format(reference, submission, check=self.check)

    @property
    def levels(self) -> list[float]:
        """The scores on the scale; hundredths of it where there are no steps."""
        step, places = self.step or self.width / 100, range(points(self.scale, self.step))
        return [round(self.scale[0] + place * step, HUMAN_DECIMALS) for place in places]

    @property
    def cells(self) -> tuple[Parser, Parser]:
        """The parsers of human scores and of submitted ones."""
        numbers = real_numbers(*self.scale, decimals=HUMAN_DECIMALS)
        return human_scores(self.scale, self.step) if self.step else numbers, submitted(self.scale)

    @property
    def columns(self) -> dict[str, Parser]:
        """The columns of the reference with their parsers."""
        human, _ = self.cells
        columns = {self.truth: human}
        if self.second:
            columns[self.second] = optional_cells(human, filler=str(self.scale[0]))
        if self.control:
            columns[self.control] = real_numbers(-1e9, 1e9, decimals=HUMAN_DECIMALS)
        return columns

    def check_spread(self, answers: Answers, table: Table, problems: Problems) -> None:
        """Check that a reference has enough human scores, and that they differ."""
        human = answers[self.truth]
        if not problems and len(human) < FEWEST:
            message = f"{len(human)} {self.item}s; expected at least {FEWEST}"
            problems.add("too_few_items", table.file, message)
        elif not problems and (human == human[0]).all():
            message = f"all human scores are {human[0]:g}; a correlation needs scores that differ"
            problems.add("constant_scores", table.file, message)

    def check(self, answers: Answers, table: Table, problems: Problems) -> None:
        self.check_spread(answers, table, problems)
        if problems:
            return
        human, least = answers[self.truth], LEAST_SPREAD * self.width
        if human.std() < least:
            message = f"the human scores hardly differ: their standard deviation is {human.std():.3g} on a scale of "
            message += f"width {self.width:g}; expected at least {least:g}, or another `scale`"
            problems.add("constant_scores", table.file, message)
        if self.control and np.ptp(answers[self.control]) == 0:
            message = f"{self.control} is {answers[self.control][0]:g} for every {self.item}; "
            message += "expected values that differ, or no `control`"
            problems.add("constant_control", table.file, message)
        check_levels(self.level, answers, human, self.width, table, problems)
        if self.second:
            self._check_second(human, answers[self.second], table, problems)

    def _check_second(self, human: np.ndarray, second: np.ndarray, table: Table, problems: Problems) -> None:
        both = int((~np.isnan(second)).sum())
        if both < 2:
            found = f"{count_of(both, self.item)} with a score in {self.second}"
            message = f"{found}; PRMSE needs at least 2. Add scores, or leave out `second`"
            problems.add("too_few_items", table.file, message)
        if problems:
            return
        rows = prediction_error.true_score_errors(np.stack([human, second], axis=1), human)
        if not prediction_error.true_score_variance(total(rows)) > LEAST_SPREAD * human.var():
            message = (
                f"the two scores of one {self.item} differ as much as scores of different {self.item}s, "
            )
            message += "so PRMSE is undefined; leave out `second`"
            problems.add("no_true_variance", table.file, message)

    def count(self, reference: Answers, submission: Answers) -> dict[str, Any]:
        """Count each item. Counts that depend on rounding, and differences, are in steps where there are any."""
        human, predicted = reference[self.truth], submission[SCORE]
        parts: dict[str, Any] = {"correlation": correlation.correlation_moments(human, predicted)}
        if self.control:
            parts["partial"] = correlation.partial_moments(human, predicted, reference[self.control])
        near, found = human, predicted
        if self.step:
            near, found = in_steps(human, self.step), in_steps(predicted, self.step)
            low, high = (round(end / self.step) for end in self.scale)
            rounded = prediction_error.round_to_scale(found, low, high)
            parts["rounded"] = correlation.rating_moments(near - low, rounded - low)
            parts["rounded_differences"] = prediction_error.differences(near, rounded)
        centre = sum(self.scale) / 2
        parts["concordance"] = correlation.rating_moments(human - centre, predicted - centre)
        parts["errors"] = prediction_error.squared_errors(human, predicted)
        parts["ranks"] = correlation.rank_moments(human, predicted)
        parts["differences"] = prediction_error.differences(near, found)
        if self.second:
            ratings = np.stack([human, reference[self.second]], axis=1)
            parts["true_scores"] = prediction_error.true_score_errors(ratings, predicted)
        return {**parts, **count_levels(self.level, reference, human, predicted)}

    def all_scores(self) -> tuple[Score, ...]:
        held = self.held or self.control
        return (*level_scores(self.level), *_scores(step=self.step, held=held, second=self.second))

    def right(self, rows: Mapping[str, Any]) -> Any:
        """Whether the rounded score is the human score; without steps, 1 minus the error in widths of the scale."""
        if self.step:
            return prediction_error.within_half(rows["rounded_differences"])
        return 1 - np.minimum(np.sqrt(rows["errors"].squared_error) / self.width, 1)

    def labels(self, reference: Answers) -> list[float]:
        return list(reference[self.truth].tolist())

    def trivial(self) -> dict[str, Callable[[Items], Answers]]:
        middle = sum(self.scale) / 2
        return {
            f"{middle:g} for every {self.item}": always(SCORE, middle),
            "scores at random": at_random(SCORE, self.levels),
        }

    def second_scores(self, reference: Answers) -> Optional[np.ndarray]:
        """The second human scores, NaN where there is none; None without any."""
        return reference[self.second] if self.second else None


def _signed_shift(rows: prediction_error.Differences) -> str:
    """The direction of the mean shift, which the score does not show."""
    shift = prediction_error.standardised_mean_difference(total(rows))
    words = f"The mean shift with its sign is {shift:+.4f}"
    if len(rows.items) >= FEWEST_UNITS:
        low, high, _ = prediction_error.signed_shift_interval(rows)
        words += f" (95 % interval {low:+.4f} to {high:+.4f})"
    return f"{words}; above 0, predictions are too high on average."


# fmt: off
def _scores(*, step: Optional[float], held: str, second: str) -> tuple[Score, ...]:
    """The scores; those that need a step, a control variable or a second human score only where there is one."""
    half, one = (step or 0) / 2, float(step or 0)
    table = (
        Score("pearson_r", "Pearson r", HIGHER, correlation.correlation,
              "correlation of the predictions with the human scores", of="correlation", undefined=0.0,
              bounds=AGREEMENT, best=1),
        # The concordance of whole numbers is their quadratic kappa, and rounded scores within half a step are equal.
        step and Score("quadratic_kappa", "Quadratic κ", HIGHER, correlation.concordance,
                       "agreement of the rounded predictions (halves to the even step) with the human scores",
                       of="rounded", bounds=AGREEMENT),
        held and Score("partial_r", "Partial r", HIGHER, correlation.partial_correlation,
                       f"correlation with {held} held constant", of="partial", undefined=0.0, bounds=AGREEMENT),
        step and Score("exact", "Exact", HIGHER, prediction_error.within_half,
                       "rounded predictions equal to the human score", of="rounded_differences", percent=True),
        step and Score("adjacent", "Adjacent", HIGHER, prediction_error.within_one,
                       f"rounded predictions at most {step:g} from the human score", of="rounded_differences",
                       percent=True),
        Score("rmse", "RMSE", LOWER, prediction_error.root_mean_square,
              "root mean square error of the raw predictions", of="errors", bounds=POSITIVE),
        Score("spearman_r", "Spearman r", HIGHER, correlation.correlation,
              "correlation of the ranks of predictions and human scores", of="ranks", undefined=0.0,
              bounds=None),  # no interval: the ranks are among all items, and would change if some were left out
        Score("ccc", "CCC", HIGHER, correlation.concordance,
              "Lin's concordance correlation of the predictions with the human scores", of="concordance",
              bounds=AGREEMENT, best=1),
        Score("smd", "Mean shift", LOWER, prediction_error.mean_shift,
              "absolute standardised mean difference: mean error over the human scores' standard deviation",
              of="differences", bounds=POSITIVE, interval=prediction_error.mean_shift_interval, remark=_signed_shift),
        step and Score("within_half", f"Within {half}", HIGHER, prediction_error.within_half,
                       f"raw predictions at most {half} from the human score", of="differences", percent=True),
        step and Score("within_one", f"Within {one}", HIGHER, prediction_error.within_one,
                       f"raw predictions at most {one} from the human score", of="differences", percent=True),
        second and Score("prmse", "PRMSE", HIGHER, prediction_error.proportional_reduction,
                         "share of the variance of the true scores that is predicted",
                         of="true_scores", bounds=(-math.inf, math.inf)),
    )
    return tuple(score for score in table if score)
# fmt: on
