"""The feedback on a set: the steps of its scores, the floor, and the scores of the baseline and trivial baselines.

All values are computed once, when the bundle is built, and are the same for all submissions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from speechbundles.bundle.build.gold_answers import half_right, range_of
from speechbundles.competition.references import ReferenceSet
from spokeneval.formats.text import Files
from spokeneval.scoring.options import (
    SetFeedback,
    Settings,
    Signature,
    choose_options,
    choose_step,
    coarse_scores,
    on_grid,
)
from spokeneval.scoring.reference import labelled, read_submission
from spokeneval.scoring.scored import Scored, resampled_error, score_submission, scores_without
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

    The step is the standard error of the primary score of the baseline if it is better than a system that is right
    about half of the set (`half_right`). Otherwise, as where the baseline does not run or its answers are constant, the
    step is the largest standard error of this system, the baseline and the trivial baselines (`Task.trivial`) that is
    below half of the range: scores near a bound vary less than those that the leaderboard is for. The floor is the
    score of the best of the baselines.

    Parameters
    ----------
    solution: the baseline's submission, `name -> content`; None if the baseline does not run on the set.
    """
    gold = reference.parsed
    submissions = {}
    if solution is not None:
        submissions[BASELINE] = read_submission(task, Files(solution), gold)
    for what, answer in task.trivial.items():
        submissions[what] = labelled(task, answer(gold.items), gold)
    # With the default options every submission is scored; those that reject submissions are for public labels.
    settings = Settings(choose_options(task, {}), True, Signature(task.name))
    lines = {what: score_submission(task, gold.labels, own, settings) for what, own in submissions.items()}

    def rows_of(line: Scored) -> Any:
        return task.part(task.primary, line.statistics.parts)

    key, higher = task.primary.key, task.primary.direction == HIGHER
    scores = {what: line.scores[key] for what, line in lines.items()}
    half = half_right(task, gold, settings)
    # The jackknife gives 0 where leaving out one unit never changes a score, such as a score that a rule sets to 0.
    errors = {what: line.intervals[key].standard_error for what, line in lines.items()}
    if not any(errors.values()):
        errors = {what: resampled_error(task.primary, rows_of(line)) for what, line in lines.items()}
    error = errors.get(BASELINE, 0.0)
    if not error or (half and (scores[BASELINE] <= half[0] if higher else scores[BASELINE] >= half[0])):
        # A trivial baseline that is certain and wrong has a much larger error of Cllr, by which no systems differ.
        widest, least = range_of(task.primary) / 2, half[1] if half else 0.0
        error = max((each for each in (*errors.values(), least) if each < widest), default=least)
    steps = {key: choose_step(error)} if error else {}
    unit = next(iter(lines.values())).statistics.unit
    # The best of equals in steps is the first, the baseline, so that its name reveals no more than the shown scores.
    shown = {what: on_grid(score, steps[key]) for what, score in scores.items()} if steps else scores
    best = (max if higher else min)(shown, key=lambda what: shown[what])
    floor = coarse_scores({key: shown[best]}, steps)
    without: list[float] = []
    if not hidden and BASELINE in lines:
        baseline = lines[BASELINE]
        without = scores_without(task.primary, baseline.scores[key], rows_of(baseline)).tolist()
    return Feedback(steps, floor, unit, shown if hidden else scores, without, best)
