"""Make synthetic speech, run the baselines that listen on it, and print their boards.

python -m sample_data.audio [--seeds N] [--keep DIR] [CHALLENGE ...]
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from sample_data.audio import SYNTHETIC
from sample_data.audio.board import over_seeds, show
from sample_data.audio.part import Part, Step

CHALLENGES = ("merlion",)
"""Each has a module of its name in this package, with its `PART`."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m sample_data.audio", description=__doc__.splitlines()[0])
    parser.add_argument(
        "challenges",
        nargs="*",
        metavar="CHALLENGE",
        help=f"of {', '.join(CHALLENGES)}; all where none is named",
    )
    parser.add_argument(
        "--seeds", type=int, default=1, metavar="N", help="how many times, each with new speech"
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave speech, kits and submissions there")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.challenges) - set(CHALLENGES))
    if unknown:
        parser.error(f"no sound for {', '.join(unknown)}; there is some for {', '.join(CHALLENGES)}")
    names = options.challenges or CHALLENGES
    parts = {name: importlib.import_module(f"sample_data.audio.{name}").PART for name in names}
    with tempfile.TemporaryDirectory() as scratch:
        return run(parts, options.seeds, options.keep or Path(scratch))


def run(parts: dict[str, Part], seeds: int, root: Path) -> int:
    """Run every step for every seed, then print the boards."""
    folders = {name: [root / name / f"seed_{seed}" for seed in range(1, seeds + 1)] for name in parts}
    work = [
        (f"{name}, seed {seed}: {step.title}", step, folder, seed)
        for name, part in parts.items()
        for seed, folder in enumerate(folders[name], 1)
        for step in part.steps
    ]
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as progress:
        clock = Clock(
            progress, progress.add_task("", total=sum(step.seconds for _, step, _, _ in work), left="")
        )
        for title, step, folder, seed in work:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "README.txt").write_text(SYNTHETIC + "\n")
            if not console.is_terminal:
                print(title, file=sys.stderr, flush=True)
            clock.follow(title, step, folder, seed)
    board = Console(width=140 if not sys.stdout.isatty() else None)
    for name, part in parts.items():
        for same in zip(*[part.boards(folder) for folder in folders[name]], strict=True):
            show(over_seeds(same), board)
    spread = (
        "95 % intervals" if seeds == 1 else f"the lowest and the highest of {seeds} seeds, beside their mean"
    )
    board.print(f"In brackets: {spread}. What is measured on speech made here is {SYNTHETIC}.", markup=False)
    return 0


class Clock:
    """The bar of the work: it goes on with the time within a step, as fast as the steps before it went."""

    def __init__(self, progress: Progress, bar: TaskID) -> None:
        self.progress, self.bar = progress, bar
        self.began = time.monotonic()
        self.done = 0.0

    def follow(self, title: str, step: Step, folder: Path, seed: int) -> None:
        """Run a step beside the bar."""
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(step.run, folder, seed)
            began = time.monotonic()
            pace = (began - self.began) / self.done if self.done else 1.0
            while not running.done():
                self._show(title, min((time.monotonic() - began) / pace, step.seconds), pace)
                time.sleep(0.2)
            running.result()
        self.done += step.seconds

    def _show(self, title: str, within: float, pace: float) -> None:
        total = self.progress.tasks[0].total or 0.0
        left = pace * (total - self.done - within)
        self.progress.update(
            self.bar,
            description=title,
            completed=self.done + within,
            left=f"about {left / 60:.0f} min left" if left >= 90 else f"about {left:.0f} s left",
        )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ValueError as problem:
        sys.exit(str(problem))
