"""The organiser's command line. Each command is a module here, which is imported only when the command runs.

This module can be imported by Python 3.9 and without the packages of the extra `organiser`, to report what is missing.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; without one, build all bundles.

    Parameters
    ----------
    arguments: default: those of this process, whose signals are then handled as those of a program.

    Returns
    -------
    The exit status: 0 well, 1 refused or failed, 2 called wrongly, 130 stopped.
    """
    if sys.version_info < (3, 10):
        version = ".".join(map(str, sys.version_info[:2]))
        sys.exit(
            f"The organiser's commands need Python 3.10 or newer, this is {version}; `spokeneval` runs on it"
        )
    if arguments is None:
        arguments = sys.argv[1:]
        _handle_signals()
    try:
        from speechbundles.cli.program import run

        return run(arguments)
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        if package in ("spokeneval", "speechbundles"):
            raise
        sys.exit(f'The organiser\'s commands need the package {package}: pip install "spokeneval[organiser]"')


def _handle_signals() -> None:
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # so that `... | head` ends it without a message
    for name in ("SIGTERM", "SIGHUP"):  # as Ctrl-C, so that no files stay in memory; not under nohup
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
