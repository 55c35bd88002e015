"""PSST Task B: check a submission's structure before it is scored, without access to the labels.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR

Every utterance of the public list must appear once, with the prediction true or false.
"""

import sys

from spokeneval.challenges.psst_correctness import TASK
from spokeneval.programs.ingest import ingest_main

if __name__ == "__main__":
    sys.exit(ingest_main(TASK))
