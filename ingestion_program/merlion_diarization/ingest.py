"""MERLIon CCS, Task 2: check a submission's structure before it is scored, without access to the labels.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR

Every recording of the public list must have a file of turns, each turn with a start, a later end and a language.
"""

import sys

from spokeneval.challenges.merlion_diarization import TASK
from spokeneval.programs.ingest import ingest_main

if __name__ == "__main__":
    sys.exit(ingest_main(TASK))
