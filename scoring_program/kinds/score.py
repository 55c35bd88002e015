"""Score submissions to the task that `task.json`, beside this program, declares.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref: the labels, INPUT_DIR/res: the submission)

spokeneval/kinds describes the files, the counts and the scores of each kind of task; spokeneval/metrics gives the
formulas and their sources.
"""

import sys
from pathlib import Path

from spokeneval.kinds.declared import read_task
from spokeneval.programs.score import score_main

TASK = read_task(Path(__file__).with_name("task.json"))

if __name__ == "__main__":
    sys.exit(score_main(TASK))
