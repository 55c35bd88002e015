"""A sealed share of a hidden set: labels that no platform ever has, so that no board can tell them.

Whole units (`Task.units`) are drawn when the bundle is built. The platform's reference holds the labels of the open
part alone, beside the public items of the whole set (`spokeneval.run.reference`); what is sealed stays at home.

The draw sorts the units by a hash of their names whose key is the file with the labels: the same labels give the same
draw anywhere, and nobody who lacks them can compute it from the code and the public items. A draw that was written
beside an earlier bundle stays, so that a label that is corrected in mid-season opens nothing that was sealed.
"""

import hashlib
import hmac
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from speechbundles.competition.references import ReferenceSet, load_reference
from speechbundles.model.errors import BadReference, SealError
from speechbundles.model.zips import WHOLE
from spokeneval.formats.files import read_folder
from spokeneval.formats.problems import FileProblems, ReferenceFileError
from spokeneval.run.reference import ITEMS_FOLDER, OPEN, PART_FILE, SEALED, parse_reference
from spokeneval.task import Task

FEWEST_UNITS = 10
"""In either part: with fewer its scores say little, and who knows a few units may guess the draw."""

_FARTHEST = 0.05
"""How far a draw that is kept may be from the share that is asked for: units may have been left out since."""


def draw_units(units: Collection[str], share: float, key: bytes) -> frozenset[str]:
    """The units that are sealed.

    Parameters
    ----------
    units: names, each once.
    share: of the units, from 0 to 1.
    key: what participants do not have.
    """
    order = sorted(units, key=lambda unit: hmac.digest(key, unit.encode(), "sha256"))
    return frozenset(order[: round(share * len(order))])


def seal(reference: ReferenceSet, share: float, kept: Path | None) -> ReferenceSet:
    """A set whose files hold the labels of the open part alone.

    Parameters
    ----------
    share: of its units, above 0 and below 1.
    kept: the folder that an earlier build may have left of the set; None where there is none.

    Raises
    ------
    SealError: too few units in a part, or a draw that was kept of another share.
    BadReference: a part that cannot be scored against, or a draw that was kept of other labels.
    """
    task = reference.rules
    unit, unit_of = _units_of_lines(task, reference)
    units = {unit for lines in unit_of.values() for unit in lines.values() if unit is not None}
    key = hashlib.sha256(reference.files[task.format.reference_files[0]]).digest()
    before, sealed = _earlier_draw(task, reference, kept)
    sealed = (sealed & units) | draw_units(units - before, share, key)
    found = f"{len(sealed)} of the {len(units)} {unit}s of the {reference.name} set of {task.name}"
    if min(len(sealed), len(units) - len(sealed)) < FEWEST_UNITS:
        raise SealError(f"{found} would be sealed; expected at least {FEWEST_UNITS} sealed and as many open")
    if abs(len(sealed) / len(units) - share) > _FARTHEST:
        raise SealError(f"{found} are sealed by the draw in {kept}; move it away to draw another share anew")
    public = {f"{ITEMS_FOLDER}/{name}": content for name, content in reference.public.items()}
    parts, gold = {}, {}
    for part, chosen in ((OPEN, units - sealed), (SEALED, sealed)):
        files = {name: _lines_of(content, unit_of[name], chosen) for name, content in reference.files.items()}
        parts[part] = {**files, PART_FILE: f"{part}\n".encode(), **public}
        try:
            gold[part] = parse_reference(task, parts[part])
        except ReferenceFileError as error:
            raise BadReference(
                f"{task.name}, set {reference.name}: its {part} part cannot be scored against\n{error}"
            ) from None
    home = {f"{WHOLE}/{name}": content for name, content in reference.files.items()}
    home.update({f"{SEALED}/{name}": content for name, content in parts[SEALED].items()})
    return replace(reference, files=parts[OPEN], gold=gold[OPEN], at_home=home)


def _units_of_lines(task: Task, reference: ReferenceSet) -> tuple[str, dict[str, dict[int, str | None]]]:
    """What a unit is, and that of each line that holds labels, `file -> line -> unit`; None of a line that nothing is
    scored by."""
    units = task.units(reference.gold.labels)
    of_lines = {
        file: {line: units.of.get(name) for line, name in rows.items()}
        for file, rows in task.format.rows(reference.files).items()
    }
    return units.called, of_lines


def _lines_of(content: bytes, unit_of: Mapping[int, str | None], units: Collection[str]) -> bytes:
    """A file with those of its labels alone that are of some units."""
    lines = enumerate(content.split(b"\n"), 1)
    return b"\n".join(line for number, line in lines if number not in unit_of or unit_of[number] in units)


def _earlier_draw(
    task: Task, reference: ReferenceSet, kept: Path | None
) -> tuple[frozenset[str], frozenset[str]]:
    """The units that were drawn from and those that were sealed, by the build that left a folder."""
    if kept is None or not (kept / WHOLE).is_dir():
        return frozenset(), frozenset()
    try:
        whole = load_reference(task.name, reference.name, kept / WHOLE, reference.options)
        sealed = task.format.read_reference(read_folder(kept / SEALED))
        units = [frozenset(task.units(labels).of.values()) for labels in (whole.gold.labels, sealed)]
    except (BadReference, FileProblems) as error:
        raise BadReference(
            f"{kept} holds the draw of an earlier build, but cannot be read\n{error}"
        ) from None
    if 2 * len(whole.rows & reference.rows) < len(reference.rows):
        raise BadReference(
            f"{kept} holds the draw of another gold standard than that of {task.name}, set {reference.name}: more than "
            "half of the rows differ. Move it away to draw anew; while a bundle that was built with it is in use, give "
            "the reference in the same notation"
        )
    return units[0], units[1]
