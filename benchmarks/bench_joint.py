"""How often all rank ranges of a joint ranking are right at once, in simulated challenges of several tasks.

    python -m benchmarks.bench_joint [SETS [SCENARIO ...]]

A score is the mean over units. The errors of two systems on a unit have a correlation of 0.5; those of a system in two
tasks with the same units have one of 0.75. The true joint score is its mean over all simulated sets. Systems that can
be exchanged are equal, and so are those whose means differ by less than three standard errors. A set is right if no
system is known to be better that is not; then all ranges contain the true ranks, and no pair differs falsely. So the
familywise error is 100 % minus the coverage.

`macro` is one small cell with equal systems and the macro mean: in these tasks, a weighted sum with equal weights. The
scenarios after it are printed as the mean and the lowest percentage of all rules, numbers of tasks, and shared units or
not:

- `skewed`: equal systems with exponential errors; `unequal`: as `skewed`, and the errors of the second half of the
  systems are eight times as large;
- `crossed`: one half of the systems is better by two standard errors in a task, and the other half in the next one;
- `graded`: neighbours are half a standard error apart;
- `near ties`: equal in all tasks but the last, in which neighbours are a standard error apart;
- `endless`: the same, but not quite equal in the others: there the order is the opposite one. The true joint score is
  that of an endless test set, which a mean rank cannot show;
- `worst`, `baseline`, `zero`: equal systems, of which the last fifth lacks the last task;
- `uneven`: equal systems; the last task has a quarter of the units, of which half are shared.
"""

from __future__ import annotations

import sys
import time
from itertools import product

import numpy as np

from spokeneval.ranking.joint import joint_p_values, joint_weights, tasks_with_common_units
from spokeneval.ranking.joint_rule import (
    BASELINE,
    MACRO_MEAN,
    MEAN_RANK,
    MISSING,
    NORMALISED_SUM,
    WEIGHTED_SUM,
    ZERO,
    JointRule,
    joint_scores_of,
)
from spokeneval.ranking.multiple_comparisons import SIGNIFICANCE
from spokeneval.scoring.scored import Statistics

SETS, SEED, LEVEL = 800, 31, 4.0
RULES = (MEAN_RANK, NORMALISED_SUM, WEIGHTED_SUM)
OTHERS = (
    "skewed",
    "unequal",
    "crossed",
    "graded",
    "near ties",
    "endless",
    "worst",
    "baseline",
    "zero",
    "uneven",
)
TASKS, TEAMS, UNITS = (2, 3, 4), (5, 20), (12, 50, 200)


def truths(scenario: str, tasks: int, teams: int) -> np.ndarray:
    """The true scores in standard errors of a score, shape (t, s)."""
    places, found = np.arange(teams), np.zeros((tasks, teams))
    if scenario == "crossed":
        for task in range(tasks - tasks % 2):
            found[task] = np.where((places < teams // 2) == (task % 2 == 0), 1.0, -1.0)
    if scenario == "graded":
        found -= places / 2
    if scenario in ("near ties", "endless"):
        found[-1] = -places
    if scenario == "endless":
        found[:-1] = 1e-6 * places
    return found


def sizes_of_errors(scenario: str, teams: int) -> np.ndarray:
    """The sizes of systems' errors, shape (s,)."""
    return np.where((scenario == "unequal") & (np.arange(teams) < teams // 2), 0.125, 1.0)


def errors(
    rng: np.random.Generator, scenario: str, members: list[np.ndarray], teams: int
) -> list[np.ndarray]:
    """The errors in each task, shape (n, s); `members`: the numbers of the task's units."""

    def noise(*shape: int) -> np.ndarray:
        return (
            rng.exponential(size=shape) - 1 if scenario in ("skewed", "unequal") else rng.normal(size=shape)
        )

    every, sizes = 1 + max(int(own.max()) for own in members), sizes_of_errors(scenario, teams)
    of_unit, of_system = np.sqrt(0.5) * noise(every, 1), 0.5 * noise(every, teams)
    return [sizes * (of_unit[own] + of_system[own] + 0.5 * noise(len(own), teams)) for own in members]


def units_of(scenario: str, tasks: int, units: int, *, shared: bool) -> list[np.ndarray]:
    """The numbers of the units of each task."""
    sizes = [units] * tasks
    first = [0 if shared else units * task for task in range(tasks)]
    if scenario == "uneven":
        sizes[-1] = max(6, units // 4)
        first[-1] += units - sizes[-1] // 2 if shared else 0
    return [np.arange(begin, begin + size) for begin, size in zip(first, sizes, strict=True)]


def cover(scenario: str, tasks: int, teams: int, units: int, *, shared: bool, sets: int) -> list[float]:
    """The percentages of sets in which all ranges are right, one for each rule; NaN for a rule that does not fit."""
    rng = np.random.default_rng(SEED)
    members = units_of(scenario, tasks, units, shared=shared)
    counts = {str(task): Statistics("speaker", [*map(str, own)], {}) for task, own in enumerate(members)}
    drawn_units = joint_weights(counts, tasks_with_common_units(counts)).values()
    with np.errstate(invalid="ignore"):  # a resample may lack all units of a task
        weights = [drawn / drawn.sum(axis=1, keepdims=True) for drawn in drawn_units]
    present = np.ones((teams, tasks), dtype=bool)
    if scenario in MISSING:
        present[-(teams // 5) :, -1] = False
    truth = LEVEL + truths(scenario, tasks, teams) / np.sqrt(units)
    missing = scenario if scenario in MISSING else "excluded"
    chosen = (MACRO_MEAN, WEIGHTED_SUM) if scenario == "macro" else RULES
    rules = [JointRule(rule, missing, weights=dict.fromkeys(counts, 1.0)) for rule in chosen]
    rules = [rule for rule in rules if missing != ZERO or rule.rule == NORMALISED_SUM]
    observed = np.zeros((len(rules), sets, teams))
    known = np.zeros((len(rules), sets, teams, teams), dtype=bool)
    for number in range(sets):
        drawn = errors(rng, scenario, members, teams)
        values = [true + error for true, error in zip(truth, drawn, strict=True)]
        scores = np.stack([own.mean(axis=0) for own in values], axis=1)[np.newaxis]
        resampled = np.stack([drawn @ own for drawn, own in zip(weights, values, strict=True)], axis=2)
        for place, rule in enumerate(rules):
            higher = rule.rule != MEAN_RANK

            def joint(table: np.ndarray, rule: JointRule = rule) -> np.ndarray:
                return joint_scores_of(rule, [*counts], [True] * tasks, table, present, 0)

            _, adjusted = joint_p_values(
                joint, scores, resampled, units=min(map(len, members)), higher=higher, jumps=not higher
            )
            (found,) = joint(scores) if higher else -joint(scores)
            observed[place, number] = found
            known[place, number] = (adjusted <= SIGNIFICANCE) & (found[:, np.newaxis] > found)
    is_baseline = (np.arange(teams) == 0) & (scenario == BASELINE)
    kinds = np.stack([*truth, *present.T, is_baseline, sizes_of_errors(scenario, teams)], axis=1)
    same = (kinds[:, np.newaxis] == kinds).all(axis=2)
    if scenario == "endless":
        true = [
            joint_scores_of(rule, [*counts], [True] * tasks, truth.T[np.newaxis], present, 0)
            for rule in rules
        ]
        observed = np.stack(
            [-each if rule.rule == MEAN_RANK else each for rule, each in zip(rules, true, strict=True)]
        )
    return [
        100 * (1 - (found & ~better(each, same)).any(axis=(1, 2)).mean())
        for each, found in zip(observed, known, strict=True)
    ]


def better(scores: np.ndarray, same: np.ndarray) -> np.ndarray:
    """Whether the row's system is truly better than the column's, from joint scores in many sets, shape (sets, s);
    `same`: which can be exchanged."""
    leads = scores[:, :, np.newaxis] - scores[:, np.newaxis]
    return (leads.mean(axis=0) > 3 * leads.std(axis=0) / np.sqrt(len(leads)) + 1e-9) & ~same


def sets_of(sets: int, teams: int) -> int:
    """The number of sets of a cell: with more teams, a set takes longer."""
    return sets // 2 if teams == TEAMS[-1] else sets


def main() -> None:
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    chosen = sys.argv[2:] or ["equal", "macro", *OTHERS]
    print(f"seed {SEED}; {sets} sets a cell, {sets_of(sets, TEAMS[-1])} with {TEAMS[-1]} teams")
    equal = {
        "equal": (product(TASKS, TEAMS, UNITS), "mean rank | normalised sum | weighted sum"),
        "macro": ([(2, 5, 50)], "macro mean | weighted sum"),
    }
    for scenario in (scenario for scenario in equal if scenario in chosen):
        cells, rules = equal[scenario]
        print(f"\n| tasks | teams | units | {rules} | seconds |")
        for tasks, teams, units in cells:
            began = time.process_time()
            found = [
                cover(scenario, tasks, teams, units, shared=shared, sets=sets_of(sets, teams))
                for shared in (True, False)
            ]
            shown = [f"{one:.1f}, {other:.1f}" for one, other in zip(*found, strict=True)]
            row = [str(tasks), str(teams), str(units), *shown, f"{time.process_time() - began:.0f}"]
            print(f"| {' | '.join(row)} |", flush=True)
    print("\n| scenario | 12 units, 5 teams | 12, 20 | 200, 5 | 200, 20 | seconds |")
    for scenario in (scenario for scenario in chosen if scenario not in equal):
        began, row = time.process_time(), []
        for units, teams in product((UNITS[0], UNITS[-1]), TEAMS):
            found = [
                cover(scenario, tasks, teams, units, shared=shared, sets=sets_of(sets, teams))
                for tasks, shared in product((2, 4), (True, False))
            ]
            row.append(f"{np.mean(found):.1f} ({np.min(found):.1f})")
        print(f"| {scenario} | {' | '.join(row)} | {time.process_time() - began:.0f} |", flush=True)


if __name__ == "__main__":
    main()
