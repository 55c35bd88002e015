"""Ratings: rate each item as human raters do. Primary score: mean weighted kappa with the raters, higher is better.

Reference, `ratings.csv`: an item in each row, and a column for each rater; a cell is empty where the rater did not rate
the item. Submission, `ratings.csv`: one rating for each item.

Ratings may have steps, such as half points, in which kappa and alpha count distances. CCC is that of the system and the
mean of an item's raters.

Kappa is over the items that both raters of a pair rated. A rater counts in means with ten items or more, and a pair of
raters with two common items or more. Both are decided once for the whole reference, so that means are over the same
raters in all resamples. Krippendorff's alpha and the shares of equal ratings are over all ratings. In the alternative
annotator test, a rater is compared on the items that another rater rated, too, if there are thirty of them or more.
More than `MOST_LISTED` raters, such as those of a crowd, have no kappa of their own or with each other: their agreement
is alpha.
Source: `metrics.agreement` and `metrics.alternative_annotator`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import lcm
from typing import Any, Callable, ClassVar, NamedTuple

import numpy as np

from ..formats.format import Answers, Format, Items, sheet_format
from ..formats.problems import Problems, count_of
from ..formats.speakers import SPEAKER_ALIASES
from ..formats.tables import Parser, Table, whole_numbers
from ..metrics import agreement, alternative_annotator, correlation, rater_pairs
from ..metrics.agreement import RatingCells
from ..metrics.alternative_annotator import AnnotatorComparisons
from ..metrics.counts import field_arrays, total
from ..metrics.rater_pairs import RaterPairs, pair_kappas
from ..task import AGREEMENT, HIGHER, Score
from ..trivial import always, at_random
from .kind import (
    Kind,
    ParameterError,
    id_parameter,
    item_parameter,
    one_of,
    one_table,
    parameter,
    text,
    unit_parameter,
)
from .levels import check_levels, count_levels, level_parameter, level_scores, unit_of_levels
from .scale import Scale, check_step, human_scores, optional_cells, points, read_ends, read_step

FILE = "ratings.csv"
COLUMN = "rating"
MOST_RATERS, MOST_STEPS = 10_000, 101
MOST_LISTED = 20
"""With more raters, kappa is not computed for single raters or between raters: there are too many pairs."""
SHOWN = 8
"""Raters that a message names."""
LINEAR, QUADRATIC = "linear", "quadratic"
MARGINS = (0.2, 0.15, 0.1)
"""Margins of the alternative annotator test for experts, skilled annotators and crowd workers."""


Steps = tuple[int, int]
"""The ends of a scale in steps."""


class Fewest(NamedTuple):
    """The numbers with which raters count: items of a rater and of a pair of raters in means; in the alternative
    annotator test, items of a rater, and raters."""

    items: int = 10
    common: int = 2
    compared: int = 30
    raters: int = 3


FEWEST = Fewest()


def read_raters(value: Any) -> tuple[str, ...]:
    """The columns of the raters."""
    listed = isinstance(value, (list, tuple))
    number = len(value) if listed else value
    if isinstance(number, bool) or not isinstance(number, int) or not 2 <= number <= MOST_RATERS:
        found = count_of(number, "rater") if listed else repr(value)
        raise ValueError(f"{found}; expected the columns of 2 to {MOST_RATERS} raters, or their number")
    if not listed:
        return tuple(f"rater{place}" for place in range(1, number + 1))
    often = Counter(text(rater).lower() for rater in value)
    for rater in value:
        if often[rater.lower()] > 1:
            raise ValueError(f"rater {rater!r} twice")
    return tuple(value)


@dataclass(frozen=True)
class RatingsKind(Kind):
    """A task that asks for ratings on a scale that human raters used."""

    # fmt: off
    raters: tuple[str, ...] = parameter(
        "The columns of two or more raters, or their number: 3 means rater1, rater2 and rater3. A cell is empty where "
        f"the rater did not rate the item. With more than {MOST_LISTED} raters, κ is not listed for each.", read_raters,
        ["rater1", "rater2"])
    scale: Scale = parameter(
        f"The lowest and the highest rating, such as [1, 7] or [0, 20]; {MOST_STEPS} ratings at most.", read_ends,
        [1, 5])
    step: float = parameter(
        "The distance of neighbouring ratings, such as 0.5 for half points; it divides both ends of the scale.",
        lambda value: read_step(value) or 1, 1, 1)
    weights: str = parameter(
        "How a disagreement grows with its distance in κ: linear or quadratic.", one_of(LINEAR, QUADRATIC), LINEAR,
        LINEAR)
    margin: float = parameter(
        "The tolerance ε of the alternative annotator test: the system may replace a rater if it is at least as close "
        "to the other raters almost as often as this rater: up to ε less often. 0.2 for experts, 0.15 for skilled "
        "annotators, 0.1 for crowd workers, who cost least.", one_of(*MARGINS), MARGINS[0], MARGINS[0])
    level: str = level_parameter()
    id: str = id_parameter()
    item: str = item_parameter()
    unit: str = unit_parameter()
    # fmt: on

    name = "ratings"
    description = "a rating of each item on a scale that two or more human raters used"
    opening = "Rate each {item} as human raters do."

    fewest: ClassVar[Fewest] = FEWEST

    def __post_init__(self) -> None:
        _check_raters(self.raters, self.id, self.unit_column)
        if points(self.scale, self.step) > MOST_STEPS:
            (low, high), number = self.scale, points(self.scale, self.step)
            found = f"[{low:g}, {high:g}] has {number} steps of {self.step:g}"
            raise ParameterError("scale", f"{found}; expected at most {MOST_STEPS}, or `kind: scores`")
        check_step(self.scale, self.step)

    @property
    def unit_column(self) -> str:
        return unit_of_levels(self.level, self.unit, self.id)

    @property
    def steps(self) -> Steps:
        """The ends of the scale in steps."""
        return round(self.scale[0] / self.step), round(self.scale[1] / self.step)

    @property
    def listed(self) -> bool:
        """Whether kappa is computed for single raters and between raters."""
        return len(self.raters) <= MOST_LISTED

    def format(self) -> Format:
        columns = dict.fromkeys(self.raters, _ratings(self.scale, self.step, empty=True))
        reference = one_table(FILE, columns, id=self.id, item=self.item, unit=self.unit_column)
        submission = one_table(FILE, {COLUMN: _ratings(self.scale, self.step)}, id=self.id, item=self.item)
        return sheet_format(reference, submission, check=self.check)

    def table(self, reference: Answers) -> np.ndarray:
        """The ratings of m raters in steps, shape (m, n); NaN where a rater did not rate an item."""
        table = np.stack(list(reference.columns.values())).astype(float)
        table[table < self.steps[0]] = np.nan
        return table

    def ratings_of(self, reference: Answers) -> dict[str, np.ndarray]:
        """The ratings of each rater, as in `table`."""
        return dict(zip(reference.columns, self.table(reference)))

    def listed_ratings(self, reference: Answers) -> dict[str, np.ndarray]:
        return self.ratings_of(reference) if self.listed else {}

    def check(self, answers: Answers, table: Table, problems: Problems) -> None:
        if problems:
            return
        raters = _raters(self.table(answers), FEWEST)
        rated = ~np.isnan(raters.table)
        for row in np.flatnonzero(~rated.any(axis=0)).tolist():
            table.add_problem(problems, "no_rating", row, "no rating; expected one of one rater or more")
        if not raters.common.any():
            found = [f"{name} {number}" for name, number in zip(answers.columns, rated.sum(axis=1).tolist())]
            more = f" (and {len(found) - SHOWN} more)" if len(found) > SHOWN else ""
            message = (
                f"no two raters with {FEWEST.items} {self.item}s or more each share {FEWEST.common} {self.item}s or "
                f"more; {self.item}s of each rater: {', '.join(found[:SHOWN])}{more}. Where every rater has few, "
                "declare `kind: scores` with the mean rating"
            )
            problems.add("too_few_ratings", table.file, message)
        if not problems:
            human, width = np.nanmean(raters.table, axis=0) * self.step, np.ptp(self.steps) * self.step
            check_levels(self.level, answers, human, width, table, problems)

    def count(self, reference: Answers, submission: Answers) -> dict[str, Any]:
        """The counts of each item.

        `pairs` has the system with each rater, then each two raters; `ratings` the pairs of a rater's and the system's
        rating. In `with_system` and `humans`, a pair of ratings of an item with m ratings counts `_often(raters)` /
        (m - 1) times, as alpha needs. `concordance` has the mean of an item's raters.
        """
        scale, fewest = self.steps, self.fewest
        raters = _raters(self.table(reference), fewest)
        table, rated = raters.table, ~np.isnan(raters.table)
        system = np.broadcast_to(submission[COLUMN].astype(float), table.shape)
        pairs, *panels = (_of_listed if self.listed else _of_crowd)(raters, system, scale)
        centre, human = sum(scale) / 2, np.nanmean(table, axis=0)
        counts: dict[str, Any] = {
            "pairs": pairs,
            "ratings": rater_pairs.pooled_cells(table, system, scale=scale),
            **dict(zip(("with_system", "humans"), panels)),
            "concordance": correlation.rating_moments(human - centre, system[0] - centre),
        }
        if len(table) >= fewest.raters:
            rows = alternative_annotator.annotator_comparisons(
                np.nan_to_num(table), submission[COLUMN], rated=rated
            )
            counts["comparisons"] = _with_enough(rows, fewest)
        return {**counts, **count_levels(self.level, reference, human * self.step, system[0] * self.step)}

    def all_scores(self) -> tuple[Score, ...]:
        own = _scores(self.raters, self.step, self.weights, self.margin, self.item)
        return (*level_scores(self.level), *own)

    def right(self, rows: Mapping[str, Any]) -> Any:
        return agreement.exact(rows["ratings"])

    def labels(self, reference: Answers) -> list[int]:
        columns = (column.tolist() for column in reference.columns.values())
        return [rating for column in columns for rating in column if rating >= self.steps[0]]

    def trivial(self) -> dict[str, Callable[[Items], Answers]]:
        low, high = self.steps
        middle = (low + high) // 2
        return {
            f"{middle * self.step:g} for every {self.item}": always(COLUMN, middle),
            "ratings at random": at_random(COLUMN, range(low, high + 1)),
        }

    def partly_right(self, reference: Answers, right: np.ndarray) -> Answers:
        """A submission with the lower median of the ratings of chosen items, and the middle of the scale for others."""
        table = np.sort(np.stack(list(reference.columns.values())), axis=0)
        place = (len(table) + (table < self.steps[0]).sum(axis=0) - 1) // 2  # behind the empty cells
        median = np.take_along_axis(table, place[np.newaxis], axis=0)[0]
        return Answers(reference.items, {COLUMN: np.where(right, median, sum(self.steps) // 2)})


def _check_raters(raters: Sequence[str], id: str, unit: str) -> None:
    others = {
        other.lower() for other in (id, unit, *(SPEAKER_ALIASES if unit in SPEAKER_ALIASES.values() else ()))
    }
    for rater in raters:
        if rater.lower() in others:
            raise ParameterError(
                "raters", f"{rater!r} is another column of the reference; name the raters' own"
            )


def _ratings(scale: Scale, step: float, *, empty: bool = False) -> Parser:
    """A parser for ratings, in steps from 0; one less than the lowest for an empty cell."""
    low, high = scale
    if step == 1:
        return whole_numbers(round(low), round(high), empty=empty)
    numbers = human_scores(scale, step)
    if empty:
        numbers = optional_cells(numbers, filler=str(low))

    def parse(table: Table, column: str, problems: Problems) -> np.ndarray:
        steps = np.rint(numbers(table, column, problems) / step)
        return np.asarray(np.where(np.isnan(steps), round(low / step) - 1, steps).astype(np.int64))

    return parse


class _Raters(NamedTuple):
    """The ratings of m raters, and which of them count in means.

    Attributes
    ----------
    table: the ratings, shape (m, n); NaN where a rater did not rate an item.
    enough: shape (m,), the raters that rated enough items.
    pairs: the first and the second rater of each pair of raters.
    common: for each of these pairs, whether both rated enough items, and enough of them in common.
    """

    table: np.ndarray
    enough: np.ndarray
    pairs: tuple[np.ndarray, ...]
    common: np.ndarray


def _raters(table: np.ndarray, fewest: Fewest) -> _Raters:
    rated = ~np.isnan(table)
    enough = rated.sum(axis=1) >= fewest.items
    pairs = np.triu_indices(len(table), 1)
    shared = rated.astype(float) @ rated.T
    return _Raters(table, enough, pairs, (np.outer(enough, enough) & (shared >= fewest.common))[pairs])


def _of_listed(
    raters: _Raters, system: np.ndarray, scale: Steps
) -> tuple[RaterPairs, RatingCells, RatingCells]:
    """The counts of the system with each rater and of each two raters; all pairs with the system, and without it."""
    table = raters.table
    humans = tuple(table[places] for places in raters.pairs)
    everyone = np.concatenate([table, humans[0]]), np.concatenate([system, humans[1]])
    often, number = _often(len(table)), (~np.isnan(table)).sum(axis=0)
    smallest = np.min_scalar_type(-often * (len(table) + 1))
    of_all, of_humans = ((often // np.maximum(others, 1)).astype(smallest) for others in (number, number - 1))
    return (
        rater_pairs.rater_pairs(
            *everyone, scale=scale, counted=np.concatenate([raters.enough, raters.common])
        ),
        rater_pairs.pooled_cells(*everyone, scale=scale, weights=of_all),
        rater_pairs.pooled_cells(*humans, scale=scale, weights=of_humans),
    )


def _of_crowd(
    raters: _Raters, system: np.ndarray, scale: Steps
) -> tuple[RaterPairs, RatingCells, RatingCells]:
    """The same with the pairs of the system and each rater who rated enough items alone."""
    ours = raters.table[raters.enough]
    everyone = np.concatenate([raters.table, system[:1]])
    return (
        rater_pairs.rater_pairs(ours, system[: len(ours)], scale=scale, counted=np.ones(len(ours))),
        rater_pairs.panel_cells(everyone, scale=scale),
        rater_pairs.panel_cells(raters.table, scale=scale),
    )


def _often(raters: int) -> int:
    """A number that m - 1 divides, for every number m of ratings that an item can have; 1 for a crowd."""
    return lcm(*range(1, raters + 1)) if raters <= MOST_LISTED else 1


def _with_enough(rows: AnnotatorComparisons, fewest: Fewest) -> AnnotatorComparisons:
    """The comparisons of the raters with enough of them; none if too few raters have."""
    kept = np.sum(list(field_arrays(total(rows)).values()), axis=0) >= fewest.compared
    kept &= kept.sum() >= fewest.raters
    return replace(rows, **{name: field * kept for name, field in field_arrays(rows).items()})


def _parity(pairs: RaterPairs, *, weights: str, raters: int) -> Any:
    system = rater_pairs.mean_kappa(pairs, weights=weights, which=slice(raters))
    return system - rater_pairs.mean_kappa(pairs, weights=weights, which=slice(raters, None))


# fmt: off
def _scores(raters: Sequence[str], step: float, weights: str, margin: float, item: str) -> tuple[Score, ...]:
    """The scores; 0 where a part of a set has too few ratings for one of them."""
    number, mean, listed = len(raters), rater_pairs.mean_kappa, len(raters) <= MOST_LISTED
    near = "one point" if step == 1 else f"{step:g} points"
    score = partial(Score, direction=HIGHER, undefined=0.0, bounds=AGREEMENT)
    alpha = partial(agreement.krippendorff_alpha, raters=_often(number) + 1)
    needs = f"; 0 with fewer than {FEWEST.raters} raters of {FEWEST.compared} {item}s or more"
    scores = (
        score("kappa_mean", "Mean κ", formula=partial(mean, weights=weights, which=slice(number)), of="pairs",
              description=f"mean of the {weights}ly weighted κ with each rater of {FEWEST.items} {item}s or more"),
        *(
            score(f"kappa_{n + 1}", f"κ {rater}", formula=partial(pair_kappas, weights=weights, which=n), of="pairs",
                  description=f"{weights}ly weighted κ with {rater}; 0 if {rater} rated no {item}")
            for n, rater in enumerate(raters if listed else ())
        ),
        score("human_kappa_mean", "Human κ", formula=partial(mean, weights=weights, which=slice(number, None)),
              of="pairs", description=f"mean κ between two such raters, over the {item}s that both rated"),
        score("parity", "Above the human κ", formula=partial(_parity, weights=weights, raters=number), of="pairs",
              description="mean κ minus the mean κ between the raters", bounds=(-2.0, 2.0)),
        Score("exact", "Exact", HIGHER, agreement.exact, "share of the raters' ratings that equal the system's",
              of="ratings", percent=True),
        Score("within_one", "Within one" if step == 1 else f"Within {step:g}", HIGHER, agreement.adjacent,
              f"share of the raters' ratings at most {near} from the system's", of="ratings", percent=True),
        score("quadratic_kappa", "Quadratic κ", formula=partial(mean, weights=QUADRATIC, which=slice(number)),
              of="pairs",
              description=f"mean of the quadratically weighted κ with each rater of {FEWEST.items} {item}s or more"),
        score("ccc", "CCC", formula=correlation.concordance, of="concordance",
              description="Lin's concordance correlation with the mean of the raters' ratings", best=1),
        score("alpha", "α with the system", formula=alpha, of="with_system",
              description="Krippendorff's ordinal α of the raters and the system"),
        score("human_alpha", "α of the raters", formula=alpha, of="humans",
              description="Krippendorff's ordinal α of the raters without the system"),
        Score("winning_rate", "Winning rate ω", HIGHER, partial(alternative_annotator.winning_rate, margin=margin),
              f"share of raters that the system may replace (alternative annotator test, margin {margin:g}; the "
              f"outcome of tests, so it has no interval){needs}",
              of="comparisons", undefined=0.0, bounds=None,
              remark=partial(alternative_annotator.clustered_remark, margin=margin)),
        Score("advantage", "Advantage ρ", HIGHER, alternative_annotator.advantage,
              f"how often the system is at least as close to the other raters as a rater is{needs}", of="comparisons",
              undefined=0.0),
    )
    leave_out = {"quadratic_kappa"} if weights == QUADRATIC else set()
    leave_out |= {"winning_rate", "advantage"} if number < FEWEST.raters else set()
    leave_out |= set() if listed else {"human_kappa_mean", "parity"}
    return tuple(score for score in scores if score.key not in leave_out)
# fmt: on
