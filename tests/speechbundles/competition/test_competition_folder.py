"""A competition folder: `init`, required settings and files, what can be left out, and what the repository provides."""

import re
from datetime import datetime
from unittest import mock

import pytest

import build_bundle
from speechbundles.bundle.build.baseline import Baseline
from speechbundles.bundle.build.pages import page_text
from speechbundles.bundle.build.plan import plan
from speechbundles.competition.read import read_competitions
from speechbundles.competition.whole import needs
from speechbundles.model.errors import BadReference, OrganiserError
from speechbundles.model.sources import Sources
from spokeneval.kinds.declared import KINDS
from tests.samples.own_competition import FILLED_IN, own_data, own_folder
from tests.samples.programs import ROOT, write_files

SERIES = ROOT / "competition.yaml"


@pytest.fixture(autouse=True)
def _no_baseline(monkeypatch):
    """Baselines are not run here, to save time."""
    monkeypatch.setattr("speechbundles.bundle.build.kit.run_baseline", lambda *_: Baseline())


@pytest.fixture
def own(tmp_path):
    """A complete folder for content accuracy."""
    return own_folder(tmp_path / "own", ["content_accuracy"])


def set_in(folder, place, text):
    """Insert settings after a line of the folder's `competition.yaml`."""
    path = folder / "competition.yaml"
    settings = path.read_text(encoding="utf-8")
    assert settings.count(f"\n{place}:\n") == 1
    path.write_text(settings.replace(f"\n{place}:\n", f"\n{place}:\n{text}\n"), encoding="utf-8")


def test_the_needed_files_are_those_of_the_sample():
    needed = {need.path for competition in read_competitions(Sources(ROOT)) for need in needs(competition)}
    there = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("starting_kit/*/data/*")}
    there |= {f"{path.relative_to(ROOT).as_posix()}/" for path in ROOT.glob("reference_data/*/*/")}
    assert needed == there


def test_every_line_that_is_not_filled_in_is_refused_by_name(tmp_path, capsys):
    folder = tmp_path / "own"
    assert build_bundle.main(["init", str(folder), "spoken_call", "merlion_diarization"]) == 0
    lines = (folder / "competition.yaml").read_text().splitlines()
    # At most three in all for every phase that scores the deciding set.
    assert {line.strip() for line in lines if "max_submissions: " in line} == {
        "max_submissions: FILL IN (such as 500)",
        "max_submissions: FILL IN (such as 3)",
    }
    waiting = {number for number, line in enumerate(lines, 1) if "FILL IN" in line and line[0] != "#"}
    # The defaults; dates and limits of two challenges; the titles of three bundles.
    assert len(waiting) == 3 + 8 + 7 + 3
    capsys.readouterr()
    assert build_bundle.main(["build", "--competition", str(folder)]) == 1
    printed = " ".join(capsys.readouterr().err.split())
    assert {int(number) for number in re.findall(r"line (\d+) \S+: not filled in yet: ", printed)} == waiting
    assert printed.startswith(f"competition.yaml: {len(waiting)} problems line ")
    assert "defaults.contact_email: not filled in yet: an e-mail address for participants" in printed


@pytest.mark.parametrize("kind", KINDS)
def test_what_to_fill_in_begins_with_a_word(tmp_path, capsys, kind):
    folder = tmp_path / "own"
    assert build_bundle.main(["init", str(folder), "--new", "own_task", "--kind", kind]) == 0
    assert build_bundle.main(["build", "--competition", str(folder)]) == 1
    hints = re.findall(r"not filled in yet: (.*)", capsys.readouterr().err)
    assert hints
    assert all(re.match(r"[\[\w]", hint) for hint in hints), hints


@pytest.mark.parametrize("taken", ["a file", "a folder with something in it"])
def test_init_needs_a_new_or_empty_folder(tmp_path, capsys, taken):
    folder = tmp_path / "own"
    write_files(tmp_path, {"own" if taken == "a file" else "own/data.csv": "mine"})
    before = sorted(tmp_path.rglob("*"))
    assert build_bundle.main(["init", str(folder), "spoken_call"]) == 1
    assert f"{folder} exists already" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_init_accepts_tasks_and_bundles(tmp_path, capsys):
    assert build_bundle.main(["init", str(tmp_path / "own"), "spoken_cal"]) == 1
    assert "no task or bundle spoken_cal; did you mean spoken_call?" in capsys.readouterr().err
    assert not (tmp_path / "own").exists()
    own_folder(tmp_path / "task", ["merlion_diarization"])
    assert build_bundle.main(["init", str(tmp_path / "track"), "merlion_diarization_open"]) == 0
    for name, tracks in (("task", ["closed", "open"]), ("track", ["open"])):
        bundles = (tmp_path / name / "competition.yaml").read_text().split("bundles:")[1]
        assert re.findall(r"^  (\w+):$", bundles, re.M) == [
            f"merlion_diarization_{track}" for track in tracks
        ]


def test_all_missing_inputs_are_reported_at_once_except_those_left_out(tmp_path):
    folder = own_folder(tmp_path / "own", ["content_accuracy"])
    files = own_data("content_accuracy")
    gone = [name for name in files if "/evaluation" not in name]
    for name in gone:
        (folder / name).unlink()
    with pytest.raises(BadReference) as refusal:
        plan(Sources(ROOT, folder), [], {})
    message = str(refusal.value)
    assert message.startswith("content_accuracy: 4 inputs missing; sample data are never used instead\n")
    assert re.findall(r"^  (\w+/\S+)$", message, re.M) == [
        "reference_data/content_accuracy/development/",
        *(
            f"starting_kit/content_accuracy/data/{name}.csv"
            for name in ("development_responses", "references", "training_responses")
        ),
    ]
    assert (
        "      the labels: reference.csv: response_id, prompt_id, speaker_id, human_score, words\n" in message
    )
    assert "      or leave out: development (no phase Development)\n" in message
    assert f"Put them into {folder}." in message
    set_in(folder, "defaults", message.splitlines()[-1])
    planned = plan(Sources(ROOT, folder), [], {})
    (competition,) = planned.competitions
    assert [phase.name for phase in competition.phases] == ["Evaluation"]
    assert competition.sets == ["evaluation"]
    kit = planned.parts["content_accuracy"].starting_kit
    assert [name for name in kit if name.startswith("data/")] == ["data/evaluation_responses.csv"]
    assert not any(name.startswith("development/") for name in kit)


def test_labels_given_by_reference_need_the_other_inputs_too(tmp_path):
    files = own_data("spoken_call")
    sets = ("development", "evaluation")
    write_files(tmp_path, {name: files[f"reference_data/spoken_call/{name}/reference.csv"] for name in sets})
    given = {("spoken_call", name): tmp_path / name for name in sets}
    for labels, missing in (
        (given, r"1 input missing; .*\n\n  starting_kit/spoken_call/data/grammar.xml"),
        (dict([*given.items()][1:]), r"2 inputs missing; .*\n\n  reference_data/spoken_call/development/\n"),
    ):
        with pytest.raises(BadReference, match=missing):
            plan(Sources(ROOT), ["spoken_call"], labels)
    planned = plan(Sources(ROOT), ["spoken_call"], given, leave_out=["baseline"])
    kit = planned.parts["spoken_call"].starting_kit
    assert not any(name == "baseline.py" or name.startswith("data/") for name in kit)
    (warning,) = planned.warnings
    assert warning.startswith(
        "spoken_call: you have not set title, organiser, contact_email, data_licence, phases;"
    )
    assert "synthetic" not in page_text(planned.competitions[0], "terms.md")


@pytest.mark.parametrize(
    ("place", "text", "said"),
    [
        (
            "challenges",
            "  content_acuracy: {forum: false}",
            "content_acuracy; did you mean content_accuracy?",
        ),
        ("  content_accuracy", "    leave_out: [baselin]", "leave_out: baselin; did you mean baseline?"),
        (
            "  content_accuracy",
            "    leave_out: [development, evaluation]",
            "this leaves content_accuracy without a phase",
        ),
        ("bundles", "  mine: {title: Mine}", "no task; expected one of spoken_call, "),
        ("defaults", "  forun: false", "unknown key; did you mean forum?"),
    ],
)
def test_a_setting_without_effect_is_refused_with_its_line(own, place, text, said):
    path = own / "competition.yaml"
    if place == "  content_accuracy":  # the bundle, which follows the challenge of the same name
        before, _, bundles = path.read_text().rpartition("\n  content_accuracy:\n")
        path.write_text(f"{before}\n  content_accuracy:\n{text}\n{bundles}")
    else:
        set_in(own, place, text)
    line = path.read_text().splitlines().index(text) + 1
    with pytest.raises(OrganiserError) as refusal:
        read_competitions(Sources(ROOT, own))
    assert said in str(refusal.value)
    assert f"  line {line:<4} " in str(refusal.value)


def test_a_misspelt_task_is_refused(own):
    set_in(own, "challenges", "  psst: {tasks: {psst_correctnes: {forum: false}}}")
    words = r"psst has no task psst_correctnes; did you mean psst_correctness\?"
    with pytest.raises(OrganiserError, match=words):
        read_competitions(Sources(ROOT, own))


def test_the_folders_settings_precede_all_of_the_repositorys(own):
    """The repository sets the columns in the task, which is nearer than the defaults."""
    set_in(own, "defaults", "  columns: [{key: pearson_r, precision: 2}]\n  forum: false")
    (competition,) = read_competitions(Sources(ROOT, own))
    assert [(column.key, column.precision) for column in competition.columns] == [("pearson_r", 2)]
    assert competition["forum"] is False
    assert competition["title"] == FILLED_IN["the title"]
    assert competition["docker_image"] == "codalab/codalab-legacy:py312"  # not set, so the repository's
    assert [phase.execution_time_limit for phase in competition.phases] == [300, 300]


def test_a_folder_without_a_licence_does_not_get_the_samples(own):
    path = own / "competition.yaml"
    path.write_text(re.sub(r"  data_licence: .*\n", "", path.read_text()))
    (competition,) = read_competitions(Sources(ROOT, own))
    assert "Data licence" not in page_text(competition, "terms.md")
    assert plan(Sources(ROOT, own), [], {}).warnings == [
        "content_accuracy: you have not set data_licence; do so in the competition.yaml of a competition folder"
    ]


@pytest.mark.parametrize("date", ["2027-02-30", "2027-13"])
def test_an_impossible_date_of_the_timeline_is_refused_with_its_line(own, date):
    set_in(own, "defaults", f'  about: {{timeline: [{{date: "{date}", event: Workshop}}]}}')
    with pytest.raises(OrganiserError, match=f"line .*timeline.*{date}.; expected a UTC date"):
        read_competitions(Sources(ROOT, own))


def test_templates_fall_through_one_by_one(own):
    write_files(
        own,
        {
            "pages/content_accuracy/data.md": "# Ours\n\nAsk ${contact_email}.\n",
            "pages/terms.md": "# Our terms\n\n${data_licence}\n",
            "pages/logo.png": (ROOT / "pages/logo.png").read_bytes() + b"ours",
            "starting_kit/content_accuracy/README.md": "ours",
        },
    )
    planned = plan(Sources(ROOT, own), [], {})
    (competition,) = planned.competitions
    assert page_text(competition, "data.md") == "# Ours\n\nAsk plux@klonmub.example.\n"
    assert page_text(competition, "terms.md") == "# Our terms\n\nData licence: CC BY-NC 4.0.\n"
    assert page_text(competition, "overview.md").startswith("# Dwimfleg, a challenge\n")
    kit = planned.parts["content_accuracy"].starting_kit
    assert kit["README.md"] == b"ours"
    assert kit["content.py"] == (ROOT / "starting_kit/content_accuracy/content.py").read_bytes()
    (own / "pages/content_accuracy/data.md").write_text("${title} ${contact}\n")
    words = r"^pages/content_accuracy/data.md line 1: \$\{contact\} is not a fact"
    with pytest.raises(OrganiserError, match=words):
        plan(Sources(ROOT, own), [], {})


def test_an_own_shared_page_precedes_a_challenges_page_in_the_repository(tmp_path):
    own = own_folder(tmp_path / "own", ["merlion_diarization"])
    write_files(own, {"pages/terms.md": "Ours."})
    assert (ROOT / "pages/merlion/terms.md").is_file()
    for competition in read_competitions(Sources(ROOT, own)):
        assert page_text(competition, "terms.md") == "Ours."


def test_conditions_in_the_old_notation_give_a_warning(own):
    page = "<!-- only sample -->\nThe sample's.\n<!-- end -->\nOurs.\n"
    write_files(own, {"pages/terms.md": page, "starting_kit/content_accuracy/README.md": page})
    planned = plan(Sources(ROOT, own), [], {})
    assert page_text(planned.competitions[0], "terms.md", planned.parts["content_accuracy"]) == "Ours.\n"
    assert planned.warnings == [
        f"{name}: this is the last version that reads conditions such as <!-- only NAME -->; write {{% if NAME %}} "
        "and {% endif %} instead"
        for name in ("pages/terms.md", "starting_kit/content_accuracy/README.md")
    ]


def test_past_phases_give_a_warning_while_another_is_open(own):
    with mock.patch("speechbundles.model.dates.now", return_value=datetime(2027, 6, 22)):
        (warning,) = plan(Sources(ROOT, own), [], {}).warnings
    assert warning == "content_accuracy: phase Development ended at 2027-06-20 23:59:59"


def test_a_baseline_that_fails_everywhere_gives_a_warning_with_the_remedy(own, monkeypatch):
    failed = Baseline(failures=["baseline.py failed on the evaluation set: no memory"])
    monkeypatch.setattr("speechbundles.bundle.build.kit.run_baseline", lambda *_: failed)
    assert plan(Sources(ROOT, own), [], {}).warnings == [
        "content_accuracy: baseline.py failed on the evaluation set: no memory",
        "content_accuracy: the kit's baseline fails on every set; fix it, or remove it with leave_out: [baseline]",
    ]


def test_an_own_file_that_the_build_would_replace_is_refused(own):
    kit = own / "starting_kit/content_accuracy"
    write_files(kit, {"score.py": "", "options.json": "", "NOTES.dat": ""})
    with pytest.raises(OrganiserError, match=r"options\.json, score\.py: the build writes"):
        plan(Sources(ROOT, own), [], {})
    for name in ("score.py", "options.json"):
        (kit / name).unlink()
    assert "NOTES.dat" in plan(Sources(ROOT, own), [], {}).parts["content_accuracy"].starting_kit


def test_an_own_file_of_a_shared_kit_that_the_build_would_replace_is_refused(tmp_path):
    own = own_folder(tmp_path / "mine", ["psst_recognition"])
    write_files(own, {"starting_kit/psst/phases.json": "{}"})
    with pytest.raises(OrganiserError, match=r"starting kit: phases\.json: the build writes"):
        plan(Sources(ROOT, own), [], {})


def test_the_repository_is_the_samples_folder(tmp_path):
    sample = read_competitions(Sources(ROOT), ["content_accuracy"])
    assert read_competitions(Sources(ROOT, ROOT), ["content_accuracy"]) == sample
    assert plan(Sources(ROOT, ROOT), ["content_accuracy"], {}).warnings == []


def test_a_folder_without_competition_yaml_is_named(tmp_path, capsys):
    assert build_bundle.main(["build", "--competition", str(tmp_path)]) == 1
    words = f"{tmp_path / 'competition.yaml'}: no such file; `python build_bundle.py init`"
    assert words in " ".join(capsys.readouterr().err.split())


# How files are read


def declare(folder, text):
    """Insert settings of the task's sets into the folder's only bundle."""
    path = folder / "competition.yaml"
    settings, line, bundle = path.read_text(encoding="utf-8").rpartition("\n  content_accuracy:\n")
    path.write_text(f"{settings}{line}{text}\n{bundle}", encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "    sets: {evaluatoin: {sheet: Noten}}",
            "content_accuracy.sets.evaluatoin: content_accuracy has no set evaluatoin; did you mean evaluation?",
        ),
        (
            "    sets: {evaluation: {rename: {human_scor: Note}}}",
            "sets.evaluation.rename.human_scor: content_accuracy has no column human_scor; did you mean human_score?",
        ),
        (
            "    sets: {evaluation: {rename: {human_score: Note, words: Note}}}",
            "sets.evaluation.rename: column 'Note' is named twice",
        ),
        (
            "    sets: {evaluation: {seperator: ';'}}",
            "sets.evaluation.seperator: unknown key; did you mean separator?",
        ),
        ("    sets: {evaluation: {separator: ' '}}", "' '; expected one of , ; | or a tab"),
        (
            "    sets: {evaluation: {file: a/b.csv}}",
            "'a/b.csv'; expected the name of a file, without a folder",
        ),
        ("    sets: {evaluation: {rename: {words: 3}}}", "sets.evaluation.rename.words: 3; expected text"),
        ("    sets: {evaluation: {drop_invalid_rows: ja}}", "'ja'; expected true or false"),
    ],
)
def test_a_declaration_that_cannot_be_used_is_refused_with_its_line(own, text, said):
    declare(own, text)
    line = (own / "competition.yaml").read_text().splitlines().index(text) + 1
    with pytest.raises(OrganiserError) as refusal:
        read_competitions(Sources(ROOT, own))
    assert said in str(refusal.value)
    assert f"  line {line:<4} " in str(refusal.value)


def test_a_file_is_named_only_where_a_task_has_one(tmp_path):
    folder = own_folder(tmp_path / "own", ["merlion_diarization"])
    path = folder / "competition.yaml"
    text = "challenges:\n  merlion:\n"
    assert path.read_text().count(text) == 1
    path.write_text(path.read_text().replace(text, f"{text}    sets: {{evaluation: {{file: a.csv}}}}\n"))
    with pytest.raises(OrganiserError, match=r"has 2 files; name yours labels\.csv, regions\.csv"):
        read_competitions(Sources(ROOT, folder))


def test_a_folders_own_sheet_and_columns_are_built_with_a_warning_for_unused_labels(own):
    labels = own / "reference_data/content_accuracy/evaluation/reference.csv"
    header, *rows = labels.read_text().splitlines()
    labels.write_text(
        "\n".join([header.replace("human_score", "Note") + ";Note2", *(f"{row};1" for row in rows)]).replace(
            ",", ";"
        )
    )
    labels.rename(labels.with_name("Noten.csv"))
    declare(
        own, "    sets:\n      evaluation: {file: Noten.csv, separator: ';', rename: {human_score: Note}}"
    )
    logged: list[str] = []
    planned = plan(Sources(ROOT, own), [], {}, log=logged.append)
    reference = planned.parts["content_accuracy"].references["evaluation"]
    assert reference.files["reference.csv"].startswith(header.encode())
    assert any("Noten.csv" in line and "human_score (here Note)" in line for line in logged)
    assert (
        "content_accuracy/evaluation: Noten.csv: Note2 looks like a label and is not used; the labels are Note, words"
        in planned.warnings
    )


def test_the_repositorys_declarations_are_not_those_of_a_folder(own, tmp_path):
    assert all("sets" not in competition.settings for competition in read_competitions(Sources(ROOT, own)))
    declare(own, "    sets: {development: {drop_invalid_rows: true}}")
    (competition,) = read_competitions(Sources(ROOT, own), leave_out=["development"])
    assert competition["sets"] == {"development": {"drop_invalid_rows": True}}
