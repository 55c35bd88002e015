"""Facts for exports, and the output of scoring programs to export."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spokeneval.challenges import find_task
from spokeneval.scoring.reference import parse_reference
from tests.samples.cases import CASES
from tests.samples.programs import encoded, run_score

RAI = (
    *("dataCollection", "dataAnnotationProtocol", "dataBiases", "dataLimitations"),
    *("dataUseCases", "personalSensitiveInformation"),
)


def facts_of(task: str) -> dict[str, Any]:
    """All facts that the formats need."""
    return {
        "title": "Synthetic set",
        "description": "Made answers",
        "url": "https://example.org/set",
        "data_licence": "CC BY 4.0, https://spdx.org/licenses/CC-BY-4.0.html",
        "organisers": [
            {"name": "Ada", "institution": "Institute of Phonetics"},
            {"name": "Bo", "institution": "School of Education"},
            {"name": "Cy", "institution": "Institute of Phonetics"},
        ],
        "citation": "@misc{set}",
        "version": "1.0.0",
        "published": "2026-11-22",
        "files": {file: file for file in find_task(task).format.reference_files},
        "rai": {key: f"About {key}." for key in RAI},
        "dataset_id": "institute/set",
        "task_id": "test",
    }


def scored(task: str, folder: Path, *, public: bool = True, options: Mapping[str, Any] | None = None) -> Path:
    """The output of a task's scoring program."""
    case = CASES[task]
    reference = parse_reference(find_task(task), encoded(case.reference))
    known = {"public_references": [reference.fingerprint]} if public else {}
    done = run_score(task, folder, case.reference, case.submission, {**known, **(options or {})})
    assert done.status == 0, done.stderr
    return folder / "output"
