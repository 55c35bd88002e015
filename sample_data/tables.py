"""Tables as all samples have them: UTF-8, LF, the header first."""

from collections.abc import Iterable
from pathlib import Path

from spokeneval.formats.tables import csv_text


def write_table(path: Path, rows: Iterable[Iterable[object]], delimiter: str = ",") -> Path:
    """Write a table below a folder that need not exist; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(csv_text(rows, delimiter).encode())
    return path
