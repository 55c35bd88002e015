"""The reference behind a board: where it is found, and what its columns can break down."""

import pytest

from speechbundles.competition import references
from speechbundles.competition.read import read_competitions
from speechbundles.leaderboard import labelled_set
from speechbundles.leaderboard import rank as ranking
from speechbundles.leaderboard.conditions import conditions_by_column
from speechbundles.leaderboard.labelled_set import find_labelled_set, read_labelled_set
from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from spokeneval.challenges import find_task
from spokeneval.formats.text import read_folder
from tests.samples.programs import ROOT


def test_a_board_whose_gold_standard_is_elsewhere_has_no_columns(own_competition):
    outputs = read_outputs(sorted((own_competition / "whole").iterdir()))
    with pytest.raises(OrganiserError, match=r"none of the sets of spoken_call there .* has all 41 items"):
        ranking.make_board(Sources(ROOT), outputs, asked=ranking.Breakdown(by=["Prompt"]))


def test_the_language_of_a_turn_breaks_nothing_down():
    (competition,) = read_competitions(Sources(ROOT), ["merlion_diarization_closed"])
    place = ROOT / "reference_data/merlion_diarization/evaluation"
    recordings = find_task("merlion_diarization").format.read_reference(read_folder(place)).items.ids
    gold = find_labelled_set(competition, recordings)
    with pytest.raises(OrganiserError) as refused:
        conditions_by_column(gold, "language_tag", recordings)
    assert f"--by language_tag: the column has several values within {recordings[0]} (" in str(refused.value)


def test_the_labels_of_a_board_are_split_once_and_without_the_facts_that_a_bundle_needs(monkeypatch):
    split = []
    monkeypatch.setattr(
        labelled_set, "split_row", lambda line, delimiter: split.append(line) or line.split(delimiter)
    )
    monkeypatch.setattr(references, "set_facts", lambda *_: pytest.fail("facts for pages"))
    (competition,) = read_competitions(Sources(ROOT), ["merlion_identification_closed"])
    gold = read_labelled_set(competition, "evaluation")
    lines = (ROOT / "reference_data/merlion_identification/evaluation/labels.csv").read_text().splitlines()
    assert [line for line in split if line] == lines
    assert gold.item_columns["language_tag"].keys() == set(gold.labels.items.ids)
