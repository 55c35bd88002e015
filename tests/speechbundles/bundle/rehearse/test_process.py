"""Programs whose runs share a process, compared with separate starts of the same programs."""

import json
import random
import re
import shutil
import sys
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import psutil
import pytest

from speechbundles.bundle.rehearse.engine import Program
from speechbundles.bundle.rehearse.pool_worker import ORGANISER, PROJECT
from speechbundles.bundle.rehearse.process import ProcessEngine, own_programs
from speechbundles.bundle.rehearse.sandbox import Limits
from speechbundles.model.bundle import BuiltBundle, BuiltTask
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.problems import FREE_ATTEMPT
from tests.samples.cases import CASES
from tests.samples.corruptions import SUBMISSIONS
from tests.samples.edits import ODD, WAYS, edited
from tests.samples.harmless import harmless
from tests.samples.programs import ROOT, encoded, write_files
from tests.samples.small_bundles import zipped

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="rehearsals do not run on Windows")

PROGRAMS = {"score": "scoring_program", "ingest": "ingestion_program"}


def program(folder, files):
    """Write a program's folder, with the vendored package beside it."""
    write_files(folder, files)
    (folder / "spokeneval").symlink_to(ROOT / "spokeneval")
    return folder


def task_program(task, place):
    """Write both programs of a task, with its reference and its items; return the folder."""
    files = {
        f"{name}.py": (ROOT / kind / task / f"{name}.py").read_bytes() for name, kind in PROGRAMS.items()
    }
    program(place, {**files, "options.json": '{"detailed_results": true}'})
    files = find_task(task).format
    write_files(place / "ref", CASES[task].reference)
    write_files(place / "items", files.public_files(files.read_reference(encoded(CASES[task].reference)), {}))
    return place


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
    """Run ingestion and scoring; return what both print and leave."""
    files, spoil = submission
    submitted, results = (write_files(folder / name, files) for name in ("submitted", "input/res"))
    if spoil:
        spoil(submitted)
        spoil(results)
    (folder / "input/ref").symlink_to(place / "ref")
    (folder / "output").mkdir()
    folders = {"i": place / "items", "s": submitted, "r": folder / "input", "o": folder / "output"}
    mounts = {"/p": place, **{f"/{name}": path for name, path in folders.items()}}
    outcomes = []
    for script, *words in (("ingest.py", "/i", "/s", "/r/res"), ("score.py", "/r", "/o")):
        done = engine.run(Program(script, ["python3", script, *words], "/p", mounts), folder, Limits(60))
        outcomes.append((done.exit_code, done.stdout, done.stderr, done.why_stopped))
    left = [*(folder / "output").rglob("*"), results / "ingestion_report.txt"]
    written = {path.name: path.read_bytes() for path in left if path.is_file()}
    shutil.rmtree(folder)
    return outcomes, written


@pytest.mark.parametrize(
    ("task", "every"),
    [("spoken_call", 48), *(pytest.param(task, 1, marks=pytest.mark.thorough) for task in task_names())],
)
def test_runs_that_share_a_process_are_the_same_to_the_byte_in_any_order(task, every, tmp_path):
    """All cases together are more than 1,000 submissions, good and refused; every eighth also runs alone."""
    place = task_program(task, tmp_path / "program")
    submissions = submissions_of(task)[::every]
    shuffled = random.Random(1).sample(range(len(submissions)), len(submissions))
    found = {}
    for order in (range(len(submissions)), shuffled):
        with ProcessEngine(own={place: PROJECT}) as engine:
            for number in order:
                done = process(engine, place, tmp_path / "run", submissions[number])
                assert found.setdefault(number, done) == done, submissions[number]
    assert {0, 1} == {outcomes[-1][0] for outcomes, _ in found.values()}
    for number in [*found][:: 1 if every > 1 else 8]:
        assert process(ProcessEngine(), place, tmp_path / "run", submissions[number]) == found[number]


def test_a_reference_is_read_once_and_another_one_anew(tmp_path):
    """The files of one whole set are gone when the second submission is scored."""
    place = task_program("spoken_call", tmp_path / "program")
    submission = CASES["spoken_call"].submission, None
    done = []
    with ProcessEngine(own={place: PROJECT}) as engine:
        for number in range(3):
            done.append(process(engine, place, tmp_path / "run", submission))
            if number == 0:
                (place / "ref/reference.csv").unlink()
            else:
                (place / "ref").rename(place / f"before{number}")
                (tmp_path / f"other{number}").mkdir()
                (place / "ref").symlink_to(tmp_path / f"other{number}")
    scoring = [outcomes[-1] for outcomes, _ in done]
    assert scoring[0][0] == 0
    assert scoring[1] == scoring[0]
    assert "reference" in scoring[2][2]  # there is none


ECHO = f"""
import json, locale, logging, os, random, signal, sys, threading, time, warnings
from pathlib import Path
import numpy
if __name__ == "__main__":
    told = json.loads((Path(sys.argv[1]) / "told.json").read_text())
    exec(told["before"])
    print(os.getcwd(), sys.argv[0], sys.stdin.read(), [(key, os.environ[key]) for key in sorted(os.environ)])
    if told["whole"]:
        print(os.umask(0o22), locale.setlocale(locale.LC_ALL), sys.path, threading.active_count())
        print(logging.root.level, logging.root.handlers, sys.stdout.encoding, sys.stdout.errors)
        print(sys.stderr.errors, numpy.geterr(), warnings.filters, os.listdir("/dev/fd"))
    exec(told["after"])
    sys.exit({FREE_ATTEMPT!r})
"""
"""Prints everything that an earlier run might have changed for this one."""


@pytest.fixture
def shared(tmp_path):
    """Return what runs `ECHO`, an organiser's code, by default in children of one process.

    It returns the output, the errors, the exit code, and why the run was stopped.
    """
    place = program(tmp_path / "program", {"score.py": ECHO})

    def go(after="", *, before="", alone=False, whole=True, seconds=20.0, **limits):
        folder = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        told = json.dumps({"before": before, "after": after, "whole": whole})
        base = write_files(folder, {"input/told.json": told, "output/x": ""})
        mounts = {"/app/program": place, "/app/input": base / "input", "/app/output": base / "output"}
        run = Program(
            "x", ["python3", "/app/program/score.py", "/app/input", "/app/output"], "/app/program", mounts
        )
        done = (ProcessEngine() if alone else engine).run(run, folder, Limits(seconds, **limits))
        return done.stdout.replace(str(folder), ""), done.stderr, done.exit_code, done.why_stopped

    with ProcessEngine(own={place: ORGANISER}) as engine:
        go.engine = engine
        yield go


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="children share a process on Linux only")


@pytest.mark.default_cases("None", "no score")
@LINUX
@pytest.mark.parametrize("code", ["None", "0", "3", "257", "'no score'", "True"])
def test_how_a_program_ends_and_what_it_finds_is_the_same_as_alone(shared, code):
    assert shared(f"sys.exit({code})", whole=False) == shared(f"sys.exit({code})", whole=False, alone=True)


TRACES = [
    "os.umask(0); locale.setlocale(locale.LC_ALL, 'C'); sys.path.insert(0, '/'); random.random()",
    "numpy.random.random(); numpy.seterr(all='raise'); os.chdir('/'); logging.basicConfig(level=10)",
    "logging.disable(10); warnings.kept = open('/dev/null'); os.environ.clear(); sys.argv.append('x')",
    "warnings.simplefilter('ignore'); sys.stdout.reconfigure(errors='replace'); sys.stdin = None",
    *("sys.stdout = sys.stderr", "os.close(1)", "warnings.kept = bytearray(300 << 20)"),
    "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
]


@LINUX
def test_no_trace_of_a_run_of_an_organisers_code_reaches_the_next(shared):
    first = shared(alone=True)
    assert shared() == first
    workers = [*shared.engine.workers.values()]
    for trace in TRACES:
        shared(trace)
        assert shared() == first, trace
    assert [*shared.engine.workers.values()] == workers
    family = [workers[0].family.root, *workers[0].family.root.children(recursive=True)]
    orphan = "os.fork() or (os.setsid(), os.fork() or time.sleep(60))"
    for trace in ("os.fork() or time.sleep(60)", orphan, "os.kill(os.getppid(), signal.SIGKILL)"):
        shared(trace)
        assert shared.engine.workers == {}, trace
        assert shared() == first
    assert psutil.wait_procs(family, timeout=5)[1] == []


KEEP = "kept = bytearray(500 << 20); kept[::4096] = bytes(len(kept[::4096])); time.sleep(20)"
SMALL = {"memory_bytes": 300 << 20, "output_bytes": 1 << 20}


@LINUX
@pytest.mark.default_cases("namespace-raise", "namespace-os", "namespace-time")
@pytest.mark.parametrize(
    ("before", "more"),
    [
        *((each, {}) for each in ("raise MemoryError", "sys.exit('Nothing was scored.')", "os.abort()")),
        ("print('a warning', file=sys.stderr), sys.exit(0)", {}),
        ("time.sleep(60)", {"seconds": 0.3}),
        (KEEP, SMALL),
        ("Path(sys.argv[2], 'big').write_bytes(bytes(8 << 20))", SMALL),
    ],
)
def test_a_failed_run_of_an_organisers_code_is_as_alone_and_the_next_one_too(way, shared, before, more):
    first = shared()
    outputs = [shared(before=before, whole=False, alone=alone, **more) for alone in (False, True)]
    ours, alone = ([re.sub(r"\d+ MB in use", "", str(part)) for part in output] for output in outputs)
    assert ours == alone
    assert shared() == first


FAILS = f"""
import os, sys, time
from spokeneval.challenges.spoken_call import TASK
def score_main(task, reference):
    HOW
if __name__ == "__main__":
    print("alone")
    sys.exit({FREE_ATTEMPT!r})
"""
"""A program of the project that fails in a process that runs share."""


@pytest.mark.default_cases("os.abort()", "print")
@pytest.mark.parametrize(
    "how", ["os.abort()", "raise MemoryError", "print('x', file=sys.stderr)", "time.sleep(60)"]
)
def test_a_run_of_the_projects_code_that_fails_is_repeated_in_its_own_process(tmp_path, how):
    place = task_program("spoken_call", tmp_path / "program")
    write_files(place, {"score.py": FAILS.replace("HOW", how)})
    write_files(tmp_path, {"output/x": ""})
    (tmp_path / "ref").symlink_to(place / "ref")
    mounts = {"/p": place, "/i": tmp_path, "/o": tmp_path / "output"}
    scoring = Program("scoring", ["python3", "score.py", "/i", "/o"], "/p", mounts)
    limits = Limits(10.0 if "sleep" in how else 60.0)
    with ProcessEngine(own={place: PROJECT}) as engine:
        shared = engine.run(scoring, tmp_path, limits)
        assert engine.workers == {}
    alone = ProcessEngine().run(scoring, tmp_path, limits)
    assert replace(shared, seconds=0) == replace(alone, seconds=0)
    assert (alone.exit_code, alone.stdout) == (1, "alone\n")


MINE = {"spokeneval/challenges/mine.py": "TASK = None"}


@pytest.mark.parametrize(
    ("files", "whose"),
    [
        ({"options.json": "{}", "task.json": "{}", "metadata.yaml": "command: python3 score.py"}, PROJECT),
        ({"score.py": "print('mine')"}, None),
        ({**MINE, "score.py": "print('mine')"}, ORGANISER if sys.platform == "linux" else None),
        ({**MINE, "spokeneval/challenges/two.py": ""}, None),
        ({**MINE, "numpy.py": ""}, None),
        ({"spokeneval/challenges/__init__.py": "changed = True"}, None),
        ({"spokeneval/task.py": "changed = True"}, None),
        ({"numpy.py": ""}, None),
        ({".hidden/__init__.py": ""}, None),
        ({"spokeneval/__pycache__/task.cpython-311.pyc": ""}, None),
        ({"_heapq.so": ""}, None),
    ],
)
def test_programs_share_a_process_only_if_all_their_code_but_a_task_is_the_projects(files, whose):
    library = (ROOT / "spokeneval").rglob("*.*y")
    source = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in library}
    source["score.py"] = (ROOT / "scoring_program/spoken_call/score.py").read_bytes()
    zips = {"scoring_program.zip": zipped({"spokeneval/": "", **source, **files}), "input_data.zip": b""}
    phase = SimpleNamespace(tasks=[BuiltTask("task", "scoring_program.zip", input_data="input_data.zip")])
    bundle = BuiltBundle("codabench", "x", "image", (phase,), (), None, False, files=zips)
    assert own_programs(bundle) == ({"scoring_program.zip": whose} if whose else {})


def test_a_command_in_another_folder_shares_no_process(shared, tmp_path):
    """Also if it is named by an own program's command: a submission can contain a script."""
    write_files(tmp_path / "input", {"evil.py": "print('ran')"})
    mounts = {"/app/program": tmp_path / "program", "/app/input": tmp_path / "input"}
    evil = Program("evil", ["python3", "/app/input/evil.py"], "/app/program", mounts)
    done = shared.engine.run(evil, tmp_path, Limits(20))
    assert (done.stdout, shared.engine.workers) == ("ran\n", {})
