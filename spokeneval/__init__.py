"""Scores for speech challenges::

    spokeneval.score("psst_recognition", reference="utterances.tsv", submission="transcripts.tsv")

- `metrics`: functions from arrays to numbers;
- `formats`: readers of files, which refuse invalid files with a list of all problems;
- `tasks`: the tasks of the challenges, each declared as one value;
- `run`: scoring;
- `report`: HTML pages;
- `programs`: the scoring and ingestion programs of a platform;
- `compare`: comparisons of several systems.

Every scoring program, ingestion program and starting kit contains this package unchanged, except `compare`. It requires
only numpy, and runs on Python 3.9 with numpy 1.19 up to the newest versions of both.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Optional, Union

from .version import __version__

if TYPE_CHECKING:
    from .run.library import Result

__all__ = ["__version__", "score"]


def score(
    task: str,
    *,
    reference: Union[str, os.PathLike],
    submission: Union[str, os.PathLike],
    options: Optional[Mapping[str, str]] = None,
) -> Result:
    """Score a submission against a reference.

    Parameters
    ----------
    task : str
        The name of a task, such as ``spoken_call``. ``python -m spokeneval tasks`` lists the names.
    reference : str or path-like
        The folder with the reference's files; for a task with a single reference file, also the file.
    submission : str or path-like
        The folder with the submission's files, or a zip of them; for a task with a single submission file, also the
        file.
    options : mapping, optional
        The task's options, ``option -> value``. Options that are not given have their defaults.

    Returns
    -------
    Result
        The scores at full precision, their confidence intervals, and the signature of the result.

    Raises
    ------
    ValueError
        The task, an option or its value does not exist. The subclasses `ReferenceFileError` and `SubmissionError` are
        raised for invalid files, and list every problem.
    OSError
        A path does not exist or cannot be read.
    """
    from .run.library import score_files  # imported here, so that scoring programs start faster
    from .tasks import find_task

    return score_files(find_task(task), reference, submission, options or {})
