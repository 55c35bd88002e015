"""MERLion CCS, Task 1: check a submission's structure before it is scored, without the gold standard.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR

Every segment of the public list once, in its order, with an English and a Mandarin score.
"""

import sys

from spokeneval.results.programs import ingest_main
from spokeneval.submissions.merlion_identification import read_items, read_submission

if __name__ == "__main__":
    sys.exit(ingest_main("merlion_identification", read_items=read_items, read_submission=read_submission))
