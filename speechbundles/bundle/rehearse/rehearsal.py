"""Process a submission as the platform does, on this computer: unpack it, run ingestion and scoring, read the scores.

The bundle is a built zip for any platform. The steps follow the platforms' source code (the `worker` in the folder of
each), including its defects: if the platform would report "Finished" for a run whose scores it lost, the rehearsal does
too, with a warning.

Conventions: *Failed* and *Finished* are the platform's statuses. A score is *stored* as in the platform's database
(such as a decimal with 10 places) and *shown* as on its leaderboard.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from speechbundles.bundle.rehearse.engine import Engine
from speechbundles.bundle.rehearse.engines import NoEngine, lacking
from speechbundles.bundle.rehearse.left_behind import temporary_place
from speechbundles.bundle.rehearse.process import ProcessEngine
from speechbundles.bundle.rehearse.run import (
    METADATA_FILES,
    NO_COMMAND,
    Run,
    RunFailed,
    Step,
    Worker,
    command_text,
    new_folder,
)
from speechbundles.bundle.rehearse.scores import Cell, feedback_of, leaderboard_row, read_scores, store_scores
from speechbundles.model.archive import Archive, Room, open_archive
from speechbundles.model.bundle import BuiltBundle, BuiltPhase, read_built_bundle
from speechbundles.model.console import WIDTH, wrap
from speechbundles.model.description import declared_scores
from speechbundles.model.errors import OrganiserError
from speechbundles.model.finding import Report
from speechbundles.model.label_tag import label_tag, write_tag
from speechbundles.model.platform import platforms
from speechbundles.model.temporary import temporary_folder
from speechbundles.model.zips import make_zip, read_tree
from spokeneval.formats.problems import printable
from spokeneval.task import ENDS

LONGEST_LINE = 1000
MOST_LINES = 200
"""Limits on a program's output as it is shown; the steps of the result have all of it."""

FINISHED = "Finished"
FAILED = "Failed"


@dataclass(frozen=True)
class Rehearsal:
    """The result of a submission on the platform.

    Attributes
    ----------
    status: `Finished` or `Failed`. A run whose scores the platform loses is Finished too.
    platform: its name.
    phase: name of the phase.
    seconds: wall-clock time from the upload to the scores.
    scores: the scores as the scoring program wrote them; of several tasks, by the tasks' names.
    row: the leaderboard row, task by task in the order of the columns; empty for a failed run that stored nothing.
    warnings: differences between the platform's behaviour and what the output suggests.
    problems: why the run Failed; empty if it Finished.
    steps: the programs that ran, with their output.
    lacks: what the programs need and this machine lacks, in one line; empty if nothing is known to be missing.
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
    lacks: str = ""

    def to_json(self) -> str:
        """Return the rehearsal as JSON in ASCII; decimals, NaN and infinities are strings."""
        return json.dumps(self.to_data(), indent=2)

    def to_data(self) -> dict[str, Any]:
        """Return the rehearsal in types that JSON has; a cell names its task if there are several."""
        row = [
            {key: value for key, value in vars(cell).items() if key != "task" or value} for cell in self.row
        ]
        data: dict[str, Any] = _json_value({**asdict(self), "row": row})
        return data

    def __str__(self) -> str:
        """Return the status, the scores, the warnings and, for a failed run, the reasons and the programs' output.

        A run that failed because this machine lacks something has a line on that alone.
        """
        status = f"{self.status} in {self.seconds:.1f} s"
        scores = self._shown_scores() if self.status == FINISHED else []
        line = "   ".join([status, *(["  ".join(scores)] if scores else [])])
        lines = [line] if cell_len(line) <= WIDTH else [status, *(f"  {score}" for score in scores)]
        lines += [f"  {self.lacks}"] * bool(self.lacks)
        if self.lacks and self.status == FAILED:  # everything else follows from this; --json has it
            return wrap(printable("\n".join(lines), kept="\n"))
        lines += ["  " + line for problem in self.problems for line in problem.splitlines()]
        lines += [f"  warning: {warning}" for warning in self.warnings]
        if self.status == FAILED:
            lines += self._program_output()
        return wrap(printable("\n".join(lines), kept="\n\t"))

    def _shown_scores(self) -> list[str]:
        """The visible columns, each with its title; a score's interval is beside it. Several tasks have a line each."""
        lines: dict[str, list[str]] = {}
        for task in dict.fromkeys(cell.task for cell in self.row):
            shown = {cell.key: cell for cell in self.row if cell.task == task and not cell.hidden}
            for key, cell in shown.items():
                low, high = (shown.get(key + end) for end in ENDS)
                interval = f" [{low.shown}, {high.shown}]" if low and high else ""
                if not any(key == other + end for other in shown for end in ENDS):
                    score = f"{cell.title} {cell.with_bound(cell.shown)}{interval}"
                    lines.setdefault(task, []).append(score)
        named = [f"{task}: {'  '.join(scores)}" for task, scores in lines.items() if task]
        return named or lines.get("", [])

    def _program_output(self) -> list[str]:
        """Return the output of scoring and of programs that failed; identical output only once."""
        lines: list[str] = []
        shown = ""
        for step in reversed(self.steps):
            output = step.stderr.strip() or step.stdout.strip()
            if output and output != shown and (step.exit_code or step.name == "scoring"):
                lines += ["", f"  Output of {step.name} (exit code {step.exit_code}):"]
                lines += ["    " + line[:LONGEST_LINE] for line in output.splitlines()[:MOST_LINES]]
                shown = output
        return lines


def rehearse(
    bundle: Path,
    submission: Path,
    *,
    phase: str | None = None,
    reference: Path | None = None,
    keep: Path | None = None,
    engine: Engine | None = None,
    reworked: bool = False,
) -> Rehearsal:
    """Rehearse one submission with one bundle.

    Parameters
    ----------
    bundle: a bundle, for any platform.
    submission: the zip that a participant would upload, or a folder with its files.
    phase: a phase's name or index; default: the first that scores against `reference_data.zip`, else the first.
    reference: a folder with reference data to use instead of the bundle's: the sealed part of the set, or all of it.
    keep: an empty or new folder that receives the files of the run: `prediction/app`, `scoring/app`; of several tasks,
        in `1`, `2` and so on.
    engine: default `ProcessEngine()`.
    reworked: whether the platform's newer worker runs the submission.

    Raises
    ------
    OrganiserError: the bundle cannot be rehearsed or lacks the phase, there is no such submission, the reference is
        not a folder, or `keep` is not empty.
    """
    if not submission.exists():
        raise OrganiserError(f"{submission}: no such file; expected the zip of a submission, or its folder")
    if keep is not None and keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise OrganiserError(f"{keep}: expected an empty folder or a new one")
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)  # a folder that cannot be made is reported before the run
    built = read_built_bundle(bundle)
    rehearsed = built.phase(phase)
    if reference is not None:
        built = with_reference(built, rehearsed, reference)
    _check_worker(built, reworked)
    with _zip_of(submission) as upload:
        result = rehearse_phase(built, rehearsed, upload, keep=keep, engine=engine, reworked=reworked)
    if keep is not None and result.status == FINISHED and len(rehearsed.tasks) == 1:
        write_tag(keep / platforms()[built.platform].scoring_folder / "output", label_tag(built, rehearsed))
    return result


def rehearse_solutions(
    bundle: BuiltBundle, *, phase: str | None = None, engine: Engine | None = None, reworked: bool = False
) -> Iterator[tuple[str, Rehearsal]]:
    """Rehearse a bundle's own sample solutions: in each phase, those of its tasks.

    Parameters
    ----------
    phase: a phase's name or index; default: all phases.

    Yields
    ------
    The name of the solution in the bundle, and its rehearsal.
    """
    _check_worker(bundle, reworked)
    for each in bundle.phases if phase is None else [bundle.phase(phase)]:
        for name in dict.fromkeys(name for task in each.tasks for name in task.solutions):
            tasks = tuple(task for task in each.tasks if name in task.solutions)
            if name not in bundle.files:
                raise OrganiserError(
                    f"the sample solution {name} is named in competition.yaml but is not in the bundle"
                )
            with _zip_of(bundle.files[name]) as upload:
                some = replace(each, tasks=tasks)
                yield name, rehearse_phase(bundle, some, upload, engine=engine, reworked=reworked)


@contextmanager
def _zip_of(submission: Path | bytes) -> Iterator[Path]:
    """Give the file of a zip; a folder is zipped as a participant would do it."""
    if isinstance(submission, Path) and not submission.is_dir():
        yield submission
        return
    with temporary_folder("submission") as folder:
        path = folder / "submission.zip"
        path.write_bytes(submission if isinstance(submission, bytes) else make_zip(read_tree(submission)))
        yield path


def _worker(bundle: BuiltBundle) -> Worker:
    worker: Worker = platforms()[bundle.platform].part("worker")
    return worker


def _check_worker(bundle: BuiltBundle, reworked: bool) -> None:
    if reworked and len(_worker(bundle).RUNS) == 1:
        raise OrganiserError(f"{bundle.platform} has only one worker")


def with_reference(bundle: BuiltBundle, phase: BuiltPhase, reference: Path) -> BuiltBundle:
    """Return the bundle with the files of a folder as the phase's reference data.

    Raises
    ------
    OrganiserError: there is no such folder, or the phase has no reference data.
    """
    if not reference.is_dir() or phase.reference_data is None:
        raise OrganiserError(f"{reference}: expected a folder, and a phase with reference data to replace")
    return replace(bundle, files={**bundle.files, phase.reference_data: make_zip(read_tree(reference))})


def rehearse_phase(
    bundle: BuiltBundle,
    phase: BuiltPhase,
    submission: Path,
    *,
    keep: Path | None = None,
    keep_output: Path | None = None,
    engine: Engine | None = None,
    place: Path | None = None,
    reworked: bool = False,
) -> Rehearsal:
    """Rehearse a submission to a phase of a bundle that has been read; see `rehearse`.

    A phase's tasks run one after the other, each with a copy of the submission. A platform shows the columns of each
    task, and the whole as Finished even if a task Failed; here the whole is Failed then.

    Parameters
    ----------
    keep_output: a new folder that receives the scoring program's output if the run is Finished; of several tasks, that
        of the first.
    place: folder for the run's files; default: the folder for temporary files.
    """
    results = []
    for number, task in enumerate(phase.tasks):
        with temporary_place("rehearsal", place) as own:
            run = Run(bundle, phase, task, own, engine or ProcessEngine(), [], [])
            kept = keep and (keep / str(number + 1) if len(phase.tasks) > 1 else keep)
            result = _rehearse_task(run, submission, kept, None if number else keep_output, reworked)
        results.append((task.name, result))
    return results[0][1] if len(results) == 1 else _joined(results)


def _joined(results: Sequence[tuple[str, Rehearsal]]) -> Rehearsal:
    """Return the results of a phase's tasks as one."""

    def named(attribute: str) -> tuple[str, ...]:
        return tuple(f"{name}: {line}" for name, result in results for line in getattr(result, attribute))

    problems = named("problems")
    if problems and any(result.status == FINISHED for _, result in results):
        title = platforms()[results[0][1].platform].title
        problems += (f"{title} shows the submission as Finished, with the scores of its other tasks",)
    return replace(
        results[0][1],
        status=FAILED if problems else FINISHED,
        seconds=sum(result.seconds for _, result in results),
        scores={name: result.scores for name, result in results},
        row=tuple(replace(cell, task=name) for name, result in results for cell in result.row),
        warnings=named("warnings"),
        problems=problems,
        steps=tuple(step for _, result in results for step in result.steps),
        lacks=next((result.lacks for _, result in results if result.lacks), ""),
    )


def _rehearse_task(
    run: Run, submission: Path, keep: Path | None, keep_output: Path | None, reworked: bool
) -> Rehearsal:
    """Rehearse a submission to one task."""
    worker = _worker(run.bundle)
    start = time.monotonic()
    if run.bundle.primary is None:
        run.warnings.append("primary_index names no column: the platform loses every score")
    problems: list[str] = []
    scores: Mapping[str, Any] = {}
    row: tuple[Cell, ...] = ()
    new_folder(run.root)
    new_folder(run.scratch)
    try:
        if isinstance(run.engine, NoEngine):
            _refuse_programs(run)
        output = worker.RUNS[reworked](run, submission)
        scores = read_scores(output, worker, run.warnings)
        row = _row(run, worker, output, scores)
        worker.check_output(output)
        run.warnings += worker.page_warnings(output, run.bundle.detailed_results)
        if keep_output is not None:
            run.place.collect(output, keep_output)
    except RunFailed as failure:
        problems.append(str(failure))
    seconds, lacks = time.monotonic() - start, lacking(run, bool(problems))
    if keep is not None:
        try:
            run.warnings += run.place.collect(run.root, keep.resolve()).notes("not kept")
        except OSError as error:
            problems.append(f"the files of the run cannot be kept: {error.strerror}")
    return Rehearsal(
        status=FAILED if problems else FINISHED,
        platform=run.bundle.platform,
        phase=run.phase.name,
        seconds=seconds,
        scores=scores,
        row=row,
        warnings=tuple(run.warnings),
        problems=tuple(problems),
        steps=tuple(run.steps),
        lacks=lacks,
    )


def _refuse_programs(run: Run) -> None:
    """Refuse programs that cannot be unpacked or have no command, which needs no engine."""
    for number, name in enumerate(filter(None, (run.task.ingestion_program, run.task.scoring_program))):
        program = run.bundle.unpack(name, run.scratch / f"program{number}")
    if command_text(program, METADATA_FILES) is None:
        raise RunFailed(NO_COMMAND)


def _row(run: Run, worker: Worker, output: Path, scores: Mapping[str, Any]) -> tuple[Cell, ...]:
    """Return the leaderboard row of scores."""
    name = run.task.scoring_program
    program = _opened(name, run.bundle.files.get(name, b""))
    stored = store_scores(scores, run.bundle, worker, run.warnings, declared_scores(program))
    return leaderboard_row(run.bundle, worker, stored, feedback_of(output, program))


@lru_cache
def _opened(name: str, program: bytes) -> Archive | None:
    return open_archive(Report(), name, program, Room())


def _json_value(value: Any) -> Any:
    """Return a value in types that JSON has; decimals, NaN and infinities are strings."""

    def plain(value: Any) -> Any:
        return f"{value:f}" if isinstance(value, Decimal) else str(value)

    return json.loads(json.dumps(value, default=plain), parse_constant=lambda name: str(float(name)))
