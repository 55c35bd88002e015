"""Systems' answers, read from their submissions, to score items separately that the statistics count together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from speechbundles.bundle.rehearse import extracted_name
from speechbundles.leaderboard.given import listed, no_board, raise_problems
from speechbundles.leaderboard.labelled_set import LabelledSet
from speechbundles.leaderboard.outputs import ScoringOutput
from speechbundles.model.errors import OrganiserError
from speechbundles.model.submissions import find_submissions
from speechbundles.model.temporary import temporary_folder
from spokeneval.formats.problems import FileProblems, count_of
from spokeneval.formats.submission_folder import list_files
from spokeneval.formats.submission_zip import unpack
from spokeneval.scoring.groups import count_items
from spokeneval.scoring.scored import Statistics, primary_matrix


def read_answers(folder: Path, outputs: Sequence[ScoringOutput], gold: LabelledSet) -> list[Any]:
    """Return each system's answers to all items of the set.

    Parameters
    ----------
    folder: the folder of submissions that was given to `score`, which wrote the output of `folder/NAME.zip` to
        `OUT/NAME`.

    Raises
    ------
    OrganiserError: lists every submission that is missing or that differs from the one that was scored.
    """
    try:
        submissions = find_submissions(folder)
    except OrganiserError as error:
        raise no_board(f"--submissions {error}") from None
    answers, missing, others = [], [], []
    for output in outputs:
        path = _submission_of(output, submissions)
        if path is None:
            missing.append(str(output.path))
            continue
        try:
            answers.append(_read(path, gold))
            is_same = _is_scored_as(output, answers[-1], gold)
        except FileProblems:
            is_same = False
        others += [] if is_same else [str(path)]
    odd = {
        f"no zip with the name of {count_of(len(missing), 'output')}": missing,
        f"{count_of(len(others), 'zip')} with other answers than those that were scored": others,
    }
    raise_problems(f"--submissions {folder}", listed(odd))
    return answers


def _submission_of(output: ScoringOutput, submissions: Mapping[str, Path]) -> Path | None:
    """Return the submission that shares the longest end of the output's path: `team/first.zip` for `OUT/team/first`."""
    path = output.path.resolve()
    parts = (path.with_suffix("") if path.suffix.lower() == ".zip" else path).parts
    names = ("/".join(parts[-depth:]) for depth in range(len(parts), 0, -1))
    return next((submissions[name] for name in names if name in submissions), None)


def _read(path: Path, gold: LabelledSet) -> Any:
    with temporary_folder("submission") as folder:
        unpack(path, folder, extracted_name)
        return gold.task.format.read_submission(list_files(folder), gold.labels.items)


def _is_scored_as(output: ScoringOutput, answers: Any, gold: LabelledSet) -> bool:
    """Return whether answers give exactly the counts that an output has for the board's rows."""
    if (statistics := output.statistics) is None:
        return False
    names, parts = statistics.rows
    held = set(names)
    places = [place for place, item in enumerate(gold.labels.items.ids) if gold.counted_in[item] in held]
    found = primary_matrix(
        gold.task, Statistics("", (), count_items(gold.task, gold.labels, answers, places).rows)
    )
    return np.array_equal(found, primary_matrix(gold.task, replace(statistics, parts=parts)))
