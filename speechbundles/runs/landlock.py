"""Run a command that may write below the given folders only, whatever is mounted: python3 landlock.py DIR... -- COMMAND

This is a second wall behind read-only mounts, where the kernel has Landlock. The file is mounted beside a program, so
it needs Python and its standard library only. Source: `linux/landlock.h`, `Documentation/userspace-api/landlock.rst`.
"""

from __future__ import annotations  # Python 3.9 is enough

import ctypes
import os
import struct
import sys

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""The numbers of the system calls, which are the same on all processors."""
_NO_NEW_PRIVILEGES = 38
_OF_FILES = 1 << 1 | 1 << 14
"""To write a file, and to truncate it, which version 3 added."""
_OF_FOLDERS = sum(1 << right for right in range(4, 14))
"""To remove and make entries of all kinds, and to move them between folders, which version 2 added."""
OLDEST = 3


def _call(number: int, *values: int | bytes | None) -> int:
    call = ctypes.CDLL(None, use_errno=True).syscall
    return int(call(*(ctypes.c_long(each) if isinstance(each, int) else each for each in (number, *values))))


def version() -> int:
    """Return the version of the kernel's Landlock; 0 or less if it cannot be used."""
    return _call(_CREATE, None, 0, 1)


def restrict(folders: list[str]) -> None:
    """Let this process and its children write below these folders only, for good.

    Raises
    ------
    OSError: the kernel refuses it.
    """
    rules = _call(_CREATE, struct.pack("=Q", _OF_FILES | _OF_FOLDERS), 8, 0)
    done = [rules]
    for folder in folders:
        place = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        done.append(_call(_ADD, rules, 1, struct.pack("=Qi", _OF_FILES | _OF_FOLDERS, place), 0))
        os.close(place)
    done += [ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), _call(_RESTRICT, rules, 0)]
    os.close(rules)
    if min(done) < 0:
        raise OSError(ctypes.get_errno(), "Landlock refuses its rules")


if __name__ == "__main__":
    end = sys.argv.index("--")
    if version() >= OLDEST:
        restrict(sys.argv[1:end])
    os.execvp(sys.argv[end + 1], sys.argv[end + 1 :])
