"""Requests to a competition server and its storage: a token that stays there, and connections that may break.

- The token goes to the server alone. Files lie at signed addresses, which may be another host's: these get no token,
  and no redirect carries one. Neither the token nor a signed address is ever printed or written.
- Only https, but for a server on this machine.
- A lost connection, 429 and 5xx are tried again, after as long as the server asks for (`Retry-After`). What must not
  happen twice is not repeated when it may have arrived: that is told instead.
- A file has its name only when it is whole.
"""

import hashlib
import io
import os
import re
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from functools import partial
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urljoin, urlsplit

import requests
from urllib3.exceptions import ConnectTimeoutError

from speechbundles.model.bounded import parse_json, read_file
from speechbundles.model.errors import Gone, OrganiserError, Refused, Unreachable

TOKEN_VARIABLE = "CODABENCH_TOKEN"

PAUSES = (1, 2, 4, 8, 16, 32)
"""Seconds before each further try."""
LONGEST_PAUSE = 600
"""Seconds that a server may ask for."""
TIMEOUT = (20, 120)
"""Seconds to connect, and without a byte."""
MOST_LINKS = 3
"""Signed addresses that are asked for, for one file: they expire."""
LARGEST_ANSWER = 256 << 20
LARGEST_FILE = 4 << 30
LONGEST_WORDS = 500
_BLOCK = 1 << 18
_LOCAL = ("localhost", "127.0.0.1", "::1")

Progress = Callable[[int, int], None]
"""Called with how much is done, and of how much: bytes, runs or files."""


class _Again(Exception):
    """What may pass. `final`: what to say when it does not.

    `arrived`: whether the server may have acted already. `pause`: the seconds that it asks for.
    """

    def __init__(self, final: OrganiserError, *, arrived: bool = True, pause: float | None = None) -> None:
        super().__init__(str(final))
        self.final = final
        self.arrived = arrived
        self.pause = pause


def read_token(file: Path | None) -> str:
    """The token in a file that nobody else may read; without a file, in the environment.

    Raises
    ------
    OrganiserError: there is none, it is no token, or others may read the file.
    """
    if file is None:
        token = os.environ.get(TOKEN_VARIABLE, "").strip()
        if not token:
            raise OrganiserError(
                f"no token: set {TOKEN_VARIABLE}, or name a file of mode 0600 that holds it (--token-file)"
            )
    else:
        try:
            mode = file.stat().st_mode
            if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
                raise OrganiserError(
                    f"{file}: others may read this token; run chmod 600 {file}, or get a new one"
                )
            token = read_file(file, 1000).decode("ascii", "replace").strip()
        except OSError as error:
            raise OrganiserError(f"{file}: {error.strerror}; expected a file that holds the token") from None
    if not re.fullmatch(r"[A-Za-z0-9._~+/=-]+", token):
        raise OrganiserError(
            "this is no token: expected the letters and digits that the server gave, and nothing else"
        )
    return token


def read_server(address: str) -> str:
    """A server's address without a path: `https://host`.

    Raises
    ------
    OrganiserError: anything else.
    """
    parts = _split(address)
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise OrganiserError(
            f"{address}: expected a server's address alone, such as https://www.codabench.org"
        )
    _check(address, local=True)
    return f"{parts.scheme}://{parts.netloc}"


def _split(address: str) -> Any:
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018  (raises for what is no number)
        return parts
    except ValueError:
        raise OrganiserError(f"{address:.100}: this is no address") from None


def _check(address: str, *, local: bool) -> None:
    parts = _split(address)
    here = parts.hostname in _LOCAL
    where = f"{parts.scheme}://{parts.hostname}"
    if not parts.hostname or parts.username is not None or parts.scheme not in ("http", "https"):
        raise OrganiserError(f"{where}: expected an address that begins with https:// and a host's name")
    if parts.scheme == "http" and not (here and local):
        raise OrganiserError(f"{where}: not encrypted; only https is used, but for a server on this machine")
    if here and not local:
        raise OrganiserError(f"{where}: the server names an address on this machine for its files")


@dataclass(frozen=True)
class Connection:
    """A server and who speaks to it. May be shared by threads.

    `log` is called with what is being waited for.
    """

    server: str
    token: str = field(repr=False)
    sleep: Callable[[float], None] = time.sleep
    log: Callable[[str], None] = lambda text: None
    _own: threading.local = field(default_factory=threading.local, repr=False)

    def call(self, method: str, path: str, content: Any = None, *, repeatable: bool = True) -> Any:
        """The server's answer as JSON; None where it has none.

        Parameters
        ----------
        content: sent as JSON.
        repeatable: whether the same request twice does no harm.

        Raises
        ------
        Refused: the server says no.
        Unreachable: no answer, or none that can be used; or what must not be repeated may have been lost.
        """
        what = f"{method} {path.partition('?')[0]}"

        def once() -> Any:
            with self._request(method, self.server + path, self._authorise, json=content) as response:
                if response.is_redirect:
                    host = _host(urljoin(self.server, response.headers["Location"]))
                    raise Refused(
                        response.status_code, f"{what}: {self.server} sends on to {host}; is it the address?"
                    )
                data = b"".join(_blocks(response, LARGEST_ANSWER))
            if not response.ok:
                raise self._refusal(what, response.status_code, data)
            try:
                return parse_json(data) if data else None
            except ValueError as error:
                raise _Again(Unreachable(f"{what}: the answer is {error}")) from None

        return self._persist(once, repeatable)

    def location(self, path: str) -> str:
        """The signed address that one of the server's addresses sends on to.

        Raises
        ------
        Refused: it sends nowhere, or to where one signs in.
        """

        def once() -> str:
            with self._request("GET", self.server + path, self._authorise) as response:
                target = urljoin(self.server, response.headers.get("Location", ""))
                if not response.is_redirect or urlsplit(target).path.startswith("/accounts/"):
                    raise Refused(response.status_code, f"GET {path}: {self.server} does not give this file")
                return target

        return self._persist(once, True)

    def upload(self, address: str, source: Path | bytes, progress: Progress | None = None) -> None:
        """Put a file where a signed address says.

        Raises
        ------
        Gone: the storage does not take it.
        Unreachable: it does not answer.
        """
        headers = {"Content-Type": "application/zip", "x-ms-blob-type": "BlockBlob"}

        def once() -> None:
            with source.open("rb") if isinstance(source, Path) else io.BytesIO(source) as stream:
                body = _Body(stream, stream.seek(0, os.SEEK_END), progress)
                stream.seek(0)
                with self._request("PUT", address, _no_token, data=body, headers=headers) as response:
                    if not response.ok:
                        raise Gone(f"{_host(address)} does not take the file (HTTP {response.status_code})")

        self._persist(once, True)

    def download(self, link: Callable[[], str | None], target: Path) -> str | None:
        """Fetch a file. It has its name only when all of it is there.

        Parameters
        ----------
        link: asks the server for a signed address, again where one has expired; None: there is no such file.

        Returns
        -------
        The file's SHA-256; None where there is no file, or an empty one.

        Raises
        ------
        Gone: the storage does not give it, with a new address either.
        Unreachable: the storage does not answer, or never gave all of it.
        """
        part = target.with_name(target.name + ".part")
        try:
            for tries_left in reversed(range(MOST_LINKS)):
                address = link()
                if address is None:
                    return None
                try:
                    digest: str = self._persist(partial(self._save, address, part), True)
                    break
                except Gone:
                    if not tries_left:
                        raise
            if part.stat().st_size == 0:
                return None
            part.replace(target)
            return digest
        finally:
            part.unlink(missing_ok=True)

    def _save(self, address: str, part: Path) -> str:
        """Fewer bytes than were announced are a lost connection to urllib3."""
        digest = hashlib.sha256()
        with self._request("GET", address, _no_token, headers={"Accept-Encoding": "identity"}) as response:
            if not response.ok:
                raise Gone(f"{_host(address)} does not give it (HTTP {response.status_code})")
            with part.open("wb") as stream:
                for block in _blocks(response, LARGEST_FILE):
                    digest.update(block)
                    stream.write(block)
        return digest.hexdigest()

    def _authorise(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Token {self.token}"
        return request

    def _persist(self, once: Callable[[], Any], repeatable: bool) -> Any:
        """What `once` returns, after as many tries as it takes."""
        for pause in (*PAUSES, None):
            try:
                return once()
            except _Again as again:
                if again.arrived and not repeatable:
                    raise Unreachable(
                        f"{again}. Whether the server did it is not known: look there before you try again"
                    ) from None
                if pause is None:
                    raise again.final from None
                wanted = pause if again.pause is None else again.pause
                if wanted > LONGEST_PAUSE:
                    raise Unreachable(f"{again}. It asks for a pause of {wanted / 60:.0f} minutes") from None
                self.log(f"{again}; once more in {wanted:.0f} s")
                self.sleep(wanted)
        raise AssertionError

    @contextmanager
    def _request(
        self, method: str, address: str, authorise: Any, **options: Any
    ) -> Iterator[requests.Response]:
        """One request and its answer, open; no redirect is followed. What may pass is raised as `_Again`."""
        _check(address, local=urlsplit(self.server).hostname in _LOCAL)
        what = f"{method} {_host(address)}"
        try:
            with self._session().request(
                method,
                address,
                auth=authorise,
                allow_redirects=False,
                stream=True,
                timeout=TIMEOUT,
                **options,
            ) as response:
                status = response.status_code
                if status == 429 or status >= 500:
                    text = f"{what}: HTTP {status} {response.reason}"
                    final = Refused(status, text) if status == 500 else Unreachable(text)
                    pause = _seconds(response.headers.get("Retry-After"))
                    raise _Again(final, arrived=status != 429, pause=pause)
                yield response
        except requests.exceptions.SSLError:
            raise Unreachable(f"{what}: its certificate is not valid; nothing was sent") from None
        except requests.exceptions.RequestException as error:
            # Not the error's own text: it may have the signed address in it.
            cause = getattr(error.args[0], "reason", None) if error.args else None
            unsent = isinstance(cause, ConnectTimeoutError)  # or its subclass NewConnectionError
            slow = isinstance(error, requests.exceptions.Timeout)
            reason = "no connection" if unsent else "no answer in time" if slow else "connection lost"
            raise _Again(Unreachable(f"{what}: {reason}"), arrived=not unsent) from None

    def _session(self) -> requests.Session:
        """A session of this thread's own, without cookies."""
        if not hasattr(self._own, "session"):
            self._own.session = requests.Session()
            self._own.session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=()))
        session: requests.Session = self._own.session
        return session

    def _refusal(self, what: str, status: int, data: bytes) -> Refused:
        said = data.decode("utf-8", "replace").replace(self.token, "(the token)")
        if status == 401:
            return Refused(status, f"{self.server} does not know this token; get a new one")
        if said.lstrip()[:1] not in ("{", "[", '"'):
            said = ""  # a page for a browser
        return Refused(status, f"{what}: HTTP {status}{': ' * bool(said)}{said[:LONGEST_WORDS]}")


@dataclass
class _Body:
    """An upload's bytes, of known length, as they are read."""

    stream: BinaryIO
    size: int
    progress: Progress | None

    def __len__(self) -> int:
        return self.size

    def read(self, size: int = -1) -> bytes:
        block = self.stream.read(size)
        if self.progress:
            self.progress(self.stream.tell(), self.size)
        return block


def _no_token(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """In place of what requests would find in a .netrc."""
    return request


def _host(address: str) -> str:
    """Of an address what may be shown."""
    return str(urlsplit(address).hostname)


def _blocks(response: requests.Response, most: int) -> Iterator[bytes]:
    size = 0
    for block in response.iter_content(_BLOCK):
        size += len(block)
        if size > most:
            raise OrganiserError(f"{_host(response.url)}: an answer of more than {most / 1e6:.0f} MB")
        yield block


def _seconds(retry_after: str | None) -> float | None:
    """The pause that a server asks for, in seconds or up to a date."""
    if retry_after is None:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        return max(0.0, (parsedate_to_datetime(retry_after) - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError):
        return None
