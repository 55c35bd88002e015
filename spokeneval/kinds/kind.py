"""A kind of task and its parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import field, fields
from typing import Any, Callable, ClassVar, NamedTuple

from ..formats.format import Format, Items, Sheet
from ..formats.problems import LONGEST_WORD, suggestion
from ..formats.speakers import SPEAKER, SPEAKER_ALIASES, Units, choose_units
from ..task import Score, Task, View

REQUIRED = object()
"""The default of a parameter that an organiser must set."""

REFUSED, MISSED = "refused", "missed"
MOST_CLASSES = 5000
LONGEST_NAME = 200
"""The most characters of the name of a class, a column or a task."""
LONGEST_REASON = 1000
"""The most characters of a message: it may quote what was declared."""

WIDEST = 10
"""The largest collar in seconds."""


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


def parameter(description: str, read: Callable[[Any], Any], example: Any, default: Any = REQUIRED) -> Any:
    """Return the field of a kind for a parameter that an organiser may set; see `Parameter`."""
    given = {"parameter": Parameter("", description, read, example, default)}
    return (
        field(metadata=given)
        if default is REQUIRED
        else field(default_factory=lambda: read(default), metadata=given)
    )


class Kind(View):
    """A kind of task: a frozen dataclass whose fields are the parameters that an organiser may set.

    Parameters that contradict each other raise `ParameterError` where the value is made. The methods are the attributes
    of `Task` with these names, or its default; `units_of` and `all_scores` are `units` and `scores`, which some kinds
    have as parameters. A challenge whose files or scores are not those of the kind overrides what differs.

    Attributes
    ----------
    name: as it is written in `competition.yaml`.
    description: what its tasks ask for, in one line.
    opening: the first sentence of pages; `{item}` is replaced by what an item is.
    """

    description: ClassVar[str]
    opening: ClassVar[str]

    partly_right: ClassVar[Any] = None
    shared_scale: ClassVar[bool] = True

    item: str
    unit: str
    """Parameters of most kinds: what an item is called, and the column of units."""

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """What an organiser may set."""
        return tuple(each.metadata["parameter"]._replace(name=each.name) for each in fields(cls))  # type: ignore[arg-type]

    @classmethod
    def read(cls, declared: Mapping[str, Any]) -> Kind:
        """Return the kind with the parameters that are declared, and the defaults of the others.

        Raises
        ------
        ParameterError: a parameter that the kind does not have, that is missing, or whose value cannot be used.
        """
        parameters = cls.parameters()
        known = [each.name for each in parameters]
        for name in declared:
            if name not in known:
                hint = suggestion(name, known, f"{cls.name} has {', '.join(known)}")
                raise ParameterError(name, f"unknown parameter; {hint}")
        values = {}
        for each in parameters:
            value = declared.get(each.name, each.default)
            if value is REQUIRED:
                raise ParameterError(each.name, f"missing. {each.description}")
            values[each.name] = read_value(each.name, each.read, value)
        return cls(**values)

    def format(self) -> Format:
        raise NotImplementedError

    @property
    def unit_column(self) -> str:
        """The column of the reference with the units."""
        return self.unit

    def units_of(self, reference: Any) -> Units:
        """Return a reference's units: by the column of units where it is there, else by item."""
        units = reference.texts.get(self.unit_column, ())
        return choose_units(reference.items.ids, self.item, **{self.unit_column: units})

    def count(self, reference: Any, submission: Any) -> Mapping[str, Any]:
        raise NotImplementedError

    def all_scores(self) -> tuple[Score, ...]:
        raise NotImplementedError

    def right(self, rows: Mapping[str, Any]) -> Any:
        raise NotImplementedError

    def labels(self, reference: Any) -> Iterable[Hashable]:
        raise NotImplementedError

    def trivial(self) -> Mapping[str, Callable[[Items], Any]]:
        raise NotImplementedError

    def remarks(self, submission: Any) -> Iterable[str]:
        return ()

    def task(self, name: str, title: str) -> Task:
        """Return the task with these parameters."""
        return Task(
            name=name,
            title=title,
            format=self.format(),
            units=self.units_of,
            count=self.count,
            scores=self.all_scores(),
            right=self.right,
            labels=self.labels,
            trivial=self.trivial(),
            partly_right=self.partly_right,
            remarks=self.remarks,
            view=self,
            shared_scale=self.shared_scale,
        )


def read_value(name: str, read: Callable[[Any], Any], value: Any) -> Any:
    """Return a value as `read` turns it, which raises ValueError; then the name of the parameter is added."""
    try:
        return read(value)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            name, error.reason if isinstance(error, ParameterError) else str(error)
        ) from None


def text(value: Any) -> str:
    """Return a name: one line of visible characters."""
    if not isinstance(value, str) or value != value.strip() or not value or not value.isprintable():
        raise ValueError(f"{value!r}; expected a name without blanks around it")
    if len(value) > LONGEST_NAME:
        raise ValueError(f"{value[:LONGEST_WORD]!r}...; expected at most {LONGEST_NAME} characters")
    return value


def id_column(value: Any) -> str:
    """Return the name of a column of ids; with a comma it would be two, see `tables.id_columns`."""
    if isinstance(value, (list, tuple)):
        raise ValueError(f"{value!r:.100}; expected one column: only the kind identification has ids of two")
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


def milliseconds(value: Any) -> int:
    """Return a collar in ms."""
    if not is_number(value) or not 0 <= value <= WIDEST or round(1000 * value) != round(1000 * value, 6):
        raise ValueError(
            f"{value!r}; expected seconds from 0 to {WIDEST}, in whole milliseconds, such as 0.25"
        )
    milliseconds: int = round(1000 * value)
    return milliseconds


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


def class_names(value: Any, fewest: int = 2) -> tuple[str, ...]:
    """Return the names of two or more classes, or of `fewest`."""
    if not isinstance(value, (list, tuple)) or len(value) < fewest:
        raise ValueError(
            f"{value!r}; expected a list of {'two classes' if fewest > 1 else 'a class'} or more"
        )
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


def id_parameter(
    description: str = "The column that names an item, in the reference and in submissions.",
    name: str = "id",
    read: Callable[[Any], Any] = id_column,
) -> Any:
    """Return the field of the column of ids, whose default is `name`."""
    return parameter(description, read, name, name)


def item_parameter(example: str = "response", default: str = "item") -> Any:
    """Return the field of what an item is called."""
    return parameter("What an item is, in the singular, for pages and messages.", noun, example, default)


def unit_parameter() -> Any:
    """Return the field of the column of units."""
    return parameter(
        "The column of the reference with the unit of each item, such as its speaker. Confidence intervals allow for "
        "other units. Without this column each item is a unit. `unit_plural` sets an irregular plural.",
        text,
        SPEAKER,
        SPEAKER,
    )


def missing_parameter() -> Any:
    """Return the field of what happens to a recording that a submission does not name."""
    return parameter(
        f"A recording that a submission does not name is {REFUSED}, as in all other kinds. Or all of its speech is "
        f"{MISSED}, which a system gains by if its errors there are more than 100 %.",
        one_of(REFUSED, MISSED),
        MISSED,
        REFUSED,
    )


def unit_columns(unit: str) -> dict[str, Any]:
    """Return how a reference's sheet keeps the column of units: arguments of `Sheet`."""
    return {"optional": (unit,), "aliases": SPEAKER_ALIASES if unit == SPEAKER else {}}


def one_table(file: str, columns: Mapping[str, Any], *, id: str, item: str, unit: str = "") -> Sheet:
    """Return a sheet in CSV, of a submission, or of a reference where it may have a column of units."""
    kept = unit_columns(unit) if unit else {}
    return Sheet(file, id, columns, noun=item, **kept)
