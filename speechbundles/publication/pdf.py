"""The leaderboard's PDF, from its LaTeX file or, without a LaTeX, from its page.

Programs run in a temporary folder for at most `LIMIT` seconds, and LaTeX without a shell and without files outside.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from speechbundles.model.fetched import write_whole
from speechbundles.publication.write import HTML_FILE, LATEX_FILE

PDF_FILE = "board.pdf"
LATEX_ENGINES = ("xelatex", "lualatex", "pdflatex")
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
LIMIT = 60
"""Seconds for one program."""

_PASSES = 3
"""Runs of LaTeX until the columns of a long table are aligned."""

_CLOSED = {"openin_any": "p", "openout_any": "p", "SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1"}


def write_pdf(directory: Path, programs: Sequence[str] = (*LATEX_ENGINES, *CHROMIUM)) -> str:
    """Write the PDF of the leaderboard in a folder, with the first of the programs that makes it.

    Returns
    -------
    The reason if there is none, in one line; empty if it was written.
    """
    failed = []
    for program in filter(shutil.which, programs):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            problem = _run(program, directory, place)
            if not problem:
                write_whole(directory / PDF_FILE, (place / PDF_FILE).read_bytes())
                return ""
        failed.append(f"{program} {problem}")
    why = "; ".join(failed) or f"none of {', '.join(programs)} is installed"
    return f"{PDF_FILE} was not written: {why}"


def _run(program: str, directory: Path, place: Path) -> str:
    """Make the PDF in the folder `place`; return the failure, empty if there is none."""
    if program in LATEX_ENGINES:
        write_whole(place / LATEX_FILE, (directory / LATEX_FILE).read_bytes())
        options = ["-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error"]
        commands = [[program, *options, LATEX_FILE]] * _PASSES
    else:
        options = [
            "--headless",
            "--disable-gpu",
            "--no-pdf-header-footer",
            f"--user-data-dir={place / 'user'}",
        ]
        if sys.platform != "win32" and os.geteuid() == 0:
            options.append("--no-sandbox")  # root has no sandbox; the page contains only text of others
        page = (directory / HTML_FILE).resolve().as_uri()
        commands = [[program, *options, f"--print-to-pdf={place / PDF_FILE}", page]]
    end = time.monotonic() + LIMIT
    silent: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    for command in commands:
        environment = {**os.environ, **_CLOSED}
        with subprocess.Popen(
            command, cwd=place, env=environment, start_new_session=True, **silent
        ) as process:
            try:
                process.wait(end - time.monotonic())
            except subprocess.TimeoutExpired:
                if sys.platform == "win32":
                    process.kill()
                else:
                    os.killpg(process.pid, signal.SIGKILL)
                return f"was stopped after {LIMIT} s"
    return "" if (place / PDF_FILE).is_file() and not process.returncode else "failed"
