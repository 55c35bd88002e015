"""`teams.csv` of a challenge: the accounts of each team in its competitions.

The columns are `team`, those of the bundles, and optionally `aliases`, accounts that a team may have in any of them.
Several accounts in a cell are separated by semicolons. An account that is not listed is a team of its own.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from speechbundles.leaderboard.given import listed, raise_problems, read_rows
from speechbundles.model.errors import OrganiserError
from speechbundles.model.text import hint

TEAMS_FILE, TEAM, ALIASES = "teams.csv", "team", "aliases"


def read_teams_table(folder: Path, bundles: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the team of each account in `teams.csv`, `bundle -> account -> team`; none without the file.

    Raises
    ------
    OSError: the file is not an ordinary file, or too large.
    OrganiserError: lists every problem of the file.
    """
    path, found = folder / TEAMS_FILE, {bundle: dict[str, str]() for bundle in bundles}
    if not path.exists():
        return found
    header, rows = read_rows(path)
    known = (TEAM, ALIASES, *bundles)
    problems = [
        f"column {name!r} is not known{hint(name, known)}; expected {', '.join(known)}"
        for name in header
        if name not in known
    ]
    problems += [f"column {name} appears twice" for name in known if header.count(name) > 1]
    problems += [] if TEAM in header else [f"no column {TEAM}"]
    raise_problems(path, problems)
    lines = [dict(zip(header, row, strict=False)) for row in rows]
    names = Counter(line.get(TEAM, "") for line in lines)
    odd = {
        "teams that appear twice": [name for name, count in names.items() if count > 1],
        "rows without a team": ["(no name)"] * names[""],
        "rows with more cells than the header": [row[0] for row in rows if len(row) > len(header)],
        "accounts of two teams": [],
    }
    for line in lines:
        for bundle, teams in found.items():
            cells = f"{line.get(bundle, '')};{line.get(ALIASES, '')};{line[TEAM]}"
            for account in dict.fromkeys(filter(None, map(str.strip, cells.split(";")))):
                if teams.setdefault(account, line[TEAM]) != line[TEAM]:
                    odd["accounts of two teams"].append(f"{account} ({bundle})")
    raise_problems(path, listed(odd))
    return found


def without_entry(
    teams: Mapping[str, Mapping[str, str]], accounts: Mapping[str, Collection[str]]
) -> list[str]:
    """Return a note on each listed account without an entry in any bundle, with an unlisted one that is much like it.

    Parameters
    ----------
    accounts: those with an entry, by bundle.
    """
    listed = {account for own in teams.values() for account, team in own.items() if account != team}
    entered = set[str]().union(*accounts.values())
    return [
        f"{TEAMS_FILE}: {account} has no entry{hint(account, entered - listed)}"
        for account in sorted(listed - entered)
    ]


def baseline_team(
    baseline: str, teams: Mapping[str, Mapping[str, str]], accounts: Mapping[str, Collection[str]]
) -> str:
    """Return the team of a baseline that is named by its team or by an account.

    Parameters
    ----------
    accounts: those with an entry, by bundle.

    Raises
    ------
    OrganiserError: the account is of different teams in two bundles, of which one may be a participant's.
    """
    found = {
        own.get(baseline, baseline): bundle
        for bundle, own in teams.items()
        if baseline in own or baseline in accounts[bundle]
    }
    if len(found) > 1:
        where = " and ".join(f"{team} in {bundle}" for team, bundle in found.items())
        what = f"baseline: the account {baseline} is of the team {where}"
        raise OrganiserError(
            f"{what}; name the team of the baseline, or list the account for it in {TEAMS_FILE}"
        )
    return next(iter(found), baseline)


def by_team(scores: Mapping[str, float], teams: Mapping[str, str], *, higher: bool) -> dict[str, str]:
    """Return the team of each account that counts: of several accounts of a team, the one with the best score."""
    ordered = sorted(scores, key=lambda account: (-scores[account] if higher else scores[account], account))
    best = {teams.get(account, account): account for account in reversed(ordered)}
    return {account: team for team, account in best.items()}
