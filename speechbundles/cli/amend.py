"""Correct a competition on Codabench and run its submissions again.

Labels or programs are replaced by those of BUNDLE.zip, which is the bundle as it is to be from now on. COMPETITION is
the competition's number, as in its address. All submissions are fetched and scored here, and the new leaderboard is
shown before anything is changed. With --yes the files are exchanged, each upload is run again in the order of the
uploads, and the server's leaderboard is compared with the predicted one. An amendment that was stopped goes on with the
same command.
"""

from pathlib import Path

import click

from speechbundles.cli.options import PATH, Command, jobs
from speechbundles.cli.progress import counting
from speechbundles.cli.server import competition_number, connect, server_options
from speechbundles.cli.terminal import refuse_windows, reporting
from speechbundles.live import amendment_to_text, carry_out_amendment, plan_amendment
from speechbundles.model.text import say


@click.command(cls=Command, help=__doc__)
@click.argument("bundle", type=PATH, metavar="BUNDLE.zip")
@competition_number
@click.option(
    "--dir",
    "folder",
    type=PATH,
    metavar="DIR",
    help="where the submissions are fetched to (default: fetched/COMPETITION)",
)
@jobs
@click.option("--yes", is_flag=True, help="do it; without this, it is only shown")
@server_options
def command(
    bundle: Path,
    competition: int,
    folder: Path | None,
    jobs: int | None,
    yes: bool,
    server: str,
    token_file: Path | None,
) -> int:
    refuse_windows()
    with reporting(ending="\n\nThe same command goes on from here."):
        connection = connect(server, token_file)
        with counting("fetching") as fetching, counting("scoring") as scoring:
            amendment = plan_amendment(
                connection,
                bundle,
                competition,
                folder or Path("fetched") / str(competition),
                jobs=jobs,
                fetching=fetching,
                scoring=scoring,
            )
        say(amendment_to_text(amendment))
        if not amendment.phases:
            return 0
        if not yes:
            say(
                "\nNothing was changed. With --yes the files are exchanged, and all this is run again.",
                error=True,
            )
            return 0
        with counting("waiting") as waiting:
            for step in carry_out_amendment(connection, amendment, jobs=jobs, waiting=waiting):
                say(step)
    return 0
