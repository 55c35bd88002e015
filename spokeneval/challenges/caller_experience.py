"""Caller Experience: rate calls as expert listeners do. Primary score: mean kappa with the listeners, higher is better.

Kappa has linear weights on the fixed scale 1-5; distances are between the ratings themselves. The paper does not define
kappa if a listener and the system give the same rating to all calls; here it is 1.

Source: the Caller Experience paper, equation 3, Tables 1 and 2.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..formats.cells import whole_numbers
from ..formats.problems import Problems
from ..formats.sheets import Answers, Sheet, sheet_format
from ..formats.speakers import SPEAKER, SPEAKER_ALIASES, choose_units
from ..formats.tables import Table
from ..kinds.ratings import ratings_view
from ..metrics import agreement, alternative_annotator
from ..metrics.agreement import RatingCells
from ..task import AGREEMENT, HIGHER, Score, Task
from ..trivial import always, at_random

SCALE = (1, 5)
LISTENERS = ("human1", "human2", "human3")
PAIRS = (
    *((listener, "auto") for listener in LISTENERS),
    *(("human1", "human2"), ("human1", "human3"), ("human2", "human3")),
)
"""The pairs of raters that are counted: each listener with the system, then each two listeners."""

RATING = whole_numbers(*SCALE)
REFERENCE = Sheet(
    "reference.csv",
    "call_id",
    dict.fromkeys(LISTENERS, RATING),
    noun="call",
    optional=(SPEAKER,),
    aliases=SPEAKER_ALIASES,
)
SUBMISSION = Sheet("ratings.csv", "call_id", {"rating": RATING}, noun="call")


def check_calls(answers: Answers, table: Table, problems: Problems) -> None:
    if not problems and not len(table):
        problems.add("no_items", REFERENCE.file, "the file has a header but no calls")


def count(reference: Answers, submission: Answers) -> dict[str, Any]:
    raters = {**reference.columns, "auto": submission["rating"]}
    cells = [agreement.rating_cells(raters[a], raters[b], scale=SCALE).cells for a, b in PAIRS]
    return {
        "pairs": RatingCells(np.stack(cells, axis=1)),
        "comparisons": alternative_annotator.annotator_comparisons(
            list(reference.columns.values()), submission["rating"]
        ),
    }


def kappas(pairs: RatingCells) -> Any:
    """The linearly weighted kappa of each of `PAIRS`, shape (..., 6)."""
    return agreement.kappa(pairs, weights="linear")


def kappa_with(pairs: RatingCells, listener: int) -> Any:
    return kappas(pairs)[..., listener]


def kappa_mean(pairs: RatingCells) -> Any:
    return kappas(pairs)[..., :3].mean(axis=-1)


def human_kappa_mean(pairs: RatingCells) -> Any:
    return kappas(pairs)[..., 3:].mean(axis=-1)


def parity(pairs: RatingCells) -> Any:
    return kappa_mean(pairs) - human_kappa_mean(pairs)


def with_listeners(pairs: RatingCells) -> RatingCells:
    """The system's ratings against those of all three listeners together."""
    return RatingCells(pairs.cells[..., :3, :, :].sum(axis=-3))


def exact(pairs: RatingCells) -> Any:
    return agreement.exact(with_listeners(pairs))


def within_one(pairs: RatingCells) -> Any:
    return agreement.adjacent(with_listeners(pairs))


def quadratic_kappa(pairs: RatingCells) -> Any:
    return agreement.kappa(pairs, weights="quadratic")[..., :3].mean(axis=-1)


def alpha(pairs: RatingCells) -> Any:
    """Krippendorff's alpha of the three listeners and the system."""
    return agreement.krippendorff_alpha(RatingCells(pairs.cells.sum(axis=-3)), raters=4)


def human_alpha(pairs: RatingCells) -> Any:
    """Krippendorff's alpha of the three listeners without the system."""
    return agreement.krippendorff_alpha(RatingCells(pairs.cells[..., 3:, :, :].sum(axis=-3)), raters=3)


# fmt: off
SCORES = (
    Score("kappa_mean", "Mean κ", HIGHER, kappa_mean, "mean of the three linearly weighted κ with the listeners",
          bounds=AGREEMENT),
    Score("kappa_human1", "κ listener 1", HIGHER, partial(kappa_with, listener=0),
          "linearly weighted κ with the first listener", bounds=AGREEMENT),
    Score("kappa_human2", "κ listener 2", HIGHER, partial(kappa_with, listener=1),
          "linearly weighted κ with the second listener", bounds=AGREEMENT),
    Score("kappa_human3", "κ listener 3", HIGHER, partial(kappa_with, listener=2),
          "linearly weighted κ with the third listener", bounds=AGREEMENT),
    Score("human_kappa_mean", "Human κ", HIGHER, human_kappa_mean, "mean κ between the listeners",
          bounds=AGREEMENT),
    Score("parity", "Above the human κ", HIGHER, parity, "mean κ minus the mean κ between the listeners",
          bounds=(-2.0, 2.0)),
    Score("exact", "Exact", HIGHER, exact, "ratings equal to a listener's, averaged over the three", percent=True),
    Score("within_one", "Within one", HIGHER, within_one,
          "ratings at most one point from a listener's, averaged over the three", percent=True),
    Score("quadratic_kappa", "Quadratic κ", HIGHER, quadratic_kappa,
          "mean of the three quadratically weighted κ with the listeners", bounds=AGREEMENT),
    Score("alpha", "α with the system", HIGHER, alpha, "Krippendorff's ordinal α of the listeners and the system",
          bounds=AGREEMENT),
    Score("human_alpha", "α of the listeners", HIGHER, human_alpha,
          "Krippendorff's ordinal α of the listeners without the system", bounds=AGREEMENT),
    Score("winning_rate", "Winning rate ω", HIGHER, alternative_annotator.winning_rate,
          "share of listeners that the system may replace (alternative annotator test, margin 0.2)", of="comparisons",
          bounds=None, interval=alternative_annotator.winning_rate_interval,
          remark=alternative_annotator.clustered_remark),
    Score("advantage", "Advantage ρ", HIGHER, alternative_annotator.advantage,
          "how often the system is at least as close to the other listeners as a listener is", of="comparisons"),
)
# fmt: on

TASK = Task(
    name="caller_experience",
    title="Caller Experience",
    format=sheet_format(REFERENCE, SUBMISSION, list_file="calls.csv", check=check_calls),
    units=lambda reference: choose_units(reference.items.ids, "call", speaker=reference.speakers),
    count=count,
    scores=SCORES,
    right=lambda rows: exact(rows["pairs"]),
    labels=lambda reference: [rating for listener in LISTENERS for rating in reference[listener].tolist()],
    trivial={
        "3 for every call": always("rating", 3),
        "ratings at random": at_random("rating", range(SCALE[0], SCALE[1] + 1)),
    },
    view=ratings_view(SCALE, "linear"),
)
