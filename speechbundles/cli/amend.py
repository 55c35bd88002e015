"""Correct a competition on Codabench and rerun its submissions.

BUNDLE.zip is the corrected bundle: its labels, programs, pages and kits replace those on the server. COMPETITION is the
competition's number, as in its address. First, all submissions are fetched and scored on this computer, and the new
leaderboard is shown. Nothing on the server changes without --yes. With --yes the files are replaced, the submissions
are rerun in the order of their uploads, and the server's leaderboard is compared with the predicted one. If no file
differs, they are rerun only if a score or the leaderboard differs from those here. If the command is interrupted, run
it again to continue, or restore the earlier files with --abandon.

Exit status: 0 it succeeded, 1 an error, 4 it succeeded, but the files on the server could not be compared.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from speechbundles.cli.options import Command, bundle_file, flag, jobs, json_option, option, path_option
from speechbundles.cli.progress import counting
from speechbundles.cli.server import (
    UNCOMPARED,
    competition_number,
    connect,
    fetched_folder,
    login_option,
    report_all,
    server_options,
    using,
)
from speechbundles.cli.terminal import answer_json, as_json, describe, report_steps
from speechbundles.model.errors import OrganiserError
from speechbundles.model.text import say
from speechbundles.server import (
    abandon_amendment,
    amendment_to_text,
    carry_out_amendment,
    is_amending,
    plan_amendment,
)


@click.command(cls=Command, help=__doc__, windows=False)
@bundle_file
@competition_number
@fetched_folder
@jobs
@option(
    "--accept",
    "RUN",
    "accept this run as it is on the server, because its file was lost or it never ends; may be repeated",
    multiple=True,
    type=int,
)
@path_option(
    "--from",
    "BUNDLE.zip",
    "the bundle that is on the server now, if the server does not provide its files",
    "earlier",
)
@flag("--abandon", "restore the programs, data, kits and pages from before the amendment")
@flag("--yes", "make the changes; without this option they are only shown")
@server_options
@login_option
@json_option
def command(
    bundle: Path,
    competition: int,
    folder: Path | None,
    abandon: bool,
    yes: bool,
    jobs: int | None,
    accept: tuple[int, ...],
    earlier: Path | None,
    **access: Any,
) -> int:
    steps: list[str] = []
    folder = folder or Path("fetched") / str(competition)
    with _to_be_continued(folder):
        connection = connect(**access)
        with using(folder):
            if abandon:
                return report_all(abandon_amendment(connection, competition, folder))
            with counting("fetching") as fetching, counting("scoring") as scoring:
                how: Any = {"accept": accept, "earlier": earlier, "jobs": jobs}
                shown: Any = {"fetching": fetching, "scoring": scoring}
                amendment = plan_amendment(connection, bundle, competition, folder, **how, **shown)
            plan = amendment_to_text(amendment)
            say(plan, error=as_json())
            if yes and not amendment.empty:
                with counting("waiting") as waiting:
                    steps = report_steps(carry_out_amendment(amendment, waiting=waiting))
            elif not amendment.empty:
                hint = "Nothing was changed. Add --yes to replace the files and rerun these submissions."
                say(f"\n{hint}", error=True)
    if as_json():
        answer_json({"empty": amendment.empty, "plan": plan.splitlines(), "steps": steps})
    return UNCOMPARED if amendment.files.unread else 0


@contextmanager
def _to_be_continued(folder: Path) -> Iterator[None]:
    """Add to an error how to continue, if an amendment is in progress."""
    try:
        yield
    except (OrganiserError, OSError) as error:
        if not is_amending(folder):
            raise
        raise OrganiserError(f"{describe(error)}\n\nRun the same command again to continue.") from None
