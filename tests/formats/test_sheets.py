"""Sheets: what is read, matched and written of a table with a row an item, and the units of its rows."""

from __future__ import annotations

import numpy as np
import pytest

from spokeneval.formats.cells import whole_numbers, words
from spokeneval.formats.format import Items
from spokeneval.formats.naming import naming_format, naming_reference, naming_submission, naming_units
from spokeneval.formats.problems import FileProblems, Problems, ReferenceFileError, SubmissionError
from spokeneval.formats.sheets import Answers, Sheet, sheet_format
from spokeneval.formats.speakers import Units, check_speakers, choose_units, independence_note
from spokeneval.formats.tables import Layout, Table
from tests.samples.programs import write_files

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
    """A check that refuses the count 2, if all else is well."""
    for row, number in enumerate(answers["count"]):
        if number == 2 and not problems:
            table.add_problem(problems, "two", row, f"two of {answers.items.ids}")


def make_format():
    public = ("prompt", "note", "speaker2")
    return sheet_format(REFERENCE, SUBMISSION, list_file="items.tsv", public=public, check=no_two)


def told(error):
    return [
        (problem.code, problem.file, problem.line, problem.item, problem.message)
        for problem in error.problems
    ]


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


def test_a_reference_is_read_as_it_stands_and_its_list_in_the_order_of_the_ids(tmp_path):
    rows = 'Key|more|note|label|count|prompt|User\n10|x|"a ""b"|yes|3|p|S1\nb|x||no|1|q r|S2\n\n9|x|n|no|1|p|S1\n'
    made = make_format()
    answers = made.read_reference(write_files(tmp_path / "ref", {"gold.tsv": rows.replace("|", "\t")}))
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
    assert made.read_items(write_files(tmp_path / "input", public)) == Items(("9", "10", "b"))
    assert made.rows(tmp_path / "ref") == {"gold.tsv": {2: "10", 3: "b", 5: "9"}}


def test_all_that_is_wrong_with_a_reference_is_told(tmp_path):
    made = make_format()
    header = "Key\tprompt\tlabel\tcount\tuser\n"
    rows = "a\tp\tyes\t1\tS\nb\tp\tmaybe\t2\t\na\tp\tno\t0\tS\n"
    with pytest.raises(ReferenceFileError) as refusal:
        made.read_reference(write_files(tmp_path, {"gold.tsv": header + rows}))
    assert told(refusal.value) == [
        ("duplicate_item", "gold.tsv", 4, "a", "Key a again; first on line 2"),
        (
            "no_speaker",
            "gold.tsv",
            3,
            "b",
            "Key b: the speaker is empty; expected one in every row, or in none",
        ),
        ("unknown_value", "gold.tsv", 3, "b", "Key b: label 'maybe'; expected 'no' or 'yes'"),
        ("off_scale", "gold.tsv", 4, "a", "Key a: count '0'; expected an integer of 1 or more"),
    ]
    with pytest.raises(ReferenceFileError) as refusal:
        made.read_reference(
            write_files(tmp_path, {"gold.tsv": "Key\tprompt\tlabel\tcount\na\tp\tyes\t1\nb\tp\tno\t2\n"})
        )
    assert told(refusal.value) == [("two", "gold.tsv", 3, "b", "Key b: two of ('a', 'b')")]
    for read in (made.read_reference, made.rows):
        with pytest.raises(ReferenceFileError, match=r"^gold.tsv: 1 problem\n\n  cannot be read"):
            read(tmp_path / "nowhere")
    with pytest.raises(FileProblems, match=r"^items.tsv: 1 problem\n\n  line 1    no column Key") as unread:
        made.read_items(write_files(tmp_path, {"items.tsv": "Id\n1\n"}))
    assert type(unread.value) is FileProblems
    with pytest.raises(FileProblems, match=r"line 2    2 fields, separated by tabs"):
        made.read_items(write_files(tmp_path, {"items.tsv": "Key\n1\t2\n"}))


def submit(folder, text, ids=("a", "b", "c"), file="mine.csv"):
    made = make_format()
    path = write_files(folder, {file: text}) / file
    return made.read_submission({file: path}, Items(ids)), made


def test_a_submission_is_put_in_the_order_of_the_items(tmp_path):
    answers, made = submit(tmp_path, "x,count,Key,label\n,7,c,no\n,8,a,yes\n,9,b,no\n")
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


def test_all_that_is_wrong_with_a_submission_is_told(tmp_path):
    with pytest.raises(SubmissionError) as refusal:
        submit(tmp_path, "Key,label,count\na,yes,0\nx,maybe,1\n")
    assert told(refusal.value) == [
        ("unknown_item", "mine.csv", 3, "x", "Key x is not one of the 3 answers"),
        ("missing_item", "mine.csv", None, "b", "Key b, c: 3 answers expected, 1 found"),
        ("unknown_value", "mine.csv", 3, "x", "Key x: label 'maybe'; expected 'no' or 'yes'"),
        ("off_scale", "mine.csv", 2, "a", "Key a: count '0'; expected an integer of 1 or more"),
    ]
    with pytest.raises(SubmissionError, match=r"mine.csv\n  is missing; MINE.csv is there: rename it"):
        submit(tmp_path, "Key\n", file="MINE.csv")
    with pytest.raises(SubmissionError, match="is larger than 1051648 bytes"):
        submit(tmp_path, "x" * 1051649)


def test_the_first_grouping_that_names_anything_makes_the_units():
    rows = ["1", "2"]
    assert choose_units(rows, "call", speaker=(), session=["s", ""]) == Units("session", {"1": "s", "2": ""})
    assert choose_units(rows, "call", speaker=["a", "a"], session=["s", "t"]) == Units(
        "speaker", {"1": "a", "2": "a"}
    )
    assert choose_units(rows, "call", speaker=["", ""]) == Units("call", {"1": "1", "2": "2"})


def test_units_other_than_speakers_are_taken_as_independent():
    assert (independence_note("speaker"), independence_note("session")) == ("", "")
    assert independence_note("call") == (
        "Calls were taken as independent, because the reference names no speakers. What one speaker says is alike: "
        "where speakers have many calls each, such an interval is too narrow; where language learners spoke 40 "
        "sentences each, the true one was 1.8 to 2.9 times as wide."
    )


@pytest.mark.parametrize("column", ["speaker", "user", "speaker_id"])
def test_speakers_are_named_in_all_rows_or_in_none(column):
    def found(*cells):
        problems = Problems()
        table = Table(
            "a.csv", "Id", {"Id": ["1", "2", "3"][: len(cells)], column: list(cells)}, [2, 3, 4][: len(cells)]
        )
        check_speakers(table, problems)
        return [(problem.code, problem.line, problem.item, problem.message) for problem in problems.kept]

    assert (found("A", "B", "A"), found("", ""), found()) == ([], [], [])
    invisible = "expected no invisible characters and no blanks around it"
    assert found("A ", "", "B\u200b") == [
        ("unusable_speaker", 2, "1", f"Id 1: {column} 'A '; {invisible}"),
        ("no_speaker", 3, "2", f"Id 2: the {column} is empty; expected one in every row, or in none"),
        ("unusable_speaker", 4, "3", rf"Id 3: {column} 'B\u200b'; {invisible}"),
    ]


NAMES = ("utterance_id transcript correctness", "id transcript_arpabet is_correct")
RESPONSES = """\
{} session test prompt {} {} aq_index duration_frames filename user
u2 s BNT cat no yes 70.5 16000 u2.wav P
u1 t VNT dog no yes 9 8000 u1.wav Q
"""


@pytest.mark.parametrize("names", NAMES)
def test_what_of_naming_responses_is_public(tmp_path, names):
    text = RESPONSES.format(*names.split()).replace(" ", "\t")
    for column, label in (("transcript", "no"), ("correctness", "yes")):
        reference = naming_reference(column, TRUTH)
        submission = naming_submission("mine.tsv", "guess", TRUTH)
        made = naming_format(reference, submission, lambda answers, table, problems: None)
        answers = made.read_reference(write_files(tmp_path, {"utterances.tsv": text}))
        assert answers[column].tolist() == [["no", "yes"].index(label)] * 2
        assert answers.texts["aq_index"] == ["70.5", "9"]
        assert made.public_files(answers, {}) == {
            "utterance_list.tsv": b"utterance_id\tsession\ttest\tprompt\tduration_frames\tfilename\n"
            b"u1\tt\tVNT\tdog\t8000\tu1.wav\nu2\ts\tBNT\tcat\t16000\tu2.wav\n"
        }
        path = write_files(tmp_path, {"mine.tsv": "utterance_id\tguess\nu1\tyes no\nu3\tno\n"}) / "mine.tsv"
        with pytest.raises(SubmissionError) as refusal:
            made.read_submission({"mine.tsv": path}, answers.items)
        assert [message for *_, message in told(refusal.value)] == [
            "utterance_id u3 is not one of the 2 utterances",
            "utterance_id u2: 2 utterances expected, 1 found",
            "utterance_id u1: guess 'yes no'; expected 'no' or 'yes'",
        ]
        with pytest.raises(ReferenceFileError, match="utterance_id u1 again"):
            made.read_reference(write_files(tmp_path, {"utterances.tsv": text.replace("u2\t", "u1\t")}))


def test_naming_responses_are_drawn_by_speaker_or_session():
    items = Items(("u1", "u2"))
    texts = {"speaker": ["A", "B"], "session": ["s", "t"]}
    assert naming_units(Answers(items, {}, texts)) == Units("speaker", {"u1": "A", "u2": "B"})
    assert naming_units(Answers(items, {}, {"session": ["s", "t"]})) == Units(
        "session", {"u1": "s", "u2": "t"}
    )
    assert naming_units(Answers(items, {})) == Units("utterance", {"u1": "u1", "u2": "u2"})
