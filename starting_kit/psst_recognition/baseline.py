"""The baseline of Task A: an example recogniser's transcripts.

    python3 baseline.py development OUTPUT_DIR
    python3 baseline.py evaluation OUTPUT_DIR

Reads data/SET_transcripts.tsv, or your own recogniser's transcripts with --transcripts FILE. Writes
OUTPUT_DIR/transcripts.tsv. Needs numpy.
"""

import sys

from psst_kit import baseline_arguments, read_recognised, write_transcripts

if __name__ == "__main__":
    try:
        options = baseline_arguments("Task A: write a recogniser's transcripts as a submission.")
        write_transcripts(read_recognised(options.set, options.transcripts), options.output)
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
