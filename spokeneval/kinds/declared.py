"""Tasks that an organiser declares, with a kind and its parameters, instead of writing them in Python.

A declaration is a mapping: `kind`, the kind's own parameters, and optionally `title` and `primary`. It is written in
`competition.yaml`, travels in `task.json` and in `statistics.json`, and is part of the signature of every result.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..formats.problems import Problems, ReferenceFileError, suggestion
from ..formats.speakers import GROUP, MEAN_OVER, PLURAL, Units, unit_noun
from ..formats.text import in_nfc
from ..task import Task
from .decisions import DecisionsKind
from .events import EventsKind
from .identification import IdentificationKind
from .kind import Kind, ParameterError, read_value, text
from .mean_over import mean_over, read_grouping
from .meetings import MeetingsKind
from .ratings import RatingsKind
from .scores import ScoresKind
from .several import SeveralKind
from .transcripts import TranscriptsKind
from .turns import TurnsKind

_ALL: tuple[type[Kind], ...] = (
    DecisionsKind,
    EventsKind,
    IdentificationKind,
    MeetingsKind,
    RatingsKind,
    ScoresKind,
    SeveralKind,
    TranscriptsKind,
    TurnsKind,
)
KINDS = {kind.name: kind for kind in _ALL}

DECLARATION = "declaration"
"""The key of a declaration in `task.json` and in `statistics.json`."""

MOST_VALUES = 200_000
DEEPEST = 10
LONGEST_TEXT = 1000
LARGEST_NUMBER = 10**15
LARGEST_FILE = 1 << 20
"""Limits of what a declaration contains, and of `task.json` in bytes. Others may have written it."""

UAR = "uar"
"""The name in `primary` of the mean recall of classes, whose key a kind takes from `MEAN_RECALLS`."""
MEAN_RECALLS = ("balanced_accuracy", "macro_accuracy")

GENERAL = {
    "kind": "The kind of the task.",
    "title": "The task's title in reports. Without it, the name of the task.",
    "primary": "The key of the score that decides the rank, or `uar` for the mean recall of classes. Without it, the "
    "first score of the kind.",
    MEAN_OVER: "The column of the reference whose groups of items, such as languages, count equally: the primary score "
    "is the mean of its values in each group, and the next score the worst of them. {column: site, groups: drawn} "
    "takes groups as a sample of all sites, so that intervals are over sites. {column: id, until: _} groups items "
    "by the beginnings of their ids, as far as the separator; of meetings and turns only these are known.",
    PLURAL: "The plural of the unit on pages and in reports, such as Sprecherinnen, if it is not formed with s.",
}
"""What can be declared of every kind."""


def declared_task(name: str, declaration: Mapping[str, Any]) -> Task:
    """Return the task that a declaration describes.

    Parameters
    ----------
    name
        The name of the task, such as `kids_asr`.

    Raises
    ------
    ParameterError
        An unknown kind or parameter, or a value that cannot be used; `parameter` is its name.
    """
    _check_extent(declaration)
    declaration = in_nfc(declaration)
    own = {key: value for key, value in declaration.items() if key not in GENERAL}
    kind = _find(declaration.get("kind"), KINDS, "kind")
    title = read_value("title", text, declaration.get("title", name.replace("_", " ").capitalize()))
    task = kind.read(own).task(name, title)
    written = {"kind": kind.name, "title": title}
    if "primary" in declaration:
        known = {score.key: score for score in task.scores if score.bounds}
        known.update((UAR, score) for score in task.scores if score.key in MEAN_RECALLS)
        primary = _find(declaration["primary"], known, "primary")
        if primary is not task.primary:
            task = task.ranked_by(primary.key)
            written["primary"] = primary.key
    defaults = {parameter.name: parameter.default for parameter in kind.parameters()}
    written.update({key: own[key] for key in defaults if key in own and own[key] != defaults[key]})
    if PLURAL in declaration:
        written[PLURAL] = read_value(PLURAL, text, declaration[PLURAL])
        units = task.units
        task = replace(task, units=lambda labels: _called(units(labels), written))
    task = _with_units(task, written["unit"]) if "unit" in written else task
    if MEAN_OVER in declaration:
        task = read_value(
            MEAN_OVER, lambda value: mean_over(task, read_grouping(value)), declaration[MEAN_OVER]
        )
        written[MEAN_OVER] = declaration[MEAN_OVER]
    declared: Task = replace(task, declaration=written)
    return declared


def _called(units: Units, declaration: Mapping[str, Any]) -> Units:
    return units._replace(called=unit_noun(units.called, declaration))


def _with_units(task: Task, unit: str) -> Task:
    """The task, which refuses a reference without the declared column of units."""

    def read_reference(files: Mapping[str, bytes]) -> Any:
        labels = task.format.read_reference(files)
        if task.units(labels).called not in (unit, unit + GROUP):
            message = f"no {unit!r} in the reference, which `unit` declares; name a column that it has"
            Problems(ReferenceFileError).stop("no_unit", task.format.layouts[0].file, message)
        return labels

    return replace(task, format=task.format._replace(read_reference=read_reference))


def _check_extent(declaration: Mapping[str, Any]) -> None:
    """Refuse a declaration that is too large or too deep, or has a whole number that no float holds."""
    for key, value in declaration.items():
        values, depth = [value], 0
        while values:
            if len(values) > MOST_VALUES or depth > DEEPEST:
                raise ParameterError(key, f"more than {MOST_VALUES} values, or more than {DEEPEST} levels")
            for each in values:
                if isinstance(each, str) and len(each) > LONGEST_TEXT:
                    raise ParameterError(
                        key, f"a text of {len(each)} characters; expected {LONGEST_TEXT} at most"
                    )
                if isinstance(each, int) and abs(each) > LARGEST_NUMBER:
                    raise ParameterError(key, f"a number of {len(str(each))} digits")
            inner = [each for each in values if isinstance(each, (list, tuple))]
            pairs = [each for each in values if isinstance(each, Mapping)]
            values = [part for each in inner for part in each]
            values += [part for each in pairs for pair in each.items() for part in pair]
            depth += 1


def _find(name: Any, known: Mapping[str, Any], parameter: str) -> Any:
    """Return the entry of a name that an organiser wrote."""
    if isinstance(name, str) and name in known:
        return known[name]
    raise ParameterError(parameter, f"{name!r:.100}; {suggestion(str(name), known)}")


def described_task(description: Mapping[str, Any]) -> Task:
    """Return the task of a parsed `task.json`, which names the task and has its declaration.

    Raises
    ------
    ParameterError
        The declaration cannot be used.
    KeyError, TypeError
        It is missing, or not a mapping.
    """
    return declared_task(str(description["task"]), dict(description[DECLARATION]))


def read_task(path: Path) -> Task:
    """Return the task of a file `task.json`; see `described_task`.

    Raises
    ------
    ValueError
        Also for a file that is too large, or not JSON.
    """
    with open(str(path), "rb") as stream:
        data = stream.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise ValueError(f"larger than {LARGEST_FILE >> 10} kB")
    try:
        content = json.loads(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return described_task(content)
