"""The interface of all engines: what runs the programs of rehearsals.

`ProcessEngine` runs programs with the user's rights, `BubblewrapEngine` in namespaces without rights, and
`ContainerEngine` in an image. `engines.choose_engine` chooses one for a bundle.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from speechbundles.bundle.rehearse.sandbox import Limits, Outcome

USUAL = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""Environment variables of every program that runs outside an image."""


@dataclass(frozen=True)
class Program:
    """A program to run.

    Attributes
    ----------
    name: what messages call it, such as `scoring`.
    words: the command and its arguments; no shell reads them.
    cwd: the folder in which it starts, one of `mounts`.
    mounts: folders that it reads and writes, by the absolute names under which it finds them (`/app/output`).
    inputs: the same for folders that it cannot write to.
    memory: further folders that it writes, which are kept in memory and lost at its end, with their largest size in
        bytes; among them may be its home `/root` and `/tmp`.
    """

    name: str
    words: Sequence[str]
    cwd: str
    mounts: Mapping[str, Path]
    inputs: Mapping[str, Path] = field(default_factory=dict)
    memory: Mapping[str, int] = field(default_factory=dict)

    @property
    def folders(self) -> dict[str, Path]:
        """All folders that it sees, the outer ones first."""
        both = {**self.mounts, **self.inputs}
        return {name: both[name] for name in sorted(both, key=len)}


class Engine(Protocol):
    """Runs programs.

    Attributes
    ----------
    strict: whether rehearsals give programs their inputs read-only and run no submission, as is safe for this project's
        own programs; if not, they do what the platform does.
    """

    strict: bool

    def run(self, program: Program, scratch: Path, limits: Limits) -> Outcome:
        """Run a program until it ends or exceeds a limit; then none of its processes is left.

        Its standard input is empty. Its environment has the usual variables and those that the engine was made with,
        none of the user's. Several threads may run programs at the same time.

        Parameters
        ----------
        scratch: a writable folder outside all mounts, for its home and temporary files.
        limits: time is wall-clock time; memory and processes are of all its processes together.

        Raises
        ------
        ValueError: the command is empty or has a word that no command can have, or a limit is not positive.
        OrganiserError: the engine cannot start programs.
        """
