"""The two programs that a platform runs: `ingest` checks a submission, `score` scores it.

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR
    python3 score.py INPUT_DIR OUTPUT_DIR          (INPUT_DIR/ref, INPUT_DIR/res)

The exit status is 0 if the submission is accepted or scored. It is 1 if the submission is refused; standard error then
lists every problem, and no scores are written. Nothing that either program prints depends on a gold
label.
"""
