"""Runs programs in bubblewrap (`bwrap`), with folders mounted as a platform's worker mounts them.

A program sees the system's programs and libraries and one Python environment, all read-only, and its own folders. It
has no network, no rights of root, no environment variables of the user, and a new home and `/tmp` in each run. The
limits are those of `sandbox.run`. What is promised is listed in `docs/explanation/promises.md`.
"""

import errno
import os
import platform
import re
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from speechbundles.bundle.rehearse import sandbox
from speechbundles.bundle.rehearse.engine import USUAL, Program
from speechbundles.bundle.rehearse.sandbox import Limits, Outcome
from speechbundles.model.errors import OrganiserError
from speechbundles.model.zips import write_tree

OLDEST = (0, 8)
"""The oldest version with `--disable-userns` and `--size`."""

NAMESPACES = ("ipc", "mnt", "net", "pid", "user", "uts")

WALLS = shlex.split(
    "--unshare-user --disable-userns --unshare-ipc --unshare-net --unshare-pid --unshare-uts --unshare-cgroup-try "
    "--die-with-parent --cap-drop ALL --hostname worker --uid 0 --gid 0"
)
"""A program is root in its own namespace, as in a container."""

SYSTEM = shlex.split(
    "/usr /bin /sbin /lib /lib32 /lib64 /etc/alternatives /etc/fonts /etc/ld.so.cache /etc/ld.so.conf "
    "/etc/ld.so.conf.d /etc/localtime /etc/perl /etc/R"
)
"""What a program sees of the system, if it is there."""

DEVICES = shlex.split(
    "--proc /proc --remount-ro /proc "  # else root's programs could write the kernel's settings
    "--dev /dev --size 67108864 --tmpfs /dev/shm --remount-ro /dev"
)

ETC = {
    "passwd": b"root:x:0:0:root:/root:/bin/sh\n",
    "group": b"root:x:0:\n",
    "hosts": b"127.0.0.1 localhost worker\n",
}

CALLS = {
    "x86_64": (0xC000003E, 41, (248, 249, 250, 298, 321, 323, 425, 319, 447, 29, 64, 68, 27, 187, 221, 327, 451)),
    "aarch64": (0xC00000B7, 198, (217, 218, 219, 241, 280, 282, 425, 279, 447, 194, 190, 186, 232, 213, 223, 286, 451)),
}  # fmt: skip
"""By processor, the numbers of its architecture, of `socket`, and of the system calls that programs do not get.

These are `add_key`, `request_key`, `keyctl`, `perf_event_open`, `bpf`, `userfaultfd` and `io_uring_setup`, which reach
beyond all namespaces or to a socket; `memfd_create`, `memfd_secret`, `shmget`, `semget` and `msgget`, because no limit
counts memory that belongs to no process; and `mincore`, `readahead`, `fadvise64`, `preadv2` (whose callers then use
`preadv`) and `cachestat`, because all programs share the cache of files. Source: `linux/audit.h`, `asm/unistd.h`.
"""

ATTRIBUTES = {"x86_64": (188, 189, 190, 463), "aarch64": (5, 6, 7, 463)}
"""The calls that write attributes of files (`setxattr`), which no limit counts in memory: they are not supported."""

NEEDED = ("cpuinfo", "devices", "filesystems", "version")
_listed = (path for part in ("", "pressure", "sys/fs") for path in Path("/proc", part).glob("*"))
_files = (path for path in _listed if path.is_file() and not path.is_symlink() and path.name not in NEEDED)
HIDDEN = tuple(
    str(path) for path in _files if path.parts[2] != "sys" or path.name.endswith(("-nr", "-state"))
)
"""Files on the whole machine. They are empty in runs on recordings, and as on the platform in rehearsals."""

FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, 16)
"""Families of sockets with a namespace; 16 is `AF_NETLINK`. Others reach the host of a virtual machine, or drivers."""

CONTROL_GROUPS, OWN_GROUPS, COMMAND_GROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup"), "command"

COMMANDS = "/opt/commands"
"""A folder with `python` and `python3`, which start the chosen Python, first in `PATH`."""


@dataclass(frozen=True)
class Python:
    """A Python: its program, and the folders of its environment."""

    program: str
    folders: tuple[str, ...]

    @property
    def path(self) -> str:
        """The value of `PATH` with the environment's programs."""
        return f"{Path(self.program).parent}:{USUAL['PATH']}"


def find_python(path: Path | None = None) -> Python:
    """Return the Python of a program or of an environment's folder; default: this one.

    Raises
    ------
    OrganiserError: it cannot be run.
    """
    answer = [sys.executable, sys.prefix, sys.base_prefix]
    if path is not None:
        program = path / "bin/python" if path.is_dir() else path
        query = "import sys; print('\\n'.join((sys.executable, sys.prefix, getattr(sys, 'base_prefix', ''))))"
        command = [str(program.absolute()), "-E", "-s", "-c", query]
        try:
            asked = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
            [_, _, _] = answer = asked.stdout.split("\n")[:3]
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            expected = f"--python {path}: expected a Python or the folder of an environment"
            raise OrganiserError(f"{expected}: {error}") from None
    prefixes = filter(None, answer[1:])
    folders = dict.fromkeys(name for folder in prefixes for name in (folder, os.path.realpath(folder)))
    return Python(answer[0], tuple(name for name in folders if not name.startswith("/usr")))


def system_call_filter() -> bytes:
    """Return a filter (an array of `struct sock_filter`) of system calls and families of sockets; empty if unknown."""
    if platform.machine() not in CALLS:
        return b""
    architecture, open_socket, denied = CALLS[platform.machine()]
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06
    allow, no_call, no_family = 0x7FFF0000, 0x50000 | errno.ENOSYS, 0x50000 | errno.EAFNOSUPPORT
    code = [(load, 0, 0, 4), (equal, 1, 0, architecture), (give, 0, 0, no_call), (load, 0, 0, 0)]
    code += [(at_least, 0, 1, 0x40000000), (give, 0, 0, no_call)]  # calls of x32
    code += [line for number in denied for line in ((equal, 0, 1, number), (give, 0, 0, no_call))]
    writes, unsupported = ATTRIBUTES[platform.machine()], (give, 0, 0, 0x50000 | errno.EOPNOTSUPP)
    code += [line for number in writes for line in ((equal, 0, 1, number), unsupported)]
    code += [(equal, 1, 0, open_socket), (give, 0, 0, allow), (load, 0, 0, 16)]
    code += [line for family in FAMILIES for line in ((equal, 0, 1, int(family)), (give, 0, 0, allow))]
    return b"".join(struct.pack("=HBBI", *line) for line in [*code, (give, 0, 0, no_family)])


@contextmanager
def equal_share(name: str, mount: Path = CONTROL_GROUPS, listed: Path = OWN_GROUPS) -> Iterator[list[str]]:
    """Give the first words of a command whose processes together get the same share of the processors as others'.

    There are none if this process may make no control groups. Below a group with processes, version 2 shares nothing:
    so this process has to be alone in its group, and moves to one below.

    Parameters
    ----------
    name: that of the new group, which is removed at the end.
    mount, listed: the control groups of this system, and those of this process.
    """
    try:
        paths = {
            names: path for _, names, path in (line.split(":", 2) for line in listed.read_text().splitlines())
        }
        first = next((names for names in paths if "cpu" in names.split(",")), "")  # of version 1
        above = mount / ("cpu" if first else "") / paths[first].strip("/")
        above = above.parent if above.name == COMMAND_GROUP else above
        if not first:
            if not {*(above / "cgroup.procs").read_text().split()} <= {str(os.getpid())}:
                raise PermissionError
            (above / COMMAND_GROUP).mkdir(exist_ok=True)
            (above / COMMAND_GROUP / "cgroup.procs").write_text(str(os.getpid()))
            (above / "cgroup.subtree_control").write_text("+cpu")
        (above / name).mkdir()
    except (KeyError, OSError):
        yield []
        return
    try:
        yield ["/bin/sh", "-c", 'echo 0 > "$0"; exec "$@"', str(above / name / "cgroup.procs")]
    finally:
        with suppress(OSError):  # one of its processes has not quite ended
            (above / name).rmdir()


class BubblewrapEngine:
    """Runs each program in namespaces of its own (see `engine.Engine`).

    Parameters
    ----------
    variables: environment variables for the programs, besides the usual ones.
    python: default: this Python.

    Raises
    ------
    OrganiserError: there is no bubblewrap, it is too old, or this system does not permit one of its walls.
    """

    def __init__(
        self, variables: Mapping[str, str] | None = None, *, python: Python | None = None, strict: bool = True
    ) -> None:
        self.variables = dict(variables or {})
        self.python = python or find_python()
        self.strict = strict
        for folder in self.python.folders:
            if Path.home().resolve().is_relative_to(folder):
                raise OrganiserError(
                    f"the environment of {self.python.program} is {folder}, which contains your home; give --python an "
                    "environment in a folder of its own (python3 -m venv DIR)"
                )
        self.program = shutil.which("bwrap") or ""
        self.layers = self._tried()

    def run(self, program: Program, scratch: Path, limits: Limits) -> Outcome:
        """See `Engine.run`; nothing that an earlier run left in `scratch` is visible."""
        place = Path(tempfile.mkdtemp(dir=scratch))
        command = [*self._command(program, place), *program.words]
        memory = "/dev/shm", *program.memory
        with equal_share(f"speechbundles-{place.name}") as first:
            return sandbox.run([*first, *command], cwd=place, env=USUAL, limits=limits, memory=memory)

    def _command(self, program: Program, place: Path) -> Iterator[str]:
        """Return the command that starts a program's own; `place` is a new folder for this run."""
        start = f'#!/bin/sh\nexec {shlex.quote(self.python.program)} "$@"\n'.encode()
        write_tree(place / "etc", {**ETC, "empty": b""})
        for path in write_tree(place / "commands", {"python": start, "python3": start}).iterdir():
            path.chmod(0o755)
        for name in ("root", "tmp"):
            (place / name).mkdir()
        if calls := system_call_filter():
            (place / "filter").write_bytes(calls)
            yield from ("/bin/sh", "-c", 'exec "$@" 3< "$0"', str(place / "filter"))
        yield from (self.program, *WALLS, *(("--seccomp", "3") if calls else ()), "--clearenv")
        env = {**USUAL, "HOME": "/root", "PATH": f"{COMMANDS}:{self.python.path}", **self.variables}
        yield from (word for item in env.items() for word in ("--setenv", *item))
        for name in SYSTEM:
            linked = os.path.islink(name)
            yield from ("--symlink", os.readlink(name), name) if linked else ("--ro-bind-try", name, name)
        yield from DEVICES
        own = {name: Path(name) for name in self.python.folders} | {COMMANDS: place / "commands"}
        own |= {f"/etc/{name}": place / "etc" / name for name in ETC}
        if program.memory:
            own |= dict.fromkeys(HIDDEN, place / "etc/empty")
        folders = {"/root": place / "root", "/tmp": place / "tmp", **own, **program.folders}
        for name in sorted({**folders, **program.memory}, key=len):
            if name in program.memory:
                yield from ("--size", str(program.memory[name]), "--tmpfs", name)
                continue
            fixed = name in program.inputs or (name in own and name not in program.mounts)
            yield from ("--ro-bind" if fixed else "--bind", str(folders[name]), name)
        yield from ("--remount-ro", "/", "--chdir", program.cwd)
        yield from ("--", "/bin/sh", "-c", 'exec "$@" < /dev/null', "sh")

    def _tried(self) -> str:
        """Return a line that lists the walls, after a trial of them."""
        if not self.program:
            raise OrganiserError("bubblewrap is not installed")
        printed = subprocess.run([self.program, "--version"], capture_output=True, text=True).stdout
        if tuple(map(int, re.findall(r"\d+", printed))) < OLDEST:
            raise OrganiserError(f"{printed.strip()} is too old; version 0.8 is the oldest that is supported")
        trial = ["sh", "-c", "readlink /proc/self/ns/*; cat /proc/self/status"]
        with tempfile.TemporaryDirectory() as name:
            command = self._command(Program("trial", trial, "/app", {"/app": Path(name)}), Path(name))
            seen = subprocess.run([*command, *trial], env=USUAL, capture_output=True, text=True, timeout=20)
        holds = all(f"{field}\n" in seen.stdout for field in ("CapEff:\t0000000000000000", "NoNewPrivs:\t1"))
        shared = [name for name in NAMESPACES if os.readlink(f"/proc/self/ns/{name}") in seen.stdout.split()]
        if seen.returncode or shared or not holds:
            why = seen.stderr.strip() or ", ".join(shared) or "programs keep rights"
            raise OrganiserError(f"this system does not permit bubblewrap all of its walls: {why:.300}")
        return (
            f"bubblewrap {printed.split()[-1]}: own files, processes, users, host name and shared memory; no network, "
            "no capabilities; system and Python read-only; time, memory and processes sampled; "
            f"{'a' if system_call_filter() else 'no'} filter of system calls"
        )
