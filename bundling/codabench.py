"""A bundle for Codabench: `competition.yaml` version 2 and the inner zips."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from .archive import make_zip
from .manifest import Bundle, Phase
from .pages import page_text
from .parts import Parts, input_zip, reference_zip

SCORE_COMMAND = "python3 /app/program/score.py /app/input /app/output"
INGEST_COMMAND = "python3 /app/program/ingest.py /app/input_data /app/ingested_program /app/output"


def render(root: Path, bundle: Bundle, parts: Parts) -> dict[str, bytes]:
    """The entries of the bundle's zip, `name -> content`."""
    files = {
        "scoring_program.zip": make_zip({**parts.scoring_program, "metadata.yaml": _metadata(SCORE_COMMAND)}),
        "ingestion_program.zip": make_zip(
            {**parts.ingestion_program, "metadata.yaml": _metadata(INGEST_COMMAND)}
        ),
        "starting_kit.zip": make_zip(parts.starting_kit),
        Path(bundle["image"]).name: (root / bundle["image"]).read_bytes(),
        **{f"pages/{file}": page_text(root, bundle, file).encode() for file in page_files(bundle)},
    }
    for name in _sets(bundle):
        files[reference_zip(name)] = make_zip(parts.references[name].files)
        files[input_zip(name)] = make_zip(parts.references[name].public)
        if name in parts.solutions:
            files[_solution(name)] = make_zip(parts.solutions[name])
    files["competition.yaml"] = dump_yaml(_competition(bundle, parts))
    return files


def page_files(bundle: Bundle) -> list[str]:
    return [page["file"] for page in bundle["pages"]] + [bundle["terms"]]


def dump_yaml(content: Any) -> bytes:
    """YAML as every parser reads it: strings that look like dates or numbers come out quoted."""
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1000)
    return text.encode("utf-8")


def _metadata(command: str) -> bytes:
    return dump_yaml({"command": command})


def _solution(name: str) -> str:
    return f"solutions/baseline_{name}.zip"


def _sets(bundle: Bundle) -> list[str]:
    """The sets that a phase scores against, in order."""
    return list(dict.fromkeys(phase.reference for phase in bundle.phases))


def _competition(bundle: Bundle, parts: Parts) -> dict[str, Any]:
    sets = _sets(bundle)
    competition: dict[str, Any] = {
        "version": 2,
        "title": bundle["title"],
        "description": bundle["description"],
        "image": Path(bundle["image"]).name,
        "terms": f"pages/{bundle['terms']}",
        "contact_email": bundle["contact_email"],
        "competition_type": "competition",
        "docker_image": bundle["docker_image"],
        "registration_auto_approve": bundle["registration"] == "open",
        "enable_detailed_results": bundle.detailed_results,
        "show_detailed_results_in_submission_panel": bundle.detailed_results,
        "show_detailed_results_in_leaderboard": bundle.detailed_results,
        "auto_run_submissions": True,
        "can_participants_make_submissions_public": False,
        "make_programs_available": True,
        "make_input_data_available": True,
        "forum_enabled": bundle["forum"],
        "pages": [{"title": page["title"], "file": f"pages/{page['file']}"} for page in bundle["pages"]],
        "tasks": [_task(bundle, index, name) for index, name in enumerate(sets)],
        "solutions": [
            {"index": index, "tasks": [index], "name": f"Baseline, {name}", "path": _solution(name)}
            for index, name in enumerate(sets)
            if name in parts.solutions
        ],
        "phases": [
            _phase(index, phase, sets.index(phase.reference)) for index, phase in enumerate(bundle.phases)
        ],
        "leaderboards": [_leaderboard(bundle)],
    }
    if not competition["solutions"]:
        del competition["solutions"]
    for setting in ("queue", "reward"):
        if setting in bundle.settings:
            competition[setting] = bundle[setting]
    if "fact_sheet" in bundle.settings:
        competition["fact_sheet"] = {
            question["key"]: _question(question) for question in bundle["fact_sheet"]
        }
    return competition


def _task(bundle: Bundle, index: int, name: str) -> dict[str, Any]:
    return {
        "index": index,
        "name": f"{bundle['title']} ({name})"[:256],
        "description": f"{bundle.task}, {name} set",
        "scoring_program": "scoring_program.zip",
        "ingestion_program": "ingestion_program.zip",
        "input_data": input_zip(name),
        "reference_data": reference_zip(name),
    }


def _phase(index: int, phase: Phase, task: int) -> dict[str, Any]:
    rendered: dict[str, Any] = {
        "index": index,
        "name": phase.name,
        "description": phase.description,
        "start": phase.start,
        "end": phase.end,
        "tasks": [task],
        "max_submissions_per_day": phase.max_submissions_per_day,
        "max_submissions": phase.max_submissions,
        "execution_time_limit": phase.execution_time_limit,
        "hide_output": phase.hide_scores,
        "starting_kit": "starting_kit.zip",
    }
    return {key: value for key, value in rendered.items() if value is not None}


def _leaderboard(bundle: Bundle) -> dict[str, Any]:
    return {
        "index": 0,
        "title": "Results",
        "key": "results",
        "primary_index": 0,
        "submission_rule": bundle["submission_rule"],
        "hidden": bundle.hides_scores,
        "columns": [
            {
                "index": index,
                "key": column.key,
                "title": column.title,
                "sorting": "desc" if column.direction == "higher" else "asc",
                "precision": column.precision,
                "hidden": column.hidden,
            }
            for index, column in enumerate(bundle.columns)
        ],
    }


def _question(question: dict[str, Any]) -> dict[str, Any]:
    return {
        "key": question["key"],
        "type": question["type"],
        "title": question["title"],
        "selection": question.get("selection", ""),
        "is_required": "true" if question["required"] else "false",
        "is_on_leaderboard": "true" if question.get("on_leaderboard", False) else "false",
    }
