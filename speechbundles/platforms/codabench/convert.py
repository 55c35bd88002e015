"""Writes the `competition.yaml` of another platform's bundle as Codabench reads it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from speechbundles.bundle.check import DATA, STEPS
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.keys import SORTING
from speechbundles.platforms.codabench.facts import VERSION


def convert(bundle: BuiltBundle, content: Mapping[str, Any]) -> tuple[BuiltBundle, dict[str, Any]]:
    """Return a bundle of format 1.5, and its `competition.yaml` in version 2, with a task for each phase.

    A phase with a limit of 0 is closed in format 1.5, but has no limit in version 2: it is left out.
    """
    bundle = replace(bundle, phases=tuple(phase for phase in bundle.phases if phase.per_day and phase.total))
    pages = dict(content["html"])
    terms = pages.pop("terms")
    return bundle, {
        "version": VERSION,
        "title": bundle.title,
        "description": str(content.get("description") or ""),
        "image": content.get("image", ""),
        "terms": terms,
        "docker_image": bundle.image,
        "registration_auto_approve": not content.get("has_registration", True),
        "enable_detailed_results": bundle.detailed_results,
        "pages": [{"title": str(title), "file": file} for title, file in pages.items()],
        "tasks": [
            {"index": index, "name": phase.name, **_named(phase.tasks[0], (*STEPS, *DATA))}
            for index, phase in enumerate(bundle.phases)
        ],
        "phases": [
            {
                "index": index,
                "name": phase.name,
                "tasks": [index],
                "max_submissions_per_day": phase.per_day,
                "max_submissions": phase.total,
                "execution_time_limit": int(phase.seconds),
                **_named(phase, ("public_data", "starting_kit")),
            }
            for index, phase in enumerate(bundle.phases)
        ],
        "leaderboards": [
            {
                "title": "Results",
                "key": "results",
                "primary_index": 0,
                "submission_rule": bundle.phases[-1].rule,
                "columns": [
                    {
                        "title": column.title,
                        "key": column.key,
                        "index": index,
                        "sorting": SORTING[column.direction],
                        "precision": column.precision,
                        "hidden": column.hidden,
                    }
                    for index, column in enumerate(column for column in bundle.columns if not column.computed)
                ],
            }
        ],
    }  # fmt: skip


def _named(of: object, keys: Sequence[str]) -> dict[str, str]:
    return {key: part for key in keys if (part := getattr(of, key))}
