"""How a submission did, in words: against the baseline and the trivial baselines, or against the floor.

On public labels, a submission is compared with the baseline by the 95 % interval of the difference between their
scores. The interval is paired: the jackknife leaves out the same units from both. The submission is better or worse
only if the interval does not include 0. On hidden labels, the words follow from the figures of the leaderboard alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from operator import itemgetter
from typing import Any, NamedTuple, Optional

import numpy as np

from ..formats.format import Answers
from ..formats.problems import count_of, name
from ..formats.tables import id_order
from ..metrics.counts import total
from ..metrics.jackknife import FEWEST_UNITS
from ..scoring.options import RELATIVE, Settings, as_shown, step_text, steps_between
from ..scoring.scored import Scored, difference_interval, ends_beyond, scores_without
from ..task import ENDS, HIGHER, Number, Task, View

GOOD, OPEN, BAD = "good", "", "bad"
"""Classes of the style sheet, for the colour beside a verdict."""

TIE = 2
"""Scores on hidden labels that are fewer than so many steps apart are treated as a tie."""


class Verdict(NamedTuple):
    """A verdict: its class, its first words, and the reason."""

    kind: str
    words: str
    reason: str


def public_verdict(task: Task, scored: Scored, settings: Settings, broken: str) -> Verdict:
    """Return the verdict on a submission to a set with public labels.

    Parameters
    ----------
    broken: the rule of the task that the submission breaks, with the figures; empty if it breaks none.
    """
    if broken:
        return Verdict(BAD, f"Breaks {broken}.", "")
    primary = task.primary
    score, sign = float(scored.scores[primary.key]), 1 if primary.direction == HIGHER else -1
    shown = f".{settings.decimals.get(primary.key, 4)}f"
    trivial = trivial_verdict(task, score, settings)
    if trivial:
        return trivial
    baseline = settings.baseline.get(primary.key)
    if baseline is None:
        against = "Better than every trivial baseline." if settings.feedback.trivial else "Scored."
        return Verdict(OPEN, against, "The score of the baseline on this set is not known.")
    difference = score - baseline
    ends = _difference_ends(task, scored, settings, difference)
    if ends is None:
        reason = f"Difference from the baseline: {difference:+{shown}}. Its interval cannot be computed."
        return Verdict(OPEN, "Not distinguishable from the baseline.", reason)
    if ends == (0, 0):
        reason = (
            f"The scores are the same, and stay the same if any one {scored.statistics.unit} is left out."
        )
        return Verdict(OPEN, "Equal to the baseline.", reason)
    reason = (
        f"Difference from the baseline: {difference:+{shown}}, paired 95 % interval {ends[0]:+{shown}} to "
        f"{ends[1]:+{shown}} over {count_of(len(scored.statistics.units), scored.statistics.unit)}"
    )
    if ends[0] <= 0 <= ends[1]:
        return Verdict(OPEN, "Not distinguishable from the baseline.", f"{reason}, which includes 0.")
    if sign * difference > 0:
        return Verdict(GOOD, "Better than the baseline.", f"{reason}, which does not include 0.")
    return Verdict(BAD, "Worse than the baseline.", f"{reason}, which does not include 0.")


def trivial_verdict(task: Task, score: float, settings: Settings) -> Optional[Verdict]:
    """Return the verdict on a score that is no better than the best trivial baseline; None for all other scores."""
    known = {answer: float(value) for answer, value in settings.feedback.trivial.items()}
    if not known:
        return None
    primary = task.primary
    sign = 1 if primary.direction == HIGHER else -1
    best = max(known, key=lambda answer: sign * known[answer])
    if sign * (score - known[best]) > 0:
        return None
    words = "Worse than" if score != known[best] else "No better than"
    shown = f".{settings.decimals.get(primary.key, 4)}f"
    return Verdict(
        BAD, f"{words} a trivial baseline.", f"“{best}” needs no system and has {known[best]:{shown}}."
    )


WEAK = 0.5
"""Share of the way from the best trivial baseline's answers to right ones, below which a submission is examined for a
slip."""

MOST_EXCHANGED = 6
"""With more columns, no two of them are exchanged: each exchange is scored."""

FEWEST_ROWS = 10
"""With fewer rows of counts, a changed submission may be better by chance."""

SURE, LIKELY = 3, 2
"""The standard errors by which a changed submission that shows the slip is more right than the given one, and than each
trivial baseline."""


def slips(task: Task, labels: Any, submission: Any, scored: Scored, settings: Settings) -> list[str]:
    """Return what explains a weak score on public labels: opposite or exchanged values, or rows shifted by one.

    What is compared is how right the answers to the items are, because not every score has a best value.
    """
    if not isinstance(submission, Answers) or not settings.feedback.trivial or task.code:
        return []
    primary = task.primary
    found: list[tuple[float, str]] = []
    sign = 1 if primary.direction == HIGHER else -1
    score = max(
        sign * float(known) for known in (scored.scores[primary.key], *settings.feedback.trivial.values())
    )
    ids = submission.items.ids
    order = np.array(sorted(range(len(ids)), key=lambda row: id_order(ids[row])), dtype=int)
    unusable = ArithmeticError, LookupError, ValueError
    with suppress(*unusable), np.errstate(all="ignore"):
        own = np.asarray(task.right(scored.statistics.rows[1]))
        others = [task.right(task.count(labels, answer(labels.items))) for answer in task.trivial.values()]
        if len(own) < FEWEST_ROWS or own.mean() > WEAK + (1 - WEAK) * max(map(np.mean, others)):
            return []
        for words, columns in _changes(submission.columns, order, task.view):
            with suppress(*unusable):  # such as a class from a column of ratings
                counts = task.count(labels, replace(submission, columns=columns))
                value, right = float(primary.value(total(task.part(primary, counts)))), task.right(counts)
                if (
                    sign * value > score
                    and _errors_apart(right, own) > SURE
                    and all(_errors_apart(right, other) > LIKELY for other in others)
                ):
                    shown = f"{value:.{settings.decimals.get(primary.key, 4)}f}"
                    found.append((sign * value, f"{words}, {primary.heading} would be {shown}"))
    return [max(found, key=itemgetter(0))[1]] if found else []


def _errors_apart(right: np.ndarray, other: np.ndarray) -> float:
    """How much more right answers are than others to the same items, in standard errors."""
    return float((right - other).mean() / (right - other).std() * len(right) ** 0.5)


def _changes(
    columns: Mapping[str, np.ndarray], order: np.ndarray, view: View
) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """Yield what may have been meant, with the values of each column; `order`: rows by id, as in public lists."""
    for one, other in combinations(columns, 2) if len(columns) <= MOST_EXCHANGED else ():
        words = f"With the columns {name(one)} and {name(other)} exchanged"
        yield words, {**columns, one: columns[other], other: columns[one]}
    if all(values.dtype.kind in "if" for values in columns.values()):
        signed = any(values.min() < 0 for values in columns.values())
        shares = all(values.max() <= 1 for values in columns.values())
        words = f"With the opposite {'sign' if signed else 'order of values'}"
        classes = getattr(view, "answers", ()) or view.label_names()
        if len(classes) == 2 and all(values.dtype.kind == "i" for values in columns.values()):
            words = f"With {name(classes[0])} and {name(classes[1])} swapped"
        yield (
            words,
            {
                name: -values if signed else (1 if shares else values.min() + values.max()) - values
                for name, values in columns.items()
            },
        )
    for neighbour, shift in (("above", -1), ("below", 1)):
        moved = np.empty_like(order)
        moved[order] = np.roll(order, shift)
        words = f"Each answer fits the item {neighbour} better: with all rows shifted by one"
        yield words, {name: values[moved] for name, values in columns.items()}


def _difference_ends(
    task: Task, scored: Scored, settings: Settings, difference: float
) -> Optional[tuple[float, float]]:
    """Return the paired interval of the difference to the baseline; None if it cannot be computed."""
    primary, baseline = task.primary, settings.baseline
    rows, value = task.part(primary, scored.statistics.parts), scored.scores[primary.key]
    without = scores_without(primary, value, rows)
    known = np.array(settings.about.baseline_without, dtype=np.float64)
    if known.shape != without.shape or len(without) < FEWEST_UNITS:
        return None
    low, high = (baseline.get(primary.key + end, baseline[primary.key]) for end in ENDS)
    own = ends_beyond(primary, value, rows)
    interval = difference_interval(
        primary, (value, baseline[primary.key]), (without, known), [own, (low, high)] if own else ()
    )
    certain = interval.low == interval.high and difference  # no unit changes the difference
    return None if certain else (interval.low, interval.high)


def hidden_verdict(task: Task, scores: Mapping[str, Number], settings: Settings) -> Verdict:
    """Return the verdict on a submission to a set with hidden labels, from the figures of the leaderboard."""
    key, feedback = task.primary.key, settings.feedback
    if not settings.coarse or feedback.floor is None:
        return Verdict(OPEN, "Scored.", "")
    floor, step = as_shown(feedback.floor[key]), feedback.steps[key]
    apart = steps_between(scores[key], feedback.floor[key], step)
    if apart == 0:
        excluded = f", or that {feedback.broken}," if feedback.broken else ""
        reason = (
            f"Every submission that is not better than the baseline and the trivial baselines{excluded} is shown with "
            f"{floor}, the rounded score of {feedback.best_system}. The submission's own score may be worse."
        )
        return Verdict(OPEN, "Not better than the baselines.", reason)
    words = "Better than the baselines."
    by = f" The score is {count_of(int(apart), 'step')} better." if math.isfinite(apart) else ""
    reason = (
        f"The best of the baseline and the trivial baselines has {floor}.{by} A step is {step_text(step)}"
        + ("." if step == RELATIVE else ", about one standard error of the baseline's score.")
    )
    if apart < TIE:
        return Verdict(OPEN, words, f"{reason} So small a difference can be chance.")
    return Verdict(GOOD, words, reason)
