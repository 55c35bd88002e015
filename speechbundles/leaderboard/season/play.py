"""Rehearse a whole competition: which submissions the platform would run, and the leaderboard after each day.

A season is a folder that contains one folder for each team with the team's submissions, each named by its UTC time:

    season/Team Alpha/2027-03-01T0915_first_try.zip        (or with seconds: 2027-03-01T091500_first_try.zip)

Submissions are replayed in order of time. For each, this module finds the open phase (in a fetched folder: the phase
that it was made to, if this is open), checks the limits per day (UTC) and in total, runs the submission (`rehearse`),
and applies the submission rule, which selects the team's runs on the board. The rules follow the platforms' source
code:

- Phases are open, and have limits, as the platform's `read` returns them.
- Limits apply to each team in each phase. A run that Failed does not count, neither for the day nor in total.
- `Force_Best` and the order of a board follow the platform's `BoardRules`. `Force_Last`: the last to finish.
  `Force_Latest_Multiple`: all runs, still sorted by score. `Add` and similar rules let participants choose; as their
  choice is unknown, the best run of each team is shown, with a note.

Assumptions: a folder is one participant's account; a run ends before the team's next one starts; programs are
deterministic. Results are therefore kept in `DIR/.season` and reused for the same bundle, phase and submission, also
those of runs that exceeded the time limit because this computer was too slow: delete the folder to run them again.
Submissions that a phase passes on to the next one are not rehearsed.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from speechbundles.bundle.rehearse import KeptResult, lost_result, read_result, rehearse_all
from speechbundles.leaderboard.season.board import Day, boards_by_day
from speechbundles.leaderboard.season.replay import PENDING, Attempt, replay
from speechbundles.leaderboard.season.uploads import Submission, read_submissions
from speechbundles.model.archive import LARGEST_BUNDLE
from speechbundles.model.bounded import sha256
from speechbundles.model.bundle import BuiltBundle, BuiltPhase, read_built_bundle

_CACHE_FORMAT = "season 2"


@dataclass(frozen=True)
class Season:
    """A complete season. `rehearsed`: the number of runs made now, without kept results."""

    bundle: BuiltBundle
    attempts: tuple[Attempt, ...]
    days: tuple[Day, ...]
    rehearsed: int

    @property
    def final(self) -> list[Day]:
        """Return the last board of each phase that has a board."""
        last = {day.phase: day for day in self.days}
        return [last[phase] for phase in self.bundle.phases if phase in last]

    @property
    def warnings(self) -> Counter[str]:
        """Return differences between the platform's behaviour and what outputs suggest, with the number of runs."""
        results = [attempt.result for attempt in self.attempts if attempt.result]
        return Counter(warning for result in results for warning in dict.fromkeys(result.warnings))


def play_season(
    bundle: Path,
    folder: Path,
    *,
    work: Path | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Season:
    """Rehearse a season with a bundle.

    Parameters
    ----------
    bundle: a built zip, for any platform.
    folder: contains one folder for each team, see above. Names that begin with a dot are ignored.
    work: folder for the results of runs, from which an interrupted season continues; default: `.season` in `folder`.
    jobs: number of parallel runs; default: the number of processors.
    progress: called with the number of finished runs, and of runs that are known to be needed.

    Raises
    ------
    OrganiserError: the bundle cannot be rehearsed, or the folder contains other files than submissions.
    """
    work = work or folder / ".season"
    return play_submissions(bundle, read_submissions(folder, passed_over=work), work, jobs, progress)


def play_submissions(
    bundle: Path,
    submissions: Sequence[Submission],
    work: Path,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Season:
    """Rehearse a season of submissions in order of time; see `play_season`."""
    built = read_built_bundle(bundle)
    built.ranking_column()  # raises if there is none
    work.mkdir(parents=True, exist_ok=True)
    bundle_sha256 = sha256(bundle, LARGEST_BUNDLE)
    results: dict[str, KeptResult] = {}
    rehearsed = 0

    def key(submission: Submission, phase: BuiltPhase) -> str:
        name = f"{_CACHE_FORMAT}\n{bundle_sha256}\n{submission.sha256}\n{phase.number}"
        return hashlib.sha256(name.encode()).hexdigest()

    def known(submission: Submission, phase: BuiltPhase) -> KeptResult | None:
        if submission.unreadable:
            return lost_result(f"submission: the zip {submission.unreadable}")
        return results.get(key(submission, phase))

    # Whether an attempt is run depends on how the team's earlier ones ended. Assume that all pending runs finish: this
    # uses up most of the limits, so a run that is allowed now is allowed whatever the outcome of the pending ones.
    while True:
        attempts = replay(built, submissions, known)
        pending = {
            key(attempt.submission, attempt.phase): (attempt.phase, attempt.submission.path)
            for attempt in attempts
            if attempt.status == PENDING and attempt.phase
        }
        if not pending:
            break
        results |= {name: result for name in pending if (result := read_result(work / f"{name}.json"))}
        needed = {name: run for name, run in pending.items() if name not in results}
        total = len(results) + len(needed)
        report = progress or (lambda done, total: None)
        report(len(results), total)
        for name, result in rehearse_all(built, needed, work, jobs):
            results[name] = result
            rehearsed += 1
            report(len(results), total)
    return Season(built, tuple(attempts), tuple(boards_by_day(built, attempts)), rehearsed)
