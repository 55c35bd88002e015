"""The documentation's pages: each is in a table of contents, links lead somewhere, and guides begin with an example.

`make docs` checks the same links in the built site.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.samples.programs import ROOT
from tests.samples.tables import table

DOCS = ROOT / "docs"
PAGES = [DOCS / "index.md", *sorted(DOCS.glob("[a-z]*/*.md"))]
MOST_WORDS = 120
"""So many words fill the screen of a phone."""

FENCED = re.compile(r"^ *(`{3,}|~{3,})(.*?)^ *\1`*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r'\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|(?:src|srcset|href)="([^"]+)"')


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def links(page: Path) -> list[tuple[str, str]]:
    """The path and the anchor of each relative link that is not in code."""
    prose = re.sub(r"`[^`\n]+`", "", FENCED.sub("", page.read_text(encoding="utf-8")))
    found = [one or other for one, other in LINK.findall(prose)]
    return [link.partition("#")[::2] for link in found if not re.match(r"[a-z]+:", link)]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site name them."""
    titles = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    slugs = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]
    return {f"{slug}-{n}" if (n := slugs[:place].count(slug)) else slug for place, slug in enumerate(slugs)}


def test_every_page_is_in_a_table_of_contents():
    listed = set()
    for page in PAGES:
        for block in re.findall(r"^```{toctree}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            entries = [line for line in block.splitlines() if line and not line.startswith(":")]
            listed |= {page.parent / f"{entry}.md" for entry in entries}
    assert listed == {*PAGES} - {DOCS / "index.md"}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=named)
def test_every_relative_link_leads_to_a_file_and_to_a_section(page):
    for path, anchor in links(page):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{named(page)} links to {path}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{named(page)} links to {path}#{anchor}"


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.parent.name in ("start", "how-to")], ids=named
)
def test_a_guide_has_a_command_or_a_picture_on_its_first_screen(page):
    first = re.split(r"^ *```|^ *<picture|^ *<img|!\[", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[
        0
    ]
    assert len(first.split()) <= MOST_WORDS


def test_ci_begins_with_readmes_two_commands_in_a_new_clone():
    readme = re.findall(r"^make \w+", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    first = (ROOT / ".ci/fresh-clone").read_text(encoding="utf-8")
    assert re.findall(r"^make \w+", first, re.MULTILINE) == readme == ["make demo", "make test"]
    steps = re.findall(r"^(?:make|\.ci/).*", (ROOT / ".ci/run").read_text(encoding="utf-8"), re.MULTILINE)
    assert (steps[0], steps[-1]) == (".ci/fresh-clone", "make test")


def test_the_site_keeps_the_hyphens_of_options():
    assert "\nsmartquotes = False" in (DOCS / "conf.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(("docstring", "rest"), table("formulas")["docstrings"])
def test_the_formula_of_a_docstring_is_rendered(monkeypatch, docstring, rest):
    monkeypatch.syspath_prepend(DOCS / "_ext")
    assert import_module("formulas").with_formulas(docstring) == rest
