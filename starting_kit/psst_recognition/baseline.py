"""The baseline of Task A: what an example recogniser heard, at the level of the challenge's own baseline.

    python3 baseline.py development OUTPUT_DIR
    python3 baseline.py evaluation OUTPUT_DIR

Writes OUTPUT_DIR/transcripts.tsv, from data/SET_transcripts.tsv or from your own --transcripts FILE. Needs numpy.
"""

from psst_kit import baseline_arguments, read_recognised, write_transcripts

if __name__ == "__main__":
    options = baseline_arguments("Task A: write a recogniser's transcripts as a submission.")
    write_transcripts(read_recognised(options.set, options.transcripts), options.output)
