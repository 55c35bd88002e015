"""Find defects of a page with Chromium and axe-core."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from tests.tools.colours import alike

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
SCREENS = {"desktop": (1280, 900), "phone": (390, 844)}
SCHEMES = ("light", "dark")
SHEET = (703, 1032)
"""A sheet of A4 paper with margins of 12 mm, in pixels."""

_TEXT_APART = r"""
() => {
  const found = [], root = document.documentElement;
  if (root.scrollWidth > innerWidth) found.push(`${root.scrollWidth - innerWidth} px wider than the screen`);
  const words = (element) => element.textContent.trim().replace(/\s+/g, " ").slice(0, 40);
  const overlaps = (boxes) => {
    boxes.sort((one, other) => one[0].top - other[0].top);
    for (const [place, [one, text]] of boxes.entries())
      for (const [other, near] of boxes.slice(place + 1)) {
        if (other.top > one.bottom) break;
        const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const down = Math.min(one.bottom, other.bottom) - other.top;
        if (across <= 1 || down <= 0.3 * Math.min(one.height, other.height)) continue;
        const follows = text.compareDocumentPosition(near) & Node.DOCUMENT_POSITION_FOLLOWING;
        const [first, last] = follows ? [text, near] : [near, text];
        if (!first.contains(last)) found.push(`overlap: ${words(first)} and ${words(last)}`);
      }
  };
  const blocks = [...document.querySelectorAll("h1, h2, p, li, dt, dd, summary, figcaption, caption, th, td")];
  for (const element of blocks)
    if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline")
      found.push(`runs out of its box: ${words(element)}`);
  const range = document.createRange(), placed = [];
  for (const element of blocks) {
    if (element.querySelector("p, li, svg") || !element.checkVisibility()) continue;
    range.selectNodeContents(element);
    placed.push([range.getBoundingClientRect(), element]);
  }
  overlaps(placed);
  const labels = (elements, sides) => {
    const seen = new Set();
    for (const element of elements) {
      if (!/\p{L}/u.test(element.textContent)) continue;
      const box = element.getBoundingClientRect();
      const keys = sides.map((side) => `${element.textContent} ${side} ${Math.round(box[side])}`);
      if (keys.some((key) => seen.has(key))) found.push(`same label twice: ${words(element)}`);
      keys.forEach((key) => seen.add(key));
    }
  };
  for (const scale of document.querySelectorAll(".scale")) labels(scale.querySelectorAll(":scope > span"), ["left"]);
  for (const svg of document.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect(), boxes = [];
    for (const text of svg.querySelectorAll("text")) {
      const turned = text.getScreenCTM(), box = text.getBoundingClientRect();
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
          box.bottom > frame.bottom + 1)
        found.push(`cut off: ${words(text)}`);
      if (Math.min(Math.abs(turned.a), Math.abs(turned.b)) < 0.01) boxes.push([box, text]);
    }
    overlaps(boxes);
    const lines = (text) => text.parentElement.matches("g:not(:has(> :not(text)))");
    const whole = new Set([...svg.querySelectorAll("text")].map((text) => lines(text) ? text.parentElement : text));
    const panels = new Map();
    for (const label of whole) {
      const panel = label.closest("svg > g > g") ?? svg;
      panels.set(panel, [...(panels.get(panel) ?? []), label]);
    }
    for (const panel of panels.values()) labels(panel, ["left", "right", "top", "bottom"]);
  }
  return found;
}
"""
"""Script that finds text that is cut off, overlaps other text of the page or of its plot (unless slanted), or overflows
its box, and labels that occur twice on an axis or in a column of a plot."""

LARGEST = 1_000_000
"""The most bytes of a page: it is read on phones, and kept for each submission."""


def find_chromium() -> str | None:
    """Return Chromium's command: the variable CHROMIUM, else the first of the usual names that is installed."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)


@contextmanager
def open_chromium(command: str) -> Iterator[Browser]:
    """Yield a headless browser for trusted pages; it has no sandbox, which root cannot use."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=command, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def check_page(browser: Browser, path: Path, shots: Path | None = None) -> list[str]:
    """Return the defects of a page, one line each, on every screen, light and dark, and on paper.

    Folded parts are opened. Screenshots are saved in the folder `shots`.
    """
    found: list[str] = []
    if (size := path.stat().st_size) > LARGEST:
        found.append(f"{size / 1000:,.0f} kB; expected at most {LARGEST / 1000:,.0f} kB")
    page = _open(browser, path, found)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    for screen, (width, height) in SCREENS.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            found += [f"{screen}, {scheme}: {words}" for words in _findings(page)]
            if shots:
                page.screenshot(path=shots / f"{path.stem}-{screen}-{scheme}.png", full_page=True)
    page.set_viewport_size({"width": SHEET[0], "height": SHEET[1]})
    page.emulate_media(media="print", color_scheme="light")
    found += [f"print: {words}" for words in page.evaluate(_TEXT_APART)]
    if shots:
        page.screenshot(path=shots / f"{path.stem}-print.png", full_page=True)
    page.close()
    return found + alike(path.read_text(encoding="utf-8"))


def check_site(browser: Browser, path: Path, root: Path, shots: Path | None = None) -> list[str]:
    """Return the defects of a page of a site, which may load the files below the site's root.

    Of axe-core's findings only critical and serious ones: the theme has others.
    """
    found: list[str] = []
    page = _open(browser, path, found, own=root)
    for screen, (width, height) in SCREENS.items():
        page.set_viewport_size({"width": width, "height": height})
        if (beyond := page.evaluate("document.documentElement.scrollWidth - innerWidth")) > 0:
            found.append(f"{screen}: {beyond} px wider than the screen")
        found += [f"{screen}: {words}" for words in _by_axe(page, "critical", "serious")]
        if shots:
            name = "-".join(path.relative_to(root).with_suffix("").parts)
            page.screenshot(path=shots / f"docs-{name}-{screen}.png")
    page.close()
    return found


def _open(browser: Browser, path: Path, found: list[str], *, own: Path | None = None) -> Page:
    """Open a page; its errors, messages and requests, except for files below `own`, are added to `found`."""
    page = browser.new_page()
    url = path.resolve().as_uri()
    allowed = f"{own.resolve().as_uri()}/" if own else url
    page.on("pageerror", lambda error: found.append(f"script error: {error}"))
    page.on("console", lambda message: found.append(f"console: {message.text}"))
    page.on(
        "request",
        lambda request: None if request.url.startswith(allowed) else found.append(f"loads {request.url}"),
    )
    page.goto(url)
    return page


def _findings(page: Page) -> Sequence[str]:
    return [*page.evaluate(_TEXT_APART), *_by_axe(page)]


def _by_axe(page: Page, *impacts: str) -> list[str]:
    """The findings of axe-core, of these impacts or of all."""
    return [
        f"axe: {violation['id']}, {len(violation['nodes'])} times, first in {violation['nodes'][0]['html'][:150]}"
        for violation in Axe().run(page, options={"preload": False}).response["violations"]
        if not impacts or violation["impact"] in impacts
    ]
