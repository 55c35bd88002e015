"""Checks a built bundle, the zip itself, for what its platform will do with it.

Nothing is executed, and nothing is unpacked to disk. The rules, with the effect of each defect, are in
`model.finding`.
"""

import posixpath
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from speechbundles.bundle.check.budget import check_budget
from speechbundles.bundle.check.declared_scores import check_scores, check_sorting, read_options
from speechbundles.bundle.check.inspection import Inspection
from speechbundles.bundle.check.leaks import check_leaks
from speechbundles.bundle.check.practice import check_practice
from speechbundles.bundle.check.seal import sealed_sets
from speechbundles.model import dates
from speechbundles.model.archive import Archive, read_bundle
from speechbundles.model.bundle import bundle_of, platform_of
from speechbundles.model.document import FILE, Document, read_document
from speechbundles.model.errors import BundleError
from speechbundles.model.finding import Finding, Report
from speechbundles.model.platform import described_in, platforms

Inspect = Callable[[Report, Archive, Document], Inspection]
"""How a platform checks competition.yaml, and the programs, data and pages that it names."""

LARGE_BUNDLE = 15_000_000
"""The most bytes of a bundle without a warning."""


def check_bundle(path: Path, elsewhere: Mapping[str, int] = MappingProxyType({})) -> list[Finding]:
    """Return a finding for everything that a platform would refuse in a bundle, or silently accept and get wrong.

    If nothing is refused, settings that careful organisers avoid are reported too. `elsewhere`: see `check_budget`.
    """
    report = Report()
    files = read_bundle(report, path)
    if files is None:
        return report.findings
    size = path.stat().st_size
    if size > LARGE_BUNDLE:
        report.add("bundle-large", path.name, f"{size / 1e6:.1f} MB")
    document = _competition(report, files)
    if document is None:
        return report.findings
    report.platform = platform_of(document)
    inspect: Inspect = platforms()[report.platform].part("findings").check
    bundle = inspect(report, files, document)
    for (step, _), program in bundle.contents.programs.items():
        if step == "scoring_program":
            check_scores(bundle, program)
            read_options(report, program)
    check_leaks(report, files, bundle.contents, sealed_sets(report, bundle.contents, Path(path)))
    with suppress(BundleError):  # the findings already report it
        built = bundle_of(files, document)
        check_sorting(bundle, built)
        check_budget(report, built, bundle.contents, elsewhere)
        if not any(finding.level == "error" for finding in report.findings):
            check_practice(report, built, bundle.contents, dates.now())
    return report.findings


def _competition(report: Report, bundle: Archive) -> Document | None:
    """Return the file that describes the bundle from the root, or report where it is instead."""
    if described := described_in(bundle.files):
        return read_document(report, bundle.files[described], described)
    names = {posixpath.basename(name).lower(): name for name in reversed(bundle.files)}
    if FILE in names and "/" in names[FILE]:
        report.add("yaml-in-folder", names[FILE], f"{FILE} is in a folder")
    elif FILE in names or "competition.yml" in names:
        report.add("yaml-misnamed", names.get(FILE) or names["competition.yml"], f"expected {FILE}")
    elif FILE not in bundle.refused:
        report.add("yaml-missing", "the bundle", f"no {FILE} among {len(bundle.files)} files")
    return None
