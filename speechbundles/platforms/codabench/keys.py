"""The keys of Codabench's competition.yaml, version 2: types, longest texts, choices and defaults (`keys.json`)."""

from speechbundles.model.keys import read_keys

VERSION = 2

TABLES = read_keys("codabench")
TOP, PAGE, TASK, PHASE, LEADERBOARD, COLUMN, SOLUTION = TABLES.values()
SUBMISSION_RULES = tuple(LEADERBOARD["submission_rule"]["enum"])
OLD_IMAGES = r"codalab/codalab-legacy:py3[678]?"
"""Images whose Python is older than 3.9."""
QUESTION = ("key", "type", "title", "selection", "is_required", "is_on_leaderboard")
_LEVELS = {
    "leaderboards[].columns[]": COLUMN,
    "solutions[]": SOLUTION,
    "leaderboards[]": LEADERBOARD,
    "tasks[]": TASK,
    "phases[]": PHASE,
    "the top level": TOP,
}
BELONGS_TO = {key: level for level, keys in _LEVELS.items() for key in keys}
"""The place of each key in the file, for messages about a misplaced key."""
