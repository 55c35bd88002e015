"""Open pages in Chromium, at the width of a desktop and of a phone, light and dark, and tell what is wrong with them.

    python -m tests.tools.browser [--shots DIR] [PAGE ...]

A script error, a page that loads anything or is wider than the screen, text that is cut off or lies on other text, and
whatever axe-core finds. Where no page is named, every kind of page is made and opened: reports, boards, a season, the
challenges' own; the pages of the documentation, where it has been built, may load its files, and axe-core skips them.
Exit status: 0 nothing found, or no Chromium here, 1 something found.
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
"""The documentation, where `make docs` has built it."""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.browser", description=__doc__.splitlines()[0]
    )
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE", help="every kind where none is named")
    parser.add_argument("--shots", type=Path, metavar="DIR", help="leave a picture of each here")
    options = parser.parse_args()
    chromium = find_chromium()
    if chromium is None:
        print("skipped: no Chromium here; install it, or name it by the variable CHROMIUM")
        return 0
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    opened = broken = 0
    with tempfile.TemporaryDirectory() as folder, open_chromium(chromium) as browser:
        pages = options.pages or make_pages(Path(folder))
        checked = ((path.name, check_page(browser, path, options.shots)) for path in pages)
        site = () if options.pages else sorted(SITE.rglob("*.html"))
        documented = ((str(path.relative_to(SITE)), check_site(browser, path, SITE)) for path in site)
        for name, findings in chain(checked, documented):
            found = list(dict.fromkeys(findings))
            print("\n".join([name, *(f"  {words}" for words in found)]), flush=True)
            opened, broken = opened + 1, broken + bool(found)
    print(f"{opened} pages, {broken} with findings")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
