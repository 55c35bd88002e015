"""The statuses of a run on a server, and what each means for the commands."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from speechbundles.model.platform import live_platform

SUBMITTING, AWAITING, FINISHED = "Submitting", "Awaiting validation", "Finished"
REPEAT, WAIT, KEEP, IGNORE = "repeat", "wait", "keep", "ignore"
"""What `amend` does with a run: run its upload again, wait for it, leave it as it is, or take no notice of it."""


class Meaning(NamedTuple):
    """What a status means for the commands.

    Attributes
    ----------
    ends: it does not change again: `fetch` then has all files, and no command waits for the run.
    board: the leaderboard of labels at home has the upload.
    amend: what `amend` does with the run.
    advice: what an organiser does if the run stays so; `fetch`, `watch` and `amend` print it.
    """

    ends: bool
    board: bool
    amend: str
    advice: str = ""


UNDER_WAY = Meaning(False, True, WAIT, "cancel each under Submissions and run it again")


def meaning_of(status: str) -> Meaning:
    """Return what a status means; one that is not known is that of a run under way."""
    statuses: Mapping[str, Meaning] = live_platform().part("statuses").STATUSES
    return statuses.get(status, UNDER_WAY)


def what_to_do(statuses: Iterable[str]) -> str:
    """Return what an organiser does with runs that do not end; empty without any."""
    return "; ".join(filter(None, sorted({meaning_of(status).advice for status in statuses})))
