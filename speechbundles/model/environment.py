"""Keeps the account's token from other processes of the same user: the programs of bundles, and what they start."""

import ctypes
import os
import sys
from contextlib import suppress

TOKEN_VARIABLE = "CODABENCH_TOKEN"

_HANDED_OVER = "SPEECH_BUNDLES_TOKEN_FD"
"""Names the pipe with the token, from which a process that was started anew reads it."""
_MOST_BYTES = 1 << 15
_PR_SET_DUMPABLE = 4

_hidden = ""


def hide_token() -> None:
    """Take the token out of the environment, before any program is started.

    The kernel shows a process's first environment in `/proc/PID/environ` for as long as it runs. So this process
    replaces itself by the same command without the variable, and gets the token through a pipe.
    """
    global _hidden
    descriptor = os.environ.pop(_HANDED_OVER, "")
    if descriptor.isdigit():
        with suppress(OSError), open(int(descriptor), "rb") as pipe:
            _hidden = os.fsdecode(pipe.read(_MOST_BYTES))
        hide_memory()
    token = os.environ.pop(TOKEN_VARIABLE, "")
    if not token:
        return
    _hidden = token
    if sys.platform == "linux":
        end, start = os.pipe()
        os.write(start, os.fsencode(token)[:_MOST_BYTES])
        os.close(start)
        os.set_inheritable(end, True)
        with suppress(OSError):
            os.execve(sys.executable, sys.orig_argv, {**os.environ, _HANDED_OVER: str(end)})
        os.close(end)


def token_of_environment() -> str:
    """Return the token, also if it is hidden; without one, an empty text."""
    return _hidden or os.environ.get(TOKEN_VARIABLE, "")


def hide_memory() -> None:
    """Keep other processes of the same user from reading this process's memory, environment and open files (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
