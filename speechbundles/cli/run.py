"""Run the programs of participants on recordings that stay at home, and make the leaderboard.

COMPETITION is the competition's number on Codabench. New uploads are fetched. Each is checked, its packages are
installed if the competition permits it, it is tried on public recordings, then run on the hidden ones without network
and without labels, and its answers are scored here. Without COMPETITION, the uploads that were fetched before are used.

\b
SITE receives the leaderboard (see `board`), and
    runs.csv      the code of each run and its time in steps
The folder with the fetched uploads receives, in .runs:
    runs.csv      all facts of each run; keep it private
    returns/      a text for the participant of each run
    logs/         a text with all logs of each run, for you

For COMPETITION, the name of a challenge with a joint ranking can be given: all its bundles that take programs are run,
with fetched/BUNDLE and SITE/BUNDLE. A bundle without `url` in competition.yaml uses what was fetched before.

If the command is interrupted, run it again: it goes on where it was. Settings in competition.yaml: submissions, sound,
environment, run_limits.
"""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from speechbundles.cli.board import FETCHED, chosen_at_home, fetch_and_build, require_usable, site_options
from speechbundles.cli.challenge import address_of, require_challenge
from speechbundles.cli.options import COUNT, Command, jobs, json_option, option, path_option
from speechbundles.cli.progress import counting
from speechbundles.cli.server import SERVER, connect, server_options, using
from speechbundles.cli.terminal import answer
from speechbundles.leaderboard.home import make_home_board
from speechbundles.leaderboard.home_page import write_home_board
from speechbundles.leaderboard.private import anonymous_names, private_folder
from speechbundles.model import dates
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.competition import Competition
from speechbundles.model.disk import write_whole
from speechbundles.model.errors import OrganiserError
from speechbundles.model.statuses import CODES
from speechbundles.model.text import say
from speechbundles.runs import (
    ENGINES,
    OF_HIDDEN_RUNS,
    STATE,
    Job,
    Taken,
    answers_below,
    engine_of,
    environment_of,
    layers,
    make_job,
    run_uploads,
    shown_runs,
)
from speechbundles.server import Connection, write_home_page
from spokeneval.formats.problems import count_of, printable

RUNS = "runs.csv"


def _above_0(context: click.Context, parameter: click.Parameter, hours: float | None) -> float | None:
    if hours is not None and not hours > 0:  # also NaN, which click.FloatRange accepts
        raise click.BadParameter(f"{hours:g} is not in the range x>0.")
    return hours


@click.command(cls=Command, help=__doc__, kept="run", windows=False)
@site_options
@path_option("--fetched", "DIR", f"the folder with the fetched uploads (default: {FETCHED} in your folder)")
@option("--bundle", "NAME", "the bundle, if several take programs", "name")
@option("--engine", "NAME", f"one of {', '.join(ENGINES)}", type=click.Choice(ENGINES), default="auto")
@path_option(
    "--python", "PATH", "a Python or an environment for the programs, in bubblewrap (default: this Python)"
)
@path_option("--wheels", "DIR", "take packages and weights from this folder, not from the network")
@option(
    "--repeat",
    "N",
    "runs of each program on the hidden set, to compare them (default: 1)",
    type=COUNT,
    default=1,
)
@option(
    "--limit",
    "HOURS",
    "machine hours of a participant (default: team_hours of run_limits)",
    type=float,
    callback=_above_0,
)
@jobs
@option(
    "--release",
    "RUN",
    "return the log of this smoke run, too, which you have read",
    type=COUNT,
    multiple=True,
)
@option("--scheduler", "ADDRESS", "run on the workers of this Dask scheduler, which see the same folders")
@option("--every", "MINUTES", "repeat the command at this interval, until you press Ctrl-C", type=COUNT)
@server_options
@json_option
def command(
    which: str | None,
    competition: Path,
    out: Path | None,
    page: bool,
    fetched: Path | None,
    name: str | None,
    every: int | None,
    **others: Any,
) -> None:
    fetched = fetched or competition / FETCHED
    of_runs = {key: others.pop(key) for key in _OF_RUNS}
    targets = _targets(which, competition, name, fetched, out, others)
    sound = [each.competition.sound for each in targets]
    for each in targets:
        if out or page:
            require_usable(each.number, competition, each.out, each.fetched, page=page, sound=sound)
    while True:
        taken = [run for each in targets for run in _publish(each, competition, page=page, **of_runs)]
        _report(fetched, taken)
        if lacking := {*of_runs["release"]} - {each.run.id for each in taken}:
            raise OrganiserError(
                f"--release {min(lacking)}: no such run; its number is in the name of its log"
            )
        if not every:
            return
        time.sleep(60 * every - time.time() % (60 * every))  # whatever the time that the runs took


@dataclass(frozen=True)
class _Target:
    """A bundle, its number on the server, the folders for its uploads and its leaderboard, and how it is fetched."""

    competition: Competition
    number: int | None
    fetched: Path
    out: Path | None
    connection: Connection | None


def _targets(
    which: str | None,
    folder: Path,
    name: str | None,
    fetched: Path,
    out: Path | None,
    access: Mapping[str, Any],
) -> list[_Target]:
    """Return the bundles to run: the chosen one, or those of a challenge that take programs."""
    if which is None or which.isdecimal():
        chosen = chosen_at_home(folder, name)
        if not chosen.takes_code:
            raise OrganiserError(f"{chosen.name}: participants upload answers; use the command board")
        connection = connect(**access) if which else None
        return [_Target(chosen, int(which) if which else None, fetched, out, connection)]
    targets = []
    for bundle, each in require_challenge(folder, which).bundles.items():
        if each.takes_code:
            server, number = address_of(each)
            places = fetched / bundle, out and out / bundle
            there = access if access["server"] != SERVER else {**access, "server": server}
            targets.append(
                _Target(each, int(number) if number else None, *places, connect(**there) if number else None)
            )
    if not targets:
        raise OrganiserError(f"{which}: participants upload answers; use the command board")
    return targets


def _publish(target: _Target, folder: Path, *, page: bool, **of_runs: Any) -> list[Taken]:
    """Fetch the uploads to a bundle, run them, and write its leaderboard."""
    fetched, number, connection = target.fetched, target.number, target.connection
    with using(fetched):
        bundle, rules = fetch_and_build(connection, number, folder, target.competition, fetched)
        job, taken = _run(target.competition, bundle, fetched, **of_runs)
        answers = answers_below(fetched)
        with counting("scoring") as scoring:
            board = make_home_board(bundle, answers, rules, dates.now(), of_runs["jobs"], scoring)
        say(board.summary, error=True)
        if target.out:
            write_home_board(board, target.out)
            owners = {each.run.owner for each in taken}
            names = anonymous_names(private_folder(answers), owners) if rules.anonymous else {}
            write_whole(target.out / RUNS, shown_runs(job, taken, names))
        if page and connection and number:
            write_home_page(connection, number, board)
    return taken


_OF_RUNS = ("engine", "python", "wheels", "repeat", "limit", "jobs", "scheduler", "release")


def _run(
    competition: Competition,
    bundle: Path,
    fetched: Path,
    *,
    limit: float | None,
    jobs: int | None,
    scheduler: str | None,
    release: Sequence[int],
    **of_job: Any,
) -> tuple[Job, list[Taken]]:
    """Take all uploads through their stages, after a line on the layers of protection and one on the environment."""
    built = read_built_bundle(bundle)
    job = make_job(competition, built, (fetched / STATE / "packages").resolve(), **of_job)
    say(layers(engine_of(job)), error=True)
    say(f"environment: {printable(environment_of(job)):.200}", error=True)
    with counting("running") as running:
        taken = run_uploads(
            job,
            built,
            {phase.name: phase.reference for phase in competition.phases},
            fetched,
            jobs=jobs or os.cpu_count() or 1,
            scheduler=scheduler,
            team_hours=competition.run_limits.get("team_hours") if limit is None else limit,
            release=release,
            progress=running,
        )
    return job, taken


def _report(fetched: Path, taken: list[Taken]) -> None:
    """Print the runs that did not end with answers, and where the log of each is."""
    failed = [each for each in taken if each.step.code not in OF_HIDDEN_RUNS[:1]]
    rows = [
        {
            "run": each.run.id,
            "owner": each.run.owner,
            "phase": each.run.phase,
            "code": each.step.code,
            "state": str(each.place),
            "log": str(each.log),
        }
        for each in taken
    ]
    lines = [
        f"  {each.run.phase}  {printable(each.run.owner)}  {each.run.id}  {each.step.code}: {CODES[each.step.code]}"
        f"\n    {printable(str(each.log))}"
        for each in failed
    ]
    answer({"runs": rows}, "\n".join(lines))
    say(
        f"{count_of(len(taken), 'upload')}, {len(taken) - len(failed)} ok; logs and times: {STATE} in {fetched}",
        error=True,
    )
