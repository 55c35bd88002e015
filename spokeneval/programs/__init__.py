"""The two programs that a platform runs: check a submission (`ingest`), score it (`score`).

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR
    python3 score.py INPUT_DIR OUTPUT_DIR          (INPUT_DIR/ref, INPUT_DIR/res)

Exit status 0: accepted, scored. 1: refused, every problem on standard error, and no scores. Nothing that
either prints depends on a gold label.
"""
