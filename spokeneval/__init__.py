"""Scores of speech challenges: what decides a number on a leaderboard, written once.

    spokeneval.score("psst_recognition", reference="utterances.tsv", submission="transcripts.tsv")

`metrics` takes arrays and returns numbers; `formats` reads files and refuses bad ones, naming every problem; `tasks`
declares each challenge's task as one value; `run` scores; `report` makes HTML pages; `programs` holds what a platform
runs.

This package travels unchanged into every scoring program, ingestion program and starting kit. It needs numpy alone
and runs on Python 3.9 with numpy 1.19 as well as on the newest of both.
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
    """Score a submission against a reference, exactly.

    Parameters
    ----------
    task: a task's name, such as `spoken_call`; `python -m spokeneval tasks` lists them.
    reference: a folder with the reference's files, or the file where the task has one.
    submission: a folder with the submission's files, a zip of them, or the file where the task has one.
    options: of the task, `option -> value`; the default of those that are not given.

    Returns
    -------
    Result: `scores`, `intervals`, `signature`.

    Raises
    ------
    ValueError: no such task, option or value; `ReferenceFileError` and `SubmissionError`, which list every problem of
        the files.
    OSError: a path that is not there.
    """
    from .run.library import score_files  # a scoring program starts faster without

    return score_files(task, reference, submission, options or {})
