"""The files that describe a competition: a private and a public half."""

import io
import json

import pandas as pd
import pytest

from speechbundles.annotation.data_page import describe_task
from speechbundles.bundle.build.gold_answers import scored_answers
from speechbundles.competition.read import read_competitions
from speechbundles.model.errors import BadReference
from speechbundles.model.sources import Sources
from tests.samples.declared_tasks import declared_folder
from tests.samples.own_competition import own_folder
from tests.samples.programs import ROOT, write_files

AGREEMENT = b'question,measure,annotators,value,low,high,units,items\nq,gamma,"a, b",0.5,,,3,9\n'


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = own_folder(tmp_path_factory.mktemp("own") / "mine", ["merlion_identification"], size=160)
    write_files(folder, {"annotation/agreement.csv": AGREEMENT})
    competition, _ = read_competitions(Sources(ROOT, folder))
    return describe_task(competition, scored_answers)


def test_both_halves_have_a_page_the_numbers_a_text_and_fields(files):
    names = {"data.html", "data.csv", "data.md", "croissant.json"}
    assert files.keys() == {f"{half}/{name}" for half in ("private", "public") for name in names}
    page = files["private/data.html"].decode()
    assert page.count("<svg") == page.count("<figure>") == 4
    assert "q: gamma" in page
    assert "Statistical power by test-set size" in page
    assert "For organisers only" in page
    analysis = json.loads(files["private/croissant.json"])["rai"]["dataAnnotationAnalysis"]
    assert analysis == "Agreement of annotators, with 95 % intervals: gamma of q (a, b) 0.50."
    assert analysis in files["private/data.md"].decode()


def test_a_refusal_names_the_setting_that_leaves_out_rows(tmp_path):
    content = declared_folder("ratings")
    (place,) = (name for name in content if name.endswith("evaluation/ratings.csv"))
    header, first, rest = content[place].split("\n", 2)
    write_files(tmp_path, {**content, place: f"{header}\n{first}\n{first}\n{rest}"})
    (competition,) = read_competitions(Sources(ROOT, tmp_path))
    with pytest.raises(BadReference) as refused:
        describe_task(competition, scored_answers)
    hint = "sets: {evaluation: {drop_invalid_rows: true}} in competition.yaml leaves such rows out."
    assert str(refused.value).splitlines()[-1] == hint


def test_the_public_half_has_no_fact_of_the_hidden_labels(files):
    for name in ("data.html", "data.md", "croissant.json"):
        text = files[f"public/{name}"].decode()
        assert "gamma" not in text
        assert "power" not in text.lower()
    numbers = pd.read_csv(io.BytesIO(files["public/data.csv"]), keep_default_na=False)
    hidden = numbers[numbers["set"] == "evaluation"]
    assert set(hidden["column"]) == {"All items"}
    assert set(hidden["class"]) == {""}
    assert "language_tag" in set(numbers[numbers["set"] == "development"]["column"])
