"""The statuses of a run on a server, what each means for the commands, and the codes of a program that runs at home."""

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
    statuses: Mapping[str, Meaning] = live_platform().part("facts").STATUSES
    return statuses.get(status, UNDER_WAY)


def what_to_do(statuses: Iterable[str]) -> str:
    """Return what an organiser does with runs that do not end; empty without any."""
    return "; ".join(filter(None, sorted({meaning_of(status).advice for status in statuses})))


# The codes with which the run of a participant's program can end

OK = "ok"
SMOKE, RUN = "smoke", "run"
FAILED, TIME, LIMIT, ANSWERS = "failed", "time", "limit", "answers"
REFUSED, BUILD_FAILED = "refused", "build_failed"
DIFFERENT = "not_reproducible"
NOT_COUNTED, TEAM_LIMIT, WITHDRAWN, MACHINE = "not_counted", "team_limit", "withdrawn", "machine"

CODES = {
    OK: "the program ran, and its answers are scored",
    REFUSED: "the static check refused the zip; the platform's log lists the problems",
    BUILD_FAILED: "the packages of requirements.txt could not be installed, or weights not fetched",
    f"{SMOKE}_{FAILED}": "the program ended with an error on the public recordings",
    f"{SMOKE}_{TIME}": "it exceeded the time limit on the public recordings",
    f"{SMOKE}_{LIMIT}": "it exceeded a limit of memory or processes on the public recordings",
    f"{SMOKE}_{ANSWERS}": "its answers to the public recordings were refused",
    f"{RUN}_{FAILED}": "the program ended with an error on the hidden recordings",
    f"{RUN}_{TIME}": "it exceeded the time limit on the hidden recordings",
    f"{RUN}_{LIMIT}": "it exceeded a limit of memory or processes on the hidden recordings",
    f"{RUN}_{ANSWERS}": "its answers to the hidden recordings were refused",
    DIFFERENT: "two runs gave different answers; those of the first are scored",
    NOT_COUNTED: "the phase was not open, or its limit of submissions was reached; nothing was run",
    TEAM_LIMIT: "the machine hours of this participant are used up; nothing was run",
    WITHDRAWN: "the upload was withdrawn or cancelled; nothing was run",
    MACHINE: "the organisers' machine failed; the run is repeated",
}
"""What participants learn of a run."""
