"""Temporary folders for hidden labels and submissions, which no killed command leaves behind for long.

A folder is locked (flock) as long as its owner lives: the kernel removes the lock however the owner ends. `sweep`, with
which each command begins, deletes this user's folders that nobody has locked. Locks hold between containers that share
a folder in memory, whereas the same process id can be in use in each of them.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from speechbundles.model.errors import OrganiserError

MEMORY = Path("/dev/shm")
"""A folder in memory, if the system has one."""

PREFIX = "speechbundles-temporary-"

_NAME = re.compile(PREFIX + r"[a-z]+-[a-z0-9_]{8}")


@contextmanager
def temporary_folder(purpose: str, above: Path | None = None) -> Iterator[Path]:
    """Make a temporary folder, and delete it at the end with everything in it.

    Parameters
    ----------
    purpose: a word in lower case for the folder's name.
    above: the folder in which it is made; default: the usual folder for temporary files.

    Raises
    ------
    OrganiserError: the folder cannot be deleted.
    """
    if sys.platform == "win32":  # folders cannot be locked there
        with tempfile.TemporaryDirectory(dir=above) as name:
            yield Path(name)
        return
    path, handle = _locked_folder(f"{PREFIX}{purpose}-", above)
    with closing(handle):
        try:
            yield path
        finally:
            _delete(path)


def sweep() -> None:
    """Delete the temporary folders that killed commands of this user have left.

    Folders of other users, links, and folders whose owner lives are left as they are, as is what cannot be deleted.
    """
    if sys.platform == "win32":
        return
    for above in {Path(tempfile.gettempdir()).resolve(), MEMORY.resolve()}:
        with suppress(OSError):
            for name in filter(_NAME.fullmatch, os.listdir(above)):
                with suppress(OSError, OrganiserError), closing(open_folder(above / name)) as stale:
                    if os.fstat(stale).st_uid == os.geteuid() and _lock(stale, wait=False):
                        _delete(above / name)


def open_folder(path: str | Path, folder: int | None = None) -> int:
    """Open a folder that is not a link, relative to an open one if it is given."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)


@contextmanager
def closing(handle: int) -> Iterator[int]:
    """Close a descriptor at the end."""
    try:
        yield handle
    finally:
        os.close(handle)


def _locked_folder(prefix: str, above: Path | None) -> tuple[Path, int]:
    """Make and lock a folder; make another one if a sweep of another command deletes it before it is locked."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=prefix, dir=above)).resolve()
        with suppress(FileNotFoundError):
            handle = open_folder(path)
            _lock(handle, wait=True)
            if os.path.exists(path):
                return path, handle
            os.close(handle)


def _lock(folder: int, *, wait: bool) -> bool:
    """Lock an open folder for this process; return whether it is locked: not if another has, or without such locks."""
    import fcntl

    with suppress(OSError):
        fcntl.flock(folder, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        return True
    return False


def _delete(folder: Path) -> None:
    """Delete a folder and everything in it, at any depth and with any permissions; links are not followed."""
    if folder.is_symlink():  # a program has put it there: chmod would follow it
        folder.unlink()
        return
    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):
        subprocess.run(["chmod", "-R", "u+rwX", str(folder)], capture_output=True)
        done = subprocess.run(["rm", "-rf", str(folder)], capture_output=True, text=True)
        if done.returncode:
            reason = done.stderr.strip()
            raise OrganiserError(f"{folder}: cannot be deleted ({reason}); delete it yourself") from None
