"""Paths, variables and rights of a program in a container of Codabench's compute worker (`compute_worker.py`)."""

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

FOLDERS = {
    "scoring_program": ("program", "input", "output", "shared", "input_data", "data"),
    "ingestion_program": ("program", "ingested_program", "output", "input_data", "data"),
    "ingestion_beside_scoring": (
        "program",
        "ingested_program",
        "output",
        "input_data",
        "data",
        "shared",
        "input",
    ),
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
