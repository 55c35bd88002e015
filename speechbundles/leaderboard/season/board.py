"""The leaderboard of a phase, day by day, in a platform's order."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from speechbundles.bundle.rehearse import FINISHED
from speechbundles.leaderboard.season.replay import Attempt
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.competition import Column
from speechbundles.model.platform import FORCE_ALL, FORCE_LAST, platforms
from spokeneval.ranking.ranks import shared_places
from spokeneval.ranking.values import Place


@dataclass(frozen=True)
class Entry(Place):
    """A row of a board. `before`: the team's rank on the previous board. `tied`: another row has the same score."""

    before: int | None
    attempt: Attempt


@dataclass(frozen=True)
class Day:
    """A day that changed a phase's board, with the board at the end of the day."""

    day: date
    phase: BuiltPhase
    board: tuple[Entry, ...]
    attempts: Mapping[str, int]


def boards_by_day(bundle: BuiltBundle, attempts: Sequence[Attempt]) -> Iterable[Day]:
    """Yield the days that changed a board, in order."""
    before: dict[BuiltPhase, tuple[Entry, ...]] = {}
    for day in sorted({attempt.submission.time.date() for attempt in attempts}):
        so_far = [attempt for attempt in attempts if attempt.submission.time.date() <= day]
        for phase in bundle.phases:
            own = [attempt for attempt in so_far if attempt.phase == phase]
            old = before.get(phase, ())
            new = rank(bundle, phase, [attempt for attempt in own if attempt.status == FINISHED], old)
            if [entry.attempt for entry in new] != [entry.attempt for entry in old]:
                before[phase] = new
                today = [attempt for attempt in own if attempt.submission.time.date() == day]
                yield Day(day, phase, new, Counter(attempt.status for attempt in today))


def rank(
    bundle: BuiltBundle, phase: BuiltPhase, finished: Sequence[Attempt], before: Sequence[Entry] = ()
) -> tuple[Entry, ...]:
    """Return a phase's board from its Finished runs in order of time; `before` is the previous board."""
    rules, primary = platforms()[bundle.platform].board, bundle.ranking_column()
    others = [column for column in bundle.columns if column is not primary] if rules.all_columns else []

    def order(attempt: Attempt, columns: Sequence[Column]) -> list[tuple[int, Decimal]]:
        first = rules.missing_first
        return [each.better_first(attempt.score(each.key), missing_first=first) for each in columns]

    teams: dict[str, list[Attempt]] = {}
    for attempt in finished:
        teams.setdefault(attempt.submission.team, []).append(attempt)
    on_board: list[Attempt] = []
    for runs in teams.values():
        if phase.rule == FORCE_ALL:
            on_board += runs
        elif phase.rule == FORCE_LAST:
            on_board.append(runs[-1])
        else:  # of equal runs, `min` takes the first
            ordered = runs[::-1] if rules.latest_of_equals else runs
            on_board.append(min(ordered, key=lambda attempt: order(attempt, [primary, *others])))
    visible = [primary, *(column for column in others if not column.hidden)]
    on_board.sort(key=lambda each: (order(each, visible), each.submission.time, each.submission.team))
    ranks = {_holder(entry.attempt, phase): entry.rank for entry in before}
    scores = [attempt.score(primary.key) for attempt in on_board]
    ties = [place.tied for place in shared_places(scores)]
    numbered = {score: number for number, score in enumerate(dict.fromkeys(scores), 1)}
    shared = [numbered[score] for score in scores] if rules.shared_ranks else range(1, len(scores) + 1)
    return tuple(
        Entry(rank, tied, ranks.get(_holder(attempt, phase)), attempt)
        for rank, tied, attempt in zip(shared, ties, on_board, strict=True)
    )


def _holder(attempt: Attempt, phase: BuiltPhase) -> object:
    """Return the owner of a row, to compare boards: the team, or the submission if a team may have several rows."""
    return attempt.submission if phase.rule == FORCE_ALL else attempt.submission.team
