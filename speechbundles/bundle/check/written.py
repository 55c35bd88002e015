"""Searches the files of a scoring program for the keys of the leaderboard's columns. Nothing is run.

A key is found where the program has it as a text, as the start of a line that it writes (`key: `), or as a text that it
puts together (`f"f1_{name}"`, `"f1_" + name`). Comments and docstrings do not count.
"""

import ast
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from speechbundles.bundle.check.programs import LONGEST_SCRIPT, parse_script

_TEXTS = re.compile(r"\.(py|json|ya?ml|[ct]sv|cfg|ini|toml|sh|r|ipynb|pl|m|js)")
_BINARIES = re.compile(r"\.(pyc|so|pyd|jar|exe|class|whl|pkl)")
_PLACE = re.compile(r"%\(?\w*\)?[sdfr]|\{[^{}]*\}")
"""The place of a value in a text that is formatted."""
_LINE = re.compile(r"([\w.-]+)[\"']?\s*[:=]")
"""The name at the start of a line with a score."""
_MOST_PARTS, _MOST_PATTERNS, _LONGEST_KEY = 5, 200, 100
_REFLECTION = re.compile(r"\b(_?asdict|vars|getattr|globals|locals)\(|\.__(name|dict)__")
"""Code with which a program can use its own identifiers as keys."""


def unwritten_keys(files: Mapping[str, bytes], keys: Collection[str]) -> list[str]:
    """Return the keys that no file of a program contains.

    The list is empty for a program that cannot be read or that computes its keys: no key is in its files, and it writes
    scores under variable names.
    """
    suffixes = {name: posixpath.splitext(name)[1].lower() for name in files}
    read = {name for name, data in files.items() if _TEXTS.fullmatch(suffixes[name]) or data[:2] == b"#!"}
    too_long = sum(len(files[name]) for name in read) > LONGEST_SCRIPT
    if too_long or any(map(_BINARIES.fullmatch, suffixes.values())):
        return []
    texts: set[str] = set()
    words: set[str] = set()
    computes = False
    for name in read:
        text = files[name].decode("utf-8", "replace")
        if suffixes[name] != ".py":
            words.update(re.findall(r"[\w.-]+", text))
            continue
        try:
            nodes = list(ast.walk(parse_script(text)))
        except ValueError:
            return []
        texts.update(_texts(nodes))
        words.update(node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg)
        words.update(re.findall(r"\w+", text) if _REFLECTION.search(text) else ())
        computes = computes or any(map(_stores_by_name, nodes))
    words.update(texts, *(_LINE.findall(text) for text in texts))
    patterns = [pattern for pattern in map(_pattern, sorted(texts)) if pattern][:_MOST_PATTERNS]
    made = {key for key in keys if any(each.fullmatch(key[:_LONGEST_KEY]) for each in patterns)}
    found = made.union(words.intersection(keys))
    return [] if computes and not found else [key for key in keys if key not in found]


def _texts(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the texts in a program, with `{}` in place of values; docstrings are left out."""
    left_out: set[ast.AST] = set()
    for node in nodes:
        parts: list[ast.expr] = []
        if isinstance(node, ast.Expr):
            left_out.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            left_out.update(node.values)
            parts = node.values
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = [node.left, node.right]
        elif node not in left_out and isinstance(node, ast.Constant):
            parts = [node]
        texts = [
            part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "{}"
            for part in parts
        ]
        if set(texts) != {"{}"}:
            yield "".join(texts)


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
