"""Docstrings as Markdown that GitHub and the site show alike: headings, signatures, lists, examples and formulas."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from inspect import cleandoc
from types import ModuleType

from formulas import with_formulas

import spokeneval

_SECTION = re.compile(r"^(Parameters|Returns|Yields|Raises|Attributes|Examples|Notes)\n-+$", re.MULTILINE)
_FIELD = re.compile(r"(?P<names>\*{0,2}\w[\w.]*(?:, \*{0,2}\w[\w.]*)*)(?P<typed> :|:(?= |$)|$)(?P<rest>.*)")
_DEFINED = (ast.FunctionDef, ast.ClassDef)

Link = Callable[[str], str]
"""The name of an object -> a link to where it is described, or an empty text."""


def module_title(module: ModuleType) -> str:
    """The first words of a module's docstring."""
    return re.split(r"[:.,(]", cleandoc(module.__doc__ or module.__name__))[0].strip()


def module_page(module: ModuleType, link: Link) -> Iterator[str]:
    """A module: its docstring, and each public function, class and constant that has one."""
    yield from (f"## {module_title(module)}", "", f"`{module.__name__}`", "")
    yield from (_markdown(module.__doc__ or "", link), "")
    for name in members(module):
        yield from object_entry(module, name, link)


@cache
def members(module: ModuleType) -> dict[str, tuple[ast.stmt, str]]:
    """The public names of a module that have a docstring -> statement and docstring, in their order."""
    return {name: found for name, *found in _documented(ast.parse(inspect.getsource(module)).body)}


def heading(module: str, name: str) -> str:
    """The title of an object's section: how it is called after an import of its module."""
    return f"{'spokeneval' if name in spokeneval.__all__ else module.rpartition('.')[2]}.{name}"


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt, str]]:
    for node, after in zip(body, [*body[1:], None], strict=True):
        name, text = getattr(node, "name", ""), None
        if isinstance(node, _DEFINED):
            text = ast.get_docstring(node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(after, ast.Expr):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            name, text = ast.unparse(target), ast.literal_eval(after.value)
        if text and not name.lstrip("(").startswith("_"):
            yield name, node, text


def object_entry(module: ModuleType, name: str, link: Link, *, parents: bool = False) -> Iterator[str]:
    """An object of a module: heading, signature and docstring; of a class its public members, too."""
    node, text = members(module)[name]
    yield from (f"### {heading(module.__name__, name)}", "", *_entry(module, node, text, link))
    if isinstance(node, ast.ClassDef):
        for inner, statement, described in _documented(node.body):
            yield from (f"#### {name}.{inner}", "", *_entry(module, statement, described, link))
        for parent in getattr(module, name).__mro__[1:] if parents else ():
            place = import_module(parent.__module__)
            if parent.__name__ in (members(place) if place.__name__.startswith("spokeneval.") else ()):
                for inner, statement, described in _documented(members(place)[parent.__name__][0].body):
                    yield from (f"#### {name}.{inner}", "", *_entry(place, statement, described, link))


def attributes(module: ModuleType, name: str, link: Link) -> str:
    """The attributes of a class, as a list."""
    sections = _SECTION.split(cleandoc(members(module)[name][1]))
    return _fields(cleandoc(sections[sections.index("Attributes") + 1]), link)


def _entry(module: ModuleType, node: ast.stmt, text: str, link: Link) -> Iterator[str]:
    """Signature or value, as they are in the source, and the docstring."""
    lines, last = inspect.getsource(module).splitlines(), node.end_lineno
    if isinstance(node, _DEFINED):
        last = node.body[0].lineno - 1
    source = cleandoc("\n".join(lines[node.lineno - 1 : last]))
    decorators = {ast.unparse(each) for each in getattr(node, "decorator_list", ())}
    shown = [f"@{name}" for name in ("property", "cached_property", "classmethod") if name in decorators]
    source = "\n".join([*shown, source])
    yield from ("```python", source.rstrip(":"), "```", "", _markdown(text, link), "")


def _markdown(docstring: str, link: Link) -> str:
    """A docstring: each section is a title, then a list, text or an example."""
    opening, *sections = _SECTION.split(cleandoc(docstring))
    summary, blank, rest = opening.partition("\n\n")
    parts = [_marked(with_formulas(" ".join(summary.split())), link), blank, _text(rest, link)]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        body = cleandoc(body)
        fields = title in ("Parameters", "Attributes", "Raises") or "\n    " in body
        shown = _fields(body, link) if fields and title != "Examples" else _text(body, link)
        parts.append(f"\n\n**{title}**\n\n{shown}")
    return re.sub(r"\n{3,}", "\n\n", "".join(parts)).strip()


def _fields(body: str, link: Link) -> str:
    """Fields as a list: `name : type` or `Error`, described in indented lines, or `name: description`."""
    entries = []
    body, begun, example = body.partition("\n\n>>>")
    for entry in re.split(r"\n(?=\S)", body):
        head, _, text = entry.partition("\n")
        found = _FIELD.fullmatch(head)
        term = ", ".join(f"`{name}`" for name in found["names"].split(", ")) if found else _marked(head, link)
        if found and found["typed"] == " :":
            term += f" ({_marked(found['rest'].strip(), link)})"
        elif found:
            text = f"{found['rest']} {text}"
        entries.append(f"- {term}: {_marked(' '.join(text.split()), link)}".removesuffix(": "))
    return "\n".join([*entries, "", *([_text(f">>>{example}", link)] if begun else [])])


def _text(text: str, link: Link) -> str:
    """Paragraphs and lists; examples, formulas and indented blocks are code."""
    return "\n\n".join(_paragraph(part, link) for part in text.strip("\n").split("\n\n"))


def _paragraph(part: str, link: Link) -> str:
    if part.startswith(">>>"):
        return f"```pycon\n{part}\n```"
    if part.startswith(".. math::"):
        return f"```math\n{part.removeprefix('.. math::').strip()}\n```"
    if part.startswith(" "):
        return f"```text\n{part}\n```"
    return _marked(part, link)


def _marked(text: str, link: Link) -> str:
    """Formulas as GitHub takes them, names of described objects as links, and `<` and `*` as themselves."""
    text = text.replace("``", "`")
    pieces = re.split(r"(:math:`[^`]+`|`[^`]+`)", text)
    for place, piece in enumerate(pieces):
        if piece.startswith(":math:"):
            pieces[place] = f"${piece[6:]}$"
        elif place % 2:
            name = " ".join(piece.strip("`").split())
            pieces[place] = f"[`{name}`]({link(name)})" if link(name) else f"`{name}`"
        else:
            pieces[place] = re.sub(r"<|(?<=\w)\*(?=\w)|\|\|", r"\\\g<0>", piece)
    return "".join(pieces)
