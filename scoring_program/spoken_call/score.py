"""Spoken CALL: accept or reject each response. Primary score: Dfull, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/reference.csv, INPUT_DIR/res/results.csv)

spokeneval/challenges/spoken_call.py describes the files, the counts and the scores; spokeneval/metrics/accept_reject.py
gives the formulas and their sources.
"""

import sys

from spokeneval.challenges.spoken_call import TASK
from spokeneval.programs.score import score_main

if __name__ == "__main__":
    sys.exit(score_main(TASK))
