"""Whether the running time or a failure of a run reveals hidden labels, for every task.

    python -m benchmarks.bench_timing

The baseline's submission is scored 2,000 times in this process against two references with the same items, in random
order: one has the set's labels; in the other the labels of one pair of items are exchanged, or those of all items in
pairs. The time is that of the processor, without other programs, files and the start of a container, so participants
see less of it. A cell is the area under the ROC curve (AUC) for recognising the reference by the time: 0.5 is chance,
with a standard error of 0.013. The sets are small, which makes the effect of a label large. It takes four minutes.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import rankdata

from benchmarks.adversaries import cases
from benchmarks.adversaries.cases import Case
from spokeneval.formats.format import Answers, Items, take_answers
from spokeneval.scoring.options import Settings, Signature, choose_options
from spokeneval.scoring.scored import score_submission

CASES: Mapping[str, tuple[Callable[[], Case], int]] = {
    "spoken_call": (cases.spoken_call, 200),
    "psst_correctness": (cases.psst_correctness, 200),
    "psst_recognition": (cases.psst_recognition, 50),
    "caller_experience": (cases.caller_experience, 50),
    "content_accuracy": (cases.content, 50),
    "merlion_identification": (lambda: cases.merlion_identification(4), 300),
    "merlion_diarization": (lambda: cases.merlion_diarization(6), 6),
}
"""Each task's set, and the number of its rows that are used."""

RUNS = 2000
WARM_UP = 20
PUBLIC = ("words",)
"""Columns of references that are not labels."""


def small_case(name: str) -> Case:
    """Return the first rows of a task's set."""
    make, rows = CASES[name]
    whole, kept = make(), range(rows)
    return replace(
        whole,
        reference=part_of(whole.reference, kept),
        baseline=whole.task.format.take(whole.baseline, kept),
    )


def part_of(reference: Any, rows: range) -> Any:
    """Return the first rows of a reference."""
    if isinstance(reference, Answers):
        texts = {name: values[: len(rows)] for name, values in reference.texts.items()}
        return replace(take_answers(reference, rows), texts=texts)
    chosen = {name: getattr(reference, name)[: len(rows)] for name in ("turns", "regions", "excluded")}
    return replace(reference, items=Items(reference.items.ids[: len(rows)]), files=(), **chosen)


def exchanged(reference: Any, order: np.ndarray) -> Any:
    """Return a reference whose row i has the labels of row `order[i]`.

    In a diarization set, the languages of the recordings with `order[i] != i` are exchanged instead.
    """
    if isinstance(reference, Answers):
        columns = {
            name: values if name in PUBLIC else values[order] for name, values in reference.columns.items()
        }
        return replace(reference, columns=columns)
    rows = zip(reference.turns, (order != np.arange(len(order))).tolist(), strict=True)
    turns = [turns._replace(labels=1 - turns.labels) if other else turns for turns, other in rows]
    return replace(reference, turns=turns)


def labels_of(reference: Any) -> np.ndarray:
    """Return something that differs between rows with different labels."""
    if isinstance(reference, Answers):
        hidden = [values for name, values in reference.columns.items() if name not in PUBLIC]
        return np.array([hash(tuple(map(str, row))) for row in zip(*hidden, strict=True)])
    return np.arange(len(reference.turns))


def orders(reference: Any, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return the rows whose labels each row gets: of one random pair with different labels, and of random pairs."""
    labels = labels_of(reference)
    rows = np.arange(len(labels))
    first = int(rng.integers(len(rows)))
    second = int(rng.choice(np.flatnonzero(labels != labels[first])))
    one = rows.copy()
    one[[first, second]] = second, first
    shuffled = rng.permutation(rows)
    half = len(rows) // 2
    every = rows.copy()
    every[shuffled[:half]], every[shuffled[half : 2 * half]] = shuffled[half : 2 * half], shuffled[:half]
    return {"one pair": one, "all pairs": every}


def times_and_failures(case: Case, other: Any, runs: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Score the baseline against the case's reference or the other one, chosen at random.

    Returns
    -------
    which : shape (runs,): whether it was the other reference.
    seconds : shape (runs,): the processor time.
    failed : shape (runs,): whether the run raised an exception.
    """
    settings = Settings(choose_options(case.task, {}), False, Signature(case.task.name))
    which = rng.random(runs) < 0.5
    seconds, failed = np.zeros(runs), np.zeros(runs, dtype=bool)
    for run in range(-min(WARM_UP, runs), runs):
        reference = other if which[run] else case.reference
        began = time.process_time()
        try:
            score_submission(case.task, reference, case.baseline, settings)
        except Exception:
            failed[run] = True
        seconds[run] = time.process_time() - began
    return which, seconds, failed


def area(which: np.ndarray, seconds: np.ndarray) -> float:
    """Return the area under the ROC curve of a binary secret by the time; at least 0.5, as either sign can be used.

    Examples
    --------
    >>> area(np.array([False, True, False, True]), np.array([1.0, 2.0, 3.0, 4.0]))
    0.75
    """
    positive, negative = int(which.sum()), int((~which).sum())
    found = (rankdata(seconds)[which].sum() - positive * (positive + 1) / 2) / (positive * negative)
    return float(max(found, 1 - found))


def main() -> None:
    began = time.process_time()
    print(f"{'':26s}{'ms':>8s}{'one pair':>12s}{'all pairs':>12s}{'failures':>12s}")
    gc.disable()
    for name in CASES:
        case = small_case(name)
        rng = np.random.default_rng(11)
        cells, failures, typical = [], 0, 0.0
        for order in orders(case.reference, rng).values():
            which, seconds, failed = times_and_failures(case, exchanged(case.reference, order), RUNS, rng)
            cells.append(area(which, seconds))
            failures += int(failed.sum())
            typical = 1000 * float(np.median(seconds))
            gc.collect()
        row = "".join(f"{cell:12.3f}" for cell in cells)
        print(f"{name:26s}{typical:8.1f}{row}{failures:12d}", flush=True)
    print(f"\n{time.process_time() - began:.0f} s of processor time")


if __name__ == "__main__":
    main()
