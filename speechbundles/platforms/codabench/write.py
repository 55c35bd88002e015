"""A bundle for Codabench: `competition.yaml` version 2 and the inner zips."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from speechbundles.bundle.build.kit import BundleParts, for_competition
from speechbundles.model.competition import Competition, Phase
from speechbundles.model.keys import SORTING
from speechbundles.model.text import dump_yaml
from speechbundles.model.zips import input_zip, make_zip, reference_zip
from speechbundles.platforms.codabench.facts import (
    INGEST_COMMAND,
    METADATA_FILES,
    SCORE_COMMAND,
    TASK,
    VERSION,
)


def render(competition: Competition, parts: BundleParts, pages: Mapping[str, str]) -> dict[str, bytes]:
    """Return the entries of the bundle's zip, `name -> content`. `pages`: as filled in, `file -> text`."""
    scoring = for_competition(competition, parts.scoring_program)
    ingestion = for_competition(competition, parts.ingestion_program)
    files = {
        "scoring_program.zip": make_zip({**scoring, **_metadata(SCORE_COMMAND)}),
        "ingestion_program.zip": make_zip({**ingestion, **_metadata(INGEST_COMMAND)}),
        "competition.yaml": dump_yaml(_content(competition, parts)),
    }
    files.update({f"pages/{file}": text.encode() for file, text in pages.items()})
    solved = [name for name in competition.scored_sets if name in parts.solutions]
    files.update({_solution(name): make_zip(parts.solutions[name]) for name in solved})
    return {**files, **parts.on_any_platform(competition)}


def _metadata(command: str) -> dict[str, bytes]:
    return {METADATA_FILES[0]: dump_yaml({"command": command})}


def _solution(name: str) -> str:
    return f"solutions/baseline_{name}.zip"


def _content(competition: Competition, parts: BundleParts) -> dict[str, Any]:
    sets = competition.scored_sets
    content: dict[str, Any] = {
        "version": VERSION,
        "title": competition["title"],
        "description": competition["description"],
        "image": Path(competition["image"]).name,
        "terms": f"pages/{competition['terms']}",
        "contact_email": competition["contact_email"],
        "competition_type": "competition",
        "docker_image": competition["docker_image"],
        "registration_auto_approve": competition["registration"] == "open",
        "enable_detailed_results": competition.shows_reports,
        "show_detailed_results_in_submission_panel": competition.shows_reports,
        "show_detailed_results_in_leaderboard": competition.shows_reports,
        "auto_run_submissions": competition["auto_run_submissions"],
        "can_participants_make_submissions_public": False,
        "make_programs_available": True,
        "make_input_data_available": True,
        "forum_enabled": competition["forum"],
        "pages": [{"title": page["title"], "file": f"pages/{page['file']}"} for page in competition["pages"]],
        "tasks": [_task(competition, index, name) for index, name in enumerate(sets)],
        "solutions": [
            {"index": index, "tasks": [index], "name": f"Baseline, {name}", "path": _solution(name)}
            for index, name in enumerate(sets)
            if name in parts.solutions
        ],
        "phases": [_phase(index, phase, sets) for index, phase in enumerate(competition.phases)],
        "leaderboards": [_leaderboard(competition)],
        "queue": competition.settings.get("queue"),
        "reward": competition.settings.get("reward"),
        "fact_sheet": {each["key"]: _question(each) for each in competition.settings.get("fact_sheet", ())},
    }
    left_out = ("solutions", "queue", "reward", "fact_sheet")
    return {key: value for key, value in content.items() if value or key not in left_out}


def _task(competition: Competition, index: int, name: str) -> dict[str, Any]:
    return {
        "index": index,
        "name": f"{competition['title']} ({name})"[: TASK["name"]["maxLength"]],
        "description": f"{competition.task}, {name} set",
        "scoring_program": "scoring_program.zip",
        "ingestion_program": "ingestion_program.zip",
        "input_data": input_zip(name),
        "reference_data": reference_zip(name),
    }


def _phase(index: int, phase: Phase, sets: Sequence[str]) -> dict[str, Any]:
    names = ("max_submissions_per_day", "max_submissions", "execution_time_limit")
    rendered: dict[str, Any] = {
        "index": index,
        **{name: getattr(phase, name) for name in ("name", "description", "start", "end")},
        "tasks": [sets.index(phase.reference)],
        **{name: getattr(phase, name) for name in names},
        "hide_output": phase.hide_scores,
        "starting_kit": "starting_kit.zip",
    }
    return {key: value for key, value in rendered.items() if value is not None}


def _leaderboard(competition: Competition) -> dict[str, Any]:
    return {
        "index": 0,
        "title": "Results",
        "key": "results",
        "primary_index": 0,
        "submission_rule": competition["submission_rule"],
        "hidden": competition.hides_scores,
        "columns": [
            {
                "index": index,
                "key": column.key,
                "title": column.title,
                "sorting": SORTING[column.direction],
                "precision": column.precision,
                "hidden": column.hidden,
            }
            for index, column in enumerate(competition.board)
        ],
    }


def _question(question: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **{name: question.get(name, "") for name in ("key", "type", "title", "selection")},
        "is_required": str(question["required"]).lower(),
        "is_on_leaderboard": str(question.get("on_leaderboard", False)).lower(),
    }
