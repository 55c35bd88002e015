"""The file that describes a bundle, as far as it can be read, with the line of every key and item."""

import functools
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from speechbundles.model.bounded import BoundedLoader, compose_yaml
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
        loader, node = compose_yaml(data)
        reading = _Reading(report, name, loader)
        content = None if node is None else reading.value(node, ())
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
    return Document(content, reading.lines, name)


def describe(value: Any) -> str:
    """Return a value that was not expected, in words."""
    if value is None:
        return "nothing"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "keys and values"
    return repr(value)


class _Reading:
    """Builds the values of nodes; keeps their lines, and adds findings for repeated keys."""

    def __init__(self, report: Report, name: str, loader: BoundedLoader) -> None:
        self.report, self.name, self.loader = report, name, loader
        self.lines: dict[Path, int] = {(): 1}

    def value(self, node: yaml.Node, path: Path) -> Any:
        """Return a node's value as the platforms' loader builds it."""
        if isinstance(node, yaml.SequenceNode):
            places = [((*path, index), item) for index, item in enumerate(node.value)]
            self.lines.update({place: item.start_mark.line + 1 for place, item in places})
            return [self.value(item, place) for place, item in places]
        if not isinstance(node, yaml.MappingNode):
            return self.loader.construct_object(node)
        first_lines: dict[Any, int] = {}
        for key_node, _ in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise ValueError(f"line {line}: a list or mapping as a key")
            if (key := key_node.value) in first_lines:
                where = f"{self.name} line {line}: {dotted((*path, key))}"
                self.report.add("duplicate-key", where, f"{key!r} again; first on line {first_lines[key]}")
            first_lines.setdefault(key, line)
        self.loader.flatten_mapping(node)
        result = {}
        for key_node, value_node in node.value:
            place = (*path, self.loader.construct_object(key_node))
            self.lines[place] = key_node.start_mark.line + 1
            result[place[-1]] = self.value(value_node, place)
        return result
