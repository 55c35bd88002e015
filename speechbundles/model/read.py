"""Reads a built bundle with the readers of the check, but raises an error for a defect."""

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from speechbundles.model.archive import Archive, read_bundle
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.document import FILE, Document, read_document
from speechbundles.model.errors import BundleError
from speechbundles.model.finding import Report
from speechbundles.model.platform import live_platform, platforms
from speechbundles.model.zips import make_zip


def read_built_bundle(path: Path) -> BuiltBundle:
    """Read a bundle for any platform: its zip, or the folder with its files.

    Raises
    ------
    BundleError: not a zip or folder, no competition.yaml, or an incomplete one.
    """
    report = Report()
    try:
        archive = read_bundle(report, path)
    except OSError as error:
        raise BundleError(f"{path}: {error.strerror}; expected a bundle's zip or folder") from None
    if archive is None:
        finding = report.findings[-1]
        what = "is not a zip" if finding.code == "bundle-not-zip" else finding.what
        raise BundleError(f"{path}: {what}; expected a bundle's zip")
    if FILE not in archive.files:
        raise BundleError(f"{path}: it has no {FILE} at its root")
    document = read_document(report, archive.files[FILE])
    if document is None:
        finding = report.findings[-1]
        raise BundleError(f"{path}: {finding.where} is incomplete or malformed: {finding.what}")
    try:
        return bundle_of(archive, document)
    except BundleError as error:
        raise BundleError(f"{path}: {error}") from error


def bundle_of(archive: Archive, document: Document) -> BuiltBundle:
    """Return the bundle in an archive, by its competition.yaml.

    Raises
    ------
    BundleError: an incomplete competition.yaml.
    """
    try:
        bundle: BuiltBundle = platforms()[platform_of(document.content)].part("read").read(document.content)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise BundleError(f"{FILE} is incomplete or malformed: {error!r:.200}") from error
    return replace(bundle, files=_with_zips(archive, bundle))


def _with_zips(archive: Archive, bundle: BuiltBundle) -> dict[str, bytes]:
    """Return the files of a bundle, with a zip of each folder that competition.yaml names, as a platform makes it."""
    files = dict(archive.files)
    for phase in bundle.phases:
        parts = [*phase.zips, phase.public_data, phase.starting_kit]
        for name in [*parts, *(name for task in phase.tasks for name in task.solutions)]:
            if isinstance(name, str) and name not in files:
                path = posixpath.normpath(name)
                if path not in files and (folder := archive.folder(path)) is not None:
                    files[path] = make_zip(folder.files)
                if path in files:
                    files[name] = files[path]
    return files


def platform_of(content: Mapping[str, Any]) -> str:
    """Return the platform whose format a bundle's competition.yaml has; the live one if it has none."""
    own = (name for name, platform in platforms().items() if platform.part("read").is_own(content))
    return next(own, live_platform().name)
