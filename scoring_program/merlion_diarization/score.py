"""MERLion CCS, Task 2: which language is spoken when. Primary score: DER, lower is better.

    python3 score.py INPUT_DIR OUTPUT_DIR      (INPUT_DIR/ref/labels.csv and regions.csv, INPUT_DIR/res/*.txt)

The files and what is counted are described in spokeneval/tasks/merlion_diarization.py, the formulas with
their sources in spokeneval/metrics/language_diarization.py. Written to OUTPUT_DIR/scores.json, with `der_low`
and `der_high`, the ends of the primary score's 95 % interval:

  der                    DER (%), lower is better
  english_error          English error (%), lower is better
  mandarin_error         Mandarin error (%), lower is better
  miss                   Miss (%), lower is better
  false_alarm            False alarm (%), lower is better
  language_error         Language error (%), lower is better
  lder_script            LDER of the script (%), lower is better
  english_error_script   English error of the script (%), lower is better
  mandarin_error_script  Mandarin error of the script (%), lower is better
  jer                    JER (%), lower is better
"""

import sys

from spokeneval.programs.score import score_main
from spokeneval.tasks.merlion_diarization import TASK

if __name__ == "__main__":
    sys.exit(score_main(TASK))
