"""Content accuracy: predict the score of a spoken response. Primary score: Pearson r, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/reference.csv, INPUT_DIR/res/predictions.csv)

The files, what is counted and every score are described in spokeneval/tasks/content_accuracy.py, the
formulas with their sources in spokeneval/metrics/agreement.py, spokeneval/metrics/correlation.py and
spokeneval/metrics/prediction_error.py.
"""

import sys

from spokeneval.programs.score import score_main
from spokeneval.tasks.content_accuracy import TASK

if __name__ == "__main__":
    sys.exit(score_main(TASK))
