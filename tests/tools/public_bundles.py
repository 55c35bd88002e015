"""Check and read all bundles in a folder of checkouts: `python -m tests.tools.public_bundles FOLDER`.

A bundle is a folder with a `competition.yaml`, or a zip that has one. Prints the errors of each, and how many bundles
were checked, have no error, and could be read. Nothing of them is run. A checkout often lacks the zips that its own
script makes: then the files are missing, as they would be in an upload.
"""

import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from speechbundles.bundle.check import check_bundle
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.document import FILE
from speechbundles.model.errors import BundleError
from speechbundles.model.text import say


def bundles(folder: Path) -> Iterator[Path]:
    """Yield the bundles below a folder."""
    yield from sorted({path.parent for path in folder.rglob(FILE)})
    for path in sorted(folder.rglob("*.zip")):
        if zipfile.is_zipfile(path) and any(
            Path(name).name == FILE for name in zipfile.ZipFile(path).namelist()
        ):
            yield path


def main(folder: Path) -> None:
    """Check the bundles and print a summary."""
    counts: Counter[str] = Counter()
    for path in bundles(folder):
        try:
            errors = [finding for finding in check_bundle(path) if finding.level == "error"]
        except OSError as error:
            say(f"{path.relative_to(folder)}: not checked: {error}")
            continue
        for finding in errors:
            say(f"{path.relative_to(folder)}: {finding.code}: {finding.where}: {finding.what}")
        only_missing = {finding.code for finding in errors} == {"file-missing"}
        try:
            read_built_bundle(path)
            read = True
        except BundleError as error:
            say(f"{path.relative_to(folder)}: not read: {error}")
            read = False
        counts += Counter(
            {
                "checked": 1,
                "without an error": not errors,
                "in which only files are missing": only_missing,
                "read": read,
            }
        )
    say("bundles: " + ", ".join(f"{count} {what}" for what, count in counts.items()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
