"""Make the leaderboard for hidden labels at home, over all tasks of a challenge, or without a platform.

COMPETITION is the competition's number on Codabench. New submissions are fetched, scored with the labels of your folder
and ranked. Without COMPETITION, the submissions that were fetched before are used, and no server is needed. With
--page, the page Leaderboard of the competition is added or replaced; no other page changes. SITE receives a page and
its data; publish only this folder:

\b
    index.html    the leaderboard
    board.csv     a line for each entry
    board.json    the same, with the columns

Runs that are late, withdrawn, refused or not validated yet are not on the leaderboard; they are listed here. The folder
with the fetched submissions also receives the bundle with your labels and exact results: keep it private. Settings in
competition.yaml: labels, board_url, board_update, board_names, feedback.

For COMPETITION, the name of a bundle or of a challenge with a joint ranking can be given. The submissions of a
challenge, in fetched/BUNDLE, are scored with all labels. The page has the joint ranking first, then that of each task,
with exact scores: it is made after the evaluation. `teams.csv` in your folder lists the accounts of each team.

With --season DIR there is no platform: DIR contains a folder for each team with its submissions, each named by its UTC
time, as for season. This works for every bundle and every challenge. With --mail, TEXTS receives a text for each team:
what became of each of its submissions, and how many it has left.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from speechbundles.bundle.build.built import write as write_bundles
from speechbundles.bundle.build.plan import plan as plan_bundles
from speechbundles.cli.challenge import (
    find_challenge,
    joint_board,
    place_of,
    require_over,
    shortened_left_out,
    write_mail,
)
from speechbundles.cli.options import PATH, Command, flag, jobs, json_option, option, path_option
from speechbundles.cli.progress import counting, steps
from speechbundles.cli.server import connect, server_options, using
from speechbundles.cli.terminal import ROOT, answer, as_json
from speechbundles.competition.read import read_competitions
from speechbundles.leaderboard.home import HomeRules, make_home_board
from speechbundles.leaderboard.home_page import write_home_board
from speechbundles.leaderboard.private import private_folder
from speechbundles.model import dates
from speechbundles.model.competition import Competition
from speechbundles.model.errors import OrganiserError
from speechbundles.model.finding import format_findings
from speechbundles.model.sources import Sources
from speechbundles.model.text import say
from speechbundles.server import (
    Connection,
    fetch_competition,
    write_home_page,
)
from spokeneval.scoring.options import EXACT

FETCHED = "fetched"


def site_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The competition on the server, its folder, and where its leaderboard is published."""
    which = click.argument("which", required=False, metavar="[COMPETITION]")
    folder = option("--competition", "DIR", "your competition folder", type=PATH, required=True)
    out = path_option("--out", "SITE", "the folder to publish")
    page = flag("--page", "also write the leaderboard as a page of the competition on the server")
    return which(folder(out(page(command))))


@click.command(cls=Command, help=__doc__, kept="scored", windows=False)
@site_options
@path_option(
    "--fetched",
    "DIR",
    f"the folder with the fetched submissions (default: {FETCHED} in your competition folder)",
)
@path_option(
    "--season",
    "DIR",
    "a folder for season; of a challenge with zips for all tasks, or with such a folder for each bundle",
)
@path_option("--mail", "TEXTS", "with --season: write a text for each team to this folder")
@flag("--private", "make a page with exact or hidden scores even if a phase is open; do not publish it")
@option("--bundle", "NAME", "the bundle, if several keep their labels at home", "name")
@jobs
@server_options
@json_option
def command(
    which: str | None,
    competition: Path,
    out: Path | None,
    page: bool,
    fetched: Path | None,
    season: Path | None,
    mail: Path | None,
    private: bool,
    name: str | None,
    jobs: int | None,
    **access: Any,
) -> None:
    number = int(which) if which and which.isdecimal() else None
    used = season or fetched or competition / FETCHED
    challenge = find_challenge(competition, which) if which and number is None else None
    if challenge is None:
        name = which if which and number is None else name
        chosen = chosen_at_home(competition, name, is_season=season is not None)
    bundles = [*challenge.bundles.values()] if challenge else [chosen]
    sound = [each.sound for each in bundles if each.takes_code]
    require_usable(number, competition, out, used, page=page, sound=sound, season=season, mail=mail)
    if challenge and out:
        places = (competition, used, season, out, mail)
        joint_board(challenge, *places, build_at_home, private=private, jobs=jobs)
        return
    if chosen.takes_code:
        raise OrganiserError(
            f"{chosen.name}: participants upload programs; make the leaderboard with the command run"
        )
    if season and chosen.hides_scores and not private:
        require_over({chosen.name: chosen})
    changed = None
    with using(used):
        connection = None if number is None else connect(**access)
        place = place_of(chosen.name, chosen, used, season) if season else used
        bundle, rules = fetch_and_build(connection, number, competition, chosen, place)
        with counting("scoring") as scoring:
            board = make_home_board(bundle, place, rules, dates.now(), jobs, scoring)
        written = write_home_board(board, out) if out else []
        write_mail(mail, chosen["title"], [board.season], board.names, {chosen.name: chosen})
        if page and connection and number:
            changed = write_home_page(connection, number, board)
        lines = shortened_left_out(board.left_out, place)
    entries = sum(len(phase.rows) for phase in board.phases)
    content = {"entries": entries, "left_out": board.left_out, "waiting": board.waiting, "files": written}
    done = [f"wrote {', '.join(file.name for file in written)} to {out}"] if written else []
    if changed is not None:
        content["page"] = "changed" if changed else "unchanged"
        written_or_not = "written" if changed else "unchanged"
        done.append(f"the page Leaderboard of competition {number} is {written_or_not}")
    if as_json() or lines:
        answer(content, "\n".join(lines))
    say(f"{board.summary}; {'; '.join(done)}", error=True)


def chosen_at_home(folder: Path, name: str | None, *, is_season: bool = False) -> Competition:
    """Return the competition whose labels stay at home; of a season, any competition."""
    every = read_competitions(Sources(ROOT, folder), [name] if name else [])
    found = [competition for competition in every if is_season or competition.home_sets]
    if not found:
        raise OrganiserError(
            f"{folder}: no bundle has labels: home; a platform that has the labels makes the leaderboard itself"
        )
    if len(found) > 1:
        names = ", ".join(competition.name for competition in found)
        what = "" if is_season else " have labels: home"
        raise OrganiserError(f"{folder}: several bundles{what}; choose one with --bundle: {names}")
    return found[0]


def require_usable(
    number: int | None,
    competition: Path,
    out: Path | None,
    fetched: Path,
    *,
    page: bool,
    sound: Sequence[Path] = (),
    season: Path | None = None,
    mail: Path | None = None,
) -> None:
    """Refuse arguments that do not fit together, and a folder to publish that holds private ones or is in one.

    Parameters
    ----------
    sound: the folders with recordings that stay at home.
    """
    problem = ""
    if not (out or page):
        problem = "give --out SITE for a folder to publish, --page for a page on the server, or both"
    elif page and number is None:
        problem = "--page: give COMPETITION, whose page is written"
    elif mail and not season:
        problem = "--mail: the platform informs the teams; without a platform, give --season DIR"
    elif season and number is not None:
        problem = "--season: there is no platform; give the name of a bundle or a challenge"
    elif number is None and not fetched.is_dir():
        problem = f"{fetched}: no such folder; give COMPETITION to fetch the submissions first"
    if out and out.exists() and not out.is_dir():
        problem = f"--out {out} is a file; name a folder to publish"
    elif out:
        site, sound = out.resolve(), [*sound, *([mail] if mail else [])]
        inside = [
            folder for folder in (competition, fetched, *sound) if folder.resolve().is_relative_to(site)
        ]
        private = (fetched, competition / "dist", competition / "reference_data", *sound)
        around = [folder for folder in private if site.is_relative_to(folder.resolve())]
        for how, folders in (("is in", around), ("contains", inside)):
            if folders:
                problem = f"--out {out} {how} {folders[0]}, which is private; name a folder to publish"
    if problem:
        raise OrganiserError(problem)


def fetch_and_build(
    connection: Connection | None, number: int | None, folder: Path, competition: Competition, fetched: Path
) -> tuple[Path, HomeRules]:
    """Fetch what is new, if the competition is on a server, and build as `build_at_home` does."""
    if connection and number:
        with counting("fetching") as fetching:
            fetch_competition(connection, number, fetched, progress=fetching)
    return build_at_home(folder, competition, private_folder(fetched))


def build_at_home(folder: Path, competition: Competition, private: Path) -> tuple[Path, HomeRules]:
    """Build the bundle with all labels, which never leaves this computer; return its zip, and what is shown."""
    with steps() as progress:
        planned = plan_bundles(Sources(ROOT, folder), [competition.name], {}, at_home=True, progress=progress)
        (built,) = write_bundles(planned, private, progress=progress)
    errors = [finding for finding in built.findings if finding.level == "error"]
    if errors:
        raise OrganiserError(f"{competition.name}: {format_findings(errors)}")
    feedback, column = planned.parts[competition.task].feedback, competition.columns[0]
    is_exact = competition["feedback"] == EXACT or not competition.hidden_sets
    sets = competition.hidden_sets or competition.scored_sets
    return built.path, HomeRules(
        {name: feedback[name].of_set.steps.get(column.key) for name in sets},
        exact=competition.definition if is_exact else None,
        daily=competition["board_update"] == "daily",
        anonymous=competition["board_names"] == "anonymous",
    )
