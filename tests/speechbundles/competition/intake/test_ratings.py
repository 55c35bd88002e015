"""Long tables of ratings, one row for each item and rater."""

import pytest

from speechbundles.competition.intake.declared import Declared
from speechbundles.competition.intake.reference import read_tables
from spokeneval.kinds.declared import declared_task
from tests.samples.own_tables import load, refused, written
from tests.samples.programs import write_files
from tests.samples.tables import table


def test_a_kinds_raters_are_found_by_name_and_may_miss_items(tmp_path):
    task = declared_task("l2", {"kind": "ratings", "raters": ["Ayşe", "Ben"], "scale": [1, 7]})
    rows = ["id,rater,rating,speaker,Raum,Tag", "क,Ben,7,s1,A,1", "ख,Ayşe,2,s2,B,1", "क,Ayşe,6,s1,A,2"]
    folder = write_files(tmp_path / "long", {"ratings.csv": "\n".join(rows)})
    ((_, table),) = read_tables(task, folder)
    # The day differs between the ratings of an item, so it is left out.
    assert table.to_ship().decode() == "id,speaker,Raum,Ben,Ayşe\nक,s1,A,7,6\nख,s2,B,,2\n"


def test_a_long_table_of_ratings_becomes_a_wide_one(tmp_path):
    given = [(3, "क१", 3), (3, "क२", 4), (1, "क१", 1), (1, "क२", 5), (2, "क१", 2), (2, "क२", 4)]
    rows = [("call_id", "Bewerter", "Note", "speaker")]
    rows += [(item, f"Human{rater}", str(rating), "s" + item) for rater, item, rating in given]
    declared = Declared(rename={"rater": "Bewerter", "rating": "Note"})
    files = {"reference.csv": written(rows, ";")}
    reference, logged = load(tmp_path, files, "caller_experience", declared=declared)
    wide = "call_id,speaker,human3,human1,human2\nक१,sक१,3,1,2\nक२,sक२,4,5,4\n"
    assert reference.files["reference.csv"].decode() == wide
    assert "2 items by Human3 (human3), Human1 (human1), Human2 (human2)" in logged


def test_raters_with_other_names_are_assigned_in_alphabetical_order(tmp_path):
    text = "call_id,rater,rating\nc,Zoë,1\nc,Ayşe,2\nc,Jan,3\n"
    reference, logged = load(tmp_path, {"reference.csv": text}, "caller_experience")
    assert reference.files["reference.csv"].decode().splitlines()[1] == "c,2,3,1"
    assert "1 item by Ayşe (human1), Jan (human2), Zoë (human3)" in logged


@pytest.mark.parametrize(("rows", "said"), table("reference_cases")["ratings"])
def test_a_long_table_that_cannot_be_used_is_refused_at_its_own_line(tmp_path, rows, said):
    header = "call_id,rater,rating" + ",speaker" * ("s1" in rows)
    text = "\n".join([header, *rows.split()])
    assert said in refused(tmp_path, {"reference.csv": text}, "caller_experience")
