"""A competition whose labels stay at home, and runs that are ranked with them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import build_bundle
from speechbundles.leaderboard.home import HomeRules, make_home_board
from speechbundles.model.fetched import Fetched, folders_of, write_index
from speechbundles.model.zips import make_zip
from speechbundles.new.examples import example_files
from tests.samples.programs import write_files

NAME = "health"
LABELS = "reference_data/health/evaluation/labels.csv"
ROWS = [line.split(",") for line in example_files(NAME)[LABELS].decode().split()[1:]]
OTHER = {"yes": "no", "no": "yes"}
NOW = datetime(2027, 3, 10, 4)


def answers(wrong):
    """Return a submission with wrong answers to the first items."""
    rows = [f"{item},{OTHER[label] if n < wrong else label}" for n, (item, label, _) in enumerate(ROWS)]
    return make_zip({"decisions.csv": "\n".join(["id,label", *rows, ""]).encode()})


def f1(wrong, rows=ROWS):
    """Return F1 of the same submission, counted here."""
    said = [OTHER[label] if n < wrong else label for n, (_, label, _) in enumerate(ROWS)]
    pairs = [(row[1], answer) for row, answer in zip(rows, said, strict=True)]
    both = sum(pair == ("yes", "yes") for pair in pairs)
    return 2 * both / (sum(label == "yes" for label, _ in pairs) + sum(said == "yes" for _, said in pairs))


def begin(folder, settings="", **changes):
    files = example_files(NAME)
    at_home = f"defaults:\n  labels: home\n{settings}"
    text = files["competition.yaml"].decode().replace("defaults:\n", at_home, 1)
    return write_files(folder, {**files, "competition.yaml": text, **changes})


class AtHome(NamedTuple):
    """What the command makes: the bundle with all labels, and what the board shows."""

    path: Path
    rules: HomeRules


def bundle_of(folder, place):
    from speechbundles.cli.board import build_at_home, chosen_at_home

    return AtHome(*build_at_home(folder, chosen_at_home(folder, None), place))


def fetched(folder, *runs):
    """Write a fetched folder; each run is an owner, a time, the number of wrong answers, and other facts."""
    rows, folders = [], folders_of(owner for owner, *_ in runs)
    for number, (owner, time, wrong, *facts) in enumerate(runs, 1):
        known = {"upload": f"{number}", **(facts[0] if facts else {})}
        path = f"submissions/{folders[owner]}/{number}.zip"
        write_files(folder, {path: answers(wrong)})
        run = Fetched(number, "Evaluation", owner, datetime.fromisoformat(time), "Finished", True, path)
        rows.append(Fetched(**{**vars(run), "complete": True, **known}))
    write_index(folder, rows)
    return folder


def board(home, folder, *, now=NOW, daily=True, anonymous=False):
    rules = replace(home.rules, daily=daily, anonymous=anonymous)
    return make_home_board(home.path, folder, rules, now, 2)


def placed(made):
    return [(entry.rank, entry.name) for entry in made.phases[0].rows]


def upload_bundle(server, mine, name=NAME):
    """Build the bundle without labels, and import it; return the competition's number."""
    assert build_bundle.main(["build", name, "--competition", str(mine), "--platform", "codabench"]) == 0
    key = server._dataset("competition_bundle", "bundle.zip", 0)
    server.files[server.datasets[key]["path"]] = (mine / f"dist/codabench/{name}.zip").read_bytes()
    return server._import(key)


def main(*arguments):
    return build_bundle.main(["board", *map(str, arguments)])
