"""The keys of CodaLab's competition.yaml, format 1.5: types, longest texts, choices and defaults.

CodaLab passes every key to its database, so the upload fails for a key that is not a column there.
"""

from speechbundles.platforms.keys import DATE, DEFAULT_IMAGE, FLAG, INTEGER, MAPPING, NOTE, PATH, TEXT, Keys

TOP: Keys = {
    "title": dict(TEXT, required=True, maxLength=100),
    "image": dict(PATH, required=True),
    "html": dict(MAPPING, required=True),
    "phases": dict(MAPPING, required=True),
    "leaderboard": dict(MAPPING, required=True),
    "description": NOTE,
    "competition_docker_image": dict(NOTE, nullable=False, maxLength=128, default=DEFAULT_IMAGE),
    "start_date": dict(DATE, nullable=True),
    "end_date": dict(DATE, nullable=True),
    "reward": dict(INTEGER, nullable=True),
    "url_redirect": dict(NOTE, maxLength=200),
    "image_url_base": dict(NOTE, nullable=False, maxLength=255),
    "upper_bound_max_submission_size": INTEGER,
    "admin_names": NOTE,
    "has_registration": FLAG,
    "published": FLAG,
    "force_submission_to_leaderboard": FLAG,
    "disallow_leaderboard_modifying": FLAG,
    "enable_medical_image_viewer": FLAG,
    "enable_detailed_results": FLAG,
    "show_datasets_from_yaml": FLAG,
    "allow_teams": FLAG,
    "enable_per_submission_metadata": FLAG,
    "allow_public_submissions": FLAG,
    "enable_forum": FLAG,
    "anonymous_leaderboard": FLAG,
    "enable_teams": FLAG,
    "require_team_approval": FLAG,
    "hide_top_three": FLAG,
    "hide_chart": FLAG,
    "allow_organizer_teams": FLAG,
}
PAGES = ("overview", "evaluation", "terms", "data")
PHASE: Keys = {
    "phasenumber": dict(INTEGER, required=True),
    "label": dict(TEXT, required=True, maxLength=50),
    "start_date": dict(DATE, required=True),
    "scoring_program": dict(PATH, required=True),
    "reference_data": dict(PATH, required=True),
    "input_data": PATH,
    "ingestion_program": PATH,
    "starting_kit": PATH,
    "public_data": PATH,
    "description": dict(NOTE, maxLength=1000),
    "max_submissions": dict(INTEGER, default=100),
    "max_submissions_per_day": dict(INTEGER, default=999),
    "max_submission_size": INTEGER,
    "participant_max_storage_use": INTEGER,
    "execution_time_limit": dict(INTEGER, default=300),
    "color": dict(TEXT, nullable=True, enum=("white", "orange", "yellow", "green", "blue", "purple")),
    "leaderboard_management_mode": dict(TEXT, enum=("default", "hide_results")),
    "is_scoring_only": dict(FLAG, default=True),
    "datasets": MAPPING,
    "scoring_program_docker_image": dict(NOTE, nullable=False, maxLength=128),
    "ingestion_program_docker_image": dict(NOTE, nullable=False, maxLength=128),
    "default_docker_image": dict(NOTE, nullable=False, maxLength=128),
    "auto_migration": FLAG,
    "phase_never_ends": FLAG,
    "force_best_submission_to_leaderboard": FLAG,
    "delete_submissions_except_best_and_last": FLAG,
    "disable_custom_docker_image": FLAG,
}
BOARDS: Keys = {
    "leaderboards": dict(MAPPING, required=True),
    "columns": dict(MAPPING, required=True),
    "column_groups": dict(MAPPING, nullable=True),
}
LEADERBOARD: Keys = {"label": dict(TEXT, required=True, maxLength=50), "rank": dict(INTEGER, required=True)}
COLUMN: Keys = {
    "leaderboard": dict(MAPPING, required=True),
    "label": dict(TEXT, required=True, maxLength=36),
    "sort": dict(TEXT, enum=("asc", "desc"), default="desc"),
    "numeric_format": dict(INTEGER, default=2),
    "rank": dict(INTEGER, default=1),
    "hidden": FLAG,
    "selection_default": INTEGER,
    "column_group": MAPPING,
    "computed": MAPPING,
}
LONGEST_COLUMN_KEY = 36
