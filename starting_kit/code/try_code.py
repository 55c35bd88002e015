"""Try a program as the organisers run it, and make the zip that you upload.

    python3 try_code.py code --sound DIR    checks the folder code, runs it on the recordings in DIR, scores its answers

On Linux with bubblewrap (apt install bubblewrap), the program has no network and sees no files but its own, as on the
organisers' machine; elsewhere it has your rights. The limits are those of the competition (limits.json). Needs numpy.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

try:
    import resource
except ImportError:
    sys.exit("Programs are tried on Linux or macOS; on Windows, use WSL.")

from spokeneval.formats.problems import SubmissionError
from spokeneval.programs.code import OWN, REQUIREMENTS, list_code
from spokeneval.scoring.output import say

HERE = Path(__file__).resolve().parent
LIMITS = json.loads((HERE / "limits.json").read_text(encoding="utf-8"))
SCRIPT = """
export HOME=/tmp
[ -d /app/packages ] && export PYTHONPATH=/app/packages
python3 main.py /app/input /app/output
"""


def main() -> int:
    sets = sorted(path.parent.name for path in HERE.glob("*/reference"))
    parser = argparse.ArgumentParser(description="Try a program as the organisers run it.")
    parser.add_argument("program", type=Path, help="the folder with main.py")
    parser.add_argument("--sound", type=Path, required=True, help="the folder with the recordings of the set")
    parser.add_argument(
        "--expect", action="store_true", help="add the answers to the zip, in the folder expected"
    )
    parser.add_argument("--weights", type=Path, help="the folder with the files of weights.txt")
    parser.add_argument("--set", default=sets[0] if sets else "", choices=sets, help="default: %(default)s")
    parser.add_argument(
        "--zip", type=Path, default=Path("program.zip"), help="the zip to write (default: %(default)s)"
    )
    options = parser.parse_args()
    if not sets:
        return failed("This kit is for several tasks: try_submission.py --task TASK --unpack FOLDER")
    if not options.sound.is_dir():
        return failed(f"{options.sound}: no such folder")
    try:
        files = list_code(options.program, LIMITS["environment"])
    except SubmissionError as refusal:
        return failed(str(refusal))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name, path in files.items():
            (place / "code" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(path), str(place / "code" / name))
        shutil.copytree(str(HERE / options.set / "input"), str(place / "input"))
        if options.weights:
            shutil.copytree(str(options.weights), str(place / "code" / "weights"), dirs_exist_ok=True)
        for name in ("input/sound", "output", "tmp"):
            (place / name).mkdir()
        if LIMITS["environment"] == OWN and REQUIREMENTS in files and not install(place):
            return failed("the packages of requirements.txt could not be installed")
        problem = run(place, options.sound.resolve())
        if problem:
            return failed(problem)
        words = [str(HERE / "try_submission.py"), "--set", options.set, "--zip", str(place / "answers.zip")]
        if subprocess.call([sys.executable, *words, str(place / "output")]):
            return failed("the answers were refused")
        answers = {f"expected/{path.name}": path.read_bytes() for path in (place / "output").iterdir()}
    with zipfile.ZipFile(str(options.zip), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in files.items():
            if not (options.expect and name in answers):
                archive.write(str(path), name)
        for name, content in answers.items() if options.expect else ():
            archive.writestr(name, content)
    say(f"{options.zip} is ready to upload.")
    return 0


def failed(problem: str) -> int:
    say(f"{problem}\nNo zip was written.", error=True)
    return 1


def install(place: Path) -> bool:
    """Install the requirements as the organisers do: wheels only, pinned by hash."""
    words = [
        "install",
        "--require-hashes",
        "--only-binary=:all:",
        "--no-deps",
        "--target",
        str(place / "packages"),
    ]
    return not subprocess.call(
        [sys.executable, "-m", "pip", *words, "-r", str(place / "code" / REQUIREMENTS)]
    )


def run(place: Path, sound: Path) -> str:
    """Run the program in `place`; return why it failed, or an empty text."""
    command, walls = [*walled(place, sound)], "in bubblewrap, without network"
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    if not command:
        walls = "with your rights and the network, because there is no bubblewrap"
        (place / "input/sound").rmdir()
        (place / "input/sound").symlink_to(sound, target_is_directory=True)
        command = [sys.executable, "main.py", str(place / "input"), str(place / "output")]
        environment.update(HOME=str(place / "tmp"), PYTHONPATH=str(place / "packages"))
    say(f"The program runs {walls}.")
    began = time.monotonic()
    try:
        done = subprocess.run(
            command, cwd=str(place / "code"), env=environment, preexec_fn=limit, timeout=LIMITS["seconds"]
        )
    except subprocess.TimeoutExpired:
        return f"it exceeded the time limit, {LIMITS['seconds']} s"
    say(f"It took {time.monotonic() - began:.1f} s; the limit is {LIMITS['seconds']} s.")
    return f"it ended with exit status {done.returncode}" if done.returncode else ""


def limit() -> None:
    """Set the limits of each process; the organisers limit the memory of all processes together."""
    size = LIMITS["disk_mb"] << 20
    memory = (LIMITS["memory_mb"] << 20) + (4 << 30)  # address space, of which a part is never used
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def walled(place: Path, sound: Path) -> Iterator[str]:
    """Yield the command that runs the program in bubblewrap; nothing if that is not here."""
    program = shutil.which("bwrap")
    trial = [program or "", "--ro-bind", "/", "/", *LIMITS["walls"], "true"]
    if not program or subprocess.call(trial, stderr=subprocess.DEVNULL):
        return
    yield from (program, *LIMITS["walls"], "--size", str(LIMITS["disk_mb"] << 20), "--tmpfs", "/tmp")
    for name in LIMITS["system"]:
        yield from (
            ("--symlink", os.readlink(name), name) if os.path.islink(name) else ("--ro-bind-try", name, name)
        )
    pythons = {sys.prefix, sys.base_prefix, os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix)}
    for name in sorted(pythons, key=len):
        if not name.startswith("/usr"):
            yield from ("--ro-bind", name, name)
    for name in ("code", "input", "packages"):
        if (place / name).is_dir():
            yield from ("--ro-bind", str(place / name), f"/app/{name}")
    yield from ("--ro-bind", str(sound), "/app/input/sound", "--bind", str(place / "output"), "/app/output")
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    yield from (
        "--remount-ro",
        "/",
        "--chdir",
        "/app/code",
        "--setenv",
        "PATH",
        path,
        "--",
        "/bin/sh",
        "-c",
        SCRIPT,
    )


if __name__ == "__main__":
    sys.exit(main())
