"""What the boards of hidden sets tell: the step of the primary score, and the line below which nothing shows."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bundling.competition.competition import CompetitionError
from bundling.competition.references import ReferenceSet
from spokeneval.run.feedback import choose_step, coarse_scores
from spokeneval.run.options import Options
from spokeneval.run.scoring import score_submission
from spokeneval.task import HIGHER, Number, Task


@dataclass(frozen=True)
class Feedback:
    """Of one hidden set: `key -> step`, and the line that a submission gets which is no better than it."""

    steps: Mapping[str, float]
    floor: Mapping[str, Number]


def set_feedback(
    task: Task, reference: ReferenceSet, solution: Mapping[str, bytes], chosen: Mapping[str, str]
) -> Feedback:
    """The feedback on a hidden set, fixed when its bundle is built and the same for all submissions.

    The step is the standard error of the baseline's primary score; where that has none, the largest of the others'. The
    floor is the line of the best among the baseline and the systems that know nothing (`Task.trivial`).

    Parameters
    ----------
    solution: the baseline's submission, `name -> content`.
    chosen: the task's options.
    """
    with tempfile.TemporaryDirectory() as folder:
        references = _write(Path(folder, "reference"), reference.files)
        answers = _write(Path(folder, "solution"), solution)
        gold = task.format.read_reference(references)
        submissions = [task.format.read_submission({name: answers / name for name in solution}, gold.items)]
    submissions += [answer(gold.items) for answer in task.trivial.values()]
    # An option that refuses submissions is for public labels alone: here each is scored.
    options = Options({**chosen, **_defaults(task)}, labels_public=True, compared_by="")
    lines = [score_submission(task, gold, submission, options) for submission in submissions]
    errors = [line.intervals[task.primary.key].standard_error for line in lines]
    if not any(errors):
        raise CompetitionError(
            f"feedback: coarse needs a standard error to make a step of; the {reference.name} set of {task.name} has "
            f"none (one {task.unit} alone, or answers that all score alike)"
        )
    step = choose_step(errors[0] or max(errors))
    best = max(
        lines,
        key=lambda line: line.scores[task.primary.key] * (1 if task.primary.direction == HIGHER else -1),
    )
    steps = {task.primary.key: step}
    return Feedback(steps, coarse_scores(best.scores, steps))


def _defaults(task: Task) -> dict[str, str]:
    return {option.name: option.values[0] for option in task.options}


def _write(folder: Path, files: Mapping[str, Any]) -> Path:
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder
