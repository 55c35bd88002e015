"""What is run: the public and hidden sets of a competition with their recordings, limits, and the engine."""

import json
import os
import wave
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse import (
    BubblewrapEngine,
    ContainerEngine,
    Engine,
    Limits,
    Program,
    equal_share,
    find_python,
)
from speechbundles.model.bounded import digest_of
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.competition import Competition
from speechbundles.model.errors import OrganiserError
from speechbundles.model.temporary import temporary_folder
from speechbundles.model.zips import files_below
from speechbundles.runs import landlock
from speechbundles.runs.outcomes import tree_digest
from spokeneval.formats.problems import count_of, some_of
from spokeneval.task import Task

ENGINES = ("auto", "bubblewrap", "docker")

_LISTED = (
    "import hashlib, importlib.metadata as m, sys; print(sys.version.split()[0], *sorted("
    "{'%s==%s' % (d.metadata['Name'], d.version) for d in m.distributions()}))"
)
"""A program that prints the versions of a Python, 3.9 or later, and of all its packages."""


@dataclass(frozen=True)
class SoundSet:
    """A set: its public files, `name -> content`, and the folder with its recordings."""

    items: Mapping[str, bytes]
    sound: Path

    @cached_property
    def seconds(self) -> float:
        """The duration of all WAV files; 0 if there are none, or one cannot be read."""
        seconds = 0.0
        for path in filter(Path.is_file, self.sound.rglob("*.[wW][aA][vV]")):
            try:
                with wave.open(str(path)) as sound:
                    seconds += sound.getnframes() / sound.getframerate()
            except (wave.Error, EOFError, ZeroDivisionError):  # the last of a sample rate of 0
                return 0.0
        return seconds


@dataclass(frozen=True)
class Job:
    """What each upload is taken through.

    Attributes
    ----------
    definition: the task.
    smoke: the name of the public set of the smoke run.
    parts: the smoke set and the hidden sets, by name.
    environment: `image` or `own`.
    limits: of a run; its output is all that it writes.
    repeat: how often a program is run on a hidden set.
    wheels: a folder of wheels; None: packages come from the network.
    cache: the folder of installed packages.
    engine, image, python, gpu: the arguments of `choose_engine`.
    shows_factor: whether everybody sees the real-time factor.
    """

    definition: Task
    smoke: str
    parts: Mapping[str, SoundSet]
    environment: str
    limits: Limits
    repeat: int
    wheels: Path | None
    cache: Path
    engine: str
    image: str
    python: Path | None
    gpu: bool
    shows_factor: bool = False


@cache
def choose_engine(name: str, image: str, python: Path | None, gpu: bool) -> Engine:
    """Return the engine for programs of participants; there is none that runs them with the user's rights.

    Raises
    ------
    OrganiserError: the engine is not available here.
    """
    reason = "it gives programs no GPU" if gpu else "another engine is chosen"
    if name == "bubblewrap" and gpu:
        raise OrganiserError("bubblewrap gives programs no GPU; use --engine docker")
    if name != "docker" and not gpu:
        try:
            return BubblewrapEngine(python=find_python(python))
        except OrganiserError as error:
            if name != "auto":
                raise
            reason = str(error)
    if python is not None:
        raise OrganiserError(f"--python needs bubblewrap, which cannot be used: {reason}")
    try:
        return ContainerEngine(image, gpu=gpu)
    except OrganiserError as error:
        raise OrganiserError(f"{error}\n  bubblewrap: {reason}") from None


def engine_of(job: Job) -> Engine:
    return choose_engine(job.engine, job.image, job.python, job.gpu)


def layers(engine: Engine) -> str:
    """Return a line that lists the layers of protection that hold."""
    if isinstance(engine, BubblewrapEngine):
        has_landlock = landlock.version() >= landlock.OLDEST
        holds = "no writing elsewhere" if has_landlock else "the kernel has none that is used"
        with equal_share(f"speechbundles-{os.getpid()}") as first:
            shares = "equal shares" if first else "no shares of their own"
        return f"{engine.layers}; Landlock: {holds}; processors: {shares}"
    return (
        "container: own files, processes and network namespace without network; memory, processes and file sizes "
        "limited; the engine's own filter of system calls; not tested with hostile programs here"
    )


def environment_of(job: Job) -> str:
    """Return the Python of the programs and its packages with their versions, in a line."""
    return _environment(job.engine, job.image, job.python, job.gpu)


@cache
def _environment(*of_engine: Any) -> str:
    engine = choose_engine(*of_engine)
    with temporary_folder("environment") as place:
        program = Program("environment", ["python3", "-c", _LISTED], "/app/place", {"/app/place": place})
        outcome = engine.run(program, place, Limits(120.0))
    if outcome.exit_code:
        raise OrganiserError(f"python3 cannot be run by this engine: {outcome.stderr.strip():.300}")
    return outcome.stdout.strip()


def conditions(job: Job, hidden: Collection[str]) -> dict[str, str]:
    """Return a digest of all that an outcome depends on: sets, recordings, limits, engine, environment.

    Parameters
    ----------
    hidden: the hidden sets, each of which has a digest; the empty name for uploads that are only run on the smoke set.
    """
    sets = {
        name: [
            {item: digest_of(part.items[item]) for item in sorted(part.items)},
            tree_digest(part.sound),
        ]
        for name, part in job.parts.items()
        if name in (job.smoke, *hidden)
    }
    engine = type(engine_of(job)).__name__
    same = [job.environment, vars(job.limits), engine, job.image, job.gpu, environment_of(job)]
    listed = {name: [same, *(sets[each] for each in (job.smoke, name) if each)] for name in hidden}
    return {name: digest_of(json.dumps(of, sort_keys=True).encode()) for name, of in listed.items()}


def make_job(
    competition: Competition,
    bundle: BuiltBundle,
    cache: Path,
    *,
    engine: str = "auto",
    python: Path | None = None,
    wheels: Path | None = None,
    repeat: int = 1,
) -> Job:
    """Return what uploads to a competition are taken through.

    Parameters
    ----------
    bundle: the one with all labels, of which only the item lists in the kit are used.

    Raises
    ------
    OrganiserError: the folder with the recordings cannot be used; the message lists all problems.
    """
    public = [name for name in competition["public_sets"] if (competition.sound / name).is_dir()]
    wanted = [*public[:1], *competition.home_sets]
    listed = ", ".join(competition["public_sets"]) or "none"
    lacking = f"no folder of a public set ({listed}); each program is tried on it first"
    problems = [] if public else [lacking]
    labels = {layout.file for layout in competition.definition.format.layouts}
    for name in wanted:
        problems += _problems_of_sound(competition.sound / name, labels)
    if problems:
        lines = "\n".join(f"  {line}" for line in problems)
        raise OrganiserError(f"sound: {competition.sound}: {count_of(len(problems), 'problem')}\n{lines}")
    chosen = competition.run_limits
    limits = Limits(float(chosen["seconds"]), chosen["memory_mb"] << 20, chosen["disk_mb"] << 20)
    kit = dict(bundle.entries(str(bundle.phases[0].starting_kit)))
    inputs = {name: files_below(f"{name}/input/", kit) for name in wanted}
    return Job(
        definition=competition.definition,
        smoke=wanted[0],
        parts={name: SoundSet(inputs[name], (competition.sound / name).resolve()) for name in wanted},
        environment=competition["environment"],
        limits=limits,
        repeat=repeat,
        wheels=wheels and wheels.resolve(),  # pip runs in another folder
        cache=cache,
        engine=engine,
        image=competition["docker_image"],
        python=python,
        gpu=chosen["gpu"],
        shows_factor=chosen["real_time_factor"],
    )


def _problems_of_sound(folder: Path, labels: Collection[str]) -> Iterator[str]:
    """Yield why a folder with recordings cannot be given to programs: links, special files, and labels."""
    if not folder.is_dir():
        yield f"{folder.name}/: no such folder; put the recordings of this set there"
        return
    paths = sorted(folder.rglob("*"))
    odd = [path for path in paths if path.is_symlink() or not (path.is_dir() or path.is_file())]
    named = [path for path in paths if path.name in labels]
    kinds = {"links or special files": odd, "named as the files with labels; move these files away": named}
    for what, found in kinds.items():
        if found:
            yield f"{folder.name}/: {some_of([os.path.relpath(path, folder) for path in found])}: {what}"
    if not any(path.is_file() for path in paths):
        yield f"{folder.name}/: no files"
