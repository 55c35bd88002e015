"""Tests CONTRIBUTING.md against the repository, and a new challenge as docs/how-to/new-challenge.md makes it."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

import build_bundle
from speechbundles.model.errors import OrganiserError
from speechbundles.model.zips import make_zip
from speechbundles.new.challenge import add_entries, write_challenge
from tests.samples.programs import ROOT, run_program

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the repository with a new challenge, and the output of the command."""
    place = tmp_path_factory.mktemp("new") / "repository"
    shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(".*", "__pycache__", "dist"))
    done = run_program("build_bundle.py", "new", "speech_rate", cwd=place)
    assert done.returncode == 0, done.stderr
    return place, done.stdout


def test_the_files_to_edit_exist(copy):
    place, printed = copy
    for path in re.findall(r"^  (\S+) ", printed, re.MULTILINE):
        assert (place / path).exists(), path
    assert len((place / "spokeneval/challenges/speech_rate.py").read_text().splitlines()) <= 60


@pytest.mark.thorough
def test_a_new_challenge_builds_checks_and_rehearses_unedited(copy):
    place, _ = copy
    both = ("--platform", "codabench", "--platform", "codalab")
    built = run_program("build_bundle.py", "build", "speech_rate", *both, cwd=place)
    assert (built.returncode, built.stdout.count("sha256")) == (0, 2), built.stderr
    rows = (place / "reference_data/speech_rate/development/reference.csv").read_text()
    for submission, status, scores in (
        (rows, "Finished", (1, 100, 100)),
        (re.sub(r",\d", ",3", rows), "Finished", (0, None, None)),
        (rows.replace(",3", ",three"), "Failed", None),
    ):
        (place / "submission.zip").write_bytes(make_zip({"ratings.csv": submission.encode()}))
        for platform in ("codabench", "codalab"):
            bundle = f"dist/{platform}/speech_rate.zip"
            done = json.loads(
                run_program(
                    *("build_bundle.py", "rehearse", bundle, "submission.zip"),
                    *("--phase", "Development", "--json"),
                    cwd=place,
                ).stdout
            )
            assert done["status"] == status
            if scores is not None:
                found = [done["scores"][key] for key in ("kappa", "exact", "adjacent")]
                assert all(wanted in (None, score) for wanted, score in zip(scores, found, strict=True))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "tests",
    [
        ("tests/spokeneval/challenges/test_contract.py", "tests/spokeneval/formats/test_corruptions.py"),
        ("tests/security/test_leaks.py", "tests/security/test_fuzz.py"),
    ],
)
def test_a_new_challenge_holds_the_contracts_of_all_tasks(copy, tests):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-k", "speech_rate"]
    command += ["-m", "thorough or not thorough"]
    environment = {**os.environ, "PYTHONPATH": "", "PYTEST_ADDOPTS": "", "PYTEST_XDIST_WORKER": ""}
    done = subprocess.run([*command, *tests], cwd=copy[0], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "no tests ran" not in done.stdout


WORDS = """
def RATING(table, column, problems):
    return np.array([min(5, 1 + len(cell.split())) for cell in table.columns[column]])
"""
"""Any text is a valid transcript; it is rated by its number of words."""

SAMPLE = {
    '("1", "3", "5", "4")': '("", "ein Haus", "drei alte weiße Häuser", "zwei drei vier")',
    '{"off_scale": ("0", "6", "-1", "3.0", "three", "", " 3", "３")}': "{}",
    '(("2", "3", "5", "4"), ("5", "1", "3", "2"))': '(("a", "b c", "d e f g", "h i j"), ("k l m n", "", "o p", "q"))',
    """((",3", ",6", "off_scale", "rating '6'"), (",3", ",", "off_scale", "rating is empty"))""": "()",
    '{item},{rating}"': "{item},{' '.join('x' * (rating - 1))}\"",
}


@pytest.fixture(scope="module")
def without_wrong_values(tmp_path_factory):
    """A copy with a new challenge whose answers are texts, any of which is valid."""
    place = tmp_path_factory.mktemp("texts") / "repository"
    shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(".*", "__pycache__", "dist"))
    assert run_program("build_bundle.py", "new", "speech_rate", cwd=place).returncode == 0
    task, sample = (
        place / "spokeneval/challenges/speech_rate.py",
        place / "tests/samples/tasks/speech_rate.py",
    )
    score = place / "scoring_program/speech_rate/score.py"
    replaced(
        task, {"RATING = whole_numbers(*SCALE)\n": WORDS, "from ..formats.cells import whole_numbers\n": ""}
    )
    replaced(
        task, {"from functools import partial\n": "from functools import partial\n\nimport numpy as np\n"}
    )
    replaced(task, {'always("rating", 3)': 'always("transcript", 3)'})
    replaced(sample, SAMPLE)
    for path in (task, sample, score):
        text = path.read_text().replace("ratings.csv", "transcripts.csv").replace('"rating"', '"transcript"')
        path.write_text(text.replace("item_id,rating", "item_id,transcript"))
    replaced(
        place / "starting_kit/speech_rate/baseline.py",
        {
            '"item_id,rating", *(f"{item},{1 + index % 5}"': '"item_id,transcript", *(f"{item},{index % 5 * \'x \'}"',
            '(output / "ratings.csv")': '(output / "transcripts.csv")',
        },
    )
    for path in (place / "reference_data/speech_rate").rglob("*.csv"):
        text = path.read_text().replace("rating", "transcript")
        path.write_text(re.sub(r",(\d)", lambda rating: "," + " ".join("x" * (int(rating[1]) - 1)), text))
    return place


def replaced(path, changes):
    text = path.read_text()
    for old, new in changes.items():
        assert text.count(old) == 1, (path, old)
        text = text.replace(old, new)
    path.write_text(text)


@pytest.mark.thorough
def test_the_page_of_a_changed_task_asks_for_its_own_file(without_wrong_values):
    place = without_wrong_values
    built = run_program("build_bundle.py", "build", "speech_rate", "--platform", "codabench", cwd=place)
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(place / "dist/codabench/speech_rate.zip") as archive:
        page = archive.read("pages/evaluation.md").decode()
    assert "with one file, `transcripts.csv`. It has the header `item_id,transcript` and" in page
    assert "ratings.csv" not in page


@pytest.mark.thorough
@pytest.mark.parametrize(
    "tests",
    [
        "tests/spokeneval/challenges/test_contract.py",
        "tests/spokeneval/formats/test_corruptions.py",
        "tests/security/test_leaks.py",
        "tests/security/test_fuzz.py",
    ],
)
def test_a_challenge_in_which_any_text_is_valid_holds_the_contracts_too(without_wrong_values, tests):
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-k", "speech_rate"]
    environment = {**os.environ, "PYTHONPATH": "", "PYTEST_ADDOPTS": "", "PYTEST_XDIST_WORKER": ""}
    command += ["-m", "thorough or not thorough", tests]
    done = subprocess.run(command, cwd=without_wrong_values, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "no tests ran" not in done.stdout


@pytest.mark.parametrize("name", ["spoken_call", "Speech rate", "2fast", "a" * 40, "_x"])
def test_an_invalid_name_is_refused_and_nothing_is_written(name, capsys):
    before = (ROOT / "competition.yaml").read_bytes()
    assert build_bundle.main(["new", name]) == 1
    assert "Nothing was written." in capsys.readouterr().err
    assert (ROOT / "competition.yaml").read_bytes() == before
    with pytest.raises(OrganiserError):
        write_challenge(ROOT, name)


def test_entries_are_added_after_existing_ones():
    series = "challenges:\n  a:\n    x: 1\n\nbundles:\n  a:\n    task: a\n"
    added = add_entries(series, {"name": "b", "title": "B"})
    assert re.findall(r"^(\S.*|  \w+:)$", added, re.MULTILINE) == [
        *("challenges:", "  a:", "  b:"),
        *("bundles:", "  a:", "  b:"),
    ]
    with pytest.raises(OrganiserError, match="bundles:"):
        add_entries("challenges:\n", {"name": "b", "title": "B"})


def test_the_table_of_files_to_edit_names_existing_files_and_definitions():
    rows = re.findall(r"^\| (.+) \| (.+) \|$", CONTRIBUTING, re.MULTILINE)[2:]
    assert len(rows) > 10
    for _, where in rows:
        names = re.findall(r"`([^`]+)`", where)
        places = [ROOT / name for name in names if (ROOT / name).exists()]
        files = [path for place in places for path in ([place] if place.is_file() else place.glob("*.py"))]
        assert places, where
        for name in names:
            defined = re.compile(
                rf"^\s*(def {name}\(|class {name}\b|{name}\b\s*(=|:)|{name}=)|\b{name}\(", re.MULTILINE
            )
            texts = (path.read_text(encoding="utf-8") for path in files)
            assert ROOT / name in places or any(map(defined.search, texts)), (name, where)
