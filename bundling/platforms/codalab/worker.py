"""What CodaLab's worker does with a results submission: it goes straight to scoring."""

from pathlib import Path

from bundling.platforms.codabench import layout as codabench
from bundling.platforms.codalab.layout import METADATA_FILES, RUN, VARIABLES
from bundling.rehearse.run import Run, command_text, new_folder, replace_variables

SCORING_FOLDER = "scoring/run"


def run_submission(run: Run, submission: Path) -> Path:
    """Returns the scoring program's output. A submission is refused that Codabench, importing the bundle, would run."""
    results = new_folder(run.root / "submission")
    run.unpack_submission(submission, results, codabench.METADATA_FILES)
    base = run.root / SCORING_FOLDER
    run.lay_out_scoring(results, base)
    return run.score(_words(base / "program"), base, RUN)


def check_output(output: Path, step: str) -> None:
    """No file name is the worker's own."""


def _words(program: Path) -> list[str] | None:
    """A program's command, split at single spaces."""
    text = command_text(program, METADATA_FILES)
    return None if text is None else [replace_variables(word, VARIABLES) for word in text.split(" ")]
