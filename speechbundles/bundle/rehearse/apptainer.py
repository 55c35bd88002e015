"""Runs programs in an image with Apptainer, as clusters without Docker do. Its command line was never run for real.

Nothing of the host is mounted but the program's own folders, and there is no network. Memory and processes are sampled,
as in `sandbox.run`; of the disk, only the size of each file is limited, because Apptainer gives no memory of a size.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from speechbundles.bundle.rehearse import sandbox
from speechbundles.bundle.rehearse.engine import Program
from speechbundles.bundle.rehearse.sandbox import Limits, Outcome
from speechbundles.model.errors import OrganiserError

WALLS = ("--containall", "--no-home", "--no-privs", "--no-mount", "bind-paths", "--net", "--network", "none")
"""Own files, processes and IPC, an empty environment; no rights of root; no folders that the cluster mounts."""

_KEPT = ("PATH", "HOME", "APPTAINER_CACHEDIR", "APPTAINER_TMPDIR", "http_proxy", "https_proxy", "no_proxy")
"""Variables that Apptainer itself needs; programs do not get them."""


class ApptainerEngine:
    """Runs each program in a new container of one image (see `engine.Engine`).

    Parameters
    ----------
    image: a Docker image; it is pulled and converted once.
    gpu: whether programs get all NVIDIA GPUs of the machine.

    Raises
    ------
    OrganiserError: there is no Apptainer, the image cannot be pulled, or a wall is not permitted here.
    """

    strict = True

    def __init__(self, image: str, *, gpu: bool = False) -> None:
        self.image, self.gpu = f"docker://{image}", gpu
        self.program = shutil.which("apptainer") or ""
        if not self.program:
            raise OrganiserError("apptainer is not installed")
        words = [self.program, "exec", *WALLS, self.image, "true"]
        tried = subprocess.run(words, env=self._environment(), capture_output=True, text=True)
        if tried.returncode:
            raise OrganiserError(f"apptainer cannot run {image}: {tried.stderr.strip()}")

    def run(self, program: Program, scratch: Path, limits: Limits) -> Outcome:
        """See `Engine.run`."""
        place = Path(tempfile.mkdtemp(dir=scratch))
        command = [*self._command(program, place), self.image, *program.words]
        return sandbox.run(command, cwd=place, env=self._environment(), limits=limits)

    def _environment(self) -> Mapping[str, str]:
        return {
            **{name: os.environ[name] for name in _KEPT if name in os.environ},
            "APPTAINERENV_PYTHONUNBUFFERED": "1",
        }

    def _command(self, program: Program, place: Path) -> Iterator[str]:
        yield from (self.program, "exec", *WALLS, *(["--nv"] if self.gpu else []))
        yield from ("--workdir", str(place), "--pwd", program.cwd)  # of /tmp and /var/tmp
        for name, folder in program.folders.items():
            source = f"source={folder}".replace('"', '""')  # a line of CSV
            fixed = ",ro" if name in program.inputs else ""
            yield from ("--mount", f'type=bind,"{source}",destination={name}{fixed}')
