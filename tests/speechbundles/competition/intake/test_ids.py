"""Ids of items and speakers that differ in spelling only are named, and refused until they are declared."""

import pytest

from speechbundles.competition.intake.declared import Declared
from tests.samples.own_tables import book, load, refused

HEADER = ("response_id", "prompt_id", "speaker_id", "human_score", "words")


def rows(ids=("a", "b", "c", "d"), speakers=("s1", "s2", "s3", "s4")):
    return [
        HEADER,
        *(
            (item, "p", who, 1 + place, 9)
            for place, (item, who) in enumerate(zip(ids, speakers, strict=True))
        ),
    ]


@pytest.mark.parametrize(
    ("table", "column", "lines"),
    [
        (
            rows(speakers=("s03", "S03", "s4", "s5")),
            "speaker",
            "speaker 's03' (row 2 of x.xlsx) and 'S03' (row 3 of x.xlsx)",
        ),
        (
            rows(speakers=("007", "b", 7, "7.0")),
            "speaker",
            "'007' (row 2 of x.xlsx) and '7' (row 4 of x.xlsx) and '7.0' (row",
        ),
        (
            rows(ids=("0001", 1, "c", "d")),
            "response_id",
            "response_id '0001' (row 2 of x.xlsx) and '1' (row 3 of x.xlsx)",
        ),
    ],
)
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
