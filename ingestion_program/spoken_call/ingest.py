"""Spoken CALL: check a submission's structure before it is scored, without the gold standard.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR

Every response of the public sheet once, each accepted or rejected, and a number of accepts with which the
50 % rule can be met, where the class sizes are public.
"""

import sys

from spokeneval.results.programs import ingest_main
from spokeneval.submissions.spoken_call import read_items, read_submission

if __name__ == "__main__":
    sys.exit(ingest_main("spoken_call", read_items=read_items, read_submission=read_submission))
