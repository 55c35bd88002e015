"""What the board of a set goes by: the step of its score, the line below which nothing shows, and what others get.

All of it is computed when the bundle is built, once, and is the same for all submissions.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from speechbundles.competition.references import ReferenceSet
from spokeneval.formats.files import Files
from spokeneval.run.feedback import choose_step, coarse_scores, on_grid
from spokeneval.run.interval import resampled_error
from spokeneval.run.options import Settings, choose_options
from spokeneval.run.reference import labelled, read_submission
from spokeneval.run.scoring import score_submission
from spokeneval.run.signature import Signature
from spokeneval.task import HIGHER, Number, Task

BASELINE = "the kit's baseline"


@dataclass(frozen=True)
class Feedback:
    """Of one set.

    Attributes
    ----------
    steps: `key -> step` of what a board shows while the labels are hidden; empty where nothing has a standard error
        (one unit alone, or answers that all score alike).
    floor: the line that a submission gets which is no better than it.
    unit: what an interval is drawn over.
    known: what everybody can submit, `what it answers -> its primary score`: the baseline, where it runs, and the
        systems that know nothing. In steps where the set is hidden.
    """

    steps: Mapping[str, float]
    floor: Mapping[str, Number]
    unit: str
    known: Mapping[str, Number]

    @property
    def trivial(self) -> dict[str, Number]:
        """What the systems get that know nothing."""
        return {answer: score for answer, score in self.known.items() if answer != BASELINE}


def set_feedback(
    task: Task,
    reference: ReferenceSet,
    solution: Mapping[str, bytes] | None,
    *,
    hidden: bool,
) -> Feedback:
    """The feedback on a set.

    The step is the standard error of the baseline's primary score; where that has none, or no baseline runs, the
    largest of the others'. The floor is the line of the best among the baseline and the systems that know nothing
    (`Task.trivial`).

    Parameters
    ----------
    solution: the baseline's submission, `name -> content`; None where it does not run on the set.
    """
    gold = reference.gold
    submissions = {}
    if solution is not None:
        submissions[BASELINE] = read_submission(task, Files(solution), gold)
    submissions.update(
        {what: labelled(task, answer(gold.items), gold) for what, answer in task.trivial.items()}
    )
    # An option that refuses submissions is for public labels alone: here each is scored.
    settings = Settings(choose_options(task, {}), True, Signature(task.name))
    lines = {
        what: score_submission(task, gold.labels, answers, settings) for what, answers in submissions.items()
    }
    primary = task.primary
    errors = [line.intervals[primary.key].standard_error for line in lines.values()]
    if not any(
        errors
    ):  # as where no system that knows nothing meets a rule, and one unit more does not change that
        errors = [
            resampled_error(primary, task.part(primary, line.statistics.parts)) for line in lines.values()
        ]
    steps = {primary.key: choose_step(errors[0] or max(errors))} if any(errors) else {}
    scores = {what: line.scores[primary.key] for what, line in lines.items()}
    best = (max if primary.direction == HIGHER else min)(scores, key=lambda what: scores[what])
    if hidden and steps:
        scores = {what: on_grid(score, steps[primary.key]) for what, score in scores.items()}
    unit = lines[best].statistics.unit
    return Feedback(steps, coarse_scores(lines[best].scores, steps), unit, scores)
