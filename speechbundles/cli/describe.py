"""Describe the data of a competition: counts, durations, classes, agreement, and what the test set can show.

OUT receives two folders. `private` describes all that you have; `public` describes only what participants get: the
labels of public sets, and the lists of items of hidden sets. Both have

\b
    data.html         a page with tables and plots
    data.csv          all numbers: set, section, measure, value
    data.md           text for the data section of a paper
    croissant.json    fields for `export --format croissant --meta`
"""

from collections.abc import Sequence
from pathlib import Path

import click

from speechbundles.annotation.data_page import describe_task
from speechbundles.bundle.build.gold_answers import scored_answers
from speechbundles.cli.options import NOTHING, PATH, Command, option, own_folder
from speechbundles.cli.terminal import ROOT
from speechbundles.competition.read import read_competitions
from speechbundles.model.sources import Sources
from speechbundles.model.text import say
from speechbundles.model.zips import require_new, write_tree


@click.command(cls=Command, help=__doc__, ending=NOTHING)
@click.argument("names", nargs=-1, metavar="[BUNDLE]...")
@own_folder
@option("--out", None, "a new folder", type=PATH, required=True)
@option(
    "--difference",
    "NUMBER",
    "a difference between two systems, for the number of units that find it",
    type=float,
)
def command(names: Sequence[str], competition: Path | None, out: Path, difference: float | None) -> None:
    require_new(out)
    found = {each.task: each for each in read_competitions(Sources(ROOT, competition), names)}
    files = {
        f"{task}/{name}" if len(found) > 1 else name: content
        for task, each in found.items()
        for name, content in describe_task(each, scored_answers, difference).items()
    }
    write_tree(out, files)
    say(f"wrote {', '.join(files)} to {out}", error=True)
