"""What CodaLab's worker does with a results submission (`worker.py`): it goes straight to scoring."""

from pathlib import Path

from speechbundles.platforms.codabench import layout as codabench
from speechbundles.platforms.codalab.layout import METADATA_FILES, PAGE, RUN, VARIABLES
from speechbundles.platforms.facts import CODALAB
from speechbundles.rehearse.run import Run, RunFailed, command_text, new_folder, replace_variables


def run_submission(run: Run, submission: Path) -> Path:
    """Returns the scoring program's output. A submission is refused that Codabench, importing the bundle, would run."""
    results = new_folder(run.root / "submission")
    run.unpack_submission(submission, results, codabench.METADATA_FILES)
    base = run.root / CODALAB.scoring_folder
    run.lay_out_scoring(results, base)
    new_folder(base / "temp")
    (base / "output" / PAGE).touch(0o777)
    return run.score(_words(base / "program"), base, RUN, RUN)


def check_output(output: Path, step: str) -> None:
    """The worker reads the page that it made, whether anybody wants one or not."""
    try:
        (output / PAGE).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise RunFailed(
            f"the {step} program left no {PAGE} that can be read ({reason}); the worker makes an empty one before "
            "the program starts, and fails every run where it is gone. Leave it where no page is wanted"
        ) from None


def page_warnings(output: Path, enabled: bool) -> list[str]:
    """The worker uploads the page as it changes, but not after the program has ended; where it is empty then, every
    page of the output, those in folders last."""
    if (output / PAGE).stat().st_size:
        return [
            f"{PAGE} is lost where it is written in a run's last second, as the watcher ends with the program; leave "
            "the empty one, and write the page into a folder of the output"
        ]
    written = any(path.stat().st_size for path in output.rglob("*.html"))
    if enabled and not written:
        return ["detailed results are enabled, but there is no page in the output"]
    if written and not enabled:
        return [
            "a page was written, but enable_detailed_results is off: no link leads to it, though it is served"
        ]
    return []


def _words(program: Path) -> list[str] | None:
    """A program's command, split at single spaces."""
    text = command_text(program, METADATA_FILES)
    return None if text is None else [replace_variables(word, VARIABLES) for word in text.split(" ")]
