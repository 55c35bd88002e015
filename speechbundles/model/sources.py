"""A competition folder: laid out as the repository's root, with what differs and nothing else.

Code and templates that are not in it are the repository's. Data never are: what an organiser does not give would be
the sample's. The repository itself is the sample's competition folder.
"""

import os
from fnmatch import fnmatch
from pathlib import Path

from speechbundles.model.competition import Competition
from speechbundles.model.zips import read_tree

NO_FOLDER = Path(os.devnull)
"""The folder of a competition whose gold standards are given one by one: nothing is in it."""

NOTE = "WHAT_GOES_HERE.txt"
"""In a folder for data, what belongs there; it is no data."""

_DATA = ("reference_data/*", "starting_kit/*/data/*")


def find(root: Path, folder: Path, name: str) -> Path:
    """Where a competition has a file, or would have it.

    Parameters
    ----------
    root: the repository.
    folder: the competition's folder.
    name: below either of them.
    """
    own = folder / name
    return own if _is_data(name) or own.exists() else root / name


def page_path(root: Path, competition: Competition, file: str) -> Path:
    """A page's source: the task's own, else the challenge's, else the series'; the competition folder's first."""
    for place in (competition.folder, root):
        for owner in (competition.task, competition.challenge, "."):
            own = place / "pages" / owner / file
            if own.is_file():
                return own
    return root / "pages" / file


def read_files(root: Path, folder: Path, name: str) -> dict[str, bytes]:
    """The files that a competition has below a folder, `relative name -> content`."""
    templates = {
        inner: content for inner, content in _tree(root / name).items() if not _is_data(f"{name}/{inner}")
    }
    files = {**templates, **_tree(folder / name)}
    return {inner: content for inner, content in files.items() if Path(inner).name != NOTE}


def _tree(folder: Path) -> dict[str, bytes]:
    return read_tree(folder) if folder.is_dir() else {}


def _is_data(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in _DATA)
