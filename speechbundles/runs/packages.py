"""The packages of a program's requirements: downloaded by hash, installed without network, kept by what they are.

No code of a package runs while it is installed, because only wheels are accepted. Uploads with the same requirements
share what is installed, and no run can write to it.
"""

import hashlib
import os
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from speechbundles.bundle.rehearse import (
    DEVICES,
    SYSTEM,
    WALLS,
    BubblewrapEngine,
    Engine,
    Limits,
    Outcome,
    Program,
    sandbox,
)
from speechbundles.model.disk import locked
from speechbundles.model.statuses import BUILD_FAILED, OK
from speechbundles.model.temporary import temporary_folder
from speechbundles.runs.outcomes import StageEnd, read_stage, tree_digest, write_stage
from spokeneval.formats.submission_zip import DAMAGED, open_zip

_PIP = ("-m", "pip", "--isolated", "--no-input", "--disable-pip-version-check", "--no-cache-dir")
_ONLY = ("--only-binary=:all:", "--no-deps", "--require-hashes")
_NETWORK = shlex.split(
    "/etc/resolv.conf /etc/hosts /etc/nsswitch.conf /etc/ssl /etc/pki /etc/ca-certificates /etc/pip.conf"
)
"""What a download sees of the system, besides programs and libraries."""
_SECONDS, _MEMORY = 1800.0, 512 << 20
"""The longest time of all downloads, and of an installation; the memory of a download."""


def install(
    requirements: Sequence[str], cache: Path, wheels: Path | None, engine: Engine, limits: Limits, python: str
) -> tuple[Path | None, StageEnd]:
    """Return the folder with the packages, None without requirements, and how the installation ended.

    Parameters
    ----------
    requirements: pinned, as `read_requirements` returns them.
    wheels: a folder of wheels; None: they are downloaded from the package index.
    python: the version of the engine's Python and its packages, a part of the key.
    """
    if not requirements:
        return None, StageEnd(OK)
    key = hashlib.sha256("\n".join([python, *requirements]).encode()).hexdigest()[:32]
    place, record = cache / key, cache / f"{key}.json"
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / f"{key}.lock", cache, "run", wait=True):  # other uploads may need the same packages
        if (known := read_stage(record)) and known.digest == tree_digest(place):
            return place, replace(known, seconds=0.0)
        with temporary_folder("build", cache) as scratch:
            step = _install(requirements, scratch, wheels, engine, limits)
            if step.code != OK:
                return None, step
            shutil.rmtree(place, ignore_errors=True)
            os.replace(scratch / "packages", place)
        return place, write_stage(record, replace(step, digest=tree_digest(place)))


def _install(
    requirements: Sequence[str], scratch: Path, wheels: Path | None, engine: Engine, limits: Limits
) -> StageEnd:
    began, most = time.monotonic(), 8 * limits.output_bytes
    for name in ("wheels", "packages", "home"):
        (scratch / name).mkdir()
    log = ""
    for line in requirements:
        left = most - sum(wheel.stat().st_size for wheel in (scratch / "wheels").iterdir())
        seconds = began + _SECONDS - time.monotonic()
        done = _download(line, scratch, wheels, engine, Limits(max(seconds, 0.001), _MEMORY, max(left, 1)))
        log += f"{done.stdout}{done.stderr}{done.why_stopped or ''}"
        if done.exit_code:
            return StageEnd(BUILD_FAILED, time.monotonic() - began, log=log)
    found = sorted((scratch / "wheels").iterdir())
    try:
        size = sum(map(_unpacked, found))
    except (*DAMAGED, OSError) as error:
        return StageEnd(BUILD_FAILED, time.monotonic() - began, log=f"a wheel is damaged: {error}")
    if size > most:
        size_log = f"the packages have {size >> 20} MB, more than 8 times disk_mb"
        return StageEnd(BUILD_FAILED, time.monotonic() - began, log=size_log)
    names = [f"/app/wheels/{wheel.name}" for wheel in found]
    command = ["python3", *_PIP, "install", "--no-index", "--no-deps", "--no-compile"]
    outcome = engine.run(
        Program(
            "build",
            [*command, "--target", "/app/packages", *names],
            "/app/packages",
            {"/app/packages": scratch / "packages"},
            {"/app/wheels": scratch / "wheels"},
        ),
        scratch,
        replace(limits, seconds=_SECONDS),
    )
    log += f"{outcome.stdout}{outcome.stderr}{outcome.why_stopped or ''}"
    code = BUILD_FAILED if outcome.exit_code else OK
    return StageEnd(code, time.monotonic() - began, outcome.peak_bytes, log)


def _download(line: str, scratch: Path, wheels: Path | None, engine: Engine, limits: Limits) -> Outcome:
    """Download the wheel of a requirement; pip reads its metadata, so it runs behind a wall and under limits."""
    (scratch / "requirements.txt").write_text(f"{line}\n", encoding="utf-8")
    env = {name: os.environ[name] for name in ("PATH", "LANG", "SSL_CERT_FILE") if name in os.environ}
    program, wall = sys.executable, list[str]()
    if isinstance(engine, BubblewrapEngine):
        program = engine.python.program
        own = [*engine.python.folders, env.get("SSL_CERT_FILE", ""), str(wheels or "")]
        seen = [*SYSTEM, *_NETWORK, *sorted(filter(None, own), key=len)]
        wall = [engine.program, *(word for word in WALLS if wheels or word != "--unshare-net")]
        wall += [word for name in seen for word in ("--ro-bind-try", name, name)]
        wall += [*DEVICES, "--bind", str(scratch), str(scratch), "--remount-ro", "/", "--chdir", str(scratch)]
    source = ["--no-index", "--find-links", str(wheels)] if wheels else []
    words = [program, *_PIP, "download", *_ONLY, *source, "-d", "wheels", "-r", "requirements.txt"]
    home = str(scratch / "home")
    return sandbox.run([*wall, *words], cwd=scratch, env={**env, "HOME": home, "TMPDIR": home}, limits=limits)


def _unpacked(wheel: Path) -> int:
    with wheel.open("rb") as stream, open_zip(stream) as archive:
        return sum(entry.file_size for entry in archive.infolist())
