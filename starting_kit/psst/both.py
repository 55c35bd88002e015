"""Make the submissions for both tasks from one file of your recogniser's transcripts.

    python3 both.py development my_transcripts.tsv OUTPUT_DIR      checks and scores them
    python3 both.py evaluation my_transcripts.tsv OUTPUT_DIR       checks them

my_transcripts.tsv is tab-separated, with a header and the columns utterance_id and asr_transcript. The predictions for
Task B are those of its baseline. Writes psst_recognition.zip and psst_correctness.zip to OUTPUT_DIR, each for the
competition of its task. Runs the server's own programs, in psst_recognition/ and psst_correctness/. Needs numpy.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from psst_kit import HERE, Recognised, read_recognised, write_correctness, write_transcripts
from try_submission import guarded, pack, run, show, whereto

from spokeneval.scoring.output import say


def main() -> int:
    parser = argparse.ArgumentParser(description="Make both tasks' submissions from one file of transcripts.")
    parser.add_argument("set", help="development (checked and scored) or evaluation (checked)")
    parser.add_argument(
        "transcripts", type=Path, help="a tab-separated file with utterance_id and asr_transcript"
    )
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR", help="folder for the two zips")
    options = parser.parse_args()
    recognised = read_recognised(options.set, options.transcripts)
    os.environ["PYTHONPATH"] = str(HERE)  # the programs in the tasks' folders import spokeneval from here
    for task, write in (("psst_recognition", write_transcripts), ("psst_correctness", write_correctness)):
        if not try_task(task, write, recognised, HERE / options.set, options.output / f"{task}.zip"):
            return 1
    return 0


def try_task(
    task: str, write: Callable[[Recognised, Path], None], recognised: Recognised, data: Path, zip_path: Path
) -> bool:
    """Check one task's submission, score it if the kit has the labels, and zip it; return whether it was accepted."""
    with tempfile.TemporaryDirectory() as folder:
        submitted, output = Path(folder, "input", "res"), Path(folder, "output")
        write(recognised, submitted)
        if not run(f"{task}/ingest.py", data / "input", submitted, output):
            return False
        if (data / "reference").is_dir():
            shutil.copytree(str(data / "reference"), str(submitted.parent / "ref"))
            if not run(f"{task}/score.py", submitted.parent, output):
                return False
            show(f"{task}/score.py", data / "reference", output)
        else:
            say(f"The labels of the {data.name} set are hidden: the submission was checked but not scored.")
        pack(submitted, zip_path)
    say(whereto(zip_path, data.name))
    return True


if __name__ == "__main__":
    sys.exit(guarded(main))
