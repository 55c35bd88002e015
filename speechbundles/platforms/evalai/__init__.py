"""EvalAI, as far as participants upload results: its worker imports a package and calls `evaluate`."""

from speechbundles.model.platform import BoardRules, Platform
from speechbundles.platforms.evalai.facts import FILE, METADATA_FILES, PROGRAM

PLATFORM = Platform(
    name="evalai",
    title="EvalAI",
    board=BoardRules(
        latest_of_equals=True,
        ties="the later submission has the better rank",
    ),
    no_score="#",
    scoring_folder="scoring/evalai",
    upload="*Submit*",
    metadata_files=METADATA_FILES,
    file=FILE,
    kit="from the address that the organisers announce",
    program=PROGRAM,
)
"""Source: `calculate_distinct_sorted_leaderboard_data` (apps/jobs/utils.py)."""
