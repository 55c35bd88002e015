"""A bundle for CodaLab Competitions 1.5, which Codabench imports as well."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from speechbundles.bundle.build.kit import BundleParts, for_competition
from speechbundles.model.competition import Competition, Phase
from speechbundles.model.dates import FORMAT
from speechbundles.model.keys import SORTING
from speechbundles.model.platform import FORCE_ALL, FORCE_BEST, FORCE_LAST
from speechbundles.model.text import dump_yaml
from speechbundles.model.zips import input_zip, make_zip, reference_zip
from speechbundles.platforms.codalab.facts import METADATA_FILES, PHASE, SCORE_COMMAND


def render(competition: Competition, parts: BundleParts, pages: Mapping[str, str]) -> dict[str, bytes]:
    """Return the entries of the bundle's zip, `name -> content`. `pages`: as filled in, `file -> text`.

    The bundle has no ingestion program, because CodaLab runs one only for code submissions. `score.py` makes the same
    checks.
    """
    metadata = {METADATA_FILES[0]: dump_yaml({"command": SCORE_COMMAND})}
    files = {
        "scoring_program.zip": make_zip({**for_competition(competition, parts.scoring_program), **metadata}),
        "competition.yaml": dump_yaml(_content(competition)),
    }
    markdown = MarkdownIt("commonmark").enable("table")
    for file, text in pages.items():
        files[_html(file)] = str(markdown.render(text)).encode()
    return {**files, **parts.on_any_platform(competition)}


def _html(file: str) -> str:
    """Return the file of a page in Markdown."""
    return Path(file).with_suffix(".html").name


def _content(competition: Competition) -> dict[str, Any]:
    # CodaLab's names of the pages are those of the Markdown files, such as `overview`, and `terms`.
    pages = {Path(page["file"]).stem: _html(page["file"]) for page in competition["pages"]}
    content: dict[str, Any] = {
        "title": competition["title"],
        "description": competition["description"],
        "image": Path(competition["image"]).name,
        "has_registration": competition["registration"] == "approval",
        "competition_docker_image": competition["docker_image"],
        "enable_detailed_results": competition.shows_reports,
        "enable_forum": competition["forum"],
        "force_submission_to_leaderboard": competition["submission_rule"] in (FORCE_LAST, FORCE_ALL),
        "html": {**pages, "terms": _html(competition["terms"])},
        "phases": dict(enumerate(_phases(competition), 1)),
        "leaderboard": {
            "leaderboards": {"RESULTS": {"label": "Results", "rank": 1}},
            "columns": {
                column.key: {
                    "leaderboard": {"label": "Results", "rank": 1},
                    "label": column.title,
                    "rank": rank,
                    "sort": SORTING[column.direction],
                    "numeric_format": column.precision,
                }
                for rank, column in enumerate(competition.board, 1)
                if not column.hidden
            },
        },
    }
    if competition.phases[-1].end:
        content["end_date"] = competition.phases[-1].end
    return content


def _phases(competition: Competition) -> list[dict[str, Any]]:
    """Return the phases in order, with a closed phase in each gap.

    A CodaLab phase has no end date: it lasts until the next one starts. So a gap needs a phase that accepts no
    submissions.
    """
    rendered: list[dict[str, Any]] = []
    for phase, following in zip(competition.phases, [*competition.phases[1:], None], strict=True):
        rendered.append(_phase(competition, phase, len(rendered) + 1))
        if following is not None and phase.end is not None:
            start = datetime.strptime(phase.end, FORMAT) + timedelta(seconds=1)
            if start + timedelta(hours=1) < datetime.strptime(following.start, FORMAT):
                closed = _phase(competition, phase, len(rendered) + 1)
                closed.update(
                    label=f"Closed after {phase.name}"[: PHASE["label"]["maxLength"]],
                    description="No submissions until the next phase.",
                    start_date=start.strftime(FORMAT),
                    max_submissions=0,
                    max_submissions_per_day=0,
                )
                rendered.append(closed)
    return rendered


def _phase(competition: Competition, phase: Phase, number: int) -> dict[str, Any]:
    return {
        "phasenumber": number,
        "label": phase.name,
        "description": phase.description,
        "start_date": phase.start,
        "max_submissions": phase.max_submissions,
        "max_submissions_per_day": phase.max_submissions_per_day,
        "execution_time_limit": phase.execution_time_limit,
        "is_scoring_only": True,
        "force_best_submission_to_leaderboard": competition["submission_rule"] == FORCE_BEST,
        "leaderboard_management_mode": "hide_results" if phase.hide_scores else "default",
        "scoring_program": "scoring_program.zip",
        "reference_data": reference_zip(phase.reference),
        "public_data": input_zip(phase.reference),
        "starting_kit": "starting_kit.zip",
    }
