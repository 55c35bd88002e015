"""The entries of a challenge's competitions, scored with all labels at home."""

from pathlib import Path

from speechbundles.model.errors import OrganiserError
from speechbundles.model.read import read_built_bundle
from speechbundles.model.submissions import INDEX
from speechbundles.publication import ScoringOutput, read_outputs, score_all
from speechbundles.publication.season import play_season
from speechbundles.server.connection import Progress


def score_entries(
    bundle: Path,
    place: Path,
    out: Path,
    *,
    at_home: bool,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> list[ScoringOutput]:
    """Return the outputs of the entries of the phase that decides, named by their accounts.

    The entries are those on the platform's leaderboard. If it has no scores, because labels are at home, or there was
    no platform, they are those that the platform would have: `place` is replayed with its limits and its rule.

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
    if (place / INDEX).is_file() and not at_home:
        scored = score_all(bundle, place, out, phase=phase.name, fetched=True, jobs=jobs, progress=progress)
    else:
        season = play_season(bundle, place, work=out / ".season", jobs=jobs, progress=progress)
        key = built.ranking_column().key
        final = [
            entry.attempt for day in season.final if day.phase.number == phase.number for entry in day.board
        ]
        entries = {
            each.submission.team: each.submission.path for each in final if each.score(key) is not None
        }
        scored = score_all(bundle, entries, out, phase=phase.name, jobs=jobs)
    if len(scored.failed) == len(scored.results):
        raise OrganiserError(f"{place}: no submission to {phase.name} of {built.title} has a score")
    return read_outputs([out / name for name in scored.results])
