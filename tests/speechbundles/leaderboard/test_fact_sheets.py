"""Declarations in fact sheets against the rules of MERLIon's open track: 100 hours, and a URL of each model."""

import json
from datetime import datetime

import pytest

from speechbundles.leaderboard.fact_sheets import declared
from speechbundles.model.errors import OrganiserError
from speechbundles.model.fetched import Fetched, write_index
from speechbundles.model.sources import Sources
from tests.samples.programs import ROOT

KEYS = ("training_data", "additional_hours", "pretrained_model", "pretrained_model_url")
TASK = "merlion_identification"

# Answers to the four questions -> what breaks a rule.
DECLARATIONS = {
    ("none", "0", "none", "none"): "",
    ("ASCEND, doi:10.1/x, all of it", "10.6 hours", "WavLM Base+ 2022-01", "see https://example.org/w"): "",
    ("ASCEND", "none", "N/A", "-"): "",
    ("TALCS", "150", "none", "none"): "additional_hours: 150, but at most 100 are allowed",
    ("TALCS", "100.5 h", "none", "none"): "additional_hours: 100.5, but at most 100 are allowed",
    ("two", "50 + 70", "none", "none"): "additional_hours: '50 + 70' is not a number",
    (
        "",
        "0",
        "data2vec2",
        "none",
    ): "training_data: no answer; pretrained_model_url: no web address for 'data2vec2'",
    ("x", "0", "XLS-R", "on request"): "pretrained_model_url: no web address for 'XLS-R'",
}


def fetched(folder, sheets):
    """A fetched folder with a finished run for each sheet, of owner0, owner1 and so on; the first one's twice."""
    texts = [sheets[0], *sheets]
    runs = [
        Fetched(n, "Evaluation", f"owner{max(0, n - 1)}", datetime(2027, 3, 1), "Finished", fact_sheet=text)
        for n, text in enumerate(texts)
    ]
    failed = Fetched(99, "Evaluation", "late", datetime(2027, 3, 1), "Failed", fact_sheet="")
    write_index(folder, [*runs, failed])
    return folder


def test_every_declaration_is_listed_with_the_rules_that_it_breaks(tmp_path):
    sheets = [json.dumps(dict(zip(KEYS, answers, strict=True))) for answers in DECLARATIONS]
    table = declared(Sources(ROOT), fetched(tmp_path, [*sheets, ""]), TASK)
    assert table.title == "Fact sheets: 6 of 9 declarations break a rule"
    assert table.header == ["team", "runs", *KEYS, "breaks a rule"]
    rows = {row[0]: row[1:] for row in table.rows}
    for n, (answers, broken) in enumerate(DECLARATIONS.items()):
        assert rows[f"owner{n}"] == ["0, 1" if n == 0 else str(n + 1), *answers, broken]
    assert rows["owner8"][-1] == "; ".join(f"{key}: no answer" for key in KEYS)


def test_a_missing_fact_sheet_and_a_damaged_index_are_refused(tmp_path):
    for task, text, refusal in (
        ("spoken_call", '{"a": "b"}', "no fact_sheet for spoken_call; give your folder with --competition"),
        (TASK, "", "no run has answers to a fact sheet"),
        (TASK, "{", "the column fact_sheet of its index is damaged"),
        (TASK, "[1]", "the column fact_sheet of its index is damaged"),
    ):
        with pytest.raises(OrganiserError, match=refusal):
            declared(Sources(ROOT), fetched(tmp_path, [text]), task)
