"""Computes the share of a hidden set's labels that the leaderboard can reveal to a participant who uses all attempts.

The share is the number of attempts times the bits of all scores together, divided by the entropy of the labels for a
participant with a good system. The attempts are those in all bundles with the same labels, such as the tracks of a
task. The adversary tries variants of this system, whose exact scores vary by about one standard error. On a grid, such
a score has the entropy of a rounded normal variable: 2.1 bits if a step is one standard error, and one bit more for
each halving of the step. Several scores have the entropy of rounded normal variables with the correlations that the
baseline's scores have over units; without a baseline they count as independent. Exact scores are counted as independent
numbers of 53 bits.

The labels have little entropy for a participant whose system is right on most of them, because only its errors are
unknown: with a share a of right answers among K values, at most H(a) + (1 - a) log2(K - 1) bits for each label (Fano's
inequality: Cover and Thomas, Elements of Information Theory, section 2.10). A system that is right on 95 % of two
classes leaves 0.29 bits, so one bit, the answer to a question about a whole group, can reveal more than three labels:
`group_tests` in `benchmarks/adversaries/flips.py` learns all 652 labels of PSST in about 200 attempts.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np

from speechbundles.bundle.check.declared_scores import read_options
from speechbundles.bundle.check.inspection import Contents
from speechbundles.bundle.check.label_match import MOST_CLASSES, tables_of
from speechbundles.bundle.check.seal import is_part
from speechbundles.competition.intake.ids import units_by_column
from speechbundles.model.archive import Archive
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.description import declared_scores, described_task, read_description
from speechbundles.model.finding import Report
from spokeneval.formats.problems import count_of
from spokeneval.scoring.options import (
    EXACT,
    FURTHER,
    RELATIVE,
    Options,
    Settings,
    Signature,
    Step,
    choose_options,
)
from spokeneval.scoring.reference import fingerprint
from spokeneval.scoring.scored import Scored, score_submission, scores_without
from spokeneval.task import Task

MOST_ATTEMPTS = 100
"""The most attempts of one participant on one hidden set, over all phases, without a warning.

With more attempts, a participant gains by choosing the best of many random variants.
"""

TOLERATED = 0.25
"""The share of the labels' entropy that a leaderboard can reveal without a warning, if nothing is sealed.

Group tests with calibrated confidences then make a tenth of the labels of PSST certain, and an attack that weighs all
labellings 17 to 19 % (docs/measurements/leaderboard.md).
"""
NARROWEST = math.sqrt(2 / 5)
"""The smallest step in standard errors: a step is one standard error, rounded to 1, 2 or 5 times a power of ten.

A step of 25 % counts as one of these; a further score has steps of `FURTHER` standard errors.
"""
ACCURACY = 0.95
"""The share of right labels that a participant's system is assumed to have, if the baseline is not better."""
EXACT_BITS = 53.0
"""The bits of a number at full precision, a double."""

_FEWEST_OTHERS = 5  # items outside the most frequent class of a column with labels
_DRAWS = 1 << 16  # of scores, for their joint entropy
_FARTHEST = 9.0  # standard errors; the normal distribution has less than one part in 2**53 beyond them


def check_budget(
    report: Report, bundle: BuiltBundle, contents: Contents, elsewhere: Mapping[str, int]
) -> None:
    """Report hidden sets for which the phases allow too many attempts, by number or by the labels revealed.

    Parameters
    ----------
    elsewhere: the attempts of one participant in other bundles with the same labels, by the zip of the labels.
    """
    parts = [task.parts["reference_data"] for task in contents.tasks if "reference_data" in task.parts]
    for reference in {archive.name: archive for archive in parts}.values():
        phases = [each for each in bundle.phases if each.reference_data == reference.name and each.total != 0]
        program = contents.programs.get(("scoring_program", phases[0].scoring_program)) if phases else None
        if program is None or is_part(reference):  # no leaderboard can reveal sealed labels
            continue
        description = read_description(program.archive) or {}
        options = read_options(Report(), program) or Options()
        name = str(description.get("task"))
        try:
            task = described_task(name, description)
        except ValueError:  # `check_scores` reports it
            continue
        own = task is None and f"spokeneval/challenges/{name}.py" in program.archive.files
        if (task is None and not own) or fingerprint(reference.files) in options.public_references:
            continue
        attempts = sum(map(_attempts, phases)) + (others := elsewhere.get(reference.name, 0))
        number = "unlimited attempts" if attempts == math.inf else count_of(int(attempts), "attempt")
        where = reference.name + f" and in other bundles with its labels ({others})" * bool(others)
        what = f"{', '.join(phase.name for phase in phases)}: {number} on {where}"
        if attempts > MOST_ATTEMPTS:
            report.add("leak-attempts", "competition.yaml", f"{what}; expected at most {MOST_ATTEMPTS}")
        exact = options.feedback == EXACT
        known = _read(task, options.options, reference, contents.solutions.values()) if task else None
        if exact:  # every score is written, including those that are not on the leaderboard
            bits = len(declared_scores(program.archive)) * EXACT_BITS
        else:
            steps = max((each.steps for each in options.sets.values()), key=len, default={})
            baselines = known[2] if known and len(steps) > 1 else []
            together = _correlations(baselines[0], [*steps]) if baselines else None
            bits = bits_of_steps(_multiples(steps), together)
        unknown = _of_task(*known) if known else None if task else _of_columns(reference)
        share = min(1.0, attempts * bits / unknown.bits if unknown.bits else math.inf) if unknown else 0.0
        if share > TOLERATED:
            shown = "exact scores" if exact else "rounded scores"
            text = f"{what}, {shown} of {bits:.1f} bits, can reveal {share:.0%} of its labels ({unknown}); "
            report.add("leak-scores", "competition.yaml", f"{text}expected at most {TOLERATED:.0%}")


def _attempts(phase: BuiltPhase) -> float:
    """Return the number of submissions that one participant has in a phase; infinity: no limit."""
    days = math.inf if phase.closes is None else -(-(phase.closes - phase.opens) // timedelta(days=1))
    per_day = math.inf if phase.per_day is None else phase.per_day and phase.per_day * days
    return min(per_day, math.inf if phase.total is None else phase.total)


@dataclass(frozen=True)
class Unknown:
    """The entropy of labels for a participant with a good system.

    Attributes
    ----------
    counts: how often each label occurs.
    accuracy: the share of the labels on which the system is right.
    each: the kind of unit, such as speaker, if all its items have the same label; empty if each item has its own.
    """

    counts: Sequence[int]
    accuracy: float = ACCURACY
    each: str = ""

    @property
    def bits(self) -> float:
        """At most the entropy of the labels without a system."""
        return min(self._bits)

    @property
    def _bits(self) -> tuple[float, float]:
        """The entropy without a system, and with it."""
        n, wrong = sum(self.counts), 1 - self.accuracy
        left = entropy([self.accuracy, wrong]) + wrong * math.log2(max(1, len(self.counts) - 1))
        return n * entropy([count / n for count in self.counts]), n * left

    def __str__(self) -> str:
        if self._bits[0] <= self._bits[1]:
            return f"{self.bits:.0f} bits, their entropy"
        right, others = f"{self.accuracy:.4g}", len(self.counts) - 1
        more = f" + (1 - {right}) * log2({others})" if others > 1 else ""
        formula = f"{sum(self.counts)} * (H({right}){more})"
        what = f"; one label for each {self.each}" if self.each else ""
        return f"{self.bits:.0f} bits = {formula}, for a system that is right on {100 * self.accuracy:.4g}%{what}"


def _of_task(task: Task, gold: Any, baselines: Sequence[Scored]) -> Unknown:
    """Return the entropy of the labels."""
    accuracy = max([ACCURACY, *(float(np.mean(task.right(line.rows))) for line in baselines)])
    labels, each = list(task.labels(gold)), ""
    for column, units in units_by_column(task, gold).items():
        own = dict.fromkeys(zip(units.values(), labels, strict=False)) if len(units) == len(labels) else {}
        if 0 < len(own) == len({*units.values()}) < len(labels):  # one label for each unit
            labels, each = [label for _, label in own], column
            break
    return Unknown(list(Counter(labels).values()), accuracy, each)


def _correlations(line: Scored, keys: Sequence[str]) -> np.ndarray | None:
    """Return the correlations of a system's scores over units, shape (k, k); None if a score is unknown.

    A score that never varies counts as independent.
    """
    scores, parts = {score.key: score for score in line.task.scores}, line.statistics.parts
    if not scores.keys() >= {*keys}:
        return None
    rows = {key: line.task.part(scores[key], parts) for key in keys}
    without = np.array([scores_without(scores[key], line.scores[key], rows[key]) for key in keys])
    shifts = without - without.mean(axis=1, keepdims=True)
    shifts /= np.maximum(np.linalg.norm(shifts, axis=1, keepdims=True), np.finfo(float).tiny)
    return np.asarray(np.where(np.eye(len(keys)), 1, shifts @ shifts.T))


def _read(
    task: Task, chosen: Mapping[str, str], reference: Archive, solutions: Iterable[Archive]
) -> tuple[Task, Any, list[Scored]] | None:
    """Return the task, the labels and the baseline's submissions to them; None if options or labels are invalid."""
    files = {name: reference.files.get(name, b"") for name in task.format.reference_files}
    try:
        task = task.with_options(choose_options(task, chosen))
        gold = task.format.read_reference(files)
    except ValueError:
        return None
    settings, baselines = Settings(choose_options(task, {}), False, Signature(task.name)), []
    for solution in solutions:
        with suppress(ValueError):  # of those that answer another set
            answers = task.format.read_submission(solution.files, gold.items)
            baselines.append(score_submission(task, gold, answers, settings))
    return task, gold, baselines


def _of_columns(reference: Archive) -> Unknown | None:
    """Return the entropy of the labels of an organiser's own task: that of the column with the most.

    The task's code is not run here. Free texts count only if the reference has no classes and no numbers.
    """
    tables = tables_of(reference.files)
    columns = [table.cells[column] for table in tables for column in table.secret_columns(())]
    classes = [column for column in columns if _are_labels(column)]
    found = (Unknown(list(Counter(column).values())) for column in classes or columns)
    return max(found, key=lambda unknown: unknown.bits, default=None)


def _are_labels(cells: Sequence[str]) -> bool:
    """Return whether cells can be labels: numbers or few classes, not free texts, and not nearly all the same."""
    counts = Counter(cells)
    if len(counts) < 2 or len(cells) - max(counts.values()) < _FEWEST_OTHERS:
        return False
    return len(counts) <= MOST_CLASSES or all(map(_is_number, counts))


def _is_number(cell: str) -> bool:
    with suppress(ValueError):
        return math.isfinite(float(cell))
    return False


def bits_of_step(multiple: float) -> float:
    """Return the bits of a number on a grid, at the worst position of the grid: with an edge at the mean.

    Parameters
    ----------
    multiple: the step in standard errors of the score.

    Examples
    --------
    >>> [round(bits_of_step(multiple), 1) for multiple in (0.25, 0.5, 1, 2)]
    [4.1, 3.1, 2.1, 1.3]
    """
    cells = math.ceil(_FARTHEST / multiple)
    below = [NormalDist().cdf(cell * multiple) for cell in range(-cells, cells + 1)]
    return entropy([after - before for before, after in pairwise(below)])


def bits_of_steps(multiples: Sequence[float], correlations: np.ndarray | None = None) -> float:
    """Return the bits of several numbers on grids, each with an edge at its mean.

    Parameters
    ----------
    multiples: the steps in standard errors.
    correlations: of the numbers, shape (k, k); None if they are independent.

    Examples
    --------
    >>> round(bits_of_steps([1, 4]) - bits_of_step(1) - bits_of_step(4), 9)
    0.0
    >>> bits_of_steps([1, 1], np.ones((2, 2))) - bits_of_step(1) < 0.01
    True
    """
    if correlations is None:
        return math.fsum(map(bits_of_step, multiples))
    drawn = np.random.default_rng(1).multivariate_normal(np.zeros(len(multiples)), correlations, _DRAWS)
    _, counts = np.unique(np.floor(drawn / multiples), axis=0, return_counts=True)
    return entropy((counts / _DRAWS).tolist())


def _multiples(steps: Mapping[str, Step]) -> list[float]:
    """Return the smallest steps in standard errors; one if the steps are not known."""
    further = [NARROWEST * (1 if step == RELATIVE else FURTHER) for step in steps.values()]
    return [NARROWEST, *further[1:]]


def entropy(shares: Collection[float]) -> float:
    """Return the entropy of a distribution in bits.

    Examples
    --------
    >>> round(1000 * entropy([0.74, 0.26]))
    827
    """
    return -math.fsum(share * math.log2(share) for share in shares if share > 0) + 0.0
