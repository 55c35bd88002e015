"""Checks of settings that both platforms have: the Docker image, and the period and the limits of a phase."""

import re
from datetime import datetime

from speechbundles.bundle.check.inspection import CheckedKeys, Inspection
from speechbundles.bundle.check.practice import MOST_SUBMISSIONS
from speechbundles.model.document import Path

_IMAGE = re.compile(
    r"(?:[a-zA-Z0-9.-]+(?::\d+)?/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)


def check_image(bundle: Inspection, key: str, top: CheckedKeys, old: str) -> None:
    """Check the Docker image in which the programs run; `old`: a pattern of those with a Python before 3.9."""
    value = str(top.get(key) or "")
    tag = value.rpartition("/")[2].partition(":")[2]
    if key in top and not value:
        bundle.add("docker-missing", (), f"no {key}")
    elif value and not _IMAGE.fullmatch(value):
        bundle.add("docker-invalid", (key,), f"{value!r} is not a valid image name")
    elif value and "@sha256:" not in value and tag in ("", "latest"):
        bundle.add("docker-unpinned", (key,), f"{value!r} has no fixed tag")
    # Programs that have `spokeneval` in their zips need Python 3.9.
    programs = (program.archive.files for program in bundle.contents.programs.values())
    if re.fullmatch(old, value) and any("spokeneval/__init__.py" in files for files in programs):
        bundle.add("docker-too-old", (key,), f"{value!r} has Python 3.7 or older")


def check_period(bundle: Inspection, path: Path, start: datetime | None, end: datetime | None) -> None:
    if start and end and end <= start:
        bundle.add("phase-end-before-start", path, f"ends {end}, starts {start}")


def check_limits(bundle: Inspection, phase: CheckedKeys, default: int) -> None:
    """Check the limits on submissions of a phase; `default`: that on their number in all."""
    per_day, in_all = "max_submissions_per_day", "max_submissions"
    total = phase.get(in_all, 0 if in_all in phase.given else default)  # 0: no limit
    if phase.given and per_day not in phase.given and not 0 < total <= MOST_SUBMISSIONS:
        bundle.add("daily-default", phase.path, f"no {per_day}")
    if 0 < total < phase.get(per_day, 0):
        bundle.add("limit-inconsistent", (*phase.path, per_day), f"{phase[per_day]} per day, {total} in all")
