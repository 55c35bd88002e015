"""Write the lock files in this folder: `make lock`. Needs uv and Python 3.11.

There is one file for each extra of pyproject.toml. It includes the file of the extra below it and pins the packages
that it adds. The validators of other projects' formats have their own files, for Python 3.12. Each pin has the hashes
of the source archive and of the wheels for CPython 3.10 or newer on 64-bit Linux, macOS and Windows. On other systems
pip builds from the source archives.
"""

import re
import subprocess
import tomllib
from pathlib import Path

HERE = Path(__file__).parent

UNTIL = "2026-11-22"
"""Later releases are ignored, so that every run gives the same files. To update the packages, change this date."""

LAYERS = (
    ("organiser",),
    ("research", "organiser"),
    ("dev", "research", "organiser"),
    *((name, "dev", "research", "organiser") for name in ("audio", "bench", "browser", "mutants")),
    ("docs",),
)
"""Each extra, followed by the extras below it. Its file includes the file of the next one."""

VALIDATORS = ("huggingface-hub==2.4.0", "mlcroissant==1.1.1")
"""Packages of tests/tools/test_validators.py, which each get an environment."""

INSTALLABLE = re.compile(
    r"-(?:py[23.py]*|cp3\d+)-(?:none|abi3|cp31\d)-(?:any|[^-]*(?:x86_64|amd64|aarch64|arm64|universal2))\.whl$"
)
"""Matches the end of the name of such a wheel; free-threaded builds do not match."""


def main() -> None:
    pinned: dict[str, set[str]] = {}
    for extra, *below in LAYERS:
        options = [f"--extra={name}" for name in (extra, *below)]
        entries = resolve("../pyproject.toml", *options, *(f"--constraints={lower}.lock" for lower in below))
        present = set().union(*(pinned[lower] for lower in below))
        pinned[extra] = set(entries)
        head = [f"-r {lower}.lock\n" for lower in below[:1]]
        added = [entry for entry in entries if entry not in present]
        text = "".join(["# Made by `make lock`.\n", *head, *added])
        (HERE / f"{extra}.lock").write_text(text, encoding="utf-8")
    lock_validators()


def lock_validators() -> None:
    for validator in VALIDATORS:
        name = validator.partition("==")[0]
        text = "".join(["# Made by `make lock`.\n", *resolve("-", given=validator, python="3.12")])
        (HERE / f"{name}.lock").write_text(text, encoding="utf-8")


def resolve(source: str, *options: str, given: str = "", python: str = "3.10") -> list[str]:
    """Return the packages that a source needs, each as an entry of a requirements file.

    Parameters
    ----------
    source: the source of the requirements; `-` for those in `given`.
    options: further options of uv.
    python: the oldest version of Python.
    """
    command = ["uv", "pip", "compile", source, "--format", "pylock.toml", "--quiet", "--universal"]
    command += ["--python-version", python, "--exclude-newer", UNTIL, "--generate-hashes", *options]
    done = subprocess.run(
        command, cwd=HERE, check=True, stdout=subprocess.PIPE, encoding="utf-8", input=given
    )
    return [format_entry(package, python) for package in tomllib.loads(done.stdout)["packages"]]


def format_entry(package: dict, python: str) -> str:
    """Return a pin with its marker, followed by its hashes, one on each line."""
    marker = (
        package.get("marker", "").removeprefix(f"python_full_version >= '{python}'").removeprefix(" and ")
    )
    wheels = [wheel for wheel in package.get("wheels", []) if INSTALLABLE.search(wheel["url"])]
    archives = [*wheels, *filter(None, [package.get("sdist")])]
    hashes = sorted(archive["hashes"]["sha256"] for archive in archives)
    lines = [f"{package['name']}=={package['version']}{' ; ' if marker else ''}{marker}"]
    return " \\\n    ".join([*lines, *(f"--hash=sha256:{digest}" for digest in hashes)]) + "\n"


if __name__ == "__main__":
    main()
