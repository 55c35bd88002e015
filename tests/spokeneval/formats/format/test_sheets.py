"""Tests of sheets: reading, matching and writing of tables with one row for each item, and the units of rows."""

from __future__ import annotations

import numpy as np
import pytest

from spokeneval.formats.format import Answers, Items, Sheet, repetitions, sheet_format
from spokeneval.formats.speakers import Units, choose_units, independence_note
from spokeneval.formats.tables import Layout, whole_numbers, words
from tests.samples.programs import encoded

TRUTH = words({"no": 0, "yes": 1})
REFERENCE = Sheet(
    "gold.tsv",
    "Key",
    {"label": TRUTH, "count": whole_numbers(1)},
    noun="answer",
    delimiter="\t",
    texts=("prompt",),
    optional=("note", "speaker"),
    aliases={"user": "speaker"},
)
SUBMISSION = Sheet("mine.csv", "Key", {"label": TRUTH, "count": whole_numbers(1)}, noun="answer")


def no_two(answers, table, problems):
    """A check that refuses the count 2 if there are no other problems."""
    for row, number in enumerate(answers["count"]):
        if number == 2 and not problems:
            table.add_problem(problems, "two", row, f"two of {answers.items.ids}")


def make_format():
    public = ("prompt", "note", "speaker2")
    return sheet_format(REFERENCE, SUBMISSION, list_file="items.tsv", public=public, check=no_two)


def test_a_format_is_made_of_its_sheets():
    made = sheet_format(REFERENCE, SUBMISSION, list_file="items.tsv", check=no_two)
    layout = Layout(
        "gold.tsv", "Key", ("Key", "prompt", "label", "count"), "\t", ("note", "speaker"), {"user": "speaker"}
    )
    assert (made.layouts, made.submission_file, made.reference_files) == (
        (layout,),
        "mine.csv",
        ("gold.tsv",),
    )
    answers = Answers(Items(("b",)), {}, {"Key": ["b"], "prompt": ["p"]})
    assert made.public_files(answers, {}) == {"items.tsv": b"Key\nb\n"}


def test_a_reference_keeps_its_order_and_its_public_list_is_sorted_by_id():
    rows = 'Key|more|note|label|count|prompt|User\n10|x|"a ""b"|yes|3|p|S1\nb|x||no|1|q r|S2\n\n9|x|n|no|1|p|S1\n'
    made = make_format()
    files = encoded({"gold.tsv": rows.replace("|", "\t")})
    answers = made.read_reference(files)
    assert answers.items == Items(("10", "b", "9"))
    assert {name: values.tolist() for name, values in answers.columns.items()} == {
        "label": [1, 0, 0],
        "count": [3, 1, 1],
    }
    assert answers["label"] is answers.columns["label"]
    assert answers.speakers == ["S1", "S2", "S1"]
    texts = {"Key": ["10", "b", "9"], "prompt": ["p", "q r", "p"], "note": ['a "b', "", "n"]}
    assert answers.texts == {**texts, "speaker": ["S1", "S2", "S1"]}
    public = made.public_files(answers, {})
    assert public == {"items.tsv": b'Key\tprompt\tnote\n9\tp\tn\n10\tp\t"a ""b"\nb\tq r\t\n'}
    assert made.read_items(encoded(public)) == Items(("9", "10", "b"))
    assert made.rows(files) == {"gold.tsv": {2: "10", 3: "b", 5: "9"}}


def submit(text, ids=("a", "b", "c"), file="mine.csv"):
    made = make_format()
    return made.read_submission(encoded({file: text}), Items(ids)), made


def test_a_submission_is_put_in_the_order_of_the_items():
    answers, made = submit("x,count,Key,label\n,7,c,no\n,8,a,yes\n,9,b,no\n")
    assert answers.items == Items(("a", "b", "c"))
    assert (answers.texts, answers.speakers) == ({}, ())
    found = {name: (values.tolist(), values.dtype) for name, values in answers.columns.items()}
    assert found == {"label": ([1, 0, 0], np.int64), "count": ([8, 9, 7], np.int64)}
    some = made.take(answers, [2, 0])
    assert (some.items, some["count"].tolist(), list(some.columns)) == (
        Items(("c", "a")),
        [7, 8],
        ["label", "count"],
    )
    assert made.take(answers, [])["count"].tolist() == []


def test_the_first_grouping_that_names_anything_makes_the_units():
    rows = ["1", "2"]
    assert choose_units(rows, "call", speaker=(), session=["s", ""]) == Units("session", {"1": "s", "2": ""})
    assert choose_units(rows, "call", speaker=["a", "a"], session=["s", "t"]) == Units(
        "speaker", {"1": "a", "2": "a"}
    )
    assert choose_units(rows, "call", speaker=["", ""]) == Units("call", {"1": "1", "2": "2"})


def test_units_other_than_speakers_are_taken_as_independent():
    assert (independence_note("speaker", {}), independence_note("session", {})) == ("", "")
    assert independence_note("class", {"unit": "class"}) == ""
    assert independence_note("call", {"unit": "class"}) == (
        "The intervals treat calls as independent, because the reference names no speakers. They are too narrow if "
        "speakers have many calls each."
    )


TEXTS = np.empty(12, dtype=object)
TEXTS[:] = [[], [], [], [], [], [], ["a"], ["b"], ["c"], ["d"], ["e"], ["f", "g"]]
REALS = np.array([*[0.5] * 6, 0.1, 0.2, 0.3, 0.6, 0.7, 0.8])


@pytest.mark.parametrize(
    ("values", "warning"),
    [
        (TEXTS[:2], "all 2 values of answer are empty. That counts as an answer. Is the upload complete?"),
        (TEXTS, "6 of 12 values of answer are empty. That counts as an answer. Is the upload complete?"),
        (TEXTS[1:], ""),  # 5 of 11
        (TEXTS[[6] * 10], "all 10 values of answer are the same. Is it the right file?"),
        (TEXTS[[6] * 9], ""),
        (TEXTS[[6] * 6 + [7] * 6], "6 of 12 values of answer are the same. Is it the right file?"),
        (np.ones(10, int), "all 10 values of answer are the same. Is it the right file?"),
        (np.arange(12) // 10, ""),  # a class that is frequent
        (np.full(120, 0.5), "all 120 values of answer are the same. Is it the right file?"),
        (REALS, "6 of 12 values of answer are the same. Is it the right file?"),
        (REALS[1:], ""),
        (np.minimum(REALS, 0.5), ""),  # certain of many items
        (np.array([*[2.0] * 6, *[1.0] * 3, *[3.0] * 3]), ""),  # a scale of a few steps
        (np.array([]), ""),
        (np.ones((12, 2)), ""),  # of a task of an organiser's own
    ],
)
def test_answers_that_are_valid_but_all_or_half_the_same_are_warned_of(values, warning):
    answers = Answers(Items(tuple(map(str, range(len(values))))), {"answer": values})
    assert make_format().doubts(answers, answers.items) == ([warning] if warning else [])


def test_scores_in_several_columns_are_the_same_only_if_all_of_them_are():
    one, other = np.full(12, 0.5), np.arange(12.0)
    assert repetitions(Answers(Items(()), {"a": one, "b": other})) == []
    assert repetitions(Answers(Items(()), {"a": one, "b": one})) == [
        "all 12 values of a, b are the same. Is it the right file?"
    ]
