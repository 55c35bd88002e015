"""MERLIon CCS, Task 2: which language is spoken when. Primary score: DER, lower is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/labels.csv and regions.csv, INPUT_DIR/res/*.txt)

spokeneval/challenges/merlion_diarization.py describes the files, the counts and the scores;
spokeneval/metrics/diarization.py gives the formulas and their sources.
"""

import sys

from spokeneval.challenges.merlion_diarization import TASK
from spokeneval.programs.score import score_main

if __name__ == "__main__":
    sys.exit(score_main(TASK))
