"""Finds submissions: the zips below a folder, at any depth."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from speechbundles.model.errors import OrganiserError
from spokeneval.formats.problems import some_of

INDEX = "index.csv"
"""The table at the top of a folder that `fetch` wrote."""

PACKED = "scoring_output.zip"
"""The only file in the folder of an output that `score` wrote; never a submission."""

_LOOSE = {".csv", ".tsv", ".txt", ".rar", ".7z", ".gz", ".tgz"}
"""The suffixes of files that are probably submissions without their zip."""


def find_submissions(folder: Path, *, passed_over: Path | None = None) -> dict[str, Path]:
    """Return the zips below a folder, by their path in it without `.zip`. Names that begin with a dot are skipped.

    Parameters
    ----------
    passed_over: a folder inside the first one whose zips are not submissions.

    Raises
    ------
    OrganiserError: not a folder, no zip in it, two zips with the same name, or a zip named as the folder of another.
    """
    if not folder.is_dir():
        raise OrganiserError(f"{folder}: expected a folder that contains the submissions' zips")
    found: dict[str, Path] = {}
    for path in _files(folder, passed_over):
        if path.suffix.lower() != ".zip":
            continue
        name = path.relative_to(folder).with_suffix("").as_posix()
        if name in found:
            raise OrganiserError(
                f"{folder}: {name} appears twice, as {found[name].name} and {path.name}; rename one of them"
            )
        found[name] = path
    if not found:
        raise OrganiserError(
            f"{folder}: no zip in this folder or in a folder below it"
            + describe_loose(folder, "; found", passed_over=passed_over)
        )
    for name, path in found.items():
        for above in (found[str(part)] for part in PurePosixPath(name).parents if str(part) in found):
            raise OrganiserError(f"{path}: its folder has the same name as {above.name}; rename one of them")
    return found


def describe_loose(folder: Path, found: str, *, passed_over: Path | None = None) -> str:
    """Return the files below a folder that are probably submissions without their zip, and advice; empty without any.

    Parameters
    ----------
    found: the words before the files.
    passed_over: as for `find_submissions`.
    """
    if (folder / INDEX).is_file():
        return ""  # the folder was fetched, and the other files are logs
    files = (path for path in _files(folder, passed_over) if path.suffix.lower() in _LOOSE)
    loose = [path.relative_to(folder).as_posix() for path in files]
    return f"{found} {some_of(loose)}: zip the files of each submission" if loose else ""


def _files(folder: Path, passed_over: Path | None) -> Iterator[Path]:
    """The files below a folder, sorted, except hidden ones and those below `passed_over`."""
    place = folder.resolve()
    outputs = None if passed_over is None else passed_over.resolve()
    if outputs is not None and place.is_relative_to(outputs):
        outputs = None
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        hidden = any(part.startswith((".", "__MACOSX")) for part in inner.parts)
        if hidden or path.name == PACKED or not path.is_file():
            continue
        if outputs is None or not (place / inner).is_relative_to(outputs):
            yield path
