"""Sheets that come back: what tired annotators do to them, and what of it is refused."""

import pandas as pd
import pytest

from speechbundles.annotation.sheets import parse_questions, read_answers, require_names
from speechbundles.annotation.tables import refusing
from speechbundles.model.errors import OrganiserError
from tests.samples.programs import write_files
from tests.samples.tables import table

ASKED = {"label": ["yes", "no"], "score": []}
ASSIGNED = pd.DataFrame(
    [("anna", "a", "main", 1), ("anna", "b", "main", 1), ("anna", "a", "repeat", 1), ("ben", "a", "main", 2)],
    columns=["annotator", "item", "kind", "round"],
)


def answers(tmp_path, files, assigned=ASSIGNED, annotator=""):
    folder = write_files(tmp_path, {name: text.encode() for name, text in files.items()})
    with refusing() as problems:
        return read_answers([folder / name for name in files], "id", ASKED, assigned, problems, annotator)


def test_answers_are_read_as_meant(tmp_path):
    """Other case and blanks, decimal commas, a missing answer, a repeated item, and a sheet of the second round."""
    files = {
        "Anna.csv": "id;label;score\na; YES ;1,5\nb;;2\na;no;\n",
        "ben_2.csv": "id,comment,label,score\na,?,no,3\n",
    }
    found = answers(tmp_path, files)
    rows = found[["annotator", "item", "question", "time", "value"]].to_numpy().tolist()
    assert rows == [
        ["anna", "a", "label", 0, "yes"],
        ["anna", "b", "label", 0, ""],
        ["anna", "a", "label", 1, "no"],
        ["ben", "a", "label", 0, "no"],
        ["anna", "a", "score", 0, "1.5"],
        ["anna", "b", "score", 0, "2"],
        ["anna", "a", "score", 1, ""],
        ["ben", "a", "score", 0, "3"],
    ]
    long = {"judges.csv": "Judge,id,label,score\nAnna,a,yes,1\nBen,a,no,2\nanna,b,no,3\n"}
    assert answers(tmp_path, long, None)["annotator"].tolist()[:3] == ["Anna", "Ben", "Anna"]


def test_names_of_files_are_read_in_either_unicode_form(tmp_path):
    """Some systems write the letter Ö as O and two dots."""
    assigned = pd.DataFrame([["Ömer", "a", "1"]], columns=["annotator", "item", "round"])
    found = answers(tmp_path, {"O\u0308mer.csv": "id,label,score\na,yes,1\n"}, assigned)
    assert {*found["annotator"]} == {"Ömer"}


def test_a_question_may_be_called_value(tmp_path):
    sheet = write_files(tmp_path, {"anna.csv": b"id,value\na,4\n"}) / "anna.csv"
    with refusing() as problems:
        found = read_answers([sheet], "id", {"value": []}, None, problems)
    assert found[["question", "value"]].to_numpy().tolist() == [["value", "4"]]


def test_the_annotators_of_a_platform_are_found_or_named(tmp_path):
    """A column `participant_id` is the annotator where items are in several rows; elsewhere it may be who speaks."""
    rows = "participant_id,clip,label,score\n5e90,a,yes,1\n5e90,b,no,2\n671b,a,no,3\n"
    files = {"prolific.csv": rows.replace("clip", "id")}
    found = answers(tmp_path / "1", files, None)
    assert found["annotator"].tolist()[:3] == ["5e90", "5e90", "671b"]
    assert found.attrs["annotators"] == "in column participant_id"
    files = {"anna.csv": rows.replace("clip", "id").replace("671b,a", "671b,c")}
    assert {*answers(tmp_path / "2", files, None)["annotator"]} == {"anna"}
    files = {
        "gorilla.csv": files["anna.csv"].replace("participant_id", "Public ID").replace("671b,c", "671b,a")
    }
    how = r"line 4 +a already appears on line 2; .* named by the file; --annotator COLUMN names their column"
    with pytest.raises(OrganiserError, match=how):
        answers(tmp_path / "3", files, None)
    found = answers(tmp_path / "3", files, None, "public id")
    assert found["annotator"].tolist()[:3] == ["5e90", "5e90", "671b"]


@pytest.mark.parametrize(("files", "refused"), table("annotation_cases")["sheets refused"])
def test_a_mistake_is_refused_with_its_line(tmp_path, files, refused):
    with pytest.raises(OrganiserError, match=f"(?s){refused}"):
        answers(tmp_path, files)


def test_each_wrong_answer_is_listed(tmp_path):
    rows = "".join(f"{item},joy,1\n" for item in "abcdef")
    listed = r"(?s)line 2 +label 'joy'; .*\(5 more like this.*line 8 +label 'yse'"
    with pytest.raises(OrganiserError, match=listed):
        answers(tmp_path, {"anna.csv": f"id,label,score\n{rows}g,yse,1\n"}, None)


def test_questions_are_parsed():
    asked = parse_questions(
        ["label=yes, no", "rating=1..3", "half=-0.5..0.5:0.5", "words", "n=5", "um=um...,uh"]
    )
    assert asked == {
        "label": ["yes", "no"],
        "rating": ["1", "2", "3"],
        "half": ["-0.5", "0", "0.5"],
        "words": [],
        "n": ["5"],
        "um": ["um...", "uh"],
    }
    tenths = parse_questions(["x=-0.3..0.3:0.1"])["x"]
    assert tenths == ["-0.3", "-0.2", "-0.1", "0", "0.1", "0.2", "0.3"]


def test_all_questions_that_cannot_be_meant_are_refused_at_once():
    ranges = ("1..5:0", "1..5:-1", "1.2.3..5", "5..1", "1..1", "1..nan", "1..3,5", "1..5:0.3", "1..")
    wrong = ["=a", "x=a,A", "X", *(f"q{place}={values}" for place, values in enumerate(ranges))]
    with pytest.raises(OrganiserError) as refused:
        parse_questions(wrong)
    assert [line.partition(": ")[0] for line in str(refused.value).splitlines()] == [
        f"--ask {ask}" for ask in wrong
    ]


def test_all_names_that_cannot_be_of_files_or_of_columns_are_refused_at_once():
    names = ["a/b", "anna_2", "", "../x", "items", "Assignment", "Anna"]
    with pytest.raises(OrganiserError) as refused:
        require_names(["anna", *names], ["id", "sound", "speaker", "ID", "Speaker", "rater", "comment"])
    found = [line.split()[:2] for line in str(refused.value).splitlines()]
    assert [who for _, who in found[:7]] == [
        "a/b:",
        "anna_2:",
        "'':",
        "../x:",
        "items:",
        "Assignment:",
        "Anna",
    ]
    assert [column for _, column in found[7:]] == ["id:", "speaker:", "rater:", "comment:"]
