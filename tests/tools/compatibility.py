"""Try the live commands on a real server: `make live SERVER=https://... TOKEN_FILE=... LOGIN_FILE=...`.

A small synthetic competition is uploaded; it is not listed publicly. One of its two phases is open now. Every command
runs as an organiser calls it, and a table with the date is printed, for docs/explanation/codabench.md. Delete the
competition in the browser afterwards.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import io
import re
import shlex
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import build_bundle
from speechbundles.model import dates
from speechbundles.model.dates import FORMAT
from tests.samples.bundle_defects import codabench
from tests.samples.live_bundle import live_bundle

MEASURED = "measured on "


class Row(NamedTuple):
    """A command, its exit status, and the lines that it printed."""

    command: str
    status: int
    lines: list[str]


def phases(moment: datetime) -> list[dict[str, object]]:
    """Return two phases of the same set: one that is open, and one that opens in three days."""
    drafts = copy.deepcopy(codabench().spec["phases"])
    for phase, start, end in zip(drafts, (-1, 72), (48, 120), strict=True):
        hours = {"start": start, "end": end}
        phase.update({key: f"{moment + timedelta(hours=hour):{FORMAT}}" for key, hour in hours.items()})
        phase["tasks"] = drafts[-1]["tasks"]
    return drafts


def run(connection: list[str], folder: Path) -> Iterator[Row]:
    """Yield a row for each command; without a competition, only the first.

    Parameters
    ----------
    connection: the options of the server.
    folder: for the bundles and the fetched files.
    """
    own = phases(dates.now())
    bundle = str(live_bundle(folder / "bundle.zip", phases=own, hidden="error"))
    corrected = str(live_bundle(folder / "corrected.zip", phases=own, hidden="error", wrong=2))
    first = _call(["publish", bundle, *connection])
    yield first
    number = re.search(r"^imported as competition (\d+): ", "\n".join(first.lines), re.MULTILINE)
    if number is None:
        return
    live, amend = str(folder / "live"), ["amend", corrected, number[1]]
    yield _call(["publish", bundle, "--competition", number[1], *connection])
    yield _call(["fetch", number[1], live, *connection[:4]])
    yield _call(["watch", bundle, number[1], "--dir", live, *connection])
    for more in ([], ["--yes"]):
        yield _call([*amend, "--dir", live, "--from", bundle, *more, *connection])
    yield _call(["watch", corrected, number[1], "--dir", live, "--fetch", *connection])


def _call(words: list[str]) -> Row:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        status = build_bundle.main(words)
    shown = [word for word in words[: words.index("--server")] if not word.startswith("/")]
    return Row(shlex.join(shown), status, output.getvalue().splitlines() or ["nothing"])


def table(server: str, rows: list[Row]) -> str:
    """Return the rows as a Markdown table, and below it what was measured."""
    lines = [f"Run on {dates.now():%Y-%m-%d} at {server}.", ""]
    lines += ["| command | exit status | result |", "|---|---|---|"]
    for row in rows:
        results = [line for line in row.lines if line and not line.startswith((MEASURED, "note: "))]
        result = re.split("; (?:to open it|see)", results[-1])[0].replace("|", "/")
        lines.append(f"| `{row.command}` | {row.status} | {result} |")
    found = ([line for line in row.lines if line.startswith(MEASURED)] for row in rows)
    measured = next(filter(None, found), [])
    return "\n".join([*lines, "", *(f"- {line}" for line in measured)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True)
    parser.add_argument("--token-file", required=True)
    parser.add_argument("--login-file")
    given = parser.parse_args()
    connection = ["--server", given.server, "--token-file", given.token_file]
    if given.login_file:
        connection += ["--login-file", given.login_file]
    rows = []
    with tempfile.TemporaryDirectory(prefix="live-") as folder:
        for row in run(connection, Path(folder)):
            print(f"$ {row.command}", *row.lines, "", sep="\n", flush=True)
            rows.append(row)
    print(table(given.server, rows))
    return int(any(row.status == 1 for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
