"""The zips in a bundle: their names, the files in them, and bytes that depend only on these files."""

import io
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from speechbundles.model.errors import OrganiserError
from spokeneval.formats.problems import some_of

TASK_FILE = "task.json"
"""The description of a scoring program: its scores and options."""

DECIDING_SET = "evaluation"
"""The reference set that decides the competition. Its zips have names without a suffix."""

TRIAL_SET = "development"
"""The reference set with public labels, on which participants try their systems."""

HOME = "sealed"
"""The folder, beside those of the platforms, for sealed labels: `TASK/SET/all/` and `TASK/SET/sealed/`."""

WHOLE = "all"
"""The folder in it with a whole set, beside the folder with the sealed part."""

_LEFT_BEHIND = re.compile(
    r"\..*|__pycache__|__MACOSX|Thumbs\.db|desktop\.ini|.*\.pyc|.*~|~\$.*", re.IGNORECASE
)
"""Hidden files, and files and folders that operating systems, Python and editors leave behind."""


def reference_zip(name: str) -> str:
    """Return the name of a set's reference data in a bundle."""
    return "reference_data.zip" if name == DECIDING_SET else f"reference_data_{name}.zip"


def input_zip(name: str) -> str:
    """Return the name of a set's input data in a bundle."""
    return "input_data.zip" if name == DECIDING_SET else f"input_data_{name}.zip"


def read_tree(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder, except hidden and left-behind ones, `relative name -> content`."""
    return {name: path.read_bytes() for name, path in tree_files(folder).items()}


def tree_files(folder: Path) -> dict[str, Path]:
    """Return the paths of the files that `read_tree` reads, `relative name -> path`."""
    files = _files(folder).items()
    return {name: path for name, path in files if not any(map(_LEFT_BEHIND.fullmatch, name.split("/")))}


def files_below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files whose names begin with the name of a folder, by their names in it."""
    return {name.removeprefix(folder): content for name, content in files.items() if name.startswith(folder)}


def read_all(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder, `relative name -> content`; none if the folder does not exist."""
    return {name: path.read_bytes() for name, path in _files(folder).items()}


def _files(folder: Path) -> dict[str, Path]:
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path for path in paths}


def write_tree(
    folder: Path, files: Mapping[str, bytes], write: Callable[[Path, bytes], object] = Path.write_bytes
) -> Path:
    """Write files, `relative name -> content`, below a folder and return the folder; `write` writes each.

    Raises
    ------
    OrganiserError: names that are absolute or have `..`; nothing is written.
    """
    outside = [name for name in files if Path(name).anchor or ".." in Path(name).parts]
    if outside:
        raise OrganiserError(f"{some_of(outside)}: not in {folder}; expected relative names without ..")
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write(folder / name, content)
    return folder


def require_new(folder: Path) -> None:
    """Refuse a folder that is not new or empty, so that nothing that somebody filled in is overwritten."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OrganiserError(f"{folder} exists already; name a new folder")


def make_zip(files: Mapping[str, bytes], *, first: str | None = None) -> bytes:
    """Return a zip of files, `name -> content`, sorted by name with `first` before all others.

    All entries have the same mode and the earliest date that a zip can have.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(files, key=lambda name: (name != first, name)):
            entry = zipfile.ZipInfo(name)
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            is_packed = name.endswith((".zip", ".png"))
            entry.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name])
    return buffer.getvalue()
