"""Create a folder for your own competition.

DIR is a new folder outside the clone, and gets a place for each of your files. TASK is the name of a task or of a
bundle (a track). For a task of your own, give --new NAME --kind KIND instead, or --example EXAMPLE for a complete
folder with synthetic data.
"""

from collections.abc import Sequence
from pathlib import Path

import click

from speechbundles.cli.options import PATH, Command
from speechbundles.cli.terminal import ROOT, reporting
from speechbundles.model.text import say
from speechbundles.new.competition_folder import (
    what_goes_where,
    what_is_there,
    write_example,
    write_folder,
    write_own_task,
)
from speechbundles.new.examples import EXAMPLES
from spokeneval.kinds.declared import KINDS


@click.command(cls=Command, help=__doc__)
@click.argument("folder", type=PATH, metavar="DIR")
@click.argument("names", nargs=-1, metavar="[TASK]...")
@click.option("--new", metavar="NAME", help="a task of your own, under this name")
@click.option("--kind", type=click.Choice(sorted(KINDS)), help="the kind of your own task")
@click.option(
    "--example", type=click.Choice(sorted(EXAMPLES)), help="a folder with synthetic data that builds as it is"
)
@click.option(
    "--software",
    default="",
    metavar="URL-OR-WHEEL",
    help="also write GitHub workflows that install this wheel: a file, or an address that ends in #sha256=HASH",
)
def command(
    folder: Path, names: Sequence[str], new: str | None, kind: str | None, example: str | None, software: str
) -> int:
    if [bool(names), bool(new), bool(example)].count(True) != 1 or bool(new) != bool(kind):
        raise click.UsageError(
            "Give the names of tasks, or --new NAME with --kind KIND, or --example EXAMPLE."
        )
    with reporting(ending="\n\nNothing was written."):
        if example:
            write_example(ROOT, folder, example)
            say(what_is_there(folder, example))
            return 0
        if new and kind:
            places = write_own_task(ROOT, folder, new, kind, software=software)
        else:
            places = write_folder(ROOT, folder, names, software=software)
    say(what_goes_where(folder, places))
    return 0
