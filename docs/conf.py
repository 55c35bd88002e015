"""The documentation site: `make docs` builds it into docs/_build/html. No page loads anything from another host."""

import re
import shutil
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert

HERE = Path(__file__).resolve().parent

project = "spokeneval"
author = "The spokeneval contributors"
extensions = ["myst_parser"]
exclude_patterns = ["_build"]

smartquotes = False  # they would print the hyphens of `--new` as a dash
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_dmath_allow_digits = False

html_theme = "furo"
html_title = "spokeneval"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
toc_object_entries_show_parents = "hide"


_LINK = re.compile(r"\]\((\.\./[^)#\s]+\.md)(?:#[^)]*)?\)")


def for_the_site(app, docname, source):
    """Formulas as MyST takes them, and links to files outside of docs/ as those to copies: they are no pages."""

    def outside(link):
        target = Path(app.srcdir, docname).parent / link[1]
        return link[0] if target.resolve().is_relative_to(app.srcdir) else f"](path:{link[1]})"

    page = re.sub(r"\$`(.+?)`\$", r"$\1$", source[0]).replace("```math\n", "```{math}\n")
    source[0] = _LINK.sub(outside, page)


def inline_formula(self, node):
    """A formula as MathML, which browsers draw without a script."""
    self.body.append(f'<span class="math">{convert(node.astext())}</span>')
    raise nodes.SkipNode


def formula(self, node):
    self.body.append(f'<div class="math" tabindex="0">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def for_keyboards_and_readers(app, pagename, template, context, doctree):
    """Code and tables that scroll can be reached by the keyboard, and the sidebar's captions have a level."""
    body = context.get("body", "").replace("<pre", '<pre tabindex="0"')
    context["body"] = body.replace('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')
    captions = context["furo_navigation_tree"]
    context["furo_navigation_tree"] = captions.replace('role="heading"', 'role="heading" aria-level="2"')


def copy_pictures(app, error):
    """Copy the pictures to where `<picture>` elements of the pages, which work on GitHub too, expect them."""
    if error is None and (HERE / "pictures").is_dir():
        shutil.copytree(HERE / "pictures", Path(app.outdir, "pictures"), dirs_exist_ok=True)


def setup(app):
    app.connect("source-read", for_the_site)
    app.add_html_math_renderer("mathml", (inline_formula, None), (formula, None))
    app.connect("html-page-context", for_keyboards_and_readers, priority=900)  # after the theme
    app.connect("build-finished", copy_pictures)
