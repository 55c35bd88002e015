"""Checks labels that are kept at home: they must be in the folder beside the bundle, and must not be in the bundle."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from speechbundles.bundle.check.inspection import Contents
from speechbundles.model.archive import Archive, Room, open_archive
from speechbundles.model.bounded import parse_settings
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.description import read_description
from speechbundles.model.finding import Report
from speechbundles.model.platform import platforms
from speechbundles.model.zips import HOME, WHOLE, reference_zip
from spokeneval.formats.problems import count_of
from spokeneval.scoring.options import OPTIONS_FILE, Options
from spokeneval.scoring.reference import HOME as HOME_PART
from spokeneval.scoring.reference import ITEMS_FOLDER, PART_FILE, SEALED, fingerprint


@dataclass(frozen=True)
class SealedSet:
    """A set with labels at home: the reference data in the bundle, all labels, and the labels that are kept."""

    uploaded: Archive
    whole: Archive
    sealed: Archive


def sealed_sets(report: Report, contents: Contents, bundle: Path) -> dict[str, SealedSet]:
    """Return the sets with a sealed share, by the names of their reference data.

    Their labels are in the folder that the build wrote beside the platforms' folders.
    """
    sets = {}
    for task in contents.tasks:
        uploaded = task.parts.get("reference_data")
        if uploaded is None or not is_part(uploaded):
            continue
        program = contents.scoring_program(task)
        description = (read_description(program.archive) if program else None) or {}
        home = bundle.resolve().parent.parent / HOME / str(description.get("task", ""))
        for folder in home.glob("*"):
            parts = WHOLE, WHOLE if is_home(uploaded) else SEALED
            whole, sealed = (_labels(folder / part) for part in parts)
            if reference_zip(folder.name) == uploaded.name and sealed.files and _is_of(uploaded, whole):
                sets[uploaded.name] = SealedSet(uploaded, whole, sealed)
        if uploaded.name not in sets:
            which = "its labels" if is_home(uploaded) else "a share of the set is sealed, but its labels"
            code = "home-missing" if is_home(uploaded) else "sealed-missing"
            report.add(code, uploaded.name, f"{which} are not in {home}")
    return sets


UNPROTECTED = (
    "whether others can read these hidden labels depends on the server, as publish reports; labels: home or sealed "
    "hides them on every server"
)


def unprotected_labels(bundle: BuiltBundle) -> list[str]:
    """Return a line for each of a bundle's `hidden_references`.

    This is not a finding, because a live leaderboard needs the labels; but an organiser should choose it knowingly.
    """
    return [f"{name}: {UNPROTECTED}" for name in hidden_references(bundle)]


def hidden_references(bundle: BuiltBundle) -> list[str]:
    """Return the names of a bundle's reference data on a live platform that have all labels of a hidden set."""
    names: dict[str, None] = {}
    for phase in bundle.phases if platforms()[bundle.platform].has_client else ():
        reference, program = (
            open_archive(Report(), str(name), bundle.files.get(str(name), b""), Room())
            for name in (phase.reference_data, phase.scoring_program)
        )
        if reference and program and not is_part(reference) and not has_public_labels(reference, program):
            names[reference.name] = None
    return list(names)


def has_public_labels(reference: Archive, program: Archive) -> bool:
    """Whether participants have the labels of a set, as the scoring program says."""
    try:
        public = Options.load(parse_settings(program.files[OPTIONS_FILE])).public_references
    except (KeyError, ValueError):
        return False
    return fingerprint(reference.files) in public


def _labels(folder: Path) -> Archive:
    """Return the files with labels that a build wrote to a folder; none if the folder does not exist."""
    paths = (path for path in folder.glob("*") if path.is_file() and path.name != PART_FILE)
    return Archive("/".join(folder.parts[-4:]), {path.name: path.read_bytes() for path in paths}, Room())


def _is_of(uploaded: Archive, whole: Archive) -> bool:
    """Return whether the labels in a bundle, if it has any, are among those of the whole set."""
    own = uploaded.files
    return all(set(_lines(own.get(name, b""))) <= set(_lines(data)) for name, data in whole.files.items())


def is_part(reference: Archive) -> bool:
    """Return whether reference data contain the labels of only a part of their set."""
    return PART_FILE in reference.files


def is_home(reference: Archive) -> bool:
    """Return whether reference data contain no labels, because these stay at home."""
    return reference.files.get(PART_FILE, b"").strip() == HOME_PART.encode()


def without_items(reference: Archive) -> Archive:
    """Return reference data without the public items that are stored beside the labels of a part."""
    labels = {name: data for name, data in reference.files.items() if not name.startswith(f"{ITEMS_FOLDER}/")}
    return Archive(reference.name, labels, reference.room)


def check_sealed_rows(report: Report, files: Mapping[str, bytes], sets: Iterable[SealedSet]) -> None:
    """Search all files of a bundle, including those of inner zips, for rows with sealed labels."""
    sealed = {
        row: found.sealed.where(name)
        for found in sets
        for name in found.sealed.files
        for row in _rows(found, name)
    }
    for name, content in files.items():
        there = sealed.keys() & set(() if name.endswith(".zip") else _lines(content))
        if there:
            report.add("sealed-uploaded", name, f"{count_of(len(there), 'row')} of {sealed[min(there)]}")


def _rows(found: SealedSet, name: str) -> list[bytes]:
    """Return the rows of a file that are kept at home, without the header."""
    rows = _lines(found.sealed.files[name])
    if is_home(found.uploaded):
        items = {line for data in found.uploaded.files.values() for line in _lines(data)}
        return [row for row in rows[1:] if row not in items]
    return rows[1:] if rows[:1] == _lines(found.uploaded.files.get(name, b""))[:1] else rows


def _lines(content: bytes) -> list[bytes]:
    return [line for line in map(bytes.strip, content.split(b"\n")) if line]
