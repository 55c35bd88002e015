"""Make every kind of page with the kits, the built bundles and the organiser's commands."""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from datetime import datetime
from html import escape
from io import BytesIO, StringIO
from pathlib import Path
from unittest.mock import patch

import build_bundle
import spokeneval
from sample_data import listening
from sample_data.demo import submissions
from speechbundles.competition.read import read_competitions
from speechbundles.model import dates
from speechbundles.model.competition import Competition
from speechbundles.model.fetched import Fetched, write_index
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip, write_tree
from speechbundles.new.examples import example_files
from tests.samples.boards import NAMES
from tests.samples.programs import ROOT

_SEASON = "spoken_call"
"""The bundle of the season's page."""

_AT_HOME = "health"
"""The example competition of the leaderboards of labels at home."""

_COLUMNS = (
    *("f1", "f1_low", "f1_high", "precision", "recall", "accuracy"),
    *("balanced_accuracy", "matthews", "specificity"),
)
"""Its columns: every score, as a leaderboard with exact scores may show."""

_PLAIN = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<style>
body {{ font: 1rem/1.5 sans-serif; overflow-wrap: break-word; }}
pre {{ white-space: pre-wrap; }}
</style></head>
<body><main>
{page}
</main></body>
</html>
"""
"""A frame for the challenges' pages, which have no style of their own. It breaks words that are longer than a line, but
not those in tables, so that a table that is too wide is found."""


def make_pages(folder: Path) -> Iterator[Path]:
    """Make all pages below `folder`, and yield the path of each as soon as it is made."""
    competitions = {bundle.task: bundle for bundle in read_competitions(Sources(ROOT))}
    both = ("--platform", "codabench", "--platform", "codalab")
    organise(
        "build", *(bundle.name for bundle in competitions.values()), *both, "--out", str(folder / "dist")
    )
    for bundle in competitions.values():
        yield from _challenge_pages(folder, bundle)
        yield from make_reports(folder, bundle)
        yield make_board(folder, bundle)
        described = folder / f"{bundle.name}-data"
        organise("describe", bundle.name, "--out", str(described))
        yield from (described / half / "data.html" for half in ("private", "public"))
    yield _season(folder)
    listening.write(folder / "study")
    words = ("--test", "mushra", "--reference", "natural", "--anchor", "low", "--out", str(folder / "grades"))
    organise("listening", str(folder / "study/mushra.csv"), *words)
    yield folder / "grades/ranking.html"
    for feedback in ("coarse", "exact"):
        yield _home_board(folder, feedback)
    yield _joint_board(folder)
    said = [("Ann", 0, 9, "good morning " * 40), ("Bob", 9, 12, "how are you"), ("Cy", 12, 13, "fine")]
    heard = [("1", 9, 12, "who are you there"), ("2", 0, 9, "good mourning " * 40)]
    report = spokeneval.score({"kind": "meetings"}, {"session one": said}, {"session one": heard}).report()
    yield _written(folder, "meetings-public.html", report)


def _joint_board(folder: Path) -> Path:
    """The board of a challenge with two tasks, one of which a team lacks and one is compulsory."""
    own = folder / "joint"
    organise("init", str(own), "--example", "memory_clinic")
    words = ("--season", str(own / "season"), "--private", "--out", str(own / "site"))
    organise("board", "memory_clinic", "--competition", str(own), *words)
    return own / "site" / "index.html"


def organise(*arguments: str) -> None:
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        status = build_bundle.main(arguments)
    assert status == 0, (arguments, said.getvalue())


def _bundle(folder: Path, bundle: Competition, platform: str = "codabench") -> Path:
    return folder / "dist" / platform / f"{bundle.name}.zip"


def _challenge_pages(folder: Path, bundle: Competition) -> Iterator[Path]:
    """Make the competition's own pages, which a platform shows under its title."""
    with zipfile.ZipFile(_bundle(folder, bundle, "codalab")) as built:
        for name in built.namelist():
            if name.endswith(".html"):
                whole = _PLAIN.format(title=escape(bundle["title"]), page=built.read(name).decode())
                yield _written(folder, f"{bundle.name}-page-{name}", whole)


def make_reports(folder: Path, bundle: Competition) -> Iterator[Path]:
    """Make the baseline's reports on public and hidden labels, and the report of a submission without files."""
    kit = folder / bundle.task
    with zipfile.ZipFile(_bundle(folder, bundle)) as built:
        zipfile.ZipFile(BytesIO(built.read("starting_kit.zip"))).extractall(kit)
        baseline = built.read("solutions/baseline_evaluation.zip")
    (folder / "baseline.zip").write_bytes(baseline)
    for command in (("baseline.py", "development", "out"), ("try_submission.py", "out")):
        subprocess.run([sys.executable, *command], cwd=kit, check=True, stdout=subprocess.DEVNULL)
    yield _written(folder, f"{bundle.task}-public.html", (kit / "detailed_results.html").read_text())
    kept = folder / f"{bundle.task}-kept"
    organise("rehearse", str(_bundle(folder, bundle)), str(folder / "baseline.zip"), "--keep", str(kept))
    (hidden,) = kept.rglob("detailed_results.html")
    yield _written(folder, f"{bundle.task}-hidden.html", hidden.read_text())
    (kit / "input" / "res").mkdir(parents=True)
    (kit / "development" / "reference").rename(kit / "input" / "ref")
    subprocess.run([sys.executable, "score.py", "input", "refused"], cwd=kit, capture_output=True)
    refused = (kit / "refused" / "detailed_results.html").read_text()
    yield _written(folder, f"{bundle.task}-refused.html", refused)


def make_board(folder: Path, bundle: Competition) -> Path:
    zips = {f"{name}.zip": make_zip(files) for name, files in submissions(bundle.task).items()}
    zips["baseline.zip"] = (folder / "baseline.zip").read_bytes()
    place = write_tree(folder / f"{bundle.task}-submissions", zips)
    scored, board = folder / f"{bundle.task}-scored", folder / f"{bundle.task}-board"
    organise("score", str(_bundle(folder, bundle)), str(place), "--out", str(scored))
    outputs = sorted(path for path in scored.glob("[!.]*") if path.is_dir())
    organise("rank", *map(str, outputs), "--out", str(board))
    (found,) = board.glob("*.html")
    return _written(folder, f"{bundle.task}-board.html", found.read_text())


def _season(folder: Path) -> Path:
    """Make the leaderboard of a season with three teams and four days; one file is not a submission."""
    good = {name: make_zip(files) for name, files in submissions(_SEASON).items()}
    uploads = {}
    for team, zips in (
        ("Team A", list(good.values())),
        ("Équipe B", list(good.values())[::-1]),
        ("C", [b""]),
    ):
        for day, content in enumerate(zips, 2):
            uploads[f"{team}/2027-03-{day:02d}T0915_try.zip"] = content
    write_tree(folder / "season", uploads)
    bundle = folder / "dist" / "codabench" / f"{_SEASON}.zip"
    organise("season", str(bundle), str(folder / "season"), "--out", str(folder / "boards"))
    (final,) = folder.glob("boards/*/board.html")
    return _written(folder, "season.html", final.read_text())


def _home_board(folder: Path, feedback: str) -> Path:
    """Make the leaderboard of a competition whose labels stay at home, with every kind of name."""
    files = example_files(_AT_HOME)
    columns = ", ".join(f"{{key: {key}, precision: 4}}" for key in _COLUMNS)
    settings = f"defaults:\n  labels: home\n  feedback: {feedback}\n  columns: [{columns}]\n"
    text = files["competition.yaml"].decode().replace("defaults:\n", settings, 1)
    place = write_tree(folder / f"home-{feedback}", {**files, "competition.yaml": text.encode()})
    labels = files[f"reference_data/{_AT_HOME}/evaluation/labels.csv"].decode().split()[1:]
    pairs, wrong = [line.split(",")[:2] for line in labels], {"yes": "no", "no": "yes"}
    runs, uploads = [], {}
    for number, owner in enumerate(NAMES, 1):
        rows = [
            f"{item},{wrong[label] if row < 5 * number else label}" for row, (item, label) in enumerate(pairs)
        ]
        path = f"submissions/{number}/{number}.zip"
        uploads[path] = make_zip({"decisions.csv": "\n".join(["id,label", *rows, ""]).encode()})
        time = datetime(2027, 3, 2, 9, number)
        runs.append(Fetched(number, "Evaluation", owner, time, "Finished", True, path, upload=f"{number}"))
    write_index(write_tree(place / "fetched", uploads), runs)
    site = folder / f"home-{feedback}-site"
    with patch.object(dates, "now", return_value=datetime(2027, 3, 10, 4)):
        organise("board", "--competition", str(place), "--out", str(site))
    return _written(folder, f"home-board-{feedback}.html", (site / "index.html").read_text("utf-8"))


def _written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
