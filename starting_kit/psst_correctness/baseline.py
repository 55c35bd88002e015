"""The challenge's baseline of Task B: correct if the transcript contains an accepted pronunciation of the prompt.

    python3 baseline.py development OUTPUT_DIR
    python3 baseline.py evaluation OUTPUT_DIR

Reads data/accepted_pronunciations.json and the transcripts in data/SET_transcripts.tsv, or your own recogniser's with
--transcripts FILE. Writes OUTPUT_DIR/correctness.tsv. Needs numpy.
"""

import sys

from psst_kit import baseline_arguments, read_recognised, write_correctness

if __name__ == "__main__":
    try:
        options = baseline_arguments("Task B: correct if an accepted pronunciation is in the transcript.")
        write_correctness(read_recognised(options.set, options.transcripts), options.output)
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
