"""The entries of a challenge's competitions, scored with all labels at home."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from speechbundles.leaderboard.outputs import ScoringOutput, read_outputs
from speechbundles.leaderboard.score import score_all
from speechbundles.leaderboard.season import play_season
from speechbundles.model.bounded import digest_of
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.errors import OrganiserError
from speechbundles.model.fetched import read_index
from speechbundles.model.submissions import INDEX
from speechbundles.server.api import Progress
from speechbundles.server.baselines import baseline_name
from speechbundles.server.board import play_fetched, runs_of_uploads


def score_entries(
    bundle: Path,
    place: Path,
    out: Path,
    *,
    at_home: bool,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> tuple[list[ScoringOutput], Sequence[str]]:
    """Return the outputs of the entries of the phase that decides, named by their accounts, and notes on other runs.

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
    is_fetched, notes = (place / INDEX).is_file(), list[str]()
    if is_fetched and not at_home:
        scored = score_all(bundle, place, out, phase=phase.name, fetched=True, jobs=jobs, progress=progress)
        accounts = scored.accounts
    else:
        work, key = out / ".season", built.ranking_column().key
        if is_fetched:
            runs = runs_of_uploads([run for run in read_index(place) if run.phase == phase.name])
            placed = play_fetched(bundle, place, runs, work, notes, jobs, progress)[1].get(phase, [])
        else:
            season = play_season(bundle, place, work=work, jobs=jobs, progress=progress)
            placed = [entry.attempt for day in season.final if day.phase == phase for entry in day.board]
        chosen = [each.submission for each in placed if each.score(key) is not None]
        accounts = {each.path.parent.name: each.team for each in chosen}
        entries = {each.path.parent.name: each.path for each in reversed(chosen)}  # its best is the last
        scored = score_all(bundle, entries, out, phase=phase.name, jobs=jobs)
    if len(scored.failed) == len(scored.results):
        what = f"{place}: no submission to {phase.name} of {built.title} has a score"
        raise OrganiserError("\n  ".join([what, *notes, *scored.notes]))
    outputs = zip(scored.results, read_outputs([out / name for name in scored.results]), strict=True)
    best = {accounts[name]: output for name, output in reversed([*outputs])}
    named = [replace(output, name=account) for account, output in reversed(best.items())]
    return named, [*notes, *scored.notes]


def baseline_accounts(bundle: Path, place: Path) -> set[str]:
    """Return the accounts of a fetched folder whose uploads to the phase that decides are all the bundle's baseline."""
    built = read_built_bundle(bundle)
    phase = built.phase(None)
    name = baseline_name(built, phase)
    if name is None or not (place / INDEX).is_file():
        return set()
    digest = digest_of(built.files[name])
    runs = [run for run in read_index(place) if run.phase == phase.name]
    others = {run.owner for run in runs if run.sha256 != digest}
    return {run.owner for run in runs} - others
