"""Requests to a competition server and its storage: authentication, retries, and safe downloads.

- The token, the password and the session are sent only to the server. Files have signed addresses, which may be on
  another host: requests to them carry none of these, and no redirect is followed with them. None of these, and no
  signed address, is printed or written.
- Only https is used, except for a server on this machine.
- After a lost connection, HTTP 429 or 5xx, a request is tried again, with the pause that the server asks for
  (`Retry-After`). A request that must not be carried out twice is not repeated if it may have reached the server; this
  is reported as an error instead.
- A file gets its name only when it is complete.
"""

import hashlib
import io
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from urllib.parse import urlsplit

import requests
from requests.exceptions import InvalidURL
from urllib3.exceptions import ConnectTimeoutError, HTTPError, LocationValueError, ReadTimeoutError

from speechbundles.model.bounded import parse_json
from speechbundles.model.disk import put_in_place
from speechbundles.model.errors import Gone, OrganiserError, Refused, Unreachable
from speechbundles.model.text import Progress, silent
from speechbundles.platforms.codabench.client.account import LOCAL, Account, check_address
from speechbundles.platforms.codabench.client.responses import blocks, cookie, host, join, pause_of, succeeds

PAUSES = (1, 2, 4, 8, 16, 32)
"""Seconds before each retry."""
LONGEST_PAUSE = 600
"""Longest pause, in seconds, that a server can ask for."""
TIMEOUT = (20, 120)
"""Longest wait for a connection, and for the next byte, in seconds."""
MOST_LINKS = 3
"""Most signed addresses that are requested for one file; they expire."""
LARGEST_ANSWER = 64 << 20
MOST_VALUES = 4_000_000
"""Most names and values of an answer: parsed, a value takes up to a hundred times its bytes."""
LONGEST_ANSWER = 600
"""Longest time for one answer of the API, in seconds."""
LONGEST_DOWNLOAD = 4 * 3600
"""Longest time for one file, in seconds."""
LARGEST_FILE = 4 << 30
LONGEST_WORDS = 500
SIGN_IN = "/accounts/login/"
_T = TypeVar("_T")


@dataclass(eq=False)
class _Again(Exception):
    """A failure that may be temporary.

    Attributes
    ----------
    final: the error to raise after the last retry.
    arrived: whether the server may have carried out the request.
    pause: the pause in seconds that the server asks for.
    """

    final: OrganiserError
    arrived: bool = True
    pause: float | None = None


@dataclass(frozen=True)
class Connection:
    """A server, and the account that sends requests to it. Threads can share it.

    Attributes
    ----------
    log: called with one line before each retry.
    account: signs in for files that the server gives to no token; None: only the token is used.
    """

    server: str
    token: str = field(repr=False)
    sleep: Callable[[float], None] = time.sleep
    log: Callable[[str], None] = lambda text: None
    account: Account | None = None
    _own: threading.local = field(default_factory=threading.local, init=False, repr=False)
    _session_header: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def call(
        self,
        method: str,
        path: str,
        content: Any = None,
        *,
        repeatable: bool = True,
        anonymous: bool = False,
    ) -> Any:
        """Send a request; return the answer as JSON, or None if it is empty.

        Parameters
        ----------
        content: sent as JSON.
        repeatable: whether the request can be sent twice without harm.
        anonymous: whether the request has no token.

        Raises
        ------
        Refused: the server refuses the request.
        Unreachable: there is no usable answer, or a request that must not be repeated may have been lost.
        """
        what = f"{method} {path.partition('?')[0]}"

        def read(response: requests.Response) -> Any:
            if response.is_redirect:
                elsewhere = host(join(self.server, response.headers["Location"]))
                why = f"{what}: {self.server} redirects to {elsewhere}; is this the right server?"
                raise Refused(response.status_code, why)
            data = b"".join(blocks(response, LARGEST_ANSWER, LONGEST_ANSWER))
            if not response.ok:
                raise self._refusal(what, response.status_code, data)
            if sum(map(data.count, (b",", b":", b"[", b"{"))) > MOST_VALUES:
                raise OrganiserError(f"{what}: the answer has more than {MOST_VALUES} values")
            try:
                return parse_json(data) if data else None
            except ValueError as error:
                raise _Again(Unreachable(f"{what}: the answer is {error}")) from None

        headers = {} if anonymous else self._token_header
        return self._send(
            method, self.server + path, read, repeatable=repeatable, headers=headers, json=content
        )

    def location(self, path: str, *, anonymous: bool = False) -> str:
        """Return the signed address that one of the server's addresses redirects to. Only headers are read.

        Newer versions of Codabench accept no token here, only a signed-in session.

        Parameters
        ----------
        anonymous: whether the request has neither the token nor a session.

        Raises
        ------
        Refused: there is no redirect, or it leads to the sign-in page.
        OrganiserError: the account cannot sign in.
        """
        if anonymous:
            return self._redirect(path, {})
        try:
            return self._redirect(path, self._session_header or self._token_header)
        except Refused:
            if self.account is None:
                raise
        session = self._sign_in(self.account)  # the first session, or one after an expired one
        self._session_header["Cookie"] = f"sessionid={session}"
        return self._redirect(path, self._session_header)

    def _redirect(self, path: str, headers: Mapping[str, str]) -> str:
        def read(response: requests.Response) -> str:
            target = join(self.server, response.headers.get("Location", ""))
            if not response.is_redirect or urlsplit(target).path.startswith("/accounts/"):
                raise Refused(response.status_code, self._closed())
            return target

        return self._send("GET", self.server + path, read, headers=headers)

    def _closed(self) -> str:
        closed = f"{self.server} does not provide this file to"
        if self._session_header and self.account:
            return f"{closed} {self.account.name}"
        return (
            f"{closed} a token; newer versions of Codabench provide it only to an account that signs in: add "
            "--login-file with your name and password"
        )

    def _sign_in(self, account: Account) -> str:
        """Fill in the server's sign-in form; return the key of the session."""
        address = self.server + SIGN_IN

        def read_form(form: requests.Response) -> str | None:
            return cookie(form, "csrftoken") if form.ok and not form.is_redirect else None

        def read_key(answer: requests.Response) -> str | None:
            return cookie(answer, "sessionid") if answer.is_redirect else None

        csrf = self._send("GET", address, read_form)
        if csrf is None:
            raise OrganiserError(
                f"{address}: there is no sign-in form; leave out --login-file to use only the token"
            )
        fields = {"csrfmiddlewaretoken": csrf, "username": account.name, "password": account.password}
        headers = {"Cookie": f"csrftoken={csrf}", "Referer": address}
        session = self._send("POST", address, read_key, data=fields, headers=headers)
        if session is None:
            raise OrganiserError(
                f"{address}: the server does not accept this name and password; correct the login file"
            )
        return session

    def upload(self, address: str, source: Path | bytes, progress: Progress = silent) -> None:
        """Upload a file to a signed address.

        Raises
        ------
        Gone: the storage rejects the file.
        Unreachable: the storage does not answer.
        """
        headers = {"Content-Type": "application/zip", "x-ms-blob-type": "BlockBlob"}

        def read(response: requests.Response) -> None:
            if not succeeds(response):
                raise Gone(f"{host(address)} rejects the file (HTTP {response.status_code})")

        with source.open("rb") if isinstance(source, Path) else io.BytesIO(source) as stream:
            body = _Body(stream, stream.seek(0, os.SEEK_END), progress)
            self._send("PUT", address, read, body=body, headers=headers)

    def download(self, link: Callable[[], str | None], target: Path) -> str | None:
        """Download a file. It gets its name only when it is complete.

        Parameters
        ----------
        link: returns a signed address, a new one at each call because they expire; None if there is no such file.

        Returns
        -------
        The file's SHA-256; None if there is no file, or it is empty.

        Raises
        ------
        Gone: the storage does not provide the file, even at a new address.
        Unreachable: the storage does not answer, or never sends the whole file.
        """
        part = target.with_name(target.name + ".part")
        try:
            for tries_left in reversed(range(MOST_LINKS)):
                address = link()
                if address is None:
                    return None
                try:
                    headers = {"Accept-Encoding": "identity"}
                    digest = self._send("GET", address, partial(_save, part), headers=headers)
                    break
                except Gone:
                    if not tries_left:
                        raise
            if part.stat().st_size == 0:
                return None
            put_in_place(part, target)
            return digest
        finally:
            part.unlink(missing_ok=True)

    @property
    def _token_header(self) -> dict[str, str]:
        return {"Authorization": f"Token {self.token}"}

    def _send(
        self,
        method: str,
        address: str,
        read: Callable[[requests.Response], _T],
        *,
        repeatable: bool = True,
        body: "_Body | None" = None,
        **options: Any,
    ) -> _T:
        """Send a request until it succeeds, with pauses between attempts; return what `read` makes of the response."""
        for pause in (*PAUSES, None):
            if body:
                body.stream.seek(0)
                options["data"] = body
            try:
                with self._request(method, address, **options) as response:
                    return read(response)
            except _Again as again:
                if again.arrived and not repeatable:
                    raise Unreachable(
                        f"{again.final}. The server may have carried out the request: check there before you try again"
                    ) from None
                if pause is None:
                    raise again.final from None
                wanted = pause if again.pause is None else again.pause
                if wanted > LONGEST_PAUSE:
                    why = f"{again.final}. The server asks for a pause of {wanted / 60:.0f} minutes"
                    raise Unreachable(why) from None
                self.log(f"{again.final}; retrying in {wanted:.0f} s")
                self.sleep(wanted)
        raise AssertionError

    @contextmanager
    def _request(self, method: str, address: str, **options: Any) -> Iterator[requests.Response]:
        """Send one request, and yield the open response; redirects are not followed. Raises `_Again` for a retry.

        `auth` keeps requests from sending credentials that it finds in a .netrc.
        """
        check_address(address, local=urlsplit(self.server).hostname in LOCAL)
        what = f"{method} {host(address)}"
        try:
            options |= {"auth": lambda request: request, "allow_redirects": False, "stream": True}
            with self._session().request(method, address, timeout=TIMEOUT, **options) as response:
                status = response.status_code
                if status == 429 or status >= 500:
                    text = f"{what}: HTTP {status} {response.reason}"
                    final = Refused(status, text) if status == 500 else Unreachable(text)
                    pause = pause_of(response.headers.get("Retry-After"))
                    raise _Again(final, arrived=status != 429, pause=pause)
                yield response
        except requests.exceptions.SSLError:
            raise Unreachable(f"{what}: its certificate is not valid; nothing was sent") from None
        except (InvalidURL, LocationValueError, UnicodeError):
            raise Gone(f"{what}: this is not a valid address") from None
        except (requests.exceptions.RequestException, HTTPError) as error:
            # The error's own text is not used, because it may contain the signed address.
            cause = getattr(error.args[0], "reason", None) if error.args else None
            unsent = isinstance(cause, ConnectTimeoutError)  # or its subclass NewConnectionError
            slow = isinstance(error, (requests.exceptions.Timeout, TimeoutError, ReadTimeoutError))
            reason = "no connection" if unsent else "no answer in time" if slow else "connection lost"
            raise _Again(Unreachable(f"{what}: {reason}"), arrived=not unsent) from None

    def _session(self) -> requests.Session:
        """Return the session of this thread, without cookies."""
        if not hasattr(self._own, "session"):
            self._own.session = _Session()
            self._own.session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=()))
        session: requests.Session = self._own.session
        return session

    def _refusal(self, what: str, status: int, data: bytes) -> Refused:
        reply = data.decode("utf-8", "replace").replace(self.token, "(the token)")
        if status == 401:
            return Refused(status, f"{self.server} does not accept this token; get a new one")
        if reply.lstrip()[:1] not in ("{", "[", '"'):
            reply = ""  # an HTML page
        with suppress(ValueError, KeyError, TypeError):
            reply = "; ".join(parse_json(data)["non_field_errors"])
        return Refused(status, f"{what}: HTTP {status}{': ' * bool(reply)}{reply[:LONGEST_WORDS]}")


def _save(part: Path, response: requests.Response) -> str:
    """Write an answer to a file; return its SHA-256. urllib3 treats fewer bytes than announced as a lost connection."""
    if not succeeds(response):
        raise Gone(f"{host(response.url)} does not provide the file (HTTP {response.status_code})")
    digest = hashlib.sha256()
    with part.open("wb") as stream:
        for block in blocks(response, LARGEST_FILE, LONGEST_DOWNLOAD):
            digest.update(block)
            stream.write(block)
    return digest.hexdigest()


class _Session(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return no target: requests would prepare the next request, so read the whole body and parse the address."""


@dataclass
class _Body:
    """The bytes of an upload, of known length; reports progress as they are read."""

    stream: BinaryIO
    size: int
    progress: Progress

    def __len__(self) -> int:
        return self.size

    def read(self, size: int = -1) -> bytes:
        block = self.stream.read(size)
        self.progress(self.stream.tell(), self.size)
        return block
