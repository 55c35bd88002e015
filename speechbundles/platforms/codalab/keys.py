"""The keys of CodaLab's competition.yaml, format 1.5: types, longest texts, choices, and what applies by default.

CodaLab passes every key on to its database: a key that is no column there fails the upload.
"""

from speechbundles.platforms.keys import DEFAULT_IMAGE, Key, Keys

_FLAGS_OF_COMPETITION = (
    "has_registration",
    "published",
    "force_submission_to_leaderboard",
    "disallow_leaderboard_modifying",
    "enable_medical_image_viewer",
    "enable_detailed_results",
    "show_datasets_from_yaml",
    "allow_teams",
    "enable_per_submission_metadata",
    "allow_public_submissions",
    "enable_forum",
    "anonymous_leaderboard",
    "enable_teams",
    "require_team_approval",
    "hide_top_three",
    "hide_chart",
    "allow_organizer_teams",
)

TOP: Keys = {
    "title": Key("text", required=True, longest=100),
    "image": Key("file", required=True),
    "html": Key("mapping", required=True),
    "phases": Key("mapping", required=True),
    "leaderboard": Key("mapping", required=True),
    "description": Key("text", nullable=True, blank=True),
    "competition_docker_image": Key("text", blank=True, longest=128, default=DEFAULT_IMAGE),
    "start_date": Key("date", nullable=True),
    "end_date": Key("date", nullable=True),
    "reward": Key("int", nullable=True),
    "url_redirect": Key("text", nullable=True, blank=True, longest=200),
    "image_url_base": Key("text", blank=True, longest=255),
    "upper_bound_max_submission_size": Key("int"),
    "admin_names": Key("text", nullable=True, blank=True),
    **{flag: Key("bool") for flag in _FLAGS_OF_COMPETITION},
}
PAGES = ("overview", "evaluation", "terms", "data")
PHASE: Keys = {
    "phasenumber": Key("int", required=True),
    "label": Key("text", required=True, longest=50),
    "start_date": Key("date", required=True),
    "scoring_program": Key("file", required=True),
    "reference_data": Key("file", required=True),
    "input_data": Key("file"),
    "ingestion_program": Key("file"),
    "starting_kit": Key("file"),
    "public_data": Key("file"),
    "description": Key("text", nullable=True, blank=True, longest=1000),
    "max_submissions": Key("int", default=100),
    "max_submissions_per_day": Key("int", default=999),
    "max_submission_size": Key("int"),
    "participant_max_storage_use": Key("int"),
    "execution_time_limit": Key("int", default=300),
    "color": Key("text", nullable=True, choices=("white", "orange", "yellow", "green", "blue", "purple")),
    "leaderboard_management_mode": Key("text", choices=("default", "hide_results")),
    "is_scoring_only": Key("bool", default=True),
    "datasets": Key("mapping"),
    **{
        image: Key("text", blank=True, longest=128)
        for image in (
            "scoring_program_docker_image",
            "ingestion_program_docker_image",
            "default_docker_image",
        )
    },
    **{
        flag: Key("bool")
        for flag in (
            "auto_migration",
            "phase_never_ends",
            "force_best_submission_to_leaderboard",
            "delete_submissions_except_best_and_last",
            "disable_custom_docker_image",
        )
    },
}
BOARDS: Keys = {
    "leaderboards": Key("mapping", required=True),
    "columns": Key("mapping", required=True),
    "column_groups": Key("mapping", nullable=True),
}
LEADERBOARD: Keys = {"label": Key("text", required=True, longest=50), "rank": Key("int", required=True)}
COLUMN: Keys = {
    "leaderboard": Key("mapping", required=True),
    "label": Key("text", required=True, longest=36),
    "sort": Key("text", choices=("asc", "desc"), default="desc"),
    "numeric_format": Key("int", default=2),
    "rank": Key("int", default=1),
    "hidden": Key("bool"),
    "selection_default": Key("int"),
    "column_group": Key("mapping"),
    "computed": Key("mapping"),
}
LONGEST_COLUMN_KEY = 36
