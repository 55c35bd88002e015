"""Files that are whole or absent even after a power failure, and the locks of commands that use one folder."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from speechbundles.model.bounded import digest_of
from speechbundles.model.errors import OrganiserError
from speechbundles.model.temporary import closing
from speechbundles.model.text import say


def write_whole(path: Path, content: str | bytes, *, private: bool = False) -> None:
    """Write a file that gets its name only when it is complete, and on the disk; a `private` one is its owner's alone.

    An OSError names the file; that of a full disk has no name of its own.
    """
    part = path.with_name(f"{'.' * private}{path.name}.{os.getpid()}.part")
    try:
        part.unlink(missing_ok=True)
        part.touch(0o600 if private else 0o666, exist_ok=False)
        part.write_bytes(content.encode() if isinstance(content, str) else content)
        put_in_place(part, path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from None


def put_in_place(part: Path, path: Path) -> None:
    """Give a file its name once its bytes are on the disk: a power failure leaves the whole old or new file."""
    with part.open("r+b") as stream:
        os.fsync(stream.fileno())
    part.replace(path)
    if sys.platform != "win32":  # folders cannot be opened there
        with closing(os.open(path.parent, os.O_RDONLY)) as folder:
            os.fsync(folder)


def write_state(path: Path, state: Mapping[str, object]) -> None:
    """Write what a command keeps for its next call, below its digest."""
    text = json.dumps(state, default=str)
    write_whole(path, f"{digest_of(text.encode())}\n{text}")


def read_state(path: Path) -> Any:
    """Return what `write_state` wrote; None if there is no such file.

    A damaged file, such as one that a power failure cut off, is reported and renamed: its work did not end.
    """
    if not path.exists():
        return None
    with suppress(OSError, ValueError):  # the last if it is not UTF-8
        digest, _, text = path.read_text(encoding="utf-8").partition("\n")
        if digest == digest_of(text.encode()):
            return json.loads(text)
    say(f"{path}: damaged, and so renamed to {path.name}.damaged; this step is repeated", error=True)
    path.replace(f"{path}.damaged")
    return None


@contextmanager
def locked(lock: Path, folder: Path, command: str, *, wait: bool = False) -> Iterator[None]:
    """Lock a file, so that no other command uses the folder. The lock ends with the process, even if it is killed.

    Parameters
    ----------
    command: the name of the command, for the message of another one.
    wait: whether to wait until the file is free.

    Raises
    ------
    OrganiserError: another run has locked the file.
    """
    with lock.open("a+", encoding="utf-8") as stream:
        try:
            if sys.platform == "win32":
                import msvcrt

                stream.seek(1 << 20)  # beyond the name: a locked byte cannot be read
                msvcrt.locking(stream.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(stream, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except (BlockingIOError, PermissionError):
            stream.seek(0)
            other = stream.read() or "another command"
            raise OrganiserError(
                f"{folder}: {other} is using this folder; wait until it ends, or choose another folder"
            ) from None
        stream.truncate(0)
        stream.write(command)
        stream.flush()
        yield
