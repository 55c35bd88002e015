"""Check and score a submission at home, and make a zip that is ready to upload.

    python3 try_submission.py SUBMISSION                     scores it on the development set, if the kit has one
    python3 try_submission.py --set evaluation SUBMISSION    checks it for the evaluation set
    python3 try_submission.py --all SUBMISSION               lists every problem
    python3 try_submission.py --compare EARLIER SUBMISSION   shows what changed from an earlier submission, item by item
    python3 try_submission.py --task TASK ...                in the kit of several tasks: one of them

SUBMISSION is a file, a folder or a zip. The checks are those of ingest.py and the scores those of score.py, the same
files that the server runs. Needs numpy.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import zipfile
from contextlib import redirect_stderr, redirect_stdout, suppress
from html import unescape
from pathlib import Path
from typing import Any, Callable, Optional
from unicodedata import normalize
from urllib.parse import quote

try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit("This kit needs numpy: pip install numpy")

from spokeneval.formats.problems import SubmissionError, list_every_problem
from spokeneval.formats.submission_folder import REPORT_FILE, list_files, read_files
from spokeneval.formats.submission_zip import is_packed, unpack
from spokeneval.scoring.options import OPTIONS_FILE, read_options
from spokeneval.scoring.output import INTERRUPTED, say, score_table
from spokeneval.scoring.reference import read_items, read_reference, read_submission
from spokeneval.task import ENDS

HERE = Path(__file__).resolve().parent


SOUNDS = (".wav", ".flac", ".mp3", ".ogg", ".m4a")
KIT = "SPOKENEVAL_KIT"
"""The variable with the task's folder in the kit of several tasks, while a copy of it is the kit of one."""

OF_ITEMS = {"another_set", "unknown_item", "missing_item", "unknown_session", "missing_file"}
"""The codes of problems that answers to another set have."""

DIFFERENCE = "difference.html"
"""The page of two submissions side by side."""

GET_DATA = HERE / "get_data.py"


class GetData(argparse.Action):
    """Download the files that are too large for the kit, and end."""

    def __call__(self, parser: argparse.ArgumentParser, *of_option: object) -> None:
        sys.exit(runpy.run_path(str(GET_DATA))["main"]([]))


def choose_task() -> None:
    """In the kit of several tasks, go on in the kit of one of them, or write this kit to a folder."""
    tasks = sorted(path.parent.name for path in HERE.glob(f"*/{OPTIONS_FILE}"))
    if not tasks:
        return
    usage = f"try_submission.py --task {{{','.join(tasks)}}} (SUBMISSION | --unpack FOLDER)"
    parser = argparse.ArgumentParser(usage=usage, add_help=False, allow_abbrev=False)
    parser.add_argument("--task", choices=tasks, required=True, metavar="TASK")
    parser.add_argument("--unpack", type=Path)
    chosen, sys.argv[1:] = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        kit = chosen.unpack or Path(folder, "kit")
        if kit.exists():
            sys.exit(f"--unpack {kit}: it is there already; name a new folder")
        here = str(HERE)
        shutil.copytree(
            here, str(kit), ignore=lambda place, _: ["__pycache__", *(tasks if place == here else ())]
        )
        shutil.copytree(str(HERE / chosen.task), str(kit), dirs_exist_ok=True)
        if chosen.unpack:
            say(f"The kit of {chosen.task} is in {kit}.")
            sys.exit(0)
        command = [sys.executable, str(kit / "try_submission.py"), *sys.argv[1:]]
        sys.exit(subprocess.run(command, env={**os.environ, KIT: str(HERE / chosen.task)}).returncode)


def main() -> int:
    choose_task()
    parser = argparse.ArgumentParser(description="Check and score a submission before you upload it.")
    parser.add_argument("submission", type=Path, help="a file, a folder of files, or a zip")
    sets = sets_of(list(read_phases().values()))
    parser.add_argument(
        "--set", default=sets[0], help="the set that the submission is for (default: %(default)s)"
    )
    parser.add_argument(
        "--zip",
        type=Path,
        default=Path("submission.zip"),
        help="the zip to write (default: %(default)s)",
    )
    if GET_DATA.exists():
        parser.add_argument(
            "--get-data",
            action=GetData,
            nargs=0,
            help="only download the files that are too large for the kit",
        )
    parser.add_argument("--all", action="store_true", help="list every problem, not only the first ones")
    parser.add_argument(
        "--compare",
        type=Path,
        metavar="EARLIER",
        help=f"write {DIFFERENCE}, which shows what changed from an earlier submission",
    )
    options = parser.parse_args()
    if any(character.isspace() for character in options.zip.name):
        say(f"{options.zip}: the name of the zip must not contain spaces. Choose another --zip.", error=True)
        return 1
    if options.submission.suffix == ".zip" and re.search(r"\s", options.submission.name):
        say(
            f"{options.submission}: the name has spaces. Do not upload this file, but {options.zip}.",
            error=True,
        )
    if options.set not in sets:
        say(f"The kit has no set {options.set}; choose one of {', '.join(sets)}.", error=True)
        return 1
    if options.all:
        list_every_problem()
    with tempfile.TemporaryDirectory() as folder:
        submitted = Path(folder, "submitted")
        submitted.mkdir()
        try:
            early = stage(options.submission, submitted)
        except SubmissionError as refusal:
            return refused(str(refusal), options.zip)
        except OSError as error:
            return refused(describe(error), options.zip)
        output = Path(folder, "output")
        accepted, words = check(options.set, submitted, output)
        if early is not None:
            return refused(f"{early}\n\n{'' if accepted else words}".rstrip(), options.zip)
        if not accepted:
            for other in sets:
                if other != options.set and (
                    check(other, submitted, Path(folder, other))[0]
                    or (lacks_items(options.set, submitted) and not lacks_items(other, submitted))
                ):
                    words = f"These are answers to the {other} set, not to the {options.set} set: "
                    return refused(f"{words}--set {other}", options.zip)
            return refused("\n".join([words, *shortened(output)]), options.zip)
        say(words)
        reference = HERE / options.set / "reference"
        if reference.is_dir():
            inputs = Path(folder, "input")
            shutil.copytree(str(reference), str(inputs / "ref"))
            shutil.copytree(str(submitted), str(inputs / "res"))
            if not run("score.py", inputs, output):
                return refused("", options.zip)
            show("score.py", reference, output)
            save_report(output / "detailed_results.html")
        else:
            say(f"The labels of the {options.set} set are hidden: the submission was checked but not scored.")
        compare(options.compare, options.submission, submitted, reference)
        try:
            pack(submitted, options.zip)
        except OSError as error:
            return refused("", options.zip, error)
    say(whereto(options.zip, options.set))
    return 0


def guarded(program: Callable[[], int]) -> int:
    """Run a program and return its exit status. Errors of files are one line, and Ctrl-C ends it without a message."""
    for stream in (sys.stdout, sys.stderr):  # some terminals cannot print all characters
        stream.reconfigure(errors="backslashreplace")
    try:
        return program()
    except OSError as error:
        say(describe(error), error=True)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def describe(error: OSError) -> str:
    """Return the file, if it is known, and what is wrong with it."""
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)


def read_phases() -> dict[str, str]:
    """Return the set of each phase."""
    phases: dict[str, str] = json.loads((HERE / "phases.json").read_text(encoding="utf-8"))
    return phases


def sets_of(scored: list[str]) -> list[str]:
    """Return the sets of the kit: those with labels first, then in the order of the phases that score them."""

    def order(name: str) -> tuple[bool, int, str]:
        return not (HERE / name / "reference").is_dir(), scored.index(name) if name in scored else -1, name

    return sorted((path.parent.name for path in HERE.glob("*/input")), key=order)


def whereto(path: Path, called: str) -> str:
    """Return a sentence that names the phases to which a submission for a set can be uploaded."""
    if (HERE / "try_code.py").exists():
        return "In this competition you upload the program, not its answers: try_code.py makes its zip."
    names = [name for name, scored_on in read_phases().items() if scored_on == called]
    if not names:
        return (
            f"{path} contains answers for the {called} set. No phase uses this set, so do not upload the zip."
        )
    return f"{path} is ready to upload to the phase {' or '.join(names)}."


def refused(words: str, path: Path, error: Optional[OSError] = None) -> int:
    """Print the problems, and that no zip was written; return the exit status."""
    why = f" ({error.strerror})" if error else ""
    older = "; the existing file is from an earlier run" if os.path.exists(str(path)) else ""
    advice = f" Choose another folder: --zip FOLDER/{path.name}" if error else ""
    say("\n".join([*([words] if words else []), f"{path} was not written{why}{older}.{advice}"]), error=True)
    return 1


def check(called: str, submitted: Path, output: Path) -> tuple[bool, str]:
    """Run the server's check against the items of a set; return whether it accepted, and what it printed."""
    printed = io.BytesIO()
    words = io.TextIOWrapper(printed, encoding="utf-8", newline="\n", write_through=True)
    with redirect_stdout(words), redirect_stderr(words):
        accepted = run("ingest.py", HERE / called / "input", submitted, output)
    return accepted, printed.getvalue().decode().rstrip("\n")


def lacks_items(called: str, submitted: Path) -> bool:
    """Return whether the files are refused because their items are not those of a set."""
    options = read_options(HERE / OPTIONS_FILE)
    task = options.vary(runpy.run_path(str(HERE / "score.py"))["TASK"])
    items = read_items(task, HERE / called / "input")
    try:
        read_files(
            submitted, lambda files: task.format.read_submission(files, items), others=options.other_files
        )
    except SubmissionError as refusal:
        return not OF_ITEMS.isdisjoint(refusal.counts)
    return False


def shortened(output: Path) -> list[str]:
    """Return how to list every problem, if the report of the check lists only some."""
    report = output / REPORT_FILE
    some = report.exists() and re.search(r"\d more\b", report.read_text(encoding="utf-8"))
    return ["--all lists every problem."] if some else []


def stage(submission: Path, folder: Path) -> Optional[SubmissionError]:
    """Copy the submission's files to a folder as the platform unpacks them.

    Returns
    -------
    The refusal of a folder whose files can be checked all the same.

    Raises
    ------
    SubmissionError
        The folder or the zip is refused.
    """
    refusal = None
    if submission.is_dir():
        try:
            files = list_files(submission)
        except SubmissionError as error:
            if error.listed is None:
                raise
            refusal, files = error, error.listed
        for name, path in files.items():
            shutil.copyfile(str(path), str(folder / name))
    elif is_packed(submission):
        unpack(submission, folder)
    else:
        shutil.copyfile(str(submission), str(folder / submission.name))
    return refusal


def run(program: str, *folders: Path) -> bool:
    """Run one of the server's programs, which prints to the terminal; return whether it accepted the submission."""
    sys.argv = [str(HERE / program), *map(str, folders)]
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        if end.code == INTERRUPTED:
            raise KeyboardInterrupt from None
        return not end.code
    return True


def show(program: str, reference: Path, output: Path) -> None:
    """Print the scores as a table, the primary score first, beside the baseline's if the kit has them."""
    options = read_options((HERE / program).with_name(OPTIONS_FILE))
    task = options.vary(runpy.run_path(str(HERE / program))["TASK"])
    scores = json.loads((output / "scores.json").read_text(encoding="utf-8"))
    ends = [scores[task.primary.key + end] for end in ENDS if task.primary.key + end in scores]
    intervals = {task.primary.key: (ends[0], ends[1])} if ends else {}
    baseline = options.settings(task, read_reference(task, reference)).baseline
    table = score_table(task, scores, intervals, baseline)
    say("\n".join(["", f"  Scores on the {reference.parent.name} set", *table, ""]))


def save_report(report: Path) -> None:
    """Write the report, if there is one, to the current folder. The check goes on if it cannot be written."""
    if not report.exists():
        return
    try:
        Path(report.name).write_bytes(with_players(report.read_text(encoding="utf-8")).encode())
        say(f"The report is in {report.name}.")
    except OSError as error:
        say(f"The report {report.name} was not written ({error.strerror}).", error=True)


def with_players(page: str) -> str:
    """Return the report with a player in each row of an item of which one sound in the kit has the id as name.

    In the kit of several tasks, the sounds are those in the task's folder and in `data`, which the tasks share.
    """
    kit = Path(os.environ.get(KIT, HERE))
    folders = (kit, kit.parent / "data") if KIT in os.environ else (kit,)
    sounds: dict[str, Optional[Path]] = {}
    for path in (path for folder in folders for path in folder.rglob("*") if path.suffix.lower() in SOUNDS):
        for each in {normalize("NFC", path.stem), normalize("NFC", path.name)}:
            sounds[each] = None if each in sounds else path

    def player(row: re.Match[str]) -> str:
        sound = sounds.get(unescape(row[1]))
        try:
            place = sound and quote(Path(os.path.relpath(str(sound))).as_posix())
        except ValueError:  # on another drive of Windows
            place = None
        control = f'<audio controls preload="none" aria-label="{row[1]}" src="{place}"></audio>'
        return f'<th scope="row">{row[1]}{control if place else ""}</th>'

    return re.sub(r'<th scope="row">([^<]+)</th>', player, page)


def compare(earlier: Optional[Path], later: Path, submitted: Path, reference: Path) -> None:
    """Write a page of two submissions side by side. The check goes on if the earlier one is refused."""
    if earlier is None:
        return
    if not reference.is_dir():
        say("--compare needs a set with labels: nothing was compared.", error=True)
        return
    from spokeneval.report.side_by_side import page_of_two
    from spokeneval.scoring.scored import score_both_submissions

    options = read_options(HERE / OPTIONS_FILE)
    task = options.vary(runpy.run_path(str(HERE / "score.py"))["TASK"])
    known = read_reference(task, reference)

    def read(folder: Path) -> Any:
        return read_files(
            folder, lambda files: read_submission(task, files, known), others=options.other_files
        )[1]

    with tempfile.TemporaryDirectory() as folder:
        try:
            refusal = stage(earlier, Path(folder))
            if refusal:
                raise refusal
            sides = read(Path(folder)), read(submitted)
            names = str(earlier), str(later)
            scored = score_both_submissions(task, known.labels, sides, options.settings(task, known))
            page = page_of_two(task, known.labels, names, list(zip(sides, scored)))
            Path(DIFFERENCE).write_text(page, encoding="utf-8")
        except SubmissionError as refused:
            say(f"{earlier} cannot be compared:\n{refused}", error=True)
        except OSError as error:
            say(f"{DIFFERENCE} was not written: {describe(error)}", error=True)
        else:
            say(f"What changed from {earlier} is in {DIFFERENCE}.")


def pack(folder: Path, path: Path) -> None:
    """Write the submission's files to the root of a zip. An existing zip is replaced once the new one is complete."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(str(unfinished), "w", zipfile.ZIP_DEFLATED) as archive:
            for name, file in list_files(folder).items():
                archive.write(str(file), name)
        os.replace(str(unfinished), str(path))
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise


if __name__ == "__main__":
    sys.exit(guarded(main))
