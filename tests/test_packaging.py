"""The wheel and the installed packages: what is in them, and that they work without a clone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import spokeneval
from tests.samples.cases import CASES
from tests.samples.own_competition import fill_in, own_data
from tests.samples.programs import ROOT, write_files
from tests.samples.wheels import pip

PACKAGES = ("spokeneval", "speechbundles")

DATA = (
    *("competition.schema.json", "competition.yaml", "ingestion_program", "pages", "reference_data"),
    *("requirements/organiser.lock", "requirements/research.lock", "scoring_program", "starting_kit"),
)
"""What bundles and competition folders are made from, besides the packages; `_data` in the wheel."""


def files_of(*names: str) -> set[str]:
    """The files with these names and those in folders with these names, relative to the repository."""
    paths = [path for name in names for path in (ROOT / name, *(ROOT / name).rglob("*"))]
    kept = (path for path in paths if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(ROOT).as_posix() for path in kept}


def test_the_wheel_holds_both_packages_and_the_files_that_bundles_are_made_from(wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
        metadata = next(name for name in archive.namelist() if name.endswith("/METADATA"))
        described = archive.read(metadata).decode().splitlines()
    assert {"spokeneval/py.typed", "speechbundles/py.typed"} < held
    assert held == files_of(*PACKAGES) | {f"speechbundles/_data/{name}" for name in files_of(*DATA)}
    needed = [line for line in described if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert needed == ["Requires-Dist: numpy>=1.19"]
    assert f"Version: {spokeneval.__version__}" in described


@pytest.fixture
def environment(tmp_path) -> Path:
    """The programs of an empty environment."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    return tmp_path / "venv" / "bin"


def install(programs: Path, *arguments: object) -> None:
    installed = pip(programs / "python", "install", "--timeout", "10", "--retries", "1", *arguments)
    if "No matching distribution found for" in installed.stderr:
        pytest.skip("no package index answers")
    assert installed.returncode == 0, installed.stderr


def said(place: Path, *command: object) -> str:
    """What a program prints that runs in a folder and knows nothing of the repository."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [*map(str, command)], cwd=place, env=plain, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.thorough
def test_an_installed_package_brings_numpy_alone_and_scores_anywhere(wheel, environment, tmp_path):
    install(environment, wheel)
    place = tmp_path / "elsewhere"
    for task, case in CASES.items():
        write_files(place / task / "reference", case.reference)
        write_files(place / task / "submission", case.submission)
        paths = {"reference": place / task / "reference", "submission": place / task / "submission"}
        words = ["score", task, *(f"--{side}={path.relative_to(place)}" for side, path in paths.items())]
        scores = json.loads(said(place, environment / "spokeneval", *words, "--json"))["scores"]
        assert scores == spokeneval.score(task, **paths).scores
        printed = said(place, environment / "spokeneval", *words)
        assert said(place, environment / "python", "-m", "spokeneval", *words) == printed
    freeze = json.loads(said(place, environment / "python", "-m", "pip", "list", "--format", "json"))
    assert {package["name"] for package in freeze} - {"pip", "setuptools", "wheel"} == {"numpy", "spokeneval"}


@pytest.mark.thorough
def test_an_editable_install_imports_the_clone(environment, tmp_path):
    install(environment, "--editable", ROOT)
    code = "import spokeneval, speechbundles; print(spokeneval.__file__, speechbundles.__file__)"
    expected = [str(ROOT / package / "__init__.py") for package in PACKAGES]
    assert said(tmp_path, environment / "python", "-c", code).split() == expected


@pytest.mark.thorough
def test_an_organisers_commands_work_from_the_wheel_alone(site, tmp_path):
    """In an empty folder, with the packages of the extras at hand and no clone."""
    place = tmp_path / "elsewhere"
    place.mkdir()
    program = f"import sys; sys.path.insert(0, {str(site)!r})\n"
    program += "from speechbundles.cli import main; sys.exit(main())"

    def run(*words: object) -> str:
        return said(place, sys.executable, "-c", program, *words)

    run("init", "mine", "content_accuracy")
    settings = place / "mine" / "competition.yaml"
    settings.write_text(fill_in(settings.read_text(encoding="utf-8")), encoding="utf-8")
    write_files(place / "mine", own_data("content_accuracy"))
    built = run("build", "--competition", "mine")
    assert "mine/dist/codabench\n  content_accuracy.zip " in built
    bundle = "mine/dist/codabench/content_accuracy.zip"
    shown = run("check", bundle)  # three submissions are many for so few labels
    assert shown.startswith("content_accuracy.zip: 1 warning\n")
    assert "[leak-scores]" in shown
    with zipfile.ZipFile(place / bundle) as archive:
        archive.extract("solutions/baseline_evaluation.zip", place)
    solution = "solutions/baseline_evaluation.zip"
    assert "Finished" in run("rehearse", bundle, solution, "--keep", "kept", "--statistics")
    run("rank", "kept", "--competition", "mine", "--out", "board")
    assert (place / "board" / "board.csv").is_file()
