"""The commands assign, merge, split, init --data and describe, one after the other."""

import csv

import pytest

import build_bundle
from sample_data import recordings
from tests.samples.own_competition import fill_in
from tests.samples.programs import write_files
from tests.samples.tables import table


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with items, a filled-in round and its merged labels."""
    folder = tmp_path_factory.mktemp("corpus")
    rows = [(f"r{n:03}", f"S{n // 8}", "mild" if n // 8 % 3 else "severe", "0.5") for n in range(320)]
    write_files(folder, {"anna.csv": b"id,label\n"})
    text = "\n".join(["id,speaker,severity,duration", *map(",".join, rows), ""])
    write_files(folder, {"items.csv": text.encode()})
    run = ["--annotators", "anna, ben", "--ask", "label=correct,incorrect", "--each", "2"]
    assert build_bundle.main(["assign", str(folder / "items.csv"), *run, "--out", str(folder / "round")]) == 0
    recordings.main("--answer", str(folder / "round"))
    write_files(folder / "round", {"README.txt": b"A note is no label track."})
    merged = ["merge", str(folder / "round"), "--rule", "unanimous", "--out", str(folder / "labels")]
    assert build_bundle.main(merged) == 0
    return folder


@pytest.fixture(scope="module")
def mine(place):
    """The competition folder that `init` makes of them."""
    sets = ["--set", "development=0.4", "--set", "evaluation=0.6", "--strata", "label", "--sealed", "0.5"]
    assert build_bundle.main(["split", str(place / "labels"), *sets, "--out", str(place / "sets")]) == 0
    words = ["init", str(place / "mine"), "--new", "learners", "--data", str(place / "sets")]
    assert build_bundle.main(words) == 0
    return place / "mine"


def test_init_asks_for_nothing_that_the_commands_have_written(mine):
    text = (mine / "competition.yaml").read_text(encoding="utf-8")
    known = ["  sealed: 0.5", "        classes: [correct, incorrect]", "        positive: correct"]
    for line in (*known, "        # pool: vote"):
        assert f"\n{line}\n" in text
    for name in ("reference_data/learners/development/labels.csv", "annotation/agreement.csv"):
        assert (mine / name).is_file()


@pytest.mark.thorough
def test_the_folder_is_described_and_built_with_the_marked_speakers_sealed(place, mine):
    settings, out = mine / "competition.yaml", place / "description"
    settings.write_text(fill_in(settings.read_text(encoding="utf-8")), encoding="utf-8")
    assert build_bundle.main(["describe", "--competition", str(mine), "--out", str(out)]) == 0
    page = (out / "private/data.html").read_text(encoding="utf-8")
    assert "label: kappa" in page
    assert "By severity" in page
    assert build_bundle.main(["build", "--competition", str(mine)]) == 0
    with open(place / "sets/evaluation/labels.csv", encoding="utf-8", newline="") as file:
        marked = {row["id"] for row in csv.DictReader(file) if row["sealed"] == "yes"}
    sealed = (mine / "dist/sealed/learners/evaluation/sealed/labels.csv").read_text(encoding="utf-8")
    assert {line.split(",")[0] for line in sealed.splitlines()[1:]} - {""} == marked


def test_a_task_of_the_repository_takes_the_sets_under_its_own_names(place, tmp_path):
    sheet = "id,language,meaning\n" + "".join(f"{n},correct,correct\n" for n in range(9))
    write_files(tmp_path, {"reference.csv": sheet.encode()})
    split = ["split", str(tmp_path / "reference.csv"), "--set", "development=0.5", "--set", "evaluation=0.5"]
    assert build_bundle.main([*split, "--out", str(tmp_path / "sets")]) == 0
    assert (
        build_bundle.main(["init", str(tmp_path / "mine"), "spoken_call", "--data", str(tmp_path / "sets")])
        == 0
    )
    copied = sorted((tmp_path / "mine/reference_data/spoken_call").rglob("*.csv"))
    assert [path.parent.name for path in copied] == ["development", "evaluation"]
    assert {path.name for path in copied} == {"reference.csv"}


@pytest.mark.parametrize(("words", "status", "refused"), table("wrong_calls")["corpus"])
def test_a_command_that_cannot_work_writes_nothing(place, monkeypatch, capsys, words, status, refused):
    monkeypatch.chdir(place)
    before = sorted(place.rglob("*"))
    assert build_bundle.main(words) == status
    assert refused in capsys.readouterr().err
    assert sorted(place.rglob("*")) == before
