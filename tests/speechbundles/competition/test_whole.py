"""The files that a competition needs, and what it can do without."""

import re

import pytest

from speechbundles.bundle.build.plan import plan
from speechbundles.competition.read import read_competitions
from speechbundles.competition.whole import needs
from speechbundles.model.errors import BadReference
from speechbundles.model.sources import Sources
from speechbundles.new.examples import example_files
from tests.samples.own_competition import own_data, own_folder, set_in
from tests.samples.programs import ROOT, write_files


def test_the_needed_files_are_those_of_the_sample():
    needed = {need.path for competition in read_competitions(Sources(ROOT)) for need in needs(competition)}
    there = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("starting_kit/*/data/*")}
    there |= {f"{path.relative_to(ROOT).as_posix()}/" for path in ROOT.glob("reference_data/*/*/")}
    assert needed == there


def test_all_missing_inputs_are_reported_at_once_except_those_left_out(tmp_path, no_baseline):
    folder = own_folder(tmp_path / "own", ["content_accuracy"])
    files = own_data("content_accuracy")
    gone = [name for name in files if "/evaluation" not in name]
    for name in gone:
        (folder / name).unlink()
    with pytest.raises(BadReference) as refusal:
        plan(Sources(ROOT, folder), [], {})
    message = str(refusal.value)
    kit = "starting_kit/content_accuracy/data"
    assert message.startswith("content_accuracy: 4 inputs missing; sample data are never used instead\n")
    assert re.findall(r"^  (\w+/\S+)$", message, re.M) == [
        "reference_data/content_accuracy/development/",
        *(f"{kit}/{name}.csv" for name in ("development_responses", "references", "training_responses")),
    ]
    for line in (
        "the labels: reference.csv: response_id, prompt_id, speaker_id, human_score, words",
        "or leave out: development (no phase Development)",
        f"Put them into {folder}.",
    ):
        assert line in message
    set_in(folder, "defaults", message.splitlines()[-1])
    planned = plan(Sources(ROOT, folder), [], {})
    (competition,) = planned.competitions
    assert [phase.name for phase in competition.phases] == ["Evaluation"]
    assert competition.sets == ["evaluation"]
    kit = planned.parts["content_accuracy"].starting_kit
    assert [name for name in kit if name.startswith("data/")] == ["data/evaluation_responses.csv"]
    assert not any(name.startswith("development/") for name in kit)


def test_kit_files_that_no_bundle_holds_are_refused_before_they_are_read(tmp_path):
    folder = own_folder(tmp_path / "own", ["spoken_call"])
    large = folder / "starting_kit/spoken_call/data/Aufnahmen.tar"
    with large.open("wb") as stream:
        stream.truncate(5_368_709_120)
    with pytest.raises(BadReference) as refusal:
        plan(Sources(ROOT, folder), [], {})
    assert str(refusal.value).startswith(f"{large}: 5.37 GB; ")
    assert "at most 100 MB" in str(refusal.value)
    assert "data_url" in str(refusal.value)


def test_labels_given_by_reference_need_the_other_inputs_too(tmp_path, no_baseline):
    files = own_data("spoken_call")
    sets = ("development", "evaluation")
    write_files(tmp_path, {name: files[f"reference_data/spoken_call/{name}/reference.csv"] for name in sets})
    given = {("spoken_call", name): tmp_path / name for name in sets}
    grammar, public = "starting_kit/spoken_call/data/grammar.xml", "reference_data/spoken_call/development/\n"
    for labels, missing in (
        (given, rf"1 input missing; .*\n\n  {grammar}"),
        (dict([*given.items()][1:]), rf"2 inputs missing; .*\n\n  {public}"),
    ):
        with pytest.raises(BadReference, match=missing):
            plan(Sources(ROOT), ["spoken_call"], labels)
    planned = plan(Sources(ROOT), ["spoken_call"], given, leave_out=["baseline"])
    kit = planned.parts["spoken_call"].starting_kit
    assert not any(name == "baseline.py" or name.startswith("data/") for name in kit)
    (warning,) = planned.warnings
    assert "you have not set title, organiser, contact_email, data_licence, phases;" in warning
    assert "synthetic" not in planned.pages["spoken_call", "codabench"]["terms.md"]


def test_without_the_baseline_a_kit_has_none_of_its_data(tmp_path):
    sources = Sources(ROOT, write_files(tmp_path, example_files("spoofing")))
    for left_out, data in (([], True), (["baseline"], False)):
        kit = plan(sources, [], {}, leave_out=left_out).parts["spoofing"].starting_kit
        assert any(name.startswith("data/") for name in kit) is data
