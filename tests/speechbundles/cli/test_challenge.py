"""A challenge of several tasks in one folder: bundles, a season of twelve teams, the joint board.

It is the example of `init`, which has the tasks and the rule of PROCESS. The joint scores are computed again
from the boards of the tasks, with the standard library alone.
"""

import csv
import json
import re
import statistics
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path

import pytest

import build_bundle
from speechbundles.bundle.rehearse import FINISHED, rehearse
from speechbundles.cli.challenge import for_each_bundle, of_entered, require_challenge
from speechbundles.leaderboard.teams import read_teams_table
from speechbundles.model import dates
from speechbundles.model.disk import locked
from speechbundles.model.environment import TOKEN_VARIABLE
from speechbundles.model.errors import OrganiserError
from speechbundles.model.fetched import LOCK
from speechbundles.model.zips import make_zip
from speechbundles.new import examples
from tests.samples.codabench_server import TOKEN, CodabenchServer
from tests.samples.live_bundle import OPEN
from tests.samples.programs import run_program, unzipped, write_files

TEAMS = [*examples.TEAMS]
TITLES = ["Memory clinic: diagnosis", "Memory clinic: test score"]
URLS = {
    "decisions": "https://host.example/competitions/12/",
    "scores": "https://host.example/competitions/7/",
}
TEAMS_TABLE = """\
team,memory_clinic_decisions,memory_clinic_scores,aliases
Alpha,alpha_lab,alpha,
Beta,,beta,beta2; beta3
"""


def ranks(column):
    """Ranks of `team -> score`; equal scores share the better rank."""
    return {
        team: 1 + sum(other > score + 1e-10 for other in column.values()) for team, score in column.items()
    }


def joint_scores(site, ranked):
    """PROCESS's sum from the `board.csv` of each bundle: shares of all scores, where a missing task adds nothing."""
    total = dict.fromkeys(ranked, 0.0)
    for kind, key in (("decisions", "macro_f1"), ("scores", "rmse")):
        with open(site / f"memory_clinic_{kind}/board.csv", encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["system"] in ranked and row["rank"]]
        whole = sum(float(row[key]) for row in rows)
        for row in rows:
            share = float(row[key]) / whole
            total[row["system"]] += 1 - share if key == "rmse" else share
    return total


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clinic") / "own"
    assert build_bundle.main(["init", str(folder), "--example", "memory_clinic"]) == 0
    text = (folder / "competition.yaml").read_text()
    for kind, url in URLS.items():
        text = text.replace(f"{{task: memory_clinic_{kind},", f"{{task: memory_clinic_{kind}, url: {url},")
    (folder / "competition.yaml").write_text(
        f"{text}  memory_open: {{task: memory_clinic_decisions, title: Open}}\n"
    )
    assert build_bundle.main(["build", "--competition", str(folder)]) == 0
    return folder


@pytest.mark.thorough
def test_process_adds_normalised_scores_of_decisions_and_scores(tmp_path, monkeypatch, capsys, clinic):
    site, words = tmp_path / "site", ["--competition", str(clinic), "--season", str(clinic / "season")]
    assert build_bundle.main(["board", "memory_clinic", *words, "--out", str(site)]) == 1  # a phase is open
    assert not site.exists()
    monkeypatch.setattr(dates, "now", lambda: datetime(2027, 8, 1))
    assert build_bundle.main(["board", "memory_clinic", *words, "--out", str(site)]) == 0
    board = json.loads((site / "board.json").read_text())
    ranked = {system["name"]: system["score"] for system in board["systems"]}
    assert {*ranked, *board["apart"]} == {*TEAMS}
    assert board["apart"] == {"team11": "no score in memory_clinic_decisions, which is compulsory"}
    assert ranked == pytest.approx(joint_scores(site, ranked), abs=1e-9)
    assert {system["name"]: system["rank"] for system in board["systems"]} == ranks(ranked)
    for system in board["systems"]:
        assert system["ranks"][0] <= system["rank"] <= system["ranks"][1]
    page, paper = ((site / file).read_text(encoding="utf-8") for file in ("index.html", "board.tex"))
    table = page[page.index("Joint ranking") :].partition("</table>")[0]
    assert re.findall("<th[^>]*>(Memory clinic: [^<]*)<", table) == TITLES
    assert "<details" not in table
    assert " & ".join(TITLES) in " ".join(paper.split())
    assert "no score in Memory clinic: diagnosis, which is compulsory" in page
    assert f"memory_clinic_decisions: {TITLES[0]}; memory_clinic_scores: {TITLES[1]}" in page
    teams = "team,memory_clinic_decisions,aliases\nFirst,team2; team3,team4\nFifth,taem5,\n"
    write_files(clinic, {"teams.csv": teams})
    words = ["--competition", str(clinic), "--season", str(clinic / "season"), "--out", str(site)]
    capsys.readouterr()
    assert build_bundle.main(["board", "memory_clinic", *words]) == 0
    said = capsys.readouterr()
    assert "teams.csv: taem5 has no entry; did you mean 'team5'?" in said.err
    assert f"more lines, in {site / 'index.html'}" in said.out
    whole = (site / "index.html").read_text(encoding="utf-8")
    assert "a failure that happens to fewer than 2.5 % of units can be missing" in " ".join(whole.split())
    board = json.loads((site / "board.json").read_text())
    assert [system["name"] for system in board["systems"] if system["name"] not in TEAMS] == ["First"]
    assert {*board["apart"]} == {"team11", "team2", "team3"}  # in the other task, they are teams of their own
    settings = clinic / "competition.yaml"
    text = settings.read_text()
    settings.write_text(text.replace("defaults:\n", "defaults:\n  board_names: anonymous\n", 1))
    assert build_bundle.main(["board", "memory_clinic", *words]) == 0
    shown = {file: file.read_text(encoding="utf-8") for file in site.rglob("*") if file.is_file()}
    assert [file for file, written in shown.items() if re.search(r"\bteam\d|First", written)] == []
    with open(clinic / "season/.board/names.csv", encoding="utf-8", newline="") as file:
        owners = {row["name"]: row["owner"] for row in csv.DictReader(file)}
    hidden = json.loads(shown[site / "board.json"])
    assert {owners[system["name"]]: system["score"] for system in hidden["systems"]} == pytest.approx(
        {system["name"]: system["score"] for system in board["systems"]}, abs=1e-12
    )
    for baseline, status, own in (
        ("team4", 0, "First"),
        ("team2", 1, "the team First in memory_clinic_decisions and team2 in memory_clinic_scores"),
        ("team44", 1, "baseline: team44 has no score in memory_clinic_decisions and memory_clinic_scores"),
    ):
        named = text.replace("    joint:\n", f"    joint:\n      baseline: {baseline}\n", 1)
        settings.write_text(named.replace("defaults:\n", "defaults:\n  board_names: anonymous\n", 1))
        capsys.readouterr()
        assert build_bundle.main(["board", "memory_clinic", *words, "--json"]) == status
        found = json.loads(capsys.readouterr().out)
        assert own in (found["error"] if status else found["baseline"]["name"])
    board = json.loads((site / "board.json").read_text())
    assert {system["name"] for system in board["systems"]}.isdisjoint({"First", *TEAMS})
    settings.write_text(text)
    (clinic / "teams.csv").unlink()


@pytest.mark.thorough
def test_all_bundles_have_one_kit_and_pages_that_link_to_each_other(clinic, tmp_path):
    bundles = [
        unzipped((clinic / f"dist/codabench/memory_clinic_{name}.zip").read_bytes())
        for name in ("decisions", "scores")
    ]
    assert bundles[0]["starting_kit.zip"] == bundles[1]["starting_kit.zip"]
    for own, other, number in ((0, "Memory clinic: test score", 7), (1, "Memory clinic: diagnosis", 12)):
        text = bundles[own]["pages/overview.md"].decode()
        (unpack,) = re.findall("`python3 (try_submission.py --task .*)`", text)
        assert f"[{other}](https://host.example/competitions/{number}/)" in text
        assert "A task without a score adds nothing to the sum." in text
    kit = unzipped(bundles[0]["starting_kit.zip"])
    assert "`decisions.csv`, `scores.csv`" in kit["README.md"].decode()
    place = write_files(tmp_path / "kit", kit)
    assert run_program(*unpack.split(), cwd=place).returncode == 0  # as on the page
    assert (tmp_path / "memory_clinic_scores" / "baseline.py").is_file()
    reference = (clinic / "reference_data/memory_clinic_decisions/development/labels.csv").read_text()
    rows = [",".join(row.split(",")[:2]) for row in reference.splitlines()]
    write_files(tmp_path / "out", {"decisions.csv": "\n".join([*rows, ""]), "scores.csv": "anything"})
    done = run_program("try_submission.py", "--task", "memory_clinic_decisions", tmp_path / "out", cwd=place)
    assert done.returncode == 0, done.stderr
    assert "Macro F1" in done.stdout
    assert {*unzipped((place / "submission.zip").read_bytes())} == {"decisions.csv", "scores.csv"}
    usage = "--task {memory_clinic_decisions,memory_clinic_scores} (SUBMISSION | --unpack FOLDER)"
    assert usage in run_program("try_submission.py", tmp_path / "out", cwd=place).stderr
    done = run_program(
        "try_submission.py", "--task", "memory_clinic_scores", "--unpack", tmp_path / "one", cwd=place
    )
    assert done.returncode == 0, done.stderr
    assert not [*(tmp_path / "one").glob("memory_clinic*")]
    assert (
        "name a new folder"
        in run_program(
            "try_submission.py", "--task", "memory_clinic_scores", "--unpack", tmp_path / "one", cwd=place
        ).stderr
    )
    single = run_program("try_submission.py", tmp_path / "out", cwd=tmp_path / "one")
    assert "scores.csv: 1 problem" in single.stderr
    assert (tmp_path / "one" / "README.md").read_bytes() != kit["README.md"]


@pytest.mark.thorough
def test_a_zip_of_both_tasks_is_accepted_by_each_of_the_joint_bundles_only(clinic, tmp_path):
    """`memory_open` is another track of the first task, outside the joint ranking."""
    files = unzipped((clinic / "season/team2/2027-03-02T0900.zip").read_bytes())
    accepted = {"memory_clinic_decisions": {}, "memory_clinic_scores": {}}
    refused = {"memory_clinic_scores": {"notes.txt": b"x"}, "memory_open": {}}
    for name, extra in (*accepted.items(), *refused.items()):
        path = tmp_path / "both.zip"
        path.write_bytes(make_zip({**files, **extra}))
        result = rehearse(clinic / f"dist/codabench/{name}.zip", path)
        assert (result.status == FINISHED) == (accepted.get(name) == extra), result.reasons
    bundle = unzipped((clinic / "dist/codabench/memory_open.zip").read_bytes())
    kit = unzipped(bundle["starting_kit.zip"])
    assert "Open" in kit["README.md"].decode().partition("\n")[0]
    assert "scores.csv" not in kit["README.md"].decode()


def test_commands_run_for_each_bundle(clinic, monkeypatch):
    zips = [f"dist/codabench/memory_clinic_{name}.zip" for name in ("decisions", "scores")]
    server = ["--server", "https://host.example"]
    monkeypatch.chdir(clinic)
    decisions, scores = "memory_clinic_decisions", "memory_clinic_scores"
    assert for_each_bundle("watch", ["memory_clinic", "--json"]) == {
        decisions: ["watch", zips[0], "12", "--dir", f"fetched/{decisions}", *server, "--json"],
        scores: ["watch", zips[1], "7", "--dir", f"fetched/{scores}", *server, "--json"],
    }
    published = for_each_bundle("publish", ["memory_clinic"])
    assert published[scores] == ["publish", zips[1], "--competition", "7", *server]
    chosen = for_each_bundle("fetch", ["memory_clinic", "--server", "x"])
    assert chosen[decisions] == ["fetch", "12", f"fetched/{decisions}", "--server", "x"]
    assert for_each_bundle("fetch", ["12", "fetched"]) == {}
    assert for_each_bundle("fetch", ["memory_clini"]) == {}


def test_a_name_that_cannot_be_used_is_refused_with_json_as_well(clinic, monkeypatch, capsys):
    monkeypatch.chdir(write_files(clinic.parent / "plain", {"competition.yaml": "bundles: {a: 1}\n"}))
    assert build_bundle.main(["fetch", "memory_clinic", "--json"]) == 1
    assert "competition.yaml" in json.loads(capsys.readouterr().out)["error"]


def test_an_optional_task_that_nobody_entered_is_left_out_of_the_leaderboard(clinic, tmp_path):
    """A season with a folder for each bundle, in which that of the other task is empty or not there, or with one."""
    challenge = require_challenge(clinic, "memory_clinic")
    write_files(tmp_path, {"memory_clinic_decisions/team/2027-03-02T0900.zip": ""})
    found, notes = of_entered(challenge, tmp_path)
    assert ([*found.bundles], found.rule) == (["memory_clinic_decisions"], None)
    assert notes == ["memory_clinic_scores: nobody entered, so it is not on the leaderboard"]
    (tmp_path / "memory_clinic_decisions").rename(tmp_path / "memory_clinic_scores")
    assert of_entered(challenge, tmp_path) == (challenge, [])  # the other one is compulsory
    assert of_entered(challenge, clinic / "season") == of_entered(challenge, None) == (challenge, [])
    answers = next(each.definition.format.submission_file for each in challenge.bundles.values())
    path = tmp_path / "season/team1/2027-03-02T0900.zip"
    write_files(
        path.parent, {path.name: make_zip({f"own/{answers}": b""}), "2027-03-03T0900.zip": b"damaged"}
    )
    assert of_entered(challenge, tmp_path / "season") == (found, notes)


def test_before_anything_is_built_open_phases_and_folders_in_use_are_refused(clinic, monkeypatch, capsys):
    def build(*anything):
        raise AssertionError("built")

    monkeypatch.setattr("speechbundles.cli.board.build_at_home", build)
    season = ["--season", str(clinic / "season"), "--out", str(clinic.parent / "site")]
    words = ["board", "memory_clinic", "--competition", str(clinic), *season, "--json"]
    for day, end in (
        (OPEN, "open until 2027-03-14 23:59:59"),
        (datetime(2027, 3, 14, 23, 59, 59, 5), "until"),
    ):
        monkeypatch.setattr(dates, "now", lambda day=day: day)
        assert build_bundle.main(words) == 1
        assert json.loads(capsys.readouterr().out)["error"].count(end) == 2
    monkeypatch.setattr(dates, "now", lambda: datetime(2027, 3, 15))
    with locked(clinic / "season" / LOCK, clinic, "fetch"):
        assert build_bundle.main(words) == 1
    assert "fetch is using this folder" in json.loads(capsys.readouterr().out)["error"]
    with pytest.raises(AssertionError, match="built"):
        build_bundle.main(words)


def scored_by_program(parts, submission):
    """What the platform gets: the scores of the bundle's program, with 10 decimals; None if it refuses."""
    with tempfile.TemporaryDirectory() as place:
        source, program = Path(place, "input"), Path(place, "program")
        write_files(source / "ref", unzipped(parts["reference_data"]))
        write_files(source / "res", unzipped(submission))
        write_files(program, unzipped(parts["scoring_program"]))
        (output := Path(place, "output")).mkdir()
        words = [sys.executable, program / "score.py", source, output]
        done = subprocess.run(words, capture_output=True, check=False)
        found = json.loads((output / "scores.json").read_text()) if done.returncode == 0 else {}
    return {key: round(value, 10) for key, value in found.items()} or None


def macro_f1(labels, answers):
    """The mean over classes of 2 · both / (labels + answers)."""
    pairs = [(labels[item], answers[item]) for item in labels]
    return statistics.fmean(
        2 * pairs.count((name, name)) / sum((label, answer).count(name) for label, answer in pairs)
        for name in {*labels.values()}
    )


def first_columns(text):
    return dict(line.split(",")[:2] for line in text.split()[1:])


@pytest.mark.thorough
def test_a_season_on_a_server_by_the_name_of_the_challenge(tmp_path, monkeypatch, capsys):
    folder, site, bundles = tmp_path / "own", tmp_path / "site", dict.fromkeys(URLS)
    assert build_bundle.main(["init", str(folder), "--example", "memory_clinic"]) == 0
    monkeypatch.chdir(folder)
    monkeypatch.setattr(dates, "now", lambda: OPEN)
    monkeypatch.setattr("speechbundles.server.wait.PAUSE", 0)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    named = {"Alpha": "team2", "Beta": "team3", "team4": "team4"}
    accounts = {"team2": ("alpha_lab", "alpha"), "team3": ("beta2", "beta"), "team4": ("team4", "team4")}
    write_files(folder, {"teams.csv": TEAMS_TABLE})
    zips = {team: Path("season", team, "2027-03-02T0900.zip").read_bytes() for team in accounts}
    with CodabenchServer(scored_by_program) as server:

        def call(command, *words):
            capsys.readouterr()
            access = ["--competition", "."] if command in ("build", "board") else ["--server", server.address]
            status = build_bundle.main([command, "memory_clinic", *words, *access])
            return (status, "".join(capsys.readouterr()))

        def calls(*expected):
            for command, *words, status, text, times in expected:
                found, shown = call(command, *words)
                assert (found, shown.count(text)) == (status, times), shown

        calls(("build", 0, "  ok  ", 2), ("fetch", 1, "memory_clinic_decisions has no url", 1))
        calls(("publish", 0, "same scores as in the rehearsal, to the last digit", 4))
        text = Path("competition.yaml").read_text()
        for kind, number in zip(URLS, server.competitions, strict=True):
            url, bundles[kind] = f"https://host.example/competitions/{number}/", server.competitions[number]
            text = text.replace(
                f"{{task: memory_clinic_{kind},", f"{{task: memory_clinic_{kind}, url: {url},"
            )
        for team, names in accounts.items():
            for name, competition in zip(names, bundles.values(), strict=True):
                server.enter(competition["phases"][1]["id"], name, zips[team])
        Path("competition.yaml").write_text(text)
        calls(("watch", 0, "is as in the bundle", 2), ("fetch", 0, "5 runs", 2))
        _, shown = call("fetch", "--json")
        counted = {name: each["runs"] for name, each in json.loads(shown[: shown.rindex("}") + 1]).items()}
        assert counted == {f"memory_clinic_{kind}": 5 for kind in URLS}
        # One corrected label, and links to each other
        labels = Path("reference_data/memory_clinic_decisions/evaluation/labels.csv")
        before = first_columns(labels.read_text())
        labels.write_text(labels.read_text().replace("e000,dementia,", "e000,healthy,"))
        calls(("build", 0, "  ok  ", 2), ("watch", 3, "is as in the bundle", 0))
        calls(
            ("amend", 0, "Nothing was changed", 2),
            ("amend", "--yes", 0, "replaced the pages", 2),
        )
        calls(("watch", 0, "is as in the bundle", 2), ("fetch", 0, "fetched now", 2))
        for competition, url in zip(bundles.values(), (8, 7), strict=True):
            assert f"https://host.example/competitions/{url}/" in json.dumps(competition["pages"])
        calls(("board", "--out", str(site), 1, "is open until", 2))
        monkeypatch.setattr(dates, "now", lambda: datetime(2027, 8, 1))
        calls(("board", "--out", str(site), 0, "organiser submitted only the baseline", 1))
        ranked = json.loads((site / "board.json").read_text())
        text = Path("competition.yaml").read_text()
        Path("competition.yaml").write_text(
            text.replace("    joint:\n", "    joint:\n      baseline: organiser\n")
        )
        calls(("board", "--out", str(site), 0, "only the baseline", 0))
    board = json.loads((site / "board.json").read_text())
    assert [system["name"] for system in ranked["systems"] if system["name"] not in named] == ["organiser"]
    assert board["baseline"]["name"] == "organiser"
    assert board["baseline"]["scores"] == next(
        system["scores"] for system in ranked["systems"] if system["name"] == "organiser"
    )
    for table in re.findall(
        "<table.*?</table>", (site / "index.html").read_text(encoding="utf-8"), re.DOTALL
    ):
        assert "organiser (baseline)" in table or "organiser" not in table
    scores = {system["name"]: system["score"] for system in board["systems"]}
    assert {*scores} == {*named}
    assert scores == pytest.approx(joint_scores(site, scores), abs=1e-9)
    with open(site / "memory_clinic_decisions/board.csv", encoding="utf-8", newline="") as file:
        shown = {row["system"]: float(row["macro_f1"]) for row in csv.DictReader(file)}
    after = first_columns(labels.read_text())
    for name, team in named.items():
        answers = first_columns(unzipped(zips[team])["decisions.csv"].decode())
        assert shown[name] == pytest.approx(macro_f1(after, answers), abs=1e-9)
        assert shown[name] != pytest.approx(macro_f1(before, answers), abs=1e-4)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name,memory_scores\na,b\n", "column 'name' is not known"),
        ("team,memory_scores,memory_scores\nA,x,y\n", "column memory_scores appears twice"),
        ("team,aliases\nA,x\nA,y\n", "teams that appear twice: A"),
        ("team,memory_scores,aliases\nA,x,\nB,y,x\n", "accounts of two teams: 'x (memory_scores)'"),
        ("team,aliases\n,x\n", "rows without a team"),
        ("team\nA,x\n", "rows with more cells than the header: A"),
    ],
)
def test_teams_that_cannot_be_told_apart_are_refused(tmp_path, text, words):
    write_files(tmp_path, {"teams.csv": text})
    with pytest.raises(OrganiserError) as refusal:
        read_teams_table(tmp_path, ["memory_scores"])
    assert words in str(refusal.value)


def test_a_list_of_teams_may_be_separated_by_semicolons(tmp_path):
    write_files(tmp_path, {"teams.csv": "\ufeffteam;memory_scores\r\nLaboratorio Ñ;x\r\n;\r\n"})
    assert read_teams_table(tmp_path, ["memory_scores"]) == {
        "memory_scores": {"x": "Laboratorio Ñ", "Laboratorio Ñ": "Laboratorio Ñ"}
    }
