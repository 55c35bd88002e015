"""The zips in a bundle: their names, what goes into them, and bytes that are the same whenever that is."""

import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

TASK_FILE = "task.json"
"""What a scoring program says of itself: its scores and options."""

DECIDING_SET = "evaluation"
"""The reference set that decides: its zips have the plain names."""

TRIAL_SET = "development"
"""The set on which systems are tried at home, where its labels are public."""

HOME = "sealed"
"""The folder beside the platforms' in which what is sealed is kept: `TASK/SET/all/` and `TASK/SET/sealed/`."""

WHOLE = "all"
"""In it, a whole set; beside it, the sealed part."""

_LEFT_BEHIND = re.compile(
    r"\..*|__pycache__|__MACOSX|Thumbs\.db|desktop\.ini|.*\.pyc|.*~|~\$.*", re.IGNORECASE
)
"""Files and folders that systems, Python and editors leave in a folder, and hidden ones."""


def reference_zip(name: str) -> str:
    """The name of a set's reference data in a bundle."""
    return "reference_data.zip" if name == DECIDING_SET else f"reference_data_{name}.zip"


def input_zip(name: str) -> str:
    """The name of a set's input data in a bundle."""
    return "input_data.zip" if name == DECIDING_SET else f"input_data_{name}.zip"


def read_tree(folder: Path) -> dict[str, bytes]:
    """The files below a folder but for what nobody put there, `relative name -> content`."""
    paths = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {
        inner.as_posix(): path.read_bytes()
        for inner, path in paths.items()
        if not any(map(_LEFT_BEHIND.fullmatch, inner.parts))
    }


def read_all(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, `relative name -> content`; none where there is no folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def write_tree(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write `relative name -> content` below a folder; returns the folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def make_zip(files: Mapping[str, bytes], *, first: str | None = None) -> bytes:
    """A zip of `name -> content`, in the order of the names, `first` before all others; one date, the first that a zip
    can have, one mode."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(files, key=lambda name: (name != first, name)):
            entry = zipfile.ZipInfo(name)
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            entry.compress_type = (
                zipfile.ZIP_STORED if name.endswith((".zip", ".png")) else zipfile.ZIP_DEFLATED
            )
            archive.writestr(entry, files[name])
    return buffer.getvalue()
