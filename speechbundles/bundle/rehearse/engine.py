"""Runs a rehearsal's programs with this Python on this computer; `containers` runs them in the bundle's own image."""

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from speechbundles.bundle.rehearse import sandbox
from speechbundles.bundle.rehearse.sandbox import Limits, Outcome

USUAL = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""Environment variables of every program."""


class LocalEngine:
    """Runs programs under the limits of `sandbox.run`.

    `variables`: environment variables for the programs, besides the usual ones.
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
        """Run a command as if each folder were mounted under its name in `mounts` (`/app/input`), in the folder `cwd`.

        Nothing is mounted: the folder replaces the name at the start of a word, or after a `=` in it. `scratch` is a
        writable folder outside all mounts, for the program's home and temporary files.
        """
        words = local_words(command, mounts)
        env = environment(scratch, self.variables)
        return sandbox.run(words, cwd=mounts[cwd], env=env, seconds=seconds, limits=limits)


def local_words(command: Sequence[str], mounts: Mapping[str, Path]) -> list[str]:
    """Return a command as it is run here: with folders in place of mounted names, and with this Python."""
    words = [_with_folder(word, mounts) for word in command]
    if words[0] in ("python", "python3"):
        words[0] = sys.executable
    return words


def environment(scratch: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the complete environment of a program; its home and its temporary files are in `scratch`."""
    for name in ("home", "tmp"):
        (scratch / name).mkdir(exist_ok=True)
    return {**USUAL, "HOME": str(scratch / "home"), "TMPDIR": str(scratch / "tmp"), **variables}


def _with_folder(word: str, mounts: Mapping[str, Path]) -> str:
    """Return a word of a command with the folder in place of its mounted name."""
    for name in sorted(mounts, key=len, reverse=True):
        match = name in word and re.fullmatch(rf"(|[^=/]*=){re.escape(name)}(/.*)?", word, re.DOTALL)
        if match:
            return f"{match[1]}{mounts[name]}{match[2] or ''}"
    return word
