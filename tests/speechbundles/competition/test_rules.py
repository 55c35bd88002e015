"""Settings that contradict each other: seals, labels at home, and bundles that share labels."""

import pytest

from speechbundles.bundle.build.plan import plan
from speechbundles.competition.read import read_competitions
from speechbundles.model.errors import BadReference, OrganiserError
from speechbundles.model.sources import Sources
from speechbundles.new.examples import example_files
from tests.samples.own_competition import own_data, series
from tests.samples.programs import ROOT, write_files
from tests.samples.tables import table


def health(folder, settings):
    """Return the folder of an example with other settings."""
    files = example_files("health")
    text = files["competition.yaml"].decode().replace("defaults:\n", settings, 1)
    return write_files(folder, {**files, "competition.yaml": text})


def test_a_share_that_leaves_too_few_units_is_refused_with_its_line(tmp_path):
    folder = series(tmp_path / "series", ("sealed: 0.3", "registration: approval"))
    line = (folder / "competition.yaml").read_text().split("sealed: 0.3\n")[0].count("\n") + 1
    with pytest.raises(OrganiserError) as refusal:
        plan(Sources(folder), ["merlion_identification_open", "merlion_diarization_open"], {})
    for task in ("identification", "diarization"):
        said = f"8 of the 28 recordings of the evaluation set of merlion_{task} would be sealed"
        assert f"  line {line:<4} defaults.sealed: sealed is 0.3; {said}" in str(refusal.value)


SPOKEN_CALL = "title: Spoken CALL"
OPEN_TRACK = "title: MERLIon CCS Task 1 — language identification, open track"

SEALS = table("refused_settings")["seals"]


@pytest.mark.parametrize("reason", SEALS)
def test_an_invalid_seal_is_refused_with_its_line(tmp_path, reason):
    first, second, said = SEALS[reason]
    folder = series(tmp_path / "series", first, second)
    line = (folder / "competition.yaml").read_text().split(f"    {first[0]}\n")[0].count("\n") + 1
    with pytest.raises(OrganiserError, match="1 problem") as refusal:
        read_competitions(Sources(folder))
    assert f"  line {line:<4} " in str(refusal.value)
    assert said in str(refusal.value)


def test_a_task_that_would_upload_what_another_seals_is_refused(tmp_path):
    """Both tasks of PSST use one file, which has the labels of both."""
    folder = series(tmp_path / "series", ("sealed: 0.5", "- {key: f1, precision: 4}"))
    text = (folder / "competition.yaml").read_text().replace("          sealed: 0.5\n", "")
    task = "      psst_correctness:\n"
    (folder / "competition.yaml").write_text(text.replace(task, f"{task}        sealed: 0.5\n", 1))
    with pytest.raises(BadReference, match="320 sealed rows of the set evaluation would be uploaded"):
        plan(Sources(folder), ["psst_recognition", "psst_correctness"], {})


@pytest.mark.parametrize(("lines", "said"), table("refused_settings")["defaults"])
def test_settings_of_seals_labels_at_home_and_programs_that_contradict_each_other_are_refused(
    lines, said, tmp_path
):
    settings = "".join(f"  {line}\n" for line in lines)
    with pytest.raises(OrganiserError) as refusal:
        read_competitions(Sources(ROOT, health(tmp_path, f"defaults:\n{settings}")))
    assert said in str(refusal.value)


def test_class_sizes_are_hidden_unless_the_organiser_asks_for_them(tmp_path):
    files = own_data("spoken_call")
    text = "defaults: {labels: home}\nbundles: {spoken_call: {}}\n"
    place = write_files(tmp_path / "mine", {**files, "competition.yaml": text})
    (competition,) = read_competitions(Sources(ROOT, place))
    assert competition.options["class_sizes"] == "hidden"
    asked = "defaults: {labels: home}\nbundles: {spoken_call: {options: {class_sizes: public}}}\n"
    (place / "competition.yaml").write_text(asked, "utf-8")
    with pytest.raises(OrganiserError, match="class_sizes: public publishes a fact about the labels"):
        read_competitions(Sources(ROOT, place))


CODE = "defaults:\n  submissions: code\n"
CODE = "defaults:\n  submissions: code\n"


def test_two_tracks_of_a_task_have_the_same_limits_of_programs(tmp_path):
    folder = health(tmp_path, f"{CODE}  sound: /x\n")
    track = "  other: {task: health, title: Other, run_limits: {seconds: 60}}\n"
    with (folder / "competition.yaml").open("a") as file:
        file.write(track)
    with pytest.raises(
        OrganiserError, match=r"run_limits is \{'seconds': 60\} here and .* in health; both need"
    ):
        read_competitions(Sources(ROOT, folder))


def test_programs_imply_labels_at_home_and_a_page(tmp_path):
    (read,) = read_competitions(Sources(ROOT, health(tmp_path, f"{CODE}  sound: ../wav\n")))
    assert (read["labels"], read.home_sets, read.sound) == ("home", ["evaluation"], tmp_path / "../wav")
    assert read.page_files[-2] == "code.md"
    assert read.run_limits["seconds"] == 3600
