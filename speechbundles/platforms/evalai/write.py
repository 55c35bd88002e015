"""A challenge bundle for EvalAI: `challenge_config.yaml`, the evaluation script, the labels and the pages."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from speechbundles.bundle.build.kit import BundleParts, for_competition
from speechbundles.bundle.build.travel import travelling
from speechbundles.model.competition import Competition, Phase
from speechbundles.model.errors import OrganiserError
from speechbundles.model.platform import FORCE_ALL, FORCE_BEST, FORCE_LAST
from speechbundles.model.text import dump_yaml
from speechbundles.model.zips import make_zip, reference_zip
from speechbundles.platforms.evalai.facts import (
    COMMAND,
    FILE,
    HOST,
    METADATA_FILES,
    NO_END,
    PROGRAM,
    PUBLIC,
    PYTHON,
)
from spokeneval.task import LOWER, Column

_SCRIPT = "evaluation_script.zip"


def render(competition: Competition, parts: BundleParts, pages: Mapping[str, str]) -> dict[str, bytes]:
    """Return the entries of the bundle's zip, `name -> content`. `pages`: as filled in, `file -> text`.

    EvalAI reads neither the starting kit nor the lists of items, which organisers publish elsewhere.

    Raises
    ------
    OrganiserError: a submission rule that EvalAI lacks.
    """
    if competition["submission_rule"] in (FORCE_LAST, FORCE_ALL):
        what = "with a team's last submission on the board, EvalAI orders it by time and not by score"
        raise OrganiserError(f"{competition.name}: {what}; set submission_rule to {FORCE_BEST} or Add")
    settings = {
        "command": COMMAND,
        "seconds": {_codename(n): each.execution_time_limit for n, each in enumerate(competition.phases, 1)},
        "columns": [column.key for column in _columns(competition)],
    }
    script = {
        **for_competition(competition, parts.scoring_program),
        **travelling(competition.sources.read_library(), [PROGRAM["unpack.py"]]),
        **PROGRAM,
        METADATA_FILES[0]: (json.dumps(settings, indent=2) + "\n").encode(),
    }
    texts, named = _pages(competition, pages)
    markdown = MarkdownIt("commonmark").enable("table")
    return {
        FILE: dump_yaml({**_content(competition), **{key: _html(file) for key, file in named.items()}}),
        _SCRIPT: make_zip(script),
        **{_html(file): str(markdown.render(text)).encode() for file, text in texts.items()},
        **parts.on_any_platform(competition),
    }


def _pages(competition: Competition, pages: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the pages by their files, and the files by EvalAI's keys.

    The second and all further pages, except that on the evaluation, are the guidelines.
    """
    first, *others = [page["file"] for page in competition["pages"]]
    evaluation = "evaluation.md" if "evaluation.md" in others else first
    named = {
        "description": first,
        "evaluation_details": evaluation,
        "terms_and_conditions": competition["terms"],
        "submission_guidelines": "guidelines.md",
    }
    guidelines = "\n\n".join(pages[file] for file in others if file != evaluation) or pages[first]
    texts = {**{file: pages[file] for file in list(named.values())[:3]}, "guidelines.md": guidelines}
    for number, phase in enumerate(competition.phases, 1):
        texts[f"{_codename(number)}.md"] = phase.description or phase.name
    return texts, named


def _html(file: str) -> str:
    return f"templates/{Path(file).stem}.html"


def _codename(number: int) -> str:
    """Return the codename of a phase, and of its own dataset split, to which `evaluate` assigns the scores."""
    return f"phase{number}"


def _columns(competition: Competition) -> list[Column]:
    return [column for column in competition.board if not column.hidden]


def _content(competition: Competition) -> dict[str, Any]:
    columns, numbered = _columns(competition), [*enumerate(competition.phases, 1)]
    return {
        "title": competition["title"],
        "short_description": competition["description"],
        "image": Path(competition["image"]).name,
        "evaluation_script": _SCRIPT,
        "remote_evaluation": False,
        "worker_python_version": PYTHON,
        "start_date": min(phase.start for phase in competition.phases),
        "end_date": max(phase.end or NO_END for phase in competition.phases),
        "published": False,
        "enable_forum": competition["forum"],
        "leaderboard": [
            {
                "id": 1,
                "schema": {
                    "labels": [column.key for column in columns],
                    "default_order_by": columns[0].key,
                    "metadata": {
                        column.key: {
                            "sort_ascending": column.direction == LOWER,
                            "description": column.title,
                        }
                        for column in columns
                    },
                },
            }
        ],
        "challenge_phases": [_phase(competition, number, phase) for number, phase in numbered],
        "dataset_splits": [
            {"id": number, "name": phase.reference, "codename": _codename(number)}
            for number, phase in numbered
        ],
        "challenge_phase_splits": [
            {
                "challenge_phase_id": number,
                "leaderboard_id": 1,
                "dataset_split_id": number,
                "visibility": HOST if phase.hide_scores else PUBLIC,
                "leaderboard_decimal_precision": max(column.precision for column in columns),
                "is_leaderboard_order_descending": columns[0].direction != LOWER,
            }
            for number, phase in numbered
        ],
    }


def _phase(competition: Competition, number: int, phase: Phase) -> dict[str, Any]:
    """Return a phase. In one with hidden scores, participants see no output of the programs, which tells them."""
    best = competition["submission_rule"] == FORCE_BEST
    return {
        "id": number,
        "name": phase.name,
        "codename": _codename(number),
        "description": _html(_codename(number)),
        "start_date": phase.start,
        "end_date": phase.end or NO_END,
        "test_annotation_file": reference_zip(phase.reference),
        "is_public": True,
        "leaderboard_public": not phase.hide_scores,
        "is_submission_public": best,
        "is_restricted_to_select_one_submission": not best,
        "disable_logs": phase.hide_scores,
        "max_submissions_per_day": phase.max_submissions_per_day,
        "max_submissions": phase.max_submissions,
        "allowed_submission_file_types": ".zip",
    }
