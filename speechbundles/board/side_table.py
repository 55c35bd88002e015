"""A table that an organiser gives `rank` beside the outputs: of conditions, of flags."""

import csv
from pathlib import Path

from speechbundles.board.outputs import OutputError
from speechbundles.competition.intake.files import LARGEST_FILE
from speechbundles.model.bounded import read_file


def read_rows(path: Path) -> list[list[str]]:
    """The rows of a CSV file, or of one with tabs, the header first; empty ones are left out.

    Raises
    ------
    OSError: no ordinary file, or a larger one than a reference's.
    OutputError: not UTF-8, or not such a file.
    """
    try:
        text = read_file(path, LARGEST_FILE).decode("utf-8-sig")
        delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
        return [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if any(row)]
    except UnicodeDecodeError:
        raise OutputError([f"{path}: not UTF-8"]) from None
    except csv.Error as error:
        raise OutputError([f"{path}: not a CSV file ({error})"]) from None
