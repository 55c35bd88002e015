"""The feedback on a set: the steps of its scores, the floor, and the scores of the baseline and trivial baselines.

All values are computed once, when the bundle is built, and are the same for all submissions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from speechbundles.bundle.build.gold_answers import error_of, half_right, range_of
from speechbundles.competition.references import ReferenceSet
from spokeneval.scoring.options import (
    FURTHER,
    RELATIVE,
    SetFeedback,
    Settings,
    Signature,
    Step,
    choose_options,
    choose_step,
    coarse_scores,
    on_grid,
)
from spokeneval.scoring.reference import labelled, read_submission
from spokeneval.scoring.scored import Scored, score_submission, scores_without
from spokeneval.task import HIGHER, Number, Score, Task

BASELINE = "the kit's baseline"


@dataclass(frozen=True)
class Feedback:
    """Feedback on one set.

    Attributes
    ----------
    of_set: the part that a scoring program needs. No score has a step where the primary score has no standard error (a
        single unit, or baselines whose scores never vary).
    unit: the unit that confidence intervals resample.
    known: `system -> primary score` of the systems that anyone can submit: the baseline, where it runs, and the
        trivial baselines. Rounded to steps where the set is hidden.
    baseline_without: the baseline's primary score without each unit of a public set; empty where it does not run.
    """

    of_set: SetFeedback
    unit: str
    known: Mapping[str, Number]
    baseline_without: Sequence[float] = ()


def set_feedback(
    task: Task,
    reference: ReferenceSet,
    solution: Mapping[str, bytes] | None,
    *,
    hidden: bool,
    further: Sequence[str] = (),
) -> Feedback:
    """Compute the feedback on a set.

    The step is the standard error of the primary score of the baseline if it is better than a system that is right
    about half of the set (`half_right`). Otherwise, as where the baseline does not run or its answers are constant, the
    step is the largest standard error of this system, the baseline and the trivial baselines (`Task.trivial`) that is
    below half of the range: scores near a bound vary less than those that the leaderboard is for. Further scores have
    steps of four such errors. The floor is the scores of the best of the baselines.

    Parameters
    ----------
    solution: the baseline's submission, `name -> content`; None if the baseline does not run on the set.
    further: the keys of the scores beside the primary score that the leaderboard of a hidden set shows.
    """
    gold = reference.parsed
    submissions = {}
    if solution is not None:
        submissions[BASELINE] = read_submission(task, solution, gold)
    for what, answer in task.trivial.items():
        submissions[what] = labelled(task, answer(gold.items), gold)
    # With the default options every submission is scored; those that reject submissions are for public labels.
    settings = Settings(choose_options(task, {}), True, Signature(task.name))
    lines = {what: score_submission(task, gold.labels, own, settings) for what, own in submissions.items()}
    key, sign = task.primary.key, 1 if task.primary.direction == HIGHER else -1
    scores = {what: line.scores[key] for what, line in lines.items()}
    half = half_right(task, gold, settings)
    trusted = half is None or sign * (scores.get(BASELINE, math.nan) - half.scores[key]) > 0
    steps: dict[str, Step] = {}
    for score in (task.primary, *(score for score in task.scores if score.key in further)):
        error = _error(score, lines, half, trusted=trusted)
        if score is task.primary and not error:
            break
        steps[score.key] = step_of(score, error, is_first=score is task.primary)
    unit = next(iter(lines.values())).statistics.unit
    # The best of equals in steps is the first, the baseline, so that its name reveals no more than the shown scores.
    shown = {what: on_grid(score, steps[key]) for what, score in scores.items()} if steps else scores
    best = max(shown, key=lambda what: sign * shown[what])
    floor = coarse_scores(lines[best].scores, steps)
    without: list[float] = []
    if not hidden and BASELINE in lines:
        baseline = lines[BASELINE]
        rows = task.part(task.primary, baseline.statistics.parts)
        without = scores_without(task.primary, baseline.scores[key], rows).tolist()
    known = shown if hidden else scores
    trivial = {what: score for what, score in known.items() if what != BASELINE}
    broken = task.eligibility.broken if task.eligibility else ""
    of_set = SetFeedback(steps, floor, trivial, "" if best == BASELINE else best, broken)
    return Feedback(of_set, unit, known, without)


def _error(score: Score, lines: Mapping[str, Scored], half: Scored | None, *, trusted: bool) -> float:
    """Return the standard error of a score that decides its step; 0 if it is the same for all systems.

    Parameters
    ----------
    trusted: whether the baseline is better than a system that is right about half of the set.
    """
    # The jackknife gives 0 where leaving out one unit never changes a score, such as a score that a rule sets to 0.
    errors = {what: line.intervals[score.key].standard_error for what, line in lines.items()}
    if not any(errors.values()):
        errors = {what: error_of(score, line) for what, line in lines.items()}
    if errors.get(BASELINE) and trusted:
        return errors[BASELINE]
    # A trivial baseline that is certain and wrong has a much larger error of Cllr, by which no systems differ.
    widest, least = range_of(score) / 2, error_of(score, half) if half else 0.0
    return max((each for each in (*errors.values(), least) if each < widest), default=least)


def step_of(score: Score, error: float, *, is_first: bool) -> Step:
    """Return the step of a score; that of a further score without a standard error is its range.

    A fixed step is small beside a large score, such as a ratio or an RMSE. An error rate is large only for bad systems.
    """
    unbounded = score.limits is not None and score.limits[1] == math.inf
    if unbounded and (score.direction == HIGHER or not (is_first or score.percent)):
        return RELATIVE
    return choose_step(error if is_first else FURTHER * error or range_of(score))
