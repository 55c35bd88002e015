"""The values of a server's answers: each is of the expected type, or the answer is refused."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timezone
from decimal import Decimal
from hashlib import sha256
from typing import Any
from unicodedata import category

from speechbundles.model.errors import OrganiserError, Refused
from speechbundles.platforms.codabench.client.connection import Connection

MOST_ANSWERS, LONGEST_ANSWER = 50, 2000
"""The most answers of a fact sheet that are kept, and of each the most characters."""
LARGEST_EXPONENT = 100
"""The largest power of ten of a score, either way: one of a billion would be written with a billion digits."""
LARGEST_ID = 1 << 63
LARGEST_SCORE = 10**10
"""The server's database stores smaller numbers only."""

LONGEST_NAME = 300
"""The most characters of a name; the server's own limit is 256."""
_CONTROLS = ("Cc", "Cs", "Zl", "Zp")
"""Unicode's categories of controls, surrogates, and separators of lines and paragraphs."""


def read_time(text: str) -> datetime:
    """Parse a time; return it in UTC without a time zone, as everywhere in this project."""
    time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return time.astimezone(timezone.utc).replace(tzinfo=None) if time.tzinfo else time


def get(connection: Connection, path: str) -> dict[str, Any]:
    answer = connection.call("GET", path)
    if not isinstance(answer, dict):
        raise OrganiserError(f"{path}: the server's answer is not as expected; does it run Codabench?")
    return answer


def is_answered(ask: Callable[[], object]) -> bool:
    """Return whether a server answers a request, and does not refuse it."""
    try:
        ask()
    except Refused:
        return False
    return True


def to_number(value: Any) -> int:
    if type(value) is not int or not 0 < value < LARGEST_ID:
        raise TypeError(f"{value!r:.50} is not a number of the server")
    return value


def to_words(value: Any) -> str:
    """Return a text that can be written: without lone surrogates and NUL, which JSON can contain."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.50} is not a text")
    return value.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def to_name(value: Any) -> str:
    """Return a name that fits a cell and a line: controls are escaped, and a very long name is cut.

    A name that is changed ends with a digest of the original, so that different names stay different.
    """
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.50} is not a text")
    name = "".join(repr(sign)[1:-1] if category(sign) in _CONTROLS else sign for sign in value)
    if name == value and len(name) <= LONGEST_NAME:
        return name
    return f"{name[:LONGEST_NAME]}-{sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def to_link(value: Any) -> str | None:
    return to_words(value) if value else None


def to_answers(value: Any) -> Mapping[str, str]:
    """Return the answers to a fact sheet, `key -> text`; empty if there are none."""
    if not isinstance(value, dict):
        return {}
    given = list(value.items())[:MOST_ANSWERS]
    return {to_name(key): to_words(str("" if text is None else text))[:LONGEST_ANSWER] for key, text in given}


def to_score(value: Any) -> Decimal:
    score = Decimal(str(value))
    if not score.is_finite() or abs(score.adjusted()) > LARGEST_EXPONENT or abs(score) >= LARGEST_SCORE:
        raise ValueError(f"{value!r:.50} is not a score")
    return score


@contextmanager
def expected(what: str) -> Iterator[None]:
    """Report which part of an answer is missing or malformed."""
    try:
        yield
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, ArithmeticError) as error:
        raise OrganiserError(f"the server's answer has no valid {what} ({error!r:.100})") from None
