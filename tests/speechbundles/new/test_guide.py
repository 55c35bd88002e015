"""The first fifteen minutes of docs/organisers.md by its own commands, data as organisers have them; the workflow."""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

import build_bundle
from speechbundles.model.errors import OrganiserError
from speechbundles.model.zips import write_tree
from speechbundles.new.workflow import workflow_files
from tests.samples.own_competition import fill_in, own_data, own_folder
from tests.samples.programs import ROOT, write_files

GUIDE = (ROOT / "docs/organisers.md").read_text(encoding="utf-8").partition("**A whole season.**")[0]
COMMANDS = [
    command.replace("\\\n", "")
    for block in re.findall(r"^```\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    for command in re.findall(r"(?:.*\\\n)*.+", block)
]
ROWS = 300


def untidy(text):
    """A file with a byte-order mark, a blank line and a row that stands twice, as people leave them."""
    header, *rows = text.splitlines(keepends=True)
    return "".join(["\ufeff", header, *rows[:100], "\n", *rows[100:200], rows[9], *rows[200:]])


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command of the guide, `..` and own files being below `tmp_path`: its status and its words."""
    monkeypatch.chdir(ROOT)

    def run(command, *more):
        words = shlex.split(command)
        words = [re.sub(r"(^|=)(\.\./|(?=my_))", rf"\1{tmp_path}/", word) for word in words]
        if words[0] == "cp":
            return 0, str(shutil.copy(*words[1:]))
        if words[0] == "unzip":
            _, source, pattern, option, target = words
            assert (pattern, option) == ("solutions/*", "-d")
            with zipfile.ZipFile(source) as archive:
                archive.extractall(
                    target, [name for name in archive.namelist() if name.startswith("solutions/")]
                )
            return 0, ""
        assert words[:2] == [".venv/bin/python", "build_bundle.py"]
        status = build_bundle.main([*words[2:], *more])
        return status, "".join(capsys.readouterr())

    return run


@pytest.mark.default_cases("spoken_call")
@pytest.mark.parametrize(
    ("task", "bundle", "item"),
    [
        ("spoken_call", "spoken_call", "Id eq9"),
        ("merlion_diarization", "merlion_diarization_closed", "utt_id u9 of eKLON_0"),
        ("content_accuracy", "content_accuracy", "response_id eR9"),
    ],
)
def test_the_guides_commands_lead_from_untidy_data_to_a_bundle_that_takes_its_baseline(
    tmp_path, run, task, bundle, item
):
    data = own_data(task, ROWS)
    labels = (
        f"reference_data/{task}/evaluation/{'labels' if 'labels' in str(list(data)) else 'reference'}.csv"
    )
    assert data[labels].count("\n") == 1 + ROWS
    data[labels] = untidy(data[labels])
    own = {
        "my_gold_standard.csv": labels,
        "my_development_set.csv": labels.replace("evaluation", "development"),
    }
    own["my_grammar.xml"] = "starting_kit/spoken_call/data/grammar.xml"
    write_files(tmp_path, {name: data[place] for name, place in own.items() if place in data})
    make, init, *copies, build, short, unzip, rehearse, check = (
        command.replace("spoken_call", bundle) for command in COMMANDS
    )
    assert make == "make demo"
    status, told = run(init)
    assert status == 0
    assert all(
        place in told for place in {name if "starting" in name else f"{Path(name).parent}/" for name in data}
    )
    settings = tmp_path / "mine/competition.yaml"
    assert run(build)[0] == 1
    settings.write_text(fill_in(settings.read_text(encoding="utf-8")), encoding="utf-8")
    status, told = run(build)
    assert status == 1
    assert "missing; the sample's do not take their place" in told

    if task == bundle == "spoken_call":
        assert [run(copy)[0] for copy in copies] == [0, 0, 0]
    else:
        write_files(tmp_path / "mine", data)
    status, told = run(build)
    assert status == 1
    assert re.search(rf"line 203 +{item} again; first on line 11\n", told), told
    assert "--drop-invalid-reference-rows leaves such rows out" in told
    status, told = run(build, "--drop-invalid-reference-rows")
    assert (status, "2 bundles in" in told) == (0, True), told
    assert "baseline" not in told
    if task == "spoken_call":
        assert run(short, "--drop-invalid-reference-rows")[0] == 0
    assert run(unzip)[0] == 0
    status, told = run(rehearse)
    assert status == 0, told
    assert run(check)[0] == 0


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

    def run(commands):
        """As the platform runs a step."""
        environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
        done = subprocess.run(
            ["bash", "-e", "-c", commands], cwd=folder, env=environment, capture_output=True, text=True
        )
        return done.returncode, done.stdout + done.stderr

    *_, lock = install.split()
    assert (folder / lock).is_file()
    status, told = run(build)
    assert (status, "2 bundles in" in told) == (0, True), told
    status, told = run(rehearse)
    assert (status, told.count("Finished")) == (0, 1), told
    kept = sorted(
        path.relative_to(folder).as_posix()
        for pattern in job["steps"][-1]["with"]["path"].split()
        for path in folder.glob(pattern)
    )
    assert kept == ["dist/codabench/spoken_call.zip", "dist/codalab/spoken_call.zip"]
    labels = folder / "reference_data/spoken_call/evaluation/reference.csv"
    labels.write_text(
        labels.read_text(encoding="utf-8").replace("\tcorrect\t", "\tperhaps\t", 1), encoding="utf-8"
    )
    status, told = run(build)
    assert (status, "perhaps" in told) == (1, True), told


WHEEL = "spokeneval-1.2.3-py3-none-any.whl"


def test_what_a_workflow_installs_is_pinned_by_hash(tmp_path):
    wheel = write_files(tmp_path, {WHEEL: b"a wheel"}) / WHEEL
    digest = hashlib.sha256(b"a wheel").hexdigest()
    files = workflow_files(ROOT, str(wheel))
    assert files[f"software/{WHEEL}"] == b"a wheel"
    lock = (ROOT / "requirements/organiser.lock").read_text(encoding="utf-8")
    pinned = files["software/requirements.txt"].decode()
    assert pinned == f"{lock}./software/{WHEEL} --hash=sha256:{digest}\n"
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
    assert capsys.readouterr().err.startswith("--software x.whl: expected a file spokeneval-VERSION-")
    assert not (tmp_path / "bad").exists()


@pytest.mark.parametrize(
    ("software", "expected"),
    [
        (f"https://files.example.org/a/{WHEEL}", "expected https://"),
        (f"http://files.example.org/a/{WHEEL}#sha256={'0' * 64}", "expected https://"),
        ("spokeneval.zip", "expected a file spokeneval-VERSION-py3-none-any.whl"),
    ],
)
def test_software_that_is_not_pinned_is_refused(software, expected):
    with pytest.raises(OrganiserError, match=expected):
        workflow_files(ROOT, software)
