"""Labels that stay at home: what the platform gets, what participants see, what is refused. All data are synthetic."""

import json

import pytest
from sklearn.metrics import f1_score

import build_bundle
from speechbundles.bundle.check import UNPROTECTED
from speechbundles.bundle.check.check import check_bundle
from speechbundles.bundle.rehearse import rehearse_phase
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.zips import make_zip
from speechbundles.new.examples import example_files
from spokeneval.__main__ import main
from tests.samples.programs import unzipped, write_files

BUNDLE = "health"
HOME = "defaults:\n  labels: home\n"
URL = "https://example.org/board"


def folder_with(place, settings=HOME, **changes):
    """Return the folder of an example competition with other settings, and with files changed."""
    files = example_files(BUNDLE)
    text = files["competition.yaml"].decode().replace("defaults:\n", settings, 1)
    return write_files(place, {**files, "competition.yaml": text, **changes})


def build(folder):
    platforms = ("--platform", "codabench", "--platform", "codalab")
    return build_bundle.main(["build", "--competition", str(folder), *platforms])


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = folder_with(tmp_path_factory.mktemp("home") / "mine", f"{HOME}  board_url: {URL}\n")
    assert build(folder) == 0
    return folder


@pytest.mark.parametrize("platform", ["codabench", "codalab"])
def test_a_participant_finds_where_the_leaderboard_is_and_when_it_is_made(platform, built):
    files = unzipped((built / f"dist/{platform}/{BUNDLE}.zip").read_bytes())
    pages = [content.decode() for name, content in files.items() if name.endswith((".md", ".html"))]
    (found,) = (" ".join(page.split()) for page in pages if URL in page)
    where = f'<a href="{URL}">{URL}</a>' if platform == "codalab" else f"<{URL}>"
    assert f"the leaderboard at {where} once a day" in found


@pytest.mark.default_cases("codabench")
@pytest.mark.parametrize("platform", ["codabench", "codalab"])
def test_a_rehearsal_shows_one_column_in_every_phase(platform, built, tmp_path):
    path = built / f"dist/{platform}/{BUNDLE}.zip"
    assert check_bundle(path) == []
    bundle = read_built_bundle(path)
    good = example_files(BUNDLE)["submissions/good.zip"]
    _, *rows = example_files(BUNDLE)["reference_data/health/development/labels.csv"].split()
    answers = b"id,label\n" + b"".join(row.split(b",")[0] + b",no\n" for row in rows)
    trial = make_zip({"decisions.csv": answers})
    for name, submission in (("Evaluation", good), ("Development", trial)):
        upload = write_files(tmp_path, {f"{name}.zip": submission}) / f"{name}.zip"
        done = rehearse_phase(bundle, bundle.phase(name), upload)
        assert (done.status, done.warnings, done.problems) == ("Finished", (), ())
        assert [(cell.key, float(cell.shown)) for cell in done.row] == [("received", 1)]
        assert ("f1" in done.scores) == (name == "Development")


def test_a_declared_task_is_scored_by_its_name_with_the_labels_at_home(built, tmp_path, capsys):
    """The example's good submission, by scikit-learn's F1 of the same files."""
    labels = built / f"dist/sealed/{BUNDLE}/evaluation/all"
    zip = write_files(tmp_path, {"team.zip": example_files(BUNDLE)["submissions/good.zip"]}) / "team.zip"
    given = ["--reference", str(labels), "--submission", str(zip)]
    assert main(["score", BUNDLE, *given, "--json"]) == 0
    (said,) = (table.splitlines()[1:] for table in unzipped(zip.read_bytes()).values())
    answers = dict(line.decode().split(",")[:2] for line in said)
    rows = [line.split(",")[:2] for line in (labels / "labels.csv").read_text().splitlines()[1:]]
    expected = f1_score([label for _, label in rows], [answers[item] for item, _ in rows], pos_label="yes")
    assert json.loads(capsys.readouterr().out)["scores"]["f1"] == pytest.approx(expected)
    assert main(["score", "helth", *given]) == 2
    assert "Unknown task helth; " in (told := capsys.readouterr().err)
    assert f"declares the task {BUNDLE}" in told


def test_the_labels_are_beside_the_bundle_and_the_check_finds_them_in_it(built, tmp_path):
    home = built / f"dist/sealed/{BUNDLE}/evaluation/all/labels.csv"
    rows = home.read_bytes().splitlines()
    files = unzipped((built / f"dist/codabench/{BUNDLE}.zip").read_bytes())
    kit = unzipped(files["starting_kit.zip"])
    files["starting_kit.zip"] = make_zip({**kit, "notes.txt": rows[1] + b"\n"})
    bad = built / "dist/codabench/bad.zip"
    bad.write_bytes(make_zip(files, first="competition.yaml"))
    assert "sealed-uploaded" in {finding.code for finding in check_bundle(bad)}
    bad.unlink()
    elsewhere = tmp_path / "a/b.zip"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes((built / f"dist/codabench/{BUNDLE}.zip").read_bytes())
    assert [finding.code for finding in check_bundle(elsewhere)] == ["home-missing"]


def test_labels_that_stayed_at_home_are_not_uploaded_by_a_later_build(tmp_path, capsys):
    folder = folder_with(tmp_path / "mine")
    assert build(folder) == 0
    settings = folder / "competition.yaml"
    settings.write_text(settings.read_text("utf-8").replace("labels: home", "labels: platform"), "utf-8")
    assert build(folder) == 1
    assert "neither sealed nor labels: home is set now" in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("settings", "noted"),
    [("", True), ("  labels: platform\n", True), ("  labels: home\n", False), ("  sealed: 0.5\n", False)],
)
def test_build_and_check_note_hidden_labels_that_are_uploaded_whole(settings, noted, tmp_path, capsys):
    folder = folder_with(tmp_path / "mine", f"defaults:\n{settings}")
    assert build(folder) == 0
    told = " ".join(capsys.readouterr().err.split())
    missing = "note: to fill in below `about` in competition.yaml"
    assert told.count(f"note: {BUNDLE}/evaluation: {UNPROTECTED}") == told.count(UNPROTECTED) == noted
    assert told.count(missing) == told.count("2 passed the check") == 1
    for platform, count in (("codabench", noted), ("codalab", 0)):
        assert build_bundle.main(["check", str(folder / f"dist/{platform}/{BUNDLE}.zip")]) == 0
        told = " ".join(capsys.readouterr().err.split())
        assert told.count(f"note: {BUNDLE}.zip, reference_data.zip: {UNPROTECTED}") == count
        assert told.count(missing) == 1
    (folder / "competition.yaml").write_text("{")
    assert build_bundle.main(["check", str(folder / f"dist/codalab/{BUNDLE}.zip")]) == 0
    assert "note" not in capsys.readouterr().err


def test_a_kit_scores_its_own_task_with_its_task_file(built, tmp_path, capsys):
    kit = unzipped(unzipped((built / f"dist/codabench/{BUNDLE}.zip").read_bytes())["starting_kit.zip"])
    good = example_files(BUNDLE)["submissions/good.zip"]
    write_files(tmp_path, {"task.json": kit["task.json"], "good.zip": good, "bad.json": "[]"})
    given = ["--reference", str(built / f"reference_data/{BUNDLE}/evaluation")]
    given += ["--submission", str(tmp_path / "good.zip"), "--json"]
    assert main(["score", "--task-file", str(tmp_path / "task.json"), *given]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["task"] == BUNDLE
    assert 0.85 < result["scores"]["f1"] < 1
    assert main(["score", "--task-file", str(tmp_path / "bad.json"), *given]) == 2
    assert capsys.readouterr().err.endswith("bad.json: not the task.json of a declared task\n")
