"""Caller Experience: rate calls as expert listeners do. Primary score: Mean κ, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/reference.csv, INPUT_DIR/res/ratings.csv)

The files, what is counted and every score are described in spokeneval/tasks/caller_experience.py, the
formulas with their sources in spokeneval/metrics/agreement.py and
spokeneval/metrics/alternative_annotator.py.
"""

import sys

from spokeneval.programs.score import score_main
from spokeneval.tasks.caller_experience import TASK

if __name__ == "__main__":
    sys.exit(score_main(TASK))
