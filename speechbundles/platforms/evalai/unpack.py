"""Unpacks a submission: unpack.py SUBMISSION FOLDER. It travels beside the scoring program."""

import sys

from spokeneval.formats.submission_zip import unpack
from spokeneval.programs.program import directories, run

if __name__ == "__main__":
    submission, folder = directories("SUBMISSION", "FOLDER")
    sys.exit(run(lambda: unpack(submission, folder)))
