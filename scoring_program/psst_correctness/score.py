"""PSST Task B: is the response correct? Primary score: F1, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/utterances.tsv, INPUT_DIR/res/correctness.tsv)

spokeneval/challenges/psst_correctness.py describes the files, the counts and the scores;
spokeneval/metrics/classification.py gives the formulas and their sources.
"""

import sys

from spokeneval.challenges.psst_correctness import TASK
from spokeneval.programs.score import score_main

if __name__ == "__main__":
    sys.exit(score_main(TASK))
