"""The organiser's command line. Each command is a module here, imported only when the command runs.

Python 3.9 can import this module without the packages of the extras, so that it can report what is missing.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

_BEFORE_LABELS = ("assign", "merge", "listening", "split", "describe")
"""The commands of the extra `annotation`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; without one, print the help.

    Parameters
    ----------
    arguments: the command and its arguments. Default: those of this process, whose signals are then handled too.

    Returns
    -------
    The exit status: 0 success, 1 refused or failed, 2 wrong usage, 3 `watch` found a difference, 130
    interrupted.
    """
    if sys.version_info < (3, 10):
        version = ".".join(map(str, sys.version_info[:2]))
        sys.exit(
            f"The organiser's commands need Python 3.10 or newer. This is Python {version}, "
            "which is enough for the command `spokeneval`."
        )
    if arguments is None:
        from speechbundles.model.environment import hide_token

        hide_token()
        arguments = sys.argv[1:]
        _handle_signals()
    try:
        from speechbundles.cli.program import run

        return run(arguments)
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        if package in ("spokeneval", "speechbundles"):
            raise
        extra = "annotation" if arguments and arguments[0] in _BEFORE_LABELS else "organiser"
        sys.exit(f'This command needs the package {package}: pip install ".[{extra}]" in a clone')


def _handle_signals() -> None:
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `... | head` ends the program without a message
    for name in ("SIGTERM", "SIGHUP"):  # like Ctrl-C, so that temporary files are removed; not under nohup
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
