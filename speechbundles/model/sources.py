"""A competition folder: it has the layout of the repository's root, and contains only files that differ.

Missing code and templates are taken from the repository. Missing data are not, because the repository's data are the
sample's. The repository itself is the sample's competition folder.
"""

import os
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import product
from pathlib import Path

from speechbundles.model.zips import read_tree
from spokeneval import version

NO_FOLDER = Path(os.devnull)
"""The empty folder of a competition whose gold standards are given one by one."""

NOTE = "WHAT_GOES_HERE.txt"
"""A file in each folder for data that lists the data that belong there; not data itself."""

OWN_TASKS = "tasks"
"""The folder with an organiser's own tasks in Python, `NAME.py` each, with the sample below `NAME/sample/`."""

REFERENCE, SUBMISSION = "sample/reference", "sample/submission"
"""The folders of a task's sample, below `tasks/NAME/`: labels, and a submission that answers their items."""

_DATA = ("reference_data/*", "starting_kit/*/data/*")


@dataclass(frozen=True)
class Sources:
    """Where the files of a competition are.

    Attributes
    ----------
    root: the repository, or the folder in an installed wheel with the same files.
    own: an organiser's competition folder; None for the sample.
    """

    root: Path
    own: Path | None = None

    @property
    def is_sample(self) -> bool:
        return self.own is None or self.own.resolve() == self.root.resolve()

    @property
    def folder(self) -> Path:
        """The folder with the data."""
        return self.root if self.own is None or self.is_sample else self.own

    def find(self, name: str) -> Path:
        """Return the path at which the competition has a file or would have it; `name` is relative to either folder."""
        own = self.folder / name
        return own if _is_data(name) or own.exists() else self.root / name

    def page(self, owners: tuple[str, ...], file: str) -> Path:
        """Return the source of a page: that of its first owner with one, which is a folder below `pages`.

        The organiser's folder is searched before the repository.
        """
        paths = (place / "pages" / owner / file for place, owner in product((self.folder, self.root), owners))
        return next(filter(Path.is_file, paths), self.root / "pages" / file)

    def read_files(self, name: str) -> dict[str, bytes]:
        """Return the competition's files below a folder, `relative name -> content`."""
        templates = read_tree(self.root / name).items()
        files = {inner: content for inner, content in templates if not _is_data(f"{name}/{inner}")}
        files |= read_tree(self.folder / name)
        return {inner: content for inner, content in files.items() if Path(inner).name != NOTE}

    def own_task(self, name: str) -> Path | None:
        """Return the organiser's own Python file of a task; None if the task has none."""
        path = self.folder / OWN_TASKS / f"{name}.py"
        return path if not self.is_sample and path.is_file() else None

    def read_library(self) -> dict[str, bytes]:
        """Return the files of the library, `spokeneval/... -> content`: the repository's, else the installed ones.

        The organiser's own tasks are among them, in `spokeneval/challenges/`.
        """
        clone = self.root / "spokeneval"
        folder = clone if clone.is_dir() else Path(version.__file__).parent
        library = {f"spokeneval/{name}": content for name, content in read_tree(folder).items()}
        own = () if self.is_sample else sorted((self.folder / OWN_TASKS).glob("*.py"))
        return {**library, **{f"spokeneval/challenges/{path.name}": path.read_bytes() for path in own}}


def installed_root() -> Path:
    """Return the clone that contains this package, or the data folder of an installed wheel."""
    package = Path(__file__).resolve().parents[1]
    data = package / "_data"
    return data if data.is_dir() else package.parent


def _is_data(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in _DATA)
