"""The public leaderboard of a competition whose labels stay at home. All data are synthetic."""

import csv
import html
import json
import os
import re
import shutil
import subprocess
import sys
from copy import deepcopy
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

import build_bundle
from speechbundles.bundle.rehearse import rehearse_phase
from speechbundles.model import dates
from speechbundles.model.environment import TOKEN_VARIABLE
from speechbundles.model.fetched import LOCK, Fetched, write_index
from speechbundles.model.read import read_built_bundle
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip, write_tree
from speechbundles.new.examples import example_files
from speechbundles.new.workflow import workflow_files
from speechbundles.publication import make_board, read_outputs, score_all
from speechbundles.server.account import Account
from speechbundles.server.board import make_home_board
from speechbundles.server.board_files import to_csv, to_html, to_markdown, write_home_board
from speechbundles.server.connection import Connection
from speechbundles.server.fetch import DELETED, REPLACED, VANISHED
from speechbundles.server.private import PRIVATE
from speechbundles.server.watch import watch
from spokeneval.task import Task
from tests.samples.codabench_server import ORGANISER, PASSWORD, TOKEN, CodabenchServer, Mishap
from tests.samples.own_competition import own_folder
from tests.samples.programs import ROOT, write_files

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
    text = (
        files["competition.yaml"].decode().replace("defaults:\n", f"defaults:\n  labels: home\n{settings}", 1)
    )
    return write_files(folder, {**files, "competition.yaml": text, **changes})


class AtHome(NamedTuple):
    """What the command makes: the bundle with all labels, the step of each set, and the task if scores are exact."""

    path: Path
    sets: dict[str, float | None]
    exact: Task | None


def bundle_of(folder, place):
    from speechbundles.cli.board import _build, _chosen

    chosen = _chosen(folder, None)
    return AtHome(
        *_build(folder, chosen, place), exact=chosen.rules if chosen["feedback"] == "exact" else None
    )


@pytest.fixture(scope="module")
def coarse(tmp_path_factory):
    place = tmp_path_factory.mktemp("coarse")
    return bundle_of(begin(place / "mine"), place)


@pytest.fixture(scope="module")
def exact(tmp_path_factory):
    place = tmp_path_factory.mktemp("exact")
    return bundle_of(begin(place / "mine", "  feedback: exact\n"), place)


def fetched(folder, *runs):
    """Write a fetched folder; each run is an owner, a time, the number of wrong answers, and other facts."""
    rows = []
    for number, (owner, time, wrong, *facts) in enumerate(runs, 1):
        known = {"upload": f"{number}", **(facts[0] if facts else {})}
        path = f"submissions/{owner}/{number}.zip"
        write_files(folder, {path: answers(wrong)})
        run = Fetched(number, "Evaluation", owner, datetime.fromisoformat(time), "Finished", True, path)
        rows.append(Fetched(**{**vars(run), "complete": True, **known}))
    write_index(folder, rows)
    return folder


def board(home, folder, *, now=NOW, daily=True, anonymous=False):
    return make_home_board(
        home.path, folder, sets=home.sets, exact=home.exact, now=now, daily=daily, anonymous=anonymous, jobs=2
    )


def placed(made):
    return [(entry.rank, entry.name) for entry in made.phases[0].entries]


@pytest.mark.thorough
def test_the_best_run_of_each_owner_is_ranked_by_exact_scores(exact, tmp_path):
    folder = fetched(
        tmp_path,
        *[("anna", "2027-03-01T09:00", 20), ("anna", "2027-03-02T09:00", 30)],
        *[("bob", "2027-03-02T09:00", 9), ("eva", "2027-03-03T09:00", 20)],
    )
    made = board(exact, folder)
    assert placed(made) == [(1, "bob"), (2, "anna"), (2, "eva")]
    assert [entry.tied for entry in made.phases[0].entries] == [False, True, True]
    for entry, wrong in zip(made.phases[0].entries, (9, 20, 20), strict=True):
        assert float(entry.scores["f1"]) == pytest.approx(f1(wrong), abs=1e-10)
    assert [phase.phase.name for phase in made.phases] == ["Evaluation"]
    assert not made.left_out


def test_a_coarse_board_shows_what_a_platform_with_the_labels_would_show(coarse, tmp_path):
    made = board(coarse, fetched(tmp_path, ("anna", "2027-03-01T09:00", 20), ("bob", "2027-03-02T09:00", 70)))
    bundle = read_built_bundle(coarse.path)
    assert [column.key for column in made.columns] == ["f1"]
    assert "(≤ trivial baseline)" in to_html(made)
    for entry, wrong in zip(made.phases[0].entries, (20, 70), strict=True):
        upload = write_files(tmp_path, {"one.zip": answers(wrong)}) / "one.zip"
        done = rehearse_phase(bundle, bundle.phase("Evaluation"), upload)
        assert entry.scores == {cell.key: cell.stored for cell in done.row}
        assert entry.shown["f1"] == done.row[0].fixed()
        assert entry.shown["f1"].endswith(" (≤ trivial baseline)") == (wrong == 70)
        assert float(entry.scores["f1"]) != f1(wrong)


@pytest.mark.thorough
def test_exact_ranks_have_the_ranges_of_rank(exact, tmp_path):
    folder = fetched(
        tmp_path / "fetched",
        *[(name, "2027-03-01T09:00", wrong) for name, wrong in (("anna", 10), ("bob", 14), ("eva", 60))],
    )
    made = board(exact, folder)
    scores = score_all(exact.path, folder / "submissions", tmp_path / "scored", jobs=2)
    outputs = read_outputs([tmp_path / "scored" / scored.name for scored in scores.scored])
    ranking = make_board(Sources(ROOT, begin(tmp_path / "mine")), outputs)
    ranges = [entry.ranks for entry in made.phases[0].entries]
    assert ranges == [row.ranks for row in ranking.rows]
    assert [entry.cluster for entry in made.phases[0].entries] == [row.cluster for row in ranking.rows]
    assert ranges[0][1] > 1  # two systems that cannot be separated
    assert ranges[2] == (3, 3)
    page, table, _ = (path.read_text("utf-8") for path in write_home_board(made, tmp_path / "site"))
    assert "1–2</td>" in page
    assert "Statistical power by test-set size" in page
    assert "with 95 % confidence" in page
    rows = list(csv.DictReader(table.splitlines()))
    assert [(row["best_rank"], row["worst_rank"]) for row in rows] == [
        tuple(map(str, each)) for each in ranges
    ]
    alone = board(exact, fetched(tmp_path / "one", ("anna", "2027-03-01T09:00", 9)))
    assert [entry.ranks for entry in alone.phases[0].entries] == [None]


@pytest.mark.thorough
def test_coarse_ranks_have_ranges_from_the_scores_that_are_shown(coarse, tmp_path):
    (step,) = coarse.sets.values()
    wrong = [10, 12, 20, 26, 70]
    made = board(coarse, fetched(tmp_path, *[(f"t{n:02d}", "2027-03-01T09:00", n) for n in wrong]))
    entries = made.phases[0].entries
    shown = [entry.scores["f1"] for entry in entries]
    for entry, score in zip(entries, shown, strict=True):
        better = sum(round(float(other - score) / step) >= 2 for other in shown)
        worse = sum(round(float(score - other) / step) >= 2 for other in shown)
        assert entry.ranks == (1 + better, len(shown) - worse)
        assert entry.ranks[0] <= entry.rank <= entry.ranks[1]
    assert len({entry.ranks for entry in entries}) > 2
    assert made.phases[0].tables == ()


@pytest.mark.thorough
def test_what_is_late_early_withdrawn_cancelled_or_over_the_limit_is_left_out(exact, tmp_path):
    folder = fetched(
        tmp_path,
        ("late", "2027-03-15T00:00:01.234567", 0),
        ("early", "2027-02-01T09:00", 0),
        ("gone", "2027-03-01T09:00", 0, {"note": DELETED}),
        ("vanished", "2027-03-01T09:00", 0, {"note": VANISHED}),
        ("cancelled", "2027-03-01T09:00", 0, {"status": "Cancelled"}),
        ("lost", "2027-03-01T09:00", 0, {"submission": "", "note": DELETED}),
        *[("many", f"2027-03-0{day}T09:00", 50 - day, {"note": DELETED}) for day in (1, 2)],
        *[("many", f"2027-03-0{day}T09:00", 50 - day) for day in (3, 4)],
    )
    made = board(exact, folder, now=datetime(2027, 4, 1))
    assert placed(made) == [(1, "many")]
    assert float(made.phases[0].entries[0].scores["f1"]) == pytest.approx(
        f1(47)
    )  # the fourth is one too many
    reasons = {line.split()[1]: line for line in made.left_out}
    assert set(reasons) == {"late", "early", "gone", "vanished", "lost", "many"}
    assert reasons["late"].endswith("was not open at 2027-03-15 00:00:01")
    assert "was not open" in reasons["early"]
    assert "withdrawn" in reasons["gone"]
    assert "withdrawn" in reasons["vanished"]
    assert sum("many" in line and "allows 3 in total" in line for line in made.left_out) == 1


@pytest.mark.parametrize("notes", [(REPLACED, ""), (DELETED, ""), ("", DELETED), ("", VANISHED)])
def test_a_run_made_again_has_the_time_of_the_first_and_counts_once(exact, tmp_path, notes):
    """An upload is withdrawn only if all of its runs are."""
    runs = zip(("2027-03-14T23:00", "2027-03-20T09:00"), notes, strict=True)
    folder = fetched(tmp_path, *[("anna", time, 20, {"upload": "same", "note": note}) for time, note in runs])
    made = board(exact, folder, now=datetime(2027, 4, 1))
    assert [entry.time for entry in made.phases[0].entries] == [datetime(2027, 3, 14, 23)]
    assert made.following is None


def test_runs_to_a_phase_that_has_ended_use_up_no_attempts_of_the_next_one(exact, tmp_path):
    late = [("anna", f"2027-03-01T0{hour}:00", 50, {"phase": "Development"}) for hour in range(3)]
    made = board(exact, fetched(tmp_path, *late, ("anna", "2027-03-02T09:00", 20)))
    assert placed(made) == [(1, "anna")]
    assert [line.split()[0] for line in made.left_out] == ["Development"] * 3


def test_a_refused_run_is_left_out_with_its_problems_in_a_line(exact, tmp_path):
    folder = fetched(tmp_path, ("anna", "2027-03-02T09:00", 20))
    write_files(folder, {"submissions/anna/1.zip": make_zip({"decisions.csv": b"id,label\n"})})
    (line,) = board(exact, folder).left_out
    assert line == (
        "Evaluation  anna  1  Failed: decisions.csv: 1 problem; missing id e000, e001, e002 (and 117 more): "
        "120 recordings expected, 0 found"
    )


@pytest.mark.thorough
def test_an_upload_that_migrated_to_the_next_phase_counts_there(exact, tmp_path):
    """The platform's copy is a run of the same upload, made when the next phase opens."""
    folder = fetched(
        tmp_path,
        ("anna", "2027-02-20T09:00", 20, {"upload": "same", "phase": "Development"}),
        ("anna", "2027-03-01T00:00:05", 20, {"upload": "same"}),
    )
    made = board(exact, folder)
    assert placed(made) == [(1, "anna")]
    assert made.phases[0].entries[0].time == datetime(2027, 3, 1, 0, 0, 5)


@pytest.mark.thorough
def test_a_daily_board_ends_with_the_last_day_and_is_the_same_at_any_hour(exact, tmp_path):
    folder = fetched(tmp_path, ("anna", "2027-03-09T23:59:59", 20), ("bob", "2027-03-10T00:00:00", 9))
    made = board(exact, folder)
    assert placed(made) == [(1, "anna")]
    assert (made.until, made.following) == (datetime(2027, 3, 10), datetime(2027, 3, 11))
    assert (made.waiting, made.left_out) == (1, ())
    sites = [tmp_path / "site", tmp_path / "again"]
    for site, hour in zip(sites, (1, 23), strict=True):
        write_home_board(board(exact, folder, now=datetime(2027, 3, 10, hour)), site)
    for file in sites[0].iterdir():
        assert file.read_bytes() == (sites[1] / file.name).read_bytes()
    assert placed(board(exact, folder, daily=False)) == [(1, "bob"), (2, "anna")]


@pytest.mark.thorough
def test_anonymous_names_stay_the_same_and_nothing_published_names_an_owner(exact, tmp_path):
    runs = [("anna-w", "2027-03-01T09:00", 20), ("bob-k", "2027-03-02T09:00", 9)]
    folder = fetched(tmp_path / "fetched", *runs)
    first = board(exact, folder, anonymous=True)
    fetched(folder, *runs, ("eva", "2027-03-02T09:00", 1))
    second = board(exact, folder, anonymous=True)
    assert [name for _, name in placed(second)][1:] == [name for _, name in placed(first)]
    site = tmp_path / "site"
    published = b"".join(path.read_bytes() for path in write_home_board(second, site))
    for secret in (b"anna-w", b"bob-k", b"2027-03-01", b"2027-03-02 09"):
        assert secret not in published
    names = (folder / PRIVATE / "names.csv").read_text("utf-8")
    assert "anna-w" in names
    assert placed(first)[0][1] in names
    assert (folder / PRIVATE / "key").stat().st_mode & 0o077 == 0
    other = fetched(tmp_path / "other", *runs)
    assert placed(board(exact, other, anonymous=True)) != placed(first)


@pytest.mark.thorough
def test_a_corrected_label_gives_the_right_board_and_is_reported(exact, tmp_path):
    folder = fetched(tmp_path / "fetched", ("anna", "2027-03-01T09:00", 20))
    assert board(exact, folder).changes == ()
    assert board(exact, folder).changes == ()
    rows = [[*row] for row in ROWS]
    rows[50][1] = OTHER[rows[50][1]]
    corrected = "\n".join(["id,label,speaker", *map(",".join, rows), ""])
    mine = begin(tmp_path / "mine", "  feedback: exact\n", **{LABELS: corrected})
    made = board(bundle_of(mine, tmp_path), folder)
    assert float(made.phases[0].entries[0].scores["f1"]) == pytest.approx(f1(20, rows), abs=1e-10)
    assert f1(20, rows) != f1(20)
    assert made.changes == (
        ("2027-03-10", "Evaluation: labels were corrected; all scores are computed again."),
    )
    again = board(bundle_of(mine, tmp_path), folder)
    assert again == made
    page, *_ = (path.read_text("utf-8") for path in write_home_board(again, tmp_path / "site"))
    assert "2027-03-10: Evaluation: labels were corrected" in page


def test_hostile_names_do_no_harm(exact, tmp_path):
    folder = fetched(tmp_path, ("a", "2027-03-01T09:00", 20, {"owner": "=<b>\x1b[2J&"}))
    made = board(exact, folder)
    page, table, _ = (path.read_text("utf-8") for path in write_home_board(made, tmp_path / "site"))
    assert "<b>" not in page
    assert "\x1b" not in page + table
    assert next(csv.DictReader(table.splitlines()))["name"].startswith("'=")
    assert to_csv(made) == table


def upload_bundle(server, mine):
    """Build the bundle without labels, and import it; return the competition's number."""
    assert build_bundle.main(["build", "--competition", str(mine), "--platform", "codabench"]) == 0
    key = server._dataset("competition_bundle", "bundle.zip", 0)
    server.files[server.datasets[key]["path"]] = (mine / f"dist/codabench/{NAME}.zip").read_bytes()
    return server._import(key)


def main(*arguments):
    return build_bundle.main(["board", *map(str, arguments)])


def test_the_command_fetches_scores_and_publishes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(dates, "now", lambda: NOW)
    mine = begin(tmp_path / "mine", "  board_url: https://example.org/b\n")
    token = tmp_path / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    with CodabenchServer(lambda parts, submission: {"received": 1.0}) as server:
        number = upload_bundle(server, mine)
        phase = server.competitions[number]["phases"][1]["id"]
        server.enter(phase, "anna", answers(20))
        server.enter(phase, "bob", answers(9))
        site = tmp_path / "site"
        connected = ("--server", server.address, "--token-file", token)
        assert main(number, "--competition", mine, "--out", site, *connected) == 0
        first = json.loads((site / "board.json").read_text())
        server.enter(phase, "carol", answers(1))
        server.requests.clear()
        assert main(number, "--competition", mine, "--out", site, *connected) == 0
        assert len(server.called("API GET /api/submissions/")) == 3  # two lists, and the new run's files
    names = [entry["name"] for entry in first["phases"][0]["entries"]]
    assert names == ["bob", "anna"]
    later = json.loads((site / "board.json").read_text())
    assert [entry["name"] for entry in later["phases"][0]["entries"]] == ["carol", *names]
    assert {path.name for path in site.iterdir()} == {"index.html", "board.csv", "board.json"}
    assert "rounded to steps" in (site / "index.html").read_text("utf-8")
    before = {path.name: path.read_bytes() for path in site.iterdir()}
    shutil.rmtree(site)
    capsys.readouterr()
    assert main("--competition", mine, "--out", site, "--json") == 0  # without a server
    printed = json.loads(capsys.readouterr().out)
    assert (printed["entries"], len(printed["files"]), printed["left_out"]) == (3, 3, [])
    assert before == {path.name: path.read_bytes() for path in site.iterdir()}
    assert (mine / "fetched" / PRIVATE).stat().st_mode & 0o077 == 0


def one(name, wrong):
    return (name, "2027-03-02T09:00", wrong)


def test_the_page_on_the_server_shows_nothing_that_the_public_page_does_not(coarse, exact, tmp_path):
    for home, anonymous in ((coarse, False), (exact, True)):
        folder = fetched(tmp_path / f"{anonymous}", one("anna", 20), one("*b|ob* <b>", 9))
        made = board(home, folder, anonymous=anonymous)
        lines = to_markdown(made).splitlines()
        rows = [re.split(r" (?<!\\)\| ", line[2:-2]) for line in lines if line.startswith("| ")]
        cells = {
            html.unescape(re.sub(r"\\(.)", r"\1", cell)) for row in rows for cell in row if "---" not in cell
        }
        names = {entry.name for entry in made.phases[0].entries}
        assert names <= cells
        assert {cell for cell in cells if cell not in html.unescape(to_html(made))} == set()
        assert "<b>" not in to_markdown(made)
        assert ("anna" in names) is not anonymous


def test_a_long_page_on_the_server_shows_the_best_entries(exact, tmp_path, monkeypatch):
    made = board(exact, fetched(tmp_path, *(one(f"team{number}", number) for number in range(6))))
    assert to_markdown(made, 4).count("| team") == 4
    assert "The best 4 of 6 entries:" in to_markdown(made, 4)
    monkeypatch.setattr("speechbundles.server.board_files.LARGEST_PAGE", len(to_markdown(made, 3)))
    assert "team0" in to_markdown(made)
    assert "The best 3 of 6 entries:" in to_markdown(made)


@pytest.mark.parametrize("today", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_the_command_writes_a_page_of_the_competition(today, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(dates, "now", lambda: NOW)
    monkeypatch.setattr("speechbundles.server.connection.PAUSES", (0,))
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    mine = begin(tmp_path / "mine")
    with CodabenchServer(lambda parts, submission: {"received": 1.0}, today=today) as server:
        number = upload_bundle(server, mine)
        live = server.competitions[number]
        imported = deepcopy((live["terms"], live["pages"]))
        phase = live["phases"][1]["id"]
        server.enter(phase, "anna", answers(20))
        calls = (number, "--competition", mine, "--page", "--server", server.address)
        pages = []
        for again, kind in enumerate(("", "", "drop", "act-and-drop")):
            if kind:
                server.enter(phase, f"bob{again}", answers(9 - again))
                server.mishaps = [Mishap("API PATCH", kind, times=9)]
                assert main(*calls) == 1
                server.mishaps = []
            server.requests.clear()
            assert main(*calls) == 0
            assert len(server.called("API PATCH")) == (0 if again in (1, 3) else 1)
            *others, page = live["pages"]
            assert (live["terms"], others) == imported
            assert (page["title"], page["index"]) == ("Leaderboard", len(others))
            pages.append(page["content"])
        assert pages[0] == pages[1]
        assert "bob2" in pages[2]
        assert "bob3" in pages[3]
        connection = Connection(server.address, TOKEN, account=Account(ORGANISER, PASSWORD))
        bundle = mine / f"dist/codabench/{NAME}.zip"
        assert watch(connection, bundle, number, mine / "fetched", now=NOW).differences == ()
        live["pages"][-1]["content"] = "An organiser's own page."
        capsys.readouterr()
        assert main(*calls) == 1
        assert "has a page Leaderboard that `board` did not write" in capsys.readouterr().err
        live["title"] = "Another"
        assert main(*calls) == 1
        assert live["pages"][-1]["content"] == "An organiser's own page."
        assert main("--competition", mine, "--page") == 1
        assert main("--competition", mine) == 1


@pytest.mark.parametrize(
    ("out", "settings", "message"),
    [
        ("mine", "labels: home", "which is private"),
        (".", "labels: home", "which is private"),
        ("mine/dist", "labels: home", "which is private"),
        ("mine/reference_data/health", "labels: home", "which is private"),
        ("mine/fetched/site", "labels: home", "which is private"),
        ("mine/competition.yaml", "labels: home", "is a file; name a folder"),
        ("site", "labels: platform", "no bundle has labels: home"),
        ("site", "labels: home", "give COMPETITION to fetch"),
    ],
)
def test_a_wrong_call_is_refused_in_a_line(out, settings, message, tmp_path, capsys):
    mine = begin(tmp_path / "mine")
    text = (mine / "competition.yaml").read_text("utf-8").replace("labels: home", settings)
    (mine / "competition.yaml").write_text(text, "utf-8")
    assert main("--competition", mine, "--out", tmp_path / out) == 1
    assert message in capsys.readouterr().err
    assert not Path(tmp_path / "site").exists()


@pytest.mark.thorough
def test_other_commands_state_what_participants_see_and_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(dates, "now", lambda: NOW)
    monkeypatch.setattr("speechbundles.server.wait.PAUSE", 0)
    mine = begin(tmp_path / "mine")
    folder, out = tmp_path / "fetched", tmp_path / "out"
    bundle = mine / f"dist/codabench/{NAME}.zip"
    token = write_files(tmp_path, {"token": TOKEN}) / "token"
    token.chmod(0o600)

    def run(command, *arguments):
        capsys.readouterr()
        status = build_bundle.main([command, *map(str, arguments)])
        printed = capsys.readouterr()
        return status, " ".join((printed.out + printed.err).split())

    with CodabenchServer(lambda parts, submission: {"received": 1.0}) as server:
        number = upload_bundle(server, mine)
        server.now = datetime(2027, 3, 2)
        server.enter(server.competitions[number]["phases"][1]["id"], "anna", answers(20))
        rows = [[*row] for row in ROWS]
        rows[50][1] = OTHER[rows[50][1]]
        (mine / LABELS).write_text("\n".join(["id,label,speaker", *map(",".join, rows), ""]), "utf-8")
        assert run("build", "--competition", mine, "--platform", "codabench")[0] == 0
        connected = ("--server", server.address, "--token-file", token)
        status, shown = run("amend", bundle, number, "--dir", folder, *connected)
        assert (status, "there is nothing to amend. Its labels stay at home" in shown) == (0, True)
        assert "run `board`" in shown
        assert server.called("API PATCH") == []
        status, shown = run("watch", bundle, number, "--dir", folder, *connected)
        assert (status, "its baseline has not run on the server" in shown) == (4, True)
        server.readable = True
        status, shown = run("publish", bundle, *connected)
        assert (status, "measured on 2" in shown, "use labels: home" in shown) == (0, True, False), shown
        assert shown.count("note: reference_data.zip: these reference data contain no hidden label") == 1
        assert shown.count("contain no hidden label") == 1  # not of the development set
    status, shown = run("season", bundle, folder)
    assert (status, "participants see only Received on the platform; `board` makes" in shown) == (0, True)
    status, shown = run("score", bundle, "--fetched", folder, "--phase", "Evaluation", "--out", out)
    assert (status, "make the leaderboard with `board`" in shown) == (2, True)
    status, shown = run("score", bundle, folder / "submissions", "--out", out)
    assert (status, "give them with --reference: the folder `all`" in shown) == (2, True)
    whole = mine / f"dist/sealed/{NAME}/evaluation/all"
    status, shown = run("score", bundle, folder / "submissions", "--out", out, "--reference", whole)
    assert (status, "compare these outputs with `rank`" in shown) == (0, True)
    (scores,) = out.rglob("scores.json")
    assert json.loads(scores.read_text())["f1"] == pytest.approx(f1(20, rows), abs=1e-10)


WHEEL = "spokeneval-1.2.3-py3-none-any.whl"
HOLD = """
import sys, time
from pathlib import Path
from speechbundles.model.fetched import locked
with locked(Path(sys.argv[1]), Path(), "amend"):
    print("locked", flush=True)
    time.sleep(600)
"""


@pytest.mark.thorough
def test_of_two_runs_on_a_folder_the_second_is_refused_until_the_first_is_gone(tmp_path, capsys):
    mine = begin(tmp_path / "mine")
    folder = write_files(mine / "fetched", {LOCK: ""})
    token = write_files(tmp_path, {"token": TOKEN}) / "token"
    token.chmod(0o600)
    with CodabenchServer(lambda parts, submission: {"received": 1.0}) as server:
        call = (
            upload_bundle(server, mine),
            "--competition",
            mine,
            "--out",
            tmp_path / "site",
            "--server",
            server.address,
        )
        with subprocess.Popen(
            [sys.executable, "-c", HOLD, folder / LOCK], stdout=subprocess.PIPE, cwd=ROOT
        ) as first:
            assert first.stdout.readline() == b"locked\n"
            capsys.readouterr()
            assert main(*call, "--token-file", token) == 1
            assert [line for line in capsys.readouterr().err.splitlines() if "fetching" not in line] == [
                f"{folder}: amend is using this folder; wait until it ends, or choose another folder"
            ]
            assert not (tmp_path / "site").exists()
            first.kill()
        assert main(*call, "--token-file", token) == 0


@pytest.mark.thorough
def test_the_workflow_publishes_the_page_and_no_label(tmp_path):
    mine = begin(tmp_path / "mine")
    settings = (mine / "competition.yaml").read_text("utf-8").replace("2027-", "2024-")
    (mine / "competition.yaml").write_text(settings, "utf-8")
    wheel = write_files(tmp_path, {WHEEL: b"a wheel"}) / WHEEL
    write_tree(mine, workflow_files(ROOT, str(wheel)))
    workflow = yaml.safe_load((mine / ".github/workflows/board.yml").read_text("utf-8"))
    jobs = workflow["jobs"]
    used = [step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"actions/[\w/-]+@[0-9a-f]{40}", action) for action in used)
    assert workflow["permissions"] == {}
    assert jobs["board"]["permissions"] == {"contents": "read"}
    assert [sorted(step) for step in jobs["publish"]["steps"]] == [
        ["id", "uses"]
    ]  # gets nothing but the artifact
    (install, make) = (step for step in jobs["board"]["steps"] if "run" in step)
    assert (mine / install["run"].split()[-1]).is_file()
    (artifact,) = (step["with"]["path"] for step in jobs["board"]["steps"] if "pages" in step.get("uses", ""))
    with CodabenchServer(lambda parts, submission: {"received": 1.0}) as server:
        number = upload_bundle(server, mine)
        shutil.rmtree(mine / "dist")
        server.now = datetime(2024, 3, 2)
        phase = server.competitions[number]["phases"][1]["id"]
        server.enter(phase, "anna", answers(20))
        call = f'exec "{sys.executable}" "{ROOT / "build_bundle.py"}" "$@" --server {server.address}'
        program = write_files(tmp_path / "bin", {"speech-bundles": f"#!/bin/sh\n{call}\n"}) / "speech-bundles"
        program.chmod(0o755)
        given = {"${{ vars.COMPETITION }}": str(number), "${{ secrets.CODABENCH_TOKEN }}": TOKEN}
        environment = {
            **{name: given[value] for name, value in make["env"].items()},
            "PATH": f"{program.parent}:{os.environ['PATH']}",
        }
        subprocess.run(["bash", "-e", "-c", make["run"]], cwd=mine, env=environment, check=True)
    published = {path.relative_to(mine / artifact).as_posix() for path in (mine / artifact).rglob("*")}
    assert published == {"index.html", "board.csv", "board.json"}
    assert json.loads((mine / artifact / "board.json").read_text())["phases"][0]["entries"]
    for path in (mine / artifact).iterdir():
        assert not [item for item, *_ in ROWS if item in path.read_text("utf-8")]
    ignored = (own_folder(tmp_path / "own", ["spoken_call"]) / ".gitignore").read_text("utf-8").split()
    assert {f"{artifact}/", "fetched/"} <= {*ignored}
