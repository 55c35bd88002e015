"""The description of a task: its files, scores and options."""

from __future__ import annotations

import pytest

import spokeneval
from spokeneval.challenges import find_task, task_names


@pytest.mark.parametrize("name", task_names())
def test_a_task_is_described_with_all_that_a_user_needs(name):
    task, described = find_task(name), spokeneval.get_task(name)
    assert [score.key for score in described.scores] == [score.key for score in task.scores]
    words = " ".join(str(described).split())
    for layout in (*task.format.layouts, task.format.submission):
        assert f"{layout.file}: {', '.join(layout.required)}" in words
    for score in task.scores:
        assert f"{score.key} {score.heading}, {score.direction} is better: {score.description}" in words
    for option in task.options:
        assert f"Option {option.name}: {', '.join(option.values)}" in words


def test_other_formats_are_named_beside_the_file_that_they_replace():
    turns = next(kind for kind in spokeneval.list_kinds() if kind.name == "turns").example
    assert [file.instead for file in turns.reference] == [("turns.rttm",), ("regions.uem",)]
    transcripts = next(kind for kind in spokeneval.list_kinds() if kind.name == "transcripts").example
    assert transcripts.submission.instead[:2] == ("text", "transcripts.trn")
