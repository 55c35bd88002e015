"""The packages of a program's requirements: downloaded by hash, installed without network, kept by what they are.

No code of a package runs while it is installed, because only wheels are accepted. Uploads with the same requirements
share what is installed, and no run can write to it.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from speechbundles.bundle.rehearse import BubblewrapEngine, Engine, Limits, Program
from speechbundles.model.fetched import locked
from speechbundles.model.run_codes import BUILD_FAILED, OK
from speechbundles.model.temporary import temporary_folder
from speechbundles.runs.outcomes import Step, read_step, tree_digest, write_step

_PIP = ("-m", "pip", "--isolated", "--no-input", "--disable-pip-version-check")
_ONLY = ("--only-binary=:all:", "--no-deps", "--require-hashes")
_SECONDS = 1800.0
"""The longest time of a download, and of an installation."""


def install(
    requirements: Sequence[str], cache: Path, wheels: Path | None, engine: Engine, limits: Limits, python: str
) -> tuple[Path | None, Step]:
    """Return the folder with the packages, None without requirements, and how the installation ended.

    Parameters
    ----------
    requirements: pinned, as `read_requirements` returns them.
    wheels: a folder of wheels; None: they are downloaded from the package index.
    python: the version of the engine's Python and its packages, a part of the key.
    """
    if not requirements:
        return None, Step(OK)
    key = hashlib.sha256("\n".join([python, *requirements]).encode()).hexdigest()[:32]
    place, record = cache / key, cache / f"{key}.json"
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / f"{key}.lock", cache, "run", wait=True):  # other uploads may need the same packages
        if (known := read_step(record)) and known.digest == tree_digest(place):
            return place, replace(known, seconds=0.0)
        with temporary_folder("build", cache) as scratch:
            step = _install(requirements, scratch, wheels, engine, limits)
            if step.code != OK:
                return None, step
            shutil.rmtree(place, ignore_errors=True)
            os.replace(scratch / "packages", place)
        return place, write_step(record, replace(step, digest=tree_digest(place)))


def _install(
    requirements: Sequence[str], scratch: Path, wheels: Path | None, engine: Engine, limits: Limits
) -> Step:
    for name in ("wheels", "packages", "home"):
        (scratch / name).mkdir()
    (scratch / "requirements.txt").write_text("\n".join([*requirements, ""]), encoding="utf-8")
    program = engine.python.program if isinstance(engine, BubblewrapEngine) else sys.executable
    source = ["--no-index", "--find-links", str(wheels)] if wheels else []
    words = [program, *_PIP, "download", *_ONLY, *source, "-d", "wheels", "-r", "requirements.txt"]
    given = {name: os.environ[name] for name in ("PATH", "LANG", "SSL_CERT_FILE") if name in os.environ}
    try:
        done = subprocess.run(
            words,
            cwd=scratch,
            env={**given, "HOME": str(scratch / "home")},
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return Step(BUILD_FAILED, _SECONDS, log=f"the download took more than {_SECONDS:.0f} s")
    if done.returncode:
        return Step(BUILD_FAILED, log=done.stdout + done.stderr)
    found = sorted((scratch / "wheels").iterdir())
    try:
        size = sum(entry.file_size for wheel in found for entry in zipfile.ZipFile(wheel).infolist())
    except zipfile.BadZipFile as error:
        return Step(BUILD_FAILED, log=f"a wheel is damaged: {error}")
    if size > 8 * limits.output_bytes:
        return Step(BUILD_FAILED, log=f"the packages have {size >> 20} MB, more than 8 times disk_mb")
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
    log = f"{done.stdout}{outcome.stdout}{outcome.stderr}{outcome.why_stopped or ''}"
    return Step(OK if outcome.exit_code == 0 else BUILD_FAILED, outcome.seconds, outcome.peak_bytes, log)
