"""Warnings about sets with so few units that the interval of a perfect system is wide."""

import numpy as np

from speechbundles.bundle.build.gold_answers import range_of, scored_answers
from speechbundles.competition.references import ReferenceSet
from spokeneval.formats.problems import count_of
from spokeneval.formats.speakers import GROUP
from spokeneval.scoring.options import Settings, Signature, choose_options
from spokeneval.scoring.scored import FEWEST_UNITS, interval_of_units
from spokeneval.task import HIGHER

WIDEST = 1 / 2
"""The widest interval without a warning, in ranges of the score."""

MOST_UNITS = 60
"""With more units, the interval of a perfect system is never so wide. Units in groups are more."""


def warn_of_size(reference: ReferenceSet) -> str:
    """Return a warning if the interval of a system that answers as the labels is wider than half of the score's range.

    A score without an upper bound has the range of a whole error, 1 or 100 %, as in its intervals. The warning names
    the fewest units that give a narrower interval, computed from the counts of the units that there are, repeated in
    turn. Empty for larger sets, and where no submission can be made from the labels.
    """
    task, gold, score = reference.definition, reference.parsed, reference.definition.primary
    called, of, _ = task.units(gold.labels)
    units = len(set(of.values()))
    if units > MOST_UNITS or score.limits is None or called.endswith(GROUP):
        return ""
    settings = Settings(choose_options(task, reference.options), True, Signature(task.name))
    lines = list(scored_answers(task, gold, np.ones(len(gold.labels.items), dtype=bool), settings))
    if not lines:
        return ""
    best = (max if score.direction == HIGHER else min)(lines, key=lambda line: line.scores[score.key])
    rows = task.part(score, best.statistics.parts)

    def is_narrow(n: int) -> bool:
        low, high = interval_of_units(score, rows, n)
        return high - low <= WIDEST * range_of(score)

    enough = next((n for n in range(units, 2 * MOST_UNITS) if is_narrow(n)), units)
    if enough == units:
        return ""
    now, then = ("{:.3g} to {:.3g}".format(*interval_of_units(score, rows, n)) for n in (units, enough))
    found = f"is {now}" if units >= FEWEST_UNITS else "cannot be computed"
    return (
        f"{task.name}: the {reference.name} set has only {count_of(units, called)}: the 95 % interval of "
        f"{score.heading} {found} even if all answers are right. With {count_of(enough, called)} it is {then}"
    )
