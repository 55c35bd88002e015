"""Notes on a comparison: ties, how systems were compared, and what too few units mean."""

from __future__ import annotations

from collections.abc import Sequence

from ..formats.problems import count_of, plural_of
from ..formats.speakers import SPEAKER, unseen_note
from ..metrics.bootstrap import RESAMPLES
from ..task import Task
from .joint_rule import MEAN_RANK, MISSING, NORMALISED_SUM, JointRule
from .leaderboard import UNOFFICIAL, Entry
from .multiple_comparisons import CONFIDENCE, RISK, SIGNIFICANCE, holm_level
from .randomisation import FEWEST_RESAMPLED, MOST_SWAPPED, least_p, units_needed
from .ranks import DECIMALS, infers_ranks

MOST_TIES = 10
"""The most shared ranks of which the systems are listed."""


def ties(rows: Sequence[Entry]) -> list[str]:
    """A note for each of the first ranks that several systems share, and on the number of further ones."""
    notes, ranks = [], sorted({row.rank for row in rows if row.tied})
    for rank in ranks[:MOST_TIES]:
        tied = sorted(row.name for row in rows if row.rank == rank)
        notes.append(f"Tie at rank {rank}: {', '.join(tied)} have the same score to {DECIMALS} decimals.")
    if (more := len(ranks) - MOST_TIES) > 0:
        notes.append(f"Several systems have the same score at {more} further ranks.")
    return notes


def excluded(rows: Sequence[Entry]) -> list[str]:
    """Notes on the systems that are not ranked."""
    late = ", ".join(row.label for row in rows if row.excluded == UNOFFICIAL)
    names = ", ".join(row.label for row in rows if row.excluded not in ("", UNOFFICIAL))
    below = (
        "An excluded system is below all ranked ones, with its score without the rule, and is not compared."
    )
    notes = (
        [f"Unofficial, and therefore below all others and not ranked or compared: {late}."] if late else []
    )
    return notes + ([f"Not ranked, because of a rule: {names}. {below}"] if names else [])


def one_side(task: Task) -> list[str]:
    """A note if trials have units on two sides, of which comparisons of systems resample one."""
    if task.other_units is None:
        return []
    unit, other = (plural_of(task.declaration.get(side, SPEAKER)) for side in ("unit", "other_unit"))
    return [
        f"Ranges of ranks, clusters, p-values and intervals of differences allow for other {unit} only, not for other "
        f"{other}, so they are too narrow. Intervals of scores allow for both."
    ]


def how_compared(units: str, unit: str, systems: int, number: int) -> list[str]:
    """Return how systems were compared and, if there are too few units to separate them, how many are needed."""
    pairs = systems * (systems - 1) // 2
    how = f"paired randomisation by {unit}"
    if number >= FEWEST_RESAMPLED:
        how += ", and the studentised bootstrap, whichever has the larger p"
    ranks = f"stepwise method on differences in {RESAMPLES} bootstrap resamples of {units}, the same for all systems"
    test = f"{how}, Holm's correction over {count_of(pairs, 'pair')}, {RISK} level"
    if systems > MOST_SWAPPED:
        ranks = (
            f"simultaneous intervals of scores from {RESAMPLES} bootstrap resamples of {units}: a system is known to "
            f"be better if its interval is above the other one, a method for more than {MOST_SWAPPED} systems"
        )
        test = f"the same intervals, {RISK} level"
    remarks = [*_meaning(ranks, test), unseen_note(number, unit)]
    needed = units_needed(systems)
    if systems > MOST_SWAPPED:
        if not infers_ranks(number):
            remarks.append(
                f"{units} {'is' if number == 1 else 'are'} too few to separate systems; six are needed."
            )
    elif number < needed:
        least = least_p(number)
        corrected = min(1, least * SIGNIFICANCE / holm_level(systems))
        remarks.append(
            f"{units} {'is' if number == 1 else 'are'} too few to separate {systems} systems; at least {needed} are "
            f"needed. The smallest p that a test on {units} can give is {least:.2g}; after correction for "
            f"{count_of(pairs, 'pair')} it is {corrected:.2g}. All systems are therefore in one cluster, "
            "whatever their scores."
        )
        if infers_ranks(number):
            remarks[-1] += (
                " The ranks may separate more systems: they use the size of the differences, and assume that these are "
                "nearly normal."
            )
    return remarks


def how_scored(rule: JointRule, left_out: Sequence[str], without: str) -> list[str]:
    """Return what a joint ranking does with systems that lack a task, and with the baseline.

    Parameters
    ----------
    left_out
        Tasks without a ranked system.
    without
        Which scores the baseline lacks.
    """
    weights = ", ".join(f"{task} {weight:g}" for task, weight in rule.weights.items())
    remarks = [f"Weights: {weights}."] if weights else []
    remarks += [f"Compulsory: {', '.join(rule.compulsory)}."] if rule.compulsory else []
    remarks.append(
        f"A system without a score in {'another' if rule.compulsory else 'a'} task {MISSING[rule.missing]}."
    )
    if left_out:
        remarks.append(f"No ranked system has a score in {', '.join(left_out)}, so the joint score lacks it.")
    if rule.rule == MEAN_RANK:
        remarks.append("Ranks in a task are among the systems of the joint ranking.")
    if rule.baseline:
        remarks.append(f"The baseline, {rule.baseline}, counts in no rank or total.")
    remarks += [f"{without}."] if without else []
    why = "tasks may share units, which their own intervals do not show; ranges of ranks allow for it"
    if rule.rule in (MEAN_RANK, NORMALISED_SUM):
        why = "it depends on the other systems, and tasks may share units; ranges of ranks allow for both"
    return [" ".join([*remarks, f"A joint score has no interval: {why}."])]


def how_joined(units: str, systems: int, least: int, *, common: bool) -> list[str]:
    """Return how systems were compared by a joint score; `least`: the fewest units of a task."""
    pairs = systems * (systems - 1) // 2
    together = "; common units are drawn together for all their tasks" if common else ""
    ranks = f"stepwise method on differences of the joint score in {RESAMPLES} bootstrap resamples of {units}{together}"
    test = f"the same resamples, stepwise correction over {count_of(pairs, 'pair')}, {RISK} level"
    remarks = [*_meaning(ranks, test), unseen_note(least, "unit")]
    if not infers_ranks(least):
        remarks.append(f"A task has {count_of(least, 'unit')}, too few to separate systems; six are needed.")
    return remarks


def _meaning(ranks: str, test: str) -> list[str]:
    """What ranges of ranks and clusters mean, by a method for ranks and a test."""
    return [
        f"Ranks: with {CONFIDENCE} confidence, all ranges contain the true ranks of their systems ({ranks}).",
        "Clusters: a new cluster begins at a system that differs significantly from the first system of the cluster "
        f"above ({test}). Within a cluster, no system differs significantly from the first; this does not show that "
        "they are equal.",
    ]
