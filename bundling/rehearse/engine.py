"""Runs a rehearsal's programs with this Python on this machine (`containers`: in the bundle's own image)."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bundling.rehearse import sandbox
from bundling.rehearse.sandbox import Outcome


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


class LocalEngine:
    """Runs programs under the limits of `sandbox.run`.

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
        """Run a command as if it saw each folder under its name in `mounts` (`/app/input`), from the folder `cwd`.

        There are no mounts here: the name at the start of a word, or after the `=` in it, becomes the folder.
        `scratch` is a writable folder outside of all mounts, for the program's home and temporary files.
        """
        for name in ("home", "tmp"):
            (scratch / name).mkdir(exist_ok=True)
        words = [_with_folder(word, mounts) for word in command]
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


def _with_folder(word: str, mounts: Mapping[str, Path]) -> str:
    """A word of a command with the folder in place of the name that it is mounted under."""
    for name in sorted(mounts, key=len, reverse=True):
        match = re.fullmatch(rf"(|[^=/]*=){re.escape(name)}(/.*)?", word, re.DOTALL)
        if match:
            return f"{match[1]}{mounts[name]}{match[2] or ''}"
    return word
