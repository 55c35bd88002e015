"""The command line of Apptainer, held against a program in its place. Options are those of its reference manual."""

import json
import os
import sys

import pytest

from speechbundles.bundle.rehearse import Limits, Program
from speechbundles.bundle.rehearse.apptainer import ApptainerEngine
from speechbundles.model.errors import OrganiserError
from speechbundles.runs.job import choose_engine

FAKE = f"""#!{sys.executable} -I
import json, os, sys, time
words = sys.argv[1:]
with open("ASKED", "a") as file:
    file.write(json.dumps([words, dict(os.environ)]) + "\\n")
print("told")
time.sleep(30 * ("slow" in words))
sys.exit(CODE if words[-1] == "true" else 3)
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Return a function that puts a program in place of Apptainer, and returns what it was asked."""
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setenv("SECRET", "token")

    def put(code=0):
        (tmp_path / "bin").mkdir()
        source = FAKE.replace("ASKED", f"{tmp_path}/asked").replace("CODE", str(code))
        (tmp_path / "bin/apptainer").write_text(source)
        (tmp_path / "bin/apptainer").chmod(0o755)
        return lambda: [json.loads(line) for line in (tmp_path / "asked").read_text().splitlines()]

    return put


@pytest.mark.parametrize("gpu", [False, True])
def test_a_program_sees_its_own_folders_only(fake, tmp_path, gpu):
    asked = fake()
    sound = tmp_path / 'a, "b": c'
    written = {"/app/answers.tar": tmp_path / "answers.tar"}
    program = Program("run", ["sh", "-c", "x"], "/app/code", written, {"/app/code": sound}, {"/tmp": 9})
    outcome = ApptainerEngine("image:1", gpu=gpu).run(program, tmp_path, Limits(20.0))
    assert (outcome.exit_code, outcome.stdout, outcome.why_stopped) == (3, "told\n", None)
    (trial, _), (words, variables) = asked()
    walls = ["exec", "--containall", "--no-home", "--no-privs", "--no-mount", "bind-paths"]
    walls += ["--net", "--network", "none"]
    assert trial == [*walls, "docker://image:1", "true"]
    place = words[words.index("--workdir") + 1]
    assert words == [
        *walls,
        *["--nv"] * gpu,
        *("--workdir", place, "--pwd", "/app/code"),
        *("--mount", f'type=bind,"source={tmp_path}/a, ""b"": c",destination=/app/code,ro'),
        *("--mount", f'type=bind,"source={tmp_path}/answers.tar",destination=/app/answers.tar'),
        *("docker://image:1", "sh", "-c", "x"),
    ]
    assert os.path.dirname(place) == str(tmp_path)
    assert "SECRET" not in variables
    assert variables["APPTAINERENV_PYTHONUNBUFFERED"] == "1"


def test_a_slow_program_is_stopped(fake, tmp_path):
    fake()
    program = Program("run", ["slow"], "/app", {"/app": tmp_path})
    outcome = ApptainerEngine("image:1").run(program, tmp_path, Limits(0.5))
    assert outcome.why_stopped.startswith("time limit")


def test_what_cannot_be_used_is_refused(fake):
    with pytest.raises(OrganiserError, match="apptainer is not installed"):
        choose_engine("apptainer", "image:2", None, False)
    fake(code=1)
    with pytest.raises(OrganiserError, match="apptainer cannot run image:2"):
        choose_engine("apptainer", "image:2", None, False)
