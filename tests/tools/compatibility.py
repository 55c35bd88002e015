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
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import build_bundle
from speechbundles.model import dates
from speechbundles.model.dates import FORMAT
from tests.samples.bundle_defects import codabench
from tests.samples.live_bundle import live_bundle

MEASURED = "measured on "


@dataclass(frozen=True)
class Row:
    """A command, its exit status, and the lines that it printed."""

    command: str
    status: int
    lines: list[str]


def phases(moment: datetime) -> list[dict[str, object]]:
    """Return two phases of the same set: one that is open, and one that opens in three days."""
    days = ((timedelta(hours=-1), timedelta(days=2)), (timedelta(days=3), timedelta(days=5)))
    drafts = copy.deepcopy(codabench().spec["phases"])
    for phase, (start, end) in zip(drafts, days, strict=True):
        phase.update(start=f"{moment + start:{FORMAT}}", end=f"{moment + end:{FORMAT}}")
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
    found = [re.match(r"imported as competition (\d+): ", line) for line in first.lines]
    number = next((match[1] for match in found if match), None)
    if number is None:
        return
    live = str(folder / "live")
    for words in (
        ["publish", bundle, "--competition", number],
        ["fetch", number, live],
        ["watch", bundle, number, "--dir", live],
        ["amend", corrected, number, "--dir", live, "--from", bundle],
        ["amend", corrected, number, "--dir", live, "--from", bundle, "--yes"],
        ["watch", corrected, number, "--dir", live, "--fetch"],
    ):
        options = connection if words[0] != "fetch" else connection[:4]
        yield _call([*words, *options])


def _call(words: list[str]) -> Row:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        status = build_bundle.main(words)
    shown = [word for word in words if not word.startswith("/")]
    return Row(
        shlex.join(shown[: shown.index("--server")]), status, output.getvalue().splitlines() or ["nothing"]
    )


def table(server: str, rows: list[Row]) -> str:
    """Return the rows as a Markdown table, and below it what was measured."""
    lines = [f"Run on {dates.now():%Y-%m-%d} at {server}.", ""]
    lines += ["| command | exit status | result |", "|---|---|---|"]
    measured: list[str] = []
    for row in rows:
        results = [line for line in row.lines if line and not line.startswith((MEASURED, "note: "))]
        result = re.split("; (?:to open it|see)", results[-1])[0].replace("|", "/")
        lines.append(f"| `{row.command}` | {row.status} | {result} |")
        measured = measured or [line for line in row.lines if line.startswith(MEASURED)]
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
