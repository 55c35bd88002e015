"""CodaLab Competitions 1.5, whose bundles Codabench imports as well."""

from speechbundles.model.platform import BoardRules, Platform
from speechbundles.platforms.codalab.keys import COLUMN, LONGEST_COLUMN_KEY, PHASE, TOP
from speechbundles.platforms.codalab.layout import METADATA_FILES

PLATFORM = Platform(
    name="codalab",
    title="CodaLab",
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
    metadata_files=METADATA_FILES,
    has_client=False,
    longest={
        ("column", "key"): LONGEST_COLUMN_KEY,
        ("column", "title"): COLUMN["label"]["maxLength"],
        ("settings", "docker_image"): TOP["competition_docker_image"]["maxLength"],
        ("bundle", "title"): TOP["title"]["maxLength"],
        ("phase", "name"): PHASE["label"]["maxLength"],
        ("phase", "description"): PHASE["description"]["maxLength"],
    },
)
"""Source: `rank_values` (web/models.py), `push_submission_to_leaderboard_if_best` (web/utils.py)."""
