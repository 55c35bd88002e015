"""The statuses of a run on Codabench, and what each means for the commands."""

from collections.abc import Iterable
from typing import NamedTuple

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


_UNDER_WAY = Meaning(False, True, WAIT, "cancel each under Submissions and run it again")
STATUSES = {
    SUBMITTING: Meaning(False, True, KEEP, "start each under Submissions"),
    **dict.fromkeys(("Submitted", "Preparing", "Running", "Scoring"), _UNDER_WAY),
    AWAITING: Meaning(False, False, WAIT, "approve each on the compute worker within 24 hours"),
    FINISHED: Meaning(True, True, REPEAT),
    "Failed": Meaning(True, True, REPEAT),
    "Cancelled": Meaning(True, False, IGNORE),
}


def meaning_of(status: str) -> Meaning:
    """Return what a status means; one that is not known is that of a run under way."""
    return STATUSES.get(status, _UNDER_WAY)


def what_to_do(statuses: Iterable[str]) -> str:
    """Return what an organiser does with runs that do not end; empty without any."""
    return "; ".join(filter(None, sorted({meaning_of(status).advice for status in statuses})))
