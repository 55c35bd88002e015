"""Ids of items and speakers that differ in spelling only are named, and refused until they are declared."""

import pytest

from speechbundles.competition.intake.declared import Declared
from tests.samples.own_tables import book, load, refused
from tests.samples.tables import table

HEADER = ("response_id", "prompt_id", "speaker_id", "human_score", "words")


def rows(ids=("a", "b", "c", "d"), speakers=("s1", "s2", "s3", "s4")):
    return [
        HEADER,
        *(
            (item, "p", who, 1 + place, 9)
            for place, (item, who) in enumerate(zip(ids, speakers, strict=True))
        ),
    ]


@pytest.mark.parametrize(("table", "column", "lines"), table("reference_cases")["ids"])
def test_ids_that_differ_in_spelling_only_are_refused_until_they_are_declared(tmp_path, table, column, lines):
    files = {"x.xlsx": book(Sheet=table)}
    said = refused(tmp_path, files, "content_accuracy")
    assert lines in said
    assert f"sets: {{evaluation: {{distinct: [{column}]}}}}" in said
    reference, _ = load(tmp_path, files, "content_accuracy", declared=Declared(distinct=[column]))
    assert len(reference.items) == 4


def test_ids_with_other_numbers_are_different(tmp_path):
    table = rows(ids=("u1.05", "u1.5", "u10", "u1"), speakers=("s10", "s100", "s1", "s-0"))
    reference, _ = load(tmp_path, {"x.xlsx": book(Sheet=table)}, "content_accuracy")
    assert reference.facts.units == 4
