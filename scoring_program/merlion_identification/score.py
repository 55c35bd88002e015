"""MERLIon CCS, Task 1: English or Mandarin, segment by segment. Primary score: EER, lower is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/labels.csv, INPUT_DIR/res/prediction.txt)

spokeneval/challenges/merlion_identification.py describes the files, the counts and the scores;
spokeneval/metrics/identification.py, spokeneval/metrics/equal_error_rate.py and spokeneval/metrics/detection_cost.py
give the formulas and their sources.
"""

import sys

from spokeneval.challenges.merlion_identification import TASK
from spokeneval.programs.score import score_main

if __name__ == "__main__":
    sys.exit(score_main(TASK))
