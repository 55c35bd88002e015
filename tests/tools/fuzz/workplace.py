"""What all targets of fuzzing use."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

MEMORY = Path("/dev/shm")
"""A file system in memory, used if it exists."""


class Finding(AssertionError):
    """A program neither accepted nor refused its input, or took too long."""


class Workplace:
    """A folder for the files of the targets, made once and used for every input."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(
            prefix="fuzz-", dir=str(MEMORY) if MEMORY.is_dir() else None
        )
        self.path = Path(self._folder.name)

    def empty(self, name: str) -> Path:
        folder = self.path / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def close(self) -> None:
        self._folder.cleanup()


Target = Callable[[bytes], str]


def outcome(read: Callable[[], object], *refusals: type[Exception]) -> str:
    """Return whether a function accepts its input or refuses it with one of these errors, which can be printed."""
    try:
        read()
    except refusals as refusal:
        str(refusal)
        return "refused"
    return "accepted"
