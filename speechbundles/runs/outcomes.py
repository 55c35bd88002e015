"""How a participant's program ended: what they learn (one of 16 codes), and what is kept for the organiser.

Besides the scores of the board, one attempt at the hidden recordings shows one of the codes that a hidden run can have,
and its time in quarters of the limit; with `shows_factor`, also the real-time factor in steps.
"""

import hashlib
import math
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from speechbundles.model.bounded import sha256
from speechbundles.model.disk import read_state, write_state
from speechbundles.model.statuses import ANSWERS, DIFFERENT, FAILED, LIMIT, MACHINE, OK, RUN, TIME

OF_HIDDEN_RUNS = (OK, DIFFERENT, *(f"{RUN}_{how}" for how in (FAILED, TIME, LIMIT, ANSWERS)))
"""The codes that can depend on the hidden recordings."""

TIME_STEPS = 4
"""The number of steps in which participants learn the time of a run."""
FACTORS = tuple(2.0**power for power in range(-5, 2))
"""The real-time factors at which the next step begins, if everybody sees them."""


@dataclass(frozen=True)
class StageEnd:
    """How a stage ended, or all of them.

    Attributes
    ----------
    code: one of `run_codes.CODES`.
    seconds: wall-clock time.
    peak_bytes: the most memory in a sample; 0 if unknown.
    log: what the program printed, for the organiser only: it may depend on what hidden runs left in the machine.
    shown: what the participant reads of the stage, none of whose words comes from a program.
    lost: the longest time of earlier runs that began and did not end; the code of one that only began is `machine`.
    digest: SHA-256 of the result: of the installed packages, or of the canonical answers.
    """

    code: str
    seconds: float = 0.0
    peak_bytes: int = 0
    log: str = ""
    digest: str = ""
    shown: str = ""
    lost: float = 0.0


def read_stage(path: Path, *, begun: bool = False) -> StageEnd | None:
    """Return what `write_stage` has written; None if the stage has not ended (or begun), or the file is damaged."""
    kept = read_state(path)
    return None if kept is None or (kept["code"] == MACHINE and not begun) else StageEnd(**kept)


def write_stage(path: Path, step: StageEnd) -> StageEnd:
    write_state(path, asdict(step))
    return step


def shown_time(seconds: float, limit: float) -> str:
    """Return a run's time as participants learn it, such as `up to 2/4 of the time limit`."""
    step = min(TIME_STEPS, max(1, math.ceil(seconds / limit * TIME_STEPS)))
    return f"up to {step}/{TIME_STEPS} of the time limit"


def shown_factor(seconds: float, sound: float) -> str:
    """Return a run's real-time factor as everybody sees it, such as `up to 0.25`; empty without the sound's seconds."""
    if not sound:
        return ""
    return next((f"up to {step:g}" for step in FACTORS if seconds <= step * sound), f"over {FACTORS[-1]:g}")


def file_digest(path: Path, most: int = 1 << 40) -> str:
    """Return the SHA-256 of a regular file, which is read again only if its inode, size or times have changed.

    Raises
    ------
    OSError: not a regular file, or larger than `most` bytes.
    """
    status = path.stat()
    changes = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    return _file_digest(path, most, changes)


@cache
def _file_digest(path: Path, most: int, changes: tuple[int, ...]) -> str:
    return sha256(path, most)


def tree_digest(folder: Path) -> str:
    """Return a SHA-256 of all files below a folder, with their names; empty if there is no such folder."""
    if not folder.is_dir():
        return ""
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            line = f"{file_digest(path)} {path.relative_to(folder).as_posix()}\n"
            whole.update(line.encode("utf-8", "surrogateescape"))
    return whole.hexdigest()
