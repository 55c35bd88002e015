"""The entries of a phase's leaderboard in a folder that `fetch` wrote: which runs of a team count.

The time of an upload is that of its first run, because a run that an organiser repeats has a later one. Runs outside
the phase's dates do not count, even if they are on the leaderboard. If a team's entry does not count, its other runs
are considered: its best (`Force_Best`) or its last (`Force_Last`). A team all of whose runs failed has an entry without
a score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from speechbundles.bundle.rehearse import FINISHED
from speechbundles.leaderboard.given import MOST_SHOWN
from speechbundles.leaderboard.outputs import LIST_FILE, SYSTEMS_FILE
from speechbundles.model.bundle import BuiltPhase
from speechbundles.model.errors import OrganiserError
from speechbundles.model.fetched import Fetched, folded, read_index, upload_times
from speechbundles.model.platform import FORCE_ALL, FORCE_LAST, PICKED
from speechbundles.model.statuses import AWAITING, meaning_of
from spokeneval.formats.problems import count_of, some_of
from spokeneval.task import Column


@dataclass(frozen=True)
class Team:
    """A row of the leaderboard: the folder that its output gets, and the runs among which its entry is."""

    folder: str
    runs: tuple[tuple[Fetched, Path], ...]

    def choose(self, column: Column, scores: Mapping[int, Decimal | None]) -> tuple[Fetched, Path]:
        """Return the run with the best score by a column, of equal ones the first. `scores`: by the runs' numbers."""
        return min(self.runs, key=lambda entry: (column.better_first(scores.get(entry[0].id)), entry[0].id))


def read_teams(folder: Path, phase: BuiltPhase) -> tuple[list[Team], list[str]]:
    """Return the teams of a phase with the runs that may be their entries, and notes on what is not ranked, and why.

    Raises
    ------
    OrganiserError: the index cannot be read, or has no run of the phase.
    """
    index = read_index(folder)
    runs = [run for run in index if run.phase == phase.name]
    if not runs:
        known = ", ".join(repr(name) for name in dict.fromkeys(run.phase for run in index)) or "none"
        raise OrganiserError(f"{folder}: no run of the phase {phase.name!r}; phases with runs: {known}")
    times = upload_times(runs)
    there = [run for run in runs if run.on_board or (meaning_of(run.status).board and not run.gone)]
    waiting = (run for run in runs if run.status == AWAITING)
    notes = [f"{run.owner}: run {run.id} does not count: it awaits validation" for run in waiting]
    timely = []
    for run in there:
        if phase.is_open(times[run.id]):
            timely.append(run)
            continue
        early = times[run.id] < phase.opens
        why = f"but the phase opened at {phase.opens}" if early else f"after {phase.closes}"
        when = f"{times[run.id]:%Y-%m-%d %H:%M:%S}"
        notes.append(f"{run.owner}: run {run.id} does not count: uploaded at {when}, {why}")
    if unfinished := [str(run.id) for run in there if not run.complete]:
        count = count_of(len(unfinished), "run")
        notes.append(f"{count} not complete in this folder; fetch again: {some_of(unfinished, MOST_SHOWN)}")
    teams: list[Team] = []
    for owner in sorted({run.owner for run in there}):
        own = [run for run in timely if run.owner == owner]
        on_board = [run for run in own if run.on_board]
        finished = [run for run in own if run.status == FINISHED]
        if phase.rule in (FORCE_ALL, PICKED[-1]):
            teams += [_team(folder, [run], alone=False) for run in on_board]
            if on_board:
                continue
        chosen = on_board[-1:] or ([] if phase.rule in PICKED else finished)
        if phase.rule == FORCE_LAST:
            chosen = chosen[-1:]
        if not finished:
            chosen = own[-1:]
        if chosen:
            teams.append(_team(folder, chosen))
            if not on_board and finished:
                notes.append(f"{owner}: not on the server's leaderboard; ranked by its runs that count")
        else:
            notes.append(f"{owner}: not ranked, without a run that counts on the leaderboard")
    return teams, notes


def _team(folder: Path, runs: Sequence[Fetched], *, alone: bool = True) -> Team:
    name = next((run.owner_folder for run in runs if run.submission), f"run_{runs[0].id}")
    if folded(name) in (LIST_FILE, SYSTEMS_FILE):
        name += "_"
    places = tuple((run, folder / run.submission) for run in runs)
    return Team(name if alone else f"{name}_{runs[0].id}", places)
