"""Commands that take the name of a challenge: the leaderboard over its tasks, and commands that run for each bundle.

The name is looked up in the competition folder, which is the current folder for `publish`, `fetch`, `watch` and
`amend`. The competition of a bundle is found by `url` in competition.yaml.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from speechbundles.cli.progress import counting
from speechbundles.cli.server import SERVER, using
from speechbundles.cli.terminal import MOST_LINES, ROOT, answer, beginning
from speechbundles.competition.read import read_competitions
from speechbundles.leaderboard.home import HomeRules
from speechbundles.leaderboard.joint import baseline_accounts, make_joint_board, score_entries
from speechbundles.leaderboard.mail import mail_texts
from speechbundles.leaderboard.page import INDEX_FILE
from speechbundles.leaderboard.private import anonymous_names, private_folder
from speechbundles.leaderboard.season import Season
from speechbundles.leaderboard.teams import baseline_team, read_teams_table, without_entry
from speechbundles.leaderboard.write import to_dict, to_text, write_board
from speechbundles.model import dates
from speechbundles.model.competition import Challenge, Competition
from speechbundles.model.console import wrap
from speechbundles.model.disk import write_whole
from speechbundles.model.errors import OrganiserError
from speechbundles.model.fetched import read_index
from speechbundles.model.sources import Sources
from speechbundles.model.text import say
from speechbundles.model.zips import write_tree
from speechbundles.runs import answers_below
from speechbundles.server import INDEX
from spokeneval.formats.problems import count_of, printable
from spokeneval.formats.submission_zip import DAMAGED, open_zip
from spokeneval.ranking.leaderboard import Leaderboard

NAME = re.compile("[a-z][a-z0-9_]*")


def find_challenge(folder: Path, name: str) -> Challenge | None:
    """Return the challenge with a joint ranking of this name in a competition folder; None if there is none."""
    every = read_competitions(Sources(ROOT, folder))
    return next((each.joint for each in every if each.joint and each.joint.name == name), None)


def require_challenge(folder: Path, name: str) -> Challenge:
    """Return the challenge of this name, as `find_challenge`; refuse a name that is not one."""
    challenge = find_challenge(folder, name)
    if challenge is None:
        what = f"{name} is no challenge with a joint ranking (`joint` in competition.yaml)"
        raise OrganiserError(f"{folder}: {what}")
    return challenge


def address_of(competition: Competition) -> tuple[str, str]:
    """Return the server of a competition and its number there, by its `url`; the number is empty without one."""
    url = competition.settings.get("url", "")
    return "{0.scheme}://{0.netloc}".format(urlsplit(url)), url.rstrip("/").rpartition("/")[2]


def for_each_bundle(command: str, arguments: Sequence[str]) -> dict[str, list[str]]:
    """Return the arguments of a command for each bundle, if the first of these is the name of a challenge."""
    name, *rest = arguments or [""]
    is_name = NAME.fullmatch(name) and not Path(name).exists() and Path("competition.yaml").is_file()
    challenge = find_challenge(Path(), name) if is_name else None
    calls = {}
    for bundle, competition in challenge.bundles.items() if challenge else ():
        server, number = address_of(competition)
        zipped, fetched = str(Path("dist", "codabench", f"{bundle}.zip")), str(Path("fetched", bundle))
        if command != "publish" and not number:
            raise OrganiserError(f"{bundle} has no url in competition.yaml; `publish` prints its address")
        found = {
            "publish": [zipped, *(["--competition", number] if number else [])],
            "fetch": [number, fetched],
            "watch": [zipped, number, "--dir", fetched],
            "amend": [zipped, number, "--dir", fetched],
        }[command]
        is_elsewhere = number and server != SERVER and "--server" not in rest
        calls[bundle] = [command, *found, *(["--server", server] if is_elsewhere else []), *rest]
    return calls


def joint_board(
    challenge: Challenge,
    folder: Path,
    fetched: Path,
    season: Path | None,
    out: Path,
    mail: Path | None,
    build: Callable[[Path, Competition, Path], tuple[Path, HomeRules]],
    *,
    private: bool,
    jobs: int | None,
) -> None:
    """Make the leaderboard over all tasks of a challenge from exact scores, after the evaluation.

    Parameters
    ----------
    season: a season's folder, whose submissions are to all bundles, or one with a folder for each bundle; None:
        `fetched/BUNDLE`, after `run` if participants upload programs.
    mail: receives a text for each team of a season.
    build: makes a bundle that has all labels, in a private folder.
    private: whether it may be made while a phase is open.
    """
    if not private:
        require_over(challenge.bundles)
    teams = read_teams_table(folder, list(challenge.bundles))
    outputs, anonymous, baselines, seasons = {}, list[Path](), set[str](), list[Season]()
    challenge, left_out = of_entered(challenge, season)
    teams = {bundle: teams[bundle] for bundle in challenge.bundles}
    with ExitStack() as locks:
        for used in [season] if season else [fetched, *map(fetched.joinpath, challenge.bundles)]:
            if used.is_dir():
                locks.enter_context(using(used))
        for bundle, competition in challenge.bundles.items():
            place = place_of(bundle, competition, fetched, season)
            work = private_folder(season or fetched) / bundle
            zipped, rules = build(folder, competition, work)
            at_home = bool(competition.home_sets)
            with counting(f"scoring {bundle}") as progress:
                outputs[bundle], notes, played = score_entries(
                    zipped, place, work / "scored", at_home=at_home, jobs=jobs, progress=progress
                )
            seasons += [played] if played else []
            left_out += [f"{bundle}: {note}" for note in notes]
            baselines |= {teams[bundle].get(account, account) for account in baseline_accounts(zipped, place)}
            anonymous += [place] if rules.anonymous else []
        accounts = {bundle: {output.name for output in each} for bundle, each in outputs.items()}
        for note in without_entry(teams, accounts):
            say(f"note: {note}", error=True)
        if challenge.rule:  # its baseline may be named by an account
            named = baseline_team(challenge.rule.baseline, teams, accounts)
            challenge = replace(challenge, rule=replace(challenge.rule, baseline=named))
        if anonymous:
            teams = _anonymous_teams(challenge, teams, set().union(*accounts.values()), anonymous[0])
    board = make_joint_board(challenge, outputs, teams, Sources(ROOT, folder), dates.now().date())
    names = next(iter(teams.values())) if anonymous else {}
    write_mail(mail, challenge.name, seasons, names, challenge.bundles)
    _write(board, left_out, season or fetched, out)
    for team in sorted(baselines - {challenge.rule.baseline} if challenge.rule else ()):
        how = f"with `baseline: {team}` below joint in competition.yaml, it has no rank"
        say(f"note: {team} submitted only the baseline; {how}", error=True)


def _write(board: Leaderboard, left_out: Sequence[str], place: Path, out: Path) -> None:
    """Write and print a leaderboard."""
    written = write_board(board, out)
    content = {**to_dict(board), "left_out": left_out, "files": written}
    shown = beginning(to_text(board).split("\n"), out / INDEX_FILE)
    answer(content, "\n".join([*shown, *shortened_left_out(left_out, place)]))
    say(f"wrote {len(written)} files to {out}", error=True)


def shortened_left_out(left_out: Sequence[str], place: Path) -> list[str]:
    """Return lines on what is not on a leaderboard; of many, the first ones, and the private file that has all."""
    path = private_folder(place) / "left_out.txt"
    lines = [printable(line) for line in left_out]
    if len(lines) > MOST_LINES:
        write_whole(path, "\n".join([*lines, ""]))
    return [wrap(line, "  ") for line in beginning(lines, path)]


def write_mail(
    mail: Path | None,
    title: str,
    seasons: Sequence[Season],
    names: Mapping[str, str],
    bundles: Mapping[str, Competition],
) -> None:
    """Write a text for each team, if this is asked for; without scores if those of a bundle are hidden."""
    if mail is None:
        return
    scored = not any(competition.hides_scores for competition in bundles.values())
    texts = mail_texts(title, seasons, names, scored=scored)
    write_tree(mail, {name: text.encode("utf-8", "replace") for name, text in texts.items()}, write_whole)
    say(f"wrote {count_of(len(texts), 'text')} to {mail}, one for each team", error=True)


def require_over(bundles: Mapping[str, Competition]) -> None:
    """Refuse bundles of which a phase that decides is not over."""
    now = f"{dates.now():{dates.FORMAT}}"
    deciding = {bundle: each.deciding_phase for bundle, each in bundles.items()}
    still_open = [
        f"{bundle}: {phase.name} is open until {phase.end or 'an organiser ends it'}"
        for bundle, phase in deciding.items()
        if phase.end is None or phase.end >= now
    ]
    if still_open:
        raise OrganiserError(
            f"{'; '.join(still_open)}; a page with exact scores would reveal hidden labels. Make it later, or give "
            "--private for a page that you keep"
        )


def place_of(bundle: str, competition: Competition, fetched: Path, season: Path | None) -> Path:
    """Return the folder with the submissions to a bundle, or with the answers of its programs."""
    own = (season or fetched) / bundle
    if season:
        return own if own.is_dir() else season
    return answers_below(own) if competition.takes_code else own


def of_entered(challenge: Challenge, season: Path | None) -> tuple[Challenge, list[str]]:
    """Return a challenge without optional tasks that nobody entered in a season, and notes on these.

    In a folder of its own, a task has been entered if there is a zip; in a folder for all tasks, if a zip has its file.
    """
    entered = {name for name in challenge.bundles if season and any((season / name).rglob("*.zip"))}
    if season and not entered:
        there = {Path(file).name.lower() for path in season.rglob("*.zip") for file in _names_in(path)}
        for name, each in challenge.bundles.items():
            own, *others = each.definition.format.submission_file, *each.definition.format.other_submissions
            if own is None or there.intersection(file.lower() for file in (own, *others)):
                entered.add(name)
    absent = challenge.bundles.keys() - entered - {*challenge.compulsory} if entered else set()
    rule = challenge.rule
    if rule and absent:
        rule = replace(
            rule, weights={name: each for name, each in rule.weights.items() if name not in absent}
        )
    bundles = {name: each for name, each in challenge.bundles.items() if name not in absent}
    notes = [f"{name}: nobody entered, so it is not on the leaderboard" for name in sorted(absent)]
    return replace(challenge, bundles=bundles, rule=rule if len(bundles) > 1 else None), notes


def _names_in(path: Path) -> list[str]:
    """The names of the files in a zip; of a damaged one, none."""
    try:
        with path.open("rb") as stream, open_zip(stream) as archive:
            return archive.namelist()
    except DAMAGED:
        return []


def _anonymous_teams(
    challenge: Challenge,
    teams: Mapping[str, Mapping[str, str]],
    accounts: set[str],
    place: Path,
) -> dict[str, dict[str, str]]:
    """Return an anonymous name for the team of each account, `bundle -> account -> name`; the baseline keeps its own.

    An account that is not listed in `teams.csv` has the name that it has on the leaderboard of the competition whose
    submissions are in `place`.
    """
    accounts |= {run.owner for run in read_index(place)} if (place / INDEX).is_file() else set()
    listed = {team for own in teams.values() for team in own.values()}
    names = anonymous_names(private_folder(place), accounts | listed)
    if challenge.rule and challenge.rule.baseline in names:
        names[challenge.rule.baseline] = challenge.rule.baseline
    return {
        bundle: {**names, **{account: names[team] for account, team in own.items()}}
        for bundle, own in teams.items()
    }
