"""PSST Task A: transcribe what was said, phone by phone. Primary score: FER, lower is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/utterances.tsv, INPUT_DIR/res/transcripts.tsv)

spokeneval/challenges/psst_recognition.py describes the files, the counts and the scores;
spokeneval/metrics/phoneme_recognition.py and spokeneval/metrics/transcript_errors.py give the formulas and their
sources.
"""

import sys

from spokeneval.challenges.psst_recognition import TASK
from spokeneval.programs.score import score_main

if __name__ == "__main__":
    sys.exit(score_main(TASK))
