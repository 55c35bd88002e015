"""Reference sets: rows that are left out, what is reported about them, and advice."""

import re

import pytest

import build_bundle
from speechbundles.competition.references import load_reference
from speechbundles.model.errors import BadReference
from spokeneval.challenges import find_task
from spokeneval.kinds.declared import declared_task
from tests.samples.own_tables import CANONICAL, COLUMNS, ROWS, load, refused, written
from tests.samples.programs import write_files
from tests.samples.tables import table


@pytest.mark.parametrize("separator", ["\t", ";"])
def test_rows_left_out_are_reported_with_their_number_and_classes(tmp_path, separator):
    rows = [*ROWS, (*ROWS[0][:6], "correct"), ("10139", *ROWS[0][1:5], "correct", "incorrect")]
    content = written([COLUMNS, *rows], separator).encode()
    reference, _ = load(tmp_path, {"reference.csv": content}, drop_invalid_rows=True)
    # Four of six rows are correct in language, two incorrect in meaning; two and one of these are left out.
    biased, *reasons = reference.dropped
    assert biased.startswith("2 rows of the 6 in reference.csv, which biases the set (left out by value: ")
    assert "language 'correct' 2 of 4; meaning 'correct' 1 of 4, 'incorrect' 1 of 2)" in biased
    assert [reason.partition(":")[0] for reason in reasons] == [
        "reference.csv line 6",
        "reference.csv line 7",
    ]
    assert reference.items == tuple(row[0] for row in ROWS)


def test_a_row_with_several_problems_is_counted_once_and_copies_do_not_bias(tmp_path):
    task = declared_task("x", {"kind": "ratings", "raters": 2, "scale": [1, 5]})
    good = "".join(f"a{number},{number % 5 + 1},3\n" for number in range(12))
    rows = {"once": "b,9,9\na3,4,3\n", "copies": "a3,4,3\na7,3,3\n"}
    dropped = {}
    for case, text in rows.items():
        files = {"ratings.csv": f"id,rater1,rater2\n{good}{text}"}
        reference, _ = load(tmp_path / case, files, task, drop_invalid_rows=True)
        dropped[case] = [re.sub(r" \(.*\)", "", reference.dropped[0]), len(reference.dropped) - 1]
    assert dropped == {
        "once": ["2 rows of the 14 in ratings.csv, which biases the set; 1 copies another row", 2],
        "copies": ["2 rows of the 14 in ratings.csv; 2 copy other rows", 2],
    }


def test_the_build_prints_first_how_files_were_read(tmp_path, capsys):
    content = written([COLUMNS, *ROWS], ";").encode("cp1252").replace(b"10137;", b";")
    own = write_files(tmp_path, {"gold.csv": content}) / "gold.csv"
    without = ["--leave-out", "development", "--leave-out", "baseline"]
    words = ["build", "spoken_call", "--reference", f"spoken_call={own}", "--out", str(tmp_path / "out")]
    assert build_bundle.main([*words, *without]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert f"spoken_call/evaluation: {own}: 4 rows; not UTF-8, read as Windows-1252" in said
    assert said.index("read as Windows-1252") < said.index("the Id is empty")


def test_labels_of_another_task_are_not_only_advised_to_be_dropped(tmp_path):
    rows = "".join(f"a,{n},{n}00,{n}50,Hindi\n" for n in range(1, 30))
    files = {"labels.csv": f"audio_name,utt_id,start,end,language_tag\n{rows}"}
    said = refused(tmp_path, files, "merlion_identification")
    last = said.splitlines()[-1]
    assert "It would leave out 29 rows." in last
    assert "init DIR --new NAME --kind KIND" in last


def test_many_rows_that_are_left_out_for_one_reason_are_one_line(tmp_path):
    rows = "".join(f"a{number},{number % 5 + 1},{9 if number % 3 else 3}\n" for number in range(60))
    task = declared_task("x", {"kind": "ratings", "raters": 2, "scale": [1, 5]})
    files = {"Noten.csv": f"id,rater1,rater2\n{rows}"}
    _, *reasons = load(tmp_path, files, task, drop_invalid_rows=True)[0].dropped
    assert reasons == [
        "Noten.csv line 3: id a1: rater2 '9'; expected an integer from 1 to 5, or an empty cell (39 more like this, "
        "lines 4, 6, 7, 9, 10, ...)"
    ]


def test_a_column_that_does_not_name_items_is_advised_to_be_changed(tmp_path):
    task = declared_task("x", {"kind": "decisions", "classes": ["j", "n"], "positive": "j", "id": "speaker"})
    rows = "".join(f"a{number},S{number % 5},{'jn'[number % 2]}\n" for number in range(40))
    said = refused(tmp_path, {"labels.csv": f"id,speaker,label\n{rows}"}, task)
    assert said.splitlines()[-1].startswith(
        "If speaker does not name the items, change `id` of the task in comp"
    )


def test_items_without_a_rating_are_only_advised_to_be_dropped(tmp_path):
    rows = "".join(f"a{number},{'' if number % 2 else 3},3\n".replace(",,3", ",,") for number in range(60))
    task = declared_task("x", {"kind": "ratings", "raters": 2, "scale": [1, 5]})
    said = refused(tmp_path, {"ratings.csv": f"id,rater1,rater2\n{rows}"}, task)
    assert said.splitlines()[-1] == "--drop-invalid-reference-rows leaves such rows out."


@pytest.mark.parametrize(("task", "file", "rows", "advice"), table("reference_cases")["scales"])
def test_labels_beyond_the_scale_are_not_advised_to_be_dropped(tmp_path, task, file, rows, advice):
    definition = find_task(task) if isinstance(task, str) else declared_task("x", task)
    (tmp_path / file).write_text(rows)
    with pytest.raises(BadReference) as refusal:
        load_reference(definition, "evaluation", tmp_path, {})
    last = str(refusal.value).splitlines()[-1]
    assert f"scale: {advice}" in last
    assert "--drop-invalid" not in last
    assert ("--new NAME --kind ratings" in last) == (task == "caller_experience")


@pytest.mark.parametrize(("task", "files", "advice"), table("reference_cases")["undeclared"])
def test_every_label_that_is_not_declared_is_listed_for_the_declaration(tmp_path, task, files, advice):
    assert advice in refused(tmp_path, files, declared_task("x", task)).splitlines()[-1]


def test_a_column_of_speakers_with_another_name_gives_a_warning(tmp_path):
    task = declared_task("x", {"kind": "decisions", "classes": ["yes", "no"], "positive": "yes"})
    rows = "".join(f"r{n},{('yes', 'no')[n % 2]},s{n // 4}\n" for n in range(20))
    for column, warned in (("Spk_ID", 1), ("speaker", 0)):
        (tmp_path / "labels.csv").write_text(f"id,label,{column}\n{rows}")
        unused = load_reference(task, "evaluation", tmp_path / "labels.csv", {}).unused
        assert len(unused) == warned
        assert all("Spk_ID of the reference looks like speakers" in line for line in unused)


def test_an_exact_repetition_of_a_row_gives_a_warning_and_another_reference_none(tmp_path):
    table, task = tmp_path / "transcripts.csv", declared_task("x", {"kind": "transcripts"})
    for last, warned in (("a,yes", 1), ("a,yes sir", 0)):
        table.write_text(f"id,transcript\na,yes\nb,no\n{last}\n")
        unused = load_reference(task, "evaluation", table, {}).unused
        assert len(unused) == warned
        found = (
            "1 row of transcripts.csv with the same cells as an earlier row, such as line 4 (as in line 2): "
        )
        assert all(line.startswith(found) for line in unused)


def test_text_that_is_not_in_nfc_is_shipped_in_it_with_a_note(tmp_path):
    task = declared_task("x", {"kind": "scores", "scale": [0, 9]})
    table, lines = tmp_path / "scores.csv", list[str]()
    table.write_text("id,score\ne\u0301,1\n\u00e8,2\nb,3\nc,4\n")
    reference = load_reference(task, "evaluation", table, {}, log=lines.append)
    assert "scores.csv: 4 rows; UTF-8, 1 line changed to the Unicode form NFC" in lines[0]
    assert reference.files["scores.csv"].decode() == "id,score\n\u00e9,1\n\u00e8,2\nb,3\nc,4\n"
    assert reference.items == ("\u00e9", "\u00e8", "b", "c")


def test_cells_of_an_organisers_table_are_not_written_to_be_read_again(monkeypatch, tmp_path):
    monkeypatch.setattr("spokeneval.challenges.spoken_call.parse_table", None)
    reference, _ = load(tmp_path, {"reference.csv": written([COLUMNS, *ROWS], ";").encode()})
    assert reference.files["reference.csv"] == CANONICAL
