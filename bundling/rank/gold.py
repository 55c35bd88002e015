"""The gold standard that a board was scored against, found again at home: in the competition's folder."""

import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from bundling.competition.competition import Competition
from bundling.competition.folder import find
from bundling.competition.references import BadReference, load_reference
from bundling.rank.outputs import OutputError
from bundling.zips import write_tree
from spokeneval.formats.tables import split_row

Columns = Mapping[str, Mapping[str, Sequence[str]]]
"""`column -> item -> its cells`, a cell a row."""


def find_columns(root: Path, competition: Competition, items: Sequence[str]) -> Columns:
    """The columns of the competition's set with all items of a board; of a board on a share of a set, the whole set.

    Raises
    ------
    OutputError: no set of the competition has them; sets that cannot be read are told.
    """
    unread = []
    for name in competition.sets:
        try:
            columns = read_columns(root, competition, name)
        except BadReference as error:
            unread.append(str(error))
            continue
        if all(set(items) <= cells.keys() for cells in columns.values()):
            return columns
    raise OutputError(
        [
            f"the gold standard of this board is not in {competition.folder}: no set of {competition.task} there "
            f"({', '.join(competition.sets)}) has its {len(items)} items; name its folder with --competition",
            *unread,
        ]
    )


def read_columns(root: Path, competition: Competition, name: str) -> Columns:
    """The columns of a set's files; of two with one name, the first.

    Raises
    ------
    BadReference: files that are missing, or unusable.
    """
    place = find(root, competition.folder, f"reference_data/{competition.task}/{name}")
    reference = load_reference(competition.task, name, place, competition.options, drop_invalid_rows=True)
    layouts = {layout.file: layout for layout in reference.rules.format.layouts}
    with tempfile.TemporaryDirectory() as folder:
        rows = reference.rules.format.rows(write_tree(Path(folder), reference.files))
    columns: dict[str, Mapping[str, Sequence[str]]] = {}
    for file, item_of in rows.items():
        lines = reference.files[file].decode("utf-8-sig").split("\n")
        fields = {
            number: split_row(line.rstrip("\r"), layouts[file].delimiter) or []
            for number, line in enumerate(lines, 1)
        }
        header = next(cells for number, cells in fields.items() if any(cells) and number not in item_of)
        for place_in_row, column in enumerate(header):
            cells_of: dict[str, list[str]] = defaultdict(list)
            for number, item in item_of.items():
                cells_of[item].append(fields[number][place_in_row])
            columns.setdefault(column.strip(), cells_of)
    return columns
