"""Facts about Codabench.

Keys of its competition.yaml, version 2: types, longest texts, choices and defaults (`keys.json`). Paths, variables and
rights of a program in a container of its compute worker (`compute_worker.py`). Statuses of a run on its server.
"""

from speechbundles.model.keys import read_keys
from speechbundles.model.statuses import (
    AWAITING,
    FINISHED,
    IGNORE,
    KEEP,
    REPEAT,
    SUBMITTING,
    UNDER_WAY,
    WAIT,
    Meaning,
)

# competition.yaml

VERSION = 2

TABLES = read_keys("codabench")
TOP, _, TASK, PHASE, LEADERBOARD, COLUMN, SOLUTION = TABLES.values()
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


# A program on the worker

METADATA_FILES = ("metadata.yaml", "metadata")
"""At a program's root, the first of these files contains its command. At a submission's root it makes it a program."""

APP = "/app"
"""The folder in which all folders are mounted. A program runs in `/app/program`."""

SUBMITTED = "ingested_program"
"""The folder in it with the submission: during ingestion, and in the reworked worker also during scoring."""

SCORE_COMMAND = f"python3 {APP}/program/score.py {APP}/input {APP}/output"
INGEST_COMMAND = f"python3 {APP}/program/ingest.py {APP}/input_data {APP}/ingested_program {APP}/output"
"""Commands with literal paths work in every mode of the worker; some of the variables do not."""

_IN_SCORING = {
    "$input": f"{APP}/input",
    "$output": f"{APP}/output",
    "$program": f"{APP}/program",
    "$ingestion_program": f"{APP}/program",
    "$hidden": f"{APP}/input/ref",
    "$shared": f"{APP}/shared",
    "$submission_program": f"{APP}/ingested_program",
    "$tmp": f"{APP}/output",
    "$predictions": f"{APP}/input/res",
}
_INGESTION = {"$input": f"{APP}/input_data"}
_BEFORE = {"$predictions": f"{APP}/output"}
_BESIDE = {"$program": f"{APP}/ingestion_program"}
VARIABLES = {
    "submission": {**_IN_SCORING, **_BEFORE},
    "scoring_program": _IN_SCORING,
    "ingestion_program": {**_IN_SCORING, **_INGESTION, **_BEFORE},
    "beside_scoring": {**_IN_SCORING, **_BESIDE},
    "ingestion_beside_scoring": {**_IN_SCORING, **_INGESTION, **_BESIDE},
}
"""The path that the worker substitutes for each variable of a command, by step. `$input` differs between the steps;
`$program` is a folder that does not exist if ingestion runs beside scoring (`replace_legacy_metadata_command`)."""

_IN_INGESTION = ("program", "ingested_program", "output", "input_data", "data")
FOLDERS = {
    "scoring_program": ("program", "input", "output", "shared", "input_data", "data"),
    "ingestion_program": _IN_INGESTION,
    "ingestion_beside_scoring": (*_IN_INGESTION, "shared", "input"),
}
"""The folders in `/app`, by step."""

DROPPED_CAPABILITIES = (
    *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"),
    *("NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
)
"""Linux capabilities that a container does not have (`_run_program_directory`)."""

PAGE = "detailed_results.html"
"""A file in the output of scoring that is shown beside the scores."""

REPORT = "metadata"
"""A file that the worker writes into a program's output. The run fails if the program wrote one itself."""


# Runs on the server

STATUSES = {
    SUBMITTING: Meaning(False, True, KEEP, "start each under Submissions"),
    **dict.fromkeys(("Submitted", "Preparing", "Running", "Scoring"), UNDER_WAY),
    AWAITING: Meaning(False, False, WAIT, "approve each on the compute worker within 24 hours"),
    FINISHED: Meaning(True, True, REPEAT),
    "Failed": Meaning(True, True, REPEAT),
    "Cancelled": Meaning(True, False, IGNORE),
}
