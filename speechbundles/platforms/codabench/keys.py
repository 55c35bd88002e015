"""The keys of Codabench's competition.yaml, version 2: types, longest texts, choices and defaults."""

from speechbundles.platforms.facts import MEANINGS
from speechbundles.platforms.keys import (
    ANY,
    DATE,
    DEFAULT_IMAGE,
    FLAG,
    INTEGER,
    LIST,
    MAPPING,
    NOTE,
    PATH,
    TEXT,
    Keys,
)

VERSION = 2
SUBMISSION_RULES = tuple(MEANINGS)
QUESTION_TYPES = ("text", "checkbox", "select")

TOP: Keys = {
    "version": ANY,
    "title": dict(TEXT, required=True, maxLength=256),
    "image": dict(PATH, required=True),
    "terms": dict(PATH, required=True),
    "pages": dict(LIST, required=True),
    "tasks": dict(LIST, required=True),
    "phases": dict(LIST, required=True),
    "leaderboards": dict(LIST, required=True),
    "solutions": dict(LIST, nullable=True, minItems=0),
    "description": NOTE,
    "reward": dict(NOTE, maxLength=256),
    "contact_email": dict(NOTE, maxLength=256),
    "docker_image": dict(TEXT, maxLength=128, default=DEFAULT_IMAGE),
    "competition_type": dict(TEXT, enum=("competition", "benchmark")),
    "queue": NOTE,
    "fact_sheet": dict(MAPPING, nullable=True, minProperties=0),
    "auto_run_submissions": dict(FLAG, default=True),
    "enable_detailed_results": FLAG,
    "show_detailed_results_in_submission_panel": FLAG,
    "show_detailed_results_in_leaderboard": FLAG,
    "can_participants_make_submissions_public": FLAG,
    "make_programs_available": FLAG,
    "make_input_data_available": FLAG,
    "forum_enabled": FLAG,
    "registration_auto_approve": FLAG,
}
PAGE: Keys = {"title": dict(TEXT, required=True, maxLength=255), "file": dict(PATH, required=True)}
TASK: Keys = {
    "index": dict(INTEGER, required=True),
    "key": TEXT,
    "name": dict(TEXT, required=True, maxLength=256),
    "description": NOTE,
    "scoring_program": dict(PATH, required=True),
    "reference_data": PATH,
    "input_data": PATH,
    "ingestion_program": PATH,
    "ingestion_only_during_scoring": FLAG,
}
PHASE: Keys = {
    "index": INTEGER,
    "name": dict(TEXT, required=True, maxLength=256),
    "description": NOTE,
    "start": dict(DATE, required=True),
    "end": dict(DATE, nullable=True),
    "tasks": dict(LIST, required=True, minItems=0),
    "max_submissions_per_day": dict(INTEGER, nullable=True, default=5),
    "max_submissions": dict(INTEGER, nullable=True, default=100),
    "execution_time_limit": dict(INTEGER, nullable=True, default=600),
    "auto_migrate_to_this_phase": FLAG,
    "hide_output": FLAG,
    "hide_prediction_output": FLAG,
    "hide_score_output": FLAG,
    "public_data": PATH,
    "starting_kit": PATH,
}
LEADERBOARD: Keys = {
    "index": INTEGER,
    "title": dict(TEXT, required=True, maxLength=64),
    "key": dict(TEXT, required=True, maxLength=36),
    "primary_index": dict(INTEGER, default=0),
    "submission_rule": dict(ANY, nullable=True, default="Add"),
    "hidden": FLAG,
    "columns": dict(LIST, required=True),
}
COLUMN: Keys = {
    "title": dict(TEXT, required=True, maxLength=36),
    "key": dict(TEXT, required=True, maxLength=36),
    "index": dict(INTEGER, required=True),
    "sorting": dict(TEXT, enum=("asc", "desc"), default="desc"),
    "precision": dict(INTEGER, default=2),
    "hidden": FLAG,
    "computation": dict(TEXT, nullable=True, enum=("avg", "sum", "min", "max")),
    "computation_indexes": dict(ANY, nullable=True),
}
SOLUTION: Keys = {
    "index": dict(INTEGER, required=True),
    "tasks": dict(LIST, required=True),
    "path": dict(PATH, required=True),
    "key": TEXT,
    "name": dict(NOTE, maxLength=256),
    "description": NOTE,
}
QUESTION = ("key", "type", "title", "selection", "is_required", "is_on_leaderboard")
BELONGS_TO = {
    key: level
    for level, keys in (
        ("leaderboards[].columns[]", COLUMN),
        ("solutions[]", SOLUTION),
        ("leaderboards[]", LEADERBOARD),
        ("tasks[]", TASK),
        ("phases[]", PHASE),
        ("the top level", TOP),
    )
    for key in keys
}
"""The place of each key in the file, for messages about a misplaced key."""
