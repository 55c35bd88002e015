"""One submission on its way through a platform's worker: what all workers do, and what a run leaves."""

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from speechbundles.model.bounded import MOST_YAML, parse_yaml, read_file
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.errors import BundleError
from speechbundles.rehearse.containers import ContainerEngine
from speechbundles.rehearse.engine import LocalEngine
from speechbundles.rehearse.sandbox import Limits
from speechbundles.rehearse.warm import WarmEngine
from spokeneval.formats.problems import SubmissionError
from spokeneval.formats.submission_zip import unpack

Engine = LocalEngine | WarmEngine | ContainerEngine


class RunFailed(Exception):
    """The platform would say Failed, for this reason."""


class ScoresLost(Exception):
    """The platform would lose all scores and say Finished, for this reason."""


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


@dataclass
class Run:
    """A run of one submission: files below `root`, the programs that ran so far, and warnings."""

    bundle: BuiltBundle
    phase: BuiltPhase
    root: Path
    scratch: Path
    limits: Limits
    engine: Engine
    steps: list[Step]
    warnings: list[str]

    def unpack_submission(self, submission: Path, folder: Path, metadata_files: Iterable[str]) -> None:
        try:
            unpack(submission, folder)
        except SubmissionError as refusal:
            raise RunFailed(str(refusal)) from None
        for name in metadata_files:
            if (folder / name).exists():
                raise RunFailed(
                    f"the submission holds a file named {name}: a platform takes it for a program and runs the "
                    "command in it. It was not run here. Leave the file out: only results are to be submitted"
                )

    def execute(self, name: str, words: list[str], mounts: Mapping[str, Path], cwd: str) -> Step:
        seconds = self.phase.seconds if self.limits.seconds is None else self.limits.seconds
        try:
            outcome = self.engine.run(
                words, mounts, cwd=cwd, scratch=self.scratch, seconds=seconds, limits=self.limits
            )
        except ValueError as error:  # the bundle's: no time at all, or a word that no command can have
            raise BundleError(str(error)) from None
        step = Step(name, tuple(words), **vars(outcome))
        self.steps.append(step)
        return step

    def lay_out_scoring(self, results: Path, base: Path) -> None:
        """The folders that a scoring program finds; `results`: what it is to score."""
        self.bundle.unpack(self.phase.scoring_program, base / "program")
        if self.phase.reference_data is not None:
            self.bundle.unpack(self.phase.reference_data, base / "input/ref")
        try:  # as the worker's zip would carry it: links become what they point to
            shutil.copytree(results, base / "input/res", ignore_dangling_symlinks=True)
        except (OSError, shutil.Error) as error:
            raise RunFailed(f"what prediction left cannot be packed: {error}") from None
        make_read_only(base / "input")
        for name in ("output", "shared"):
            new_folder(base / name)

    def score(self, words: list[str] | None, base: Path, root: str, cwd: str) -> Path:
        """Run the scoring program, which sees the folder `base` as `root`, from `cwd` in it; returns its output."""
        if words is None:
            raise RunFailed(
                "the scoring program has no command in its metadata: nothing runs, there are no scores"
            )
        mounts = {f"{root}/{name}": base / name for name in ("output", "shared", "program", "input")}
        mounts.setdefault(cwd, base / cwd.removeprefix(root).lstrip("/"))
        output = base / "output"
        step = self.execute("scoring", words, mounts, cwd)
        if step.exit_code:
            if any((output / name).exists() for name in ("scores.json", "scores.txt")):
                self.warnings.append("scores were written, but count for nothing after a non-zero exit code")
            stopped = step.why_stopped and f"scoring was stopped: {step.why_stopped}"
            raise RunFailed(stopped or f"the scoring program ended with exit code {step.exit_code}")
        return output


def command_text(program: Path, metadata_files: Iterable[str]) -> str | None:
    """The command in an unpacked program's metadata, None where there is none."""
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


def make_read_only(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():  # to what several runs share
            path.chmod(path.stat().st_mode & ~0o222)
