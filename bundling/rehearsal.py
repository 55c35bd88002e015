"""Do to a submission what the platform does, on this machine: unpack, run ingestion, run scoring, take the scores.

The bundle is a built zip, Codabench's (`competition.yaml` with `version: 2`) or CodaLab's (the 1.5 format).
Steps follow the Codabench compute worker and server (`compute_worker.py`, `upload_submission_scores`) and
CodaLab Competitions (`codalab/apps/web/tasks.py`, `update_submission`), awkward sides included: where the
platform would say "Finished" to a run whose scores it lost, so does the rehearsal, with a warning.

Conventions: *Failed* and *Finished* are the platform's words. A score is *stored* as the platform's database
keeps it (Codabench: a decimal of 10 places) and *shown* as its leaderboard prints it.
"""

from __future__ import annotations

import json
import math
import re
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

import yaml

from bundling import sandbox
from bundling.rehearsal_bundle import CODABENCH, BundleError, Plan, read_bundle
from bundling.rehearsal_scores import Cell, RunFailed, leaderboard_row, read_scores, store_scores
from bundling.sandbox import Outcome
from spokeneval.submissions.archive import unpack
from spokeneval.submissions.problems import SubmissionError

FINISHED = "Finished"
FAILED = "Failed"

_CODALAB_RUN = "/tmp/codalab/run"


@dataclass(frozen=True)
class Limits:
    """Bounds on each step. The platform has only the first; the others protect this machine.

    Attributes
    ----------
    seconds: wall-clock time; None: the phase's `execution_time_limit`.
    memory_bytes: memory of all processes of a step together.
    output_bytes: size of a file.
    processes: processes at once.
    """

    seconds: float | None = None
    memory_bytes: int = 4 << 30
    output_bytes: int = 64 << 20
    processes: int = 128


@dataclass(frozen=True)
class Step:
    """One program that was run: `ingestion` or `scoring`."""

    name: str
    command: tuple[str, ...]
    exit_code: int
    seconds: float
    stdout: str
    stderr: str
    why_stopped: str | None


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
        """Valid JSON: decimals are strings, and so are NaN and the infinities."""
        return json.dumps(_plain(asdict(self)), indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        """For people: the status and the row in one line, warnings, and what failed with what the programs said."""
        lines = [f"{self.status} in {self.seconds:.1f} s"]
        shown = [f"{cell.title} {cell.fixed()}" for cell in self.row if not cell.hidden]
        if shown and self.status == FINISHED:
            lines[0] += "   " + "  ".join(shown)
        lines += ["  " + line for problem in self.problems for line in problem.splitlines()]
        lines += [f"  warning: {warning}" for warning in self.warnings]
        if self.status == FAILED:
            lines += self._said()
        return _printable("\n".join(lines))

    def _said(self) -> list[str]:
        """What the programs that failed, and scoring, said; once, where they said the same."""
        lines: list[str] = []
        told = ""
        for step in reversed(self.steps):
            said = step.stderr.strip() or step.stdout.strip()
            if said and said != told and (step.exit_code or step.name == "scoring"):
                lines += ["", f"  {step.name} said (exit code {step.exit_code}):"]
                lines += ["    " + line for line in said.splitlines()]
                told = said
        return lines


class Engine(Protocol):
    """Runs the programs: on this machine (`LocalEngine`), or elsewhere, in the bundle's image, say."""

    def run(
        self,
        command: Sequence[str],
        mounts: Mapping[str, Path],
        *,
        cwd: str,
        scratch: Path,
        seconds: float,
        limits: Limits,
    ) -> Outcome:
        """Run a command that sees each folder under its name in `mounts` (`/app/input`), from the folder `cwd`.

        `scratch` is a writable folder outside of all mounts, for the program's home and temporary files.
        """
        ...


class LocalEngine:
    """Runs programs with this Python on this machine, under the limits of `sandbox.run`.

    There are no mounts here: the mounted name at the start of a word, or after the `=` in it, becomes the folder.
    `variables`: environment variables that the programs get besides the usual ones.
    """

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        self.variables = dict(variables or {})

    def run(
        self,
        command: Sequence[str],
        mounts: Mapping[str, Path],
        *,
        cwd: str,
        scratch: Path,
        seconds: float,
        limits: Limits,
    ) -> Outcome:
        for name in ("home", "tmp"):
            (scratch / name).mkdir(exist_ok=True)
        words = [_mapped(word, mounts) for word in command]
        if words[0] in ("python", "python3"):
            words[0] = sys.executable
        return sandbox.run(
            words,
            cwd=mounts[cwd],
            env={
                "PATH": "/usr/local/bin:/usr/bin:/bin",
                "HOME": str(scratch / "home"),
                "TMPDIR": str(scratch / "tmp"),
                "LANG": "C.UTF-8",
                "PYTHONUNBUFFERED": "1",
                "PYTHONDONTWRITEBYTECODE": "1",
                **self.variables,
            },
            seconds=seconds,
            memory_bytes=limits.memory_bytes,
            output_bytes=limits.output_bytes,
            processes=limits.processes,
        )


def _mapped(word: str, mounts: Mapping[str, Path]) -> str:
    for name in sorted(mounts, key=len, reverse=True):
        match = re.fullmatch(rf"(|[^=/]*=){re.escape(name)}(/.*)?", word, re.DOTALL)
        if match:
            return f"{match[1]}{mounts[name]}{match[2] or ''}"
    return word


def rehearse(
    bundle: Path,
    submission: Path,
    *,
    phase: str | None = None,
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
    keep: folder, empty or absent, that receives what the run left: `prediction/app`, `scoring/app`.
    limits: default `Limits()`.
    engine: default `LocalEngine()`.

    Raises
    ------
    BundleError: for a bundle that cannot be rehearsed, or a phase it does not have.
    ValueError: where the submission is no file, or `keep` is not empty.
    """
    limits = limits or Limits()
    if not submission.is_file():
        found = "is a folder" if submission.is_dir() else "there is no such file"
        raise ValueError(f"{submission}: {found}; expected a submission's zip")
    if keep is not None and keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise ValueError(f"{keep}: expected an empty folder, or none")
    start = time.monotonic()
    plan = read_bundle(bundle, phase)
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as folder:
        root = _new_folder(Path(folder).resolve() / "run")
        scratch = _new_folder(Path(folder).resolve() / "scratch")
        run = _Run(plan, root, scratch, limits, engine or LocalEngine())
        try:
            run.go(submission)
        except RunFailed as failure:
            run.problems.append(str(failure))
        finally:
            _make_writable(Path(folder))
        seconds = time.monotonic() - start
        if keep is not None:
            shutil.copytree(root, keep, symlinks=True, dirs_exist_ok=True)
    return Rehearsal(
        status=FAILED if run.problems else FINISHED,
        platform=plan.platform,
        phase=plan.phase,
        seconds=seconds,
        scores=run.scores,
        row=() if run.stored is None else leaderboard_row(plan, run.stored),
        warnings=tuple(run.warnings),
        problems=tuple(run.problems),
        steps=tuple(run.steps),
    )


class _Run:
    """One submission on its way: files below `root`, and what has been learnt so far."""

    def __init__(self, plan: Plan, root: Path, scratch: Path, limits: Limits, engine: Engine) -> None:
        self.plan = plan
        self.root = root
        self.scratch = scratch
        self.limits = limits
        self.engine = engine
        self.steps: list[Step] = []
        self.warnings: list[str] = list(plan.warnings)
        self.problems: list[str] = []
        self.scores: Mapping[str, Any] = {}
        self.stored: dict[str, Decimal] | None = None

    def go(self, submission: Path) -> None:
        if self.plan.platform == CODABENCH:
            results = self._predict(submission)
            output = self._score(results, "scoring/app", "/app")
            self._take(output)
            if (output / "metadata").exists():
                raise RunFailed(
                    "the scoring program left a file named metadata in its output; the worker writes that one"
                )
        else:
            results = _new_folder(self.root / "submission")
            self._unpack_submission(submission, results)
            output = self._score(results, "scoring/run", _CODALAB_RUN)
            self._take(output)
        self._check_detailed_results(output)

    def _unpack_submission(self, submission: Path, folder: Path) -> None:
        try:
            unpack(submission, folder)
        except SubmissionError as refusal:
            raise RunFailed(str(refusal)) from None
        for name in ("metadata.yaml", "metadata"):
            if (folder / name).exists():
                raise RunFailed(
                    f"the submission holds a file named {name}: a platform takes it for a program and runs the "
                    "command in it. It was not run here. Leave the file out: only results are to be submitted"
                )

    def _predict(self, submission: Path) -> Path:
        """The prediction step: the submission is copied whole, then ingestion runs. Returns what it leaves."""
        app = _new_folder(self.root / "prediction/app")
        submitted = _new_folder(app / "ingested_program")
        output = app / "output"
        mounts = {"/app/output": output, "/app/ingested_program": submitted}
        self._unpack_submission(submission, submitted)
        shutil.copytree(submitted, output)
        if self.plan.input_data is not None:
            mounts["/app/input_data"] = self.plan.extract(self.plan.input_data, app / "input_data")
            _make_read_only(mounts["/app/input_data"])
        step = None
        if self.plan.ingestion_program is not None:
            mounts["/app/program"] = self.plan.extract(self.plan.ingestion_program, app / "program")
            step = self._ingest(mounts)
        if (output / "metadata").exists():
            raise RunFailed(
                "the ingestion program left a file named metadata in its output; the worker writes that one"
            )
        seconds = None if step is None else step.seconds
        report = {
            "exitCode": None,
            "elapsedTime": seconds,
            "ingestionExitCode": None if step is None else step.exit_code,
            "ingestionElapsedTime": seconds,
        }
        (output / "metadata").write_text(yaml.safe_dump(report, default_flow_style=False), encoding="utf-8")
        return output

    def _ingest(self, mounts: Mapping[str, Path]) -> Step | None:
        text = _command_text(mounts["/app/program"])
        if text is None:
            self.warnings.append("the ingestion program has no command in metadata.yaml: it does not run")
            return None
        variables = _variables("/app", input="/app/input_data", predictions="/app/output")
        step = self._run("ingestion", _codabench_words(text, variables), mounts, "/app/program")
        if step.exit_code:
            self.warnings.append(
                f"ingestion ended with exit code {step.exit_code}; the platform scores all the same"
            )
        return step

    def _score(self, results: Path, place: str, seen_as: str) -> Path:
        """The scoring step, in the folder `place`, which the program sees as `seen_as`. Returns its output."""
        plan = self.plan
        base = _new_folder(self.root / place)
        program = plan.extract(plan.scoring_program, base / "program")
        if plan.reference_data is not None:
            plan.extract(plan.reference_data, base / "input/ref")
        _copy_files(results, base / "input/res")
        _make_read_only(base / "input")
        mounts = {f"{seen_as}/{name}": _new_folder(base / name) for name in ("output", "shared")}
        mounts |= {f"{seen_as}/program": program, f"{seen_as}/input": base / "input"}
        output = base / "output"
        text = _command_text(program)
        if text is None:
            raise RunFailed(
                "the scoring program has no command in its metadata: nothing runs, there are no scores"
            )
        variables = _variables(seen_as, input=f"{seen_as}/input", predictions=f"{seen_as}/input/res")
        if plan.platform == CODABENCH:
            words = _codabench_words(text, variables)
        else:
            words = [_replaced(word, variables) for word in text.split(" ")]
        step = self._run("scoring", words, mounts, f"{seen_as}/program")
        if step.exit_code:
            if any((output / name).exists() for name in ("scores.json", "scores.txt")):
                self.warnings.append("scores were written, but count for nothing after a non-zero exit code")
            stopped = step.why_stopped and f"scoring was stopped: {step.why_stopped}"
            raise RunFailed(stopped or f"the scoring program ended with exit code {step.exit_code}")
        return output

    def _run(self, name: str, words: list[str], mounts: Mapping[str, Path], cwd: str) -> Step:
        seconds = self.plan.seconds if self.limits.seconds is None else self.limits.seconds
        outcome = self.engine.run(
            words, mounts, cwd=cwd, scratch=self.scratch, seconds=seconds, limits=self.limits
        )
        step = Step(
            name,
            tuple(words),
            outcome.exit_code,
            outcome.seconds,
            outcome.stdout,
            outcome.stderr,
            outcome.why_stopped,
        )
        self.steps.append(step)
        if step.why_stopped is not None and name == "ingestion":
            # The worker knows one limit, time, and does not go on to scoring after it.
            raise RunFailed(f"ingestion was stopped: {step.why_stopped}")
        return step

    def _take(self, output: Path) -> None:
        self.scores = read_scores(output, self.plan, self.warnings)
        self.stored = store_scores(self.scores, self.plan, self.warnings)

    def _check_detailed_results(self, output: Path) -> None:
        written = (output / "detailed_results.html").is_file()
        if self.plan.detailed_results and not written:
            self.warnings.append(
                "detailed results are enabled, but there is no detailed_results.html in the output"
            )
        elif written and not self.plan.detailed_results:
            self.warnings.append(
                "detailed_results.html was written, but enable_detailed_results is off: not shown"
            )


# Commands


def _command_text(program: Path) -> str | None:
    """The command in a program's metadata, None where there is none."""
    for name in ("metadata.yaml", "metadata"):
        if (program / name).exists():
            try:
                metadata = yaml.safe_load((program / name).read_text(encoding="utf-8"))
            except (OSError, ValueError, yaml.YAMLError):
                return None
            command = metadata.get("command") if isinstance(metadata, dict) else None
            return str(command).strip() or None if command else None
    return None


def _variables(root: str, *, input: str, predictions: str) -> dict[str, str]:
    """What the worker puts for each variable of a command. `$input` is not the same in the two steps."""
    return {
        "$input": input,
        "$output": f"{root}/output",
        "$program": f"{root}/program",
        "$ingestion_program": f"{root}/program",
        "$hidden": f"{root}/input/ref",
        "$shared": f"{root}/shared",
        "$submission_program": f"{root}/ingested_program",
        "$tmp": f"{root}/output",
        "$predictions": predictions,
    }


def _codabench_words(text: str, variables: Mapping[str, str]) -> list[str]:
    try:
        return shlex.split(_replaced(text, variables))
    except ValueError as error:
        raise BundleError(f"the command {text!r} cannot be split into words: {error}") from None


def _replaced(text: str, variables: Mapping[str, str]) -> str:
    for name, value in variables.items():
        text = text.replace(name, value)
    return text


# Files and text


def _new_folder(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def _copy_files(source: Path, target: Path) -> None:
    """Copy what a step left, as the worker's zip would carry it: links become what they point to."""
    try:
        shutil.copytree(source, target, ignore_dangling_symlinks=True)
    except (OSError, shutil.Error) as error:
        raise RunFailed(f"what prediction left cannot be packed: {error}") from None


def _make_read_only(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)


def _make_writable(folder: Path) -> None:
    """Give the owner back every right, so that the folder can be copied and removed."""
    folder.chmod(0o700)
    for path in folder.iterdir():
        if path.is_symlink():
            continue
        if path.is_dir():
            _make_writable(path)
        else:
            path.chmod(path.stat().st_mode | 0o600)


def _plain(value: Any) -> Any:
    """What JSON can say of a value."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, Decimal):
        return f"{value:f}"
    return str(value)


def _printable(text: str) -> str:
    """Control characters escaped, except line breaks and tabs: a program's output may carry a participant's text."""
    return "".join(char if char in "\n\t" or char.isprintable() else repr(char)[1:-1] for char in text)
