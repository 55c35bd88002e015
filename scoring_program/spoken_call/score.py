"""Spoken CALL: accept or reject each response. Primary score: Dfull, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/reference.csv, INPUT_DIR/res/results.csv)

spokeneval/tasks/spoken_call.py describes the files, the counts and the scores; spokeneval/metrics/accept_reject.py
gives the formulas and their sources.
"""

import sys

from spokeneval.programs.score import score_main
from spokeneval.tasks.spoken_call import TASK

if __name__ == "__main__":
    sys.exit(score_main(TASK))
