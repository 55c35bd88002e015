"""A text for each team of a season, to send by mail: what became of each of its submissions, and what it has left.

It has the primary score as the leaderboard shows it, and of a refused submission all that the team's own check would
print.
"""

from collections.abc import Mapping, Sequence

from speechbundles.bundle.rehearse import FAILED, FINISHED
from speechbundles.leaderboard.season import Attempt, Season
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.dates import MINUTES
from speechbundles.model.fetched import folders_of
from spokeneval.formats.problems import FREE_ATTEMPT, printable

_STATUS = {FAILED: "refused; it does not count as a submission"}


def mail_texts(
    title: str, seasons: Sequence[Season], names: Mapping[str, str], *, scored: bool = True
) -> dict[str, str]:
    """Return a text for each team, `file name -> text`; the first line is the subject.

    Parameters
    ----------
    seasons: those of the bundles of a challenge.
    names: the anonymous names of teams on the leaderboard.
    scored: whether teams may know their scores.
    """
    teams = sorted({attempt.submission.team for season in seasons for attempt in season.attempts})
    files = folders_of(teams)
    texts = {}
    for team in teams:
        lines = [f"Subject: {title}: your submissions", "", f"Dear {team},", ""]
        lines += [
            "this is the state of your submissions. Times are in UTC; scores are as on the leaderboard.",
            "",
        ]
        for season in seasons:
            own = [attempt for attempt in season.attempts if attempt.submission.team == team]
            lines += [season.bundle.title, ""] if own and len(seasons) > 1 else []
            for attempt in own:
                lines += _lines_of(attempt, season.bundle, scored=scored)
            left = _left(own, season.bundle)
            lines += ["", *left] if left else []
            lines += [""] if own else []
        if team in names:
            lines += [f"On the leaderboard, your name is {names[team]}.", ""]
        texts[f"{files[team]}.txt"] = printable("\n".join(lines), kept="\n")
    return texts


def _lines_of(attempt: Attempt, bundle: BuiltBundle, *, scored: bool) -> list[str]:
    """Return the status of a submission, and why it has no score."""
    column, upload = bundle.ranking_column(), attempt.submission
    status = _STATUS.get(attempt.status, "not scored")
    if attempt.status == FINISHED:
        shown = attempt.result.shown.get(column.key, "")
        status = f"accepted, {column.title} {shown}" if scored and shown else "accepted"
    where = f"{attempt.phase.name}: " if attempt.phase else ""
    reasons = [f"    {line}" for line in attempt.result.reasons if line != FREE_ATTEMPT]
    return [f"{upload.time:{MINUTES}}  {upload.name}", f"  {where}{status}", *reasons]


def _left(attempts: Sequence[Attempt], bundle: BuiltBundle) -> list[str]:
    """Return for each phase with a submission how many count, and how many are allowed."""
    lines = []
    for phase in bundle.phases:
        own = [attempt for attempt in attempts if attempt.phase == phase]
        if not own:
            continue
        counted = sum(attempt.status == FINISHED for attempt in own)
        used = f"{counted} of {phase.total}" if phase.total is not None else f"{counted}"
        a_day = f", at most {phase.per_day} a day" if phase.per_day is not None else ""
        closes = f"; open until {phase.closes:{MINUTES}}" if phase.closes else ""
        lines.append(f"{phase.name}: {used} submissions used{a_day}{closes}.")
    return lines
