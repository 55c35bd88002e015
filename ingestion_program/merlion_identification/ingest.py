"""MERLIon CCS, Task 1: check a submission's structure before it is scored, without access to the labels.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR

Every segment of the public list must appear once, in its order, with an English and a Mandarin score.
"""

import sys

from spokeneval.challenges.merlion_identification import TASK
from spokeneval.programs.ingest import ingest_main

if __name__ == "__main__":
    sys.exit(ingest_main(TASK))
