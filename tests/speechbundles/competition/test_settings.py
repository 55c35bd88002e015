"""Settings of a bundle and of a declared task: what precedes what, and what is refused, with its line."""

import re
from dataclasses import replace

import pytest

import build_bundle
from speechbundles.bundle.build.plan import plan
from speechbundles.competition.read import read_competitions
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from spokeneval.challenges import find_task, task_names
from tests.samples.declared_tasks import SETTINGS
from tests.samples.own_competition import FILLED_IN, begun_folder, set_in
from tests.samples.programs import ROOT, write_files
from tests.samples.tables import table

CHALLENGES = ("spoken_call", "caller_experience", "psst", "merlion", "content_accuracy")
OWN = "  content_accuracy"
SET_OF = "    sets: {{evaluation: {{{}}}}}".format


@pytest.mark.parametrize(("place", "text", "said"), table("refused_settings")["folder"])
def test_a_setting_that_cannot_be_used_is_refused_with_its_line(own, place, text, said):
    line = set_in(own, place, text)
    with pytest.raises(OrganiserError) as refusal:
        read_competitions(Sources(ROOT, own))
    assert said in str(refusal.value)
    assert f"  line {line:<4} " in str(refusal.value)


def test_the_folders_settings_precede_all_of_the_repositorys(own):
    """The repository sets the columns in the task, which is nearer than the defaults."""
    set_in(
        own, "defaults", "  columns: [{key: pearson_r, precision: 2}, {key: pearson_r_low}]\n  forum: false"
    )
    (competition,) = read_competitions(Sources(ROOT, own))
    assert [(column.key, column.precision) for column in competition.columns] == [
        ("pearson_r", 2),
        ("pearson_r_low", 4),
    ]
    assert competition["forum"] is False
    assert competition["title"] == FILLED_IN["the title"]
    assert competition["docker_image"] == "codalab/codalab-legacy:py312"  # not set, so the repository's
    assert [phase.execution_time_limit for phase in competition.phases] == [300, 300]


def test_the_default_of_a_day_is_at_most_the_default_of_the_phase(tmp_path, monkeypatch):
    """With 2 in all, 3 a day would be warned of as without effect."""
    limits = {"max_submissions_per_day": 3, "max_submissions": 2, "execution_time_limit": 300}
    monkeypatch.setattr("speechbundles.competition.settings.phase_limits", lambda schema, labels: {**limits})
    own = write_files(tmp_path, {"competition.yaml": SETTINGS.format(task="{kind: transcripts}")})
    for phase in read_competitions(Sources(ROOT, own))[0].phases:
        assert (phase.max_submissions_per_day, phase.max_submissions) == (2, 2)


@pytest.mark.default_cases("psst_recognition", "merlion_diarization")
@pytest.mark.parametrize("task", task_names())
def test_every_score_with_an_interval_can_decide_the_rank(task, tmp_path):
    """`primary` moves the score and its interval to the front of the columns, and into the program's options."""
    bundle = f"{task}_closed" if task.startswith("merlion") else task
    folder, default = begun_folder(tmp_path / "mine", [bundle]), find_task(task)
    challenge = next(name for name in CHALLENGES if task.startswith(name))
    given = (folder / "competition.yaml").read_text(encoding="utf-8")
    for key in default.primaries[1:]:
        (folder / "competition.yaml").write_text(given, encoding="utf-8")
        set_in(folder, f"challenges:\n  {challenge}", f"    tasks: {{{task}: {{primary: {key}}}}}")
        (competition,) = read_competitions(Sources(ROOT, folder))
        keys = [column.key for column in competition.columns]
        assert keys[:3] == [key, f"{key}_low", f"{key}_high"]
        assert default.primary.key in keys[3:]
        assert competition.options["primary"] == competition.definition.primary.key == key


@pytest.mark.parametrize(
    ("bundle", "shown"),
    [
        # The columns of Table 1 of the third edition, the ranking one first.
        ("spoken_call", "d_full d d_a precision recall f_measure scoring_accuracy rcr rfr"),
        ("caller_experience", "kappa_mean kappa_human1 kappa_human2 kappa_human3"),
        ("psst_recognition", "fer per"),
        ("psst_correctness", "f1 precision recall"),
        ("merlion_identification_open", "eer_plan balanced_accuracy"),
        ("merlion_diarization_closed", "der english_error mandarin_error"),
        ("content_accuracy", "pearson_r quadratic_kappa"),
    ],
)
def test_the_board_of_a_hidden_set_has_the_columns_of_the_challenges_table(bundle, shown):
    (competition,) = read_competitions(Sources(ROOT), [bundle])
    assert [column.key for column in competition.board] == shown.split()
    settings = {**competition.settings, "coarse_columns": []}
    assert replace(competition, settings=settings).board == competition.columns[:1]


def test_with_another_primary_score_the_table_has_the_default_one_too(tmp_path):
    folder = begun_folder(tmp_path / "mine", ["spoken_call"])
    set_in(folder, "challenges:\n  spoken_call", "    tasks: {spoken_call: {primary: d}}")
    (competition,) = read_competitions(Sources(ROOT, folder))
    assert [column.key for column in competition.board][:3] == ["d", "d_full", "d_a"]


def test_a_folder_without_a_licence_does_not_get_the_samples(own):
    path = own / "competition.yaml"
    path.write_text(re.sub(r"  data_licence: .*\n", "", path.read_text()))
    planned = plan(Sources(ROOT, own), [], {})
    (pages,) = planned.pages.values()
    assert "Data licence" not in pages["terms.md"]
    assert planned.warnings == [
        "content_accuracy: you have not set data_licence; do so in the competition.yaml of a competition folder"
    ]


def test_a_folder_without_competition_yaml_is_named(tmp_path, capsys):
    assert build_bundle.main(["build", "--competition", str(tmp_path)]) == 1
    words = f"{tmp_path / 'competition.yaml'}: no such file; `python build_bundle.py init`"
    assert words in " ".join(capsys.readouterr().err.split())


def test_a_folders_own_sheet_and_columns_are_built_with_a_warning_for_unused_labels(own):
    labels = own / "reference_data/content_accuracy/evaluation/reference.csv"
    header, *rows = labels.read_text().splitlines()
    own_rows = [header.replace("human_score", "Note") + ";Note2", *(f"{row};1" for row in rows)]
    labels.write_text("\n".join(own_rows).replace(",", ";"))
    labels.rename(labels.with_name("Noten.csv"))
    set_in(own, OWN, SET_OF("file: Noten.csv, separator: ';', rename: {human_score: Note}"))
    logged: list[str] = []
    planned = plan(Sources(ROOT, own), [], {}, log=logged.append)
    reference = planned.parts["content_accuracy"].references["evaluation"]
    assert reference.files["reference.csv"].startswith(header.encode())
    assert any("Noten.csv" in line and "human_score (here Note)" in line for line in logged)
    assert [warning for warning in planned.warnings if "Noten.csv: Note2 looks like a label" in warning]


def test_the_repositorys_declarations_are_not_those_of_a_folder(own, tmp_path):
    assert all("sets" not in competition.settings for competition in read_competitions(Sources(ROOT, own)))
    set_in(own, "  content_accuracy", "    sets: {development: {drop_invalid_rows: true}}")
    (competition,) = read_competitions(Sources(ROOT, own), leave_out=["development"])
    assert competition["sets"] == {"development": {"drop_invalid_rows": True}}


@pytest.mark.parametrize(("task", "said"), table("refused_settings")["declaration"].items())
def test_a_bad_declaration_is_refused_with_its_place(task, said, tmp_path):
    own = write_files(tmp_path, {"competition.yaml": SETTINGS.format(task=task)})
    with pytest.raises(OrganiserError) as refusal:
        read_competitions(Sources(ROOT, own))
    assert said in str(refusal.value)


def test_the_name_of_a_task_of_the_repository_is_refused(tmp_path):
    declared = SETTINGS.format(task="{kind: decisions, classes: [a, b]}")
    text = declared.replace("aufgabe", "psst_correctness")
    own = write_files(tmp_path, {"competition.yaml": text})
    with pytest.raises(OrganiserError, match="psst_correctness is a task of the repository; choose another"):
        read_competitions(Sources(ROOT, own))
