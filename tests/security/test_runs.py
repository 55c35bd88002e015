"""Programs of participants that try to get hidden recordings, labels or anything else out, through the command `run`.

Each attempt is an upload of its own. It runs twice, on public and on hidden recordings, beside all others, and prints
what it found, for the organiser's log. All are run by one call of the command.
"""

import csv
import os
import shutil
import socket
import uuid
import zipfile
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

import build_bundle
from speechbundles.bundle.rehearse.bubblewrap import BubblewrapEngine
from speechbundles.model import dates
from speechbundles.model.environment import TOKEN_VARIABLE
from speechbundles.runs.outcomes import read_stage
from tests.samples.home_boards import NOW
from tests.samples.programs import packed, unzipped
from tests.samples.programs_at_home import GOOD, READS, WRITES, begin_with_sound, program, uploaded
from tests.samples.tables import table

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]

SECRET = f"secret-{uuid.uuid4().hex}"

FOUND = table("escapes")["runs"]
"""Attempts whose expression must have this value, or end with this error, on hidden recordings.

The walls of bubblewrap itself, which are the same for all programs, are tried in `test_bubblewrap`.
"""

LATER = f"import os, sys, time\n{READS}hidden = len(items) == 120\n"
LINK = "[os.remove(outputs + '/decisions.csv'), os.symlink('/etc/passwd', outputs + '/decisions.csv')]"
STAYS = ["sleep", "99", f"0.{int(SECRET[-9:], 16)}"]
PARTS = {"LATER\n": LATER, "WRITES": WRITES, "LINK": LINK, "SECRET": repr(SECRET), "STAYS": str(STAYS)}


def put_in(source):
    for part, text in PARTS.items():
        source = source.replace(part, text)
    return source


ENDS = {name: (put_in(source), code) for name, (source, code) in table("escapes")["ends"].items()}
"""Attempts with the code that participants read."""


CHANNEL = (
    "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
    "calls = {'x86_64': (27, 187, 221, 327, 451)}.get(os.uname().machine, (232, 213, 223, 286, 451))\n"
    "refused = {libc.syscall(n, -1, 0, 0, 0, 0, 0) and ctypes.get_errno() for n in calls}\n"
    f"if len(items) == 120:\n    open('/root/state/heard', 'w').write({SECRET!r})\n"
    "heard = open('/root/state/heard').read() if os.listdir('/root/state') else 'nothing'\n"
    "print('FOUND', refused, heard)\n"
)
"""Prints which calls on the cache of files are refused; passes on, in a folder of all runs, what a hidden run heard."""


def zipped(*entries):
    """A zip with main.py and entries: name, mode, content."""
    made = [("main.py", GOOD)]
    for name, mode, text in entries:
        entry = zipfile.ZipInfo(name)
        entry.create_system, entry.external_attr = 3, mode << 16
        made.append((entry, text))
    return packed(made)


ZIPS = {
    "a link in the zip": zipped(("weights", 0o120777, "/etc/passwd")),
    "a path outside": zipped(("../planted", 0o100644, "x")),
    "an absolute path": zipped(("/tmp/planted", 0o100644, "x")),
    "a device in the zip": zipped(("disk", 0o60644, "")),
    "a command for the platform": zipped(("metadata", 0o100644, "command: sh")),
    "packages without permission": zipped(("requirements.txt", 0o100644, "x==1")),
}
"""Uploads that the static check refuses."""


@pytest.fixture(scope="module")
def raid(tmp_path_factory):
    """Run all attempts in one call; give the log of each hidden run, the codes, and the places."""
    place = tmp_path_factory.mktemp("raid")
    mine = begin_with_sound(place)
    fetched = mine / "fetched"
    (place / "token").write_text(SECRET)
    with (
        pytest.MonkeyPatch.context() as patched,
        socket.socket(socket.AF_UNIX) as named,
    ):
        patched.setattr(dates, "now", lambda: NOW)
        patched.setenv(TOKEN_VARIABLE, SECRET)
        patched.chdir(place)
        named.bind("socket")
        facts = {
            "place": place,
            "fetched": fetched,
            "process": os.getpid(),
            "secret": SECRET,
            "labels": mine / "reference_data/health/evaluation/labels.csv",
            "bundle": fetched / ".board/codabench/health.zip",
            "token": place / "token",
        }
        shared = Path("/dev/shm") / SECRET
        shared.write_text(SECRET)
        sources = {"good": program(GOOD)}
        for name, (expression, _) in FOUND.items():
            tried = (
                "import ctypes, os, socket, subprocess, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n"
                f"{READS}try:\n    found = {expression.format(**facts)}\nexcept OSError as error:\n"
                f"    found = error.strerror\nprint('FOUND', found)\nimport glob\n"
                f"for made in glob.glob('/tmp/[0-9x]*'):\n    os.remove(made)\n{WRITES}"
            )
            sources[name] = program(tried)
        sources |= {name: program(source) for name, (source, _) in ENDS.items()}
        sources |= ZIPS
        uploaded(
            mine, *((name.replace(" ", "_").replace(",", ""), content) for name, content in sources.items())
        )
        try:
            status = build_bundle.main(
                ["run", "--competition", str(mine), "--out", str(place / "site"), "--jobs", "2"]
            )
        finally:
            shared.unlink()
    assert status == 0
    runs = {}
    for (name, _), row in zip(sources.items(), csv_rows(fetched / ".runs/runs.csv"), strict=True):
        state = fetched / ".runs" / row["state"]
        step = read_stage(state / "run1.json")
        runs[name] = row["code"], step.log if step else "", row
    return runs, place


def csv_rows(path):
    return [*csv.DictReader(path.read_text("utf-8").splitlines())]


@pytest.mark.parametrize("attempt", FOUND)
def test_a_program_does_not_get_out(raid, attempt):
    code, log, _ = raid[0][attempt]
    assert (code, log.splitlines()[0]) == ("ok", f"FOUND {FOUND[attempt][1]}"), log


@pytest.mark.parametrize("attempt", ENDS)
def test_an_attempt_ends_with_its_code(raid, attempt):
    code, log, _ = raid[0][attempt]
    assert code == ENDS[attempt][1], log[-500:]


@pytest.mark.parametrize("attempt", ZIPS)
def test_a_hostile_zip_is_refused_before_anything_runs(raid, attempt):
    code, log, row = raid[0][attempt]
    assert (code, log, row["smoke_seconds"]) == ("refused", "", "")


def test_nothing_is_left_and_nothing_secret_is_shown(raid):
    """What participants and everybody get has no log of a hidden run, no secret, and no answer."""
    runs, place = raid
    state = place / "mine/fetched/.runs"
    shown = [*(place / "site").iterdir(), *(state / "returns").iterdir()]
    text = b"".join(path.read_bytes() for path in shown)
    assert SECRET.encode() not in text
    assert b"FOUND" not in text  # also of the smoke runs, which may show what hidden runs left in the machine
    assert b"exit status 77" not in text
    for what, (_, log, _) in runs.items():
        assert len(log) < 3 << 20, what
    assert "up to 1/4 of the time limit" in text.decode()
    assert not [
        path for path in place.rglob("*") if path.name in ("planted", "core") or path.name.startswith("core.")
    ]
    assert not Path("/tmp/planted").exists()
    running = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    assert not [words for words in running if STAYS[-1] in words]
    answered = {row["answers"] for code, _, row in runs.values() if code == "ok"}
    assert answered == {runs["good"][2]["answers"]}  # the good ones' bytes are unchanged beside all others
    assert unzipped(next((state / "fetched/submissions/good").iterdir()).read_bytes()).keys() == {
        "decisions.csv"
    }


def test_what_a_smoke_run_learns_of_the_hidden_run_of_another_account_is_not_returned(tmp_path, monkeypatch):
    """The state of the machine is here a folder that all runs can write, the widest channel that there can be."""
    (state := tmp_path / "state").mkdir()
    run = BubblewrapEngine.run

    def with_state(engine, program, scratch, limits):
        mounts = {**program.mounts, "/root/state": state}
        return run(engine, replace(program, mounts=mounts), scratch, limits)

    monkeypatch.setattr(BubblewrapEngine, "run", with_state)
    monkeypatch.setattr(dates, "now", lambda: NOW)
    mine = begin_with_sound(tmp_path)
    first, later = (program(f"# of {who}\nimport os\n{READS}{CHANNEL}{WRITES}") for who in ("first", "later"))
    uploaded(mine, ("first", first), ("later", later))
    command = ["run", "--competition", str(mine), "--out", str(tmp_path / "site"), "--jobs", "1"]
    assert build_bundle.main(command) == 0
    runs = mine / "fetched/.runs"
    logs = {path.name: path.read_text() for path in (runs / "logs").iterdir()}
    assert {name: log.count(f"FOUND {{38}} {SECRET}") for name, log in logs.items()} == {
        "first_1.txt": 1,  # its hidden run
        "later_2.txt": 2,  # also its smoke run, so the channel works, and no call was needed
    }
    returned = {path.name: path.read_text() for path in (runs / "returns").iterdir()}
    shown = b"".join(path.read_bytes() for path in (tmp_path / "site").iterdir())
    assert SECRET.encode() not in shown
    assert b"FOUND" not in shown
    assert returned["later_2.txt"] == returned["first_1.txt"].replace("run: 1", "run: 2")
