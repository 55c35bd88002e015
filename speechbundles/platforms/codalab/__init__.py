"""CodaLab Competitions 1.5, whose bundles Codabench imports as well."""

from speechbundles.model.platform import BoardRules, Platform
from speechbundles.platforms.codalab.facts import METADATA_FILES

PLATFORM = Platform(
    name="codalab",
    title="CodaLab",
    board=BoardRules(
        latest_of_equals=True,
        shared_ranks=True,
        ties="the teams share the rank",
    ),
    no_score="-",
    scoring_folder="scoring/run",
    upload="*Participate*, *Submit / View Results*",
    metadata_files=METADATA_FILES,
)
"""Source: `rank_values` (web/models.py), `push_submission_to_leaderboard_if_best` (web/utils.py)."""
