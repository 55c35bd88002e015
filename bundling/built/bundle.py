"""A built bundle, read once from its zip: what rehearsals and seasons go by."""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from bundling.competition.competition import Column
from bundling.zips import DECIDING_SET, reference_zip


class BundleError(ValueError):
    """A bundle that cannot be used; the text says what is wrong with it."""


@dataclass(frozen=True)
class BuiltPhase:
    """A phase of a built bundle, open from `opens` until before `closes` (None: for ever).

    Attributes
    ----------
    number: its index, by which a platform knows it.
    per_day, total: how many submissions a team has; None: no limit.
    seconds: time limit of a program.
    rule: which of a team's submissions is on the board (see `platforms.submission_rules`).
    hidden: whether participants do not see the board.
    takes_over: whether submissions to the phase before migrate to this one.
    scoring_program, ingestion_program, reference_data, input_data: names of inner zips.
    warning: what of it is not rehearsed; empty where all is.
    refusal: why it cannot be rehearsed at all; empty where it can.
    """

    number: str
    name: str
    opens: datetime
    closes: datetime | None
    per_day: int | None
    total: int | None
    seconds: float
    rule: str
    hidden: bool
    takes_over: bool
    scoring_program: str
    ingestion_program: str | None
    reference_data: str | None
    input_data: str | None
    warning: str = ""
    refusal: str = ""

    def is_open(self, time: datetime) -> bool:
        return self.opens <= time and (self.closes is None or time < self.closes)


@dataclass(frozen=True)
class BuiltBundle:
    """What a bundle's zip says: phases in order of time, columns in the board's order.

    `primary` is None where the bundle names no column. `auto_run`: a submission is run when it is uploaded; otherwise
    an organiser starts each. `files`: the zip's entries, `name -> content`.
    """

    platform: str
    title: str
    image: str
    phases: tuple[BuiltPhase, ...]
    columns: tuple[Column, ...]
    primary: Column | None
    detailed_results: bool
    auto_run: bool = True
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    def ranking_column(self) -> Column:
        """The column that the board is sorted by.

        Raises
        ------
        BundleError: there is none, or its scores are not known here.
        """
        if self.primary is None:
            raise BundleError(
                "primary_index names no column: the platform loses every score, there is no board"
            )
        if self.primary.computed:
            raise BundleError(
                f"{self.primary.key} is computed by the server: the board's order is not rehearsed"
            )
        return self.primary

    def phase(self, wanted: str | None) -> BuiltPhase:
        """The phase with this name or number; default: the first that scores the deciding set, else the first.

        Raises
        ------
        BundleError: no such phase, or one that cannot be rehearsed.
        """
        found = [phase for phase in self.phases if phase.name == wanted]
        found += [phase for phase in self.phases if phase.number == wanted]
        if wanted is None:
            deciding = reference_zip(DECIDING_SET)
            found = [phase for phase in self.phases if phase.reference_data == deciding] or [*self.phases]
        if not found:
            known = ", ".join(f"{phase.name!r} ({phase.number})" for phase in self.phases)
            raise BundleError(f"there is no phase {wanted!r} in the bundle; there are {known}")
        if found[0].refusal:
            raise BundleError(found[0].refusal)
        return found[0]

    def unpack(self, name: str, folder: Path) -> Path:
        """Unpack an inner zip into a new folder, junk and all, as a worker does."""
        folder.mkdir(parents=True)
        if name not in self.files:
            raise BundleError(f"{name} is named in competition.yaml but is not in the bundle")
        try:
            with zipfile.ZipFile(io.BytesIO(self.files[name])) as archive:
                for entry in archive.namelist():
                    path = PurePosixPath(entry)
                    if path.is_absolute() or ".." in path.parts or "\\" in entry:
                        raise BundleError(f"{name} in the bundle: the entry {entry!r} would land outside")
                archive.extractall(folder)
        except zipfile.BadZipFile:
            raise BundleError(f"{name} in the bundle is no zip; only zips are rehearsed") from None
        return folder
