"""Add a challenge in Python to a clone of the repository: task, sample data, pages and kit.

The challenge builds as it is; the command lists the files to edit. NAME is the name of its task: lower-case letters,
digits and underscores. To declare a task without Python, use `init --new NAME --kind KIND` instead.
"""

import click

from speechbundles.cli.options import NOTHING, Command
from speechbundles.cli.terminal import ROOT
from speechbundles.model.errors import OrganiserError
from speechbundles.model.text import say
from speechbundles.new.challenge import what_to_edit, write_challenge


@click.command(cls=Command, help=__doc__, ending=NOTHING)
@click.argument("name")
def command(name: str) -> None:
    if not (ROOT / "spokeneval").is_dir():
        raise OrganiserError(
            "`new` adds code to the repository; run `python build_bundle.py new` in a clone of it"
        )
    write_challenge(ROOT, name)
    say(what_to_edit(name))
