"""Programs that are started once and copied for every run, compared with separate starts of the same programs."""

import json
import random
import shutil
import sys
import textwrap
from contextlib import nullcontext
from types import SimpleNamespace

import psutil
import pytest

from speechbundles.bundle.rehearse.engine import LocalEngine
from speechbundles.bundle.rehearse.rehearsal import rehearse_phase
from speechbundles.bundle.rehearse.sandbox import Limits
from speechbundles.bundle.rehearse.supervisor import NAMESPACE
from speechbundles.bundle.rehearse.warm import OutOfOrder, WarmEngine, own_programs
from speechbundles.model.read import read_built_bundle
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.problems import FREE_ATTEMPT
from tests.samples.cases import CASES
from tests.samples.corruptions import SUBMISSIONS
from tests.samples.edits import ODD, WAYS, edited
from tests.samples.harmless import harmless
from tests.samples.programs import ROOT, encoded, write_files
from tests.samples.small_bundles import INGEST_COMMAND, codabench_bundle, submission_zip, zipped

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="rehearsals do not run on Windows")

SMALL = Limits(memory_bytes=300 << 20, output_bytes=1 << 20)
MOST_RUNS = 1000


def program(folder, files):
    """Write a program's folder, with the vendored package beside it."""
    write_files(folder, files)
    (folder / "spokeneval").symlink_to(ROOT / "spokeneval")
    return folder


def score(engine, place, folder, files):
    """Score a submission in its own folder; return the exit code, the output, and every file that was written."""
    base = folder / "run"
    write_files(base / "input/res", files)
    (base / "input/ref").symlink_to(place / "ref")
    (base / "output").mkdir()
    outcome = run(engine, place / "program", folder, "score.py", base)
    written = {path.name: path.read_bytes() for path in (base / "output").iterdir()}
    return outcome.exit_code, outcome.stdout, outcome.stderr, written


def run(engine, place, folder, script, base, seconds=30.0, limits=None):
    mounts = {"/app/program": place, "/app/input": base / "input", "/app/output": base / "output"}
    command = ["python3", f"/app/program/{script}", "/app/input", "/app/output"]
    limits = limits or Limits()
    return engine.run(command, mounts, cwd="/app/program", scratch=folder, seconds=seconds, limits=limits)


@pytest.fixture
def warm():
    with WarmEngine() as engine:
        yield engine


@pytest.mark.default_cases("spoken_call")
@pytest.mark.parametrize("task", task_names())
def test_what_a_program_writes_and_says_is_the_same_to_the_byte(task, tmp_path, warm):
    """The second run uses files read by the first one; submissions are good and bad, labels public and hidden."""
    source = (ROOT / "scoring_program" / task / "score.py").read_bytes()
    program(tmp_path / "program", {"score.py": source, "options.json": '{"detailed_results": true}'})
    write_files(tmp_path / "ref", CASES[task].reference)
    good = CASES[task].submission
    bad = {name: f"{text}not, a row\n" for name, text in good.items()}
    for number, files in enumerate((good, bad)):
        folders = [tmp_path / f"{number}{which}" for which in ("cold", "first", "second")]
        for folder in folders:
            folder.mkdir()
        cold = score(LocalEngine(), tmp_path, folders[0], files)
        assert (cold[0], "scores.json" in cold[3]) == ((0, True) if files is good else (1, False))
        assert score(warm, tmp_path, folders[1], files) == cold
        assert score(warm, tmp_path, folders[2], files) == cold


def test_a_reference_is_read_once_and_another_one_anew(tmp_path, warm):
    """The files of one whole set are gone when the second submission is scored."""
    source = (ROOT / "scoring_program" / "spoken_call" / "score.py").read_bytes()
    program(tmp_path / "program", {"score.py": source})
    case = CASES["spoken_call"]
    write_files(tmp_path / "ref", case.reference)
    done = []
    for number in range(3):
        (tmp_path / f"run{number}").mkdir()
        done.append(score(warm, tmp_path, tmp_path / f"run{number}", case.submission))
        if number == 0:
            (tmp_path / "ref/reference.csv").unlink()
        else:
            (tmp_path / "ref").rename(tmp_path / f"before{number}")
            (tmp_path / "ref").mkdir()
            (tmp_path / "ref").rename(tmp_path / "other")
            (tmp_path / "ref").symlink_to(tmp_path / "other")
    assert done[0][0] == 0
    assert done[1] == done[0]
    assert done[2][0] == 1
    assert "reference data cannot be used" in done[2][2]


def test_ingestion_too(tmp_path, warm):
    task = "spoken_call"
    source = (ROOT / "ingestion_program" / task / "ingest.py").read_bytes()
    place = program(tmp_path / "program", {"ingest.py": source})
    files = find_task(task).format
    reference = files.read_reference(encoded(CASES[task].reference))
    write_files(tmp_path / "items", files.public_files(reference, {}))
    said = []
    for number, engine in enumerate((LocalEngine(), warm, warm)):
        folder = write_files(tmp_path / f"run{number}", {"submitted/results.csv": "Id,Decision\n"})
        mounts = {"/p": place, "/i": tmp_path / "items", "/s": folder / "submitted", "/o": folder}
        done = engine.run(
            ["python3", "ingest.py", "/i", "/s", "/o"],
            mounts,
            cwd="/p",
            scratch=folder,
            seconds=30,
            limits=Limits(),
        )
        said.append((done.exit_code, done.stdout, done.stderr, (folder / "ingestion_report.txt").read_text()))
    assert said[0][0] == 1
    assert said[1] == said[2] == said[0]


def submissions_of(task):
    """Return good and corrupted submissions, each as its files and a function that spoils its folder, or None."""
    chance = random.Random(task)
    valid = [*harmless(task).values()]
    made = [(files, None) for files in valid]
    for _ in range(10):
        name, text = chance.choice([*encoded(valid[0]).items()])
        change = chance.choice(WAYS), chance.randrange(1000), chance.randrange(1000), chance.choice(ODD)
        made.append(({**valid[0], name: edited(text, [change])}, None))
    for bad in SUBMISSIONS[task]:
        if bad.files is not None and bad.race is None and bad.during is nullcontext:
            made.append((bad.files, bad.spoil))
    return made


def process(engine, place, folder, submission):
    """Run ingestion and scoring; return what both print and leave, and whether the run had to be repeated alone."""
    files, spoil = submission
    submitted, results = (write_files(folder / name, files) for name in ("submitted", "input/res"))
    if spoil:
        spoil(submitted)
        spoil(results)
    (folder / "input/ref").symlink_to(place / "ref")
    (folder / "output").mkdir()
    mounts = {
        "/p": place,
        "/i": place / "items",
        "/s": submitted,
        "/r": folder / "input",
        "/o": folder / "output",
    }
    outcomes = []
    for script, *words in (("ingest.py", "/i", "/s", "/r/res"), ("score.py", "/r", "/o")):
        try:
            done = engine.run(
                ["python3", script, *words], mounts, cwd="/p", scratch=folder, seconds=60, limits=Limits()
            )
        except OutOfOrder as run:
            shutil.rmtree(folder)
            return process(run.alone, place, folder, submission)[0], True
        outcomes.append((done.exit_code, done.stdout, done.stderr, done.why_stopped))
    report = results / "ingestion_report.txt"
    left = [*(folder / "output").rglob("*"), report]
    return (outcomes, {path.name: path.read_bytes() for path in left if path.is_file()}), False


@pytest.mark.parametrize(
    ("task", "every"),
    [("spoken_call", 48), *(pytest.param(task, 1, marks=pytest.mark.thorough) for task in task_names())],
)
def test_runs_that_share_a_process_are_the_same_to_the_byte_in_any_order(task, every, tmp_path):
    """All cases together are more than 1,000 submissions, good and refused, compared with programs of their own."""
    source = {
        "score.py": (ROOT / "scoring_program" / task / "score.py").read_bytes(),
        "ingest.py": (ROOT / "ingestion_program" / task / "ingest.py").read_bytes(),
        "options.json": '{"detailed_results": true}',
    }
    place = program(tmp_path / "program", source)
    files = find_task(task).format
    reference = files.read_reference(encoded(CASES[task].reference))
    write_files(place / "ref", CASES[task].reference)
    write_files(place / "items", files.public_files(reference, {}))
    submissions = submissions_of(task)[::every]
    folder = tmp_path / "run"
    alone = []
    for submission in submissions:
        alone.append(process(LocalEngine(), place, folder, submission)[0])
        shutil.rmtree(folder)
    codes = [outcomes[-1][0] for outcomes, _ in alone]
    assert {0, 1} == set(codes)
    orders = [[*range(len(submissions))] for _ in range(3)]
    orders[1].reverse()
    random.Random(1).shuffle(orders[2])
    repeated = 0
    for order in orders:
        with WarmEngine(own=[place]) as engine:
            for number in order:
                done, again = process(engine, place, folder, submissions[number])
                shutil.rmtree(folder)
                assert done == alone[number], submissions[number]
                repeated += again
    assert repeated <= len(submissions) // 20


PROGRAM = """
    import json, os, signal, sys, time
    from pathlib import Path
    TASK = None
    if __name__ == "__main__":
        told = json.loads((Path(sys.argv[1]) / "res/told.json").read_text())
        print(sorted(os.environ), os.getcwd(), sys.argv, sys.stdin.read())
        if "kill" in told:
            os.kill(os.getppid(), signal.SIGKILL)
        if "leave" in told and os.fork() == 0:
            os.setsid(), os.fork(), time.sleep(60)
        if "use" in told:
            kept = bytearray(told["use"] << 20)
            kept[::4096] = bytes(len(kept[::4096]))
        if "write" in told:
            (Path(sys.argv[2]) / "big").write_bytes(bytes(told["write"] << 20))
        time.sleep(told.get("sleep", 0))
        sys.exit(told.get("exit"))
"""


@pytest.fixture
def own(tmp_path, warm):
    """Return a function that runs, in one engine, a program that follows a submission's instructions."""
    place = program(tmp_path / "program", {"score.py": textwrap.dedent(PROGRAM)})
    engines = {"warm": warm, "cold": LocalEngine()}

    def go(which="warm", seconds=20.0, limits=None, **told):
        folder = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        base = write_files(folder, {"input/res/told.json": json.dumps(told), "output/x": ""})
        done = run(engines[which], place, folder, "score.py", base, seconds, limits)
        return (done.exit_code, done.stdout.replace(str(folder), ""), done.stderr, done.why_stopped)

    go.servers = lambda: [server.process for server in warm.servers.values()]
    return go


@pytest.mark.parametrize("code", [None, 0, 3, 257, "no score", True])
def test_how_a_program_ends_is_the_same(own, code):
    assert own(exit=code) == own("cold", exit=code)


def test_environment_folder_arguments_and_input_are_the_same(own):
    code, said, _, _ = own()
    assert (code, said) == own("cold")[:2]
    assert "OPENBLAS" not in said


@pytest.mark.thorough
def test_a_limit_stops_the_run_and_costs_no_other(own):
    assert own()[0] == 0
    assert own(seconds=0.3, sleep=30)[::3] == (137, "time limit: still running after 0.3 s")
    assert own()[0] == 0
    code, _, _, why = own(limits=Limits(memory_bytes=300 << 20), use=500, sleep=20)
    assert code == 137
    assert why.startswith("memory limit")
    code, _, error, why = own(limits=Limits(output_bytes=1 << 20), write=8)
    assert (code, why) == (1, None)
    assert "File too large" in error
    assert own()[0] == 0


def test_a_submission_that_kills_its_server_costs_only_itself(way, own):
    """In its own PID namespace, a program cannot kill its server."""
    before = own() and own.servers()[0].pid
    killed = (0, None) if way == NAMESPACE else (137, "its supervisor ended first")
    assert own(kill=True)[::3] == killed
    assert own()[0] == 0
    assert (own.servers()[0].pid == before) == (way == NAMESPACE)


def test_nothing_that_a_program_leaves_behind_stays(way, own):
    own()
    (server,) = own.servers()
    (helper,) = psutil.Process(server.pid).children()
    assert own(leave=True)[0] == 0
    left = helper.children(recursive=True)
    assert [process for process in left if process.status() != psutil.STATUS_ZOMBIE] == []
    assert own()[0] == 0
    assert server.poll() is None


def test_a_program_that_lies_about_what_it_left_leaves_nothing_after_its_server(way, own, warm, tmp_path):
    """The program, which is imported into its server, starts a daemon there and denies that it left anything."""
    source = textwrap.dedent(PROGRAM) + textwrap.dedent(
        """
        else:
            import ctypes
            daemon = os.fork()
            if daemon == 0:
                os.setsid(), ctypes.CDLL(None).prctl(1, 0), time.sleep(60)
            sys.modules["__main__"].leaves_something = lambda: False
        """
    )
    (tmp_path / "program/score.py").write_text(source)
    assert own()[0] == 0
    (server,) = own.servers()
    left = psutil.Process(server.pid).children(recursive=True)
    assert len(left) == 2
    warm.__exit__()
    assert psutil.wait_procs(left, timeout=5)[1] == []


def test_a_program_of_others_is_started_anew(own, tmp_path):
    (tmp_path / "program/spokeneval").unlink()
    assert own()[0] == 0
    assert own.servers() == []


def test_servers_end_with_their_engine(own, warm):
    own()
    (server,) = own.servers()
    warm.__exit__()
    assert server.returncode in (0, -9)  # ended after its last request, or killed


SHARED = """
    import json, locale, logging, os, random, signal, sys, threading, time, warnings
    from pathlib import Path
    import numpy
    TASK = None
    if __name__ == "__main__":
        told = json.loads((Path(sys.argv[1]) / "res/told.json").read_text())
        exec(told["before"])
        warnings.warn("shown in each run")
        print(os.getpid())
        print(os.getcwd(), sys.argv[0], sys.stdin.read(), [(key, os.environ[key]) for key in sorted(os.environ)])
        print(os.umask(0o22), locale.setlocale(locale.LC_ALL), sys.path, threading.active_count())
        print(logging.root.level, logging.root.handlers, sys.stdout.encoding, sys.stdout.errors, sys.stderr.errors)
        print(numpy.geterr(), warnings.filters)
        print(os.listdir("/dev/fd"))
        exec(told["after"])
        sys.exit(REFUSAL)
""".replace("REFUSAL", repr(FREE_ATTEMPT))
"""Prints everything that an earlier run might have changed for this one, its process first."""


@pytest.fixture
def shared(tmp_path):
    """Return what runs `SHARED` in one process with its other runs. It returns the process and the output."""
    place = program(tmp_path / "program", {"score.py": textwrap.dedent(SHARED)})

    def go(after="", *, before="", seconds=20.0, limits=None):
        folder = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        told = json.dumps({"before": before, "after": after})
        base = write_files(folder, {"input/res/told.json": told, "output/x": ""})
        done = run(engine, place, folder, "score.py", base, seconds, limits)
        worker, _, said = done.stdout.replace(str(folder), "").partition("\n")
        assert done.exit_code == 1
        return worker, said, done.stderr

    with WarmEngine(own=[place]) as engine:
        yield go


@pytest.mark.parametrize(
    "trace",
    [
        "os.chdir('/')",
        "os.environ.clear(), os.environ.update(A='1'), sys.argv.append('x')",
        "warnings.simplefilter('ignore'), warnings.warn('now')",
        "sys.stdout = sys.stderr; sys.stdin = None",
        "sys.stdout.reconfigure(errors='replace')",
    ],
)
def test_what_each_run_sets_is_as_at_first_in_the_same_process(shared, trace):
    first = shared()
    assert shared()[:] == first
    shared(trace)
    assert shared() == first
    assert "UserWarning: shown in each run" in first[2]


@pytest.mark.parametrize(
    "trace",
    [
        "os.umask(0)",
        "locale.setlocale(locale.LC_ALL, 'C')",
        "sys.path.insert(0, '/')",
        "random.random()",
        "numpy.random.random()",
        "numpy.seterr(all='raise')",
        "logging.basicConfig(level=10)",
        "logging.disable(10)",
        "warnings.kept = open('/dev/null')",
        "os.close(1)",
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        "warnings.kept = bytearray(300 << 20)",
    ],
)
def test_any_other_trace_gives_the_next_run_a_new_process(shared, trace):
    worker, *said = shared()
    shared(trace)
    other, *again = shared()
    assert again == said
    assert other != worker


@pytest.mark.thorough
def test_a_process_is_replaced_after_many_runs(shared):
    workers = [shared()[0] for _ in range(MOST_RUNS + 1)]
    assert len(set(workers[:-1])) == 1
    assert workers[-1] != workers[0]


@pytest.mark.default_cases("namespace")
@pytest.mark.parametrize(
    ("before", "more"),
    [
        ("raise MemoryError", {}),
        ("raise SystemExit('Nothing was scored.')", {}),
        ("os._exit(1)", {}),
        ("os.abort()", {}),
        ("print('a warning', file=sys.stderr), sys.exit(0)", {}),
        ("time.sleep(60)", {"seconds": 0.3}),
        ("os.fork() or time.sleep(60)", {"seconds": 1.0}),
        (
            "kept = bytearray(500 << 20); kept[::4096] = bytes(len(kept[::4096])); time.sleep(20)",
            {"limits": SMALL},
        ),
        ("Path(sys.argv[2], 'big').write_bytes(bytes(8 << 20))", {"limits": SMALL}),
    ],
)
def test_a_run_that_ends_otherwise_does_not_count(way, shared, before, more):
    first = shared()
    with pytest.raises(OutOfOrder):
        shared(before=before, **more)
    assert shared()[1:] == first[1:]


def test_a_submission_at_a_limit_is_run_again_alone_from_the_start(tmp_path):
    """The result is that of separate programs: of the first attempt, nothing is left."""
    ingest = """
        import sys, time
        from pathlib import Path
        _, submission, output = map(Path, sys.argv[1:])
        mark = output / "mark.txt"
        print("again" if mark.exists() else "first", "slow" in Path(sys.argv[0]).read_text())
        mark.write_text("here")
        if (submission / "slow.txt").exists():
            time.sleep(60)
    """
    program = {
        "metadata.yaml": f"command: {INGEST_COMMAND}",
        "ingest.py": ingest,
        "spokeneval/__init__.py": "",
    }
    bundle = read_built_bundle(codabench_bundle(tmp_path, inner={"ingestion_program.zip": zipped(program)}))
    unpacked = bundle.unpack_once(tmp_path / "unpacked")
    seen = []
    with WarmEngine(own=unpacked.unpacked.values()) as engine:
        for engine_of_run in (LocalEngine(), engine):
            for files in ({"answer.txt": "42"}, {"answer.txt": "42", "slow.txt": ""}):
                path = submission_zip(tmp_path, files)
                limits = Limits(seconds=2.0)
                done = rehearse_phase(
                    unpacked, unpacked.phase(None), path, limits=limits, engine=engine_of_run
                )
                said = [(step.exit_code, step.stdout, step.stderr, step.why_stopped) for step in done.steps]
                seen.append((done.status, done.problems, done.warnings, said))
    assert seen[:2] == seen[2:]
    assert [status for status, *_ in seen] == ["Finished", "Failed"] * 2
    assert seen[1][3] == [(137, "first True\n", "", "time limit: still running after 2 s")]


@pytest.mark.parametrize(
    ("files", "is_own"),
    [
        ({"options.json": "{}", "task.json": "{}", "metadata.yaml": "command: python3 score.py"}, True),
        ({"score.py": "print('mine')"}, False),
        ({"spokeneval/challenges/mine.py": "TASK = None"}, False),
        ({"spokeneval/task.py": "changed = True"}, False),
        ({"numpy.py": ""}, False),
        ({".hidden/__init__.py": ""}, False),
        ({"spokeneval/__pycache__/task.cpython-311.pyc": ""}, False),
        ({"_heapq.so": ""}, False),
    ],
)
def test_programs_share_a_process_only_if_all_their_code_is_the_projects(tmp_path, files, is_own):
    source = {
        path.relative_to(ROOT).as_posix(): path.read_bytes() for path in (ROOT / "spokeneval").rglob("*.*y")
    }
    source["score.py"] = (ROOT / "scoring_program/spoken_call/score.py").read_bytes()
    place = write_files(tmp_path / "program", {**source, **files})
    names = {
        "scoring_program.zip": place,
        "input_data.zip": write_files(tmp_path / "data", {"items.csv": ""}),
    }
    phase = SimpleNamespace(scoring_program="scoring_program.zip", ingestion_program=None)
    assert own_programs(SimpleNamespace(phases=[phase], unpacked=names)) == ([place] if is_own else [])
