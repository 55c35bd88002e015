"""Do to a submission what the platform does, on this machine: unpack, run ingestion, run scoring, take the scores.

The bundle is a built zip, Codabench's (`competition.yaml` with `version: 2`) or CodaLab's (the 1.5 format).
Steps follow the platforms' own sources (`codabench`, `codalab`), awkward sides included:
where the platform would say "Finished" to a run whose scores it lost, so does the rehearsal, with a warning.

Conventions: *Failed* and *Finished* are the platform's words. A score is *stored* as the platform's database
keeps it (Codabench: a decimal of 10 places) and *shown* as its leaderboard prints it.
"""

import json
import math
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from speechbundles.model.archive import Room, open_archive
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.console import WIDTH, wrap
from speechbundles.model.description import declared_scores
from speechbundles.model.errors import OrganiserError
from speechbundles.model.finding import Report
from speechbundles.model.read import read_built_bundle
from speechbundles.model.text import printable
from speechbundles.model.zips import make_zip, read_tree
from speechbundles.rehearse.engine import LocalEngine
from speechbundles.rehearse.run import Engine, Run, RunFailed, Step, new_folder
from speechbundles.rehearse.sandbox import Limits
from speechbundles.rehearse.scores import Cell, leaderboard_row, read_scores, store_scores
from speechbundles.rehearse.workers import WORKERS
from spokeneval.task import ENDS

LONGEST_LINE = 1000
MOST_LINES = 200
"""Of what a program said, as it is shown; all of it is in the result's steps."""

FINISHED = "Finished"
FAILED = "Failed"


@dataclass(frozen=True)
class Rehearsal:
    """What the platform would make of a submission.

    Attributes
    ----------
    status: `Finished` or `Failed`. A run whose scores the platform loses is Finished too.
    platform: `codabench` or `codalab`.
    phase: name of the phase.
    seconds: wall-clock time from the upload to the scores.
    scores: what the scoring program wrote, as written.
    row: the leaderboard row, in the order of the columns; empty where nothing was stored by a failed run.
    warnings: where the platform does something else than the output suggests.
    problems: why it Failed; empty if it Finished.
    steps: the programs that ran, with what they printed.
    """

    status: str
    platform: str
    phase: str
    seconds: float
    scores: Mapping[str, Any]
    row: tuple[Cell, ...]
    warnings: tuple[str, ...]
    problems: tuple[str, ...]
    steps: tuple[Step, ...]

    def to_json(self) -> str:
        """Valid JSON in ASCII: decimals are strings, and so are NaN and the infinities."""
        return json.dumps(_json_value(asdict(self)), indent=2)

    def __str__(self) -> str:
        """For people: the status and the row in one line, warnings, and what failed with what the programs said."""
        status = f"{self.status} in {self.seconds:.1f} s"
        scores = self._shown_scores() if self.status == FINISHED else []
        line = "   ".join([status, *(["  ".join(scores)] if scores else [])])
        lines = [line] if cell_len(line) <= WIDTH else [status, *(f"  {score}" for score in scores)]
        lines += ["  " + line for problem in self.problems for line in problem.splitlines()]
        lines += [f"  warning: {warning}" for warning in self.warnings]
        if self.status == FAILED:
            lines += self._what_programs_said()
        return wrap(printable("\n".join(lines), kept="\n\t"))

    def _shown_scores(self) -> list[str]:
        """The visible columns, each with its title; a score's interval is beside it."""
        shown = {cell.key: cell for cell in self.row if not cell.hidden}
        lines = []
        for key, cell in shown.items():
            low, high = (shown.get(key + end) for end in ENDS)
            interval = f" [{low.fixed()}, {high.fixed()}]" if low and high else ""
            if not any(key == other + end for other in shown for end in ENDS):
                lines.append(f"{cell.title} {cell.fixed()}{interval}")
        return lines

    def _what_programs_said(self) -> list[str]:
        """What the programs that failed, and scoring, said; once, where they said the same."""
        lines: list[str] = []
        shown = ""
        for step in reversed(self.steps):
            said = step.stderr.strip() or step.stdout.strip()
            if said and said != shown and (step.exit_code or step.name == "scoring"):
                lines += ["", f"  {step.name} said (exit code {step.exit_code}):"]
                lines += ["    " + line[:LONGEST_LINE] for line in said.splitlines()[:MOST_LINES]]
                shown = said
        return lines


def rehearse(
    bundle: Path,
    submission: Path,
    *,
    phase: str | None = None,
    reference: Path | None = None,
    keep: Path | None = None,
    limits: Limits | None = None,
    engine: Engine | None = None,
) -> Rehearsal:
    """Rehearse one results submission against one bundle.

    Parameters
    ----------
    bundle: a built zip, for Codabench or CodaLab.
    submission: the zip a participant would upload.
    phase: a phase's name or index; default: the first that scores against `reference_data.zip`, else the first.
    reference: a folder with reference data in place of the bundle's: what is sealed of the set, or all of it.
    keep: folder, empty or absent, that receives what the run left: `prediction/app`, `scoring/app`.
    limits: default `Limits()`.
    engine: default `LocalEngine()`.

    Raises
    ------
    OrganiserError: the bundle cannot be rehearsed or lacks the phase, the submission is no file, the reference no
        folder, or `keep` is not empty.
    """
    if not submission.is_file():
        found = "is a folder" if submission.is_dir() else "there is no such file"
        raise OrganiserError(f"{submission}: {found}; expected a submission's zip")
    if keep is not None and keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise OrganiserError(f"{keep}: expected an empty folder, or none")
    built = read_built_bundle(bundle)
    rehearsed = built.phase(phase)
    if reference is not None:
        built = with_reference(built, rehearsed, reference)
    return rehearse_phase(built, rehearsed, submission, keep=keep, limits=limits, engine=engine)


def with_reference(bundle: BuiltBundle, phase: BuiltPhase, reference: Path) -> BuiltBundle:
    """A bundle whose phase is scored against what is in a folder.

    Raises
    ------
    OrganiserError: no such folder, or a phase without reference data.
    """
    if not reference.is_dir() or phase.reference_data is None:
        raise OrganiserError(f"{reference}: expected a folder, in place of the phase's reference data")
    return replace(bundle, files={**bundle.files, phase.reference_data: make_zip(read_tree(reference))})


def rehearse_phase(
    bundle: BuiltBundle,
    phase: BuiltPhase,
    submission: Path,
    *,
    keep: Path | None = None,
    keep_output: Path | None = None,
    limits: Limits | None = None,
    engine: Engine | None = None,
    place: Path | None = None,
) -> Rehearsal:
    """Rehearse a submission to a phase of a bundle that is read already; see `rehearse`.

    Parameters
    ----------
    keep_output: folder that receives what the scoring program wrote, if the run is Finished; there must be none.
    place: folder for the run's files; default: that of temporary files.
    """
    start = time.monotonic()
    worker = WORKERS[bundle.platform]
    warnings = [phase.warning] if phase.warning else []
    if bundle.primary is None:
        warnings.append("primary_index names no column: the platform loses every score")
    problems: list[str] = []
    scores: Mapping[str, Any] = {}
    row: tuple[Cell, ...] = ()
    with tempfile.TemporaryDirectory(prefix="rehearsal-", dir=place) as folder:
        place = Path(folder).resolve()
        root, scratch = new_folder(place / "run"), new_folder(place / "scratch")
        run = Run(bundle, phase, root, scratch, limits or Limits(), engine or LocalEngine(), [], warnings)
        try:
            output = worker.run(run, submission)
            scores = read_scores(output, worker, warnings)
            program = bundle.files.get(phase.scoring_program, b"")
            declared = partial(_declared, phase.scoring_program, program)
            stored = store_scores(scores, bundle, worker, warnings, declared)
            row = leaderboard_row(bundle, worker, stored)
            worker.check_output(output, "scoring")
            warnings += worker.page_warnings(output, bundle.detailed_results)
            if keep_output is not None:
                shutil.copytree(output, keep_output)
        except RunFailed as failure:
            problems.append(str(failure))
        finally:
            _make_writable(place)
        seconds = time.monotonic() - start
        if keep is not None:
            shutil.copytree(root, keep, symlinks=True, dirs_exist_ok=True)
    return Rehearsal(
        status=FAILED if problems else FINISHED,
        platform=bundle.platform,
        phase=phase.name,
        seconds=seconds,
        scores=scores,
        row=row,
        warnings=tuple(warnings),
        problems=tuple(problems),
        steps=tuple(run.steps),
    )


@lru_cache
def _declared(name: str, program: bytes) -> tuple[str, ...]:
    """The scores that a scoring program says it writes."""
    return tuple(declared_scores(open_archive(Report(), name, program, Room())))


def _make_writable(folder: str | Path) -> None:
    """Give the owner back every right, so that the folder can be copied and removed."""
    os.chmod(folder, 0o700)
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _make_writable(entry.path)
            elif not entry.is_symlink():
                os.chmod(entry.path, entry.stat().st_mode | 0o600)


def _json_value(value: Any) -> Any:
    """What JSON can say of a value."""
    if isinstance(value, Mapping):
        return {str(key): _json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_value(item) for item in value]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, Decimal):
        return f"{value:f}"
    return str(value)
