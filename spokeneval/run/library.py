"""Scoring outside any bundle: files in, a result out."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union

from ..formats.submission_folder import list_files
from ..formats.submission_zip import unpack
from ..task import Number
from ..tasks import find_task
from .options import Settings, choose_options, sign_public
from .reference import fingerprint, read_reference, read_submission
from .scoring import score_submission


@dataclass(frozen=True)
class Result:
    """What a submission scored.

    Attributes
    ----------
    task: the task's name.
    scores: `key -> score`, the primary score first.
    intervals: `key -> (low, high)`, 95 %, of every score but counts and flags.
    items: number of items that were scored.
    unit, units: what is drawn for an interval, and how many of them there are.
    signature: how the result was computed; compare two results only if theirs are the same.
    """

    task: str
    scores: Mapping[str, Number]
    intervals: Mapping[str, tuple[float, float]]
    items: int
    unit: str
    units: int
    signature: str


def score_files(
    name: str,
    reference_path: Union[str, os.PathLike],
    submission_path: Union[str, os.PathLike],
    chosen: Mapping[str, str],
) -> Result:
    """See `spokeneval.score`."""
    options = choose_options(find_task(name), chosen)
    task = find_task(name).with_options(options)
    files = task.format.reference_files
    several = f"a reference of {name} is {len(files)} files, {' and '.join(files)}: expected their folder"
    with _folder_of(Path(reference_path), files[0] if len(files) == 1 else None, several) as folder:
        reference = read_reference(task, folder)
        contents = {file: (folder / file).read_bytes() for file in files}
    several = f"a submission to {name} is a file for each item: expected their folder, or a zip of them"
    with _folder_of(Path(submission_path), task.format.submission_file, several, zipped=True) as folder:
        submission = read_submission(task, list_files(folder), reference)
    settings = Settings(options, True, sign_public(task, options, fingerprint(contents)))
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


@contextmanager
def _folder_of(path: Path, file: Optional[str], several: str, *, zipped: bool = False) -> Iterator[Path]:
    """A folder with the files: the path itself, one with the file under the name of the task's format, or one in which
    a zip is unpacked.

    Parameters
    ----------
    file: the only file's name, or None where there are several.
    several: what to say where there are several and the path is a file.
    zipped: whether the path may be a zip.
    """
    if path.is_dir():
        yield path
        return
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    with tempfile.TemporaryDirectory() as folder:
        if zipped and zipfile.is_zipfile(str(path)):
            unpack(path, Path(folder))
        elif file is None:
            raise NotADirectoryError(errno.ENOTDIR, several, str(path))
        else:
            shutil.copyfile(str(path), os.path.join(folder, file))
        yield Path(folder)
