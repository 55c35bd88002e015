"""Fills in the templates of new files, and checks the names of new tasks."""

import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from speechbundles.competition.schema import phase_limits, read_schema
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import installed_root
from speechbundles.model.text import inline_yaml

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    variable_start_string="<<",
    variable_end_string=">>",
    block_start_string="<%",
    block_end_string="%>",
)
"""It has its own delimiters, because pages and kits are templates themselves."""
_TEMPLATES.filters["yaml"] = inline_yaml
_TEMPLATES.globals["limits"] = {
    labels: phase_limits(read_schema(installed_root()), labels) for labels in ("public", "hidden")
}


def fill_template(template: str, **fields: Any) -> str:
    """Return a file of the folder `templates`, filled in."""
    return _TEMPLATES.get_template(template).render(fields)


def require_name(name: str) -> None:
    """Refuse a name that a task cannot have.

    Raises
    ------
    OrganiserError: not lower-case letters, digits and underscores, or too long.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or len(name) > 32:
        raise OrganiserError(
            f"{name!r}: expected a name such as speech_rate, of at most 32 lower-case letters, digits and underscores"
        )
