"""Caller Experience: rate calls as listeners do. Primary score: Mean κ, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/reference.csv, INPUT_DIR/res/ratings.csv)

spokeneval/tasks/caller_experience.py describes the files, the counts and the scores; spokeneval/metrics/agreement.py
and spokeneval/metrics/alternative_annotator.py give the formulas and their sources.
"""

import sys

from spokeneval.programs.score import score_main
from spokeneval.tasks.caller_experience import TASK

if __name__ == "__main__":
    sys.exit(score_main(TASK))
