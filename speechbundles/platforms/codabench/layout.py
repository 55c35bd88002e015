"""What a program meets in a container of Codabench's compute worker (`compute_worker.py`): paths, variables, rights."""

METADATA_FILES = ("metadata.yaml", "metadata")
"""At a program's root, the first that is there holds its command; at a submission's, it makes a program of it."""

APP = "/app"
"""Where the folders are mounted. A program runs in `/app/program`."""

SCORE_COMMAND = f"python3 {APP}/program/score.py {APP}/input {APP}/output"
INGEST_COMMAND = f"python3 {APP}/program/ingest.py {APP}/input_data {APP}/ingested_program {APP}/output"
"""Commands with literal paths behave in every mode of the worker; some of the variables do not."""

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
VARIABLES = {
    "scoring_program": _IN_SCORING,
    "ingestion_program": {**_IN_SCORING, "$input": f"{APP}/input_data", "$predictions": f"{APP}/output"},
}
"""What the worker puts for each variable of a command, by the step. `$input` is not the same in both."""

FOLDERS = {
    "scoring_program": ("program", "input", "output", "shared", "input_data", "data"),
    "ingestion_program": ("program", "ingested_program", "output", "input_data", "data"),
}
"""Folders in `/app`, by the step."""

DROPPED_CAPABILITIES = (
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "NET_RAW",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
)
"""Of a container (`_run_program_directory`)."""

PAGE = "detailed_results.html"
"""In the output of scoring: shown beside the scores."""

REPORT = "metadata"
"""The file that the worker writes into a program's output; a program that writes one fails the run."""
