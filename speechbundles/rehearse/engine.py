"""Runs a rehearsal's programs with this Python on this machine (`containers`: in the bundle's own image)."""

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from speechbundles.rehearse import sandbox
from speechbundles.rehearse.sandbox import Limits, Outcome

USUAL = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""Environment variables of every program."""


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
        words = local_words(command, mounts)
        env = environment(scratch, self.variables)
        return sandbox.run(words, cwd=mounts[cwd], env=env, seconds=seconds, limits=limits)


def local_words(command: Sequence[str], mounts: Mapping[str, Path]) -> list[str]:
    """A command as it is run here: folders in place of what they are mounted under, and this Python."""
    words = [_with_folder(word, mounts) for word in command]
    if words[0] in ("python", "python3"):
        words[0] = sys.executable
    return words


def environment(scratch: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of a program, with a home and a place for temporary files in `scratch`."""
    for name in ("home", "tmp"):
        (scratch / name).mkdir(exist_ok=True)
    return {**USUAL, "HOME": str(scratch / "home"), "TMPDIR": str(scratch / "tmp"), **variables}


def _with_folder(word: str, mounts: Mapping[str, Path]) -> str:
    """A word of a command with the folder in place of the name that it is mounted under."""
    for name in sorted(mounts, key=len, reverse=True):
        match = re.fullmatch(rf"(|[^=/]*=){re.escape(name)}(/.*)?", word, re.DOTALL)
        if match:
            return f"{match[1]}{mounts[name]}{match[2] or ''}"
    return word
