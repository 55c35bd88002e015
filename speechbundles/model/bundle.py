"""A built bundle, read once from its zip: what rehearsals and seasons go by."""

import io
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from speechbundles.model.archive import LARGEST_BUNDLE, MOST_ENTRIES, is_unsafe
from speechbundles.model.bounded import read_entry
from speechbundles.model.competition import Column
from speechbundles.model.errors import BundleError
from speechbundles.model.zips import DECIDING_SET, reference_zip
from spokeneval.formats.submission_zip import DAMAGED, open_zip


@dataclass(frozen=True)
class BuiltPhase:
    """A phase of a built bundle, open from `opens` until before `closes` (None: for ever).

    Attributes
    ----------
    number: its index, by which a platform knows it.
    per_day, total: how many submissions a team has; None: no limit.
    seconds: time limit of a program.
    rule: which of a team's submissions is on the board (see `platforms.facts`).
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

    @property
    def zips(self) -> list[str]:
        """The inner zips that it names."""
        named = (self.scoring_program, self.ingestion_program, self.reference_data, self.input_data)
        return [name for name in named if name is not None]

    def is_open(self, time: datetime) -> bool:
        return self.opens <= time and (self.closes is None or time < self.closes)


@dataclass(frozen=True)
class BuiltBundle:
    """What a bundle's zip says: phases in order of time, columns in the board's order.

    `primary` is None where the bundle names no column. `auto_run`: a submission is run when it is uploaded; otherwise
    an organiser starts each. `files`: the zip's entries, `name -> content`. `unpacked`: folders with what inner zips
    hold.
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
    unpacked: Mapping[str, Path] = field(default_factory=dict, repr=False)

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

    def unpack_once(self, place: Path) -> "BuiltBundle":
        """This bundle with each inner zip unpacked in a folder below a place: `unpack` then makes a link to it."""
        folders = {}
        for number, name in enumerate(sorted({name for phase in self.phases for name in phase.zips})):
            with suppress(BundleError):  # told by a run that needs it
                folders[name] = self.unpack(name, place / str(number))
        return replace(self, unpacked=folders)

    def unpack(self, name: str, folder: Path) -> Path:
        """Unpack an inner zip into a new folder, junk and all, as a worker does."""
        if name in self.unpacked:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.symlink_to(self.unpacked[name], target_is_directory=True)
            return folder
        folder.mkdir(parents=True)
        if not isinstance(name, str) or name not in self.files:
            raise BundleError(f"{name!s:.100} is named in competition.yaml but is not in the bundle")
        entry = None
        try:
            with open_zip(io.BytesIO(self.files[name])) as archive:
                _check_entries(archive)
                for entry in archive.infolist():
                    path = folder / entry.filename
                    (path if entry.is_dir() else path.parent).mkdir(parents=True, exist_ok=True)
                    if not entry.is_dir():
                        path.write_bytes(read_entry(archive, entry))
        except zipfile.BadZipFile:
            raise BundleError(f"{name} in the bundle is no zip; only zips are rehearsed") from None
        except (*DAMAGED, OSError) as error:
            what = f"{entry.filename!r:.100} in {name}" if entry else name
            reason = error.strerror if isinstance(error, OSError) else error
            raise BundleError(f"{what} in the bundle cannot be unpacked: {reason}") from None
        return folder


def _check_entries(archive: zipfile.ZipFile) -> None:
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES or sum(entry.file_size for entry in entries) > LARGEST_BUNDLE:
        raise ValueError(f"more than {MOST_ENTRIES} entries, or {LARGEST_BUNDLE / 1e6:.0f} MB")
    for entry in entries:
        if is_unsafe(entry):
            raise ValueError(f"the entry {entry.filename!r:.100} would land outside, or has too long a name")
