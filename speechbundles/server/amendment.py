"""An amendment of a competition: what it changes, how far it is, and how this is shown."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from speechbundles.model.bounded import parse_json, read_file
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.disk import write_whole
from speechbundles.model.errors import OrganiserError
from speechbundles.model.statuses import what_to_do
from speechbundles.model.text import grouped, table_lines
from speechbundles.server import api
from speechbundles.server.compared import NOT_COMPARED
from speechbundles.server.entrants import Entrant, holder_of
from speechbundles.server.served_files import ServedFiles
from spokeneval.formats.problems import count_of, some_of
from spokeneval.ranking.leaderboard import Entry
from spokeneval.ranking.writers import every_digit

STATE = "amending.json"
"""The file in the folder that exists while an amendment is in progress."""
AT_HOME = (
    "Its labels stay at home. Corrected labels need no amendment: run `board` to compute all scores again."
)
UNREAD = (
    "The server is assumed to have the files of the earlier bundle, or those that were uploaded from here."
)
MOST_SHOWN = 10
_LARGEST_STATE = 64 << 20


@dataclass(frozen=True)
class State:
    """An amendment in progress.

    Attributes
    ----------
    bundle: SHA-256 of the bundle.
    phases: ids of the phases whose submissions are run again.
    picked: uploads that were on the leaderboard, if participants choose its entries.
    last: id of the last run before the files were replaced; None if they have not been replaced yet.
    accepted: runs that are accepted as they are on the server.
    before: pages and terms (`texts`), the keys of the tasks' parts (`tasks`) and of the phases' kits (`kits`), and the
        SHA-256 of each of these files (`sha256`), before anything was replaced.
    uploaded: SHA-256 of files on the server, by their keys; it grows with every upload.
    """

    bundle: str
    phases: tuple[int, ...]
    picked: tuple[str, ...]
    last: int | None
    accepted: tuple[int, ...] = ()
    before: Mapping[str, Any] = field(default_factory=dict)
    uploaded: Mapping[str, str] = field(default_factory=dict)

    @property
    def known_before(self) -> dict[str, str]:
        """SHA-256 of the earlier files, by their keys."""
        return {key: digest for key, digest in self.before.get("sha256", {}).items() if digest}

    @property
    def known(self) -> dict[str, str]:
        """SHA-256 of the earlier and the new files, by their keys."""
        return {**self.known_before, **self.uploaded}

    def save(self, folder: Path) -> None:
        write_whole(folder / STATE, json.dumps(vars(self)))


@dataclass(frozen=True)
class AmendedPhase:
    """A phase whose programs or data change, and its leaderboard before and after.

    Attributes
    ----------
    parts: the parts that change; empty if they have been replaced already, or only scores or entries differ.
    before: the leaderboard on the server, `holder -> rank, primary score`; a holder is a team, or an upload if a team
        can have several entries.
    after: the predicted leaderboard, in order.
    reruns: how many uploads are run again; of an amendment that was interrupted, those that are left.
    notes: warnings for the organiser.
    """

    built: BuiltPhase
    live: api.LivePhase
    parts: tuple[str, ...]
    before: Mapping[str, tuple[int, Decimal | None]]
    after: Sequence[Entry]
    reruns: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Amendment:
    """The changes that a bundle makes to a competition.

    Attributes
    ----------
    texts: the bundle's pages and terms; None if the server has them.
    kits: starting kits and public data that change, `phase -> kind -> zip`.
    state: None if the amendment has not begun.
    accepted: runs that are accepted as they are on the server.
    files: the files on the server.
    jobs: number of parallel runs; None: the number of processors.
    """

    bundle: BuiltBundle
    sha256: str
    competition: int
    folder: Path
    phases: tuple[AmendedPhase, ...]
    texts: Mapping[str, Any] | None
    kits: Mapping[int, Mapping[str, bytes]]
    state: State | None
    accepted: tuple[int, ...]
    files: ServedFiles
    jobs: int | None = None

    @property
    def page(self) -> str:
        """The address of the competition's page."""
        return api.page_of(self.files.connection, self.competition)

    @property
    def empty(self) -> bool:
        return not (self.phases or self.texts or self.kits or self.state)


def read_state(folder: Path, bundle: str | None = None) -> State | None:
    """Return the amendment in progress; None if there is none. `bundle`: SHA-256 of the bundle that it must have.

    Raises
    ------
    OrganiserError: it cannot be read, or has another bundle.
    """
    path = folder / STATE
    if not is_amending(folder):
        return None
    try:
        content = parse_json(read_file(path, _LARGEST_STATE))
        lists = {key: tuple(content[key]) for key in ("phases", "picked", "accepted") if key in content}
        state = State(**{**content, **lists})
    except (OSError, AttributeError, TypeError, ValueError) as error:
        raise OrganiserError(f"{path}: cannot be read ({error!s:.100})") from None
    if bundle is not None and state.bundle != bundle:
        raise OrganiserError(
            f"{path}: an amendment with another bundle is in progress; finish it with that bundle, or --abandon it"
        )
    return state


def is_amending(folder: Path) -> bool:
    """Return whether an amendment is in progress, which the same command continues."""
    return (folder / STATE).exists()


def kinds_of(amendment: Amendment) -> str:
    """Return the kinds of the kits that change, in words."""
    kinds = dict.fromkeys(kind for kits in amendment.kits.values() for kind in kits)
    return ", ".join(kind.replace("_", " ") for kind in kinds)


def amendment_to_text(amendment: Amendment) -> str:
    """Return a table for each phase: ranks and scores before and after."""
    lines: list[str] = []
    if amendment.files.unread:
        lines += [f"{NOT_COMPARED}{amendment.files.unread}", UNREAD, ""]
    if amendment.empty:
        at_home = f" {AT_HOME}" if amendment.bundle.only_receives else ""
        has_all = "The server already has the programs and data of this bundle, and the scores that they give"
        lines.append(f"{has_all}; there is nothing to amend.{at_home}")
    for what in filter(None, ["pages and terms" if amendment.texts else "", kinds_of(amendment)]):
        lines += [f"{what}: replaced", ""]
    for phase in amendment.phases:
        kept = "already replaced" if amendment.state else "no file differs"
        what = ", ".join(part.replace("_", " ") for part in phase.parts) or kept
        lines += [f"{phase.live.name}: {what}; {count_of(phase.reruns, 'submission')} to run again", ""]
        lines += _table(amendment.bundle, phase)
        lines += ["", *(f"  {note}" for note in phase.notes), *[""] * bool(phase.notes)]
    return "\n".join(lines).rstrip()


def _table(bundle: BuiltBundle, phase: AmendedPhase) -> list[str]:
    primary = bundle.ranking_column()
    rows = [["rank", "was", "", primary.title, "was", "change"]]
    left = dict(phase.before)
    for entry in phase.after:
        score = entry.scores.get(primary.key)
        was, old = left.pop(holder_of(phase.built, entry.name, entry.upload), ("-", None))
        change = ""
        if score is not None and old is not None:
            change = "=" if score == old else f"{(score - old).normalize():+f}"
        rows.append([str(entry.rank), str(was), entry.name, every_digit(score), every_digit(old), change])
    rows += [["-", str(was), holder, "-", every_digit(old), ""] for holder, (was, old) in left.items()]
    return table_lines(rows, left={2})


def notes_on(entrants: Sequence[Entrant], again: int) -> list[str]:
    """Return warnings about uploads of which `again` are run again."""
    notes = [f"{count_of(again, 'new run')} will count towards the teams' daily limits"] if again else []
    scored = ((each.result, str(each.run.id)) for each in entrants if each.result)
    odd = grouped((warning, run) for result, run in scored for warning in dict.fromkeys(result.warnings))
    notes += [f"{warning}; runs: {some_of(runs, MOST_SHOWN)}" for warning, runs in odd.items()]
    if gone := [str(entrant.run.id) for entrant in entrants if entrant.path is None]:
        listed = some_of(gone, MOST_SHOWN)
        notes.append(f"runs that cannot be repeated, because the upload was deleted: {listed}")
    return notes


def unfinished(entrants: Sequence[Entrant], page: str) -> list[str]:
    """Return a line about the runs that stop an amendment; none without any. `page`: where they are cancelled."""
    busy = [entrant.run for entrant in entrants if entrant.is_under_way]
    if not busy:
        return []
    runs, statuses = some_of([run.named for run in busy], MOST_SHOWN), sorted({run.status for run in busy})
    return [
        f"unfinished runs: {runs} ({some_of(statuses)}); wait for them, {what_to_do(statuses)} ({page}), "
        "or leave them as they are with --accept RUN"
    ]
