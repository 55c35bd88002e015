"""PSST Task A: check a submission's structure before it is scored, without access to the reference transcripts.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR

Every utterance of the public list must appear once, with a transcript in phones of the feature table.
"""

import sys

from spokeneval.challenges.psst_recognition import TASK
from spokeneval.programs.ingest import ingest_main

if __name__ == "__main__":
    sys.exit(ingest_main(TASK))
