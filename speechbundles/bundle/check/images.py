"""Checks the Docker image in which a competition's programs run."""

import re

from speechbundles.bundle.check.inspection import Inspection
from speechbundles.platforms.keys import OLD_IMAGES

_NAME = re.compile(
    r"(?:[a-zA-Z0-9.-]+(?::\d+)?/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)


def check_image(bundle: Inspection, key: str, value: str | None) -> None:
    if not value:
        bundle.add("docker-missing", (), f"no {key}")
    elif not _NAME.fullmatch(str(value)):
        bundle.add("docker-invalid", (key,), f"{value!r} is not a valid image name")
    elif "@sha256:" not in str(value) and (
        ":" not in str(value).rpartition("/")[2] or str(value).endswith(":latest")
    ):
        bundle.add("docker-unpinned", (key,), f"{value!r} has no fixed tag")


def check_image_age(bundle: Inspection, key: str, value: str) -> None:
    """Report an image that is too old for `spokeneval`, which is in the programs' zips and needs Python 3.9."""
    programs = bundle.contents.programs.values()
    vendored = any("spokeneval/__init__.py" in program.archive.files for program in programs)
    if vendored and re.fullmatch(OLD_IMAGES, str(value)):
        bundle.add("docker-too-old", (key,), f"{value!r} has Python 3.7 or older")
