"""Reading files with size limits. Links are never followed.

An organiser's files are read at once, as bytes; a participant's files are opened one by one, when they are needed.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, Optional, Union

from .problems import FileProblems, Problems

ORGANISER_LIMIT = 1 << 28
"""Largest size of an organiser's own file, in bytes."""


@dataclass(frozen=True)
class Files:
    """A participant's files.

    Attributes
    ----------
    sources
        The path, the content or the `Table` of each file, by its name in the submission.
    """

    sources: Mapping[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.sources)

    def open(self, name: str, limit: int, problems: Problems) -> BinaryIO:
        """Open a file of at most `limit` bytes. Never waits for a pipe, never follows a link.

        Raises
        ------
        FileProblems
            The file cannot be read, is not an ordinary file, or is too large. The class is that of `problems`.
        """
        return open_file(self.sources, name, limit, problems)

    def read(self, name: str, limit: int, problems: Problems) -> bytes:
        """The content of a file, opened as by `open`. Reads at most `limit` bytes, even if the file grows meanwhile."""
        return read_file(self.sources[name], name, limit, problems)


def open_file(files: Mapping[str, Union[Path, bytes]], name: str, limit: int, problems: Problems) -> BinaryIO:
    """Open one of some files, as `Files.open` does; a missing one is a problem."""
    if name not in files:
        problems.stop("unreadable_file", name, f"cannot be read: {os.strerror(errno.ENOENT)}")
    source = files[name]
    if isinstance(source, bytes):
        if len(source) > limit:
            refuse_size(name, limit, problems)
        return io.BytesIO(source)
    try:
        flags = [getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")]
        descriptor = os.open(str(source), os.O_RDONLY | sum(flags))
    except OSError as error:
        problems.stop("unreadable_file", name, f"cannot be read: {error.strerror}")
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        problems.stop("unreadable_file", name, "is not an ordinary file")
    if status.st_size > limit:
        os.close(descriptor)
        refuse_size(name, limit, problems)
    return os.fdopen(descriptor, "rb")


def refuse_size(name: str, limit: int, problems: Problems) -> NoReturn:
    problems.stop("file_too_large", name, f"is larger than {limit} bytes, far more than its items need")


def read_file(source: Union[Path, bytes], name: str, limit: int, problems: Problems) -> bytes:
    """The content of a file, as for `Files.read`."""
    return content_of({name: source}, name, problems, limit)


def read_folder(
    folder: Path, names: Optional[Iterable[str]] = None, *, error: type[FileProblems] = FileProblems
) -> dict[str, bytes]:
    """The organiser's files in a folder, `name -> content`: all files, or the existing ones among `names`."""
    paths = sorted(folder.glob("*")) if names is None else [folder / name for name in names]
    problems = Problems(error)
    return {
        path.name: read_file(path, path.name, ORGANISER_LIMIT, problems) for path in paths if path.is_file()
    }


def content_of(
    files: Mapping[str, Union[Path, bytes]], name: str, problems: Problems, limit: int = ORGANISER_LIMIT
) -> bytes:
    """The content of one of some files.

    Raises
    ------
    FileProblems
        The file is missing or too large. The class is that of `problems`.
    """
    with open_file(files, name, limit, problems) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        refuse_size(name, limit, problems)
    return content
