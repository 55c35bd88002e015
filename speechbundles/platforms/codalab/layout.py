"""What a program meets on CodaLab's worker: paths and the variables of its command."""

METADATA_FILES = ("metadata",)
"""At a program's root, it holds its command; at a submission's, it makes a program of it."""

RUN = "/tmp/codalab/run"
"""Where the folders are, or somewhere like it: programs are told by the variables. A program runs here."""

PAGE = "detailed_results.html"
"""The worker puts this page, empty, into the output before it starts a program, and reads it afterwards."""

SCORE_COMMAND = "python3 $program/score.py $input $output"

VARIABLES = {
    "$program": f"{RUN}/program",
    "$input": f"{RUN}/input",
    "$output": f"{RUN}/output",
    "$predictions": f"{RUN}/input/res",
    "$shared": f"{RUN}/shared",
    "$tmp": f"{RUN}/temp",
}
"""What the worker puts for each variable of a command."""
