"""Content accuracy: check a submission's structure before it is scored, without the human scores.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR

Every response of the public list once, each with a finite number.
"""

import sys

from spokeneval.results.programs import ingest_main
from spokeneval.submissions.content_accuracy import read_items, read_submission

if __name__ == "__main__":
    sys.exit(ingest_main("content_accuracy", read_items=read_items, read_submission=read_submission))
