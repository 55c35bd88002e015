"""Correct a competition on Codabench and rerun its submissions.

BUNDLE.zip is the corrected bundle: its labels and programs replace those on the server. COMPETITION is the
competition's number, as in its address. First, all submissions are fetched and scored on this computer, and the new
leaderboard is shown. Nothing on the server changes without --yes. With --yes the files are replaced, the submissions
are rerun in the order of their uploads, and the server's leaderboard is compared with the predicted one. If the command
is interrupted, run it again to continue.
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
    help="folder for the fetched submissions (default: fetched/COMPETITION)",
)
@jobs
@click.option("--yes", is_flag=True, help="make the changes; without this option they are only shown")
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
    with reporting(ending="\n\nRun the same command again to continue."):
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
                "\nNothing was changed. Add --yes to replace the files and rerun these submissions.",
                error=True,
            )
            return 0
        with counting("waiting") as waiting:
            for step in carry_out_amendment(connection, amendment, jobs=jobs, waiting=waiting):
                say(step)
    return 0
