"""Spoken CALL: check a submission's structure before it is scored, without the gold standard.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR

Every response of the public sheet once, each accepted or rejected, and a number of accepts with which the
50 % rule can be met, where the class sizes are public.
"""

import sys

from spokeneval.programs.ingest import ingest_main
from spokeneval.tasks.spoken_call import TASK

if __name__ == "__main__":
    sys.exit(ingest_main(TASK))
