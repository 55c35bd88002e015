"""Compare a live competition with its bundle, and list odd runs.

Nothing is submitted or changed. Compared are settings, dates, limits, columns, pages, and programs, data and kits byte
for byte. Listed are runs that are stuck, without scores, early or late; with a folder that fetch wrote, also runs that
vanished since then, and identical uploads of different teams.

Exit status, for cron: 0 all is as in the bundle, 1 an error, 3 something differs, 4 nothing differs, but something
could not be compared.
"""

from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from speechbundles.cli.options import Command, as_json, bundle_file, flag
from speechbundles.cli.progress import counting
from speechbundles.cli.server import (
    UNCOMPARED,
    competition_number,
    connect,
    fetched_folder,
    fetched_into,
    login_option,
    server_options,
    using,
)
from speechbundles.cli.terminal import answer, reporting
from speechbundles.model.text import printable, say
from speechbundles.server import watch_competition

DIFFERENT = 3


@click.command(cls=Command, help=__doc__)
@bundle_file
@competition_number
@fetched_folder
@flag("--fetch", "fetch new submissions into this folder", "fetching")
@server_options
@login_option
@as_json
def command(
    bundle: Path, competition: int, folder: Path | None, fetching: bool, as_json: bool, **access: Any
) -> int:
    folder = fetched_into(folder, competition)
    with reporting(), counting("fetching") as progress:
        connection = connect(**access)
        with using(folder) if fetching else nullcontext():
            found = watch_competition(
                connection, bundle, competition, folder, fetching=fetching, progress=progress
            )
    what = "what was compared" if found.uncompared else f"competition {competition}"
    same = () if found.differences else (f"{what} is as in the bundle",)
    lines = (*found.uncompared, *found.differences, *same, *found.measured)
    answer({"competition": competition, **asdict(found)}, "\n".join(map(printable, lines)), as_json=as_json)
    for line in found.notes:
        say(printable(line), error=True)
    return DIFFERENT if found.differences else UNCOMPARED if found.uncompared else 0
