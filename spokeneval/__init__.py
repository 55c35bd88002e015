"""Scores for speech challenges::

    spokeneval.score("psst_correctness", reference="utterances.tsv", submission="correctness.tsv")
    spokeneval.score({"kind": "transcripts"}, ["good morning"], ["good evening"])
    spokeneval.compare("psst_correctness", "utterances.tsv", {"A": "a.tsv", "B": "b.tsv"})

- `metrics`: functions from arrays to numbers;
- `formats`: readers of files, which refuse invalid files with a list of all problems;
- `kinds`: the kinds of task, each made from its parameters;
- `challenges`: the tasks of the challenges;
- `scoring`: from files or data to a result;
- `report`: HTML pages;
- `ranking`: comparisons of several systems;
- `programs`: the scoring and ingestion programs of a platform.

Every scoring program, ingestion program and starting kit contains those modules, unchanged, that it needs. The package
requires only numpy, and runs on Python 3.9 with numpy 1.19 up to the newest versions of
both.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union

from .version import __version__

if TYPE_CHECKING:
    from . import metrics
    from .description import KindDescription, TaskDescription
    from .formats.problems import FileProblems, ReferenceFileError, SubmissionError
    from .kinds.kind import ParameterError
    from .ranking.library import Comparison, JointComparison
    from .ranking.plan import NeededUnits
    from .result import Result
    from .task import Task

__all__ = [
    "Comparison",
    "FileProblems",
    "JointComparison",
    "KindDescription",
    "NeededUnits",
    "ParameterError",
    "ReferenceFileError",
    "Result",
    "SubmissionError",
    "Task",
    "TaskDescription",
    "__version__",
    "compare",
    "compare_tasks",
    "get_task",
    "list_kinds",
    "list_tasks",
    "metrics",
    "plan",
    "score",
    "write_transcripts",
]

_PLACES = {
    "Comparison": "ranking.library",
    "FileProblems": "formats.problems",
    "JointComparison": "ranking.library",
    "KindDescription": "description",
    "ParameterError": "kinds.kind",
    "NeededUnits": "ranking.plan",
    "ReferenceFileError": "formats.problems",
    "Result": "result",
    "SubmissionError": "formats.problems",
    "Task": "task",
    "TaskDescription": "description",
    "metrics": "",
    "write_transcripts": "formats.transcript_files",
}
"""The modules of the public names, which are imported when they are first used, so that programs start fast."""


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    place = _PLACES[name]
    return (
        getattr(import_module(f"{__name__}.{place}"), name) if place else import_module(f"{__name__}.{name}")
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def score(
    task: Union[str, Task, Mapping[str, Any]],
    reference: Any,
    submission: Any,
    *,
    options: Optional[Mapping[str, str]] = None,
    lenient: bool = False,
    drop_invalid_reference_rows: bool = False,
    baseline: Any = None,
    units: Any = None,
    by: Any = None,
) -> Result:
    """Score a submission against a reference, both from files or in memory.

    Parameters
    ----------
    task : str, Task or mapping
        The name of a task, such as ``spoken_call``; `list_tasks` lists them. Or a declaration, such as
        ``{"kind": "transcripts", "units": "characters"}``; `list_kinds` lists the kinds with their parameters.
    reference, submission, baseline : path, data frame, mapping, list or array
        A path leads to a folder with the files, to the zip of a submission, or to the file itself if there is only one.
        Data in memory have the columns of the files, which `get_task` lists. Lists and arrays are matched by position;
        a mapping has ids as keys, a data frame a column of ids or its index. Each value is the answer, a mapping from
        columns, or the values of all columns in their order. `Result.verdict` compares with a baseline.
    options : mapping, optional
        The task's options, ``option -> value``.
    lenient : bool
        Whether the reference may have other forms that organisers use, such as Windows-1252, Excel workbooks and other
        separators. This needs ``pip install ".[organiser]"`` in a clone.
    drop_invalid_reference_rows : bool
        Whether invalid rows of the reference are left out instead of refused. The submission may answer them, too.
    units, by : list or mapping, optional
        The unit of each item (or recording), such as its speaker, in their order or by id, for confidence intervals;
        and the group of each, such as a dialect, for `Result.groups`. `by` may name a column of the reference's file.

    Returns
    -------
    Result
        The scores at full precision, their confidence intervals, and the signature.

    Raises
    ------
    ValueError
        No such task or option. `ReferenceFileError` and `SubmissionError` list every problem of files and data.
    TypeError, OSError
        An argument is not data, or a file cannot be read.

    Examples
    --------
    >>> result = score({"kind": "transcripts"}, ["good morning", "yes"], ["good evening", "yes"])
    >>> round(result.score, 2), round(result.scores["cer"], 2)
    (33.33, 20.0)
    """
    from .result import score_data
    from .scoring.library import Reading

    how = Reading(lenient, drop_invalid_reference_rows, units=units)
    return _warned(
        score_data(_find(task), reference, submission, options or {}, how, baseline=baseline, by=by)
    )


def compare(
    task: Union[str, Task, Mapping[str, Any]],
    reference: Any,
    submissions: Mapping[str, Any],
    *,
    options: Optional[Mapping[str, str]] = None,
    lenient: bool = False,
    drop_invalid_reference_rows: bool = False,
    baseline: str = "",
    units: Any = None,
    by: Any = None,
) -> Comparison:
    """Compare two systems or more on the same items.

    Parameters
    ----------
    task, reference, options, lenient, drop_invalid_reference_rows, units
        As for `score`.
    submissions : mapping
        The submissions, ``name of the system -> path or data``, each as for `score`.
    baseline : str
        The name of the system that the others are compared with: only these differences are listed, and their p-values
        are adjusted for their number. Ranks and clusters still take all systems.
    by : list, mapping or str, optional
        The group of each item, such as a dialect, as for `score`, or the column of a reference in files with it;
        groups of 4 units or more are compared with each other within each system, in `Comparison.groups`.

    Returns
    -------
    Comparison
        The systems from best to worst with simultaneous ranges of their ranks, and every difference with its interval
        and the p-value of a paired randomisation test, as on a leaderboard.

    Raises
    ------
    ValueError, TypeError, OSError
        As for `score`; the problems of all submissions are in one error.

    Examples
    --------
    >>> said = ["good morning", "good evening", "how are you", "fine", "thank you", "see you soon"]
    >>> heard = {"first": said, "second": ["good", *said[1:]]}
    >>> found = compare({"kind": "transcripts"}, said, heard)
    >>> found.names, round(found.pairs[0].difference, 2)
    (['first', 'second'], -7.69)
    """
    from .ranking.library import compare_data
    from .scoring.library import Reading

    reading = Reading(lenient, drop_invalid_reference_rows, units=units)
    found = compare_data(
        _find(task), reference, submissions, options or {}, reading, baseline=baseline, by=by
    )
    return _warned(found)


def plan(
    task: Union[str, Task, Mapping[str, Any]],
    reference: Any,
    submissions: Mapping[str, Any],
    difference: float,
    *,
    options: Optional[Mapping[str, str]] = None,
    units: Any = None,
    table: bool = False,
) -> NeededUnits:
    """Compute from a pilot study how many units a test set needs to separate two systems.

    Parameters
    ----------
    task, reference, submissions, options, units
        As for `compare`: the pilot's data, with two systems or more.
    difference : float
        The true difference in the primary score to be found, as scores are shown: 2 for 2 points of WER in percent.
    table : bool
        Whether to compute the statistical power of test sets of several sizes, in `NeededUnits.table`.

    Returns
    -------
    NeededUnits
        The number of units that find the difference with a probability of 80 %, and the range of this number that the
        pilot's own uncertainty gives.

    Raises
    ------
    ValueError, TypeError, OSError
        As for `compare`, and if the systems do not differ, or the pilot has fewer than 4 units.

    Examples
    --------
    >>> said = ["good morning", "good evening", "how are you", "fine", "thank you", "see you soon"]
    >>> heard = {"first": ["good", *said[1:]], "second": [*said[:5], "see you"]}
    >>> plan({"kind": "transcripts"}, said, heard, difference=5).units
    289
    """
    from .ranking.library import compare_data
    from .ranking.plan import plan_of
    from .scoring.library import Reading

    reading = Reading(units=units)
    return plan_of(
        compare_data(_find(task), reference, submissions, options or {}, reading, power=table), difference
    )


def compare_tasks(
    results: Mapping[str, Comparison],
    *,
    rule: str = "mean_rank",
    missing: str = "excluded",
    compulsory: Sequence[str] = (),
    weights: Optional[Mapping[str, float]] = None,
    baseline: str = "",
) -> JointComparison:
    """Rank systems by one joint score of several tasks.

    Parameters
    ----------
    results : mapping
        The comparisons of the tasks, ``name of the task -> result of compare``. A system has the same name in all of
        them.
    rule : str
        ``mean_rank``; ``normalised_sum``: the sum of score / total, or of 1 - score / total if lower scores are better,
        where the total is that of all ranked systems; ``macro_mean`` of one kind of score; or ``weighted_sum``, in
        which scores are subtracted if lower ones are better in some tasks only.
    missing : str
        What happens to a system without a score in a task. ``excluded``: it is not ranked; ``worst``: it has the worst
        score of this task, or the last rank; ``baseline``: it has the baseline's score; ``zero``: it gets nothing for
        this task in a normalised sum.
    compulsory : sequence of str
        The tasks without which no system is ranked.
    weights : mapping, optional
        The weight of each task in a weighted sum.
    baseline : str
        The name of the organiser's baseline, which is shown without a rank and counts in no rank or total; needed for
        ``missing="baseline"``.

    Returns
    -------
    JointComparison
        The systems from best to worst, with simultaneous ranges of their ranks, clusters, and the p-value of every
        difference. Units of the same name and kind in several tasks, such as speakers, are taken as the same.

    Raises
    ------
    ValueError
        The rule does not fit the tasks; all problems are listed.

    Examples
    --------
    >>> said = ["good morning", "good evening", "how are you", "fine", "thank you", "see you soon"]
    >>> heard = {"first": said, "second": ["good", *said[1:]]}
    >>> english = compare({"kind": "transcripts"}, said, heard)
    >>> found = compare_tasks({"English": english, "again": english}, rule="mean_rank")
    >>> [(row.name, row.score, row.ranks) for row in found.rows]
    [('first', 1.0, (1, 2)), ('second', 2.0, (1, 2))]
    """
    from .ranking.joint_rule import JointRule
    from .ranking.library import compare_joined

    return compare_joined(results, JointRule(rule, missing, tuple(compulsory), dict(weights or {}), baseline))


def list_tasks() -> list[TaskDescription]:
    """The tasks of the challenges.

    Returns
    -------
    list of TaskDescription
        A description of each task, sorted by name.

    Examples
    --------
    >>> [task.name for task in list_tasks()][:2]
    ['caller_experience', 'content_accuracy']
    """
    from .challenges import task_names

    return [get_task(name) for name in task_names()]


def list_kinds() -> list[KindDescription]:
    """The kinds of task, with the parameters of a declaration such as ``{"kind": "transcripts", "units": "phones"}``.

    Returns
    -------
    list of KindDescription
        A description of each kind, sorted by name; `str()` returns it as text.

    Examples
    --------
    >>> kinds = {kind.name: kind for kind in list_kinds()}
    >>> [parameter.name for parameter in kinds["transcripts"].parameters][:3]
    ['units', 'phones', 'features']
    """
    from .description import describe_kind
    from .kinds.declared import KINDS

    return [describe_kind(KINDS[name]) for name in sorted(KINDS)]


def get_task(task: Union[str, Task, Mapping[str, Any]]) -> TaskDescription:
    """Describe a task: its files, columns, options and scores.

    Parameters
    ----------
    task : str, Task or mapping
        As for `score`.

    Returns
    -------
    TaskDescription
        Its description; `str()` returns it as text.

    Raises
    ------
    ValueError
        There is no such task, or the declaration cannot be used.
    TypeError
        `task` is not a name, a declaration or a Task.

    Examples
    --------
    >>> task = get_task("psst_correctness")
    >>> task.submission.columns, task.scores[0].key
    (('utterance_id', 'prediction'), 'f1')
    """
    from .description import describe_task

    return describe_task(_find(task))


_R = TypeVar("_R", "Result", "Comparison")


def _warned(result: _R) -> _R:
    """The result, with its warnings as those of the caller of `score` or `compare`."""
    for warning in result.warnings:
        warnings.warn(warning, stacklevel=3)
    return result


def _find(task: Union[str, Task, Mapping[str, Any]]) -> Task:
    """The task of a name or a declaration; raises the errors of `get_task`."""
    from .challenges import find_task, task_names
    from .task import Task

    if isinstance(task, Task):
        return task
    if isinstance(task, str) and task in task_names():
        return find_task(task)
    if isinstance(task, Mapping):
        from .kinds.declared import declared_task

        return declared_task(str(task.get("kind")), task)
    expected = (
        f"expected one of {', '.join(task_names())}, or a declaration such as {{'kind': 'transcripts'}}"
    )
    if isinstance(task, str):
        raise ValueError(f"unknown task {task!r:.60}; {expected}")
    raise TypeError(f"the task is {task!r:.60}; {expected}")
