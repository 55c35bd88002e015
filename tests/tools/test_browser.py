"""The browser check finds nothing on a sound page, and each defect on a broken one."""

import numpy as np
import pytest

from spokeneval.report import page, plots

pytest.importorskip("playwright", reason="needs the extra `browser`")
from tests.tools.browser.check import SHEET, check_page, check_site, find_chromium, open_chromium

CHROMIUM = find_chromium()
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

SCALE = plots.scale([plots.Mark("Here", 0.5, "0.5"), plots.Mark("There", 0.7, "0.7", (0.6, 0.8))])
TURNS = np.array([[0, 1000]])
LANES = plots.timeline([plots.Lane(name, [(TURNS, plots.BLUE)]) for name in ("Here", "There")], TURNS)
PANELS = page.Html(
    '<svg viewBox="0 0 200 60" width="200"><g><g><g><text x="10" y="20">Level</text></g></g>'
    '<g><g><text x="10" y="50">Level</text></g></g></g></svg>'
)
"""Two panels of a plot, which may repeat the titles of their axes."""
SOUND = page.page(
    "Sound",
    page.section(
        "A plot",
        page.figure("Where it stands", "Here 0.5; there 0.7", SCALE),
        page.figure("When", "Here and there from 0 to 1 s", LANES),
        page.figure("Levels", "Two panels", PANELS),
        page.paragraph("Small.", kind="note"),
    ),
    page.section("A table", page.folded("More", page.table("Scores", ["Score", "Value"], [["F1", "0.5"]]))),
)
BROKEN = {
    "script error": ("</main>", "<script>nobody()</script></main>"),
    "loads": ("</main>", '<img alt="A" src="nowhere.png"></main>'),
    "wider than the screen": ("</main>", '<div style="width: 3000px">a</div></main>'),
    f"print: {1000 - SHEET[0]} px wider": (
        "</main>",
        "<style>@media print { h1 { width: 1000px } }</style></main>",
    ),
    "overlap: Here and There": ('"end">There', '"end" dy="-26">There'),
    "cut off: There": ('"end">There', '"end" dx="-400">There'),
    "runs out of its box: More": ("<summary>", '<summary style="width: 3px; overflow-wrap: normal">'),
    "overlap: Small. and A table": ('<p class="note">', '<p style="margin-bottom: -3.75rem">'),
    "same label twice: Here": ("<span>There", "<span>Here"),
    "same label twice: There": ('"end">Here', '"end">There'),
    "same label twice: Level": ('</g></g><g><g><text x="10" y="50"', '</g><g><text x="10" y="50"'),
    "1,000 kB": ("</main>", f"<!-- {'x' * 1_000_000} --></main>"),
    "apart in light mode, greyscale": (
        "</main>",
        '<svg><path d="M0 0h9" stroke="#0072b2"/><path d="M0 5h9" stroke="#b33c00"/></svg></main>',
    ),
    "axe: color-contrast": ('<p class="note">', '<p style="color: #999">'),
    "axe: heading-order": ("<h2>A table</h2>", "<h5>A table</h5>"),
}


@pytest.mark.thorough
def test_in_a_browser_a_sound_page_has_no_finding_and_a_broken_one_has_its_own(tmp_path):
    pages = {"": SOUND}
    for finding, (place, broken) in BROKEN.items():
        pages[finding] = SOUND.replace(place, broken)
    with open_chromium(CHROMIUM) as browser:
        for finding, markup in pages.items():
            path = tmp_path / "page.html"
            path.write_text(markup, encoding="utf-8")
            found = check_page(browser, path)
            assert finding or found == []
            assert any(finding in words for words in found) == bool(finding), (finding, found)


def test_a_page_of_a_site_may_load_the_sites_own_files_alone(tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    for folder in (site, tmp_path):
        (folder / "style.css").write_text("body { width: 2000px; }" if folder == site else "")
    focus = "axe: scrollable-region-focusable"
    pages = {
        '<link rel="stylesheet" href="style.css">': ["desktop: ", "phone: "],
        '<link rel="stylesheet" href="../style.css">': ["loads file://"],
        f"<pre style='overflow: auto'>{'A' * 999}</pre>": [f"desktop: {focus}", f"phone: {focus}"],
    }
    with open_chromium(CHROMIUM) as browser:
        for markup, expected in pages.items():
            (site / "page.html").write_text(
                f'<html lang="en"><title>A</title><body style="margin: 0">A{markup}</body></html>'
            )
            found = check_site(browser, site / "page.html", site)
            assert [words.startswith(start) for words, start in zip(found, expected, strict=True)], found
