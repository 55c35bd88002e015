"""PSST Task B: is the naming response correct? Primary score: F1, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/utterances.tsv, INPUT_DIR/res/correctness.tsv)

The files, what is counted and every score are described in spokeneval/tasks/psst_correctness.py, the
formulas with their sources in spokeneval/metrics/correctness.py.
"""

import sys

from spokeneval.programs.score import score_main
from spokeneval.tasks.psst_correctness import TASK

if __name__ == "__main__":
    sys.exit(score_main(TASK))
