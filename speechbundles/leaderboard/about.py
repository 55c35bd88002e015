"""What a board is about: the competition and phase that `score` recorded, and the systems that `systems.csv` describes.

Both files are in the folder with the outputs. `systems.csv` is the organiser's: a column `system` with the names on the
board, and any of the columns that `Description` has.
"""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from speechbundles.leaderboard.given import MOST_SHOWN, listed, raise_problems, read_rows
from speechbundles.leaderboard.outputs import RUNS, SYSTEMS_FILE, ScoringOutput
from speechbundles.model import tabular
from speechbundles.model.bounded import parse_json, read_file
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.disk import write_whole
from speechbundles.model.text import hint
from spokeneval.formats.problems import printable, some_of
from spokeneval.formats.text import nfc

SCORED = "scored"
"""The file in `RUNS` with the competition and the phase of the outputs."""

SYSTEM = "system"
"""The column of `systems.csv` with the names on the board."""

LONGEST = 200
"""The most characters of a cell of `systems.csv`."""


class Description(NamedTuple):
    """A system as `systems.csv` describes it: single lines, empty if unknown; official is yes or no."""

    team: str = ""
    affiliation: str = ""
    track: str = ""
    description: str = ""
    recogniser: str = ""
    official: str = ""

    @property
    def unnamed(self) -> "Description":
        """What an anonymous leaderboard states, as the paper on Spoken CALL does."""
        return Description(recogniser=self.recogniser, official=self.official)


def record_scored(out: Path, bundle: BuiltBundle, phase: BuiltPhase) -> None:
    """Record the competition and the phase in a folder of outputs."""
    write_whole(out / RUNS / SCORED, json.dumps({"title": bundle.title, "phase": phase.name}))


def folder_of(outputs: Sequence[ScoringOutput]) -> Path | None:
    """Return the folder that `score` wrote the outputs to, else the nearest folder with all of them, if any."""
    first, *others = (output.path.absolute().parents for output in outputs)
    shared = [folder for folder in first if all(folder in parents for parents in others)]
    written = (folder for folder in shared if (folder / RUNS / SCORED).is_file())
    return next(written, shared[0] if shared else None)


def read_scored(folder: Path) -> tuple[str, str]:
    """Return the recorded title and phase; both are empty if nothing readable was recorded."""
    with suppress(OSError, KeyError, TypeError, ValueError):
        scored = parse_json(read_file(folder / RUNS / SCORED, tabular.LARGEST_FILE))
        return printable(str(scored["title"])), printable(str(scored["phase"]))
    return "", ""


def read_systems(folder: Path, names: Collection[str]) -> dict[str, Description]:
    """Return the descriptions of systems by their names on the board; there are none without `systems.csv`.

    Systems that have an output in the folder, but are not on this board, are left out.

    Raises
    ------
    OSError: the file is not an ordinary file, or larger than a reference may be.
    OrganiserError: lists every problem of the file.
    """
    path = folder / SYSTEMS_FILE
    if not path.exists():
        return {}
    header, rows = read_rows(path)
    header = [cell.lower() for cell in header]
    expected = (SYSTEM, *Description._fields)
    problems = [
        f"column {printable(column)!r:.100} is not known{hint(column, expected)}; expected {', '.join(expected)}"
        for column in header
        if column not in expected
    ]
    problems += [f"column {column} appears twice" for column, count in Counter(header).items() if count > 1]
    if SYSTEM not in header:
        problems.append(f"there is no column {SYSTEM}, with the names of the systems on the leaderboard")
    raise_problems(path, problems)
    known = {nfc(name): name for name in names}
    elsewhere = {nfc(name) for other in folder.iterdir() for name in (other.name, other.stem)}
    given: dict[str, list[Description]] = {}
    uneven, long = [], []
    for row in rows:
        cells = dict(zip(header, map(printable, row), strict=False))
        name = cells.pop(SYSTEM, "")
        given.setdefault(name, []).append(Description(**cells))
        uneven += [name] if len(row) != len(header) else []
        long += [f"{name} ({column}: {len(cell)})" for column, cell in cells.items() if len(cell) > LONGEST]
    unknown = [name for name in given if nfc(name) not in known.keys() | elsewhere]
    there = some_of(sorted(names), MOST_SHOWN)
    odd = {
        f"systems that are not on the leaderboard, which has {there}": unknown,
        "systems that appear twice": [name for name, described in given.items() if len(described) > 1],
        f"rows that do not have {len(header)} cells, as the header has": uneven,
        f"cells of more than {LONGEST} characters": long,
        "official is neither yes nor no": [
            name
            for name, described in given.items()
            if described[-1].official.lower() not in ("", "yes", "no")
        ],
    }
    raise_problems(path, listed(odd))
    return {known[nfc(name)]: each[-1] for name, each in given.items() if nfc(name) in known}
