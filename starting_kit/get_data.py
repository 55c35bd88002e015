"""Download the files of the competition that are too large for this kit, to its folder data.

    python3 get_data.py              downloads all files
    python3 get_data.py NAME ...     downloads these files

If the connection is cut, run the same command again: it continues where it stopped. Until a file is complete, it is
called NAME.part. It gets its name if its size and its SHA-256 are those that the organisers declared. Needs Python 3.9
or newer, and nothing else.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import socket
import ssl
import sys
import time
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any, Optional
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

HERE = Path(__file__).resolve().parent
LIST = HERE / "downloads.json"
"""File -> its address, its size in bytes and its SHA-256."""

SCHEME = "https"
PAUSES = (1.0, 5.0, 20.0)
"""Seconds before each further try, if the last one brought no data."""
LONGEST_SILENCE = 60
"""Seconds without data after which a connection counts as cut."""
BLOCK = 1 << 20


class Refused(Exception):
    """A file that cannot be downloaded or is not the declared one; the message gives the reason."""


class SecureRedirects(HTTPRedirectHandler):
    """Follows a redirect only to an address that is encrypted too."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: str) -> Any:
        if urlsplit(newurl).scheme != SCHEME:
            raise Refused(f"the server redirects to {newurl}, which does not begin with {SCHEME}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    files = json.loads(LIST.read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description="Download the files that are too large for this kit.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(files)}; default: all")
    names = parser.parse_args(arguments).names or list(files)
    if unknown := [name for name in names if name not in files]:
        parser.error(f"no file {', '.join(unknown)}; expected one of {', '.join(files)}")
    failed = False
    for name in names:
        try:
            done = get(HERE / "data" / name, **files[name])
            print(f"data/{name}: {done}", flush=True)
        except (Refused, OSError) as error:
            failed = True
            print(f"data/{name}: {error}", file=sys.stderr)
        except KeyboardInterrupt:
            print(f"\ndata/{name}: stopped; run the same command again to continue", file=sys.stderr)
            return 130
    return int(failed)


def get(path: Path, url: str, size: int, sha256: str) -> str:
    """Download a file unless it is there, and return what was done.

    Raises
    ------
    Refused: the server does not return it, its content is not the declared one, or the disk is too small.
    """
    if path.exists():
        verify(path, size, sha256, "Move this file away and run the same command again.")
        return "is there"
    if urlsplit(url).scheme != SCHEME:
        raise Refused(f"{url} does not begin with {SCHEME}")
    path.parent.mkdir(exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    if length(part) > size:
        part.unlink()
    room = shutil.disk_usage(str(path.parent)).free
    if room < size - length(part):
        raise Refused(f"needs {shown(size - length(part))} more, but the disk has {shown(room)} left")
    tries = 0
    while length(part) < size:
        before = length(part)
        why = attempt(url, part, size)
        tries = 0 if length(part) > before else tries + 1
        if tries > len(PAUSES):
            raise Refused(
                f"{why}; {shown(before)} of {shown(size)} are there. Run the same command again later"
            )
        if tries:
            time.sleep(PAUSES[tries - 1])
    try:
        verify(part, size, sha256, f"It was deleted. Try again; if this is repeated, {url} has another file.")
    except Refused:
        part.unlink()
        raise
    part.replace(path)
    return f"{shown(size)}, SHA-256 as declared"


def attempt(url: str, part: Path, size: int) -> str:
    """Append what the server sends to a partial file until it is complete; return why the connection ended."""
    have = length(part)
    headers = {"Range": f"bytes={have}-"} if have else {}
    try:
        with build_opener(SecureRedirects).open(
            Request(url, headers=headers), timeout=LONGEST_SILENCE
        ) as answer:
            whole = answer.status != 206  # the server does not continue files, or has just begun
            if not whole and not str(answer.headers["Content-Range"]).startswith(f"bytes {have}-"):
                raise Refused(f"{url} returned another part of the file than asked for")
            with open(str(part), "wb" if whole else "ab") as stream:
                have = 0 if whole else have
                while block := answer.read(BLOCK):
                    have += len(block)
                    if have > size:
                        raise Refused(f"{url} has more than the declared {size} bytes")
                    stream.write(block)
                    progress(part, have, size)
    except HTTPError as error:
        if error.code == 416:
            part.unlink()
            raise Refused(f"{url} has at most {have} bytes, not the declared {size}") from None
        if error.code in (408, 429) or error.code >= 500:
            return f"{url}: {error.code} {error.reason}"
        raise Refused(f"{url}: {error.code} {error.reason}") from None
    except (URLError, HTTPException, ConnectionError, socket.timeout, ssl.SSLError) as error:
        return f"{url}: {getattr(error, 'reason', None) or error}"
    return f"{url}: the connection was cut"


def verify(path: Path, size: int, sha256: str, advice: str) -> None:
    """Refuse a file that does not have the declared size and SHA-256."""
    if length(path) != size:
        raise Refused(f"{path.name} has {length(path)} bytes, not the declared {size}. {advice}")
    digest = hashlib.sha256()
    with open(str(path), "rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
    if digest.hexdigest() != sha256:
        raise Refused(
            f"{path.name} has the SHA-256 {digest.hexdigest()}, not the declared {sha256}. {advice}"
        )


def progress(part: Path, have: int, size: int) -> None:
    """Show on a terminal how much of a file is there."""
    if sys.stderr.isatty():
        end = "\n" if have == size else ""
        print(f"\r{part.name}: {100 * have // size} % of {shown(size)}", end=end, file=sys.stderr, flush=True)


def length(path: Path) -> int:
    """Return the number of bytes of a file; 0 if it does not exist."""
    return path.stat().st_size if path.exists() else 0


def shown(size: int) -> str:
    """Return a number of bytes in MB or GB."""
    return f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size / 1e6:.3g} MB"


if __name__ == "__main__":
    sys.exit(main())
