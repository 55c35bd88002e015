"""The weights of a program's `weights.txt`: downloaded by hash, kept by it, and given read-only to its runs.

An address comes from a participant. Therefore only https is used, on public addresses also after each redirect, and the
reason of a failure is not told: it could describe the organisers' network.
"""

import ipaddress
import os
import shutil
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import requests

from speechbundles.model.run_codes import BUILD_FAILED, OK
from speechbundles.model.temporary import temporary_folder
from speechbundles.runs.outcomes import Step, file_digest
from spokeneval.programs.code import Weights

_HOPS, _SECONDS, _TIMEOUT = 5, 1800.0, (20, 60)


def fetch_weights(
    wanted: Sequence[Weights], cache: Path, local: Path | None, most: int
) -> tuple[dict[str, Path], Step]:
    """Return the files, `name -> path`, and how the download ended.

    Parameters
    ----------
    cache: the folder of downloaded files, named by their SHA-256.
    local: a folder that has the files under their names; None: they come from the network.
    most: the largest size of all, in bytes.
    """
    if sum(each.size for each in wanted) > most:
        return {}, Step(
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
                        _download(each, new, began + _SECONDS)
                    if not _is_whole(new, each):
                        raise OSError("other bytes")
                    os.replace(new, found[each.name])
        except (OSError, ValueError):  # also all errors of requests
            lost = f"{each.name}: no file of {each.size} bytes with this SHA-256 could be fetched"
            return {}, Step(BUILD_FAILED, time.monotonic() - began, log=lost)
    return found, Step(OK, time.monotonic() - began)


def _is_whole(path: Path, wanted: Weights) -> bool:
    return path.is_file() and path.stat().st_size == wanted.size and file_digest(path) == wanted.sha256


def _download(wanted: Weights, new: Path, until: float) -> None:
    url = wanted.url
    for _ in range(_HOPS):
        parts = urlsplit(url)
        there = socket.getaddrinfo(parts.hostname, parts.port or 443, type=socket.SOCK_STREAM)
        if parts.scheme != "https" or not all(ipaddress.ip_address(each[4][0]).is_global for each in there):
            raise ValueError("no public address")
        with requests.get(
            url,
            stream=True,
            allow_redirects=False,
            timeout=_TIMEOUT,
            headers={"Accept-Encoding": "identity"},
            auth=lambda it: it,
        ) as answer:
            if answer.is_redirect:
                url = urljoin(url, answer.headers["location"])
                continue
            answer.raise_for_status()
            with new.open("xb") as file:
                for block in answer.iter_content(1 << 20):
                    file.write(block)
                    if file.tell() > wanted.size or time.monotonic() > until:
                        raise ValueError("too large or too slow")
            return
    raise ValueError("too many redirects")
