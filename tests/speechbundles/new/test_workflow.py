"""The workflow of a competition folder."""

import hashlib
import os
import re
import subprocess
import sys

import pytest
import yaml

import build_bundle
from speechbundles.model.errors import OrganiserError
from speechbundles.model.zips import write_tree
from speechbundles.new.workflow import workflow_files
from tests.samples.own_competition import own_folder
from tests.samples.programs import ROOT, write_files

WHEEL = "spokeneval-1.2.3-py3-none-any.whl"


@pytest.mark.thorough
def test_the_workflow_of_a_new_folder_builds_and_rehearses_it_and_stops_at_a_bad_label(tmp_path):
    folder = own_folder(tmp_path / "own", ["spoken_call"])
    wheel = write_files(tmp_path, {WHEEL: b"a wheel"}) / WHEEL
    write_tree(folder, workflow_files(ROOT, str(wheel)))
    tools = {"python": "", "speech-bundles": f'"{ROOT / "build_bundle.py"}"'}
    for name, script in tools.items():
        write_files(tmp_path / "bin", {name: f'#!/bin/sh\nexec "{sys.executable}" {script} "$@"\n'})
        (tmp_path / "bin" / name).chmod(0o755)
    workflow = yaml.safe_load((folder / ".github/workflows/competition.yml").read_text(encoding="utf-8"))
    (job,) = workflow["jobs"].values()
    install, build, rehearse = (step["run"] for step in job["steps"] if "run" in step)

    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}

    def run(commands):
        """As the platform runs a step."""
        options = {"cwd": folder, "env": environment, "text": True, "stderr": subprocess.STDOUT}
        done = subprocess.run(["bash", "-e", "-c", commands], stdout=subprocess.PIPE, **options)
        return done.returncode, done.stdout

    *_, lock = install.split()
    assert (folder / lock).is_file()
    status, told = run(build)
    assert (status, "1 bundle in" in told) == (0, True), told
    status, told = run(rehearse)
    assert (status, told.count("Finished")) == (0, 1), told
    patterns = job["steps"][-1]["with"]["path"].split()
    kept = [path for pattern in patterns for path in folder.glob(pattern)]
    assert kept == [folder / "dist/codabench/spoken_call.zip"]
    labels = folder / "reference_data/spoken_call/evaluation/reference.csv"
    wrong = labels.read_text(encoding="utf-8").replace("\tcorrect\t", "\tperhaps\t", 1)
    labels.write_text(wrong, encoding="utf-8")
    status, told = run(build)
    assert (status, "perhaps" in told) == (1, True), told


def test_what_a_workflow_installs_is_pinned_by_hash(tmp_path):
    wheel = write_files(tmp_path, {WHEEL: b"a wheel"}) / WHEEL
    digest = hashlib.sha256(b"a wheel").hexdigest()
    files = workflow_files(ROOT, str(wheel))
    assert files[f"software/{WHEEL}"] == b"a wheel"
    pinned = files["software/requirements.txt"].decode()
    lock, own = pinned[: pinned.index("./software")], pinned[pinned.index("./software") :]
    assert own == f"./software/{WHEEL} --hash=sha256:{digest}\n"
    names = {"numpy", "click", "scikit-learn"}
    assert names <= set(re.findall(r"^([\w-]+)==", lock, re.MULTILINE))
    assert "-r " not in lock
    address = f"https://files.example.org/a/{WHEEL}"
    pinned = workflow_files(ROOT, f"{address}#sha256={digest}")["software/requirements.txt"].decode()
    assert pinned == f"{lock}spokeneval @ {address} --hash=sha256:{digest}\n"


def test_init_writes_a_workflow_for_the_software_that_it_is_given(tmp_path, capsys):
    wheel = write_files(tmp_path, {WHEEL: b"a wheel"}) / WHEEL
    for folder, *more in (("plain",), ("with", "--software", str(wheel))):
        assert build_bundle.main(["init", str(tmp_path / folder), "spoken_call", *more]) == 0
        assert (tmp_path / folder / ".github/workflows/competition.yml").exists() == bool(more)
    assert (tmp_path / "with/software" / WHEEL).read_bytes() == b"a wheel"
    assert build_bundle.main(["init", str(tmp_path / "bad"), "spoken_call", "--software", "x.whl"]) == 1
    assert capsys.readouterr().err.startswith("--software x.whl: expected a file named spokeneval-VERSION-")
    assert not (tmp_path / "bad").exists()


@pytest.mark.parametrize(
    ("software", "expected"),
    [
        (f"https://files.example.org/a/{WHEEL}", "expected https://"),
        (f"http://files.example.org/a/{WHEEL}#sha256={'0' * 64}", "expected https://"),
        ("spokeneval.zip", "expected a file named spokeneval-VERSION-py3-none-any.whl"),
    ],
)
def test_software_that_is_not_pinned_is_refused(software, expected):
    with pytest.raises(OrganiserError, match=expected):
        workflow_files(ROOT, software)
