"""Progress on standard error. Nothing is shown where standard error is a file or a pipe."""

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


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """Show the current step; called with its description."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda step: None
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
    with Progress(
        "{task.description}",
        BarColumn(),
        *columns,
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        yield partial(progress.update, progress.add_task(what, total=None))
