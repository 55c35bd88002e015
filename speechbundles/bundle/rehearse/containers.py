"""Runs programs in an image, as a platform's compute worker does, with the commands of Docker or Podman.

Capabilities, mounts, working folder and environment are those of a worker. It is stricter than the worker: there is no
network, memory, processes and file sizes are limited, and programs have no permissions that the organiser lacks. A
container is removed when its program ends or is stopped, or when the rehearsal is interrupted.
"""

import os
import re
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from subprocess import DEVNULL, PIPE

from speechbundles.bundle.rehearse.engine import Program
from speechbundles.bundle.rehearse.sandbox import Limits, Outcome, watch
from speechbundles.model.errors import OrganiserError
from speechbundles.model.platform import platforms

PROGRAMS = ("docker", "podman")

LABEL = "spokeneval.rehearsal"
"""Label of every container, to find containers of a killed rehearsal with `docker ps --filter label=...`."""

KILLED = 137
"""Exit code after signal 9."""

KILL_SECONDS = 10
"""Time for the last output of a container that has ended."""


class ContainerEngine:
    """Runs each program in a new container of one image (see `engine.Engine`).

    Parameters
    ----------
    image: an image of this computer; else it is pulled.
    variables: environment variables for the programs, besides the worker's.
    gpu: whether programs get all GPUs of the machine.

    Raises
    ------
    OrganiserError: neither Docker nor Podman answers, or the image cannot be pulled.
    """

    def __init__(
        self,
        image: str,
        *,
        variables: Mapping[str, str] | None = None,
        strict: bool = True,
        gpu: bool = False,
    ) -> None:
        self.image, self.strict, self.gpu = image, strict, gpu
        self.variables = dict(variables or {})
        self.program, self.user = find_program()
        if self._call("image", "inspect", image).returncode:
            pulled = self._call("pull", image)
            if pulled.returncode:
                raise OrganiserError(
                    f"image {image} is not on this computer and cannot be pulled: {pulled.stderr.strip()}"
                )

    def run(self, program: Program, scratch: Path, limits: Limits) -> Outcome:
        """See `Engine.run`. `scratch` is unused: a container has its own home and `/tmp`."""
        if not program.words:
            raise ValueError("the command is empty")
        name = f"rehearsal-{secrets.token_hex(8)}"
        try:
            options = self._options(program, limits)
            made = self._call("create", f"--name={name}", *options, self.image, *program.words)
            if made.returncode:
                raise OrganiserError(f"a container of {self.image} cannot be run: {made.stderr.strip()}")
            return self._attend(name, limits)
        finally:
            self._call("rm", "--force", "--volumes", name)

    def _attend(self, name: str, limits: Limits) -> Outcome:
        """Start a container and capture its output until it ends, or is stopped."""
        ended, theirs = os.pipe()  # its other end closes with the client
        words = [self.program, "start", "--attach", name]
        began = time.monotonic()
        client = subprocess.Popen(
            words, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, pass_fds=(theirs,), start_new_session=True
        )
        os.close(theirs)
        out_of_memory = False

        def end(_: bytes) -> int | None:
            nonlocal out_of_memory
            shown = "{{.State.Running}} {{.State.OOMKilled}} {{.State.ExitCode}}"
            running, killed, *code = self._call("inspect", "--format", shown, name).stdout.split() or ("", "")
            if running == "true":
                self._call("kill", name)
            with suppress(subprocess.TimeoutExpired):
                client.wait(KILL_SECONDS)
            client.kill()
            # Not every engine reports a kill for lack of memory; in a container, nothing can kill the first process.
            out_of_memory = killed == "true" or code == [str(KILLED)]
            return int(code[0]) or client.returncode if code else None  # Podman counts a failed start as 0

        with client:
            assert client.stdout is not None
            assert client.stderr is not None
            streams = client.stdout.fileno(), client.stderr.fileno()
            outcome = watch(streams, ended, began, limits, lambda _: None, end)
        if outcome.why_stopped is None and out_of_memory:
            why = f"memory limit: killed, with at most {limits.memory_bytes >> 20} MB allowed"
            return replace(outcome, exit_code=KILLED, why_stopped=why)
        return outcome

    def _options(self, program: Program, limits: Limits) -> Iterator[str]:
        """Yield the options with which a container is made."""
        home = {} if self.user == "0:0" else {"HOME": "/tmp"}
        environment = {"PYTHONUNBUFFERED": "1", **home, **self.variables}
        gpus = {"gpus": ["all"]}
        if Path(self.program).name == "podman":  # with the Container Device Interface
            gpus = {"device": ["nvidia.com/gpu=all"]}
        options: dict[str, Iterable[object]] = {
            "label": [LABEL],
            "workdir": [program.cwd],
            "user": [self.user],
            "userns": ["host"],
            "network": ["none"],
            "security-opt": ["no-new-privileges"],
            "cap-drop": [name for each in platforms().values() for name in each.dropped_capabilities],
            "memory": [limits.memory_bytes],
            "memory-swap": [limits.memory_bytes],
            "pids-limit": [limits.processes],
            "ulimit": [f"fsize={limits.output_bytes}:{limits.output_bytes}"],
            "log-driver": ["none"],
            "env": map("=".join, environment.items()),
            "tmpfs": [f"{name}:rw,exec,mode=1777,size={size}" for name, size in program.memory.items()],
            **({"read-only": ["true"]} if program.memory else {}),  # else its own disk has no limit
            **(gpus if self.gpu else {}),
            "volume": [
                f"{folder}:{name}:{'ro,z' if name in program.inputs else 'z'}"
                for name, folder in program.folders.items()
            ],
        }
        yield from (f"--{name}={value}" for name, values in options.items() for value in values)

    def _call(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.program, *words], capture_output=True, text=True, stdin=DEVNULL)


def find_program() -> tuple[str, str]:
    """Return Docker's or Podman's program, the first that answers, and the owner of mounted folders, `user:group`.

    The owner is this user, who is root in the containers of a rootless engine.

    Raises
    ------
    OrganiserError: none answers.
    """
    tried = []
    for name in PROGRAMS:
        if not (program := shutil.which(name)):
            tried.append(f"  {name}: not installed")
            continue
        told = subprocess.run([program, "info"], capture_output=True, text=True, stdin=DEVNULL)
        if told.returncode == 0:
            rootless = re.search(r"^ *(name=)?rootless(: true)?$", told.stdout, re.MULTILINE)
            return program, "0:0" if rootless else f"{os.getuid()}:{os.getgid()}"
        tried.append(f"  {name}: {told.stderr.strip()}")
    what = "neither Docker nor Podman answers; start one of them, or set DOCKER_HOST"
    raise OrganiserError("\n".join([what, *tried]))
