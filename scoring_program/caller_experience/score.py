"""Caller Experience: rate calls as listeners do. Primary score: Mean κ, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/reference.csv, INPUT_DIR/res/ratings.csv)

spokeneval/challenges/caller_experience.py describes the files and the scores, spokeneval/kinds/ratings.py the counts;
spokeneval/metrics/agreement.py, spokeneval/metrics/rater_pairs.py and spokeneval/metrics/alternative_annotator.py give
the formulas and their sources.
"""

import sys

from spokeneval.challenges.caller_experience import TASK
from spokeneval.programs.score import score_main

if __name__ == "__main__":
    sys.exit(score_main(TASK))
