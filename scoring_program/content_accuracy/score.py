"""Content accuracy: predict the score of a spoken response. Primary score: Pearson r, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/reference.csv, INPUT_DIR/res/predictions.csv)

spokeneval/challenges/content_accuracy.py describes the files, the counts and the scores;
spokeneval/metrics/correlation.py and spokeneval/metrics/prediction_error.py give the formulas and their sources.
"""

import sys

from spokeneval.challenges.content_accuracy import TASK
from spokeneval.programs.score import score_main

if __name__ == "__main__":
    sys.exit(score_main(TASK))
