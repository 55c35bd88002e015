"""The keys of Codabench's competition.yaml, version 2: types, longest texts, choices, and what applies by default."""

from speechbundles.platforms.facts import MEANINGS
from speechbundles.platforms.keys import DEFAULT_IMAGE, Key, Keys

VERSION = 2
SUBMISSION_RULES = tuple(MEANINGS)
QUESTION_TYPES = ("text", "checkbox", "select")

TOP: Keys = {
    "version": Key("any"),
    "title": Key("text", required=True, longest=256),
    "image": Key("file", required=True),
    "terms": Key("file", required=True),
    "pages": Key("list", required=True),
    "tasks": Key("list", required=True),
    "phases": Key("list", required=True),
    "leaderboards": Key("list", required=True),
    "solutions": Key("list", nullable=True, blank=True),
    "description": Key("text", nullable=True, blank=True),
    "reward": Key("text", nullable=True, blank=True, longest=256),
    "contact_email": Key("text", nullable=True, blank=True, longest=256),
    "docker_image": Key("text", longest=128, default=DEFAULT_IMAGE),
    "competition_type": Key("text", choices=("competition", "benchmark")),
    "queue": Key("text", nullable=True, blank=True),
    "fact_sheet": Key("mapping", nullable=True, blank=True),
    "auto_run_submissions": Key("bool", default=True),
    **{
        flag: Key("bool")
        for flag in (
            "enable_detailed_results",
            "show_detailed_results_in_submission_panel",
            "show_detailed_results_in_leaderboard",
            "can_participants_make_submissions_public",
            "make_programs_available",
            "make_input_data_available",
            "forum_enabled",
            "registration_auto_approve",
        )
    },
}
PAGE: Keys = {"title": Key("text", required=True, longest=255), "file": Key("file", required=True)}
TASK: Keys = {
    "index": Key("int", required=True),
    "key": Key("text"),
    "name": Key("text", required=True, longest=256),
    "description": Key("text", nullable=True, blank=True),
    "scoring_program": Key("file", required=True),
    "reference_data": Key("file"),
    "input_data": Key("file"),
    "ingestion_program": Key("file"),
    "ingestion_only_during_scoring": Key("bool"),
}
PHASE: Keys = {
    "index": Key("int"),
    "name": Key("text", required=True, longest=256),
    "description": Key("text", nullable=True, blank=True),
    "start": Key("date", required=True),
    "end": Key("date", nullable=True),
    "tasks": Key("list", required=True, blank=True),
    "max_submissions_per_day": Key("int", nullable=True, default=5),
    "max_submissions": Key("int", nullable=True, default=100),
    "execution_time_limit": Key("int", nullable=True, default=600),
    "auto_migrate_to_this_phase": Key("bool"),
    "hide_output": Key("bool"),
    "hide_prediction_output": Key("bool"),
    "hide_score_output": Key("bool"),
    "public_data": Key("file"),
    "starting_kit": Key("file"),
}
LEADERBOARD: Keys = {
    "index": Key("int"),
    "title": Key("text", required=True, longest=64),
    "key": Key("text", required=True, longest=36),
    "primary_index": Key("int", default=0),
    "submission_rule": Key("any", nullable=True, default="Add"),
    "hidden": Key("bool"),
    "columns": Key("list", required=True),
}
COLUMN: Keys = {
    "title": Key("text", required=True, longest=36),
    "key": Key("text", required=True, longest=36),
    "index": Key("int", required=True),
    "sorting": Key("text", choices=("asc", "desc"), default="desc"),
    "precision": Key("int", default=2),
    "hidden": Key("bool"),
    "computation": Key("text", nullable=True, choices=("avg", "sum", "min", "max")),
    "computation_indexes": Key("any", nullable=True),
}
SOLUTION: Keys = {
    "index": Key("int", required=True),
    "tasks": Key("list", required=True),
    "path": Key("file", required=True),
    "key": Key("text"),
    "name": Key("text", nullable=True, blank=True, longest=256),
    "description": Key("text", nullable=True, blank=True),
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
"""Where in the file a key belongs, for one that stands elsewhere."""
