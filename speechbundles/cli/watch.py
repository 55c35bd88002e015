"""Compare a live competition with its bundle, and list unusual runs.

The command reads the competition and changes nothing. It compares settings, dates, limits, columns and pages, and the
bytes of programs, data and kits. It lists runs that are stuck, that have no scores, and that were uploaded outside the
dates of their phase. With a folder that `fetch` wrote, it also lists runs that have disappeared since then, and
identical uploads of different teams. With --fetch, new submissions are fetched and scored on this computer, and runs
with other scores on the server are listed.

Exit status, for cron: 0 if everything is as in the bundle, 1 after an error, 3 if something differs, 4 if nothing
differs but something could not be compared.
"""

from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from speechbundles.cli.options import Command, bundle_file, flag, json_option
from speechbundles.cli.progress import counting
from speechbundles.cli.server import (
    UNCOMPARED,
    competition_number,
    connect,
    fetched_folder,
    login_option,
    server_options,
    using,
)
from speechbundles.cli.terminal import answer
from speechbundles.model.text import say
from speechbundles.server import watch_competition
from spokeneval.formats.problems import printable

DIFFERENT = 3


@click.command(cls=Command, help=__doc__)
@bundle_file
@competition_number
@fetched_folder
@flag("--fetch", "fetch new submissions into this folder, and compare scores", "fetching")
@server_options
@login_option
@json_option
def command(bundle: Path, competition: int, folder: Path | None, fetching: bool, **access: Any) -> int:
    folder = folder or Path("fetched") / str(competition)
    with counting("fetching") as progress:
        connection = connect(**access)
        with using(folder) if fetching else nullcontext():
            found = watch_competition(
                connection, bundle, competition, folder, fetching=fetching, progress=progress
            )
    what = "what was compared" if found.uncompared else f"competition {competition}"
    same = () if found.differences else (f"{what} is as in the bundle",)
    lines = (*found.uncompared, *found.differences, *same, *found.measured)
    answer({"competition": competition, **asdict(found)}, "\n".join(map(printable, lines)))
    for line in found.notes:
        say(printable(line), error=True)
    return DIFFERENT if found.differences else UNCOMPARED if found.uncompared else 0
