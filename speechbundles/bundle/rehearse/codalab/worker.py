"""The steps of CodaLab's worker for a results submission (`worker.py`): scoring only."""

from pathlib import Path

from speechbundles.bundle.rehearse.run import Run, RunFailed, command_text, new_folder, replace_variables
from speechbundles.platforms.codabench import layout as codabench
from speechbundles.platforms.codalab.layout import METADATA_FILES, PAGE, RUN, VARIABLES
from speechbundles.platforms.facts import CODALAB


def run_submission(run: Run, submission: Path) -> Path:
    """Run a submission; return the scoring program's output.

    A submission that Codabench would run as a program after importing the bundle is refused.
    """
    results = new_folder(run.root / "submission")
    run.unpack_submission(submission, results, codabench.METADATA_FILES)
    base = run.root / CODALAB.scoring_folder
    run.lay_out_scoring(results, base)
    new_folder(base / "temp")
    (base / "output" / PAGE).touch(0o777)
    return run.score(_words(base / "program"), base, RUN, RUN)


def check_output(output: Path, step: str) -> None:
    """Check that the page which the worker created is still there: the worker reads it even if pages are disabled."""
    try:
        (output / PAGE).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise RunFailed(
            f"the {step} program left no readable {PAGE} ({reason}). The worker creates an empty one before the "
            "program starts, and the run fails without it. Do not delete it, even if you want no page"
        ) from None


def page_warnings(output: Path, enabled: bool) -> list[str]:
    """Return warnings on pages that are not shown.

    The worker uploads the page when it changes, but not after the program has ended. If the page is empty then, the
    worker uploads all pages in the output, those in folders last.
    """
    if (output / PAGE).stat().st_size:
        return [
            f"{PAGE} is lost if it is written in the last second of a run, because the watcher ends with the program. "
            "Leave this file empty, and write the page into a folder of the output"
        ]
    written = any(path.stat().st_size for path in output.rglob("*.html"))
    if enabled and not written:
        return ["detailed results are enabled, but there is no page in the output"]
    if written and not enabled:
        return [
            "a page was written, but enable_detailed_results is off: the page is served, but no link leads to it"
        ]
    return []


def _words(program: Path) -> list[str] | None:
    """Return a program's command, split at single spaces."""
    text = command_text(program, METADATA_FILES)
    return None if text is None else [replace_variables(word, VARIABLES) for word in text.split(" ")]
