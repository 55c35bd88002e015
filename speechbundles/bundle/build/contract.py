"""The contract of a task in an organiser's own Python: the one that the tests of the repository's tasks hold them to.

Every build runs the task in the sandbox of rehearsals, on its sample and on damaged copies of it (`contract_driver`),
with the files of the bundle's own programs.
"""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from speechbundles.bundle.build.kit import make_programs
from speechbundles.bundle.rehearse import Limits, ProcessEngine, Program
from speechbundles.competition.settings import files_of
from speechbundles.model.competition import Competition
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import OWN_TASKS, REFERENCE, SUBMISSION
from speechbundles.model.text import grouped
from speechbundles.model.zips import read_all, read_tree, write_tree
from spokeneval.formats.problems import count_of, printable, some_of
from spokeneval.programs.score import HIDDEN_STATISTICS

DRIVER = Path(__file__).with_name("contract_driver.py")

SECONDS = 120.0
"""Wall-clock time of each run."""

MOST_PROBLEMS = 10
"""So many problems are listed; all are counted."""

MOST_PLACES = 3
"""So many places of the same problem are listed."""


def hold_to_contract(competition: Competition) -> None:
    """Refuse a task in an organiser's own Python that breaks the contract; other tasks are not examined.

    Raises
    ------
    OrganiserError: no sample, or a broken contract; the message lists every problem.
    """
    task = competition.definition
    if not task.code:
        return
    if os.name == "nt":
        raise OrganiserError(f"{task.name}: tasks in Python can be built on Linux and macOS only; use WSL")
    place = f"{OWN_TASKS}/{task.name}"
    sample = {name: read_tree(competition.sources.folder / place / name) for name in (REFERENCE, SUBMISSION)}
    missing = [f"{place}/{name}/" for name, files in sample.items() if not files]
    if missing:
        raise OrganiserError(
            f"{task.name}: no sample in {' and '.join(missing)}. Add a few invented items with labels that differ "
            f"({files_of(task)}), and a submission that answers them ({task.format.submission_file or 'one file each'})"
        )
    scoring, ingestion = make_programs(competition)
    with TemporaryDirectory(prefix="contract-") as folder:
        root = Path(folder)
        write_tree(root / "program", {**ingestion, **scoring, DRIVER.name: DRIVER.read_bytes()})
        write_tree(root / "input/ref", sample[REFERENCE])
        write_tree(root / "input/res", sample[SUBMISSION])
        (root / "output").mkdir()
        (root / "scratch").mkdir()
        found = _broken(root, task.name) or _unequal(root)
    if found:
        lines = "\n".join(f"  {what}" for what in found[:MOST_PROBLEMS])
        raise OrganiserError(f"{place}.py: {count_of(len(found), 'problem')} on its sample\n\n{lines}")


def _broken(root: Path, name: str) -> list[str]:
    """Return the problems that the examination of a task finds; a problem that is seen in many places is one."""
    failure, printed = _run(root, "/program/contract_driver.py", name, "/input", "/output")
    if failure:
        return [f"the examination ended: {failure}"]
    why = "remove the output or the cause of the warning, because participants read what a program prints"
    found = [("while it runs", f"the task prints {line[:200]!r}; {why}") for line in printed[:1]]
    found += json.loads((root / "output/problems.json").read_text(encoding="utf-8"))
    places = grouped((what, where) for where, what in found)
    return [printable(f"{', '.join(where[:MOST_PLACES])}: {what}") for what, where in places.items()]


def _unequal(root: Path) -> list[str]:
    """Run the bundle's programs on the sample, ingestion once and scoring twice; return what is wrong."""
    runs = ["ingest.py /output/items /input/res /output/ingested"]
    runs += [f"score.py /input /output/{name}" for name in ("first", "second")]
    for program, *words in map(str.split, runs):
        failure, _ = _run(root, f"/program/{program}", *words)
        if failure:
            return [f"{program}: {failure}"]
    first, second = (read_all(root / "output" / name) for name in ("first", "second"))
    different = [name for name in first if second.get(name) != first[name]]
    what = f"score.py writes another {some_of(different)} in each run; sort sets before they are used, and draw no "
    return [f"{what}random numbers without a fixed seed"] if different else []


def _run(root: Path, *words: str) -> tuple[str, list[str]]:
    """Run a program in the sandbox; return why it failed, in one line, or an empty text, and the lines it prints."""
    folders = {f"/{name}": root / name for name in ("program", "input", "output")}
    program = Program("the task", ["python3", *words], "/program", folders)
    engine = ProcessEngine({HIDDEN_STATISTICS: "write"})
    outcome = engine.run(program, root / "scratch", Limits(seconds=SECONDS))
    printed = [line for line in f"{outcome.stdout}\n{outcome.stderr}".split("\n") if line]
    if outcome.why_stopped:
        return f"stopped, {outcome.why_stopped}", printed
    if not outcome.exit_code:
        return "", printed
    lines = outcome.stderr.strip().splitlines() or [f"exit code {outcome.exit_code}"]
    return printable(lines[-1] if lines[0].startswith("Traceback") else " ".join(lines)), printed
