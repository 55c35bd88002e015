"""Rounds: folders with sheets or empty files, and additions to them."""

import pandas as pd
import pytest

from speechbundles.annotation.assign import Assignment
from speechbundles.annotation.rounds import Round, begin_round, read_round
from speechbundles.model.errors import OrganiserError
from tests.samples.programs import write_files

FILES = pd.Index(["r1.wav", "r2.wav", "r3.wav"], name="file")
ITEMS = pd.DataFrame({"duration": ["2", "3", "4"]}, index=FILES)
ASKED = Round("file", {"language": ["E", "M"]}, ITEMS[:2])


def test_a_round_is_written_read_and_continued(tmp_path):
    files, rows = begin_round(tmp_path / "round", ASKED, Assignment(["anna", "ben"], 1), ["duration"], "csv")
    assert files.keys() == {"anna.csv", "ben.csv", "assignment.csv", "items.csv", "data.json"}
    assert files["anna.csv"].decode().splitlines()[0] == "file,duration,language,comment"
    folder = write_files(tmp_path / "round", files)
    ours = read_round(folder)
    assert (ours.id, ours.questions, len(ours.assigned), ours.seconds) == (
        "file",
        ASKED.questions,
        2,
        {"r1.wav": 2, "r2.wav": 3},
    )
    more, added = begin_round(
        folder, Round("file", ASKED.questions, ITEMS), Assignment(["anna", "ben"], 1), [], "csv"
    )
    assert len(rows) == 2
    assert list(added["item"]) == ["r3.wav"]
    assert {name for name in more if "_2" in name} in ({"anna_2.csv"}, {"ben_2.csv"})
    with pytest.raises(OrganiserError, match="an earlier round with other questions"):
        begin_round(folder, Round("file", {}, ITEMS), Assignment(["anna"], 1), [], "csv")
    with pytest.raises(OrganiserError, match=r"an earlier round with r1\.wav"):
        begin_round(folder, Round("file", ASKED.questions, ITEMS[1:]), Assignment(["anna"], 1), [], "csv")


def test_no_sheet_overwrites_a_table_and_no_question_a_column(tmp_path):
    ours = Round("file", {"file": ["a", "b"], "duration": []}, ITEMS)
    with pytest.raises(OrganiserError, match=r"(?s)annotator items: .*column file: .*column duration: "):
        begin_round(tmp_path, ours, Assignment(["items", "Bob"], 1), ["duration"], "csv")
    with pytest.raises(OrganiserError, match=r"annotator items: [^\n]*$"):
        begin_round(tmp_path, ours, Assignment(["items", "Bob"], 1), ["duration"], "eaf")


@pytest.mark.parametrize("form", ["eaf", "TextGrid"])
def test_each_annotator_gets_a_file_for_each_recording(tmp_path, form):
    files, _ = begin_round(tmp_path, ASKED, Assignment(["anna", "ben"], 2), [], form)
    empty = {f"{who}/{name}.{form}" for who in ("anna", "ben") for name in ("r1", "r2")}
    assert {name for name in files if "/" in name} == empty
    lacking = Round("file", ASKED.questions, ITEMS.assign(duration=""))
    if form == "TextGrid":
        with pytest.raises(OrganiserError, match=r"it lacks r"):
            begin_round(tmp_path, lacking, Assignment(["anna"], 1), [], form)
