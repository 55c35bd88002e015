"""Full disks, unwritable folders, kills at any moment: no half-written scores and no false success."""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import build_bundle
import speechbundles.bundle.build.built
from speechbundles.bundle.build.built import write
from speechbundles.bundle.build.plan import plan
from speechbundles.model.sources import Sources
from tests.samples.boards import noisy_systems
from tests.samples.cases import CASES
from tests.samples.programs import ROOT, run_program, write_files

TASKS = sorted(CASES)
SCORES = {"scores.json", "scores.txt"}
PSST = "psst_correctness"
SILENT = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
STATISTICS = {"SPOKENEVAL_HIDDEN_STATISTICS": "write"}
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), **STATISTICS}
NO_STATISTICS = {**ENVIRONMENT, "SPOKENEVAL_HIDDEN_STATISTICS": ""}


def laid_out(task: str, folder: Path) -> Path:
    write_files(folder / "input" / "ref", CASES[task].reference)
    write_files(folder / "input" / "res", CASES[task].submission)
    return folder


def command(task: str, folder: Path) -> list[str]:
    program = ROOT / "scoring_program" / task / "score.py"
    return [sys.executable, str(program), str(folder / "input"), str(folder / "output")]


def score(task: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return run_program(*command(task, folder)[1:], environment=STATISTICS)


def score_cold(task: str, folder: Path, **options) -> subprocess.CompletedProcess[str]:
    plain = {"env": ENVIRONMENT, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.run(command(task, folder), **{**plain, **options})


def files(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder, `name -> content`; folders have no content."""
    paths = folder.iterdir() if folder.is_dir() else ()
    return {path.name: path.read_bytes() if path.is_file() else b"" for path in paths}


def failed_cleanly(done, output: Path, told: str = "") -> None:
    """Check for exit status 1, a message without a traceback, and no whole or unfinished files of scores."""
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert told in done.stderr
    left = set(files(output))
    assert not SCORES & left
    assert not [name for name in left if name.endswith(".unfinished")]


# The output


def _whole(task: str, folder: Path, score=score, **options) -> dict[str, bytes]:
    assert score(task, laid_out(task, folder), **options).returncode == 0
    return files(folder / "output")


@pytest.mark.default_cases("scores.json", "scores.txt")
@pytest.mark.parametrize(
    ("size", "environment", "file"),
    [
        (0, ENVIRONMENT, "signature.txt"),
        (40, ENVIRONMENT, "signature.txt"),
        (150, ENVIRONMENT, "statistics.json"),
        (80, NO_STATISTICS, "scores.txt"),
        (150, NO_STATISTICS, "scores.json"),
    ],
)
def test_a_write_that_fails_leaves_no_scores(tmp_path, size, environment, file):
    """The operating system refuses files larger than `size`, so that each of the four files fails in turn."""
    whole = _whole(PSST, tmp_path / "whole", score_cold, env=environment)
    order = ("signature.txt", "statistics.json", "scores.txt", "scores.json")
    assert next(name for name in order if len(whole.get(name, b"")) > size) == file

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    done = score_cold(PSST, laid_out(PSST, tmp_path), env=environment, preexec_fn=small_files)
    failed_cleanly(done, tmp_path / "output", os.strerror(errno.EFBIG))


@pytest.mark.parametrize("words", ["stdout", "stderr"])
def test_standard_output_or_error_that_is_full_is_no_success(tmp_path, words):
    if not Path("/dev/full").exists():
        pytest.skip("/dev/full does not exist")
    laid_out(PSST, tmp_path)
    if words == "stderr":
        (tmp_path / "input" / "res" / "correctness.tsv").write_text("")
    with open("/dev/full", "w") as full:
        done = score_cold(PSST, tmp_path, stdout=full, **({"stderr": full} if words == "stderr" else {}))
    assert done.returncode != 0
    assert not SCORES & set(files(tmp_path / "output"))


def test_an_output_that_is_a_file(tmp_path):
    laid_out("spoken_call", tmp_path)
    (tmp_path / "output").write_text("mine")
    failed_cleanly(score("spoken_call", tmp_path), tmp_path / "output", "output: ")
    assert (tmp_path / "output").read_text() == "mine"


def test_an_output_that_cannot_be_written(tmp_path):
    laid_out("spoken_call", tmp_path)
    output = tmp_path / "output"
    output.mkdir(mode=0o555)
    if os.access(output, os.W_OK):  # root may write everywhere except in /proc
        output.rmdir()
        output.symlink_to("/proc/self/fdinfo" if Path("/proc/self/fdinfo").is_dir() else "/dev/null")
    done = score("spoken_call", tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert not SCORES & {path.name for path in output.iterdir()}


# The input


@pytest.mark.parametrize("missing", ["input", "input/ref", "input/res"])
def test_a_folder_that_is_missing(tmp_path, missing):
    laid_out("spoken_call", tmp_path)
    (tmp_path / missing).rename(tmp_path / "elsewhere")
    failed_cleanly(score("spoken_call", tmp_path), tmp_path / "output")


# Second runs


# Kills


def test_a_kill_at_any_moment_leaves_whole_scores_or_none(tmp_path):
    """Kill six runs at random moments of their second half, when files are written."""
    output = tmp_path / "output"
    began = time.monotonic()
    expected = _whole("caller_experience", tmp_path, score_cold)
    whole_run = time.monotonic() - began
    rng = random.Random("kills")
    kills = 0
    for _ in range(6):
        process = subprocess.Popen(command("caller_experience", tmp_path), env=ENVIRONMENT, **SILENT)
        time.sleep(rng.uniform(0.5, 1.05) * whole_run)
        process.send_signal(signal.SIGKILL)
        killed = process.wait() == -signal.SIGKILL
        kills += killed
        left = {name: content for name, content in files(output).items() if not name.startswith(".")}
        assert left.items() <= expected.items()
        if not killed:
            assert left == expected
    assert kills, "no run was killed in time"
    assert score("caller_experience", tmp_path).returncode == 0
    assert files(output) == expected


# The leaderboard


def half_of(name):
    """Return a function that writes half of such files, as on a full disk, whose error does not name the file."""

    def write_bytes(self, content):
        whole = not self.name.startswith(name)
        with self.open("wb") as stream:
            stream.write(content if whole else content[: len(content) // 2])
        if not whole:
            raise OSError(errno.ENOSPC, "No space left on device")

    return write_bytes


@pytest.mark.parametrize("before", [None, b"of yesterday"])
def test_a_leaderboard_on_a_full_disk_is_one_line_and_no_half_file(tmp_path, monkeypatch, capsys, before):
    name = "board.html"
    outputs = map(str, noisy_systems(tmp_path / "outputs", 2, 40))
    site = write_files(tmp_path / "site", {name: before} if before else {})
    monkeypatch.setattr(Path, "write_bytes", half_of(name))
    assert build_bundle.main(["rank", *outputs, "--out", str(site)]) == 1
    assert capsys.readouterr().err.endswith(f"{site / name}: No space left on device\n")
    assert files(site).get(name) == before
    assert not [left for left in files(site) if left.endswith(".part")]


# The build


@pytest.fixture(scope="module")
def planned():
    return plan(Sources(ROOT), ["psst_correctness"], {})


@pytest.mark.thorough
def test_a_build_that_is_stopped_in_mid_write_leaves_no_half_zip(planned, tmp_path, monkeypatch):
    list(write(planned, tmp_path))
    path = tmp_path / "codabench" / "psst_correctness.zip"
    good = path.read_bytes()

    monkeypatch.setattr(speechbundles.bundle.build.built.Path, "write_bytes", half_of(""))
    with pytest.raises(OSError, match="No space left"):
        list(write(planned, tmp_path))
    assert path.read_bytes() == good
    path.unlink()
    with pytest.raises(OSError, match="No space left"):
        list(write(planned, tmp_path))
    assert list(path.parent.iterdir()) == []
