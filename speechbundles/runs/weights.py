"""The weights of a program's `weights.txt`: downloaded by hash, kept by it, and given read-only to its runs.

Each download (`download.py`) has limits of time, memory and size, whatever its server does. The reason of a failure is
not reported: it could describe the organisers' network.
"""

import os
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from speechbundles.bundle.rehearse import Limits, sandbox
from speechbundles.model.statuses import BUILD_FAILED, OK
from speechbundles.model.temporary import temporary_folder
from speechbundles.runs.outcomes import StageEnd, file_digest
from spokeneval.programs.code import Weights

_SECONDS, _MEMORY = 1800.0, 512 << 20
"""The longest time of all downloads of a program, and the memory of one."""
_SCRIPT = Path(__file__).with_name("download.py")
_RUN = "import runpy, sys; runpy.run_path(sys.argv.pop(1), run_name='__main__')"
"""Runs a script without its folder among the places of modules."""


def fetch_weights(
    wanted: Sequence[Weights], cache: Path, local: Path | None, most: int
) -> tuple[dict[str, Path], StageEnd]:
    """Return the files, `name -> path`, and how the download ended.

    Parameters
    ----------
    cache: the folder of downloaded files, named by their SHA-256.
    local: a folder that has the files under their names; None: they come from the network.
    most: the largest size of all, in bytes.
    """
    if sum(each.size for each in wanted) > most:
        return {}, StageEnd(
            BUILD_FAILED, log=f"the weights have more than {most >> 20} MB, which is 8 times disk_mb"
        )
    cache.mkdir(parents=True, exist_ok=True)
    found, began = {each.name: cache / each.sha256 for each in wanted}, time.monotonic()
    for each in wanted:
        try:
            if not _is_whole(found[each.name], each):
                with temporary_folder("weights", cache) as scratch:
                    new = scratch / each.sha256
                    if local:
                        shutil.copyfile(local / each.name, new)
                    else:
                        left = began + _SECONDS - time.monotonic()
                        _download(each.url, new, Limits(left, _MEMORY, each.size))
                    if not _is_whole(new, each):
                        raise OSError("other bytes")
                    os.replace(new, found[each.name])
        except (OSError, ValueError):  # also for no time left
            lost = f"{each.name}: no file of {each.size} bytes with this SHA-256 could be fetched"
            return {}, StageEnd(BUILD_FAILED, time.monotonic() - began, log=lost)
    return found, StageEnd(OK, time.monotonic() - began)


def _is_whole(path: Path, wanted: Weights) -> bool:
    return path.is_file() and path.stat().st_size == wanted.size and file_digest(path) == wanted.sha256


def _download(url: str, new: Path, limits: Limits) -> None:
    words = [sys.executable, "-c", _RUN, str(_SCRIPT), url, new.name]
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if sandbox.run(words, cwd=new.parent, env=env, limits=limits).exit_code:
        raise OSError("it cannot be fetched")
