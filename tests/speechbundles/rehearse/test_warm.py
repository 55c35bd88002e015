"""Programs that are started once and copied for every run, compared with separate starts of the same programs."""

import json
import random
import shutil
import sys
import textwrap
from contextlib import nullcontext

import psutil
import pytest

from speechbundles.rehearse.engine import LocalEngine
from speechbundles.rehearse.sandbox import Limits
from speechbundles.rehearse.supervisor import NAMESPACE
from speechbundles.rehearse.warm import OutOfOrder, WarmEngine
from spokeneval.tasks import find_task, task_names
from tests.samples.cases import CASES
from tests.samples.corruptions import SUBMISSIONS
from tests.samples.edits import ODD, WAYS, edited
from tests.samples.harmless import harmless
from tests.samples.programs import ROOT, encoded, write_files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="rehearsals do not run on Windows")


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


@pytest.mark.default_cases("spoken_call", "merlion_diarization", "psst_recognition")
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
    submitted = write_files(folder / "submitted", files)
    if spoil:
        spoil(submitted)
    results = folder / "input/res"
    shutil.copytree(submitted, results, symlinks=True)
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
    [("spoken_call", 24), *(pytest.param(task, 1, marks=pytest.mark.thorough) for task in task_names())],
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
