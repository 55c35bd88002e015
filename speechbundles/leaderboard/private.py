"""What the public leaderboard of labels at home keeps for itself: its folder, its names, and its last state."""

import hmac
import json
import secrets
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from speechbundles.model.bounded import digest_of
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.disk import write_whole
from speechbundles.model.errors import OrganiserError, UnreadableFile
from speechbundles.model.tabular import read_rows
from spokeneval.formats.problems import printable
from spokeneval.formats.tables import csv_text, no_formula

PRIVATE = ".board"
"""The folder in a fetched folder with everything that is not published."""
_STATE, _KEY, _NAMES = "state.json", "key", "names.csv"
_DIGITS = 12
"""The number of digits of an anonymous name."""


def private_folder(fetched: Path) -> Path:
    """Return the folder for everything that is not published, readable only by its owner."""
    folder = fetched / PRIVATE
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def anonymous_names(private: Path, owners: set[str]) -> dict[str, str]:
    """Return an anonymous name for each owner, and add them to the names that were published before.

    Names depend on a secret key, which is drawn once.

    Raises
    ------
    OrganiserError: the file with the names cannot be read.
    """
    place = private / _KEY
    if not place.exists():
        write_whole(place, secrets.token_hex(32), private=True)
    key = place.read_bytes()
    digests = {owner: hmac.digest(key, owner.encode("utf-8", "replace"), "sha256").hex() for owner in owners}
    names = {owner: digest[:_DIGITS] for owner, digest in digests.items()}
    rows = {(name, no_formula(printable(owner))) for owner, name in names.items()}
    header, place = ("name", "owner"), private / _NAMES
    try:
        earlier = {tuple(cells) for _, cells in read_rows(place.read_bytes())} if place.exists() else set()
    except UnreadableFile as error:
        raise OrganiserError(f"{place}: {error}; it has the owners of published names") from None
    write_whole(place, csv_text([header, *sorted(rows | earlier - {header})]))
    return names


def record_changes(
    private: Path, bundle: BuiltBundle, phases: Sequence[BuiltPhase], now: datetime
) -> tuple[tuple[str, str], ...]:
    """Return all changes of labels and programs since the first board, and record the present state."""
    place = private / _STATE
    try:
        state = json.loads(place.read_text(encoding="utf-8"))
        before, changes = dict(state["parts"]), [(str(day), str(what)) for day, what in state["changes"]]
    except FileNotFoundError:
        before, changes = {}, []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OrganiserError(f"{place}: {error!s:.200}; remove it to begin a new list of changes") from None
    parts = {}
    for phase in phases:
        names = [name for name in (phase.reference_data, phase.scoring_program) if name]
        parts[phase.name] = [digest_of(bundle.files[name]) for name in names]
        earlier = before.get(phase.name, parts[phase.name])
        if earlier != parts[phase.name]:
            is_corrected = earlier[0] != parts[phase.name][0]
            what = "labels were corrected" if is_corrected else "the scoring changed"
            changes.append((str(now.date()), f"{phase.name}: {what}; all scores are computed again."))
    write_whole(place, json.dumps({"parts": parts, "changes": changes}, indent=2) + "\n")
    return tuple(changes)
