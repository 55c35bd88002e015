"""PSST Task B: is the naming response correct? Primary score: F1, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/utterances.tsv, INPUT_DIR/res/correctness.tsv)

The files and what is counted are described in spokeneval/tasks/psst_correctness.py, the formulas with their
sources in spokeneval/metrics/correctness.py. Written to OUTPUT_DIR/scores.json, with `f1_low` and `f1_high`,
the ends of the primary score's 95 % interval:

  f1                 F1, higher is better
  precision          Precision, higher is better
  recall             Recall, higher is better
  accuracy           Accuracy, higher is better
  balanced_accuracy  Balanced accuracy, higher is better
  matthews           Matthews correlation, higher is better
  specificity        Specificity, higher is better
"""

import sys

from spokeneval.programs.score import score_main
from spokeneval.tasks.psst_correctness import TASK

if __name__ == "__main__":
    sys.exit(score_main(TASK))
