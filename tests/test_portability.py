"""What travels into the zips gives the same bytes on Python 3.9 with numpy 1.19, and whatever the surroundings.

Static checks always run. Real runs on Python 3.9 need one: on the PATH as `python3.9`, among pyenv's versions, or named
by SPOKENEVAL_PYTHON39; numpy 1.19.5 is installed for it into `.venv-py39` once, where a package index answers.
"""

from __future__ import annotations

import ast
import base64
import functools
import importlib.util
import json
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

import build_bundle
from spokeneval.challenges import task_names
from tests.samples.cases import CASES
from tests.samples.edits import ODD, WAYS, edited
from tests.samples.programs import ROOT, VENDORED, python39s, unzipped, write_files

KNOWN_NAMES = Path(__file__).with_name("names_of_python39.txt")


# Static


NEWER = {"dataclass": {"slots", "kw_only", "match_args"}, "zip": {"strict"}, "add_note": {None}}
"""Keyword arguments that do not exist in Python 3.9."""


@pytest.mark.parametrize("path", VENDORED, ids=lambda path: str(path.relative_to(ROOT)))
def test_vendored_source_is_python_39(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))):
        if isinstance(node, ast.Call):
            keywords = {keyword.arg for keyword in node.keywords}
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            assert not keywords & NEWER.get(called, set()), f"line {node.lineno}: {called} of a newer Python"


def names_used(path: Path) -> Iterator[str]:
    """`numpy.linalg.norm`, `os.replace`: what a file uses of numpy and the standard library, by its dotted name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    roots: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                roots[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
                yield alias.name
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module != "__future__":
            for alias in node.names:
                roots[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                yield f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        parts: list[str] = []
        inner: ast.AST = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        # Two names deep at most: beyond that stand attributes of values, such as `np.finfo(float).eps`.
        if parts and isinstance(inner, ast.Name) and inner.id in roots and is_module(roots[inner.id]):
            yield ".".join([roots[inner.id], *reversed(parts)])


def is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def test_every_name_used_of_numpy_and_the_standard_library_is_in_39():
    """Names are verified by `test_the_known_names_are_in_python_39`, on a real one."""
    known = set(KNOWN_NAMES.read_text().splitlines()[2:])
    used = {name for path in VENDORED for name in names_used(path)}
    used = {name for name in used if name.split(".")[0] in sys.stdlib_module_names | {"numpy"}}
    assert used <= known, (
        f"not known to be in Python 3.9 and numpy 1.19: {sorted(used - known)}. If they are (SPOKENEVAL_PYTHON39, "
        f"or `make portability`), add them to {KNOWN_NAMES.name}"
    )


# Python 3.9 and numpy 1.19

CACHE = ROOT / ".venv-py39"


def versions_of(python: str) -> str:
    code = "import sys, numpy; print(sys.version.split()[0], numpy.__version__)"
    try:
        return subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60).stdout
    except OSError:
        return ""


@pytest.fixture(scope="module")
def python39() -> str:
    """A Python 3.9 with numpy 1.19."""
    cached = str(CACHE / "bin" / "python")
    for ready in (os.environ.get("SPOKENEVAL_PYTHON39", ""), cached):
        if ready and versions_of(ready).startswith("3.9.") and " 1.19." in versions_of(ready):
            return ready
    for python in python39s():
        with tempfile.TemporaryDirectory(prefix=".venv-py39-", dir=ROOT) as folder:
            made = Path(folder, "venv")
            pip = [str(made / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet"]
            impatient = ["--timeout", "10", "--retries", "1", "--only-binary", ":all:"]
            try:
                subprocess.run([python, "-m", "venv", str(made)], check=True, capture_output=True)
                done = subprocess.run([*pip, "install", *impatient, "numpy==1.19.5"], capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                continue
            if done.returncode:
                pytest.skip("numpy 1.19.5 cannot be installed for Python 3.9: no package index answers")
            with suppress(OSError):  # another test process was faster
                made.rename(CACHE)
            return cached
    pytest.skip("no Python 3.9 here: install one, or name one in SPOKENEVAL_PYTHON39; static checks stand in")


@pytest.mark.thorough
def test_the_known_names_are_in_python_39(python39):
    source = f"""
import importlib, sys
for name in open({str(KNOWN_NAMES)!r}).read().splitlines()[2:]:
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:end]))
            break
        except ImportError:
            continue
    for part in parts[end:]:
        if not hasattr(found, part):
            sys.exit(name)
        found = getattr(found, part)
"""
    done = subprocess.run([python39, "-c", source], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


# The programs as they are uploaded

TASKS = {task: f"{task}_closed" if task.startswith("merlion") else task for task in task_names()}
"""Each task's bundle."""

PLACES = {
    "scoring_program.zip": "program",
    "ingestion_program.zip": "ingestion",
    "reference_data.zip": "input/ref",
    "input_data.zip": "items",
    "solutions/baseline_evaluation.zip": "input/res",
}
"""Where the parts of a bundle are unpacked."""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """A folder with the unpacked bundle of a task: programs, data and the baseline's submission."""

    @functools.cache
    def of(task: str) -> Path:
        root = tmp_path_factory.mktemp("built")
        bundle = TASKS[task]
        assert build_bundle.main(["build", bundle, "--platform", "codabench", "--out", str(root)]) == 0
        files = unzipped((root / "codabench" / f"{bundle}.zip").read_bytes())
        for part, place in PLACES.items():
            write_files(root / task / place, unzipped(files[part]))
        return root / task

    return of


def outcome(
    python: str,
    folder: Path,
    output: Path,
    environment: Mapping[str, str] | None = None,
    prefix: tuple[str, ...] = (),
    **options,
) -> dict[str, bytes]:
    """All files and output of the two programs, `name -> content`."""
    found: dict[str, bytes] = {}
    for name, words in (
        ("ingest", ["ingestion/ingest.py", "items", "input/res"]),
        ("score", ["program/score.py", "input"]),
    ):
        command = [*prefix, python, *(str(folder / word) for word in words), str(output / name)]
        done = subprocess.run(command, capture_output=True, env=environment, **options)
        found[f"{name}: exit status"] = b"%d" % done.returncode
        found[f"{name}: stdout"], found[f"{name}: stderr"] = done.stdout, done.stderr
    for path in sorted(output.rglob("*")):
        if path.is_file():
            found[str(path.relative_to(output))] = path.read_bytes()
    return found


@pytest.fixture(scope="module")
def expected(unpacked, tmp_path_factory):
    """The results of each task's baseline on this Python."""

    @functools.cache
    def of(task: str) -> dict[str, bytes]:
        made = outcome(sys.executable, unpacked(task), tmp_path_factory.mktemp(task))
        assert made["score: exit status"] == b"0"
        assert "score/scores.json" in made
        return made

    return of


def without_pages(found: Mapping[str, bytes]) -> dict[str, bytes]:
    """Leave out the pages, because their plots depend on matplotlib and its version."""
    return {name: content for name, content in found.items() if not name.endswith(".html")}


@pytest.mark.thorough
@pytest.mark.parametrize("task", TASKS)
def test_scores_on_python_39_are_those_of_this_python_to_the_last_bit(
    python39, unpacked, expected, tmp_path, task
):
    assert without_pages(outcome(python39, unpacked(task), tmp_path)) == without_pages(expected(task))


DRIVER = """
import base64, json, sys
from pathlib import Path
from spokeneval.formats.text import read_folder
from spokeneval.challenges import find_task
folder = Path(sys.argv[1])
for case in json.loads((folder / "cases.json").read_text()):
    files = find_task(case["task"]).format
    for kind in ("reference", "submission"):
        (folder / kind).mkdir(exist_ok=True)
        for old in (folder / kind).iterdir():
            old.unlink()
        for name, content in case[kind].items():
            (folder / kind / name).write_bytes(base64.b64decode(content))
    try:
        items = files.read_reference(read_folder(folder / "reference")).items
        submitted = {path.name: path for path in sorted((folder / "submission").iterdir())}
        said = repr(files.read_submission(submitted, items))
    except ValueError as refusal:
        said = type(refusal).__name__ + " " + str(refusal)
    print(ascii(said))
"""


@pytest.mark.thorough
def test_refusals_on_python_39_are_those_of_this_python(python39, tmp_path):
    """Both versions read 280 nearly valid references and submissions with the same messages and values."""
    rng = random.Random("portability")
    cases = []
    for task, sample in CASES.items():
        for number in range(40):
            case = {
                kind: {name: text.encode() for name, text in files.items()}
                for kind, files in (("reference", sample.reference), ("submission", sample.submission))
            }
            broken = case["reference" if number % 4 == 0 else "submission"]
            name = next(iter(broken))
            places = range(1 << 16)
            changes = [(*map(rng.choice, (WAYS, places, places, ODD)),) for _ in range(2)]
            broken[name] = edited(broken[name], changes)
            for files in case.values():
                files.update({file: base64.b64encode(content).decode() for file, content in files.items()})
            cases.append({"task": task, **case})
    said = []
    for number, python in enumerate((sys.executable, python39)):
        folder = write_files(tmp_path / str(number), {"cases.json": json.dumps(cases), "driver.py": DRIVER})
        done = subprocess.run(
            [python, str(folder / "driver.py"), str(folder)],
            capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True,
        )  # fmt: skip
        said.append(done.stdout.splitlines())
    assert len(said[0]) == len(cases) == 280
    assert sum("SubmissionError" in line for line in said[0]) > 50
    assert said[0] == said[1]


# Surroundings

PLAIN = {"PATH": os.environ.get("PATH", os.defpath), "HOME": os.environ.get("HOME", "/")}

LOCALES = (
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},  # ASCII
    {"LC_ALL": "de_DE.UTF-8"},  # decimal commas
    {"LC_ALL": "tr_TR.UTF-8", "LANGUAGE": "tr"},  # dotless i
)
AT_ONCE = {
    "TZ": "Pacific/Kiritimati",
    "PYTHONHASHSEED": "4711",
    "PYTHONOPTIMIZE": "2",  # no assertions
    "PYTHONWARNINGS": "error",
    **{"HOME": "/nonexistent", "USER": "", "LOGNAME": ""},
    **{"OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_NUM_THREADS": "1"},
}
"""Environment variables that must not have an effect."""


@pytest.mark.thorough
def test_a_plain_processor_has_no_influence(unpacked, expected, tmp_path):
    plain = {"NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX X86_V3 X86_V4"}
    found = outcome(sys.executable, unpacked("spoken_call"), tmp_path, {**PLAIN, **plain})
    # numpy says on standard error what it cannot disable.
    found["score: stderr"] = found["ingest: stderr"] = b""
    assert found == expected("spoken_call")


@pytest.mark.thorough
@pytest.mark.parametrize("task", TASKS)
def test_the_environment_has_no_influence(unpacked, expected, tmp_path, task):
    """Nor have another working directory and umask, read-only programs and data, and no network if possible."""
    environment = {"PATH": PLAIN["PATH"], **AT_ONCE, **LOCALES[list(TASKS).index(task) % len(LOCALES)]}
    folder = tmp_path / "read only"
    shutil.copytree(unpacked(task), folder)
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    without_network = ("unshare", "-r", "-n")
    cut = (
        shutil.which("unshare")
        and not subprocess.run([*without_network, "true"], capture_output=True).returncode
    )
    try:
        found = outcome(
            sys.executable, folder, tmp_path / "output", environment,
            without_network if cut else (), cwd="/", preexec_fn=lambda: os.umask(0o077) and None,
        )  # fmt: skip
    finally:
        for path in (folder, *folder.rglob("*")):
            path.chmod(path.stat().st_mode | stat.S_IWUSR)
    assert without_pages(found) == without_pages(expected(task))


@pytest.mark.thorough
def test_a_refusal_reads_the_same_in_every_locale(unpacked, tmp_path):
    """An id with non-ASCII letters, quoted in a refusal."""
    folder = tmp_path / "copy"
    shutil.copytree(unpacked("spoken_call"), folder)
    (folder / "input/res/results.csv").write_text("Id\tAccept\nZoë→\taccept\n", encoding="utf-8")
    told = [
        outcome(sys.executable, folder, tmp_path / str(number), {**PLAIN, **environment})
        for number, environment in enumerate((AT_ONCE, *LOCALES))
    ]
    assert "Zoë→".encode() in told[0]["score: stderr"]
    assert all(found == told[0] for found in told)
