"""Output files that are whole or absent."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_file(path: Path, text: str) -> None:
    """Write a file at once: a reader finds the whole text or no file, whenever the program is stopped."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    with suppress(FileNotFoundError):
        unfinished.unlink()
    try:
        with open(str(unfinished), "xb") as stream:
            stream.write(text.encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(str(unfinished), str(path))
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise
