"""Runs a rehearsal's programs in the bundle's own image, as a platform's compute worker does.

It uses the Docker API of Docker or Podman through the `docker` package (`pip install '.[containers]'`). Capabilities,
mounts, working folder and environment are those of Codabench's worker. It is stricter than the worker: there is no
network, inputs are read-only, memory, processes and file sizes are limited, and programs have no permissions that the
organiser lacks. A container is removed when its program ends or is stopped, or when the rehearsal is interrupted.
"""

import os
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse.sandbox import LOG_BYTES, Capture, Limits, Outcome
from speechbundles.model.errors import OrganiserError
from speechbundles.platforms.codabench.layout import DROPPED_CAPABILITIES

LABEL = "spokeneval.rehearsal"
"""Label of every container, to find containers of a killed rehearsal with `docker ps --filter label=...`."""

INPUTS = frozenset({"input", "input_data", "ingested_program"})
"""Mounts that this project's programs cannot write to, by the last part of their names; the worker permits it."""

KILLED = 137
"""Exit code after signal 9."""

KILL_SECONDS = 10
"""Time for the last output of a container that has ended."""


class ContainerEngine:
    """Runs each program in a new container of one image (see `process.Engine.run`).

    `variables`: environment variables for the programs, besides the worker's. `read_only`: mounts that a program cannot
    write to, by the last part of their names.
    """

    def __init__(
        self,
        image: str,
        client: Any = None,
        *,
        variables: Mapping[str, str] | None = None,
        read_only: Collection[str] = INPUTS,
    ) -> None:
        self.image = image
        self.variables = dict(variables or {})
        self.read_only = read_only
        self.client = connect() if client is None else client
        self._have_image()

    def _have_image(self) -> None:
        """Pull the image unless it is on this computer."""
        import docker.errors

        try:
            self.client.images.get(self.image)
        except docker.errors.ImageNotFound:
            try:
                self.client.images.pull(self.image)
            except docker.errors.APIError as error:
                raise OrganiserError(
                    f"image {self.image} is not on this computer and cannot be pulled: {error}"
                ) from None

    def run(
        self,
        command: Sequence[str],
        mounts: Mapping[str, Path],
        *,
        cwd: str,
        scratch: Path,
        seconds: float,
        limits: Limits,
    ) -> Outcome:
        """Run a command in a new container. `scratch` is unused: a container has its own home and `/tmp`.

        Raises
        ------
        OrganiserError: the container cannot be created or started.
        """
        with self._container(command, mounts, cwd, limits) as container:
            kept = [Capture(min(limits.output_bytes, LOG_BYTES)) for _ in range(2)]
            stream = container.attach_socket(params={"stdout": 1, "stderr": 1, "stream": 1})
            listener = threading.Thread(target=_listen, args=(stream, kept), daemon=True)
            listener.start()
            start = time.monotonic()
            container.start()
            why_stopped = None
            if not self._ended_within(container, seconds):
                why_stopped = f"time limit: still running after {seconds:g} s"
                with suppress(Exception):  # the container may have ended in the meantime
                    container.kill()
                container.wait(timeout=KILL_SECONDS)
            elapsed = time.monotonic() - start
            listener.join(KILL_SECONDS)
            stream._response.close()  # the package leaves the connection open
            container.reload()
            state = container.attrs["State"]
            exit_code = int(state["ExitCode"])
            # Not every engine reports a kill for lack of memory; in a container, nothing can kill the first process.
            if why_stopped is None and (state.get("OOMKilled") or exit_code == KILLED):
                why_stopped = f"memory limit: killed, with at most {limits.memory_bytes >> 20} MB allowed"
            return Outcome(
                KILLED if why_stopped else exit_code, kept[0].text(), kept[1].text(), elapsed, why_stopped
            )

    @contextmanager
    def _container(
        self, command: Sequence[str], mounts: Mapping[str, Path], cwd: str, limits: Limits
    ) -> Iterator[Any]:
        import docker.errors
        from docker.types import LogConfig, Ulimit

        user, group = self._user()
        container = None
        try:
            container = self.client.containers.create(
                self.image,
                list(command),
                working_dir=cwd,
                volumes={
                    str(folder): {"bind": name, "mode": "ro,z" if is_input(name, self.read_only) else "z"}
                    for name, folder in mounts.items()
                },
                environment={
                    "PYTHONUNBUFFERED": "1",
                    **({"HOME": "/tmp"} if user else {}),
                    **self.variables,
                },
                user=f"{user}:{group}",
                labels={LABEL: ""},
                network_mode="none",
                userns_mode="host",
                cap_drop=list(DROPPED_CAPABILITIES),
                security_opt=["no-new-privileges"],
                mem_limit=limits.memory_bytes,
                memswap_limit=limits.memory_bytes,
                pids_limit=limits.processes,
                ulimits=[Ulimit(name="fsize", soft=limits.output_bytes, hard=limits.output_bytes)],
                log_config=LogConfig(type="none"),
            )
            yield container
        except docker.errors.DockerException as error:
            raise OrganiserError(f"a container of {self.image} cannot be run: {error}") from None
        finally:
            if container is not None:
                with suppress(docker.errors.NotFound):
                    container.remove(force=True, v=True)

    def _user(self) -> tuple[int, int]:
        """Return the owner of the mounted folders: this user, who is root in the containers of a rootless engine."""
        options = self.client.info().get("SecurityOptions") or []
        rootless = any("rootless" in option for option in options)
        return (0, 0) if rootless else (os.getuid(), os.getgid())

    @staticmethod
    def _ended_within(container: Any, seconds: float) -> bool:
        import requests

        try:
            container.wait(timeout=seconds)
        except (requests.exceptions.ReadTimeout, requests.exceptions.ConnectionError):
            return False
        return True


def connect() -> Any:
    """Return a client of Docker or Podman.

    The order of search is `DOCKER_HOST`, Docker's socket, the user's Podman socket, the system's Podman socket.

    Raises
    ------
    OrganiserError: the `docker` package is missing, or no engine answers.
    """
    try:
        import docker
        import docker.errors
    except ImportError:
        raise OrganiserError(
            "--engine docker needs the docker package; install it with pip install '.[containers]'"
        ) from None
    tried = []
    for address in _addresses():
        scheme, _, path = address.partition("://")
        if scheme == "unix" and not Path(path).exists():
            tried.append(f"  {address}: no such socket")
            continue
        try:
            client = docker.DockerClient(base_url=address)
            client.ping()
            return client
        except docker.errors.DockerException as error:
            tried.append(f"  {address}: {error}")
    listed = "\n".join(tried) or "  no socket of either was found"
    raise OrganiserError(
        f"neither Docker nor Podman answers; start one of them, or set DOCKER_HOST\n{listed}"
    )


def _addresses() -> Iterator[str]:
    if os.environ.get("DOCKER_HOST"):
        yield os.environ["DOCKER_HOST"]
        return
    runtime = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    for socket in ("/var/run/docker.sock", f"{runtime}/podman/podman.sock", "/run/podman/podman.sock"):
        if Path(socket).exists():
            yield f"unix://{socket}"


def is_input(name: str, inputs: Collection[str]) -> bool:
    return name.rpartition("/")[2] in inputs


def _listen(stream: Any, kept: Sequence[Capture]) -> None:
    """Capture a container's output until it ends or its connection is closed."""
    from docker.utils.socket import STDOUT, frames_iter

    with suppress(OSError):
        for number, data in frames_iter(stream, tty=False):
            kept[0 if number == STDOUT else 1].add(data)
