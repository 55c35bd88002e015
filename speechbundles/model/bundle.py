"""A built bundle, as read from its zip with the readers of the check: here a defect is an error."""

import io
import posixpath
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from speechbundles.model.archive import (
    LARGEST_BUNDLE,
    MOST_ENTRIES,
    Archive,
    Room,
    is_unsafe,
    open_archive,
    read_bundle,
)
from speechbundles.model.bounded import read_entry
from speechbundles.model.document import FILE, Document, read_document
from speechbundles.model.errors import BundleError
from speechbundles.model.finding import Report
from speechbundles.model.platform import described_in, live_platform, platforms
from speechbundles.model.zips import DECIDING_SET, make_zip, reference_zip
from spokeneval.formats.submission_zip import DAMAGED, open_zip
from spokeneval.scoring.output import RECEIVED
from spokeneval.scoring.reference import HOME, PART_FILE
from spokeneval.task import Column

OTHER_PARTS = ("ingestion_program", "reference_data", "input_data")
"""The parts of a task besides its scoring program; each may be missing."""


@dataclass(frozen=True)
class BuiltTask:
    """The programs and data that a submission is run with.

    Attributes
    ----------
    scoring_program, ingestion_program, reference_data, input_data: names of inner zips.
    ingestion_only_during_scoring: whether ingestion runs beside scoring, not before it.
    solutions: names of the zips of sample solutions.
    """

    name: str
    scoring_program: str
    ingestion_program: str | None = None
    reference_data: str | None = None
    input_data: str | None = None
    description: str = ""
    ingestion_only_during_scoring: bool = False
    solutions: tuple[str, ...] = ()

    @property
    def zips(self) -> list[str]:
        """The names of its inner zips, without those of sample solutions."""
        named = (self.scoring_program, self.ingestion_program, self.reference_data, self.input_data)
        return [name for name in named if name is not None]


@dataclass(frozen=True)
class BuiltPhase:
    """A phase of a built bundle, open from `opens` until just before `closes` (None: no end).

    Attributes
    ----------
    number: the index by which a platform identifies it.
    per_day, total: limits on a team's submissions; None: no limit.
    seconds: time limit of a program.
    rule: which of a team's submissions is on the leaderboard (see `platform`).
    hidden: whether the leaderboard is hidden from participants.
    tasks: a submission is run for each of them; there is at least one.
    takes_over: whether submissions to the previous phase migrate to this one.
    public_data, starting_kit: names of the inner zips that participants can download.
    results_only: whether no submission is run as a program.
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
    tasks: tuple[BuiltTask, ...]
    takes_over: bool = False
    public_data: str | None = None
    starting_kit: str | None = None
    results_only: bool = False

    @property
    def scoring_program(self) -> str:
        return self.tasks[0].scoring_program

    @property
    def ingestion_program(self) -> str | None:
        return self.tasks[0].ingestion_program

    @property
    def reference_data(self) -> str | None:
        return self.tasks[0].reference_data

    @property
    def input_data(self) -> str | None:
        return self.tasks[0].input_data

    @property
    def zips(self) -> list[str]:
        """The names of the inner zips of its tasks."""
        return [name for task in self.tasks for name in task.zips]

    def is_open(self, time: datetime) -> bool:
        return self.opens <= time and (self.closes is None or time < self.closes)


@dataclass(frozen=True)
class BuiltBundle:
    """The content of a bundle's zip: phases in order of time, columns in the order of the leaderboard.

    Attributes
    ----------
    primary: the primary column; None if the bundle names no column.
    auto_run: whether a submission is run when it is uploaded; otherwise an organiser starts each run.
    files: the bundle's files, `name -> content`; a folder that competition.yaml names is a zip here.
    unpacked: folders with the unpacked inner zips, by the names of the zips.
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

    def baseline(self, phase: BuiltPhase) -> str | None:
        """Return the name of a phase's baseline, the first sample solution of its task; None without one."""
        name = next(iter(phase.tasks[0].solutions), None)
        return name if name in self.files else None

    def ranking_column(self) -> Column:
        """Return the column by which the leaderboard is sorted.

        Raises
        ------
        BundleError: the bundle has none, or the server computes its scores.
        """
        if self.primary is None:
            what = "the platform loses every score, and there is no leaderboard"
            raise BundleError(f"primary_index names no column: {what}")
        if self.primary.computed:
            what = "the order of the leaderboard is not rehearsed"
            raise BundleError(f"{self.primary.key} is computed by the server: {what}")
        return self.primary

    @property
    def hidden_columns(self) -> frozenset[str]:
        return frozenset(column.key for column in self.columns if column.hidden)

    @property
    def only_receives(self) -> bool:
        """Whether its leaderboard shows no score, because labels of a hidden set stay at home."""
        return [column.key for column in self.columns] == [RECEIVED]

    def phase(self, wanted: str | None) -> BuiltPhase:
        """Return the phase with this name or number.

        Default: the first phase that scores the deciding set, else the first phase.

        Raises
        ------
        BundleError: no such phase.
        """
        found = [phase for phase in self.phases if phase.name == wanted]
        found += [phase for phase in self.phases if phase.number == wanted]
        if wanted is None:
            deciding = reference_zip(DECIDING_SET)
            found = [phase for phase in self.phases if phase.reference_data == deciding] or [*self.phases]
        if not found:
            known = ", ".join(f"{phase.name!r} ({phase.number})" for phase in self.phases)
            raise BundleError(f"the bundle has no phase {wanted!r}; its phases are {known}")
        return found[0]

    def files_of(self, part: str | None) -> dict[str, bytes]:
        """Return the files of an inner zip without junk; none if it is not in the bundle, or cannot be read."""
        archive = open_archive(Report(), str(part), self.files.get(str(part), b""), Room())
        return archive.files if archive else {}

    def is_at_home(self, phase: BuiltPhase) -> bool:
        """Return whether a phase's reference data have no labels, because these stay at home."""
        return self.files_of(phase.reference_data).get(PART_FILE, b"").strip() == HOME.encode()

    def unpack_once(self, place: Path) -> "BuiltBundle":
        """Return this bundle with its inner zips unpacked below a folder, so that `unpack` only makes a link."""
        folders = {}
        for number, name in enumerate(sorted({name for phase in self.phases for name in phase.zips})):
            with suppress(BundleError):  # a run that needs the zip reports it
                folders[name] = self.unpack(name, place / str(number))
        return replace(self, unpacked=folders)

    def unpack(self, name: str, folder: Path) -> Path:
        """Unpack all entries of an inner zip into a new folder, as a worker does."""
        if name in self.unpacked:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.symlink_to(self.unpacked[name], target_is_directory=True)
            return folder
        folder.mkdir(parents=True)
        for entry, content in self.entries(name):
            path = folder / entry
            try:
                (path if entry.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
                if not entry.endswith("/"):
                    path.write_bytes(content)
            except OSError as error:
                raise _damaged(name, entry, error) from None
        return folder

    def entries(self, name: str) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the content of each entry of an inner zip; the name of a folder ends with `/`.

        Raises
        ------
        BundleError: there is no such zip, or it is damaged, too large or unsafe to unpack.
        """
        if not isinstance(name, str) or name not in self.files:
            folder = str(name).removesuffix(".zip") + "/"
            is_there = any(file.startswith(folder) for file in self.files)
            advice = f"; make it from the folder {folder:.100}" * is_there
            file = platforms()[self.platform].file
            raise BundleError(f"{name!s:.100} is named in {file} but is not in the bundle{advice}")
        entry = ""
        try:
            with open_zip(io.BytesIO(self.files[name])) as archive:
                entries = archive.infolist()
                if len(entries) > MOST_ENTRIES or sum(each.file_size for each in entries) > LARGEST_BUNDLE:
                    raise ValueError(f"more than {MOST_ENTRIES} entries, or {LARGEST_BUNDLE / 1e6:.0f} MB")
                if outside := next(filter(is_unsafe, entries), None):
                    what = f"the entry {outside.filename!r:.100} leaves the folder, or its name is too long"
                    raise ValueError(what)
                for each in entries:
                    entry = each.filename
                    yield entry, b"" if each.is_dir() else read_entry(archive, each)
        except zipfile.BadZipFile:
            raise BundleError(f"{name} in the bundle is not a zip; only zips are rehearsed") from None
        except (*DAMAGED, OSError) as error:
            raise _damaged(name, entry, error) from None


def _damaged(name: str, entry: str, error: Exception) -> BundleError:
    what = f"{entry!r:.100} in {name}" if entry else name
    reason = error.strerror if isinstance(error, OSError) else error
    return BundleError(f"{what} in the bundle cannot be unpacked: {reason}")


def read_built_bundle(path: Path) -> BuiltBundle:
    """Read a bundle for any platform: its zip, or the folder with its files.

    Raises
    ------
    BundleError: not a zip or folder, no competition.yaml, or an incomplete one.
    """
    report = Report()
    try:
        archive = read_bundle(report, path)
    except OSError as error:
        raise BundleError(f"{path}: {error.strerror}; expected a bundle's zip or folder") from None
    if archive is None:
        finding = report.findings[-1]
        what = "is not a zip" if finding.code == "bundle-not-zip" else finding.what
        raise BundleError(f"{path}: {what}; expected a bundle's zip")
    name = described_in(archive.files)
    if name is None:
        raise BundleError(f"{path}: it has no {FILE} at its root")
    document = read_document(report, archive.files[name], name)
    if document is None:
        finding = report.findings[-1]
        raise BundleError(f"{path}: {finding.where} is incomplete or malformed: {finding.what}")
    try:
        return bundle_of(archive, document)
    except BundleError as error:
        raise BundleError(f"{path}: {error}") from error


def bundle_of(archive: Archive, document: Document) -> BuiltBundle:
    """Return the bundle in an archive, by the file that describes it.

    Raises
    ------
    BundleError: an incomplete competition.yaml.
    """
    try:
        bundle: BuiltBundle = platforms()[platform_of(document)].part("read").read(document.content)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise BundleError(f"{document.name} is incomplete or malformed: {error!r:.200}") from error
    return replace(bundle, files=_with_zips(archive, bundle))


def _with_zips(archive: Archive, bundle: BuiltBundle) -> dict[str, bytes]:
    """Return the files of a bundle, with a zip of each folder that competition.yaml names, as a platform makes it."""
    files = dict(archive.files)
    for phase in bundle.phases:
        parts = [*phase.zips, phase.public_data, phase.starting_kit]
        for name in [*parts, *(name for task in phase.tasks for name in task.solutions)]:
            if isinstance(name, str) and name not in files:
                path = posixpath.normpath(name)
                if path not in files and (folder := archive.folder(path)) is not None:
                    files[path] = make_zip(folder.files)
                if path in files:
                    files[name] = files[path]
    return files


def platform_of(document: Document) -> str:
    """Return the platform whose format the file that describes a bundle has; the live one if it has none."""
    named = (each for each in platforms().values() if each.file == document.name)
    own = (each.name for each in named if each.part("read").is_own(document.content))
    return next(own, live_platform().name)
