"""The leaderboard of a challenge: its entries, one ranking of the teams over all tasks, then the ranking of each task.

Its page has exact scores: it is for the time after the evaluation.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from speechbundles.leaderboard.home import play_uploads, read_all_uploads
from speechbundles.leaderboard.outputs import ScoringOutput, read_outputs
from speechbundles.leaderboard.rank import make_board
from speechbundles.leaderboard.score import score_all
from speechbundles.leaderboard.season import Season
from speechbundles.leaderboard.teams import by_team
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.competition import Challenge
from speechbundles.model.errors import OrganiserError
from speechbundles.model.fetched import read_index
from speechbundles.model.sources import Sources
from speechbundles.model.submissions import INDEX
from speechbundles.model.text import Progress, silent
from spokeneval.formats.problems import printable
from spokeneval.ranking.joint import join_tasks, why_apart
from spokeneval.ranking.joint_rule import JointRule
from spokeneval.ranking.leaderboard import Leaderboard


def score_entries(
    bundle: Path,
    place: Path,
    out: Path,
    *,
    at_home: bool,
    jobs: int | None = None,
    progress: Progress = silent,
) -> tuple[list[ScoringOutput], Sequence[str], Season | None]:
    """Return the outputs of the entries of the phase that decides, named by their accounts, and notes on other runs.

    The last value is the season that was replayed; None if the platform has the scores.

    The entries are those on the platform's leaderboard. If it has no scores, because labels are at home, they are those
    of the leaderboard that `make_home_board` makes. If there was no platform, they are those that it would have:
    `place` is replayed with its limits and its rule.

    Parameters
    ----------
    bundle: the zip that has all labels.
    place: a folder that `fetch` wrote, or a folder for `season`.
    out: a private folder for the outputs, which contain the counts of each unit.
    at_home: whether the platform has no labels.

    Raises
    ------
    OrganiserError: a folder or the bundle cannot be used.
    """
    built = read_built_bundle(bundle)
    phase = built.phase(None)
    notes, season = list[str](), None
    if (place / INDEX).is_file() and not at_home:
        scored = score_all(bundle, place, out, phase=phase.name, fetched=True, jobs=jobs, progress=progress)
        accounts = scored.accounts
    else:
        key = built.ranking_column().key
        season, on_board = play_uploads(
            bundle, read_all_uploads(place, phase.name), out / ".season", notes, jobs, progress
        )
        chosen = [each.submission for each in on_board.get(phase, []) if each.score(key) is not None]
        accounts = {each.path.parent.name: each.team for each in chosen}
        entries = {each.path.parent.name: each.path for each in reversed(chosen)}  # its best is the last
        scored = score_all(bundle, entries, out, phase=phase.name, jobs=jobs)
    if len(scored.failed) == len(scored.results):
        what = f"{place}: no submission to {phase.name} of {built.title} has a score"
        raise OrganiserError("\n  ".join([what, *notes, *scored.notes]))
    outputs = zip(scored.results, read_outputs([out / name for name in scored.results]), strict=True)
    best = {accounts[name]: output for name, output in reversed([*outputs])}
    named = [replace(output, name=account) for account, output in reversed(best.items())]
    return named, [*notes, *scored.notes], season


def baseline_accounts(bundle: Path, place: Path) -> set[str]:
    """Return the accounts of a fetched folder whose uploads to the phase that decides are all the bundle's baseline."""
    built = read_built_bundle(bundle)
    phase = built.phase(None)
    name = built.baseline(phase)
    if name is None or not (place / INDEX).is_file():
        return set()
    digest = hashlib.sha256(built.files[name]).hexdigest()
    runs = [run for run in read_index(place) if run.phase == phase.name]
    return {run.owner for run in runs} - {run.owner for run in runs if run.sha256 != digest}


def make_joint_board(
    challenge: Challenge,
    outputs: Mapping[str, Sequence[ScoringOutput]],
    teams: Mapping[str, Mapping[str, str]],
    sources: Sources,
    day: date,
) -> Leaderboard:
    """Rank the teams of a challenge.

    Parameters
    ----------
    challenge: the baseline of its rule is named by its team.
    outputs: those of each bundle's entries, named by their accounts.
    teams: the names of the teams of accounts, `bundle -> account -> name`; other accounts are teams of their own.

    Raises
    ------
    OrganiserError: as `make_board`, or the baseline cannot be used.
    """
    boards, baseline = {}, challenge.rule.baseline if challenge.rule else ""
    for name, competition in challenge.bundles.items():
        column = competition.columns[0]
        scores = {output.name: output.scores[column.key] for output in outputs[name] if output.scores}
        counted = by_team(scores, teams[name], higher=column.direction == "higher")
        ranked = {counted[each.name]: each for each in outputs[name] if each.name in counted}
        lost = {teams[name].get(each.name, each.name): each for each in outputs[name] if not each.scores}
        named = [replace(each, name=printable(team)) for team, each in (ranked | lost | ranked).items()]
        marked = baseline if baseline in {each.name for each in named} else ""
        boards[name] = make_board(sources, named, title=competition["title"], day=day, baseline=marked)
    try:
        if challenge.rule:
            return replace(join_tasks(boards, challenge.rule), title=challenge.name, day=day)
    except ValueError as error:
        raise OrganiserError(f"{challenge.name}: {error}") from None
    entered = {name: set(board.names) for name, board in boards.items()}
    teams_of = sorted({team for board in boards.values() for team in (*board.names, *board.unscored)})
    why = {team: why_apart(team, entered, challenge.compulsory, excluded=False) for team in teams_of}
    return Leaderboard(
        next(iter(boards.values())).column,
        (),
        rule=JointRule("", compulsory=challenge.compulsory),
        tasks=boards,
        apart={team: reason for team, reason in why.items() if reason},
        title=challenge.name,
        day=day,
    )
