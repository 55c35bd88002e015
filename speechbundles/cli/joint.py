"""Commands that take the name of a challenge: the leaderboard over its tasks, and commands that run for each bundle.

The name is looked up in the competition folder, which is the current folder for `publish`, `fetch`, `watch` and
`amend`. The competition of a bundle is found by `url` in competition.yaml.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from speechbundles.cli.progress import counting
from speechbundles.cli.server import SERVER
from speechbundles.cli.terminal import ROOT, answer
from speechbundles.competition.read import read_competitions
from speechbundles.model import dates
from speechbundles.model.competition import Challenge, Competition
from speechbundles.model.console import wrap
from speechbundles.model.errors import OrganiserError
from speechbundles.model.read import read_built_bundle
from speechbundles.model.sources import Sources
from speechbundles.model.text import printable, say
from speechbundles.publication import (
    joint_board_to_dict,
    joint_board_to_text,
    make_joint_board,
    write_joint_board,
)
from speechbundles.runs import answers_below
from speechbundles.server import private_folder, score_entries

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


def for_each_bundle(command: str, arguments: Sequence[str]) -> list[list[str]]:
    """Return the arguments of a command for each bundle, if the first of these is the name of a challenge."""
    name, *rest = arguments or [""]
    is_name = NAME.fullmatch(name) and not Path(name).exists() and Path("competition.yaml").is_file()
    challenge = find_challenge(Path(), name) if is_name else None
    if challenge is None:
        return []
    return [[*_arguments(command, bundle, each, rest), *rest] for bundle, each in challenge.bundles.items()]


def _arguments(command: str, bundle: str, competition: Competition, rest: Sequence[str]) -> list[str]:
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
    return [*found, *(["--server", server] if number and server != SERVER and "--server" not in rest else [])]


def joint_board(
    name: str,
    folder: Path,
    fetched: Path,
    season: Path | None,
    out: Path,
    build: Callable[[Path, Competition, Path], tuple[Path, Any]],
    *,
    private: bool,
    jobs: int | None,
    as_json: bool,
) -> int:
    """Make the leaderboard over all tasks of a challenge from exact scores, after the evaluation.

    Parameters
    ----------
    season: a rehearsal's folder, whose submissions are to all bundles, or one with a folder for each bundle; None:
        `fetched/BUNDLE`, after `run` if participants upload programs.
    build: makes a bundle that has all labels, in a private folder.
    private: whether it may be made while a phase is open.
    """
    challenge, outputs = require_challenge(folder, name), {}
    left_out: list[str] = []
    for bundle, competition in challenge.bundles.items():
        own = fetched / bundle
        place = season or (answers_below(own) if competition.takes_code else own)
        if season and (season / bundle).is_dir():
            place = season / bundle
        work = private_folder(season or fetched) / bundle
        zipped, _ = build(folder, competition, work)
        phase = read_built_bundle(zipped).phase(None)
        if not private and (phase.closes is None or phase.closes > dates.now()):
            raise OrganiserError(
                f"{bundle}: {phase.name} is open until {phase.closes or 'an organiser ends it'}; a page with exact "
                "scores would reveal hidden labels. Make it later, or give --private for a page that you keep"
            )
        with counting(f"scoring {bundle}") as progress:
            at_home = bool(competition.home_sets)
            outputs[bundle], notes = score_entries(
                zipped, place, work / "scored", at_home=at_home, jobs=jobs, progress=progress
            )
        left_out += [f"{bundle}: {note}" for note in notes]
    board = make_joint_board(challenge, outputs, Sources(ROOT, folder), dates.now().date())
    written = write_joint_board(board, out)
    content = {**joint_board_to_dict(board), "left_out": left_out, "files": written}
    lines = [wrap(printable(line), "  ") for line in left_out]
    answer(content, "\n".join([joint_board_to_text(board), *lines]), as_json=as_json)
    say(f"wrote {len(written)} files to {out}", error=True)
    return 0
