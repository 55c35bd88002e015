"""The documentation site: `make docs` builds it into docs/_build/html. No page loads anything from another host."""

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]

project = "spokeneval"
author = "The spokeneval contributors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "docstrings", "formulas", "reference"]
exclude_patterns = ["_build"]

smartquotes = False  # they would print the hyphens of `--new` as a dash
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 4
myst_dmath_allow_digits = False

autodoc_member_order = "bysource"
# Types of numpy and the standard library are described elsewhere, and pages are built without a network.
nitpick_ignore_regex = [("py:.*", r"(?!spokeneval).*")]
nitpick_ignore = [
    ("py:class", "spokeneval.metrics.counts.C"),  # a type variable
    # Fields of results; the architecture page says where they are.
    ("py:class", "spokeneval.task.Task"),
    ("py:class", "spokeneval.ranking.values.Place"),
    ("py:class", "spokeneval.ranking.values.Row"),
    ("py:class", "spokeneval.ranking.values.Pair"),
    ("py:class", "spokeneval.ranking.values.Table"),
    ("py:class", "spokeneval.ranking.values.Column"),
]

html_theme = "furo"
html_title = "Speech challenges"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
toc_object_entries_show_parents = "hide"


def copy_pictures(app, error):
    """Copy the pictures to where `<picture>` elements of the pages, which work on GitHub too, expect them."""
    if error is None and (HERE / "pictures").is_dir():
        shutil.copytree(HERE / "pictures", Path(app.outdir, "pictures"), dirs_exist_ok=True)


def setup(app):
    app.connect("build-finished", copy_pictures)
