"""Reference sets: the organiser's files, read by the very reader that will score against them.

What participants may know of a set (the item list, the class sizes) is derived from it here, never typed twice.
"""

import csv
import io
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bundling.bounded import read_file
from spokeneval.formats.problems import ReferenceFileError, count_of
from spokeneval.formats.submission_zip import open_zip
from spokeneval.run.options import fingerprint
from spokeneval.tasks import find_task

LARGEST_FILE = 64_000_000
"""Bytes of a reference's file; the largest of the five challenges has eight million."""
MOST_CELLS = 1_000_000
"""Of an Excel sheet."""


class BadReference(ValueError):
    """A reference cannot be used; `str()` names the files and rows."""


@dataclass(frozen=True)
class ReferenceSet:
    """One set of a task.

    Attributes
    ----------
    files: the reference's own files, `name -> content`, as they go into the reference data.
    public: the files that participants and the ingestion program get, `name -> content`.
    items: the ids of its items.
    dropped: lines that were left out knowingly, each with its reason.
    at_home: where a share is sealed, so that `files` hold the labels of the open part alone, what the organiser keeps,
        `name -> content`: `all/`, the whole reference, and `sealed/`, that of the sealed part.
    """

    task: str
    name: str
    files: Mapping[str, bytes]
    public: Mapping[str, bytes]
    items: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    at_home: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.files)

    @property
    def rows(self) -> set[str]:
        """The files' rows as they stand, but for the first of each, mostly a header."""
        return _rows(self.files)

    @property
    def sealed_rows(self) -> set[str]:
        """The rows that no platform may have; none where nothing is sealed."""
        return _rows(self.at_home) - self.rows


def _rows(files: Mapping[str, bytes]) -> set[str]:
    rows = set()
    for content in files.values():
        lines = [line.strip() for line in content.decode("utf-8-sig").split("\n")]
        rows.update([line for line in lines if line][1:])
    return rows


def load_reference(
    task: str, name: str, path: Path, options: Mapping[str, str], *, drop_invalid_rows: bool = False
) -> ReferenceSet:
    """Read a set from a folder with the reference's files, or from the file itself where a task has just one.

    Raises
    ------
    BadReference: files missing or unusable, with every row that is wrong.
    """
    task_format = find_task(task).format
    files = _collect(path, task_format.reference_files)
    dropped: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        while True:
            for file, content in files.items():
                Path(folder, file).write_bytes(content)
            try:
                reference = task_format.read_reference(Path(folder))
                break
            except ReferenceFileError as error:
                rows = [problem for problem in error.problems if problem.line and problem.code not in _NO_ROW]
                if not (drop_invalid_rows and rows):
                    raise BadReference(
                        _describe_refusal(path, task, name, error, dropped, bool(rows))
                    ) from None
                dropped += [f"{problem.file} line {problem.line}: {problem.message}" for problem in rows]
                for file in files:
                    lines = {problem.line for problem in rows if problem.file == file}
                    # An emptied line keeps the numbers of those below it.
                    kept = [b"" if n in lines else line for n, line in enumerate(files[file].split(b"\n"), 1)]
                    files[file] = b"\n".join(kept)
    return ReferenceSet(
        task=task,
        name=name,
        files=files,
        public=task_format.public_files(reference, options),
        items=tuple(reference.items.ids),
        dropped=tuple(dropped),
    )


_NO_ROW = {"missing_column", "duplicate_column", "not_utf8", "nul_byte", "carriage_return", "file_too_large"}
"""Problems with a line that are the whole file's: leaving the line out would not mend them."""


def _describe_refusal(
    path: Path, task: str, name: str, error: Exception, dropped: list[str], droppable: bool
) -> str:
    words = [f"{path}: reference of {task}, set {name}", str(error)]
    if dropped:
        words += [
            "",
            f"This is what is left after {count_of(len(dropped), 'row')} were left out:",
            *dropped[:20],
        ]
    elif droppable:
        words += ["", "--drop-invalid-reference-rows leaves such rows out."]
    return "\n".join(words)


def _collect(path: Path, names: tuple[str, ...]) -> dict[str, bytes]:
    """The reference's files, from a folder or from the one file; a spreadsheet is taken for a `.csv` of its name."""
    if path.is_file() and len(names) == 1:
        return {names[0]: _read(path)}
    if not path.is_dir():
        expected = "a file or a folder" if len(names) == 1 else f"a folder with {', '.join(names)}"
        raise BadReference(f"{path}: expected {expected}")
    files = {}
    for name in names:
        sheet = (path / name).with_suffix(".xlsx")
        if (path / name).is_file():
            files[name] = _read(path / name)
        elif sheet.is_file():
            files[name] = _from_spreadsheet(sheet)
        else:
            found = ", ".join(sorted(file.name for file in path.iterdir())) or "nothing"
            raise BadReference(f"{path}: no {name}; found {found} ({count_of(len(names), 'file')} expected)")
    return files


def _read(path: Path) -> bytes:
    try:
        return read_file(path, LARGEST_FILE)
    except OSError as error:
        raise BadReference(f"{path}: {error.strerror}") from None


def _from_spreadsheet(path: Path) -> bytes:
    """The first sheet of an Excel workbook as comma-separated text."""
    from openpyxl import load_workbook

    data = io.BytesIO(_read(path))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    cells = 0
    try:
        with open_zip(data) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > LARGEST_FILE:
                raise ValueError(f"unpacks to more than {LARGEST_FILE / 1e6:.0f} MB")
        for row in (
            load_workbook(data, read_only=True, data_only=True).worksheets[0].iter_rows(values_only=True)
        ):
            cells += len(row)
            if cells > MOST_CELLS:
                raise ValueError(f"more than {MOST_CELLS} cells, empty ones counted")
            if any(cell is not None for cell in row):
                writer.writerow(["" if cell is None else cell for cell in row])
    except Exception as error:  # of a damaged workbook, whatever its parsers raise
        raise BadReference(f"{path}: not an Excel workbook that can be read ({error})") from None
    return buffer.getvalue().encode("utf-8")
