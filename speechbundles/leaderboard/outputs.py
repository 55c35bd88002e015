"""Reads the outputs of scoring programs for a board: outputs of one task that may be compared with one another.

An output is a folder or a zip, as an organiser downloads it from a platform, with or without an enclosing folder, or
the folder that `rehearse --keep` or `score` wrote. Only `scores.json`, `signature.txt` and, if present,
`statistics.json` and `labels.hmac` are read. Links in an output are not followed: a program or a zip may have made
them. All problems of all outputs are reported together.
"""

import os
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from speechbundles.leaderboard.given import MOST_SHOWN, no_board, refusals_in
from speechbundles.model.bounded import is_file_below, open_file, parse_json, read_entry, read_file, sha256
from speechbundles.model.description import described_task
from speechbundles.model.label_tag import LABELS_FILE, TAG
from speechbundles.model.platform import platforms
from speechbundles.model.submissions import PACKED
from speechbundles.model.text import PROGRAM, grouped
from spokeneval.formats.problems import printable, some_of
from spokeneval.formats.submission_zip import DAMAGED, open_zip
from spokeneval.scoring.options import SIGNATURE_FILE, Signature
from spokeneval.scoring.output import LARGEST, SCORE_FILES
from spokeneval.scoring.scored import (
    STATISTICS_FILE,
    Statistics,
    parse_statistics,
    primary_matrix,
    primary_of_sums,
)
from spokeneval.task import Task

SCORES_FILE = SCORE_FILES[0]

READ = (SCORES_FILE, SIGNATURE_FILE, STATISTICS_FILE, LABELS_FILE)

LIST_FILE, SYSTEMS_FILE = "scores.csv", "systems.csv"
"""Files beside the outputs that are not outputs: the summary that `score` writes, and the organiser's descriptions."""

RUNS = ".runs"
"""The folder beside the outputs in which `score` keeps its results."""

LARGEST_OUTPUT = 200_000_000
LARGEST_FILE = 20_000_000
"""Largest size in bytes of an output's zip, and of each file in it that is read."""
MOST_OBJECTS = 10_000
MOST_TEXTS = 1_000_000
"""Most objects of a JSON file, and most lists and texts together: parsed, these take up to forty times their bytes.

The statistics have two objects, a list for each unit and item, and a text for its name.
"""
LONGEST_SIGNATURE = 2000
MOST_SCORES = 1000
LONGEST_KEY = 200

KEPT = tuple(f"{platform.scoring_folder}/output" for platform in platforms().values())
"""Places of the output in the folder of a kept rehearsal."""


class _NoScore(Exception):
    """Raised for an output without scores: the run failed."""


@dataclass(frozen=True)
class ScoringOutput:
    """One system's output; a system without a score has only a name.

    Attributes
    ----------
    statistics: None if the output has none.
    trivial: primary scores of the trivial baselines on this set, `answer -> score`.
    path: of the output.
    definition: the task, if it is one of the repository's or the statistics declare it; else None.
    labels: the tag of the labels (see `label_tag`); empty if the output has none.
    """

    name: str
    scores: Mapping[str, float]
    signature: Signature
    statistics: Statistics | None
    trivial: Mapping[str, float] = field(default_factory=dict)
    path: Path = Path()
    definition: Task | None = None
    labels: str = ""


def read_outputs(paths: Sequence[Path]) -> list[ScoringOutput]:
    """Read the outputs of systems that are to be compared.

    A system is named after its folder or zip, with as much of the path as makes the name unique.

    Raises
    ------
    OrganiserError: an output is given twice or cannot be read; a folder has several outputs; outputs are of different
        tasks, were computed differently (their signatures differ) or with different labels, or have statistics on
        different units; no output has a score.
    """
    beside = [path for path in paths if path.name in (LIST_FILE, SYSTEMS_FILE) and path.is_file()]
    paths = [path for path in paths if path not in beside]
    problems = _duplicates(paths)
    outputs: list[ScoringOutput] = []
    unscored = [] if paths else [each for path in beside for each in refusals_in(path)]
    for path, name in zip(paths, unique_names(paths), strict=True):
        try:
            with opened(path) as output:
                outputs.append(replace(_read_files(output, name), path=path))
        except _NoScore as error:
            outputs.append(ScoringOutput(name, {}, Signature(""), None, path=path))
            unscored.append(f"{name}: {error}")
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            problems.append(f"{name}: {printable(reason or str(error))}")
    scored = [output for output in outputs if output.scores]
    if scored:
        problems += _differences(scored)
    if problems or not scored:
        raise no_board(*(problems + unscored or ["no outputs; give the folders that score wrote"]))
    return outputs


def unique_names(paths: Sequence[Path]) -> list[str]:
    """Return a unique name for each path: its stem; else its name; else its name with the folders above it."""
    choices = [_choices(Path(os.path.realpath(path))) for path in paths]
    taken = Counter(choice for names in choices for choice in dict.fromkeys(names))
    return [printable(next((name for name in names if taken[name] == 1), names[-1])) for names in choices]


def _choices(path: Path) -> list[str]:
    stem = path.stem if path.suffix.lower() == ".zip" else path.name
    return [stem, *("/".join(path.parts[-depth:]) for depth in range(1, len(path.parts) + 1))]


def _duplicates(paths: Sequence[Path]) -> list[str]:
    """Return a problem for each output that is given twice: the same path, or a zip with the same bytes."""
    problems = []
    seen: dict[object, Path] = {}
    for path in paths:
        keys: list[object] = [os.path.realpath(path)]
        with suppress(OSError):
            keys += [sha256(path, LARGEST_OUTPUT)] if path.is_file() else []
        if first := next((seen[key] for key in keys if key in seen), None):
            problems.append(f"{printable(str(path))}: the same output as {printable(str(first))}")
        seen = dict.fromkeys(keys, path) | seen
    return problems


@dataclass(frozen=True)
class Output:
    """A folder or a zip with an output: its folders, whether it has a file, and a file's content."""

    path: Path
    folders: Collection[str]
    has: Callable[[str], bool]
    read: Callable[[str], bytes]


@contextmanager
def opened(path: Path) -> Iterator[Output]:
    """Open an output.

    Raises
    ------
    OSError, ValueError: it cannot be read.
    """
    if not is_file_below(path, SCORES_FILE) and is_file_below(path, PACKED):
        path = path / PACKED
    if path.is_dir():
        folders = {inner.name for inner in path.iterdir() if inner.is_dir()}
        yield Output(path, folders, partial(is_file_below, path), partial(_of_folder, path))
        return
    with open_file(path, LARGEST_OUTPUT) as stream:
        try:
            archive = open_zip(stream)
        except DAMAGED:
            raise ValueError("expected a folder or a readable zip") from None
        with archive:
            entries = _entries(archive)
            folders = {file.partition("/")[0] for file in entries if "/" in file}
            yield Output(path, folders, entries.__contains__, lambda file: _of_zip(archive, entries[file]))


def _of_folder(path: Path, file: str) -> bytes:
    try:
        return read_file(path / file, LARGEST_FILE)
    except OSError as error:
        raise ValueError(f"{file} {error.strerror}") from None


def _of_zip(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    if entry.file_size > LARGEST_FILE:
        raise ValueError(f"{entry.filename} is larger than {LARGEST_FILE / 1e6:.0f} MB")
    try:
        return read_entry(archive, entry)
    except ValueError as error:
        raise ValueError(f"{entry.filename}: {error}") from None


def _entries(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the entries by their names.

    Raises
    ------
    ValueError: a file that is to be read appears twice.
    """
    entries: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        if entry.filename in entries and entry.filename.rpartition("/")[2] in READ:
            raise ValueError(f"{entry.filename} appears twice in the zip")
        entries[entry.filename] = entry
    return entries


def _read_files(place: Output, name: str) -> ScoringOutput:
    base = _find(place)
    signature = _signature(place, base + SIGNATURE_FILE)
    scores = _scores(_json(place.read(base + SCORES_FILE), SCORES_FILE), SCORES_FILE)
    if not place.has(base + STATISTICS_FILE):
        return ScoringOutput(name, scores, signature, None)
    content = _json(place.read(base + STATISTICS_FILE), STATISTICS_FILE)
    statistics, task = _statistics(content, signature)
    trivial = _scores(content["trivial"], STATISTICS_FILE) if content.get("trivial") else {}
    labels = ""
    if place.has(base + LABELS_FILE):
        labels = place.read(base + LABELS_FILE).decode("utf-8", "replace").strip()
        if not TAG.fullmatch(labels):
            raise ValueError(f"{LABELS_FILE} is damaged; score the submission again")
    return ScoringOutput(name, scores, signature, statistics, trivial, definition=task, labels=labels)


def _find(place: Output) -> str:
    """Return the folder of the scores: the top, that of a kept rehearsal, or one of these in the only folder inside.

    Raises
    ------
    _NoScore: the scores are at none of these places.
    ValueError: several folders inside have scores.
    """
    inside = (f"{folder}/" for folder in sorted(place.folders) if folder[:1] not in ("", ".", "_"))
    bases = {top: (top, *(f"{top}{kept}/" for kept in KEPT)) for top in ("", *inside)}
    there = {top: [base for base in own if place.has(base + SCORES_FILE)] for top, own in bases.items()}
    found = {top: own[0] for top, own in there.items() if own}
    if not found:
        expected = "expected the output of a scoring program, or a folder written by rehearse --keep"
        raise _NoScore(f"no {SCORES_FILE}; {expected}")
    if "" not in found and len(found) > 1:
        remedy = "unpack it and give the folder of each system"
        if place.path.is_dir():
            remedy = f"give the folder of each system, such as {place.path / next(iter(found))}"
        raise ValueError(f"contains {len(found)} outputs; {remedy}")
    return next(iter(found.values()))


def _signature(place: Output, file: str) -> Signature:
    if not place.has(file):
        why = "it is needed to check that outputs can be compared"
        raise ValueError(f"no {SIGNATURE_FILE} beside its scores; {why}")
    try:
        line = printable(place.read(file).decode("utf-8").strip())
    except UnicodeDecodeError:
        raise ValueError(f"{SIGNATURE_FILE} is not UTF-8") from None
    if len(line) > LONGEST_SIGNATURE:
        raise ValueError(f"{SIGNATURE_FILE} has more than {LONGEST_SIGNATURE} characters")
    return Signature.parse(line)


def _json(data: bytes, file: str) -> Any:
    if data.count(b"{") > MOST_OBJECTS or data.count(b"[") + data.count(b'"') // 2 > MOST_TEXTS:
        raise ValueError(f"{file} has more than {MOST_OBJECTS} objects, or {MOST_TEXTS} lists and texts")
    try:
        return parse_json(data)
    except ValueError as error:
        raise ValueError(f"{file} is {error}") from None


def _scores(content: Any, file: str) -> dict[str, float]:
    if not isinstance(content, dict) or not content:
        raise ValueError(f"{file} has no scores; expected an object of numbers by name")
    if len(content) > MOST_SCORES:
        raise ValueError(f"{file} has more than {MOST_SCORES} scores")
    for key, score in content.items():
        if len(key) > LONGEST_KEY or not key.isprintable():
            what = f"more than {LONGEST_KEY} characters, or control characters"
            raise ValueError(f"{file}: {key!r:.100} has {what}; expected the name of a score")
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not abs(score) < LARGEST:
            raise ValueError(f"{file}: {key:.100} is {score!r:.100}; expected a finite number below 1e10")
    return content


def _statistics(content: Any, signature: Signature) -> tuple[Statistics, Task | None]:
    """Return statistics and the task that they are of, None if it is unknown."""
    damaged = f"{STATISTICS_FILE} is damaged: "
    try:
        statistics, written = parse_statistics(content), str(content["signature"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        why = str(error) if str(error).startswith("expected") else "expected unit, units, columns and values"
        raise ValueError(damaged + why) from None
    if Signature.parse(written) != signature:
        raise ValueError(f"{STATISTICS_FILE} belongs to another result: its signature is {written:.200}")
    try:
        task = described_task(signature.task, content)
    except ValueError as error:
        raise ValueError(f"{damaged}{error}") from None
    if task is not None and (what := damage(task, statistics)):
        raise ValueError(what)
    return statistics, task


def damage(task: Task, statistics: Statistics) -> str:
    """Return why statistics cannot be those of a task; empty if they can."""
    try:
        for score in task.scores:
            score.value(task.part(score, statistics.parts))
        task.right(statistics.rows[1])
    except (AttributeError, KeyError, IndexError, ValueError):
        return f"{STATISTICS_FILE} is damaged: its columns are not those of {task.name}"
    return ""


def exact_score(task: Task, statistics: Statistics) -> float:
    """Return the primary score that all counts together give; NaN if it is undefined."""
    sums = primary_matrix(task, statistics).sum(axis=0, keepdims=True)
    return float(primary_of_sums(task, statistics)(sums)[0])


def _differences(outputs: Sequence[ScoringOutput]) -> list[str]:
    """Return the ways in which outputs differ from most of the others, so that they cannot be compared."""
    usual = Counter(output.signature for output in outputs).most_common(1)[0][0]
    alike = [output for output in outputs if output.signature == usual]
    model = alike[0]
    problems = []
    for output in outputs:
        task, other_task = output.signature.task, model.signature.task
        if task != other_task:
            problems.append(f"{output.name}: the task is {task}; that of {model.name} is {other_task}")
        elif output.signature != usual:
            own, other = (str(signature).split("|") for signature in (output.signature, usual))
            how = "Score all systems with the same bundle"
            if output.signature.version != usual.version:
                how += (
                    f": `build` it with one version, then run `{PROGRAM} score BUNDLE.zip DIR` on the submissions of "
                    "all systems. Signatures of the same labels changed with version 0.5"
                )
            problems.append(
                f"{output.name}: computed differently: {_only(own, other)}; {model.name} has {_only(other, own)}. {how}"
            )
        elif output.scores.keys() != model.scores.keys():
            differing = some_of(sorted(output.scores.keys() ^ model.scores.keys()), MOST_SHOWN)
            problems.append(f"{output.name}: only this output or {model.name}, not both, has {differing}")
    counted = [(output.name, output.statistics) for output in alike if output.statistics is not None]
    for name, statistics in counted[1:]:
        if what := _different_units(statistics, counted[0][1]):
            problems.append(f"{name}: its statistics cannot be paired with those of {counted[0][0]}: {what}")
    return problems + _different_labels(alike)


def _only(own: Sequence[str], other: Sequence[str]) -> str:
    """Return the parts of a signature that another one lacks."""
    return ", ".join(part for part in own if part not in other) or "no such setting"


def _different_labels(outputs: Sequence[ScoringOutput]) -> list[str]:
    """Return a problem if outputs whose tags have the same key were scored with different labels."""
    tags = grouped((output.labels, output.name) for output in outputs if output.labels)
    problems = []
    for groups in grouped((tag.partition(":")[0], names) for tag, names in tags.items()).values():
        usual, *others = sorted(groups, key=len, reverse=True)
        problems += [
            f"{some_of(names, MOST_SHOWN)}: scored with other labels than {some_of(usual, MOST_SHOWN)}. Score again "
            "the outputs of the older labels, with the bundle that has the right ones"
            for names in others
        ]
    return problems


def _different_units(own: Statistics, other: Statistics) -> str:
    """Return why two systems' statistics are not on the same units; empty if they are."""
    if own.unit != other.unit:
        return f"the unit is {own.unit:.100} instead of {other.unit:.100}"
    if own.columns != other.columns:
        columns, others = (some_of(each.columns, MOST_SHOWN) for each in (own, other))
        return f"the columns are {columns} instead of {others}"
    for kind, names, model in (("units", own.units, other.units), ("items", own.items, other.items)):
        if odd := sorted(set(names) ^ set(model)):
            return f"{len(odd)} {kind} are in only one of the two, first {odd[0]!s:.100}"
        if names != model:
            return f"the {kind} are in a different order"
    return ""
