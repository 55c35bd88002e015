"""Hold a built bundle, the zip itself, against what Codabench and CodaLab will do with it.

Nothing is executed and nothing is unpacked to disk. Every rule, with its consequence, is in `finding.RULES`.
"""

from __future__ import annotations

import posixpath
from pathlib import Path

from .bundle_files import LARGE_BUNDLE, Archive, open_archive
from .check_codabench import check_codabench
from .check_codalab import check_codalab
from .check_contents import check_scores, read_options
from .check_leaks import check_leaks
from .check_yaml import FILE, Document, read_document
from .finding import RULES, Finding, Report, format_findings

__all__ = ["RULES", "Finding", "check_bundle", "format_findings"]


def check_bundle(path: Path) -> list[Finding]:
    """Everything that a platform would refuse in a bundle, or accept in silence and get wrong.

    The platform is told from the file: `version: 2` is Codabench's; a `phases` mapping, `html` or a
    `leaderboard` is CodaLab's (format 1.5).
    """
    report = Report()
    data = Path(path).read_bytes()
    bundle = open_archive(report, "", data, outer=True)
    if bundle is None:
        return report.findings
    if len(data) > LARGE_BUNDLE:
        report.add("bundle-large", Path(path).name, f"{len(data) / 1e6:.1f} MB")
    document = _competition(report, bundle)
    if document is None:
        return report.findings
    if _is_codalab(document):
        _check_order(report, bundle)
        competition = check_codalab(report, bundle, document)
    else:
        if next(iter(bundle.files)) != FILE:
            report.add("yaml-not-first", FILE, f"the first entry is {next(iter(bundle.files))}")
        competition = check_codabench(report, bundle, document)
    for (step, _), program in competition.programs.items():
        if step == "scoring_program":
            check_scores(report, program, competition)
            read_options(report, program)
    check_leaks(report, competition)
    return report.findings


def _competition(report: Report, bundle: Archive) -> Document | None:
    """competition.yaml at the root, or a finding that says where it is instead."""
    if FILE in bundle.files:
        return read_document(report, bundle.files[FILE])
    names = {posixpath.basename(name).lower(): name for name in reversed(bundle.files)}
    if FILE in names and "/" in names[FILE]:
        report.add("yaml-in-folder", names[FILE], f"{FILE} is in a folder")
    elif FILE in names or "competition.yml" in names:
        found = names.get(FILE) or names["competition.yml"]
        report.add("yaml-misnamed", found, f"expected {FILE}")
    elif FILE not in bundle.refused:
        report.add("yaml-missing", "the bundle", f"no {FILE} among {len(bundle.files)} files")
    return None


def _is_codalab(document: Document) -> bool:
    content = document.content
    if str(content.get("version")) == "2":
        return False
    return isinstance(content.get("phases"), dict) or "html" in content or "leaderboard" in content


def _check_order(report: Report, bundle: Archive) -> None:
    """CodaLab takes the first entry with '.yaml' anywhere in its name for the competition."""
    yamls = [name for name in bundle.files if ".yaml" in name]
    if yamls[0] != FILE:
        report.add("yaml-shadowed", yamls[0], f"comes before {FILE}")
    elif len(yamls) > 1:
        report.add("yaml-extra", yamls[1], f"beside {FILE}")
    elif next(iter(bundle.files)) != FILE:
        report.add("yaml-not-first", FILE, f"the first entry is {next(iter(bundle.files))}")
