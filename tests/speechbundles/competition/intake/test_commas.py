"""Decimal commas in organisers' files: read as points in columns of numbers, refused where ambiguous."""

import re

import pytest

from speechbundles.competition.intake.declared import NOTHING_DECLARED, Declared
from spokeneval.kinds.declared import declared_task
from tests.samples.own_tables import book, load, refused, written

TASK = declared_task("fluency", {"kind": "scores", "scale": [0, 2000], "control": "words"})
HEADER = ("id", "score", "words", "text")
ROWS = [HEADER, ("ä1", "0,5", "7", "ja"), ("ä2", "1,234", "1,5e1", "1,5"), ("ä3", "12", "", "so, so")]
POINTS = 'id,score,words,text\nä1,0.5,7,ja\nä2,1.234,1.5e1,"1,5"\nä3,12,3,"so, so"\n'


@pytest.mark.parametrize("kind", ["semicolons", "tabs", "workbook"])
def test_decimal_commas_in_columns_of_numbers_are_read_as_points(tmp_path, kind):
    rows = [*ROWS[:-1], ("ä3", "12", "3", "so, so")]
    content = book(S=rows) if kind == "workbook" else written(rows, {"tabs": "\t"}.get(kind, ";"))
    reference, logged = load(tmp_path, {f"scores.{'xlsx' if kind == 'workbook' else 'csv'}": content}, TASK)
    assert reference.files["scores.csv"].decode() == POINTS
    assert logged.endswith("; decimal commas were read as points: 3 cells")


@pytest.mark.parametrize(
    ("scores", "doubtful"),
    [
        (("1,234", "567", "-1,000"), "line 2    score '1,234' may"),
        (("0,5", "0.5", "1,234"), "line 4    score '1,234' may"),
    ],
)
def test_a_comma_that_may_separate_thousands_is_refused_with_advice(tmp_path, scores, doubtful):
    rows = [HEADER, *((f"ä{number}", score, "5", "") for number, score in enumerate(scores))]
    said = refused(tmp_path, {"scores.csv": written(rows, ";")}, TASK)
    assert doubtful in said
    assert "write decimals with a point, and thousands without a separator" in said
    assert "'0,5'" not in said


def test_a_cell_that_is_no_number_is_the_only_problem_beside_decimal_commas(tmp_path):
    said = refused(tmp_path, {"scores.csv": written([*ROWS[:3], ("ä3", "k. A.", "3", "")], "\t")}, TASK)
    assert "scores.csv: 1 problem\n\n  line 4    id ä3: score 'k. A.'" in said


@pytest.mark.parametrize("shift", [0, 1])
def test_refusals_quote_decimal_commas_as_the_file_has_them(shift, tmp_path):
    task = declared_task("x", {"kind": "ratings", "raters": ["Ann", "Bo"], "scale": [0, 100]})
    rows = [("id", "Ann", "Bo"), ("a", "58,0", "7"), ("b", "3", "2.5"), ("c", "1", "70,5")][shift:]
    declared = Declared(columns=("id", "Ann", "Bo")) if shift else NOTHING_DECLARED
    said = refused(tmp_path, {"ratings.csv": written(rows, ";")}, task, declared=declared)
    for line, cell in ((2, "58,0"), (3, "2.5"), (4, "70,5")):
        assert re.search(rf"line {line - shift} .*'{cell}'; expected an integer from 0 to 100", said)


def test_commas_in_a_column_that_the_task_reads_as_text_stay(tmp_path):
    classes = declared_task("lid", {"kind": "decisions", "classes": ["1,5", "2,5"], "positive": "2,5"})
    content = "id;label\na;1,5\nb;2,5\nc;1,5\nd;2,5\n"
    reference, _ = load(tmp_path, {"labels.csv": content}, classes)
    assert reference.files["labels.csv"].decode().splitlines()[1] == 'a,"1,5"'


def test_times_with_decimal_commas_are_converted_to_the_tasks_unit(tmp_path):
    lines = ["audio_name;start_s;end_s;language_tag", "a.wav;0,5;1,25;English", "a.wav;2;2,5;Mandarin"]
    reference, _ = load(tmp_path, {"labels.csv": "\n".join(lines)}, "merlion_identification")
    read = ["a.wav,a1,500,1250,English", "a.wav,a2,2000,2500,Mandarin"]
    assert reference.files["labels.csv"].decode().splitlines()[1:] == read
