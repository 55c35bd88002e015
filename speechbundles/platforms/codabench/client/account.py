"""The account of an organiser on a server: its token, its password, and the addresses that may get them."""

import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from speechbundles.model.bounded import read_file
from speechbundles.model.environment import TOKEN_VARIABLE, token_of_environment
from speechbundles.model.errors import OrganiserError

LOCAL = ("localhost", "127.0.0.1", "::1")
"""Hosts that need no encryption."""
_LARGEST_SECRET = 1000


@dataclass(frozen=True)
class Account:
    """A name and a password, as for the server's sign-in form."""

    name: str
    password: str = field(repr=False)


def read_token(file: Path | None) -> str:
    """Return the token from a file that only its owner can read; without a file, from the environment.

    Raises
    ------
    OrganiserError: there is no token, it is malformed, or other users can read the file.
    """
    if file is None:
        token = token_of_environment().strip()
        if not token:
            raise OrganiserError(
                "no token. A server gives one for your name and password; the guide docs/how-to/live-season.md has the "
                f"command. Then name the file of mode 0600 that contains it (--token-file), or set {TOKEN_VARIABLE}"
            )
    else:
        token = _read_secret(file, "token").strip()
    if not re.fullmatch(r"[A-Za-z0-9._~+/=-]+", token):
        raise OrganiserError(
            "this is not a token: expected only the letters and digits that the server issued"
        )
    return token


def read_account(file: Path) -> Account:
    """Return the account from a file that only its owner can read: the name, then the password, on a line each.

    Raises
    ------
    OrganiserError: the file cannot be read, has other content, or other users can read it.
    """
    lines = _read_secret(file, "password").splitlines()
    if len(lines) != 2 or not all(map(str.strip, lines)):
        raise OrganiserError(f"{file}: expected two lines, your name on the server and your password")
    return Account(lines[0].strip(), lines[1])


def _read_secret(file: Path, what: str) -> str:
    try:
        if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
            raise OrganiserError(
                f"{file}: other users can read this {what}; run chmod 600 {file}, or get a new {what}"
            )
        return read_file(file, _LARGEST_SECRET).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise OrganiserError(f"{file}: not UTF-8; save the {what} in this encoding") from None
    except OSError as error:
        raise OrganiserError(f"{file}: {error.strerror}; expected a file that contains the {what}") from None


def read_server(address: str) -> str:
    """Return a server's address without a path, `https://host`.

    Raises
    ------
    OrganiserError: any other address.
    """
    parts = _split(address)
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise OrganiserError(
            f"{address}: expected a server's address without a path, such as https://www.codabench.org"
        )
    check_address(address, local=True)
    return f"{parts.scheme}://{parts.netloc}"


def _split(address: str) -> Any:
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018  (raises if it is not a number)
        return parts
    except ValueError:
        raise OrganiserError(f"{address:.100}: this is not a valid address") from None


def check_address(address: str, *, local: bool) -> None:
    parts = _split(address)
    here = parts.hostname in LOCAL
    where = f"{parts.scheme}://{parts.hostname}"
    if not parts.hostname or parts.username is not None or parts.scheme not in ("http", "https"):
        raise OrganiserError(f"{where}: expected an address that begins with https:// and a host name")
    if parts.scheme == "http" and not (here and local):
        raise OrganiserError(
            f"{where}: not encrypted; only https is allowed, except for a server on this machine"
        )
    if here and not local:
        raise OrganiserError(f"{where}: the server refers to an address on this machine for its files")
