"""Caller Experience: check a submission's structure before it is scored, without the listeners' ratings.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR

Every call of the public list once, each rated with an integer from 1 to 5.
"""

import sys

from spokeneval.results.programs import ingest_main
from spokeneval.submissions.caller_experience import read_items, read_submission

if __name__ == "__main__":
    sys.exit(ingest_main("caller_experience", read_items=read_items, read_submission=read_submission))
