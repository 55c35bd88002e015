"""Tables as all samples have them: UTF-8, LF, the header first."""

import csv
from collections.abc import Iterable
from pathlib import Path


def write_table(path: Path, rows: Iterable[Iterable[object]], delimiter: str = ",") -> Path:
    """Write a table below a folder that need not exist; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return path
