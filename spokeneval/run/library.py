"""Scoring of files without a bundle, for `spokeneval.score` and the command line."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Union

from ..formats.files import Files
from ..formats.submission_folder import list_files
from ..formats.submission_zip import is_packed, unpack
from ..task import Number, Task
from .options import Settings, choose_options, sign_public
from .reference import Reference, parse_reference, read_reference, read_submission
from .scoring import score_submission


@dataclass(frozen=True)
class Result:
    """The result of scoring a submission.

    Attributes
    ----------
    task
        The name of the task.
    scores
        The scores, ``key -> score``, the primary score first.
    intervals
        The 95 % confidence intervals, ``key -> (low, high)``, of all scores except counts and flags.
    items
        The number of scored items.
    unit
        The kind of unit over which intervals are computed, such as ``speaker``.
    units
        The number of units.
    signature
        How the result was computed. Compare two results only if their signatures are the same.
    """

    task: str
    scores: Mapping[str, Number]
    intervals: Mapping[str, tuple[float, float]]
    items: int
    unit: str
    units: int
    signature: str


def score_files(
    default: Task,
    reference_path: Union[str, os.PathLike],
    submission_path: Union[str, os.PathLike],
    chosen: Mapping[str, str],
) -> Result:
    """Score a submission against a reference; see `spokeneval.score`."""
    options = choose_options(default, chosen)
    task = default.with_options(options)
    reference = _read_reference(task, Path(reference_path))
    with _submitted(task, Path(submission_path)) as files:
        submission = read_submission(task, files, reference)
    settings = Settings(options, True, sign_public(task, options, reference.fingerprint))
    scored = score_submission(task, reference.labels, submission, settings)
    return Result(
        task.name,
        {score.key: scored.scores[score.key] for score in task.scores},
        {key: (interval.low, interval.high) for key, interval in scored.intervals.items()},
        len(reference.labels.items),
        scored.statistics.unit,
        len(scored.statistics.units),
        str(settings.signature),
    )


def _read_reference(task: Task, path: Path) -> Reference:
    """Read the reference in a folder, or in its only file, which may have any name."""
    if path.is_dir():
        return read_reference(task, path)
    _require(path)
    files = task.format.reference_files
    if len(files) > 1:
        several = f"the reference of {task.name} has {len(files)} files, {' and '.join(files)}; expected their folder"
        raise NotADirectoryError(errno.ENOTDIR, several, str(path))
    return parse_reference(task, {files[0]: path.read_bytes()})


@contextmanager
def _submitted(task: Task, path: Path) -> Iterator[Files]:
    """The files of a submission in a folder or a zip, or its only file, which may have any name."""
    if path.is_dir():
        yield list_files(path)
        return
    _require(path)
    if is_packed(path):
        with tempfile.TemporaryDirectory() as folder:
            unpack(path, Path(folder))
            yield list_files(Path(folder))
        return
    if task.format.submission_file is None:
        several = (
            f"a submission to {task.name} has one file for each item; expected their folder, or a zip of them"
        )
        raise NotADirectoryError(errno.ENOTDIR, several, str(path))
    with open(
        str(path), "rb"
    ):  # an unreadable file raises OSError here; it is not a problem of the submission
        yield Files({task.format.submission_file: path.resolve()})


def _require(path: Path) -> None:
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
