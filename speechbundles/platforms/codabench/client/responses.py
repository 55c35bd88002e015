"""What is read of a server's response: a bounded number of bytes, and headers that may be malformed."""

import time
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

import requests
from urllib3.exceptions import InvalidHeader
from urllib3.util import Retry

from speechbundles.model.errors import Gone, OrganiserError

_BLOCK = 1 << 18


def cookie(response: requests.Response, name: str) -> str | None:
    """Return the value of a cookie that an answer sets; the first if it is set for several paths."""
    return next((cookie.value for cookie in response.cookies if cookie.name == name), None)


def succeeds(response: requests.Response) -> bool:
    """Whether a request is carried out. `response.ok` is true for redirects too, which are not followed."""
    return 200 <= response.status_code < 300


def host(address: str) -> str:
    """Return the host, the only part of an address that may be shown."""
    return str(urlsplit(address).hostname)


def blocks(response: requests.Response, most: int, seconds: float) -> Iterator[bytes]:
    """Yield an answer as it arrives, so that one that never ends is noticed."""
    size = 0
    end = time.monotonic() + seconds
    while block := response.raw.read1(_BLOCK, decode_content=True):
        size += len(block)
        if size > most:
            raise OrganiserError(f"{host(response.url)}: the answer is larger than {most / 1e6:.0f} MB")
        if time.monotonic() > end:
            raise OrganiserError(
                f"{host(response.url)}: the answer is not complete after {seconds / 60:.0f} minutes"
            )
        yield block


def join(server: str, location: str) -> str:
    try:
        return urljoin(server, location)
    except ValueError:
        raise Gone(f"{host(server)}: redirects to an address that is not valid") from None


def pause_of(retry_after: str | None) -> float | None:
    """Return the pause that a server asks for, in seconds; the header is a number or a date."""
    try:
        return float(Retry().parse_retry_after(retry_after)) if retry_after else None
    except (InvalidHeader, TypeError, ValueError, OverflowError):
        return None
