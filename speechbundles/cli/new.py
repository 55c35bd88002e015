"""Create a new challenge, which builds as it is, for you to edit.

NAME is the name of its task: lower-case letters, digits and underscores.
"""

import click

from speechbundles.cli.options import Command
from speechbundles.cli.terminal import ROOT, reporting
from speechbundles.model.errors import OrganiserError
from speechbundles.model.text import say
from speechbundles.new.challenge import what_to_edit, write_challenge


@click.command(cls=Command, help=__doc__)
@click.argument("name")
def command(name: str) -> int:
    with reporting(ending="\n\nNothing was written."):
        if not (ROOT / "spokeneval").is_dir():
            raise OrganiserError(
                "`new` adds code to the repository; run `python build_bundle.py new` in a clone of it"
            )
        write_challenge(ROOT, name)
    say(what_to_edit(name))
    return 0
