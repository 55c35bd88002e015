"""A bundle for CodaLab Competitions 1.5, which Codabench imports as well."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from .archive import make_zip
from .codabench import dump_yaml
from .manifest import DATE_FORMAT, Bundle, Phase
from .pages import page_html, page_text
from .parts import Parts, input_zip, reference_zip

SCORE_COMMAND = "python3 $program/score.py $input $output"

BOARD = "Results"


def render(root: Path, bundle: Bundle, parts: Parts) -> dict[str, bytes]:
    """The entries of the bundle's zip, `name -> content`.

    There is no ingestion program: CodaLab runs one for code submissions only, and `score.py` checks all the same.
    """
    files = {
        "scoring_program.zip": make_zip(
            {**parts.scoring_program, "metadata": dump_yaml({"command": SCORE_COMMAND})}
        ),
        "starting_kit.zip": make_zip(parts.starting_kit),
        Path(bundle["image"]).name: (root / bundle["image"]).read_bytes(),
    }
    for file in html_pages(bundle).values():
        source = Path(file).with_suffix(".md").name
        files[file] = page_html(page_text(root, bundle, source)).encode()
    for phase in bundle.phases:
        reference = parts.references[phase.reference]
        files[reference_zip(phase.reference)] = make_zip(reference.files)
        files[input_zip(phase.reference)] = make_zip(reference.public)
    files["competition.yaml"] = dump_yaml(_competition(bundle))
    return files


def html_pages(bundle: Bundle) -> dict[str, str]:
    """CodaLab's name of each page -> its file: `overview`, `data` and `evaluation` come from the pages' names."""
    pages = {
        Path(page["file"]).stem: Path(page["file"]).with_suffix(".html").name for page in bundle["pages"]
    }
    return {**pages, "terms": Path(bundle["terms"]).with_suffix(".html").name}


def _competition(bundle: Bundle) -> dict[str, Any]:
    phases = _phases(bundle)
    competition: dict[str, Any] = {
        "title": bundle["title"],
        "description": bundle["description"],
        "image": Path(bundle["image"]).name,
        "has_registration": bundle["registration"] == "approval",
        "competition_docker_image": bundle["docker_image"],
        "enable_detailed_results": bundle.detailed_results,
        "enable_forum": bundle["forum"],
        "force_submission_to_leaderboard": bundle["submission_rule"]
        in ("Force_Last", "Force_Latest_Multiple"),
        "html": html_pages(bundle),
        "phases": dict(enumerate(phases, 1)),
        "leaderboard": {
            "leaderboards": {"RESULTS": {"label": BOARD, "rank": 1}},
            "columns": {
                column.key: {
                    "leaderboard": {"label": BOARD, "rank": 1},
                    "label": column.title,
                    "rank": rank,
                    "sort": "desc" if column.direction == "higher" else "asc",
                    "numeric_format": column.precision,
                }
                for rank, column in enumerate(bundle.columns, 1)
                if not column.hidden
            },
        },
    }
    if bundle.phases[-1].end:
        competition["end_date"] = bundle.phases[-1].end
    return competition


def _phases(bundle: Bundle) -> list[dict[str, Any]]:
    """The phases in order. A phase ends where the next one starts, so a gap becomes a phase that takes nothing."""
    rendered: list[dict[str, Any]] = []
    for phase, following in zip(bundle.phases, [*bundle.phases[1:], None], strict=True):
        rendered.append(_phase(bundle, phase, len(rendered) + 1))
        if following is not None and phase.end is not None:
            start = datetime.strptime(phase.end, DATE_FORMAT) + timedelta(seconds=1)
            if start + timedelta(hours=1) < datetime.strptime(following.start, DATE_FORMAT):
                closed = _phase(bundle, phase, len(rendered) + 1)
                closed.update(
                    label=f"Closed after {phase.name}"[:50],
                    description="No submissions until the next phase.",
                    start_date=start.strftime(DATE_FORMAT),
                    max_submissions=0,
                    max_submissions_per_day=0,
                )
                rendered.append(closed)
    return rendered


def _phase(bundle: Bundle, phase: Phase, number: int) -> dict[str, Any]:
    return {
        "phasenumber": number,
        "label": phase.name,
        "description": phase.description,
        "start_date": phase.start,
        "max_submissions": phase.max_submissions,
        "max_submissions_per_day": phase.max_submissions_per_day,
        "execution_time_limit": phase.execution_time_limit,
        "is_scoring_only": True,
        "force_best_submission_to_leaderboard": bundle["submission_rule"] == "Force_Best",
        "leaderboard_management_mode": "hide_results" if phase.hide_scores else "default",
        "scoring_program": "scoring_program.zip",
        "reference_data": reference_zip(phase.reference),
        "public_data": input_zip(phase.reference),
        "starting_kit": "starting_kit.zip",
    }
