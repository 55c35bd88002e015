"""Load `competition.yaml` as YAML: its content, the line of every setting, and defects that a schema cannot find."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from speechbundles.model.bounded import MOST_YAML, compose_yaml, read_file
from speechbundles.model.competition import Place
from speechbundles.model.errors import OrganiserError
from speechbundles.model.text import dotted
from spokeneval.formats.problems import count_of

Marks = Mapping[Place, yaml.Mark]
Defects = list[tuple[Place, str]]


def load(path: Path) -> tuple[Any, Marks, Defects]:
    """Return the file's content, the position of every setting, and its defects: duplicate keys and unquoted dates.

    Raises
    ------
    OrganiserError: a file that is not YAML.
    """
    try:
        loader, root = compose_yaml(read_file(path, MOST_YAML))
        if root is None:
            raise ValueError("the file is empty")
        marks: dict[Place, yaml.Mark] = {}
        defects = list(_index(root, (), marks))
        return loader.construct_document(root), marks, defects
    except OSError as error:
        reason = str(error.strerror)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        reason = f"line {line}: byte 0x{error.object[error.start]:02x} is not UTF-8"
    except yaml.YAMLError as error:
        where = str(error).replace('in "<unicode string>", ', "")
        reason = f"not valid YAML: {where}"
    except ValueError as error:  # for example an impossible date
        reason = str(error)
    raise OrganiserError(f"{path.name}: {reason}")


def _index(node: yaml.Node, place: Place, marks: dict[Place, yaml.Mark]) -> Iterator[tuple[Place, str]]:
    """Record the position of every setting in `marks`; yield duplicate keys, and dates that YAML would parse."""
    marks.setdefault(place, node.start_mark)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
                raise ValueError(f"line {key.start_mark.line + 1}: a key is not text; put it in quotes")
            inner = (*place, key.value)
            if inner in marks:
                yield inner, f"duplicate key; first on line {marks[inner].line + 1}"
            marks[inner] = key.start_mark
            yield from _index(value, inner, marks)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _index(value, (*place, index), marks)
    elif node.tag == "tag:yaml.org,2002:timestamp":
        time = "" if ":" in node.value else " 00:00:00"
        quoted = f'write "{node.value}{time}"'
        yield place, f"{node.value} is not quoted, so a platform would drop its time; {quoted}"


def refusal(path: Path, defects: Defects) -> OrganiserError:
    """Return an error that lists all defects of a file by line; a defect that aliases repeat is listed once."""
    _, marks, _ = load(path)
    order = {place: index for index, place in enumerate(marks)}
    rows: dict[tuple[int, Place, str], tuple[int, str, str]] = {}
    for place, what in sorted(defects, key=lambda defect: order[_innermost(defect[0], marks)]):
        marked = _innermost(place, marks)
        mark = marks[marked]
        row = (mark.line + 1, dotted(place) or "the file", what)
        rows.setdefault((mark.index, place[len(marked) :], what), row)
    listed = "\n".join(f"  line {line:<4} {place}: {what}" for line, place, what in sorted(rows.values()))
    return OrganiserError(f"{path.name}: {count_of(len(rows), 'problem')}\n\n{listed}")


def _innermost(place: Place, marks: Marks) -> Place:
    """Return the place itself, or the innermost place around it that is in the file."""
    while place not in marks:
        place = place[:-1]
    return place
