"""Warns of settings that careful organisers avoid, although every platform accepts them.

The limits of three submissions and forty days are those of Pavão et al., AI Competitions and Benchmarks, chapters 5 and
13, as auto-codabench applies them. The week for a review is our own choice.
"""

import re
from datetime import datetime, timedelta

from speechbundles.bundle.check.inspection import Contents
from speechbundles.bundle.check.seal import has_public_labels
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.finding import Report
from speechbundles.model.zips import DECIDING_SET, reference_zip

MOST_SUBMISSIONS = 3
"""The most submissions in all in the deciding phase without a warning."""
DEVELOPMENT = timedelta(days=40)
REVIEW = timedelta(days=7)
"""The time after the deciding phase in which no other phase should be open."""

_LICENCE = re.compile(
    r"data licen[cs]e\W+\w|creative commons|\bcc[ -]?(by|0)\b|public domain|\bodbl\b|\bodc-by\b"
    r"|\b(mit|apache|bsd)\b[^.]{,12} licen[cs]e|all rights reserved"
    r"|(daten|données|datos|数据).*(lizenz|licence|licencia|许可)[^.。]*[.。]\W*\w",
    re.IGNORECASE,
)

_SUBMITTING = re.compile(
    r"submi(t|ssion)|upload|soumi|soumett|dépos|einreich|abgabe|hochlad|envi[ao]|envío|sub(ir|ida)|invi(a|o)"
    r"|inzend|提交|上传|投稿|提出|제출|отправ|загру",
    re.IGNORECASE,
)
"""Words for submissions and uploads, in the languages of published competitions."""
_KIT_LINK = re.compile(
    r"https?://(www\.)?(github|gitlab|colab\.research|huggingface|kaggle|zenodo|drive\.google|osf)\b"
    r"|\b(start(ing|er)[ _-]?kit|baseline|template|example)\b[^\n]{,80}https?://"
    r"|https?://\S{,200}(kit|starter|baseline|template|example)",
    re.IGNORECASE,
)
_KIT_FILE = re.compile(r"\.(py|ipynb|r|jl)$|kit|submission|baseline", re.IGNORECASE)
"""Files in public data that serve as a kit."""


def check_practice(report: Report, bundle: BuiltBundle, contents: Contents, now: datetime) -> None:
    """Check phases and pages; `now` is in UTC, without a time zone."""
    phases = [phase for phase in bundle.phases if phase.per_day != 0 and phase.total != 0]
    if len(bundle.phases) == 1:
        report.add("single-phase", f"phase {bundle.phases[0].name!r}", "the only phase")
    if phases:
        _check_deciding(report, phases, contents)
        _check_past(report, phases, now)
    pages = [page.decode("utf-8", "replace") for page in contents.pages.values()]
    if not any(map(_LICENCE.search, pages)):
        report.add("licence-missing", "the pages", "no data licence on any page")
    if not any(map(_SUBMITTING.search, pages)):
        report.add("submission-undescribed", "the pages", "no page describes the submission")
    files = (name for archive in contents.item_lists.values() for name in archive.files)
    if not (contents.kits or any(map(_KIT_LINK.search, pages)) or any(map(_KIT_FILE.search, files))):
        report.add("kit-missing", "the phases", "no phase has a starting kit, and no page links to one")


def _check_deciding(report: Report, phases: list[BuiltPhase], contents: Contents) -> None:
    """Check the deciding phase: of the phases that score the deciding set, the last one with an end.

    If no phase scores that set, the last phase decides.
    """
    deciding_data = reference_zip(DECIDING_SET)
    scoring = [phase for phase in phases if phase.reference_data == deciding_data] or [phases[-1]]
    deciding = next((phase for phase in reversed(scoring) if phase.closes), scoring[0])
    at = phases.index(deciding)
    where = f"phase {deciding.name!r}"
    public = {
        reference.name
        for task in contents.tasks
        if (reference := task.parts.get("reference_data")) and (program := contents.scoring_program(task))
        if has_public_labels(reference, program.archive)
    }
    many = deciding.total is None or deciding.total > MOST_SUBMISSIONS
    if many and deciding.reference_data not in public:
        most = "any number of submissions" if deciding.total is None else f"{deciding.total} submissions"
        report.add("deciding-submissions", where, f"{most} in all in the deciding phase")
    ends = (min(phase.closes or deciding.opens, deciding.opens) for phase in phases[:at])
    developing = sum((end - phase.opens for phase, end in zip(phases, ends, strict=False)), timedelta())
    if at and timedelta() < developing < DEVELOPMENT:
        what = f"submissions are open for {developing.days} days before {deciding.name!r}"
        report.add("development-short", f"phase {phases[0].name!r}", what)
    following = phases[at + 1] if at + 1 < len(phases) else None
    if deciding.closes is None:
        report.add("review-window", where, "the deciding phase has no end")
    elif following and following.opens - deciding.closes < REVIEW:
        what = f"closes {deciding.closes}; {following.name!r} opens {following.opens}"
        report.add("review-window", where, what)


def _check_past(report: Report, phases: list[BuiltPhase], now: datetime) -> None:
    """Report phases that are over, unless another phase is open."""
    if any(phase.is_open(now) for phase in phases):
        return
    for phase in phases:
        if phase.closes and phase.closes <= now:
            report.add("phase-past", f"phase {phase.name!r}", f"closed {phase.closes}")
