"""`competition.yaml`: read, held against its schema, and resolved into bundles.

Every defect is reported at once, with its line and path. What a schema cannot say (dates in order, a task
whose programs exist, columns that its `score.py` writes) is checked here too, so that nothing misspelt gets
as far as a platform.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

DATE_FORMAT = "%Y-%m-%d %H:%M:%S"

MAX_BYTES = 1 << 18
MAX_PLACES = 20_000
"""Settings, each counted as often as aliases repeat it: a few lines of aliases of aliases can be millions."""

Place = tuple[str | int, ...]


class ManifestError(ValueError):
    """`competition.yaml` cannot be used; `str()` lists every defect with its line."""


@dataclass(frozen=True)
class Column:
    """A leaderboard column; `direction` is `higher` or `lower`, whichever is better."""

    key: str
    title: str
    direction: str
    precision: int
    description: str
    hidden: bool = False


@dataclass(frozen=True)
class Phase:
    """A phase: dates in UTC as `YYYY-MM-DD HH:MM:SS`, the reference set it scores against, limits."""

    name: str
    start: str
    reference: str
    max_submissions_per_day: int
    max_submissions: int
    execution_time_limit: int
    end: str | None = None
    description: str = ""
    hide_scores: bool = False


@dataclass(frozen=True)
class Bundle:
    """One competition as it is uploaded: its task, its settings after the lookup, its columns and phases.

    `challenge_tasks`: all tasks of its challenge, its own among them. `origin`: where in `competition.yaml` each
    setting was found.
    """

    name: str
    task: str
    challenge: str
    settings: Mapping[str, Any]
    columns: tuple[Column, ...]
    phases: tuple[Phase, ...]
    challenge_tasks: tuple[str, ...]
    origin: Mapping[str, Place]

    def __getitem__(self, setting: str) -> Any:
        return self.settings[setting]

    @property
    def options(self) -> dict[str, str]:
        return dict(self.settings.get("options", {}))

    @property
    def sets(self) -> list[str]:
        """The reference sets it needs: the public ones, then those that its phases score against."""
        return list(dict.fromkeys([*self["public_sets"], *(phase.reference for phase in self.phases)]))

    @property
    def hides_scores(self) -> bool:
        return any(phase.hide_scores for phase in self.phases)

    @property
    def detailed_results(self) -> bool:
        """No platform can hide a report page, so hidden scores mean none."""
        return bool(self["detailed_results"]) and not self.hides_scores


def read_manifest(path: Path, names: Collection[str] = ()) -> list[Bundle]:
    """The bundles of a `competition.yaml`, with its schema and the programs beside it.

    Parameters
    ----------
    names: the bundles that are wanted; all where it is empty.

    Raises
    ------
    ManifestError: with every defect of the file, and of what the wanted bundles are made from.
    """
    marks: dict[Place, yaml.Mark] = {}
    defects: list[tuple[Place, str]] = []
    try:
        content = _load(path, marks, defects)
    except yaml.YAMLError as error:
        raise ManifestError(f"{path.name}: not YAML: {error}") from None
    except ManifestError as error:
        raise ManifestError(f"{path.name}: {error}") from None
    except RecursionError:
        raise ManifestError(f"{path.name}: is nested too deeply, or within itself") from None
    schema = json.loads((path.parent / "competition.schema.json").read_text(encoding="utf-8"))
    for violation in Draft202012Validator(schema).iter_errors(content):
        defects += _explain(violation, schema)
    if not defects:
        bundles = [bundle for bundle in _resolve(content, defects) if not names or bundle.name in names]
        _check_bundles(bundles, path.parent, defects)
        for name in sorted(set(names) - set(content["bundles"])):
            defects.append((("bundles",), f"no bundle {name}; there are {', '.join(content['bundles'])}"))
    if defects:
        rows = _rows(defects, marks)
        listed = "\n".join(f"  line {line:<4} {place}: {what}" for line, place, what in rows)
        count = "1 defect" if len(rows) == 1 else f"{len(rows)} defects"
        raise ManifestError(f"{path.name}: {count}\n\n{listed}")
    return bundles


def _rows(defects: list[tuple[Place, str]], marks: Mapping[Place, yaml.Mark]) -> list[tuple[int, str, str]]:
    """Line, place and defect, by line; what aliases repeat stands once, with the place that they are aliases of."""
    order = {place: index for index, place in enumerate(marks)}
    rows: dict[tuple[int, Place, str], tuple[int, str, str]] = {}
    for place, what in sorted(defects, key=lambda defect: order[_marked(defect[0], marks)]):
        marked = _marked(place, marks)
        mark = marks[marked]
        rows.setdefault((mark.index, place[len(marked) :], what), (mark.line + 1, _dotted(place), what))
    return sorted(rows.values())


def _load(path: Path, marks: dict[Place, yaml.Mark], defects: list[tuple[Place, str]]) -> Any:
    """The file's content; notes where every place stands, and what is wrong with the file as YAML."""
    with path.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ManifestError(f"is larger than {MAX_BYTES >> 10} kB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ManifestError(f"line {line}: byte 0x{data[error.start]:02x} is not UTF-8") from None
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if root is None:
        raise ManifestError("is empty")
    defects += _index(root, (), marks)
    try:
        return yaml.safe_load(text)
    except ValueError as error:  # a date that no calendar has, a number of five thousand digits
        raise ManifestError(f"a value that cannot be read: {error}") from None


def _index(node: yaml.Node, place: Place, marks: dict[Place, yaml.Mark]) -> Iterator[tuple[Place, str]]:
    """Note where every place stands; yield the keys that stand twice and the dates that YAML would take apart."""
    marks.setdefault(place, node.start_mark)
    if len(marks) > MAX_PLACES:
        raise ManifestError(f"more than {MAX_PLACES} settings; aliases of aliases?")
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
                raise ManifestError(f"line {key.start_mark.line + 1}: a key that is no text; quote it")
            inner = (*place, key.value)
            if inner in marks:
                yield inner, f"stands twice; first on line {marks[inner].line + 1}"
            marks[inner] = key.start_mark
            yield from _index(value, inner, marks)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _index(value, (*place, index), marks)
    elif node.tag == "tag:yaml.org,2002:timestamp":
        time = "" if ":" in node.value else " 00:00:00"
        yield (
            place,
            f'{node.value} is not quoted, and a platform would drop its time; write "{node.value}{time}"',
        )


def _marked(place: Place, marks: Mapping[Place, yaml.Mark]) -> Place:
    """The place itself, or the innermost one around it that stands in the file."""
    while place not in marks:
        place = place[:-1]
    return place


def _dotted(place: Place) -> str:
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "the file"


_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "settings, `key: value`",
}


def _explain(error: Any, schema: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """A violation of the schema (a `jsonschema.ValidationError`), in the words of the person who made it."""
    place: Place = tuple(error.absolute_path)
    if error.validator in ("additionalProperties", "unevaluatedProperties"):
        known = sorted(_known_keys(error.schema, schema))
        for key in sorted(set(error.instance) - set(known)):
            near = get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(known)}"
            yield (*place, key), f"unknown key; {hint}"
    elif error.validator == "required":
        for key in error.validator_value:
            if key not in error.instance:
                yield place, f"no {key}"
    elif error.validator == "enum":
        expected = ", ".join(str(value) for value in error.validator_value)
        yield place, f"{error.instance!r}; expected one of {expected}"
    elif error.validator in ("pattern", "not") and "description" in error.schema:
        if "propertyNames" in error.absolute_schema_path:
            place = (*place, error.instance)
        yield place, f"{error.instance!r:.100}; expected {error.schema['description']}"
    elif error.validator == "type" and isinstance(error.instance, date):
        return  # an unquoted date, reported with its line already
    elif error.validator == "type":
        yield place, f"{error.instance!r:.100}; expected {_TYPES[error.validator_value]}"
    elif error.validator == "maxLength":
        yield place, f"{error.instance!r:.100} is too long; at most {error.validator_value} characters"
    else:
        yield place, error.message


def _known_keys(schema: Mapping[str, Any], root: Mapping[str, Any]) -> set[str]:
    keys = set(schema.get("properties", {}))
    for part in schema.get("allOf", []):
        name = part["$ref"].rsplit("/", 1)[1]
        keys |= set(root["$defs"][name]["properties"])
    return keys


def _resolve(content: Mapping[str, Any], defects: list[tuple[Place, str]]) -> Iterator[Bundle]:
    """Each bundle with the settings of its task, its challenge and the defaults."""
    tasks = {
        task: (challenge, layer["tasks"][task])
        for challenge, layer in content["challenges"].items()
        for task in layer["tasks"]
    }
    for name, entry in content["bundles"].items():
        if entry["task"] not in tasks:
            near = get_close_matches(entry["task"], tasks, 1)
            hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(tasks)}"
            defects.append((("bundles", name, "task"), f"no task {entry['task']!r}; {hint}"))
            continue
        challenge, task = tasks[entry["task"]]
        settings: dict[str, Any] = {}
        origin: dict[str, Place] = {}
        layers: dict[Place, dict[str, Any]] = {
            ("defaults",): content["defaults"],
            ("challenges", challenge): content["challenges"][challenge],
            ("challenges", challenge, "tasks", entry["task"]): task,
            ("bundles", name): entry,
        }
        for place, layer in layers.items():
            settings.update(layer)
            origin.update({key: (*place, key) for key in layer})
        absent = [
            key
            for key in ("image", "terms", "pages", "docker_image", "submission_rule", "public_sets", "phases")
            if key not in settings
        ]
        if absent:
            defects.append(
                (("bundles", name), f"no {', '.join(absent)}, here or in its task, challenge, defaults")
            )
            continue
        settings.setdefault("detailed_results", False)
        settings.setdefault("rounded_sets", [])
        settings.setdefault("registration", "approval")
        settings.setdefault("forum", True)
        columns = tuple(Column(**column) for column in settings.pop("columns"))
        phases = tuple(Phase(**phase) for phase in settings.pop("phases"))
        together = tuple(settings.pop("tasks"))
        yield Bundle(name, settings.pop("task"), challenge, settings, columns, phases, together, origin)


def _check_bundles(bundles: list[Bundle], root: Path, defects: list[tuple[Place, str]]) -> None:
    for bundle in bundles:
        _check_phases(bundle, defects)
        _check_columns(bundle, root, defects)
        pages = [(bundle.origin["terms"], bundle["terms"])]
        for index, page in enumerate(bundle["pages"]):
            pages.append(((*bundle.origin["pages"], index, "file"), page["file"]))
        for place, file in pages:
            if not page_path(root, bundle, file).is_file():
                own = ", ".join(f"pages/{owner}/" for owner in dict.fromkeys((bundle.task, bundle.challenge)))
                defects.append((place, f"page {file} is neither in {own} nor in pages/"))
        for name in bundle["rounded_sets"]:
            if name not in bundle.sets:
                defects.append(
                    (bundle.origin["rounded_sets"], f"no set {name}; there are {', '.join(bundle.sets)}")
                )
        if not (root / bundle["image"]).is_file():
            defects.append((bundle.origin["image"], f"image {bundle['image']} is missing"))


def page_path(root: Path, bundle: Bundle, file: str) -> Path:
    """A page's source: the task's own, else the challenge's, else the series'."""
    for owner in (bundle.task, bundle.challenge):
        own = root / "pages" / owner / file
        if own.is_file():
            return own
    return root / "pages" / file


def _check_phases(bundle: Bundle, defects: list[tuple[Place, str]]) -> None:
    before: tuple[Phase, datetime | None] | None = None
    for index, phase in enumerate(bundle.phases):
        place = (*bundle.origin["phases"], index)
        start, end = _date(phase.start), _date(phase.end)
        unknown = [
            (key, text)
            for key, text, known in (("start", phase.start, start), ("end", phase.end, end))
            if text and known is None
        ]
        for key, text in unknown:
            defects.append(((*place, key), f"phase {phase.name}: {text}: not a date of the calendar"))
        if unknown or start is None:
            return
        if end and end <= start:
            defects.append(
                ((*place, "end"), f"phase {phase.name}: ends {phase.end}, not after its start {phase.start}")
            )
        if before and before[1] is None:
            defects.append((place, f"phase {before[0].name}: no end, and phase {phase.name} comes after it"))
        elif before and before[1] and start <= before[1]:
            defects.append(
                (
                    (*place, "start"),
                    f"phase {phase.name}: starts {phase.start}, not after the end of the one before",
                )
            )
        if phase.name in [each.name for each in bundle.phases[:index]]:
            defects.append(((*place, "name"), f"phase {phase.name} stands twice"))
        before = phase, end


def _date(text: str | None) -> datetime | None:
    try:
        return datetime.strptime(text, DATE_FORMAT) if text else None
    except ValueError:
        return None


def _check_columns(bundle: Bundle, root: Path, defects: list[tuple[Place, str]]) -> None:
    keys = [column.key for column in bundle.columns]
    places = [(*bundle.origin["columns"], index, "key") for index in range(len(keys))]
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        defects.append((places[keys.index(key)], f"column {key} stands twice"))
    titles = [column.title for column in bundle.columns]
    for index, title in enumerate(titles):
        if title in titles[:index]:
            defects.append(((*places[index][:-1], "title"), f"title {title} stands twice"))
    program = root / "scoring_program" / bundle.task / "score.py"
    if not program.is_file():
        place: Place = ("challenges", bundle.challenge, "tasks", bundle.task)
        defects.append((place, f"scoring_program/{bundle.task}/score.py is missing"))
        return
    declared = literals(program.read_text(encoding="utf-8"))
    written, choices = declared.get("SCORES", ()), declared.get("OPTIONS", {})
    for key, column_place in zip(keys, places, strict=True):
        if key not in written:
            near = get_close_matches(key, written, 1)
            hint = f"did you mean {near[0]}?" if near else f"it writes {', '.join(written)}"
            defects.append(
                (
                    column_place,
                    f"column {key} is not written by scoring_program/{bundle.task}/score.py; {hint}",
                )
            )
    lower = declared.get("LOWER_IS_BETTER", ())
    for column, column_place in zip(bundle.columns, places, strict=True):
        right = "lower" if column.key in lower else "higher"
        if column.key in written and column.direction != right:
            direction_place = (*column_place[:-1], "direction")
            defects.append((direction_place, f"{column.direction}; of {column.key}, {right} is better"))
    if written and keys and keys[0] != written[0]:
        defects.append((places[0], f"the first column is {keys[0]}; the primary score is {written[0]}"))
    for option, value in bundle.options.items():
        place = (*bundle.origin["options"], option)
        if option not in choices:
            expected = ", ".join(choices) or "none"
            defects.append(
                (place, f"unknown option {option}; scoring_program/{bundle.task}/score.py has {expected}")
            )
        elif value not in choices[option]:
            defects.append(
                (place, f"option {option} is {value!r}; expected one of {', '.join(choices[option])}")
            )


def literals(source: str) -> dict[str, Any]:
    """The module-level constants of a program that are literals, or names of such, read without running it."""
    found: dict[str, Any] = {}
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if isinstance(statement.value, ast.Name) and statement.value.id in found:
                found[name] = found[statement.value.id]
                continue
            try:
                found[name] = ast.literal_eval(statement.value)
            except ValueError:
                continue
    return found
