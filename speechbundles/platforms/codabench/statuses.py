"""The statuses of a run on Codabench, and what each means for the commands."""

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
    """

    ends: bool
    board: bool
    amend: str


_UNDER_WAY = Meaning(ends=False, board=True, amend=WAIT)
STATUSES = {
    SUBMITTING: Meaning(ends=False, board=True, amend=KEEP),  # an organiser has to start it
    **dict.fromkeys(("Submitted", "Preparing", "Running", "Scoring"), _UNDER_WAY),
    AWAITING: Meaning(ends=False, board=False, amend=WAIT),  # a human has to approve its results
    FINISHED: Meaning(ends=True, board=True, amend=REPEAT),
    "Failed": Meaning(ends=True, board=True, amend=REPEAT),
    "Cancelled": Meaning(ends=True, board=False, amend=IGNORE),
}


def meaning_of(status: str) -> Meaning:
    """Return what a status means; one that is not known is that of a run under way."""
    return STATUSES.get(status, _UNDER_WAY)
