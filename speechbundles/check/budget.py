"""How much of a hidden set's labels its board can tell a participant who uses every attempt."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta

from speechbundles.check.inspection import Contents
from speechbundles.check.leakage import TOLERATED, label_entropy, leakage_budget
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


NARROWEST = math.sqrt(2 / 5)
"""Standard errors: a step is one, rounded to 1, 2 or 5 times a power of ten, so that it may be as little as this."""


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
        numbers = [None] * len(declared_scores(program.archive)) if exact else [NARROWEST]
        told = _told(find_task(task), options.options, reference, attempts, numbers)
        if told is not None and told > TOLERATED:
            shown = "exact scores" if exact else "scores in steps"
            text = f"{what}, {shown}, may tell {told:.0%} of its labels; tolerable are {TOLERATED:.0%}"
            report.add("leak-scores", "competition.yaml", text)


def _attempts(phase: BuiltPhase) -> int | None:
    """How many submissions one participant has in a phase; None: no limit."""
    limits = [] if phase.total is None else [phase.total]
    if phase.closes is not None and phase.per_day is not None:
        days = -(-(phase.closes - phase.opens) // timedelta(days=1))
        limits.append(phase.per_day * days)
    return min(limits, default=None)


def _told(
    task: Task,
    chosen: Mapping[str, str],
    reference: Archive,
    attempts: int | None,
    numbers: Sequence[float | None],
) -> float | None:
    """The share of the labels' entropy that so many attempts can tell; None where it is not known.

    Parameters
    ----------
    chosen: options of the task.
    numbers: what a line shows, as `leakage_budget` takes it.
    """
    files = {name: reference.files.get(name, b"") for name in task.format.reference_files}
    try:
        task = task.with_options(choose_options(task, chosen))
        gold = task.format.read_reference(files)
    except ValueError:  # options or labels that are none
        return None
    entropy = label_entropy(list(Counter(task.labels(gold)).values()))
    return 1.0 if attempts is None else leakage_budget(attempts, numbers, entropy).share
