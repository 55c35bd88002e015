"""The sandbox with real programs that misbehave. After each test, no process of the program is left.

Every program has a unique word in its command line or environment, by which its processes are found.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import psutil
import pytest

from speechbundles.bundle.rehearse import sandbox
from speechbundles.bundle.rehearse.sandbox import LOG_BYTES, Limits, run
from speechbundles.bundle.rehearse.supervisor import NAMESPACE, REAPER
from tests.samples.programs import ROOT

MB = 1 << 20


@pytest.fixture
def mark():
    """A word in the environment of all processes of a program; soon after the end no process may have it."""
    word = "sandboxed-" + uuid.uuid4().hex
    yield word
    _, left = psutil.wait_procs(carriers(word), timeout=3)
    assert left == []


def carriers(word):
    found = []
    for process in psutil.process_iter():
        try:
            words = [*process.cmdline(), *process.environ().values()]
        except psutil.Error:
            continue
        if process.pid != os.getpid() and word in words:
            found.append(process)
    return found


@pytest.fixture
def python(tmp_path, mark):
    """Return what runs a program in the sandbox; by default, with limits that it does not reach."""

    def go(source, *words, seconds=20.0, memory_bytes=1 << 30, output_bytes=8 * MB, **limits):
        bounds = Limits(seconds, memory_bytes, output_bytes, **limits)
        command = [sys.executable, "-c", textwrap.dedent(source), mark, *words]
        return run(command, cwd=tmp_path, env={"PATH": os.defpath, "MARK": mark}, limits=bounds)

    return go


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits and processes of Linux")
SMALL = {"memory_bytes": 300 * MB}
GROW = """
import os
file = open('huge', 'wb', buffering=0)
try:
    while True:
        file.write(bytes(1 << 20))
except OSError as error:
    print(os.path.getsize('huge') >> 20, error.strerror)
"""


@pytest.mark.parametrize(
    ("source", "limits", "code", "stdout", "stderr"),
    [
        ("import sys; print(sys.stdin.read()); print('said', file=sys.stderr); sys.exit(3)", {}, 3, "\n", "said\n"),
        ("import os; os.kill(os.getpid(), 15)", {}, 143, "", ""),  # as a container reports it
        ("import numpy; print(numpy.ones((300, 300)).dot(numpy.ones((300, 300)))[0, 0])", SMALL, 0, "300.0\n", ""),
        # Between two polls: 16 GB cannot be allocated with a limit of 300 MB + 4 GB of address space.
        pytest.param("b'x' * (16 << 30)", SMALL, 1, "", "MemoryError\n", marks=LINUX),
        (GROW, {}, 0, "8 File too large\n", ""),
        ("print('A' * 10, 'b' * 100_000, 'C' * 10, sep='', end='')", {"output_bytes": 20}, 0,
         "A" * 10 + "\n[... 100000 bytes dropped ...]\n" + "C" * 10, ""),
    ],
    ids=["behaves", "signal", "numpy", "huge reservation", "huge file", "long output"],
)  # fmt: skip
def test_how_a_program_ends_by_itself(python, source, limits, code, stdout, stderr):
    outcome = python(source, **limits)
    assert (outcome.exit_code, outcome.stdout, outcome.why_stopped) == (code, stdout, None)
    assert outcome.stderr.splitlines(keepends=True)[-1:] == [stderr] * bool(stderr)
    assert 0 < outcome.seconds < 10


def test_a_program_gets_its_folder_and_its_environment_only(python, tmp_path):
    outcome = python("import os; print(os.getcwd(), *sorted(os.environ))")
    folder, *names = outcome.stdout.split()
    assert folder == os.path.realpath(tmp_path)
    assert {"PATH", "MARK"} <= set(names) <= {"PATH", "MARK", "LC_CTYPE", "__CF_USER_TEXT_ENCODING"}


def test_a_closed_pipe_ends_a_shell_pipeline_as_usual(tmp_path, mark):
    """SIGPIPE is reset to its default: with Python's setting, `yes` would report a broken pipe."""
    env = {"PATH": os.defpath, "MARK": mark}
    outcome = run(["sh", "-c", "yes | head -n 1"], cwd=tmp_path, env=env, limits=Limits(10))
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (0, "y\n", "")


@pytest.mark.parametrize("path", [os.defpath, "x:" * 30_000], ids=["at once", "looked for over many polls"])
def test_a_command_that_is_not_there(tmp_path, path):
    """The memory limit does not apply to the copy of Python that searches for the command."""
    limits = Limits(20, memory_bytes=MB, output_bytes=MB)
    outcome = run(["no-such-program"], cwd=tmp_path, env={"PATH": path}, limits=limits)
    assert (outcome.exit_code, outcome.why_stopped) == (127, None)
    assert outcome.stderr.startswith("no-such-program: cannot be run")


DAEMON = """
    import os, signal, sys, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        daemon = os.fork()
        if daemon == 0:
            time.sleep(60)
        print(daemon, flush=True)
        os._exit(0)
    os.wait()
"""


@pytest.mark.default_cases("namespace-True", "reaper-False")
@pytest.mark.parametrize("parent_stays", [True, False])
def test_a_daemon_that_ignores_sigterm_is_found(python, mark, way, parent_stays):
    source = textwrap.dedent(DAEMON) + ("\ntime.sleep(60)" if parent_stays else "")
    outcome = python(source, seconds=2.5)
    assert carriers(mark) == []
    assert int(outcome.stdout) > 1
    assert outcome.exit_code == (137 if parent_stays else 0)
    assert (outcome.why_stopped is not None) == parent_stays
    assert outcome.seconds < 10


def test_a_daemon_without_our_environment_or_our_pipes_is_found(python, mark, way):
    """It is found by its command: `mark` is not in its environment."""
    outcome = python(
        """
        import subprocess, sys
        daemon = subprocess.Popen(
            ["env", "-i", sys.executable, "-c", "import time; time.sleep(60)", sys.argv[1]], start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        print(daemon.pid)
        daemon.returncode = 0
        """
    )
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert carriers(mark) == []


SURVIVOR = """
    import ctypes, os, signal, sys, time
    stay = lambda: ctypes.CDLL(None).prctl(1, 0)  # not killed with the parent
    stay()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            stay()
            time.sleep(60)
        os._exit(0)
    os.wait()
    helper = os.getppid()
    print(os.path.exists(f"/proc/{sys.argv[2]}"), flush=True)
    os.kill(helper, getattr(signal, sys.argv[3]))
    time.sleep(0.5)
"""


@pytest.mark.default_cases("SIGKILL")
@pytest.mark.parametrize("number", ["SIGKILL", "SIGSTOP"])
def test_a_program_that_kills_its_supervisor_leaves_no_daemon(python, mark, way, number):
    """In a namespace it cannot, and does not see this process either."""
    outcome = python(SURVIVOR, str(os.getpid()), number, seconds=3)
    assert carriers(mark) == []
    seen = outcome.stdout == "True\n"
    if way == NAMESPACE:
        assert (outcome.exit_code, outcome.why_stopped, seen) == (0, None, False)
    else:
        why = {"SIGKILL": "its supervisor ended first", "SIGSTOP": "time limit: still running after 3 s"}
        assert (outcome.exit_code, outcome.why_stopped, seen) == (137, why[number], True)
    assert outcome.seconds < 10


def test_a_list_of_processes_that_lacks_one_is_not_believed(monkeypatch):
    """psutil misses a process whose parent ends while it reads the parents of all processes."""
    supervisor = subprocess.Popen(["sh", "-c", "sleep 60 & wait"])
    list_children, lists = psutil.Process.children, []

    def incomplete(process, recursive):
        lists.append(process)
        return list_children(process, recursive) if len(lists) % 2 == 0 else []

    while not (children := psutil.Process(supervisor.pid).children()):
        time.sleep(0.01)
    monkeypatch.setattr(psutil.Process, "children", incomplete)
    sandbox.Family(supervisor).kill()
    assert psutil.wait_procs(children, timeout=3)[1] == []


@LINUX
def test_a_program_that_kills_helper_and_guard_fails(python, way):
    """Without a namespace it can; the run ends with the program."""
    outcome = python(
        """
        import os, signal, time
        helper = os.getppid()
        guard = int(open(f"/proc/{helper}/stat").read().rpartition(")")[2].split()[1])
        for process in (guard, helper):
            if process > 0:
                os.kill(process, signal.SIGKILL)
        time.sleep(1)
        """
    )
    expected = (0, None) if way == NAMESPACE else (137, "its supervisor ended first")
    assert (outcome.exit_code, outcome.why_stopped) == expected


def test_a_user_without_rights_gets_a_namespace_too(tmp_path, mark):
    """As another user, if this is root: user and group are unchanged, and there are no rights over the namespace."""
    source = textwrap.dedent(
        """
        import os, sys
        from pathlib import Path
        from speechbundles.bundle.rehearse.sandbox import Limits, run, ways
        sys.executable = "/usr/bin/python3"  # which another user can run
        os.setgroups([]), os.setgid(65534), os.setuid(65534)
        program = (
            "import ctypes, os; print(os.getuid(), os.getgid(), os.getppid(), [name for name in os.listdir('/proc') "
            "if name.isdigit()], ctypes.CDLL(None).umount(b'/proc')); print(open('/proc/self/status').read())"
        )
        env = {"PATH": os.defpath, "MARK": sys.argv[1]}
        outcome = run([sys.executable, "-c", program], cwd=Path("/"), env=env, limits=Limits(20))
        print(ways[0], outcome.stdout, outcome.stderr)
        """
    )
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("another user: only for root")
    if not all(folder.stat().st_mode & 0o001 for folder in (ROOT, *ROOT.parents)):
        pytest.skip("other users may not enter this folder")
    done = subprocess.run(
        [sys.executable, "-c", source, mark], capture_output=True, text=True, timeout=60, cwd=ROOT
    )
    if done.stdout.startswith("reaper"):
        pytest.skip("other users may not have namespaces")
    assert done.stdout.startswith("namespace 65534 65534 1 ['1', '2'] -1\n"), done.stdout + done.stderr
    assert "CapEff:\t0000000000000000" in done.stdout


@LINUX
@pytest.mark.parametrize("refused", [('"unshare",', '"nothing",'), ('b"/proc", b"proc"', 'b"/no", b"proc"')])
def test_without_namespaces_the_limit_is_printed_once(tmp_path, python, refused, monkeypatch, capsys):
    """Also if the kernel refuses one only after a look at its own `/proc`."""
    monkeypatch.setattr(sandbox, "ways", [NAMESPACE, REAPER])
    broken = tmp_path / "supervisor.py"
    broken.write_text(sandbox._SUPERVISOR.read_text().replace(*refused))
    monkeypatch.setattr(sandbox, "_SUPERVISOR", broken)
    for _ in range(2):
        assert python("print(1)").stdout == "1\n"
    assert capsys.readouterr().err.count("does not permit a program its own PID namespace") == 1
    assert sandbox.ways == [REAPER]


@pytest.mark.parametrize(
    ("source", "limits", "why"),
    [
        ("time.sleep(60)", {"seconds": 0.5}, "time limit: still running after 0.5 s"),
        ("hoard = []\nwhile True:\n    hoard.append(b'x' * (8 << 20)); time.sleep(0.004)", {}, "memory limit: "),
        # four processes of 100 MB each, none above the limit
        ("for _ in range(4):\n    if os.fork() == 0:\n        hoard = b'x' * (100 << 20); time.sleep(60)\n"
         "time.sleep(60)", {}, "memory limit: "),
        # a bounded fork bomb: at most 256 processes, to protect the computer that runs the test
        ("for _ in range(8):\n    os.fork()\ntime.sleep(60)", {"processes": 32}, "process limit: "),
    ],
    ids=["sleeper", "memory", "memory of all processes", "fork bomb"],
)  # fmt: skip
def test_a_program_over_a_limit_is_stopped(python, source, limits, why):
    outcome = python(f"import os, time\nprint('on', flush=True)\n{source}", **SMALL, **limits)
    assert (outcome.exit_code, outcome.stdout) == (137, "on\n")
    assert outcome.why_stopped.startswith(why)
    assert outcome.seconds < 15


def test_endless_output_is_cut_and_the_program_stopped(python):
    outcome = python("import sys\nsys.stderr.write('first\\n')\nwhile True: print('x' * 1000)", seconds=0.7)
    assert outcome.why_stopped.startswith("time limit")
    assert LOG_BYTES <= len(outcome.stdout) < LOG_BYTES + 100
    assert "bytes dropped" in outcome.stdout
    assert outcome.stderr == "first\n"


def test_an_interrupt_leaves_nothing(python, way, monkeypatch):
    """Ctrl-C while a program runs."""

    monkeypatch.setattr(sandbox, "_over_time", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        python(DAEMON + "    time.sleep(60)")


@LINUX
def test_nothing_outlives_a_killed_runner(tmp_path, mark):
    source = (
        "from speechbundles.bundle.rehearse.sandbox import Limits, run; import sys; from pathlib import Path; "
        "run(['sleep', '60'], cwd=Path('/'), env={'PATH': '/usr/bin:/bin', 'MARK': sys.argv[1]}, limits=Limits(60))"
    )
    runner = psutil.Popen([sys.executable, "-c", source, mark])
    wait_for(lambda: any(p.name() == "sleep" for p in carriers(mark)))
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    wait_for(lambda: not carriers(mark))


def wait_for(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("seconds", [1e-6, 0.01, 0.02, 0.03])
def test_a_limit_that_falls_into_the_start_of_the_program(python, monkeypatch, seconds):
    """The program is stopped before the supervisor has started it, or at the same time."""
    monkeypatch.setattr("speechbundles.bundle.rehearse.sandbox.POLL", seconds)
    outcome = python("import time; time.sleep(60)", seconds=seconds / 2)
    assert outcome.why_stopped.startswith("time limit")
    assert outcome.seconds < 5


def test_runs_in_threads_do_not_disturb_each_other_or_other_children(python, way):
    bystander = psutil.Popen(["sleep", "60"])
    try:
        with ThreadPoolExecutor(4) as pool:
            jobs = [pool.submit(python, DAEMON + f"    print({i})", seconds=15) for i in range(6)]
        assert [job.result().stdout.split()[-1] for job in jobs] == [str(i) for i in range(6)]
        assert bystander.is_running()
        assert bystander.status() != psutil.STATUS_ZOMBIE
    finally:
        bystander.kill()
        bystander.wait()


def test_an_empty_command_is_refused(tmp_path):
    with pytest.raises(ValueError, match="empty"):
        run([], cwd=tmp_path, env={}, limits=Limits(1))


SHOW = "from resource import *; print([[*getrlimit(limit)] for limit in (RLIMIT_CORE, RLIMIT_NPROC)])"


@LINUX
def test_a_program_dumps_no_core_and_starts_few_processes(python):
    """The limits are lowered even if this process has higher ones, which a program would otherwise inherit."""
    before = resource.getrlimit(resource.RLIMIT_CORE)
    raised = 1 << 20 if before[1] == resource.RLIM_INFINITY else before[1]
    if raised == 0:
        pytest.skip("core files cannot be allowed here")
    resource.setrlimit(resource.RLIMIT_CORE, (raised, before[1]))
    try:
        found = [json.loads(python(SHOW, processes=processes).stdout) for processes in (1000, 1)]
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
    (core, (many, hard)), (_, (few, _)) = found
    assert core == [0, 0]
    assert many == hard
    assert 0 < few < many - 2000  # each process may have several threads, and all of the user's threads count
