"""What scoring programs wrote, read for a board: the outputs of one task that may be compared with one another.

An output is a folder or a zip, as a platform lets an organiser download it, with or without a folder around it;
or what `rehearse --keep` left. Of its files `scores.json`, `signature.txt` and, where it was written,
`statistics.json` are read, and nothing else. Every problem of all outputs is told at once.
"""

import hashlib
import json
import math
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bundling.platforms.registry import PLATFORMS
from bundling.text import printable
from spokeneval.formats.problems import count_of
from spokeneval.run.programs import SIGNATURE_FILE
from spokeneval.run.scores import SCORE_FILES
from spokeneval.run.statistics import (
    STATISTICS_FILE,
    Statistics,
    parse_statistics,
    primary_matrix,
    primary_of_sums,
)
from spokeneval.tasks import find_task, task_names

Folder = Path | zipfile.Path

SCORES_FILE = SCORE_FILES[0]

KEPT = tuple(f"{platform.scoring_folder}/output" for platform in PLATFORMS.values())
"""Where a kept rehearsal has the output."""


class OutputError(ValueError):
    """Outputs that cannot stand on one board; `str()` lists every problem."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        count = count_of(len(self.problems), "problem")
        super().__init__("\n".join([f"No board: {count}\n", *(f"  {problem}" for problem in self.problems)]))


@dataclass(frozen=True)
class ScoringOutput:
    """One system's output; `statistics` is None where they were withheld.

    `scores`: exact where every output has statistics; otherwise what the platform was told. `exact`: what the
    statistics say. `trivial`: what systems get on this set that know nothing, `what they answer -> primary score`.
    """

    name: str
    scores: Mapping[str, float]
    signature: str
    statistics: Statistics | None
    exact: Mapping[str, float] = field(default_factory=dict)
    trivial: Mapping[str, float] = field(default_factory=dict)

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
    if all(output.exact for output in outputs):
        return [replace(output, scores=output.exact) for output in outputs]
    return outputs


def unique_names(paths: Sequence[Path]) -> list[str]:
    """A name for each path: its stem, where that is not unique its name, else with the folders above it."""
    choices = [_choices(path.resolve()) for path in paths]
    taken = Counter(choice for names in choices for choice in dict.fromkeys(names))
    return [printable(next((name for name in names if taken[name] == 1), names[-1])) for names in choices]


def _choices(path: Path) -> list[str]:
    stem = path.stem if path.suffix.lower() == ".zip" else path.name
    return [stem, *("/".join(path.parts[-depth:]) for depth in range(1, len(path.parts) + 1))]


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
    scores = _scores(_json(folder, SCORES_FILE), SCORES_FILE)
    if not (folder / STATISTICS_FILE).is_file():
        return ScoringOutput(name, scores, signature, None)
    content = _json(folder, STATISTICS_FILE)
    statistics = _statistics(content, signature)
    exact, trivial = (
        _scores(content[key], STATISTICS_FILE) if content.get(key) else {} for key in ("scores", "trivial")
    )
    return ScoringOutput(name, scores, signature, statistics, exact or scores, trivial)


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


def _scores(content: Any, file: str) -> dict[str, float]:
    if not isinstance(content, dict) or not content:
        raise ValueError(f"{file} holds no scores by name")
    for key, score in content.items():
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not math.isfinite(score):
            raise ValueError(f"{file}: {key} is {score!r}; expected a finite number")
    return content


def _statistics(content: Any, signature: str) -> Statistics:
    try:
        statistics, written = parse_statistics(content), content["signature"]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        expected = (
            str(error) if str(error).startswith("expected") else "expected unit, units, columns and values"
        )
        raise ValueError(f"{STATISTICS_FILE} is damaged: {expected}") from None
    if written != signature:
        raise ValueError(f"{STATISTICS_FILE} belongs to another result: its signature is {written}")
    task = signature.split("|")[0]
    if task in task_names():
        try:
            primary_of_sums(find_task(task), statistics)(primary_matrix(find_task(task), statistics))
        except (AttributeError, KeyError, IndexError, ValueError):
            raise ValueError(
                f"{STATISTICS_FILE} is damaged: its columns are not what {task} is scored by"
            ) from None
    return statistics


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
            own, other = _different_parts(output.signature, usual)
            problems.append(
                f"{output.name}: computed differently: {own}; {model.name} has {other}. "
                "Score them in the same way, then compare"
            )
        elif set(output.scores) != set(model.scores):
            differing = ", ".join(sorted(set(output.scores) ^ set(model.scores)))
            problems.append(f"{output.name}: other scores than {model.name}: {differing}")
    for output in counted[1:]:
        problems += _different_units(output, counted[0])
    return problems


def _different_parts(signature: str, usual: str) -> tuple[str, str]:
    own, other = signature.split("|"), usual.split("|")
    return (
        ", ".join(part for part in own if part not in other) or "nothing more",
        ", ".join(part for part in other if part not in own) or "nothing more",
    )


def _different_units(output: ScoringOutput, model: ScoringOutput) -> list[str]:
    own, other = output.statistics, model.statistics
    if own is None or other is None:
        return []
    unpaired = f"{output.name}: its statistics cannot be paired with those of {model.name}"
    if own.unit != other.unit:
        return [f"{unpaired}: they are by {own.unit}, those by {other.unit}"]
    if own.columns != other.columns:
        return [f"{unpaired}: they count {', '.join(own.columns)}, those {', '.join(other.columns)}"]
    if own.units != other.units:
        odd = sorted(set(own.units) ^ set(other.units))
        what = (
            f"{len(odd)} units stand in only one, {printable(odd[0])} first"
            if odd
            else "another order of units"
        )
        return [f"{unpaired}: {what}"]
    return []
