"""The platforms' workers: what each does to a submission, and what it makes of the scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from speechbundles.model.competition import Column
from speechbundles.platforms.facts import CODABENCH, CODALAB, Platform
from speechbundles.rehearse.codabench import scores as codabench_scores
from speechbundles.rehearse.codabench import worker as codabench_worker
from speechbundles.rehearse.codalab import scores as codalab_scores
from speechbundles.rehearse.codalab import worker as codalab_worker
from speechbundles.rehearse.run import Run


@dataclass(frozen=True)
class Worker:
    """One platform's worker.

    Attributes
    ----------
    run: does to a submission what the worker does; returns the scoring program's output.
    check_output: refuses what a program (`scoring`) must not leave in its output, or not take away.
    page_warnings: where the report page in an output is not shown as it seems; the second argument tells whether
        the bundle wants pages.
    read_scores, store_scores, show_score: what it makes of scores.
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
