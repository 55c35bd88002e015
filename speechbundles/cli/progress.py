"""Progress on standard error: a bar on a terminal, else a line a minute, which `cron` and `| tee` keep."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from speechbundles.model.text import say

BETWEEN = 60.0
"""Seconds between two lines of progress."""


def _seldom() -> Callable[[str], None]:
    """Return a function that prints a line if the last one is a minute old."""
    printed = time.monotonic()

    def line(text: str) -> None:
        nonlocal printed
        if time.monotonic() - printed >= BETWEEN:
            printed = time.monotonic()
            say(text, error=True)

    return line


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """Show the current step; called with its description."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _seldom()
        return
    with console.status("reading") as status:
        yield lambda step: status.update(step)


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar; called with the number done and the total."""
    with _bar(what, MofNCompleteColumn()) as update:
        yield lambda done, total: update(completed=done, total=total)


@contextmanager
def uploading() -> Iterator[Callable[[int, int], None]]:
    """Show a bar until everything is sent; called with the bytes sent and the total."""
    with _bar("uploading", DownloadColumn(), TransferSpeedColumn()) as update:
        yield lambda done, total: update(completed=done, total=total, visible=done < total)


@contextmanager
def _bar(what: str, *columns: ProgressColumn) -> Iterator[Callable[..., None]]:
    console = Console(stderr=True)
    if not console.is_terminal:
        line, began, kept = _seldom(), time.monotonic(), -1

        def update(completed: int, total: int, **_: bool) -> None:
            nonlocal kept
            kept = completed if kept < 0 else kept  # of an earlier run
            left = (time.monotonic() - began) * (total - completed) / max(1, completed - kept)
            line(f"{what}: {completed:,} of {total:,}, about {left / 60:.0f} min left")

        yield update
        return
    with Progress(
        "{task.description}", BarColumn(), *columns, TimeRemainingColumn(), console=console, transient=True
    ) as progress:
        yield partial(progress.update, progress.add_task(what, total=None))
