"""Lists of the server. Some versions answer with pages, others with the whole list; a list can change meanwhile."""

import time
from collections.abc import Sequence
from typing import Any

from speechbundles.model.errors import OrganiserError, Refused
from speechbundles.platforms.codabench.client.connection import Connection
from speechbundles.platforms.codabench.client.values import expected, to_number

READINGS = 5
"""Most attempts to read a list that changes while its pages are read."""
MOST_PAGES = 20_000
LONGEST_LIST = 3600
"""Most pages of a list, and the longest time for all of them, in seconds."""


def read_list(connection: Connection, path: str, what: str, key: str = "results") -> list[dict[str, Any]]:
    """Return all rows of a list, in the server's order.

    Parameters
    ----------
    what: the list, for messages.
    key: the key of the rows in an answer that is not a list.

    Raises
    ------
    OrganiserError: the list changed during every attempt to read it.
    """
    for _ in range(READINGS):
        rows = _read_pages(connection, path, what, key)
        if rows is not None:
            return rows
    raise OrganiserError(f"the {what} changed during each of {READINGS} attempts to read it; try again later")


def rows_of(answer: Any, key: str = "results") -> Sequence[dict[str, Any]]:
    """Return the rows of one page, or of a whole list."""
    return answer if isinstance(answer, list) else answer[key]


def _read_pages(connection: Connection, path: str, what: str, key: str) -> list[dict[str, Any]] | None:
    """Return all rows; None if the list changed meanwhile."""
    found: dict[int, dict[str, Any]] = {}
    counts = set()
    end = time.monotonic() + LONGEST_LIST
    more = f"{path}{'&' if '?' in path else '?'}page="
    for number in range(1, MOST_PAGES + 1):
        if time.monotonic() > end:
            raise OrganiserError(f"the {what} takes longer than {LONGEST_LIST // 60} minutes")
        try:
            answer = connection.call("GET", path if number == 1 else f"{more}{number}")
        except Refused as refusal:
            if refusal.status == 404 and number > 1:  # the list has become shorter
                return None
            raise
        with expected(what):
            before = len(found)
            found |= {to_number(row["id"]): row for row in rows_of(answer, key)}
            if isinstance(answer, list) or "next" not in answer:
                return [*found.values()]
            counts.add(answer["count"])
            if not answer["next"]:
                return [*found.values()] if counts == {len(found)} else None
            if len(found) == before:
                return None
    raise OrganiserError(f"the {what} has more than {MOST_PAGES} pages")
