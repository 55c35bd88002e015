"""Differences between the platforms (leaderboards, folders, abilities), and the submission rules."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class BoardRules:
    """How a platform orders its leaderboard.

    Attributes
    ----------
    all_columns: whether the other columns, in order, and then the earlier submission break ties of primary scores.
    latest_of_equals: whether the latest of a team's runs with equal scores counts as its best; otherwise the earliest.
    shared_ranks: whether equal primary scores share a rank and the next score has the next rank; otherwise entries
        are numbered.
    missing_first: whether an entry without the primary score comes first where higher is better.
    ties: how equal primary scores are ranked, in words that follow "Equal scores: ".
    """

    all_columns: bool
    latest_of_equals: bool
    shared_ranks: bool
    missing_first: bool
    ties: str


@dataclass(frozen=True)
class Platform:
    """Facts about one platform.

    Attributes
    ----------
    board: how its leaderboard is ordered.
    no_score: the text that its leaderboard shows for a missing score.
    scoring_folder: the folder of a kept rehearsal in which scoring ran; its `output` has the scores.
    can_hold: whether submissions can wait until an organiser runs them.
    upload: where participants upload a submission.
    """

    board: BoardRules
    no_score: str
    scoring_folder: str
    can_hold: bool
    upload: str


CODABENCH = Platform(
    board=BoardRules(
        all_columns=True,
        latest_of_equals=False,
        shared_ranks=False,
        missing_first=True,  # the score is null, which the database sorts first in descending order
        ties="the other visible columns decide, in their order, and then the earlier upload",
    ),
    no_score="n/a",
    scoring_folder="scoring/app",
    can_hold=True,
    upload="*My Submissions*",
)
"""Source: leaderboards/strategies.py, `LeaderboardPhaseSerializer` (api/serializers)."""

CODALAB = Platform(
    board=BoardRules(
        all_columns=False,
        latest_of_equals=True,
        shared_ranks=True,
        missing_first=False,
        ties="the teams share the rank",
    ),
    no_score="-",
    scoring_folder="scoring/run",
    can_hold=False,
    upload="*Participate*, *Submit / View Results*",
)
"""Source: `rank_values` (web/models.py), `push_submission_to_leaderboard_if_best` (web/utils.py)."""

PLATFORMS: Mapping[str, Platform] = {"codabench": CODABENCH, "codalab": CODALAB}

# Submission rules: which of a participant's submissions is on the leaderboard. The names are Codabench's.
FORCE_BEST = "Force_Best"
FORCE_LAST = "Force_Last"
FORCE_ALL = "Force_Latest_Multiple"
PICKED = ("Add", "Add_And_Delete", "Add_And_Delete_Multiple")
"""Rules under which participants choose their submissions on the leaderboard."""

MEANINGS = {
    "Add": "The leaderboard shows the submission that you choose.",
    "Add_And_Delete": "The leaderboard shows the submission that you choose; you may withdraw it.",
    "Add_And_Delete_Multiple": "The leaderboard shows the submissions that you choose; you may withdraw them.",
    FORCE_LAST: "The leaderboard shows your **last** submission, not your best.",
    FORCE_ALL: "The leaderboard shows all your submissions, the latest first.",
    FORCE_BEST: "The leaderboard shows your **best** submission by the first column, not your last.",
}
"""What each rule means, as participants read it."""

SHOWN = {
    "Add": "the submission that each team chooses",
    "Add_And_Delete": "the submission that each team chooses",
    "Add_And_Delete_Multiple": "the submissions that each team chooses",
    FORCE_LAST: "each team's last submission",
    FORCE_ALL: "all submissions",
    FORCE_BEST: "each team's best submission",
}
"""What a leaderboard shows under each rule, as organisers read it."""
