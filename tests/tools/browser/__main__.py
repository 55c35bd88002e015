"""Open pages in Chromium, as wide as a desktop and a phone, light and dark, and on paper, and list their defects.

    python -m tests.tools.browser [--shots DIR] [PAGE ...]

Defects are script errors, pages that load anything, are wider than the screen or a sheet of A4 paper, or are larger
than 1 MB, text that is cut off or overlaps other text, labels that occur twice in a plot, marks that differ in colours
alone, and the findings of axe-core. Without a PAGE, every kind of page is made and checked: reports, boards, a season,
and the challenges' own pages. The documentation's pages are checked too if they were built; they may load their own
files, and of axe-core's findings only the critical and the serious ones are listed. The exit status is 0 if nothing is
found or Chromium is not installed, and 1 otherwise.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import chain
from pathlib import Path

from tests.samples.programs import ROOT
from tests.tools.browser.check import check_page, check_site, find_chromium, open_chromium
from tests.tools.browser.pages import make_pages

SITE = ROOT / "docs/_build/html"
"""The documentation, if `make docs` has built it."""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.browser", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "pages",
        nargs="*",
        type=Path,
        metavar="PAGE",
        help="an HTML file (default: make and check every kind of page)",
    )
    parser.add_argument("--shots", type=Path, metavar="DIR", help="folder for a screenshot of each page")
    options = parser.parse_args()
    chromium = find_chromium()
    if chromium is None:
        print("skipped: Chromium not found; install it, or set the variable CHROMIUM to its command")
        return 0
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    opened = broken = 0
    with tempfile.TemporaryDirectory() as folder, open_chromium(chromium) as browser:
        pages = options.pages or make_pages(Path(folder))
        checked = ((path.name, check_page(browser, path, options.shots)) for path in pages)
        site = () if options.pages else sorted(SITE.rglob("*.html"))
        documented = (
            (str(path.relative_to(SITE)), check_site(browser, path, SITE, options.shots)) for path in site
        )
        for name, findings in chain(checked, documented):
            found = list(dict.fromkeys(findings))
            print("\n".join([name, *(f"  {words}" for words in found)]), flush=True)
            opened, broken = opened + 1, broken + bool(found)
    print(f"{opened} pages, {broken} with findings")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
