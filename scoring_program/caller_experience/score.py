"""Caller Experience: rate calls as expert listeners do. Primary score: Mean κ, higher is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/reference.csv, INPUT_DIR/res/ratings.csv)

The files and what is counted are described in spokeneval/tasks/caller_experience.py, the formulas with their
sources in spokeneval/metrics/agreement.py and spokeneval/metrics/alternative_annotator.py. Written to
OUTPUT_DIR/scores.json, with `kappa_mean_low` and `kappa_mean_high`, the ends of the primary score's 95 %
interval:

  kappa_mean        Mean κ, higher is better
  kappa_human1      κ listener 1, higher is better
  kappa_human2      κ listener 2, higher is better
  kappa_human3      κ listener 3, higher is better
  human_kappa_mean  Human κ, higher is better
  parity            Above the human κ, higher is better
  exact             Exact (%), higher is better
  within_one        Within one (%), higher is better
  quadratic_kappa   Quadratic κ, higher is better
  alpha             α with the system, higher is better
  human_alpha       α of the listeners, higher is better
  winning_rate      Winning rate ω, higher is better
  advantage         Advantage ρ, higher is better
"""

import sys

from spokeneval.programs.score import score_main
from spokeneval.tasks.caller_experience import TASK

if __name__ == "__main__":
    sys.exit(score_main(TASK))
