"""PSST Task A: check a submission's structure before it is scored, without the reference transcripts.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR

Every utterance of the public list once, its transcript in phones of the feature table.
"""

import sys

from spokeneval.results.programs import ingest_main
from spokeneval.submissions.psst_recognition import read_items, read_submission

if __name__ == "__main__":
    sys.exit(ingest_main("psst_recognition", read_items=read_items, read_submission=read_submission))
