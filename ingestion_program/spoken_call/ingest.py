"""Spoken CALL: check a submission's structure before it is scored, without access to the labels.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR

Every response of the public sheet must appear once, accepted or rejected. If the class sizes are public, the number of
accepts must make it possible to meet the 50 % rule.
"""

import sys

from spokeneval.challenges.spoken_call import TASK
from spokeneval.programs.ingest import ingest_main

if __name__ == "__main__":
    sys.exit(ingest_main(TASK))
