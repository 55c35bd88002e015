"""Keep the labels of a hidden set, or of a share of it, off every platform, so that none can reveal them.

Whole units (`Task.units`) are drawn when the bundle is built. The platform's reference holds the labels of the open
part only, with the public items of the whole set (`spokeneval.scoring.reference`). The organiser keeps the sealed
labels.

The draw sorts the units by a keyed hash of their names; the key is derived from the label file. The same labels give
the same draw on every machine, and nobody can compute it from the code and the public items without the labels. A draw
that an earlier build wrote is kept, so that correcting a label in mid-season does not open sealed units.
"""

import hashlib
import hmac
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from speechbundles.competition.references import ReferenceSet, load_reference
from speechbundles.model.errors import BadReference, SealError
from speechbundles.model.tabular import read_rows
from speechbundles.model.zips import WHOLE
from spokeneval.formats.problems import FileProblems, ReferenceFileError, plural_of
from spokeneval.formats.text import read_folder
from spokeneval.scoring.reference import HOME, ITEMS_FOLDER, OPEN, PART_FILE, SEALED, parse_reference
from spokeneval.task import Task

FEWEST_SEALED = 10
"""Fewest units in either part. With fewer, scores are imprecise, and the draw can be guessed from a few units."""

MARK = "sealed"
"""The column that marks the units to seal with yes, if an organiser has chosen them."""

_FARTHEST = 0.05
"""Tolerated difference between the share of an earlier draw and the requested one: units may have changed since."""


def draw_units(units: Collection[str], share: float, key: bytes) -> frozenset[str]:
    """Return the units to seal.

    Parameters
    ----------
    units: distinct names.
    share: the share of the units to seal, from 0 to 1.
    key: a secret that participants do not have.
    """
    order = sorted(units, key=lambda unit: hmac.digest(key, unit.encode(), "sha256"))
    return frozenset(order[: round(share * len(order))])


def seal(reference: ReferenceSet, share: float, kept: Path | None) -> ReferenceSet:
    """Return the set with the labels of the open part only.

    Parameters
    ----------
    share: the share of the units to seal, above 0 and below 1.
    kept: the folder with the set's draw by an earlier build, if it exists.

    Raises
    ------
    SealError: too few units in a part, or an earlier draw of another share.
    BadReference: a part that cannot be used as a reference, or an earlier draw from other labels.
    """
    task = reference.definition
    unit, unit_of, units = _units_of_lines(task, reference)
    key = hashlib.sha256(reference.files[task.format.reference_files[0]]).digest()
    before, sealed = _earlier_draw(task, reference, kept)
    marked = _marked(reference, unit_of)
    sealed = marked if marked is not None else (sealed & units) | draw_units(units - before, share, key)
    found = f"{len(sealed)} of the {len(units)} {plural_of(unit)} of the {reference.name} set of {task.name}"
    if min(len(sealed), len(units) - len(sealed)) < FEWEST_SEALED:
        least = f"at least {FEWEST_SEALED} sealed and {FEWEST_SEALED} open"
        raise SealError(f"{found} would be sealed; expected {least}")
    if abs(len(sealed) / len(units) - share) > _FARTHEST:
        by = f"the column {MARK}; change `sealed` or the column"
        by = by if marked is not None else f"the earlier draw in {kept}; to draw again, move this folder away"
        raise SealError(f"{found} are sealed by {by}")
    public = {f"{ITEMS_FOLDER}/{name}": content for name, content in reference.public.items()}
    parts, gold = {}, {}
    for part, chosen in ((OPEN, units - sealed), (SEALED, sealed)):
        files = {name: _lines_of(content, unit_of[name], chosen) for name, content in reference.files.items()}
        parts[part] = {**files, PART_FILE: f"{part}\n".encode(), **public}
        try:
            gold[part] = parse_reference(task, parts[part])
        except ReferenceFileError as error:
            raise BadReference(
                f"{task.name}, set {reference.name}: its {part} part cannot be used as a reference\n{error}"
            ) from None
    home = {f"{WHOLE}/{name}": content for name, content in reference.files.items()}
    home.update({f"{SEALED}/{name}": content for name, content in parts[SEALED].items()})
    return replace(reference, files=parts[OPEN], parsed=gold[OPEN], at_home=home)


def refuse_marked(reference: ReferenceSet) -> None:
    """Raise SealError if the column `sealed` marks units of a set of which no share is to be sealed."""
    if any(MARK.encode() in content.partition(b"\n")[0] for content in reference.files.values()):
        unit, unit_of, units = _units_of_lines(reference.definition, reference)
        if marked := _marked(reference, unit_of):
            raise SealError(
                f"the column {MARK} of the {reference.name} set of {reference.task} has yes for {len(marked)} of the "
                f"{len(units)} {plural_of(unit)}, whose labels would be uploaded. Add `sealed: "
                f"{len(marked) / len(units):.2g}`, or remove the column"
            )


def keep_home(reference: ReferenceSet) -> ReferenceSet:
    """Return the set without any label, and without facts that depend on labels."""
    public = {f"{ITEMS_FOLDER}/{name}": content for name, content in reference.public.items()}
    files = {PART_FILE: f"{HOME}\n".encode(), **public}
    return replace(
        reference,
        files=files,
        parsed=parse_reference(reference.definition, files),
        facts=replace(reference.facts, units=None, classes=""),
        at_home={f"{WHOLE}/{name}": content for name, content in reference.files.items()},
    )


def _units_of_lines(
    task: Task, reference: ReferenceSet
) -> tuple[str, dict[str, dict[int, str | None]], set[str]]:
    """Return what a unit is called, the unit of each line with labels, `file -> line -> unit`, and all of these units.

    The unit is None for a line that does not affect any score.
    """
    units = task.units(reference.parsed.labels)
    of_lines = {
        file: {line: units.of.get(name) for line, name in rows.items()}
        for file, rows in task.format.rows(reference.files).items()
    }
    named = {unit for lines in of_lines.values() for unit in lines.values() if unit is not None}
    return units.called, of_lines, named


def _marked(
    reference: ReferenceSet, unit_of: Mapping[str, Mapping[int, str | None]]
) -> frozenset[str] | None:
    """Return the units that the column `sealed` of a table marks with yes; None without such a column.

    Raises
    ------
    SealError: a unit with yes and no.
    """
    for file, units in unit_of.items():
        header, *rows = read_rows(reference.files[file])
        if MARK in header[1]:
            at = header[1].index(MARK)
            marks = {(units.get(line), cells[at].strip().lower() == "yes") for line, cells in rows}
            sealed = frozenset(unit for unit, mark in marks if mark and unit is not None)
            if both := sorted(sealed & {unit for unit, mark in marks if not mark}):
                raise SealError(f"{file}: {both[0]} has yes and no in the column {MARK}; seal whole units")
            return sealed
    return None


def _lines_of(content: bytes, unit_of: Mapping[int, str | None], units: Collection[str]) -> bytes:
    """Return a file with the labels of the given units only."""
    lines = enumerate(content.split(b"\n"), 1)
    return b"\n".join(line for number, line in lines if number not in unit_of or unit_of[number] in units)


def _earlier_draw(
    task: Task, reference: ReferenceSet, kept: Path | None
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the units of an earlier build and its sealed units; both empty if there was none."""
    if kept is None or not (kept / WHOLE).is_dir():
        return frozenset(), frozenset()
    try:
        whole = load_reference(task, reference.name, kept / WHOLE, reference.options)
        sealed = task.format.read_reference(read_folder(kept / SEALED))
        units = [frozenset(task.units(labels).of.values()) for labels in (whole.parsed.labels, sealed)]
    except (BadReference, FileProblems) as error:
        what = f"{kept} holds the draw of an earlier build, but cannot be read"
        raise BadReference(f"{what}\n{error}") from None
    if 2 * len(whole.rows & reference.rows) < len(reference.rows):
        raise BadReference(
            f"{kept} was drawn from other labels than those of {task.name}, set {reference.name}: more than half of "
            "the rows differ. To draw again, move this folder away. But if a bundle built with it is in use, keep it, "
            "and provide the labels in the format that it was built from"
        )
    return units[0], units[1]
