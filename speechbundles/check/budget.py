"""How much of a hidden set's labels its board can reveal to a participant who uses every attempt.

That is attempts times the bits of a line, against the labels' entropy. A line's bits are the logarithm of how many
outputs can be told apart. An adversary tries variants of one system, whose exact scores vary by about a standard error;
what a grid leaves of that is the entropy of a rounded normal variable, 2.1 bits where a step is one standard error, a
bit more each time it is halved. Numbers that are shown beside one another are counted as if they were independent, so
that the budget is an upper bound for answers of that kind. It is none for an adversary who lands at an edge of the grid
every time, but a number at an edge has one bit.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping
from datetime import timedelta
from itertools import pairwise
from statistics import NormalDist

from speechbundles.check.inspection import Contents
from speechbundles.check.scores import read_options
from speechbundles.check.seal import is_part
from speechbundles.model.archive import Archive
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.description import declared_scores, read_description
from speechbundles.model.finding import Report
from spokeneval.run.feedback import EXACT
from spokeneval.run.options import Options, choose_options
from spokeneval.run.reference import fingerprint
from spokeneval.task import Task
from spokeneval.tasks import find_task, task_names

MOST_ATTEMPTS = 100
"""Attempts of one participant on one hidden set, over all phases, beyond which climbing by chance pays."""

TOLERATED = 0.1
"""The share of the labels' entropy that a board may reveal, unless a share of the set is sealed."""
NARROWEST = math.sqrt(2 / 5)
"""Standard errors: a step is one, rounded to 1, 2 or 5 times a power of ten, so that it may be as little as this."""
EXACT_BITS = 53.0
"""Bits of a number at full precision: those of a double."""

_FARTHEST = 9.0  # standard errors; beyond it the normal distribution holds less than one part in 2**53


def check_budget(report: Report, bundle: BuiltBundle, contents: Contents) -> None:
    """The attempts that a bundle's phases allow on each hidden set, against what they can tell of its labels."""
    parts = [task.parts["reference_data"] for task in contents.tasks if "reference_data" in task.parts]
    for name, reference in {archive.name: archive for archive in parts}.items():
        scoring = [phase for phase in bundle.phases if phase.reference_data == name and phase.total != 0]
        program = contents.programs.get(("scoring_program", scoring[0].scoring_program)) if scoring else None
        if program is None or is_part(reference):  # what is sealed, no board can tell
            continue
        task = (read_description(program.archive) or {}).get("task")
        options = read_options(Report(), program) or Options()
        if task not in task_names() or fingerprint(reference.files) in options.public_references:
            continue
        allowed = [_attempts(phase) for phase in scoring]
        attempts = None if None in allowed else sum(filter(None, allowed))
        what = f"{', '.join(phase.name for phase in scoring)}: {attempts or 'unlimited'} attempts on {name}"
        if attempts is None or attempts > MOST_ATTEMPTS:
            report.add("leak-attempts", "competition.yaml", f"{what}; at most {MOST_ATTEMPTS} are harmless")
        exact = options.feedback == EXACT
        # Every exact score is written, whichever of them a board shows.
        bits = len(declared_scores(program.archive)) * EXACT_BITS if exact else bits_of_step(NARROWEST)
        labels = _label_bits(find_task(task), options.options, reference)
        told = math.inf if attempts is None else attempts * bits
        share = min(1.0, told / labels) if labels else 1.0
        if labels is not None and share > TOLERATED:
            shown = "exact scores" if exact else "scores in steps"
            text = f"{what}, {shown}, may tell {share:.0%} of its labels; tolerable are {TOLERATED:.0%}"
            report.add("leak-scores", "competition.yaml", text)


def _attempts(phase: BuiltPhase) -> int | None:
    """How many submissions one participant has in a phase; None: no limit."""
    limits = [] if phase.total is None else [phase.total]
    if phase.closes is not None and phase.per_day is not None:
        days = -(-(phase.closes - phase.opens) // timedelta(days=1))
        limits.append(phase.per_day * days)
    return min(limits, default=None)


def _label_bits(task: Task, chosen: Mapping[str, str], reference: Archive) -> float | None:
    """The entropy of the labels under the chosen options; None where it is not known."""
    files = {name: reference.files.get(name, b"") for name in task.format.reference_files}
    try:
        task = task.with_options(choose_options(task, chosen))
        gold = task.format.read_reference(files)
    except ValueError:  # options or labels that are none
        return None
    counts = Counter(task.labels(gold)).values()
    return sum(counts) * entropy([count / sum(counts) for count in counts])


def bits_of_step(multiple: float) -> float:
    """The bits of a number on a grid, where the grid lies worst: with an edge at the mean.

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


def entropy(shares: Collection[float]) -> float:
    """In bits.

    Examples
    --------
    >>> round(1000 * entropy([0.74, 0.26]))
    827
    """
    return -math.fsum(share * math.log2(share) for share in shares if share > 0) + 0.0
