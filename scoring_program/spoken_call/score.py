"""Spoken CALL: accept or reject each learner's response. Primary score: Dfull, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/reference.csv, INPUT_DIR/res/results.csv)

The files, what is counted and every score are described in spokeneval/tasks/spoken_call.py, the formulas
with their sources in spokeneval/metrics/accept_reject.py.
"""

import sys

from spokeneval.programs.score import score_main
from spokeneval.tasks.spoken_call import TASK

if __name__ == "__main__":
    sys.exit(score_main(TASK))
