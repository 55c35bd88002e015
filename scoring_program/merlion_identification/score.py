"""MERLion CCS, Task 1: English or Mandarin, segment by segment. Primary score: EER, lower is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/labels.csv, INPUT_DIR/res/prediction.txt)

The files and what is counted are described in spokeneval/tasks/merlion_identification.py, the formulas with
their sources in spokeneval/metrics/language_identification.py, spokeneval/metrics/equal_error_rate.py and
spokeneval/metrics/detection_cost.py. Written to OUTPUT_DIR/scores.json, with `eer_low` and `eer_high`, the ends
of the primary score's 95 % interval:

  eer                              EER (%), lower is better
  balanced_accuracy                Balanced accuracy (%), higher is better
  eer_plan                         EER of the plan (%), lower is better
  eer_interpolated                 EER interpolated (%), lower is better
  balanced_accuracy_per_recording  Balanced acc. per recording (%), higher is better
  english_recall                   English recall (%), higher is better
  mandarin_recall                  Mandarin recall (%), higher is better
  cllr                             Cllr, lower is better
  minimum_cllr                     Minimum Cllr, lower is better
  actual_dcf                       Actual DCF, lower is better
  minimum_dcf                      Minimum DCF, lower is better
"""

import sys

from spokeneval.programs.score import score_main
from spokeneval.tasks.merlion_identification import TASK

if __name__ == "__main__":
    sys.exit(score_main(TASK))
