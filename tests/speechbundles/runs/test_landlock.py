"""What a command may do under Landlock; the first column is the folder that it may write to, `out` another one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from speechbundles.runs import landlock
from tests.samples.programs import python39s, write_files
from tests.samples.programs_at_home import GOOD, program, uploaded
from tests.samples.tables import table

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or landlock.version() < landlock.OLDEST, reason="the kernel has no Landlock"
)

DONE, DENIED = "", "PermissionError"


@pytest.mark.parametrize(("attempt", "ended"), table("escapes")["landlock"])
def test_a_command_writes_below_its_folders_only(tmp_path, attempt, ended):
    write_files(tmp_path, {"in/file": b"1", "out/file": b"1"})
    words = [sys.executable, landlock.__file__, "in", "/dev", "--", sys.executable, "-c"]
    done = subprocess.run(
        [*words, f"import os, subprocess\n{attempt}"], cwd=tmp_path, capture_output=True, text=True
    )
    last = done.stderr.strip().rpartition("\n")[2]
    assert last.partition(":")[0].rpartition(".")[2] == ended
    assert (done.returncode == 0) == (ended == DONE)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_program_writes_to_no_mount(home, tmp_path):
    """The file for its answers can be written to, but only the shell that runs the program does."""
    uploaded(tmp_path, ("anna", program(f"{GOOD}\nopen('/app/answers.tar', 'a')")), ("bob", program(GOOD)))
    first, second = home()
    assert (first.step.code, second.step.code) == ("smoke_failed", "ok")
    assert "PermissionError" in first.step.log


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_program_runs_with_python_39(home, tmp_path):
    found = [
        path for path in map(shutil.which, python39s()) if path and not subprocess.call([path, "-c", ""])
    ]
    if not found:
        pytest.skip("no Python 3.9 here")
    uploaded(tmp_path, ("anna", program(f"import sys\nassert sys.version_info[:2] == (3, 9)\n{GOOD}")))
    (taken,) = home(python=Path(found[0]))
    assert taken.step.code == "ok", taken.step.log
