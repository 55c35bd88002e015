"""The ingestion program."""

from __future__ import annotations

from ..formats.problems import SubmissionError
from ..formats.submission_folder import REPORT_FILE, list_files
from ..run.output import write_file
from ..run.reference import read_items
from ..task import Task
from .program import accepted_report, directories, own_options, remove, run


def ingest_main(default: Task) -> int:
    """Check `SUBMISSION_DIR` against the public items in `INPUT_DATA_DIR`; returns the exit status.

    Leaves `ingestion_report.txt` in `OUTPUT_DIR`, in place of any file of that name that a submission planted.
    """

    def program() -> None:
        inputs, submitted, output = directories("INPUT_DATA_DIR", "SUBMISSION_DIR", "OUTPUT_DIR")
        task = own_options().vary(default)
        output.mkdir(parents=True, exist_ok=True)
        report = output / REPORT_FILE
        remove(report)
        items = read_items(task, inputs)
        try:
            task.format.read_submission(list_files(submitted), items)
        except SubmissionError as refusal:
            write_file(report, f"{task.name}: refused.\n\n{refusal}\n")
            raise
        accepted = accepted_report(task.name, len(items))
        write_file(report, accepted)
        print(accepted, end="")

    return run(program)
