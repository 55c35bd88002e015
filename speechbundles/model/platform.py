"""What the jobs know of a platform: values and functions, which its folder in `speechbundles/platforms` fills in.

No job names a platform: it asks for that of a bundle, or for all. A new folder is a new platform.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "platforms"
NAMES = tuple(sorted(path.parent.name for path in FOLDER.glob("*/__init__.py")))


# Submission rules: which of a participant's submissions is on the leaderboard

FORCE_BEST = "Force_Best"
FORCE_LAST = "Force_Last"
FORCE_ALL = "Force_Latest_Multiple"
PICKED = ("Add", "Add_And_Delete", "Add_And_Delete_Multiple")
"""Rules under which participants choose their submissions on the leaderboard."""

MEANINGS = {
    "Add": "The leaderboard shows the submission that you choose.",
    "Add_And_Delete": "The leaderboard shows the submission that you choose; you may withdraw it.",
    "Add_And_Delete_Multiple": "The leaderboard shows the submissions that you choose; you may withdraw them.",
    FORCE_LAST: "The leaderboard shows your **last** submission, not your best.",
    FORCE_ALL: "The leaderboard shows all your submissions, the latest first.",
    FORCE_BEST: "The leaderboard shows your **best** submission by the first column, not your last.",
}
"""What each rule means, as participants read it."""

SHOWN = {
    "Add": "the submission that each team chooses",
    "Add_And_Delete": "the submission that each team chooses",
    "Add_And_Delete_Multiple": "the submissions that each team chooses",
    FORCE_LAST: "each team's last submission",
    FORCE_ALL: "all submissions",
    FORCE_BEST: "each team's best submission",
}
"""What a leaderboard shows under each rule, as organisers read it."""


@dataclass(frozen=True)
class BoardRules:
    """How a platform orders its leaderboard.

    Attributes
    ----------
    ties: how equal primary scores are ranked, in words that follow "Equal scores: ".
    all_columns: whether the other columns, in order, and then the earlier submission break ties of primary scores.
    latest_of_equals: whether the latest of a team's runs with equal scores counts as its best; otherwise the earliest.
        Where ranks are not shared, it is also before other teams' runs.
    shared_ranks: whether equal primary scores share a rank and the next score has the next rank; otherwise entries
        are numbered.
    missing_first: whether an entry without the primary score comes first where higher is better.
    """

    ties: str
    all_columns: bool = False
    latest_of_equals: bool = False
    shared_ranks: bool = False
    missing_first: bool = False


@dataclass(frozen=True)
class Platform:
    """Facts about one platform.

    Attributes
    ----------
    name: the name of its folder, and in options.
    title: its name in texts.
    board: how its leaderboard is ordered.
    no_score: the text that its leaderboard shows for a missing score.
    scoring_folder: the folder of a kept rehearsal in which scoring ran; its `output` has the scores.
    upload: where participants upload a submission.
    metadata_files: at a program's root, the first of these has its command; at a submission's, one makes it a program.
    can_hold: whether submissions can wait until an organiser runs them.
    has_client: whether bundles can be published on its servers, with the `client` in its folder.
    dropped_capabilities: capabilities of Linux that its containers do not have.
    file: the file at a bundle's root that describes it.
    kit: where participants find the starting kit, in brackets behind its name.
    program: the files that it adds to every scoring program.
    """

    name: str
    title: str
    board: BoardRules
    no_score: str
    scoring_folder: str
    upload: str
    metadata_files: tuple[str, ...]
    can_hold: bool = False
    has_client: bool = False
    dropped_capabilities: tuple[str, ...] = ()
    file: str = "competition.yaml"
    kit: str = "under Files"
    program: Mapping[str, bytes] = field(default_factory=dict, hash=False)

    def part(self, job: str) -> Any:
        """Return the module in the platform's folder for a job, which has a Protocol of what it uses of it."""
        return import_module(f"speechbundles.platforms.{self.name}.{job}")


@cache
def platforms() -> Mapping[str, Platform]:
    """Return all platforms, by name."""
    return {name: import_module(f"speechbundles.platforms.{name}").PLATFORM for name in NAMES}


def described_in(files: Container[str]) -> str | None:
    """Return the file of a bundle that describes it; None if it has none of any platform."""
    return next((each.file for each in platforms().values() if each.file in files), None)


def live_platform() -> Platform:
    """Return the platform with a client, for which bundles are built if no platform is named."""
    return next(each for each in platforms().values() if each.has_client)
