"""A round of annotation: what annotators are asked, and the folder with their sheets or their empty files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from speechbundles.annotation.assign import COLUMNS, Assignment, assign
from speechbundles.annotation.sheets import Questions, require_names, sheet_name, sheet_of
from speechbundles.annotation.tables import (
    ASSIGNMENT,
    DATA,
    ITEMS,
    SPEAKER,
    Frame,
    csv_bytes,
    data_file,
    read_data,
    read_items,
    read_table,
    refusing,
)
from speechbundles.annotation.turn_files import empty_annotation, stem_of
from speechbundles.model.errors import OrganiserError
from speechbundles.model.zips import require_new
from spokeneval.formats.problems import some_of
from spokeneval.formats.text import decimal

TURN_FORMATS = ("eaf", "TextGrid")
FORMATS = ("xlsx", "csv", *TURN_FORMATS)


@dataclass(frozen=True)
class Round:
    """What annotators were asked: what `assign` wrote into a folder, or what the organiser says of other files.

    Attributes
    ----------
    id: the column of the items.
    questions: see `sheets`.
    items: the table of the items, by id; without rows if there is none.
    assigned: the rows of the assignment; None for other files.
    unit: the column of the items over which intervals are computed.
    """

    id: str
    questions: Questions
    items: Frame
    assigned: Frame | None = None
    unit: str = SPEAKER

    @cached_property
    def units(self) -> Mapping[str, str]:
        return dict(self.items[self.unit]) if self.unit in self.items.columns else {}

    @cached_property
    def seconds(self) -> Mapping[str, float]:
        """The durations that are known."""
        return dict(self.items["duration"].map(decimal).dropna()) if "duration" in self.items.columns else {}


def read_round(folder: Path) -> Round:
    """Read what `assign` wrote into a folder."""
    written = read_data(folder)
    with refusing() as problems:
        assigned = read_table(folder / ASSIGNMENT, problems, COLUMNS)
    return Round(written["id"], written["questions"], read_items(folder / ITEMS, written["id"]), assigned)


def begin_round(
    folder: Path, ours: Round, plan: Assignment, show: Sequence[str], form: str
) -> tuple[dict[str, bytes], Frame]:
    """Return the files that a folder lacks, `name -> content`, and the rows of the assignment that are added.

    Parameters
    ----------
    ours: without an assignment; the items of an earlier round are among its items.
    show: the columns that annotators see.
    form: one of `FORMATS`.

    Raises
    ------
    OrganiserError: the folder has other files, another round asked other questions, an item is gone, or names that
        `require_names` refuses.
    """
    require_names(plan.annotators, [] if form in TURN_FORMATS else [ours.id, *show, *ours.questions])
    before, items = pd.DataFrame(columns=COLUMNS), ours.items
    if (folder / DATA).is_file():
        earlier = read_round(folder)
        gone = [item for item in earlier.items.index if item not in items.index]
        if gone or earlier.questions != ours.questions:
            how = f"with {some_of(gone)}" if gone else "with other questions"
            raise OrganiserError(f"{folder} has an earlier round {how}; only add items, or name a new folder")
        before = earlier.assigned
    else:
        require_new(folder)
    rows, files = assign(list(items.index), plan, before), {}
    unknown = [item for item in rows["item"] if item not in ours.seconds] if form == "TextGrid" else []
    if unknown:
        raise OrganiserError(f"a TextGrid needs the column duration, in seconds; it lacks {some_of(unknown)}")
    for (who, number), mine in rows.groupby(["annotator", "round"], sort=False):
        name = sheet_name(who, number)
        if form not in TURN_FORMATS:
            files[f"{name}.{form}"] = sheet_of(mine, items, ours.questions, show, f".{form}")
            continue
        for item in mine["item"]:
            empty = empty_annotation(item, ours.seconds.get(item, 0.0), ours.questions, f".{form}")
            files[f"{name}/{stem_of(item)}.{form}"] = empty
    files[ASSIGNMENT] = csv_bytes(pd.concat([before, rows], ignore_index=True), exact=True)
    files[ITEMS] = csv_bytes(items.reset_index(), exact=True)
    return {**files, **data_file(str(items.index.name), ITEMS, questions=ours.questions)}, rows
