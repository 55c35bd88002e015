"""Check a submission to the task that `task.json` declares, before it is scored, without access to the labels.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR

Every item of the public list must be answered exactly once.
"""

import sys
from pathlib import Path

from spokeneval.kinds.declared import read_task
from spokeneval.programs.ingest import ingest_main

TASK = read_task(Path(__file__).with_name("task.json"))

if __name__ == "__main__":
    sys.exit(ingest_main(TASK))
