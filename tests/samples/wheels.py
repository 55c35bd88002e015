"""The wheel of the repository."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.samples.programs import ROOT


def pip(python: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def build_wheel(folder: Path) -> Path:
    words = ("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT)
    built = pip(Path(sys.executable), *words)
    assert built.returncode == 0, built.stderr
    return next(folder.glob("*.whl"))
