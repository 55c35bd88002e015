"""Facts about EvalAI: keys of its challenge_config.yaml with types and limits (`keys.json`), and its worker."""

from functools import partial
from pathlib import Path

from speechbundles.model import dates
from speechbundles.model.keys import read_keys

FILE = "challenge_config.yaml"
"""The only name, apart from the ending yml, that the upload reads, and only at the root of the zip."""

TABLES = read_keys("evalai")

read_date = partial(dates.read_date, unquoted="date-format", only_iso="date-format")

PYTHON = "3.9"
"""The newest Python of its workers. It has numpy."""

NO_END = "2099-12-31 23:59:59"
"""The end of a phase that does not end: the key is required."""

SECONDS = 86400.0
"""Its time limit of a run. The time limits of phases are those of `evaluate`, which are shorter."""

LABELS, ITEMS, KIT = "reference_data", "input_data", "starting_kit.zip"
"""How the names of labels and of lists of items begin, and the starting kit. Organisers publish the last two elsewhere:
EvalAI does not read them."""

HOST, PUBLIC = 1, 3
"""Who sees the scores of a phase: the organisers alone, or everybody."""


# A program on the worker

METADATA_FILES = ("evaluation.json",)
"""Ours: the command for `evaluate`, its time limits and the board's columns. EvalAI itself imports the package."""

COMMAND = "python3 $program/score.py $input $output"
VARIABLES = ("$program", "$input", "$output")

FOLDER = Path(__file__).parent
PROGRAM = {
    "__init__.py": (FOLDER / "evaluation.py").read_bytes(),
    "unpack.py": (FOLDER / "unpack.py").read_bytes(),
}
"""The files that make a scoring program a package with `evaluate`."""
