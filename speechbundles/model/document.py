"""The file that describes a bundle, as far as it can be read, with the line of every key and item."""

import functools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import yaml

from speechbundles.model.bounded import BoundedLoader, compose_yaml, decode_yaml
from speechbundles.model.finding import Report
from speechbundles.model.text import dotted

FILE = "competition.yaml"

Path = tuple[Any, ...]


@dataclass(frozen=True)
class Document:
    """The file's content, the line of every key and item in it, and its name."""

    content: dict[Any, Any]
    lines: Mapping[Path, int]
    name: str = FILE

    def where(self, path: Path) -> str:
        """Return the line of a place, or of the innermost place around it if it is not in the file."""
        line = next(self.lines[path[:n]] for n in range(len(path), -1, -1) if path[:n] in self.lines)
        text = dotted(path)
        return f"{self.name} line {line}: {text}" if text else f"{self.name} line {line}"

    def value(self, path: Path) -> Any:
        """Return the value at a place; None if there is none."""
        try:
            return functools.reduce(operator.getitem, path, self.content)
        except (KeyError, IndexError, TypeError):
            return None


def read_document(report: Report, data: bytes, name: str = FILE) -> Document | None:
    """Parse the file. Return None, and add a finding, if it is not YAML with keys and values."""
    try:
        loader = BoundedLoader(decode_yaml(data))
        node = compose_yaml(loader)
        lines: dict[Path, int] = {(): 1}
        content = (
            None if node is None else _value(node, (), loader, lines, partial(_add_repeated, report, name))
        )
    except UnicodeDecodeError as error:
        report.add("yaml-not-utf8", name, f"byte {error.start} is not UTF-8")
        return None
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{name} line {mark.line + 1}" if mark else name
        report.add("yaml-invalid", where, str(getattr(error, "problem", None) or error))
        return None
    if not isinstance(content, dict):
        report.add("yaml-invalid", name, f"{describe(content)} at the top level; expected keys and values")
        return None
    return Document(content, lines, name)


def describe(value: Any) -> str:
    """Return a value that was not expected, in words."""
    if value is None:
        return "nothing"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "keys and values"
    return repr(value)


def _add_repeated(report: Report, name: str, line: int, path: Path, first: int) -> None:
    what = f"{path[-1]!r} again; first on line {first}"
    report.add("duplicate-key", f"{name} line {line}: {dotted(path)}", what)


def _value(
    node: yaml.Node,
    path: Path,
    loader: BoundedLoader,
    lines: dict[Path, int],
    repeated: Callable[[int, Path, int], None],
) -> Any:
    """Return a node's value as the platforms' loader builds it; add the lines in it, and findings for repeated keys."""
    if isinstance(node, yaml.SequenceNode):
        lines.update({(*path, index): item.start_mark.line + 1 for index, item in enumerate(node.value)})
        return [
            _value(item, (*path, index), loader, lines, repeated) for index, item in enumerate(node.value)
        ]
    if not isinstance(node, yaml.MappingNode):
        return loader.construct_object(node)
    first_lines: dict[Any, int] = {}
    for key_node, _ in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise ValueError(f"line {line}: a list or mapping as a key")
        if key_node.value in first_lines:
            repeated(line, (*path, key_node.value), first_lines[key_node.value])
        first_lines.setdefault(key_node.value, line)
    loader.flatten_mapping(node)
    result = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node)
        place = (*path, key)
        lines[place] = key_node.start_mark.line + 1
        result[key] = _value(value_node, place, loader, lines, repeated)
    return result
