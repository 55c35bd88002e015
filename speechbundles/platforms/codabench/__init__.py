"""Codabench: bundles of version 2."""

from speechbundles.model.platform import BoardRules, Platform
from speechbundles.platforms.codabench.facts import DROPPED_CAPABILITIES, METADATA_FILES

PLATFORM = Platform(
    name="codabench",
    title="Codabench",
    board=BoardRules(
        all_columns=True,
        missing_first=True,  # the score is null, which the database sorts first in descending order
        ties="the other visible columns decide, in their order, and then the earlier upload",
    ),
    no_score="n/a",
    scoring_folder="scoring/app",
    can_hold=True,
    upload="*My Submissions*",
    metadata_files=METADATA_FILES,
    has_client=True,
    dropped_capabilities=DROPPED_CAPABILITIES,
)
"""Source: leaderboards/strategies.py, `LeaderboardPhaseSerializer` (api/serializers)."""
