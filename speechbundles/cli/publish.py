"""Upload a bundle to Codabench, verify it and submit its baselines.

After the import, the dates, limits, pages and columns on the server are compared with the bundle. Then the baselines
are submitted, and their scores are compared with those of a rehearsal to the last digit. A phase that is not open is
left out if the server refuses submissions to it; repeat the command when it is open.

Exit status: 0 all is as in the bundle, 1 an error, 4 nothing differs, but something could not be compared.
"""

import shlex
from pathlib import Path
from typing import Any

import click

from speechbundles.cli.options import Command, bundle_file, flag, json_option, option
from speechbundles.cli.progress import uploading
from speechbundles.cli.server import connect, given, login_option, report_all, server_options
from speechbundles.model.text import PROGRAM
from speechbundles.server import publish_bundle


@click.command(cls=Command, help=__doc__, windows=False)
@bundle_file
@option(
    "--competition",
    "NUMBER",
    "continue with this competition, to which the bundle was uploaded earlier",
    type=int,
)
@flag("--open", "then list the competition publicly, if nothing differs", "opening")
@server_options
@login_option
@json_option
def command(bundle: Path, competition: int | None, opening: bool, **access: Any) -> int:
    again = f"{PROGRAM} {shlex.join(['publish', str(bundle), *given(**access)])}"
    with uploading() as progress:
        published = publish_bundle(
            connect(**access),
            bundle,
            competition=competition,
            opening=opening,
            again=again,
            progress=progress,
        )
        return report_all(published)
