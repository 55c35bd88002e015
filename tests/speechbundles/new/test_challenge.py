"""Tests CONTRIBUTING.md against the repository, and a new challenge as docs/how-to/new-challenge.md makes it."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

import build_bundle
from speechbundles.model.errors import OrganiserError
from speechbundles.model.zips import make_zip
from speechbundles.new.challenge import add_entries, write_challenge
from tests.samples.programs import ROOT, run_program, unzipped

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
            words = ("rehearse", bundle, "submission.zip", "--phase", "Development", "--json")
            done = json.loads(run_program("build_bundle.py", *words, cwd=place).stdout)
            assert done["status"] == status
            if scores is not None:
                found = [done["scores"][key] for key in ("kappa", "exact", "adjacent")]
                assert all(wanted in (None, score) for wanted, score in zip(scores, found, strict=True))
    baseline = unzipped((place / "dist/codabench/speech_rate.zip").read_bytes())[
        "solutions/baseline_development.zip"
    ]
    (place / "submission.zip").write_bytes(baseline)
    words = ("rehearse", "dist/codabench/speech_rate.zip", *words[2:])
    done = json.loads(run_program("build_bundle.py", *words, cwd=place).stdout)
    assert done["scores"]["kappa"] > 0.3  # the same rating for all has 0


@pytest.mark.thorough
@pytest.mark.parametrize(
    "tests",
    ["spokeneval/test_challenges spokeneval/test_formats", "security/test_leaks security/test_sealed_leaks "
     "security/test_fuzz"],
)  # fmt: skip
def test_a_new_challenge_holds_the_contracts_of_all_tasks(copy, tests):
    tests = [f"tests/{name}.py" for name in tests.split()]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-k", "speech_rate"]
    command += ["-m", "thorough or not thorough"]
    environment = {**os.environ, "PYTHONPATH": "", "PYTEST_ADDOPTS": "", "PYTEST_XDIST_WORKER": ""}
    done = subprocess.run([*command, *tests], cwd=copy[0], env=environment, capture_output=True, text=True)
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
    (table,) = re.findall(r"^## To change X, edit Y\n(.*?)^## ", CONTRIBUTING, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| (?!to change)(.+) \| (.+) \|$", table, re.MULTILINE)
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
