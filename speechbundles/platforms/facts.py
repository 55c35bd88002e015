"""What the platforms differ in: boards, the folder of a run's scores, what they can do; and rules of submission."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class BoardRules:
    """How a platform orders its board.

    Attributes
    ----------
    all_columns: equal primary scores are told apart by the other columns in order, then by the earlier submission.
    latest_of_equals: of a team's runs with equal scores, the latest is its best; otherwise the earliest.
    shared_ranks: equal primary scores have one rank, and the next score the next one; otherwise lines are numbered.
    missing_first: an entry without the primary score comes first where higher is better.
    ties: what becomes of equal primary scores, in words.
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
    board: how its board is ordered.
    no_score: what the board shows for a missing score.
    scoring_folder: where scoring runs in a kept rehearsal; its `output` has the scores.
    can_hold: whether submissions can wait until an organiser runs them.
    """

    board: BoardRules
    no_score: str
    scoring_folder: str
    can_hold: bool


CODABENCH = Platform(
    board=BoardRules(
        all_columns=True,
        latest_of_equals=False,
        shared_ranks=False,
        missing_first=True,  # null, which the database sorts first in descending order
        ties="told apart by the other visible columns in their order, then by the earlier upload",
    ),
    no_score="n/a",
    scoring_folder="scoring/app",
    can_hold=True,
)
"""leaderboards/strategies.py, `LeaderboardPhaseSerializer` (api/serializers)."""

CODALAB = Platform(
    board=BoardRules(
        all_columns=False,
        latest_of_equals=True,
        shared_ranks=True,
        missing_first=False,
        ties="they share the rank",
    ),
    no_score="-",
    scoring_folder="scoring/run",
    can_hold=False,
)
"""`rank_values` (web/models.py), `push_submission_to_leaderboard_if_best` (web/utils.py)."""

PLATFORMS: Mapping[str, Platform] = {"codabench": CODABENCH, "codalab": CODALAB}

# Which of a participant's submissions is on the board; named as on Codabench, in competition.yaml too.
FORCE_BEST = "Force_Best"
FORCE_LAST = "Force_Last"
FORCE_ALL = "Force_Latest_Multiple"
PICKED = ("Add", "Add_And_Delete", "Add_And_Delete_Multiple")
"""Participants choose what is on the board."""

MEANINGS = {
    "Add": "The submission that you choose is on the board.",
    "Add_And_Delete": "The submission that you choose is on the board; you may take it back.",
    "Add_And_Delete_Multiple": "The submissions that you choose are on the board; you may take them back.",
    FORCE_LAST: "Your **last** submission is on the board, not your best.",
    FORCE_ALL: "All your submissions are on the board, the latest first.",
    FORCE_BEST: "Your **best** submission by the first column is on the board, not your last.",
}
"""What each rule means, for participants."""
