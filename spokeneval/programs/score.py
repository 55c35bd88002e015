"""The scoring program."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

from ..formats.submission_folder import check_report, read_files
from ..scoring.options import EXACT, SIGNATURE_FILE, Options, Settings, describe_line
from ..scoring.output import RECEIVED, SCORE_FILES, check_scores, say, write_file, write_scores
from ..scoring.reference import HOME, Reference, read_reference, read_submission
from ..scoring.scored import STATISTICS_FILE, Scored, score_submission, write_statistics
from ..task import Number, Task
from .code import code_accepted, list_code
from .program import accepted_report, directories, own_options, remove, run, unspoken

PAGE_FILE = "detailed_results.html"

PAGE_FOLDER = "detailed_results"
"""Folder for the page if the output already contains an empty page, as CodaLab's worker creates. The worker fails a run
that removes the empty page, and loses text written to it in the last second of a run. A page in a folder is kept."""

HIDDEN_STATISTICS = "SPOKENEVAL_HIDDEN_STATISTICS"
"""Environment variable for organisers at home. With `write`, a hidden reference gives exact scores and statistics too.
Participants have no access to a platform's environment."""


def score_main(default: Task, *, reference: Optional[Reference] = None) -> int:
    """Score `INPUT_DIR/res` against `INPUT_DIR/ref` and write the results to `OUTPUT_DIR`; return the exit status.

    If the labels stay at home, or the submission is a program, it is only checked, and its one score is `received`, 1.

    Writes `scores.json`, `scores.txt` and `signature.txt`; `statistics.json` if the labels are public; and, if the
    options ask for it, `detailed_results.html`. The page is written last, so that no error in it can change a score. An
    empty page that exists already is not changed.

    Parameters
    ----------
    reference: the content of `INPUT_DIR/ref`, if it has been read before.
    """
    options = Options()

    def program() -> None:
        nonlocal options
        inputs, output = directories("INPUT_DIR", "OUTPUT_DIR")
        options = own_options()
        task = options.vary(default)
        output.mkdir(parents=True, exist_ok=True)
        page = () if _is_empty_file(output / PAGE_FILE) else (PAGE_FILE,)
        for file in (*SCORE_FILES, SIGNATURE_FILE, STATISTICS_FILE, PAGE_FOLDER, *page):
            remove(output / file)
        _score(task, options, inputs, output, reference)

    def refused(words: str, refusal: BaseException) -> None:
        if options.detailed_results:
            with _scores_are_kept("report page"):
                from ..report.results import refused_page

                _write_page(Path(sys.argv[2]), refused_page(default, words, refusal))

    return run(program, refused)


def _score(task: Task, options: Options, inputs: Path, output: Path, reference: Optional[Reference]) -> None:
    if options.code:
        list_code(inputs / "res", options.code, after_ingestion=True)
        check_report(inputs / "res", code_accepted(task.name))
        say(f"{code_accepted(task.name)}The organisers run it on their own computer.")
        write_scores(output, {RECEIVED: 1})
        return
    own = unspoken if task.code else nullcontext  # an organiser's own code may quote labels
    with own():
        known = reference or read_reference(task, inputs / "ref")
    at_home = os.environ.get(HIDDEN_STATISTICS) == "write"
    settings = (replace(options, feedback=EXACT) if at_home else options).settings(task, known)
    files, submission = read_files(
        inputs / "res",
        lambda files: read_submission(task, files, known),
        after_ingestion=True,
        others=options.other_files,
    )
    accepted = accepted_report(task.name, len(known.items))
    check_report(inputs / "res", accepted)
    if known.part == HOME:
        say(f"{accepted}The organisers compute the scores.")
        write_scores(output, {RECEIVED: 1})
        if options.detailed_results:
            with _scores_are_kept("report page"):
                from ..report.results import received_page

                _write_page(output, received_page(task, known, [*files]))
        return
    with nullcontext() if settings.labels_public else own():
        scored = score_submission(task, known.labels, submission, settings)
        exact = scored.scores  # computes the intervals, whose formulas may be an organiser's own code, too
    line = settings.feedback.shown(exact, task.primary)
    scores = line if settings.coarse else exact
    check_scores(scores)
    write_file(output / SIGNATURE_FILE, f"{settings.signature}\n")
    if settings.labels_public or at_home:
        trivial = settings.feedback.trivial
        write_statistics(output, settings.signature, scored.statistics, trivial, task.declaration)
    say(_summary(task, settings, known, line))
    if settings.labels_public:
        with _scores_are_kept("list of warnings"):
            _warn(task, settings, known, submission, scored)
    received = {RECEIVED: 1} if options.received else {}
    # This is the last of the steps that can fail: a failed run leaves no scores.
    write_scores(output, {**received, **scores})
    if options.detailed_results:
        with _scores_are_kept("report page"):
            from ..report.results import scored_page

            _write_page(output, scored_page(task, settings, scores, scored, known, submission, files))


def _warn(task: Task, settings: Settings, known: Reference, submission: Any, scored: Scored) -> None:
    """Print that a score on public labels is no better than a trivial baseline, and what may explain a weak one."""
    from ..report.verdict import slips, trivial_verdict

    verdict = trivial_verdict(task, float(scored.scores[task.primary.key]), settings)
    worse = [f"{verdict.words} {verdict.reason}"] if verdict else []
    for remark in (*worse, *slips(task, known.labels, submission, scored, settings)):
        say(f"Warning: {remark}")


def _summary(task: Task, settings: Settings, known: Reference, line: Mapping[str, Number]) -> str:
    """Return the lines to print: what was scored, the signature, and what a leaderboard in steps shows."""
    scored = f"checked, those of the {known.part} part scored" if known.part else "scored"
    said = f"{task.name}: {len(known.items)} items {scored}.\n{settings.signature}"
    if task.primary.key not in line:
        return said
    shows = "The leaderboard shows" if settings.coarse else "With hidden labels, the leaderboard would show"
    return f"{said}\n{shows} {describe_line(line, settings.feedback, task.primary)}"


@contextmanager
def _scores_are_kept(made: str) -> Iterator[None]:
    """Print one line without values if something beside the scores cannot be made."""
    try:
        yield
    except Exception as error:
        full = isinstance(error, OSError) and error.strerror
        why = f"{PAGE_FILE}: {full}" if full else type(error).__name__
        say(f"The {made} could not be made ({why}). The scores are not affected.", error=True)


def _write_page(output: Path, page: str) -> None:
    folder = output / PAGE_FOLDER if _is_empty_file(output / PAGE_FILE) else output
    folder.mkdir(exist_ok=True)
    write_file(folder / PAGE_FILE, page)


def _is_empty_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and path.stat().st_size == 0
