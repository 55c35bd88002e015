"""What scoring programs wrote, read for a board: the outputs of one task that may be compared with one another.

An output is a folder or a zip, as a platform lets an organiser download it, with or without a folder around it;
or what `rehearse --keep` left. Of its files `scores.json`, `signature.txt` and, where it was written,
`statistics.json` are read, and nothing else. Every problem of all outputs is told at once.
"""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spokeneval.results.programs import SIGNATURE_FILE
from spokeneval.results.scores import SCORE_FILES
from spokeneval.results.uncertainty import STATISTICS_FILE, Statistics

Folder = Path | zipfile.Path

SCORES_FILE = SCORE_FILES[0]

KEPT = ("scoring/app/output", "scoring/run/output")
"""Where a kept rehearsal has the output: Codabench's, CodaLab's."""


class OutputError(ValueError):
    """Outputs that cannot stand on one board; `str()` lists every problem."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        super().__init__("\n".join([f"No board: {count}\n", *(f"  {problem}" for problem in self.problems)]))


@dataclass(frozen=True)
class ScoringOutput:
    """One system's output; `statistics` is None where they were withheld."""

    name: str
    scores: Mapping[str, float]
    signature: str
    statistics: Statistics | None

    @property
    def task(self) -> str:
        return self.signature.split("|")[0]


def read_outputs(paths: Sequence[Path]) -> list[ScoringOutput]:
    """Read the outputs of systems that are to be compared.

    A system is called by its folder's or zip's name, with as much of the path as tells it from the others.

    Raises
    ------
    OutputError: an output that stands twice or cannot be read; outputs of different tasks, or computed
        differently (another signature), or whose statistics count different units.
    """
    problems = _duplicates(paths)
    outputs = []
    for path, name in zip(paths, unique_names(paths), strict=True):
        try:
            outputs.append(_read(path, name))
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            problems.append(f"{name}: {printable(_reason(error))}")
    if outputs:
        problems += _differences(outputs)
    if problems:
        raise OutputError(problems)
    return outputs


def unique_names(paths: Sequence[Path]) -> list[str]:
    """A name for each path: its stem, where that is not unique its name, else with the folders above it."""
    choices = [_choices(path.resolve()) for path in paths]
    taken = Counter(choice for mine in choices for choice in dict.fromkeys(mine))
    return [printable(next((one for one in mine if taken[one] == 1), mine[-1])) for mine in choices]


def _choices(path: Path) -> list[str]:
    stem = path.stem if path.suffix.lower() == ".zip" else path.name
    return [stem, *("/".join(path.parts[-depth:]) for depth in range(1, len(path.parts) + 1))]


def printable(text: str) -> str:
    """Control characters escaped: a file's name and a program's words may carry a participant's text."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _duplicates(paths: Sequence[Path]) -> list[str]:
    """Outputs that stand twice: the same place, or zips with the same bytes."""
    problems = []
    seen: dict[object, Path] = {}
    for path in paths:
        keys: list[object] = [path.resolve()]
        if path.is_file():
            keys.append(hashlib.sha256(path.read_bytes()).hexdigest())
        first = next((seen[key] for key in keys if key in seen), None)
        if first is not None:
            problems.append(f"{printable(str(path))}: the same output as {printable(str(first))}")
        for key in keys:
            seen.setdefault(key, path)
    return problems


def _reason(error: Exception) -> str:
    if isinstance(error, zipfile.BadZipFile):
        return "neither a folder nor a zip that can be read"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error)


def _read(path: Path, name: str) -> ScoringOutput:
    if path.is_dir():
        return _read_folder(path, name)
    with zipfile.ZipFile(path) as archive:
        return _read_folder(zipfile.Path(archive), name)


def _read_folder(root: Folder, name: str) -> ScoringOutput:
    folder = _find(root)
    if not (folder / SIGNATURE_FILE).is_file():
        raise ValueError(
            f"no {SIGNATURE_FILE} beside its scores, so nobody can tell what it may be compared with"
        )
    signature = printable(_text(folder, SIGNATURE_FILE).strip())
    statistics = None
    if (folder / STATISTICS_FILE).is_file():
        statistics = _statistics(_json(folder, STATISTICS_FILE), signature)
    return ScoringOutput(name, _scores(_json(folder, SCORES_FILE)), signature, statistics)


def _find(root: Folder) -> Folder:
    """The folder with the scores: this one, a kept rehearsal's, or one of these in the only folder inside."""
    inside = [entry for entry in root.iterdir() if entry.is_dir() and entry.name[0] not in "._"]
    for base in (root, *(inside if len(inside) == 1 else ())):
        for folder in (base, *(base / kept for kept in KEPT)):
            if (folder / SCORES_FILE).is_file():
                return folder
    raise ValueError(
        f"no {SCORES_FILE} in it; expected a scoring program's output, or what rehearse --keep left"
    )


def _text(folder: Folder, file: str) -> str:
    try:
        return (folder / file).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{file} is not UTF-8") from None


def _json(folder: Folder, file: str) -> Any:
    try:
        return json.loads(_text(folder, file))
    except json.JSONDecodeError as error:
        raise ValueError(f"{file} is not JSON (line {error.lineno})") from None


def _scores(content: Any) -> dict[str, float]:
    if not isinstance(content, dict) or not content:
        raise ValueError(f"{SCORES_FILE} holds no scores by name")
    for key, score in content.items():
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not math.isfinite(score):
            raise ValueError(f"{SCORES_FILE}: {key} is {score!r}; expected a finite number")
    return content


def _statistics(content: Any, signature: str) -> Statistics:
    try:
        written, unit = content["signature"], str(content["unit"])
        columns, units = map(str, content["columns"]), map(str, content["units"])
        found = Statistics(unit, tuple(units), tuple(columns), np.array(content["values"], dtype=np.float64))
    except (KeyError, TypeError, ValueError, OverflowError):
        raise ValueError(f"{STATISTICS_FILE} is damaged: expected unit, units, columns and values") from None
    shape = len(found.units), len(found.columns)
    if 0 in shape or found.values.shape != shape or not np.isfinite(found.values).all():
        raise ValueError(
            f"{STATISTICS_FILE} is damaged: expected {shape[0]} rows of {shape[1]} finite numbers"
        )
    if written != signature:
        raise ValueError(f"{STATISTICS_FILE} belongs to another result: its signature is {written}")
    return found


def _differences(outputs: Sequence[ScoringOutput]) -> list[str]:
    """What sets outputs apart from most of the others, so that they cannot be compared with them."""
    usual = Counter(output.signature for output in outputs).most_common(1)[0][0]
    model = next(output for output in outputs if output.signature == usual)
    counted = [output for output in outputs if output.signature == usual and output.statistics is not None]
    problems = []
    for output in outputs:
        if output.task != model.task:
            problems.append(f"{output.name}: of task {output.task}; {model.name} is of {model.task}")
        elif output.signature != usual:
            mine, theirs = _parts_apart(output.signature, usual)
            problems.append(
                f"{output.name}: computed differently: {mine}; {model.name} has {theirs}. "
                "Score them in the same way, then compare"
            )
        elif set(output.scores) != set(model.scores):
            apart = ", ".join(sorted(set(output.scores) ^ set(model.scores)))
            problems.append(f"{output.name}: other scores than {model.name}: {apart}")
    for output in counted[1:]:
        problems += _units_apart(output, counted[0])
    return problems


def _parts_apart(signature: str, other: str) -> tuple[str, str]:
    mine, theirs = signature.split("|"), other.split("|")
    return (
        ", ".join(part for part in mine if part not in theirs) or "nothing more",
        ", ".join(part for part in theirs if part not in mine) or "nothing more",
    )


def _units_apart(output: ScoringOutput, model: ScoringOutput) -> list[str]:
    mine, theirs = output.statistics, model.statistics
    if mine is None or theirs is None:
        return []
    told = f"{output.name}: its statistics cannot be paired with those of {model.name}"
    if mine.unit != theirs.unit:
        return [f"{told}: they are by {mine.unit}, those by {theirs.unit}"]
    if mine.columns != theirs.columns:
        return [f"{told}: they count {', '.join(mine.columns)}, those {', '.join(theirs.columns)}"]
    if mine.units != theirs.units:
        odd = sorted(set(mine.units) ^ set(theirs.units))
        what = (
            f"{len(odd)} units stand in only one, {printable(odd[0])} first"
            if odd
            else "another order of units"
        )
        return [f"{told}: {what}"]
    return []
