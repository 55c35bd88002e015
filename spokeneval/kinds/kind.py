"""A kind of task and its parameters."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple

from ..formats.format import Answers, Sheet
from ..formats.speakers import SPEAKER, SPEAKER_ALIASES, Units, choose_units
from ..task import Task

REQUIRED = object()
"""The default of a parameter that an organiser must set."""

MOST_CLASSES = 5000
LONGEST_NAME = 200
"""The most characters of the name of a class, a column or a task."""
LONGEST_REASON = 1000
"""The most characters of a message: it may quote what was declared."""

LONGEST_WORD = 60
"""The most characters of an unknown parameter that are compared with the known ones."""


class ParameterError(ValueError):
    """A parameter that cannot be used.

    Attributes
    ----------
    parameter: its name; empty for a problem of several parameters together.
    reason: the message without the name.
    """

    def __init__(self, parameter: str, message: str) -> None:
        parameter = parameter[:LONGEST_NAME]
        message = message if len(message) <= LONGEST_REASON else f"{message[:LONGEST_REASON]} ..."
        super().__init__(f"{parameter}: {message}" if parameter else message)
        self.parameter, self.reason = parameter, message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.parameter, self.reason)


class Parameter(NamedTuple):
    """What an organiser may set of a kind.

    Attributes
    ----------
    name: as it is written in `competition.yaml`.
    description: what it sets, and which values it may have.
    read: turns the value, as YAML or JSON gives it, into the one that the kind takes; raises ValueError.
    example: a value for a new competition folder.
    default: `REQUIRED`, or the value that holds where none is given, as YAML would give it.
    """

    name: str
    description: str
    read: Callable[[Any], Any]
    example: Any
    default: Any = REQUIRED


class Kind(NamedTuple):
    """A kind of task.

    Attributes
    ----------
    name: as it is written in `competition.yaml`.
    description: what its tasks ask for, in one line.
    parameters: what an organiser may set.
    opening: the first sentence of pages; `{item}` is replaced by what an item is.
    make: name, title, and the parameters by name -> the task; raises `ParameterError` for parameters that contradict
        each other.
    """

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    make: Callable[..., Task]
    opening: str


def read_parameters(kind: Kind, declared: Mapping[str, Any]) -> dict[str, Any]:
    """Return all parameters of a kind by name: those that are declared, and the defaults of the others.

    Raises
    ------
    ParameterError: a parameter that the kind does not have, that is missing, or whose value cannot be used.
    """
    known = [parameter.name for parameter in kind.parameters]
    for name in declared:
        if name not in known:
            near = difflib.get_close_matches(name[:LONGEST_WORD], known, 1)
            hint = f"did you mean {near[0]}?" if near else f"{kind.name} has {', '.join(known)}"
            raise ParameterError(name, f"unknown parameter; {hint}")
    values = {}
    for parameter in kind.parameters:
        value = declared.get(parameter.name, parameter.default)
        if value is REQUIRED:
            raise ParameterError(parameter.name, f"missing. {parameter.description}")
        try:
            values[parameter.name] = parameter.read(value)
        except (TypeError, ValueError) as error:
            raise ParameterError(parameter.name, str(error)) from None
    return values


def text(value: Any) -> str:
    """Return a name: one line of visible characters."""
    if not isinstance(value, str) or value != value.strip() or not value or not value.isprintable():
        raise ValueError(f"{value!r}; expected a name without blanks around it")
    if len(value) > LONGEST_NAME:
        raise ValueError(f"{value[:LONGEST_WORD]!r}...; expected at most {LONGEST_NAME} characters")
    return value


def id_column(value: Any) -> str:
    """Return the name of a column of ids; with a comma it would be two, see `tables.id_columns`."""
    if "," in text(value):
        raise ValueError(f"{value!r}; expected the name of a column, without a comma")
    return str(value)


def id_column_or_two(value: Any) -> str:
    """Return the name of a column of ids, or those of two with a comma between them."""
    names = list(map(id_column, value if isinstance(value, (list, tuple)) else [value]))
    if len(names) not in (1, 2) or len(names) != len({name.lower() for name in names}):
        raise ValueError(f"{value!r:.100}; expected a column, or two such as [enrolment, test]")
    return ",".join(names)


def optional_text(value: Any) -> str:
    """Return a name, or nothing for None."""
    return "" if value is None else text(value)


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number, not a boolean."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -math.inf < value < math.inf


def finite_number(value: Any) -> float:
    """Return a finite number."""
    if not is_number(value):
        raise ValueError(f"{value!r}; expected a number")
    return float(value)


def one_of(*choices: Any) -> Callable[[Any], Any]:
    """Return the reader of a value that is one of a few."""

    def read(value: Any) -> Any:
        if isinstance(value, bool) or value not in choices:
            raise ValueError(f"{value!r}; expected {' or '.join(map(str, choices))}")
        return value

    return read


def noun(value: Any) -> str:
    """Return what an item is called, such as `response`."""
    if not isinstance(value, str) or not re.fullmatch(r"[^\W\d_]+( [^\W\d_]+)*", value):
        raise ValueError(f"{value!r}; expected a word, such as response or Aufnahme")
    return text(value)


def class_names(value: Any) -> tuple[str, ...]:
    """Return the names of two or more classes."""
    if not isinstance(value, (list, tuple)) or len(value) < 2:
        raise ValueError(f"{value!r}; expected a list of two classes or more")
    if len(value) > MOST_CLASSES:
        raise ValueError(f"{len(value)} classes; expected at most {MOST_CLASSES}")
    seen = set()
    for name in value:
        if isinstance(name, bool):
            raise ValueError(
                f"{str(name).lower()} without quotation marks; write '{str(name).lower()}', or 'yes', 'no'"
            )
        if not isinstance(name, str) or name != name.strip() or not name or not name.isprintable():
            raise ValueError(f"class {name!r}; expected a text, in quotation marks if it is a number")
        if len(name) > LONGEST_NAME:
            raise ValueError(f"class {name[:LONGEST_WORD]!r}...; expected at most {LONGEST_NAME} characters")
        if name in seen:
            raise ValueError(f"class {name!r} twice")
        seen.add(name)
    return tuple(value)


ID = Parameter(
    "id", "The column that names an item, in the reference and in submissions.", id_column, "id", "id"
)
ITEM = Parameter(
    "item", "What an item is, in the singular, for pages and messages.", noun, "response", "item"
)
UNIT = Parameter(
    "unit",
    "The column of the reference with the unit of each item, such as its speaker. Confidence intervals allow for other "
    "units. Without this column each item is a unit. `unit_plural` sets an irregular plural.",
    text,
    "speaker",
    SPEAKER,
)
COMMON = (ID, ITEM, UNIT)


def unit_columns(unit: str) -> dict[str, Any]:
    """Return how a reference's sheet keeps the column of units: arguments of `Sheet`."""
    return {"optional": (unit,), "aliases": SPEAKER_ALIASES if unit == SPEAKER else {}}


def units_by(item: str, unit: str) -> Callable[[Answers], Units]:
    """Return the function that gives a reference's units: by the column of units where it is there, else by item."""

    def units(reference: Answers) -> Units:
        return choose_units(reference.items.ids, item, **{unit: reference.texts.get(unit, ())})

    return units


def one_table(file: str, columns: Mapping[str, Any], *, id: str, item: str, unit: str = "") -> Sheet:
    """Return a sheet in CSV, of a submission, or of a reference where it may have a column of units."""
    kept = unit_columns(unit) if unit else {}
    return Sheet(file, id, columns, noun=item, **kept)
