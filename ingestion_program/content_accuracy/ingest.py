"""Content accuracy: check a submission's structure before it is scored, without access to the human scores.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR

Every response of the public list must appear once, with a finite number.
"""

import sys

from spokeneval.challenges.content_accuracy import TASK
from spokeneval.programs.ingest import ingest_main

if __name__ == "__main__":
    sys.exit(ingest_main(TASK))
