"""The feedback on a set: the steps of its scores, the floor, and the scores of the baseline and trivial baselines.

All values are computed once, when the bundle is built, and are the same for all submissions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from speechbundles.bundle.build.gold_answers import half_right_error, range_of
from speechbundles.competition.references import ReferenceSet
from spokeneval.formats.files import Files
from spokeneval.run.feedback import SetFeedback, choose_step, coarse_scores, on_grid
from spokeneval.run.interval import resampled_error, scores_without
from spokeneval.run.options import Settings, choose_options
from spokeneval.run.reference import labelled, read_submission
from spokeneval.run.scoring import score_submission
from spokeneval.run.signature import Signature
from spokeneval.task import HIGHER, Number, Task

BASELINE = "the kit's baseline"


@dataclass(frozen=True)
class Feedback:
    """Feedback on one set.

    Attributes
    ----------
    steps: `key -> step` of the scores on the leaderboard while the labels are hidden; empty where no score has a
        standard error (a single unit, or baselines whose scores never vary).
    floor: the scores shown for a submission that does not beat them.
    unit: the unit that confidence intervals resample.
    known: `system -> primary score` of the systems that anyone can submit: the baseline, where it runs, and the
        trivial baselines. Rounded to steps where the set is hidden.
    baseline_without: the baseline's primary score without each unit of a public set; empty where it does not run.
    best: the first system whose score is the floor.
    """

    steps: Mapping[str, float]
    floor: Mapping[str, Number]
    unit: str
    known: Mapping[str, Number]
    baseline_without: Sequence[float] = ()
    best: str = BASELINE

    @property
    def of_set(self) -> SetFeedback:
        """The part that a scoring program needs."""
        return SetFeedback(self.steps, self.floor, self.trivial, "" if self.best == BASELINE else self.best)

    @property
    def trivial(self) -> dict[str, Number]:
        """Primary scores of the trivial baselines."""
        return {answer: score for answer, score in self.known.items() if answer != BASELINE}


def set_feedback(
    task: Task,
    reference: ReferenceSet,
    solution: Mapping[str, bytes] | None,
    *,
    hidden: bool,
) -> Feedback:
    """Compute the feedback on a set.

    The step is the standard error of the baseline's primary score, or of the first trivial baseline's (`Task.trivial`)
    if the baseline does not run. If that is 0 or too wide, the step is the largest standard error of all these systems,
    or that of a system that is right about half of the set (`half_right_error`). The floor is the score of the best of
    them.

    Parameters
    ----------
    solution: the baseline's submission, `name -> content`; None if the baseline does not run on the set.
    """
    gold = reference.gold
    submissions = {}
    if solution is not None:
        submissions[BASELINE] = read_submission(task, Files(solution), gold)
    submissions.update(
        {what: labelled(task, answer(gold.items), gold) for what, answer in task.trivial.items()}
    )
    # With the default options every submission is scored; those that reject submissions are for public labels.
    settings = Settings(choose_options(task, {}), True, Signature(task.name))
    lines = {
        what: score_submission(task, gold.labels, answers, settings) for what, answers in submissions.items()
    }
    key, higher = task.primary.key, task.primary.direction == HIGHER
    errors = _usable(task, {what: line.intervals[key].standard_error for what, line in lines.items()})
    # The jackknife gives 0 where leaving out one unit never changes a score, such as a score that a rule sets to 0.
    if not any(errors.values()):
        rows = {what: task.part(task.primary, line.statistics.parts) for what, line in lines.items()}
        errors = _usable(task, {what: resampled_error(task.primary, rows[what]) for what in lines})
    if not any(errors.values()):
        errors = {"": half_right_error(task, gold, settings)}
    error = errors[_first_or_largest(errors)]
    steps = {key: choose_step(error)} if error else {}
    scores = {what: line.scores[key] for what, line in lines.items()}
    unit = next(iter(lines.values())).statistics.unit
    # The best of equals in steps is the first, the baseline, so that its name reveals no more than the shown scores.
    shown = {what: on_grid(score, steps[key]) for what, score in scores.items()} if steps else scores
    best = (max if higher else min)(shown, key=lambda what: shown[what])
    floor = coarse_scores({key: shown[best]}, steps)
    without: list[float] = []
    if not hidden and BASELINE in lines:
        of_units = task.part(task.primary, lines[BASELINE].statistics.parts)
        without = scores_without(task.primary, lines[BASELINE].scores[key], of_units).tolist()
    return Feedback(steps, floor, unit, shown if hidden else scores, without, best)


def _usable(task: Task, errors: Mapping[str, float]) -> dict[str, float]:
    """Return errors, with 0 for those of half of the score's range, in which no two systems would differ.

    A system that is certain and wrong has such an error of Cllr, which has no bound.
    """
    return {what: error if error < range_of(task.primary) / 2 else 0.0 for what, error in errors.items()}


def _first_or_largest(errors: Mapping[str, float]) -> str:
    """Return the first system if it has a standard error, else the one with the largest."""
    first = next(iter(errors))
    return first if errors[first] else max(errors, key=lambda what: errors[what])
