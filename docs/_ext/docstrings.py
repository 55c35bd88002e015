"""Turns this project's docstrings into reStructuredText: sections, `code`, and the formulas of metrics."""

from __future__ import annotations

import re
from inspect import cleandoc

from formulas import with_formulas
from sphinx.application import Sphinx

_SECTION = re.compile(r"^(Parameters|Returns|Yields|Raises|Attributes|Examples|Notes)\n-+$", re.MULTILINE)
_MARKUP = re.compile(r"(:[\w:]+:`[^`]+`|``[^`]+``|`[^`]+`)")
_NAME = re.compile(r"[a-zA-Z]\w*(\.[a-zA-Z]\w*)*")
_FIELD = re.compile(r"(?P<names>\*{0,2}\w[\w.]*(?:, \*{0,2}\w[\w.]*)*)(?P<typed> :|:(?= |$)|$)(?P<rest>.*)")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True}


def _process(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    lines[:] = to_rest("\n".join(lines), is_metric=name.startswith("spokeneval.metrics.")).splitlines()


def to_rest(docstring: str, *, is_metric: bool = False) -> str:
    """A docstring in reStructuredText: each section is a title, then a definition list or text."""
    opening, *sections = _SECTION.split(docstring)
    summary, blank, rest = opening.partition("\n\n")
    marked = _marked(" ".join(summary.split()))
    parts = [with_formulas(marked) if is_metric else marked, blank, _text(rest)]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        body = cleandoc(body)
        has_fields = title in ("Parameters", "Attributes", "Raises") or (
            title in ("Returns", "Yields") and "\n    " in body
        )
        parts.append(f"\n\n**{title}**\n\n{_fields(body) if has_fields else _text(body)}\n")
    return "".join(parts)


def _fields(body: str) -> str:
    """Fields as a definition list: `name : type` or `Error`, described in indented lines, or `name: description`."""
    entries = []
    for entry in re.split(r"\n(?=\S)", body):
        head, _, text = entry.partition("\n")
        found = _FIELD.fullmatch(head)
        term = ", ".join(f"``{name}``" for name in found["names"].split(", ")) if found else _marked(head)
        if found and found["typed"] == " :":
            term += f" : {_marked(found['rest'].strip())}"
        elif found:
            text = f"{found['rest']} {text}"
        entries.append(f"{term}\n    {_marked(' '.join(text.split()))}\n")
    return "\n".join(entries)


def _text(text: str) -> str:
    """Paragraphs and lists; examples, directives and indented blocks stay as they are."""
    raw = (">>>", "..", " ")
    return "\n\n".join(part if part.startswith(raw) else _marked(part) for part in text.split("\n\n"))


def _marked(text: str) -> str:
    """`code` as a literal, or as a reference if it is a name. Besides roles, only *emphasis* is markup."""
    pieces = _MARKUP.split(text)
    for place, piece in enumerate(pieces):
        code = piece.strip("`")
        if place % 2 == 0:
            pieces[place] = re.sub(r"\\|\||(?<=\w)_\b(?!\w)|(?<=\w)\*(?=\w)", r"\\\g<0>", piece)
        elif piece[0] == "`" and piece[1] != "`":
            target = "counts <spokeneval.metrics.counts>" if code == "counts" else code
            pieces[place] = (
                f":py:obj:`{target}`" if _NAME.fullmatch(code) else f"``{' '.join(code.split())}``"
            )
    return "".join(pieces)
