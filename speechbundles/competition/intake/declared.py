"""How the files of a set are read, as `sets` in `competition.yaml` declares it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from speechbundles.model.competition import Competition
from speechbundles.model.text import dotted

SETTING = "sets"


@dataclass(frozen=True)
class Declared:
    """What an organiser declares about the files of one set.

    Attributes
    ----------
    place: where it is in `competition.yaml`, for messages.
    file: the name of the file in the set's folder; empty if it is found by the task's own name.
    sheet: the title of a workbook's sheet; empty if it is chosen by its columns.
    separator: the character between cells; empty if it is chosen by the columns.
    header_row: the line of the header, from 1; 0 for the first line that is not blank.
    rename: the task's names of columns -> the organiser's.
    drop_invalid_rows: whether rows that cannot be used are left out with a warning.
    commas: numbers with a comma that the task's reader refused, so that their columns are read with decimal commas.
    """

    place: str = SETTING
    file: str = ""
    sheet: str = ""
    separator: str = ""
    header_row: int = 0
    rename: Mapping[str, str] = field(default_factory=dict)
    drop_invalid_rows: bool = False
    commas: frozenset[str] = frozenset()


NOTHING_DECLARED = Declared()


def declared_of(competition: Competition, name: str) -> Declared:
    """Return what a competition declares about one of its sets."""
    declared = competition.settings.get(SETTING, {}).get(name, {})
    place = competition.origin.get(SETTING, (SETTING,))
    return Declared(dotted((*place, name)), **declared)
