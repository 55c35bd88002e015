"""Rehearse a whole competition: which submissions the platform would run, when, and the board that they make.

A season is a folder with one folder a team, and in that the team's submissions, each named by its UTC time:

    season/Team Alpha/2027-03-01T0915_first_try.zip        (or with seconds: 2027-03-01T091500_first_try.zip)

They are replayed in order of time. At each: which phase is open, is there a submission left today (UTC) and in
all, what does the run come to (`rehearse`), and which of the team's runs does the submission rule put
on the board. The rules are those of the platforms' sources:

- Phases. Codabench: open from `start` to `end`, both seconds included. CodaLab: up to the start of the next.
- Limits are a phase's and a team's. A run that Failed is free on both platforms, for the day and in all
  (Codabench: `Phase.can_user_make_submissions`; CodaLab: `CompetitionSubmission.save`). A limit of 0 means none
  at all on CodaLab, no limit on Codabench.
- `Force_Best`: on Codabench the best by the primary column, then by the others in order, then the earliest; on
  CodaLab the best by the first column alone, of equals the latest. `Force_Last`: the last to finish.
  `Force_Latest_Multiple`: all, and the board sorts them by score all the same. `Add` and its kin: participants
  pick; what they would pick is not known, so the best of each is shown, with a note.
- A board is sorted by the primary column, then (Codabench) the other visible ones, then the earlier submission.
  Without a primary score, an entry is first on Codabench where more is better.

Taken for granted: a folder is one participant's account; a run ends before the team's next one starts; programs
are deterministic, so a result is kept (in `DIR/.season`) and serves again for the same bundle, phase and
submission. That holds for a run which this machine was too slow for, too: delete the folder to run it again.
Submissions that a phase migrates to the next one are not rehearsed.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from speechbundles.model.archive import LARGEST_BUNDLE
from speechbundles.model.bounded import sha256
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.errors import OrganiserError
from speechbundles.model.read import read_built_bundle
from speechbundles.rehearse import Result, read_result, rehearse_all
from speechbundles.season.board import Day, boards_by_day
from speechbundles.season.replay import PENDING, Attempt, replay
from speechbundles.season.uploads import Submission, read_submissions

_CACHE_FORMAT = "season 2"


@dataclass(frozen=True)
class Season:
    """The season played to its end. `rehearsed`: how many runs were made now, and not taken from an earlier time."""

    bundle: BuiltBundle
    attempts: tuple[Attempt, ...]
    days: tuple[Day, ...]
    rehearsed: int

    @property
    def final(self) -> list[Day]:
        """The last board of each phase that has one."""
        last = {day.phase: day for day in self.days}
        return [last[phase] for phase in self.bundle.phases if phase in last]

    @property
    def warnings(self) -> Counter[str]:
        """Where the platform does something else than a run's output suggests, and in how many runs."""
        results = [attempt.result for attempt in self.attempts if attempt.result]
        return Counter(warning for result in results for warning in dict.fromkeys(result.warnings))


def play(
    bundle: Path,
    folder: Path,
    *,
    work: Path | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Season:
    """Play a season against a bundle.

    Parameters
    ----------
    bundle: a built zip, for Codabench or CodaLab.
    folder: one folder a team, see above. Names that begin with a dot are passed over.
    work: keeps the results of runs, so that a season that was stopped goes on from there; default: `.season` in
        the folder.
    jobs: runs at once; default: as many as there are processors.
    progress: called with the number of runs that are done, and of those that are known to be needed.

    Raises
    ------
    OrganiserError: the bundle cannot be rehearsed, the folder contains anything but submissions, or there are fewer
        jobs than one.
    """
    if jobs is not None and jobs < 1:
        raise OrganiserError(f"jobs is {jobs}; expected 1 or more")
    built = read_season_bundle(bundle)
    work = work or folder / ".season"
    submissions = read_submissions(folder, passed_over=work)
    work.mkdir(parents=True, exist_ok=True)
    bundle_sha256 = sha256(bundle, LARGEST_BUNDLE)
    results: dict[str, Result] = {}
    rehearsed = 0

    def key(submission: Submission, phase: BuiltPhase) -> str:
        name = f"{_CACHE_FORMAT}\n{bundle_sha256}\n{submission.sha256}\n{phase.number}"
        return hashlib.sha256(name.encode()).hexdigest()

    def known(submission: Submission, phase: BuiltPhase) -> Result | None:
        return results.get(key(submission, phase))

    # Whether an attempt runs depends on how the team's earlier ones ended. Assume that a pending run finishes: that
    # uses the most quota, so any run allowed now is allowed whatever its outcome.
    while True:
        attempts = replay(built, submissions, known)
        pending = {
            key(attempt.submission, attempt.phase): (attempt.phase, attempt.submission.path)
            for attempt in attempts
            if attempt.status == PENDING and attempt.phase
        }
        if not pending:
            break
        kept = {name: result for name in pending if (result := read_result(work / f"{name}.json"))}
        results |= kept
        needed = {name: run for name, run in pending.items() if name not in kept}
        total = len(results) + len(needed)
        if progress:
            progress(len(results), total)
        for name, result in rehearse_all(built, needed, work, jobs or os.cpu_count() or 1):
            results[name] = result
            rehearsed += 1
            if progress:
                progress(len(results), total)
    return Season(built, tuple(attempts), tuple(boards_by_day(built, attempts)), rehearsed)


def read_season_bundle(path: Path) -> BuiltBundle:
    """A bundle of which every phase can be rehearsed and has a board.

    Raises
    ------
    BundleError: otherwise.
    """
    bundle = read_built_bundle(path)
    for phase in bundle.phases:
        bundle.phase(phase.number)
    bundle.ranking_column()
    return bundle
