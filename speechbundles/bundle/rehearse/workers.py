"""The platforms' workers: how each runs a submission and handles its scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse.codabench import scores as codabench_scores
from speechbundles.bundle.rehearse.codabench import worker as codabench_worker
from speechbundles.bundle.rehearse.codalab import scores as codalab_scores
from speechbundles.bundle.rehearse.codalab import worker as codalab_worker
from speechbundles.bundle.rehearse.run import Run
from speechbundles.model.competition import Column
from speechbundles.platforms.facts import CODABENCH, CODALAB, Platform


@dataclass(frozen=True)
class Worker:
    """One platform's worker.

    Attributes
    ----------
    run: processes a submission as the worker does; returns the scoring program's output.
    check_output: refuses an output in which a program (`scoring`) left a forbidden file or removed a required one.
    page_warnings: warns if the platform does not show the report page in an output; the second argument is whether the
        bundle enables pages.
    read_scores, store_scores, show_score: handle scores as the platform does.
    """

    platform: Platform
    run: Callable[[Run, Path], Path]
    check_output: Callable[[Path, str], None]
    page_warnings: Callable[[Path, bool], list[str]]
    read_scores: Callable[[Path], Mapping[Any, Any]]
    store_scores: Callable[[Mapping[str, Any], Sequence[Column], list[str]], dict[str, Decimal]]
    show_score: Callable[[Decimal, int], str]


WORKERS = {
    "codabench": Worker(
        platform=CODABENCH,
        run=codabench_worker.run_submission,
        check_output=codabench_worker.check_output,
        page_warnings=codabench_worker.page_warnings,
        read_scores=codabench_scores.read_scores,
        store_scores=codabench_scores.store_scores,
        show_score=codabench_scores.show_score,
    ),
    "codalab": Worker(
        platform=CODALAB,
        run=codalab_worker.run_submission,
        check_output=codalab_worker.check_output,
        page_warnings=codalab_worker.page_warnings,
        read_scores=codalab_scores.read_scores,
        store_scores=codalab_scores.store_scores,
        show_score=codalab_scores.show_score,
    ),
}

REWORKED = {"codabench": replace(WORKERS["codabench"], run=codabench_worker.run_reworked)}
"""Workers of newer versions, by their source code; they have not been run."""
