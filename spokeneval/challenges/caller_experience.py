"""Caller Experience: rate calls as expert listeners do. Primary score: mean kappa with the listeners, higher is better.

Kappa has linear weights on the fixed scale 1-5; distances are between the ratings themselves. The paper does not define
kappa if a listener and the system give the same rating to all calls; here it is 1.

Source: the Caller Experience paper, equation 3, Tables 1 and 2.
"""

from __future__ import annotations

from functools import partial

from ..formats.format import Answers, Format, Sheet, sheet_format
from ..formats.problems import Problems
from ..formats.speakers import SPEAKER, SPEAKER_ALIASES
from ..formats.tables import Table, whole_numbers
from ..kinds.ratings import Fewest, RatingsKind
from ..metrics import alternative_annotator
from ..metrics.rater_pairs import pair_kappas
from ..task import Score

SCALE = (1, 5)
LISTENERS = ("human1", "human2", "human3")

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


# fmt: off
TEXTS = (
    ("kappa_mean", "Mean κ", "mean of the three linearly weighted κ with the listeners"),
    ("kappa_human1", "κ listener 1", "linearly weighted κ with the first listener"),
    ("kappa_human2", "κ listener 2", "linearly weighted κ with the second listener"),
    ("kappa_human3", "κ listener 3", "linearly weighted κ with the third listener"),
    ("human_kappa_mean", "Human κ", "mean κ between the listeners"),
    ("parity", "Above the human κ", "mean κ minus the mean κ between the listeners"),
    ("exact", "Exact", "ratings equal to a listener's, averaged over the three"),
    ("within_one", "Within one", "ratings at most one point from a listener's, averaged over the three"),
    ("quadratic_kappa", "Quadratic κ", "mean of the three quadratically weighted κ with the listeners"),
    ("alpha", "α with the system", "Krippendorff's ordinal α of the listeners and the system"),
    ("human_alpha", "α of the listeners", "Krippendorff's ordinal α of the listeners without the system"),
    ("winning_rate", "Winning rate ω",
     "share of listeners that the system may replace (alternative annotator test, margin 0.2; the outcome of tests, so "
     "it has no interval)"),
    ("advantage", "Advantage ρ",
     "how often the system is at least as close to the other listeners as a listener is"),
)
"""The key, the title and the description of the kind's scores, without the one that the paper does not have."""
# fmt: on

listeners_kappas = partial(pair_kappas, weights="linear", which=slice(len(LISTENERS), None))
"""Takes the part `pairs` of the counts, and returns the kappa of each two listeners, in order."""

_FORMULAS = {"advantage": alternative_annotator.advantage}


class Calls(RatingsKind):
    """The kind with the challenge's files and scores."""

    fewest = Fewest(0, 0, 0, 0)

    def format(self) -> Format:
        return sheet_format(REFERENCE, SUBMISSION, list_file="calls.csv", check=check_calls)

    def all_scores(self) -> tuple[Score, ...]:
        scores = (score for score in super().all_scores() if score.key != "ccc")
        return tuple(
            score._replace(
                key=key,
                title=title,
                description=description,
                formula=_FORMULAS.get(key, score.formula),
                undefined=None,
            )
            for score, (key, title, description) in zip(scores, TEXTS)
        )


TASK = Calls(LISTENERS, SCALE, item="call").task("caller_experience", "Caller Experience")
