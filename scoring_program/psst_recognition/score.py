"""PSST Task A: transcribe what people with aphasia said, phone by phone. Primary score: FER, lower is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/utterances.tsv, INPUT_DIR/res/transcripts.tsv)

The files and what is counted are described in spokeneval/tasks/psst_recognition.py, the formulas with their
sources in spokeneval/metrics/phoneme_recognition.py. Written to OUTPUT_DIR/scores.json, with `fer_low` and
`fer_high`, the ends of the primary score's 95 % interval:

  fer            FER (%), lower is better
  per            PER (%), lower is better
  substitutions  Substitutions, lower is better
  insertions     Insertions, lower is better
  deletions      Deletions, lower is better
"""

import sys

from spokeneval.programs.score import score_main
from spokeneval.tasks.psst_recognition import TASK

if __name__ == "__main__":
    sys.exit(score_main(TASK))
