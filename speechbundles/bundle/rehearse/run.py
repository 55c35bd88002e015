"""The run of one submission in a platform's worker: the steps that all workers share."""

import shutil
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from speechbundles.bundle.rehearse.engine import Engine, Program
from speechbundles.bundle.rehearse.left_behind import Left, RunFolder
from speechbundles.bundle.rehearse.sandbox import Limits
from speechbundles.model.bounded import MOST_YAML, parse_yaml, read_file
from speechbundles.model.bundle import BuiltBundle, BuiltPhase, BuiltTask
from speechbundles.model.errors import BundleError
from speechbundles.model.platform import platforms
from spokeneval.formats.problems import SubmissionError, some_of
from spokeneval.formats.submission_zip import unpack
from spokeneval.task import Column

LARGEST_SCORES = 1_000_000
"""Most bytes of a file with scores."""

NO_PASSWORD = "The starting kit's try_submission.py writes the zip to upload, without a password."


METADATA_FILES = tuple(dict.fromkeys(chain(*(each.metadata_files for each in platforms().values()))))
"""Files with the command of a program, on any platform."""

Computation = Callable[[Sequence[Decimal]], Decimal]


class RunFailed(Exception):
    """Raised with the reason why the platform would report Failed."""


class ScoresLost(Exception):
    """Raised with the reason why the platform would lose all scores but report Finished."""


NO_COMMAND = "the scoring program has no command in its metadata, so it is not run and there are no scores"


class Worker(Protocol):
    """The `worker` of a platform: how it runs a submission and handles its scores.

    Attributes
    ----------
    RUNS: functions that run a submission and return the scoring program's output, as each version of the worker does.
    COMPUTATIONS: how the server computes a column from others that have a score.
    """

    RUNS: Sequence[Callable[["Run", Path], Path]]
    COMPUTATIONS: Mapping[str, Computation]

    def check_output(self, output: Path, /) -> None: ...
    def page_warnings(self, output: Path, enabled: bool, /) -> list[str]: ...
    def read_scores(self, output: Path, /) -> Mapping[Any, Any]: ...
    def store_scores(
        self, scores: Mapping[str, Any], columns: Sequence[Column], warnings: list[str], /
    ) -> dict[str, Decimal]: ...
    def show_score(self, stored: Decimal, precision: int, /) -> str: ...


@dataclass(frozen=True)
class Step:
    """The run of one program, `submission`, `ingestion` or `scoring`."""

    name: str
    command: tuple[str, ...]
    exit_code: int
    seconds: float
    stdout: str
    stderr: str
    why_stopped: str | None


@dataclass
class Run:
    """A run of one submission on one task: its folder, the programs that ran so far, and warnings.

    What the programs read and write is below `root`; `scratch` is for their homes and temporary files.
    """

    bundle: BuiltBundle
    phase: BuiltPhase
    task: BuiltTask
    place: RunFolder
    engine: Engine
    steps: list[Step]
    warnings: list[str]

    @property
    def root(self) -> Path:
        return self.place.path / "run"

    @property
    def scratch(self) -> Path:
        return self.place.path / "scratch"

    def unpack_submission(
        self, submission: Path, folder: Path, metadata_files: Iterable[str], *, password: str = ""
    ) -> bool:
        """Unpack a submission as the worker does; return whether it is a program.

        Parameters
        ----------
        metadata_files: files that make a submission a program, which is never run beside our own programs.
        password: what the platform makes of an encrypted zip, if it does not report Failed.
        """
        moved = []

        def place(name: str) -> str:
            inside = extracted_name(name)
            if inside != name:
                moved.append(name)
            return inside

        try:
            unpack(submission, folder, place)
        except SubmissionError as refusal:
            lines = [str(refusal)]
            if any(problem.code == "encrypted_zip" for problem in refusal.problems):
                lines += [password] * bool(password) + [NO_PASSWORD]
            raise RunFailed("\n".join(lines)) from None
        if moved:
            self.warnings.append(
                f"these entries point outside the zip, and the platform unpacks them inside its folder: "
                f"{some_of(sorted(set(moved)))}; "
                "the starting kit refuses such a zip"
            )
        found = [name for name in metadata_files if (folder / name).exists()]
        if found and self.engine.strict:
            raise RunFailed(
                f"the submission contains a file named {found[0]}: the platform would take the submission for a "
                "program and run the command in this file. It was not run here. Remove the file; submit results "
                "only"
            )
        return bool(found)

    def execute(self, *programs: Program) -> list[Step]:
        """Run programs at the same time; return the run of each."""
        beside = [Future[Step]() for _ in programs[1:]]
        for program, future in zip(programs[1:], beside, strict=True):
            # A daemon does not keep an interrupted rehearsal waiting.
            threading.Thread(target=self._complete, args=(program, future), daemon=True).start()
        steps = [self._start(program, self.scratch) for program in programs[:1]]
        steps += [future.result() for future in beside]
        self.steps += steps
        return steps

    def _complete(self, program: Program, future: "Future[Step]") -> None:
        try:
            future.set_result(self._start(program, new_folder(self.scratch / program.name)))
        except BaseException as error:
            future.set_exception(error)

    def _start(self, program: Program, scratch: Path) -> Step:
        if not self.engine.strict:
            program = replace(program, mounts={**program.inputs, **program.mounts}, inputs={})
        try:
            outcome = self.engine.run(program, scratch, Limits(self.phase.seconds))
        except ValueError as error:  # in the bundle: no time limit, or a word that a command cannot contain
            raise BundleError(str(error)) from None
        ended = {name: value for name, value in vars(outcome).items() if name != "peak_bytes"}
        return Step(program.name, tuple(program.words), **ended)

    def new_folder(self, folder: Path) -> Path:
        """Make a folder that no program has been in, and return it."""
        try:
            return self.place.new_folder(folder)
        except OSError as error:
            inner = folder.relative_to(self.place.path)
            raise RunFailed(
                f"the folder {inner} cannot be made: {error.strerror}. Did a program write outside its own folders?"
            ) from None

    def collect(self, folder: Path, target: Path, step: str) -> str:
        """Copy the output of a step; return why the run fails because of what was left in it, or an empty text.

        The platforms' workers pack an output with the targets of its links.
        """
        try:
            left = self.place.collect(folder, target)
        except OSError as error:
            raise RunFailed(f"the output of {step} cannot be packed: {error.strerror}") from None
        self.warnings += Left(others=left.others).notes(f"left out of the output of {step}")
        if left.links:
            return (
                f"the output of {step} contains a link, {min(left.links)!r:.200}. The platform packs the file that it "
                "points to; write regular files only"
            )
        return left.excess and f"the output of {step} has {left.excess}"

    def lay_out_scoring(self, results: Path, base: Path, submitted: Path | None = None) -> None:
        """Make the folders that a scoring program expects, with the results to be scored.

        Parameters
        ----------
        submitted: a submission that is copied over the results, and put beside the input.
        """
        self.new_folder(base.parent)
        self.bundle.unpack(self.task.scoring_program, base / "program")
        if self.task.reference_data is not None:
            self.bundle.unpack(self.task.reference_data, base / "input/ref")
        problem = self.collect(results, base / "input/res", "prediction")
        if problem:
            raise RunFailed(problem)
        if submitted is not None:
            try:
                shutil.copytree(submitted, base / "input/res", dirs_exist_ok=True)
            except OSError:
                self.warnings.append(
                    "the platform cannot copy the whole submission over the files that ingestion wrote; it scores the "
                    "files that are there"
                )
            shutil.copytree(submitted, base / submitted.name)
        for name in ("output", "shared"):
            new_folder(base / name)

    def score(self, program: Program, base: Path, beside: Sequence[Program] = ()) -> Path:
        """Run the scoring program, whose output is in the folder `base`, and programs beside it; copy its output."""
        if not program.words:
            raise RunFailed(NO_COMMAND)
        step, *others = self.execute(program, *beside)
        output = self.new_folder(self.place.path / "output")
        problem = self.collect(base / "output", output, "scoring")
        if step.exit_code:
            if any((output / name).exists() for name in ("scores.json", "scores.txt")):
                self.warnings.append(
                    "scores were written, but the platform ignores them after a non-zero exit code"
                )
            stopped = step.why_stopped and f"scoring was stopped: {step.why_stopped}"
            raise RunFailed(stopped or f"the scoring program ended with exit code {step.exit_code}")
        check_time(others)
        if problem:
            raise RunFailed(problem)
        return output


def check_time(steps: Iterable[Step]) -> None:
    """Check that no program was stopped: a worker has one limit, on time, and does not score what exceeds it."""
    for step in steps:
        if step.why_stopped is not None:
            raise RunFailed(f"{step.name} was stopped: {step.why_stopped}")


def extracted_name(name: str) -> str:
    """Return the name under which all platforms' workers unpack an entry that would leave the submission's folder.

    `zipfile.ZipFile.extractall` leaves out `..` and a leading slash. Source: `_get_bundle` in
    compute_worker.py, `get_bundle` in worker.py of competitions-v1-compute-worker.
    """
    parts = name.split("/")
    if ".." not in parts and not name.startswith("/"):
        return name
    return "/".join(part for part in parts if part not in ("", ".", "..")) + "/" * name.endswith("/")


def command_text(program: Path, metadata_files: Iterable[str]) -> str | None:
    """Return the command in the metadata of an unpacked program, or None."""
    metadata = next((program / name for name in metadata_files if (program / name).exists()), None)
    if metadata is None:
        return None
    try:
        return _command_in(read_file(metadata, MOST_YAML))
    except (OSError, ValueError):
        return None


@lru_cache
def _command_in(metadata: bytes) -> str | None:
    content = parse_yaml(metadata)
    command = content.get("command") if isinstance(content, dict) else None
    return str(command).strip() or None if command else None


def replace_variables(text: str, variables: Mapping[str, str]) -> str:
    for name, value in variables.items():
        text = text.replace(name, value)
    return text


def new_folder(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder
