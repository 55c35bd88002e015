"""Searches the files of a scoring program for the keys of the leaderboard's columns. Nothing is run.

A key is found where the program has it as a text, as the start of a line that it writes (`key: `), or as a text that it
puts together (`f"f1_{name}"`, `"f1_" + name`). Comments and docstrings do not count.
"""

import ast
import posixpath
import re
import warnings
from collections.abc import Collection, Iterator, Mapping

from speechbundles.bundle.check.programs import LONGEST_SCRIPT

_TEXTS = re.compile(r"\.(py|json|ya?ml|[ct]sv|cfg|ini|toml|sh|r|ipynb|pl|m|js)")
_BINARIES = re.compile(r"\.(pyc|so|pyd|jar|exe|class|whl|pkl)")
_PLACE = re.compile(r"%\(?\w*\)?[sdfr]|\{[^{}]*\}")
"""The place of a value in a text that is formatted."""
_LINE = re.compile(r"([\w.-]+)[\"']?\s*[:=]")
"""The name at the start of a line with a score."""
_MOST_PARTS, _MOST_PATTERNS, _LONGEST_KEY = 5, 200, 100
_REFLECTION = {"__name__", "asdict", "_asdict", "__dict__", "vars", "getattr", "globals", "locals"}
"""Names with which a program can use its own identifiers as keys."""


def unwritten_keys(files: Mapping[str, bytes], keys: Collection[str]) -> list[str]:
    """Return the keys that no file of a program contains.

    The list is empty for a program that cannot be read or that computes its keys: no key is in its files, and it writes
    scores under variable names.
    """
    suffixes = {name: posixpath.splitext(name)[1].lower() for name in files}
    read = {name for name, data in files.items() if _TEXTS.fullmatch(suffixes[name]) or data[:2] == b"#!"}
    if sum(len(files[name]) for name in read) > LONGEST_SCRIPT or any(
        map(_BINARIES.fullmatch, suffixes.values())
    ):
        return []
    texts: set[str] = set()
    words: set[str] = set()
    computes = False
    for name in read:
        text = files[name].decode("utf-8", "replace")
        if suffixes[name] == ".py":
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    tree = ast.parse(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return []
            texts.update(_texts(tree))
            words.update(_identifiers(tree))
            computes = computes or any(map(_stores_by_name, ast.walk(tree)))
        else:
            words.update(re.findall(r"[\w.-]+", text))
    words.update(texts, *(_LINE.findall(text) for text in texts))
    patterns = [pattern for pattern in map(_pattern, sorted(texts)) if pattern][:_MOST_PATTERNS]
    found = {
        key for key in keys if key in words or any(each.fullmatch(key[:_LONGEST_KEY]) for each in patterns)
    }
    return [] if computes and not found else [key for key in keys if key not in found]


def _texts(tree: ast.Module) -> Iterator[str]:
    """Yield the texts in a program, with `{}` in place of values; docstrings are left out."""
    left_out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            left_out.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            left_out.update(map(id, node.values))
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            sides = [side.value if _is_text(side) else "{}" for side in (node.left, node.right)]  # type: ignore[attr-defined]
            if sides != ["{}", "{}"]:
                yield "".join(sides)
        if _is_text(node) and id(node) not in left_out:
            yield node.value  # type: ignore[attr-defined]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _identifiers(tree: ast.Module) -> Iterator[str]:
    """Yield the names of arguments in calls, and all identifiers of a program that can use them as texts."""
    nodes = list(ast.walk(tree))
    yield from (node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg)
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    used.update(node.id for node in nodes if isinstance(node, ast.Name) and node.id != "__name__")
    if used & _REFLECTION:
        yield from used
        yield from (
            node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.alias))
        )


def _stores_by_name(node: ast.AST) -> bool:
    """Return whether a key of a mapping is not a text: `scores[name] = ...`, `{name: ...}` or `dict(pairs)`."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return not isinstance(node.slice, (ast.Constant, ast.Slice))
    if isinstance(node, ast.DictComp):
        return not isinstance(node.key, ast.Constant)
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict"
    return called and bool(node.args)  # type: ignore[attr-defined]


def _pattern(text: str) -> re.Pattern[str] | None:
    """Return a pattern of the keys that a text with places makes; None for a text that makes none."""
    parts = _PLACE.split(text)
    fixed = "".join(parts)
    if not 1 < len(parts) <= _MOST_PARTS or len(fixed) < 2 or re.search(r"\s", fixed):
        return None
    return re.compile(".+".join(map(re.escape, parts)))
