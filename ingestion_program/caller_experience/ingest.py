"""Caller Experience: check a submission's structure before it is scored, without access to the listeners' ratings.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR

Every call of the public list must appear once, with an integer rating from 1 to 5.
"""

import sys

from spokeneval.challenges.caller_experience import TASK
from spokeneval.programs.ingest import ingest_main

if __name__ == "__main__":
    sys.exit(ingest_main(TASK))
