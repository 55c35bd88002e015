"""Facts about CodaLab.

Keys of its competition.yaml, format 1.5: types, longest texts, choices and defaults (`keys.json`). CodaLab passes every
key to its database, so the upload fails for a key that is not a column there. Paths and variables of a program on its
worker.
"""

from speechbundles.model.keys import read_keys

# competition.yaml

TABLES = read_keys("codalab")
TOP, PHASE, COLUMN = (TABLES[name] for name in ("TOP", "PHASE", "COLUMN"))
LONGEST_COLUMN_KEY = TABLES["COLUMNS"]["*"]["longest_key"]


# A program on the worker

METADATA_FILES = ("metadata",)
"""At a program's root, this file contains its command. At a submission's root it turns results into a program."""

RUN = "/tmp/codalab/run"
"""A folder like the worker's, whose real path a program gets only from the variables. A program runs here."""

PAGE = "detailed_results.html"
"""A page that the worker creates empty in the output before it starts a program, and reads afterwards."""

SCORE_COMMAND = "python3 $program/score.py $input $output"

VARIABLES = {
    "$program": f"{RUN}/program",
    "$input": f"{RUN}/input",
    "$output": f"{RUN}/output",
    "$predictions": f"{RUN}/input/res",
    "$shared": f"{RUN}/shared",
    "$tmp": f"{RUN}/temp",
}
"""The path that the worker substitutes for each variable of a command."""

HIDDEN = "hidden_ref"
"""The folder with the reference data, which the ingestion program sees."""

INGESTION_VARIABLES = {
    **VARIABLES,
    "$program": f"{RUN}/ingestion_program",
    "$ingestion_program": f"{RUN}/ingestion_program",
    "$submission_program": f"{RUN}/program",
    "$hidden": f"{RUN}/{HIDDEN}",
}
"""The same for the ingestion program. Source: `run` in worker.py of competitions-v1-compute-worker (0453401)."""
