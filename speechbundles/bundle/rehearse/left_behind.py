"""Reads what a program left in a folder. Nothing else reads files that a program could have written.

A program can leave links to private files or to `/dev/zero`, pipes that never end, endless folders, and links in the
place of the folders in which it ran. So the folder of a run is opened before the first program starts, and from then on
every file in it is opened relative to this handle, folder by folder, and no link is followed. Only regular files are
copied, within limits; everything else is reported. Files are written only to names that did not exist.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from errno import EEXIST
from pathlib import Path

from speechbundles.model.temporary import closing, open_folder, temporary_folder
from spokeneval.formats.problems import some_of
from spokeneval.formats.submission_folder import MAX_FILES
from spokeneval.formats.submission_zip import MAX_BYTES

MOST_ENTRIES = 4 * MAX_FILES
MOST_BYTES = 4 * MAX_BYTES
DEEPEST = 50
"""Limits on a folder that is copied: files and folders, bytes, and nesting. A kept run contains a submission thrice."""

MOST_NAMED = 5

_BLOCK = 1 << 20


@dataclass
class Left:
    """What was not copied: links, other special or unreadable files, and why the copy is incomplete, if it is."""

    links: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    excess: str = ""
    entries: int = 0
    size: int = 0

    def notes(self, what: str) -> list[str]:
        """Return a line for each kind of files that were not copied."""
        kinds = {"links": self.links, "not regular files that can be read": self.others}
        lines = [f"{what}, {kind}: {_listed(names)}" for kind, names in kinds.items() if names]
        return lines + [f"{what}: the rest of {self.excess}"] * bool(self.excess)


@dataclass(frozen=True)
class RunFolder:
    """The folder of a run: its path, and a handle that leads to it whatever a program does to the path.

    The paths that its functions take are below this path.
    """

    path: Path
    handle: int

    def new_folder(self, path: Path) -> Path:
        """Make a folder that no program has been in, and return it.

        Raises
        ------
        OSError: the name is taken, or the path leads elsewhere, because a program has replaced a folder.
        """
        with self._opened(path.parent) as folder:
            os.mkdir(path.name, 0o700, dir_fd=folder)
            made = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
        if not os.path.samestat(made, os.lstat(path)):
            raise OSError(EEXIST, "a program has replaced this folder", str(path))
        return path

    def write(self, path: Path, content: bytes) -> None:
        """Write a new file.

        Raises
        ------
        OSError: the name is taken (`FileExistsError`), also by a link; or there is no such folder.
        """
        with self._opened(path.parent) as folder:
            name, flags = path.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            with open(os.open(name, flags, 0o666, dir_fd=folder), "wb") as stream:
                stream.write(content)

    def collect(self, path: Path, target: Path) -> Left:
        """Copy the regular files in a folder to a new or empty folder.

        Raises
        ------
        OSError: there is no such folder, or the copy cannot be written.
        """
        left = Left()
        target.mkdir(0o700, parents=True, exist_ok=True)
        with self._opened(path) as source, closing(open_folder(target)) as copy, suppress(_Excess):
            _copy(source, copy, (), left)
        return left

    @contextmanager
    def _opened(self, path: Path) -> Iterator[int]:
        handle = os.dup(self.handle)
        try:
            for part in path.relative_to(self.path).parts:
                inner = open_folder(part, handle)
                os.close(handle)
                handle = inner
            yield handle
        finally:
            os.close(handle)


@contextmanager
def temporary_place(purpose: str, above: Path | None = None) -> Iterator[RunFolder]:
    """Make a temporary folder for a run (see `temporary_folder`)."""
    with temporary_folder(purpose, above) as path, closing(open_folder(path)) as handle:
        yield RunFolder(path, handle)


def _listed(names: list[str]) -> str:
    return some_of([f"{name!r:.200}" for name in sorted(names)], MOST_NAMED)


class _Excess(Exception):
    """Ends a copy at a limit."""


def _copy(source: int, target: int, above: tuple[str, ...], left: Left) -> None:
    with os.scandir(source) as entries:
        for entry in entries:
            parts = (*above, entry.name)
            left.entries += 1
            if left.entries > MOST_ENTRIES:
                _stop(left, f"more than {MOST_ENTRIES} files and folders")
            if entry.is_symlink():
                left.links.append("/".join(parts))
            elif entry.is_dir(follow_symlinks=False):
                if len(parts) > DEEPEST:
                    _stop(left, f"folders that are nested deeper than {DEEPEST}")
                os.mkdir(entry.name, 0o700, dir_fd=target)
                with (
                    closing(open_folder(entry.name, source)) as inner,
                    closing(open_folder(entry.name, target)) as copy,
                ):
                    _copy(inner, copy, parts, left)
            elif not (entry.is_file(follow_symlinks=False) and _copy_file(entry.name, source, target, left)):
                left.others.append("/".join(parts))


def _copy_file(name: str, source: int, target: int, left: Left) -> bool:
    """Copy a file with its time; return False if it cannot be read or is not a regular file."""
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=source)
    except OSError:
        return False
    with open(file, "rb", 0) as stream:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            return False
        if left.size + status.st_size > MOST_BYTES:
            _stop(left, f"more than {MOST_BYTES >> 20} MB")
        left.size += status.st_size
        mode = stat.S_IMODE(status.st_mode) & 0o777 | 0o600
        copied = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode, dir_fd=target)
        with open(copied, "wb", 0) as copy:
            room = status.st_size  # even if the file grows
            while room and (data := stream.read(min(room, _BLOCK))):
                copy.write(data)
                room -= len(data)
            os.fchmod(copied, mode)
            os.utime(copied, ns=(status.st_atime_ns, status.st_mtime_ns))
    return True


def _stop(left: Left, excess: str) -> None:
    left.excess = excess
    raise _Excess
