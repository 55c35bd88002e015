"""Spoken CALL: accept or reject each learner's response. Primary score: Dfull, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/reference.csv, INPUT_DIR/res/results.csv)

The files and what is counted are described in spokeneval/tasks/spoken_call.py, the formulas with their
sources in spokeneval/metrics/accept_reject.py. Written to OUTPUT_DIR/scores.json, with `d_full_low` and
`d_full_high`, the ends of the primary score's 95 % interval:

  d_full                 Dfull, higher is better
  d                      D, higher is better
  d_a                    D_A, higher is better
  precision              Precision, higher is better
  recall                 Recall, higher is better
  f_measure              F, higher is better
  scoring_accuracy       Scoring accuracy, higher is better
  rcr                    RCR, higher is better
  rfr                    RFR, lower is better
  rca                    RCA, higher is better
  rfa                    RFA, lower is better
  reject_rate_incorrect  Incorrect rejected, higher is better
  accept_rate_correct    Correct accepted, higher is better
  eligible               Eligible, higher is better
  d_full_raw             Dfull without the rule, higher is better
  ca                     CA, higher is better
  cr                     CR, higher is better
  fr                     FR, lower is better
  pfa                    PFA, lower is better
  gfa                    GFA, lower is better
  matthews               Matthews correlation, higher is better
  frr                    False rejection rate, lower is better
  far                    False acceptance rate, lower is better
"""

import sys

from spokeneval.programs.score import score_main
from spokeneval.tasks.spoken_call import TASK

if __name__ == "__main__":
    sys.exit(score_main(TASK))
