"""Content accuracy: predict the score of a spoken response. Primary score: Pearson r, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/reference.csv, INPUT_DIR/res/predictions.csv)

The files and what is counted are described in spokeneval/tasks/content_accuracy.py, the formulas with their
sources in spokeneval/metrics/agreement.py, spokeneval/metrics/correlation.py and
spokeneval/metrics/prediction_error.py. Written to OUTPUT_DIR/scores.json, with `pearson_r_low` and
`pearson_r_high`, the ends of the primary score's 95 % interval:

  pearson_r        Pearson r, higher is better
  quadratic_kappa  Quadratic κ, higher is better
  partial_r        Partial r, higher is better
  exact            Exact (%), higher is better
  adjacent         Adjacent (%), higher is better
  rmse             RMSE, lower is better
  spearman_r       Spearman r, higher is better
  smd              Mean shift, lower is better
  within_half      Within 0.5 (%), higher is better
  within_one       Within 1.0 (%), higher is better
"""

import sys

from spokeneval.programs.score import score_main
from spokeneval.tasks.content_accuracy import TASK

if __name__ == "__main__":
    sys.exit(score_main(TASK))
