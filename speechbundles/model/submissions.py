"""Finds submissions: the zips below a folder, at any depth."""

from pathlib import Path, PurePosixPath

from speechbundles.model.errors import OrganiserError


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
    place = folder.resolve()
    outputs = None if passed_over is None else passed_over.resolve()
    if outputs is not None and place.is_relative_to(outputs):
        outputs = None
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        hidden = any(part.startswith((".", "__MACOSX")) for part in inner.parts)
        if hidden or path.suffix.lower() != ".zip" or not path.is_file():
            continue
        if outputs is not None and (place / inner).is_relative_to(outputs):
            continue
        name = inner.with_suffix("").as_posix()
        if name in found:
            raise OrganiserError(
                f"{folder}: {name} appears twice, as {found[name].name} and {path.name}; rename one of them"
            )
        found[name] = path
    if not found:
        raise OrganiserError(f"{folder}: no zip in this folder or in a folder below it")
    for name, path in found.items():
        above = next((str(part) for part in PurePosixPath(name).parents if str(part) in found), None)
        if above is not None:
            raise OrganiserError(
                f"{path}: its folder has the same name as {found[above].name}; rename one of them"
            )
    return found
