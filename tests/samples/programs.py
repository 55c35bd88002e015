"""What many tests need: the programs run as a platform runs them, and bundles built once."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]

VENDORED = [
    *sorted(
        path
        for folder in ("spokeneval", "scoring_program", "ingestion_program")
        for path in (ROOT / folder).rglob("*.py")
    ),
    ROOT / "starting_kit" / "try_submission.py",
    ROOT / "starting_kit" / "content_accuracy" / "content.py",
]
"""What runs on servers and at participants' homes, with Python 3.9 and numpy 1.19 as well as with the newest."""


@dataclass(frozen=True)
class Run:
    """What a program did: exit status, its words, and the scores that it wrote (None: no `scores.json`)."""

    status: int
    stdout: str
    stderr: str
    scores: dict[str, float] | None


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write `relative name -> content` below a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in encoded(files).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def encoded(files: Mapping[str, str | bytes]) -> dict[str, bytes]:
    """Files as bytes, `name -> content`."""
    return {
        name: content.encode() if isinstance(content, str) else content for name, content in files.items()
    }


def packed(entries: Iterable[tuple[str | zipfile.ZipInfo, str | bytes]]) -> bytes:
    """Return a zip of these entries, of which several may have one name."""
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as archive:
        warnings.simplefilter("ignore")
        for name, content in entries:
            archive.writestr(name, content)
    return buffer.getvalue()


def unzipped(content: bytes) -> dict[str, bytes]:
    """Return the files of a zip by their names."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def repository_with(folder: Path, files: Mapping[str, str | bytes], source: Path = ROOT) -> Path:
    """The repository, by links to its files, but for some: `relative name -> content`."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir():
        inside = {
            name.partition("/")[2]: content
            for name, content in files.items()
            if name.partition("/")[0] == path.name
        }
        if "" in inside:
            write_files(folder, {path.name: inside[""]})
        elif inside:
            repository_with(folder / path.name, inside, path)
        elif not path.name.startswith("."):
            (folder / path.name).symlink_to(path)
    return folder


def run_program(
    program: Path | str,
    *arguments: object,
    cwd: Path = ROOT,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program as `python PROGRAM ARGUMENTS` does, on Linux in a copy of this process, which has numpy already.

    A program without a `spokeneval` beside it gets the repository's.

    Parameters
    ----------
    environment: variables besides this process's own.
    """
    words = [str(program), *map(str, arguments)]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
    if sys.platform != "linux":
        cold = [sys.executable, *words]
        return subprocess.run(cold, cwd=cwd, env=variables, capture_output=True, text=True)
    if (cwd / program).with_name("spokeneval").is_dir():
        _import_what_kits_import()
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # other threads than this one only wait
            child = os.fork()
        if child == 0:
            try:
                status = 1
                status = _become(words, cwd, variables, stdout, stderr)
            finally:
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        streams = (stream.seek(0) or stream.read().decode() for stream in (stdout, stderr))
        return subprocess.CompletedProcess(words, status, *streams)


@functools.cache
def _import_what_kits_import() -> None:
    """Takes seconds: here once, and not in each copy."""
    for name in ("matplotlib.figure", "sklearn.feature_extraction", "sklearn.linear_model", "sklearn.tree"):
        with contextlib.suppress(ImportError):
            import_module(name)


def _become(words: list[str], cwd: Path, variables: Mapping[str, str], *streams: IO[bytes]) -> int:
    """Run a program in this process, with the modules that lie beside it, as if it were one of its own: its status."""
    for number, stream in enumerate(streams, 1):
        os.dup2(stream.fileno(), number)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = words
    folder = Path(words[0]).absolute().parent
    beside = {path.stem for path in folder.iterdir()}
    for name, module in list(sys.modules.items()):
        elsewhere = not str(getattr(module, "__file__", None)).startswith(f"{folder}/")
        if name.partition(".")[0] in beside and elsewhere:
            del sys.modules[name]
    sys.path.insert(0, str(folder))
    try:
        runpy.run_path(words[0], run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return 1 if isinstance(end.code, str) else end.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def run_score(
    task: str,
    folder: Path,
    reference: Mapping[str, str | bytes],
    submission: Mapping[str, str | bytes],
    options: Mapping[str, object] | None = None,
) -> Run:
    """Score a submission's files against a reference's, in a folder of its own."""
    program = ROOT / "scoring_program" / task / "score.py"
    if options is not None:
        copy = folder / "program"
        write_files(copy, {"score.py": program.read_bytes(), "options.json": json.dumps(options)})
        program = copy / "score.py"
    write_files(folder / "input" / "ref", reference)
    write_files(folder / "input" / "res", submission)
    done = run_here(program, folder / "input", folder / "output")
    scores = folder / "output" / "scores.json"
    written = json.loads(scores.read_text()) if scores.exists() else None
    return Run(*done, written)


def run_here(program: Path, *arguments: Path) -> tuple[int, str, str]:
    """Run a program's file in this process, where numpy is loaded already: its exit status and its words."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    status = 0
    with (
        mock.patch.object(sys, "argv", [str(program), *map(str, arguments)]),
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
    ):
        try:
            runpy.run_path(str(program), run_name="__main__")
        except SystemExit as ended:
            status = int(ended.code or 0)
    stdout, stderr = (stream.buffer.getvalue().decode() for stream in streams)
    return status, stdout, stderr


def python39s() -> Iterator[str]:
    """The places to look for Python 3.9."""
    if os.environ.get("SPOKENEVAL_PYTHON39"):
        yield os.environ["SPOKENEVAL_PYTHON39"]
    yield "python3.9"
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    yield from sorted(str(path) for path in versions.glob("3.9*/bin/python3.9"))
