"""Turns this project's docstrings into reStructuredText: sections, `code`, and the formulas of metrics."""

from __future__ import annotations

import re
from inspect import cleandoc

from formulas import with_formulas
from sphinx.application import Sphinx

_SECTION = re.compile(r"^(Parameters|Returns|Raises|Attributes|Examples|Notes)\n-+$", re.MULTILINE)
_FIELD = re.compile(r"^(\w[\w., ]*?):(?=[ \n])", re.MULTILINE)
_CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True}


def _process(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    lines[:] = to_rest("\n".join(lines), is_metric=name.startswith("spokeneval.metrics.")).splitlines()


def to_rest(docstring: str, *, is_metric: bool = False) -> str:
    """A docstring in reStructuredText: each section is a title and a definition list."""
    opening, *sections = _SECTION.split(docstring)
    summary, blank, rest = opening.partition("\n\n")
    marked = _marked(" ".join(summary.split()))
    parts = [with_formulas(marked) if is_metric else marked, blank, _text(rest)]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        has_fields = title in ("Parameters", "Raises", "Attributes") and _FIELD.search(body)
        parts.append(f"\n\n**{title}**\n\n{_fields(body) if has_fields else _text(cleandoc(body))}")
    return "".join(parts)


def _fields(body: str) -> str:
    """`name: description`, with further lines indented, as a definition list."""
    entries = []
    _, *pieces = _FIELD.split(body.strip("\n"))
    for names, text in zip(pieces[::2], pieces[1::2], strict=True):
        terms = ", ".join(f"``{name.strip()}``" for name in names.split(","))
        entries.append(f"{terms}\n    {_marked(' '.join(text.split()))}\n")
    return "\n".join(entries)


def _text(text: str) -> str:
    """Paragraphs and lists; examples and indented blocks stay as they are."""
    parts = text.split("\n\n")
    return "\n\n".join(part if part.lstrip().startswith(">>>") else _marked(part) for part in parts)


def _marked(text: str) -> str:
    """`code` as a literal, or as a reference where it is a name. Besides that, only *emphasis* is markup."""
    pieces = _CODE.split(text)
    for place, piece in enumerate(pieces):
        if place % 2:
            is_name = re.fullmatch(r"[a-zA-Z]\w*(\.[a-zA-Z]\w*)*", piece)
            target = f"{piece} <spokeneval.metrics.counts>" if piece == "counts" else piece
            pieces[place] = f":py:obj:`{target}`" if is_name else f"``{' '.join(piece.split())}``"
        else:
            pieces[place] = re.sub(r"\\|\||(?<=\w)_\b(?!\w)|(?<=\w)\*(?=\w)", r"\\\g<0>", piece)
    return "".join(pieces)
