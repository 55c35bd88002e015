"""The platforms: what the tools ask of each, and which of them a bundle is for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from speechbundles.model.archive import Archive
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.document import Document
from speechbundles.check.inspection import Inspection
from speechbundles.model.competition import Column, Competition
from speechbundles.assemble.kit import Parts
from speechbundles.model.finding import Report
from speechbundles.platforms.facts import BoardRules
from speechbundles.check.codabench import check as codabench_check
from speechbundles.model import codabench as codabench_read
from speechbundles.assemble import codabench as codabench_render
from speechbundles.rehearse.codabench import scores as codabench_scores
from speechbundles.rehearse.codabench import worker as codabench_worker
from speechbundles.platforms.codabench.keys import VERSION
from speechbundles.check.codalab import check as codalab_check
from speechbundles.model import codalab as codalab_read
from speechbundles.assemble import codalab as codalab_render
from speechbundles.rehearse.codalab import scores as codalab_scores
from speechbundles.rehearse.codalab import worker as codalab_worker
from speechbundles.rehearse.run import Run


@dataclass(frozen=True)
class Platform:
    """One platform.

    Attributes
    ----------
    render: the entries of a competition's bundle, `name -> content`.
    check: holds a bundle's competition.yaml and what it names against the platform's own rules.
    read: what a built bundle's competition.yaml says, without its files.
    run: does to a submission what the worker does; returns the scoring program's output.
    check_output: refuses what a program (`scoring`) must not leave in its output, or not take away.
    page_warnings: where the report page in an output is not shown as it seems; the second argument tells whether
        the bundle wants pages.
    scoring_folder: where scoring runs in a kept rehearsal; its `output` has the scores.
    read_scores, store_scores, show_score, no_score: what it makes of scores, and shows where there is none.
    board: how its board is ordered.
    can_hold: whether submissions can wait until an organiser runs them.
    """

    render: Callable[[Path, Competition, Parts], dict[str, bytes]]
    check: Callable[[Report, Archive, Document], Inspection]
    read: Callable[[Mapping[str, Any]], BuiltBundle]
    run: Callable[[Run, Path], Path]
    check_output: Callable[[Path, str], None]
    page_warnings: Callable[[Path, bool], list[str]]
    scoring_folder: str
    read_scores: Callable[[Path], Mapping[Any, Any]]
    store_scores: Callable[[Mapping[str, Any], Sequence[Column], list[str]], dict[str, Decimal]]
    show_score: Callable[[Decimal, int], str]
    no_score: str
    board: BoardRules
    can_hold: bool


CODABENCH = Platform(
    render=codabench_render.render,
    check=codabench_check.check_codabench,
    read=codabench_read.read,
    run=codabench_worker.run_submission,
    check_output=codabench_worker.check_output,
    page_warnings=codabench_worker.page_warnings,
    scoring_folder=codabench_worker.SCORING_FOLDER,
    read_scores=codabench_scores.read_scores,
    store_scores=codabench_scores.store_scores,
    show_score=codabench_scores.show_score,
    no_score=codabench_scores.NO_SCORE,
    board=codabench_scores.BOARD,
    can_hold=True,
)

CODALAB = Platform(
    render=codalab_render.render,
    check=codalab_check.check_codalab,
    read=codalab_read.read,
    run=codalab_worker.run_submission,
    check_output=codalab_worker.check_output,
    page_warnings=codalab_worker.page_warnings,
    scoring_folder=codalab_worker.SCORING_FOLDER,
    read_scores=codalab_scores.read_scores,
    store_scores=codalab_scores.store_scores,
    show_score=codalab_scores.show_score,
    no_score=codalab_scores.NO_SCORE,
    board=codalab_scores.BOARD,
    can_hold=False,
)

PLATFORMS = {"codabench": CODABENCH, "codalab": CODALAB}


def platform_of(content: Mapping[str, Any]) -> Platform:
    """The platform of a built competition.yaml.

    `version: 2` is Codabench's; a `phases` mapping, `html` or a `leaderboard` is CodaLab's (format 1.5).
    """
    if str(content.get("version")) == str(VERSION):
        return CODABENCH
    is_codalab = isinstance(content.get("phases"), dict) or "html" in content or "leaderboard" in content
    return CODALAB if is_codalab else CODABENCH
