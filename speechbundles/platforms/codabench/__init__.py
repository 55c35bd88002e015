"""Codabench: bundles of version 2."""

from speechbundles.model.platform import BoardRules, Platform
from speechbundles.platforms.codabench.keys import COLUMN, PAGE, PHASE, TOP
from speechbundles.platforms.codabench.layout import DROPPED_CAPABILITIES, METADATA_FILES

PLATFORM = Platform(
    name="codabench",
    title="Codabench",
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
    metadata_files=METADATA_FILES,
    has_client=True,
    longest={
        ("column", "key"): COLUMN["key"]["maxLength"],
        ("column", "title"): COLUMN["title"]["maxLength"],
        ("settings", "reward"): TOP["reward"]["maxLength"],
        ("settings", "docker_image"): TOP["docker_image"]["maxLength"],
        ("bundle", "title"): TOP["title"]["maxLength"],
        ("page", "title"): PAGE["title"]["maxLength"],
        ("phase", "name"): PHASE["name"]["maxLength"],
    },
    dropped_capabilities=DROPPED_CAPABILITIES,
)
"""Source: leaderboards/strategies.py, `LeaderboardPhaseSerializer` (api/serializers)."""
