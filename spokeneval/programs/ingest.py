"""The ingestion program."""

from __future__ import annotations

from typing import Optional

from ..formats.format import Items
from ..formats.problems import SubmissionError
from ..formats.submission_folder import REPORT_FILE, read_files
from ..scoring.output import say, write_file
from ..scoring.reference import read_items
from ..task import Task
from .code import code_accepted, list_code
from .program import accepted_report, directories, own_options, remove, run


def ingest_main(default: Task, *, items: Optional[Items] = None) -> int:
    """Check `SUBMISSION_DIR` against the public items in `INPUT_DATA_DIR`; return the exit status.

    Writes `ingestion_report.txt` to `OUTPUT_DIR`, replacing any file of that name that a submission may have planted.

    Parameters
    ----------
    items: the public items, if they have been read before.
    """

    def program() -> None:
        inputs, submitted, output = directories("INPUT_DATA_DIR", "SUBMISSION_DIR", "OUTPUT_DIR")
        options = own_options()
        task = options.vary(default)
        output.mkdir(parents=True, exist_ok=True)
        report = output / REPORT_FILE
        remove(report)
        try:
            if options.code:
                list_code(submitted, options.code)
                accepted, doubts = code_accepted(task.name), []
            else:
                known = items or read_items(task, inputs)
                _, submission = read_files(
                    submitted,
                    lambda files: task.format.read_submission(files, known),
                    others=options.other_files,
                )
                accepted, doubts = accepted_report(task.name, len(known)), task.doubts(submission, known)
        except SubmissionError as refusal:
            write_file(report, f"{task.name}: refused.\n\n{refusal}\n")
            raise
        write_file(report, accepted)
        say("\n".join([accepted.rstrip("\n"), *(f"Warning: {line}" for line in doubts)]))

    return run(program)
