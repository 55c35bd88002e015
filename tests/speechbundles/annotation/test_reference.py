"""From sheets and annotations to the files of a reference."""

import json

import pandas as pd
import pytest

from speechbundles.annotation.assign import Assignment
from speechbundles.annotation.reference import files_in, merge_annotations, merge_sheets
from speechbundles.annotation.rounds import Round, begin_round, read_round
from speechbundles.annotation.tables import DATA
from speechbundles.model.errors import OrganiserError
from spokeneval.kinds.declared import declared_task
from tests.samples.annotated import text_grid
from tests.samples.programs import write_files
from tests.samples.tables import table

IDS = pd.Index(list("abc"), name="id")
ITEMS = pd.DataFrame({"speaker": ["S1", "S1", "S2"], "site": list("xyx")}, index=IDS)


def sheets(tmp_path, *columns):
    files = {
        f"{who}.csv": "\n".join(
            ["id,q", *(f"{item},{value}" for item, value in zip("abc", own, strict=True)), ""]
        ).encode()
        for who, own in zip(("anna", "ben"), columns, strict=True)
    }
    return write_files(tmp_path / "sheets", files)


@pytest.mark.parametrize(
    ("rule", "columns", "asked", "file", "task", "first"), table("annotation_cases")["merged"]
)
def test_a_rule_and_the_answers_make_the_file_of_a_kind(tmp_path, rule, columns, asked, file, task, first):
    ours = Round("id", {"q": asked}, ITEMS)
    files, lines = merge_sheets([sheets(tmp_path, *columns)], ours, [rule], (), None, False)
    known = json.loads(files[DATA])
    assert known == {"id": "id", "items": file, "files": [file], "task": task, "questions": {}, "sealed": 0}
    assert files[file].decode().splitlines()[1] == first
    assert lines[0] == "items are in column id, annotators are named by the file"
    assert lines[1].startswith("anna: 3 answers")
    declared_task("x", known["task"])


def test_tables_for_people_have_no_formula_and_those_for_commands_are_exact(tmp_path):
    items = pd.DataFrame({"speaker": ["-x"], "score": ["-1"]}, index=pd.Index(["=A1"], name="id"))
    ours = Round("id", {"q": []}, items)
    files, _ = begin_round(tmp_path / "round", ours, Assignment(["anna"], 1), [*items], "csv")
    assert files["anna.csv"].decode() == "id,speaker,score,q,comment\n'=A1,'-x,-1,,\n"
    filled = files["anna.csv"].replace(b",-1,", b",-1,=HYPERLINK(1)")
    folder = write_files(tmp_path / "round", {**files, "anna.csv": filled})
    files, lines = merge_sheets([folder], read_round(folder), ["each"], (), None, False)
    assert files["transcripts.csv"].decode() == "id,transcript,speaker,score\n=A1,=HYPERLINK(1),-x,-1\n"
    assert lines[-1].startswith("transcripts.csv: 3 cells that a spreadsheet may run as a formula")
    assert files["answers.csv"].decode().splitlines()[1] == "anna,'=A1,anna.csv,2,0,q,'=HYPERLINK(1)"


def test_other_units_and_ids_are_declared_and_models_compared(tmp_path):
    folder, ours = sheets(tmp_path, "yny", "yyy"), Round("id", {"q": list("yn")}, ITEMS, None, "site")
    files, lines = merge_sheets([folder], ours, ["unanimous"], ["q"], None, True)
    assert json.loads(files[DATA])["task"]["unit"] == "site"
    assert files["left_out.csv"].decode() == 'item,question,reason\nb,q,"anna n, ben y"\n'
    assert files.keys() >= {"disagreements.xlsx", "dawid_skene.csv", "answers.csv", "agreement.csv"}
    assert lines[-1] == "Dawid and Skene's model differs from 0 of 2 labels; see dawid_skene.csv"


def test_of_many_different_labels_the_first_are_printed(tmp_path):
    rows = "".join(f"i{n},{n}\n" for n in range(30))
    folder = write_files(tmp_path, {"anna.csv": f"id,q\n{rows}".encode()})
    items = pd.DataFrame(index=pd.Index([f"i{n}" for n in range(30)], name="id"))
    _, lines = merge_sheets([folder], Round("id", {"q": []}, items), ["median"], (), None, False)
    assert lines[-1] == "score: 0 1, 1 1, 2 1 (and 27 more)"


def test_the_scale_contains_fair_means_beyond_the_answers(tmp_path):
    """Cara is 3 below anna and ben, so their mean of 1 for a is 0 as the mean of all three."""
    files = {"anna.csv": "a,1\nb,4\n", "ben.csv": "a,1\nb,4\n", "cara.csv": "a,\nb,1\n"}
    folder = write_files(tmp_path, {name: f"id,q\n{rows}".encode() for name, rows in files.items()})
    ours = Round("id", {"q": list("1234")}, ITEMS)
    files, _ = merge_sheets([folder], ours, ["fair_mean"], (), None, False)
    assert files["scores.csv"].decode().splitlines()[1:] == ["a,0,S1,x", "b,3,S1,y"]
    assert json.loads(files[DATA])["task"] == {"kind": "scores", "scale": [0, 4]}


def test_labels_of_an_adjudicator_are_spelt_as_the_allowed_ones_or_refused(tmp_path):
    folder, ours = sheets(tmp_path, "yny", "yyy"), Round("id", {"q": ["yes", "no"]}, ITEMS)
    for sheet in folder.iterdir():
        sheet.write_text(sheet.read_text().replace(",y", ",yes").replace(",n", ",no"))
    decided = tmp_path / "decided.csv"
    decided.write_text("id,q\nb,No\n")
    files, _ = merge_sheets([folder], ours, ["unanimous"], (), decided, False)
    assert files["labels.csv"].decode().splitlines()[2] == "b,no,S1,y"
    decided.write_text("id,q\nb,nope\nB,no\n")
    with pytest.raises(OrganiserError, match=r"(?s)q 'nope'; did you mean no\?.*B is not among the items"):
        merge_sheets([folder], ours, ["unanimous"], (), decided, False)


@pytest.mark.parametrize(
    ("questions", "rule", "only", "refused"), table("annotation_cases")["merges refused"]
)
def test_a_merge_that_makes_no_sense_is_refused(tmp_path, questions, rule, only, refused):
    with pytest.raises(OrganiserError, match=refused):
        merge_sheets(
            [sheets(tmp_path, "yny", "yyy")], Round("id", questions, ITEMS), [rule], only, None, False
        )


def test_several_questions_are_one_table_and_one_task(tmp_path):
    """Each question by its own rule; the answers, allowed or not, are recoded, without a new one they are missing."""
    files = {
        "anna.csv": "id,Gefühl,Erregung\na,f,1\nb,w,3\nc,t,5\n",
        "ben.csv": "id,Gefühl,Erregung\na,f,2\nb,w,4\nc,?,5\n",
        "../neu.csv": "question;from;to\n;f;froh\n;w;wütend\nGefühl;1;froh\nGefühl;t;traurig\n;?;\n",
    }
    folder = write_files(tmp_path / "sheets", {name: text.encode() for name, text in files.items()})
    ours, recode = (
        Round("id", {"Gefühl": list("fw1"), "Erregung": list("12345")}, ITEMS),
        tmp_path / "neu.csv",
    )
    files, lines = merge_sheets([folder], ours, ["majority", "Erregung=mean"], (), None, False, recode=recode)
    assert files["labels.csv"].decode().splitlines()[1:] == ["a,froh,1.5,S1,x", "b,wütend,3.5,S1,y"]
    assert files["left_out.csv"].decode().splitlines()[1:] == ["c,Gefühl,1 of 2 answers: anna traurig"]
    known = json.loads(files[DATA])
    assert known["task"]["questions"]["Gefühl"] == {
        "kind": "decisions",
        "classes": ["froh", "wütend", "traurig"],
    }
    assert [score.key for score in declared_task("x", known["task"]).scores][:2] == [
        "mean_pearson_r",
        "question1_macro_f1",
    ]
    assert "Erregung: the label is the mean of the annotators; on the same items, raters differ" in lines[-1]
    write_files(tmp_path, {"neu.csv": b"from,to\nt,f\n?,f\nfroh,x\n"})
    with pytest.raises(OrganiserError, match=r"neu\.csv: froh; expected answers that are in the sheets"):
        merge_sheets([folder], ours, ["majority", "Erregung=mean"], (), None, False, recode=recode)


def test_an_item_that_is_not_in_the_table_is_refused(tmp_path):
    with pytest.raises(OrganiserError, match=r"(?s)anna\.csv.*line 4 +c is not in the table of items"):
        merge_sheets(
            [sheets(tmp_path, "yny", "yyy")], Round("id", {"q": []}, ITEMS[:2]), ["majority"], (), None, False
        )


def test_turns_of_a_later_round_are_of_the_same_annotator(tmp_path):
    files = {f"{who}/a.txt": b"0\t1\tE\n" for who in ("anna", "ben_2")}
    assigned = pd.DataFrame({"annotator": ["anna", "ben"], "item": "a", "round": [1, 2]})
    ours = Round("id", {}, ITEMS[:1].assign(duration="2"), assigned)
    paths = files_in([write_files(tmp_path, files | {"README.txt": b"", DATA: b""})])
    assert "ben" in merge_annotations(paths, ours, "majority", None, (), False)[1][0]
    assigned["round"] = 1
    with pytest.raises(OrganiserError, match="folder ben_2; did you mean ben"):
        merge_annotations(paths, ours, "majority", None, (), False)


def test_words_are_not_merged_as_labels(tmp_path):
    said = {"words": [(at, at + 0.5, f"phrase {at}") for at in range(30)], "Anna": [(0, 30, "x")]}
    paths = files_in([write_files(tmp_path, {"rec.TextGrid": text_grid(said)})])
    ours = Round("id", {}, pd.DataFrame())
    with pytest.raises(
        OrganiserError, match=r"rec has 30 different labels, such as 'phrase 0': these are words, .*--tier-"
    ):
        merge_annotations(paths, ours, "majority", None, ["words"], False)
    files, _ = merge_annotations(paths, ours, "majority", None, ["Anna"], True)
    assert files["turns.csv"].decode() == "recording,start,end,label\nrec,0.0,30.0,Anna\n"


def test_turns_of_folders_become_turns_regions_and_recordings(tmp_path):
    """Cara found nothing in b, which counts as silence; anna and ben are a majority."""
    write_files(
        tmp_path,
        {
            "anna/a.txt": b"0\t1\tE\n1\t3\tx\n",
            "ben/a.txt": b"0\t1\tE\n2\t3\tM\n",
            "anna/b.txt": b"0\t1\tM\n",
            "ben/b.txt": b"0\t2\tM\n",
            "cara/b.txt": b"",
            "new.csv": b"from,to\nE,E\nM,M\nx,M\n",
        },
    )
    ids = pd.Index(["a.wav", "b.wav"], name="id")
    items = pd.DataFrame({"speaker": ["S1", "S2"], "duration": ["5", "2"]}, index=ids)
    folders = [tmp_path / who for who in ("anna", "ben", "cara")]
    files, lines = merge_annotations(
        files_in(folders), Round("id", {}, items), "majority", tmp_path / "new.csv", (), False
    )
    assert files["turns.csv"].decode().splitlines()[1:] == [
        "a.wav,0.0,1.0,E,S1",
        "a.wav,2.0,3.0,M,S1",
        "b.wav,0.0,1.0,M,S2",
    ]
    assert files["regions.csv"].decode().splitlines()[1:] == ["a.wav,0.0,5.0,S1", "b.wav,0.0,2.0,S2"]
    assert files["items.csv"].decode().splitlines()[1] == "a.wav,S1,5,1.0,1.0"
    assert json.loads(files[DATA])["task"] == {"kind": "turns", "classes": ["E", "M"]}
    assert lines[1] == "3 turns in 7.0 s of evaluated regions: E 1.0 s, M 2.0 s"
    write_files(tmp_path, {"new.csv": b"from,to\nE,E\nM,M\n"})
    with pytest.raises(OrganiserError, match=r"label x is not in the recoding table"):
        merge_annotations(
            files_in(folders), Round("id", {}, items), "majority", tmp_path / "new.csv", (), False
        )
