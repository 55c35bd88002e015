"""A competition as an organiser declares it: the settings, columns and phases of one bundle."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from speechbundles.model.sources import Sources
from speechbundles.model.zips import DECIDING_SET
from spokeneval.ranking.joint_rule import JointRule
from spokeneval.scoring.options import EXACT
from spokeneval.scoring.output import RECEIVED
from spokeneval.scoring.reference import HOME
from spokeneval.task import Column, Task

PLATFORM = "platform"
"""The labels of hidden sets are uploaded; with `HOME`, they are not."""

ANSWERS, CODE = "answers", "code"
"""What participants upload: the output of their systems, or programs that the organiser runs."""

RUN_LIMITS = {"seconds": 3600, "memory_mb": 8192, "disk_mb": 1024, "gpu": False, "real_time_factor": False}
"""The limits of a program of a competition that declares none."""

Place = tuple[str | int, ...]
"""A place in `competition.yaml`."""

SHELF = "kinds"
"""The folder with what organisers' own tasks have in common, in `scoring_program/`, `pages/` and `starting_kit/`."""

PYTHON = "python"
"""The folder in it for tasks that an organiser wrote in Python, beside those of the kinds."""


RECEIVED_COLUMN = Column(
    RECEIVED,
    "Received",
    "higher",
    0,
    "1 for a submission whose structure is accepted; the organisers compute the scores",
)


@dataclass(frozen=True)
class Phase:
    """A phase: its dates in UTC as `YYYY-MM-DD HH:MM:SS`, the reference set that it scores against, its limits."""

    name: str
    start: str
    reference: str
    max_submissions_per_day: int
    max_submissions: int
    execution_time_limit: int
    end: str | None = None
    description: str = ""
    hide_scores: bool = False

    @property
    def most_by_day(self) -> int:
        """How many submissions the daily limit allows in all; 0 if the phase has no end."""
        first, last = (date.fromisoformat(time[:10]) for time in (self.start, self.end or self.start))
        return ((last - first).days + 1) * self.max_submissions_per_day if self.end else 0


@dataclass(frozen=True)
class Competition:
    """One competition as it is uploaded: its task, its settings after the lookup, its columns and phases.

    Attributes
    ----------
    challenge_tasks: all tasks of its challenge, including its own.
    definition: the task, with default options.
    origin: the place in `competition.yaml` where each setting was found.
    sources: the folders with its files.
    stated: the settings in the `competition.yaml` of its own folder.
    joint: the challenge with whose other bundles it is ranked; None if it is ranked alone.
    elsewhere: the submissions of one participant to the other bundles of its task, by the zip of the labels.
    """

    name: str
    task: str
    challenge: str
    settings: Mapping[str, Any]
    columns: tuple[Column, ...]
    phases: tuple[Phase, ...]
    challenge_tasks: tuple[str, ...]
    definition: Task = field(compare=False, repr=False)
    origin: Mapping[str, Place]
    sources: Sources
    stated: frozenset[str]
    joint: "Challenge | None" = None
    elsewhere: Mapping[str, int] = field(default_factory=dict)

    def __getitem__(self, setting: str) -> Any:
        return self.settings[setting]

    @property
    def shelves(self) -> tuple[str, ...]:
        """The folders with pages and kit files for an organiser's own task: those of its kind, then of all kinds."""
        kind = PYTHON if self.definition.code else self.definition.declaration.get("kind")
        return (f"{SHELF}/{kind}", SHELF) if kind else ()

    @property
    def programs(self) -> str:
        """The folder of its programs in `scoring_program/` and `ingestion_program/`, unless they are generated."""
        return SHELF if self.shelves else self.task

    @property
    def options(self) -> dict[str, str]:
        return dict(self.settings.get("options", {}))

    @property
    def about(self) -> Mapping[str, Any]:
        """Facts about the competition, for the pages."""
        return dict(self.settings.get("about", {}))

    @property
    def sets(self) -> list[str]:
        """The reference sets that it needs: the public sets, then those that its phases score against."""
        return list(dict.fromkeys([*self["public_sets"], *self.scored_sets]))

    @property
    def scored_sets(self) -> list[str]:
        """The sets that a phase scores against, in order."""
        return list(dict.fromkeys(phase.reference for phase in self.phases))

    @property
    def last_set(self) -> str:
        """The set of the last steps that pages and kits describe: `evaluation`, or else the last one scored."""
        return DECIDING_SET if DECIDING_SET in self.scored_sets else self.scored_sets[-1]

    @property
    def deciding_phase(self) -> Phase:
        """The first phase that scores the deciding set, else the first phase, as in a built bundle."""
        return next((phase for phase in self.phases if phase.reference == DECIDING_SET), self.phases[0])

    def sealed_share(self, name: str) -> float:
        """Return the share of a set's units that is sealed; 0 for a public set, or if nothing is sealed."""
        return 0.0 if name in self["public_sets"] else self.settings.get("sealed", 0.0)

    @property
    def hidden_sets(self) -> list[str]:
        """The scored sets whose labels are hidden from participants."""
        return [name for name in self.scored_sets if name not in self["public_sets"]]

    @property
    def home_sets(self) -> list[str]:
        """The hidden sets of which no platform gets a label."""
        return self.hidden_sets if self["labels"] == HOME else []

    @property
    def takes_code(self) -> bool:
        """Whether participants upload programs."""
        return bool(self["submissions"] == CODE)

    @property
    def sound(self) -> Path:
        """The folder with the recordings that stay at home, a folder for each set."""
        return Path(self.sources.folder, self["sound"])

    @property
    def run_limits(self) -> dict[str, Any]:
        """The limits of a program: those that are declared, and the usual ones."""
        return {**RUN_LIMITS, **self["run_limits"]}

    @property
    def board(self) -> tuple[Column, ...]:
        """The columns of its leaderboard.

        All phases share the leaderboard. If the labels of a set stay at home, its only column is `received`, in every
        phase: the scores on public labels are on the report page and in the kit. With coarse feedback on a hidden set,
        its columns are `coarse_columns`: platforms show n/a in a column without a score, and no other score, nor an
        interval, is written for that set.
        """
        if self.home_sets:
            return (RECEIVED_COLUMN,)
        if self["feedback"] == EXACT or not self.hidden_sets:
            return self.columns
        return self.coarse_columns

    @property
    def coarse_columns(self) -> tuple[Column, ...]:
        """The columns that have steps: the first, and those that the setting `coarse_columns` names."""
        first, *others = self.columns
        return (first, *(column for column in others if column.key in self["coarse_columns"]))

    @property
    def page_files(self) -> list[str]:
        return [page["file"] for page in self["pages"]] + [self["terms"]]

    def page_path(self, file: str) -> Path:
        """Return the source of a page: the bundle's own, its task's, its challenge's, its kind's, or the common one."""
        own = self.sources.folder / "pages" / self.name / file
        owners = (self.task, self.challenge, *self.shelves, ".")
        return own if own.is_file() else self.sources.page(owners, file)

    @property
    def hides_scores(self) -> bool:
        return any(phase.hide_scores for phase in self.phases)

    @property
    def detailed_results(self) -> bool:
        """Whether report pages are written: not for hidden scores, because no platform can hide a report page."""
        return bool(self["detailed_results"]) and not self.hides_scores

    @property
    def shows_reports(self) -> bool:
        """Whether the platform has report pages: it writes none where participants upload programs."""
        return self.detailed_results and not self.takes_code


@dataclass(frozen=True)
class Challenge:
    """Competitions with one ranking.

    Attributes
    ----------
    bundles: its competitions, by the names of their bundles.
    rule: how their scores become one; None if each is ranked by itself.
    compulsory: the bundles without which a team is not ranked.
    """

    name: str
    bundles: Mapping[str, Competition]
    rule: JointRule | None
    compulsory: tuple[str, ...] = ()

    @property
    def files(self) -> list[str]:
        """The files that submissions to its competitions may have side by side."""
        named = (each.definition.format.submission_file for each in self.bundles.values())
        return list(dict.fromkeys(filter(None, named)))

    def other_files(self, competition: Competition) -> list[str]:
        """Return the files that a submission to one of its competitions may have beside its own."""
        return [file for file in self.files if file != competition.definition.format.submission_file]
