"""Make synthetic speech, run the audio baselines on it, and print their leaderboards.

python -m sample_data.audio [--seeds N] [--keep DIR] [CHALLENGE ...]
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from sample_data.audio import SYNTHETIC
from sample_data.audio.board import over_seeds, show
from sample_data.audio.part import Part, Step

CHALLENGES = ("merlion", "psst", "spoken_call", "content_accuracy")
"""Each has a module of its name in this package with a `PART`."""

CHAINS_AT_ONCE = 2
"""Number of parallel chains; each is for one challenge and one seed, and uses one core."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m sample_data.audio", description=__doc__.splitlines()[0])
    parser.add_argument(
        "challenges",
        nargs="*",
        metavar="CHALLENGE",
        help=f"one or more of {', '.join(CHALLENGES)}; default: all",
    )
    parser.add_argument(
        "--seeds", type=int, default=1, metavar="N", help="number of runs, each with new speech"
    )
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep speech, kits and submissions in this folder"
    )
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.challenges) - set(CHALLENGES))
    if unknown:
        parser.error(f"no speech for {', '.join(unknown)}; expected {', '.join(CHALLENGES)}")
    names = options.challenges or CHALLENGES
    parts = {name: importlib.import_module(f"sample_data.audio.{name}").PART for name in names}
    with tempfile.TemporaryDirectory() as scratch:
        return run(parts, options.seeds, options.keep or Path(scratch))


def run(parts: Mapping[str, Part], seeds: int, root: Path) -> int:
    """Run every step for every seed, two chains of steps in parallel, then print the leaderboards."""
    folders = {name: [root / name / f"seed_{seed}" for seed in range(1, seeds + 1)] for name in parts}
    chains = [
        Chain(f"{name}, seed {seed}", part.steps, folder, seed)
        for name, part in parts.items()
        for seed, folder in enumerate(folders[name], 1)
    ]
    with ThreadPoolExecutor(CHAINS_AT_ONCE) as pool:
        running = [pool.submit(chain.run) for chain in chains]
        try:
            follow(chains, running)
        finally:
            pool.shutdown(cancel_futures=True)
    board = Console(width=None if sys.stdout.isatty() else 140)
    for name, part in parts.items():
        for same in zip(*[part.boards(folder) for folder in folders[name]], strict=True):
            show(over_seeds(same), board)
    spread = (
        "95 % intervals" if seeds == 1 else f"the lowest and the highest of {seeds} seeds; scores are means"
    )
    board.print(f"In brackets: {spread}. This speech is {SYNTHETIC}.", markup=False)
    return 0


@dataclass
class Chain:
    """A part's steps on one seed, run one after another, with their progress."""

    title: str
    steps: Sequence[Step]
    folder: Path
    seed: int
    done: float = 0.0
    step: Step | None = None
    began: float = 0.0

    def run(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "README.txt").write_text(SYNTHETIC + "\n")
        for step in self.steps:
            self.step, self.began = step, time.monotonic()
            step.run(self.folder, self.seed)
            self.step = None
            self.done += step.seconds

    def seconds_done(self, pace: float) -> float:
        """Return how many of the expected seconds are done, if each takes `pace` seconds in fact."""
        step = self.step
        return self.done + (min((time.monotonic() - self.began) / pace, step.seconds) if step else 0.0)


def follow(chains: Sequence[Chain], running: Sequence[Future[None]]) -> None:
    """Show a progress bar until all chains end; raise the error of a chain that fails."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
    console = Console(stderr=True)
    total = sum(step.seconds for chain in chains for step in chain.steps)
    began, told = time.monotonic(), ""
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=total, left="")
        while not all(each.done() for each in running):
            for each in running:
                if each.done():
                    each.result()
            behind = sum(chain.done for chain in chains)
            at_once = min(CHAINS_AT_ONCE, len(chains))
            pace = (time.monotonic() - began) / behind * at_once if behind else 1.0
            completed = sum(chain.seconds_done(pace) for chain in chains)
            left = pace * (total - completed) / at_once
            now = "; ".join(f"{chain.title}: {chain.step.title}" for chain in chains if chain.step)
            if now != told and not console.is_terminal:
                print(now, file=sys.stderr, flush=True)
            told = now
            words = f"about {left / 60:.0f} min left" if left >= 90 else f"about {left:.0f} s left"
            progress.update(bar, description=now, completed=completed, left=words)
            time.sleep(0.2)
    for each in running:
        each.result()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ValueError as problem:
        sys.exit(str(problem))
