"""Facts of a declared task on its pages."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from speechbundles.bundle.build.declared_facts import declared_facts
from speechbundles.bundle.build.template import fill
from spokeneval.kinds.declared import declared_task
from tests.samples.programs import ROOT


def test_participants_see_the_replacements_of_a_table():
    rules = [{"spelling": [["colour", "color"], ["grey", "gray"]]}, {"drop": ["uh", "um"]}]
    task = declared_task("x", {"kind": "transcripts", "normalise": rules})
    assert declared_facts(SimpleNamespace(definition=task))["normalise"].splitlines() == [
        "- `spelling`: replace whole words: `colour` by `color`, `grey` by `gray`",
        "- `drop`: drop these words, such as fillers: `uh`, `um`",
    ]


@pytest.mark.parametrize("declared", [{"classes": ["a", "b"]}, {"classes": ["a", "b", "c"]}, {"target": "a"}])
def test_the_page_of_an_answer_fits_any_number_of_classes(declared):
    task = declared_task("x", {"kind": "identification", **declared})
    page = (ROOT / "pages/kinds/identification/answer.md").read_bytes()
    facts = {**declared_facts(SimpleNamespace(definition=task)), "id_1": "i1", "id_2": "i2"}
    text = fill(page, "answer.md", facts, {})
    assert ("except for the EER" in text) == (len(declared.get("classes", ())) == 3)
