"""Create a folder for your own competition.

DIR is a new folder outside the clone, and gets a place for each of your files. TASK is the name of a task or of a
bundle (a track).
"""

from collections.abc import Sequence
from pathlib import Path

import click

from speechbundles.cli.options import PATH, Command
from speechbundles.cli.terminal import ROOT, reporting
from speechbundles.model.text import say
from speechbundles.new import what_goes_where, write_folder


@click.command(cls=Command, help=__doc__)
@click.argument("folder", type=PATH, metavar="DIR")
@click.argument("names", nargs=-1, required=True, metavar="TASK...")
@click.option(
    "--software",
    default="",
    metavar="URL-OR-WHEEL",
    help="also write a GitHub workflow that installs this wheel: a file, or an address that ends in #sha256=HASH",
)
def command(folder: Path, names: Sequence[str], software: str) -> int:
    with reporting(ending="\n\nNothing was written."):
        places = write_folder(ROOT, folder, names, software=software)
    say(what_goes_where(folder, places))
    return 0
