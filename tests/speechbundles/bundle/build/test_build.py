"""The build: defects that it refuses, bundles that it writes, and that equal inputs give equal bytes."""

import io
import os
import random
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

import build_bundle
from speechbundles.bundle.build.overlaps import find_overlap, is_accepted
from speechbundles.bundle.build.pages import page_texts
from speechbundles.bundle.build.plan import plan
from speechbundles.bundle.build.write import write
from speechbundles.bundle.rehearse.rehearsal import rehearse
from speechbundles.competition.read import read_competitions
from speechbundles.competition.references import load_reference
from speechbundles.model.errors import BadReference, OrganiserError
from speechbundles.model.read import read_built_bundle
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip
from speechbundles.platforms.limits import LONGEST_COLUMN_TITLE
from spokeneval.challenges import find_task, task_names
from tests.samples.programs import ROOT, repository_with, run_program, write_files

HEADER = "Id\tPrompt\tWavfile\tRecResult\tTranscription\tlanguage\tmeaning\n"
LABELS = ["correct\tcorrect", "correct\tcorrect", "incorrect\tcorrect", "incorrect\tincorrect"]
GOLD = HEADER + "".join(
    f"{i}\tFrag: Wasser\t{i}.wav\twater\twater\t{labels}\n" for i, labels in enumerate(LABELS * 10, 1)
)


ALONE = ("--leave-out", "development", "--leave-out", "baseline")
"""Options for a build with labels of the evaluation set only."""


@pytest.fixture
def copy(tmp_path):
    """A copy of the files that Spoken CALL is built from, for tests to damage."""
    programs = ("spokeneval", "scoring_program", "ingestion_program")
    for folder in (*programs, "starting_kit", "reference_data", "pages"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("competition.yaml", "competition.schema.json"):
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def rewrite(folder, *changes):
    """Replace the first occurrence of each `old, new` in `competition.yaml`; return the text before the changes."""
    path = folder / "competition.yaml"
    before = text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")
    return before


# Each defect: a text of competition.yaml, its replacement, and a part of the error message.
DEFECTS = {
    "unknown key": ("submission_rule: Force_Best", "submision_rule: Force_Best", "did you mean submission_rule?"),
    "unknown key in a column": ("precision: 4", "precison: 4", "did you mean precision?"),
    "a column's direction": ("{key: d_a,", "{key: d_a, direction: lower,", "direction of a column is set by its task"),
    "unknown rule": ("submission_rule: Force_Best", "submission_rule: Best", "expected one of Add, "),
    "unquoted date": ('start: "2027-01-11 00:00:00"', "start: 2027-01-11 00:00:00", "is not quoted"),
    "date with a zone": ('start: "2027-01-11 00:00:00"', 'start: "2027-01-11T00:00:00Z"', "expected a UTC date"),
    "no such day": ('end: "2027-02-28 23:59:59"', 'end: "2027-02-30 23:59:59"', "expected a UTC date"),
    "end before start": ('end: "2027-02-28 23:59:59"', 'end: "2027-01-01 23:59:59"', "not after its start"),
    "phases overlap": ('start: "2027-03-01 00:00:00"', 'start: "2027-02-28 23:59:59"', "not after the end"),
    "no end": ('        end: "2027-02-28 23:59:59"\n', "", "has no end, but phase Evaluation follows it"),
    "unknown column": ("{key: d_a,", "{key: d_aa,", "column d_aa is not written"),
    "column twice": ("{key: d_a,", "{key: d,", "duplicate column d"),
    "primary not first": ("{key: d_full,", "{key: ca,", "expected the primary score, d_full"),
    "unknown option": ("class_sizes: public", "class_size: public", "unknown option class_size"),
    "unknown value": ("fifty_percent_rule: flag", "fifty_percent_rule: warn", "expected one of flag, reject"),
    "unknown task": ("task: spoken_call", "task: spoken_cal", "did you mean spoken_call?"),
    "key twice": ("forum: true", "forum: true\n  forum: false", "duplicate key; first on line"),
    "missing page": ("file: overview.md", "file: overviw.md", "page overviw.md is neither in"),
    "missing image": ("image: pages/logo.png", "image: pages/log.png", "image pages/log.png is missing"),
    "image without a tag": ("codalab-legacy:py312", "codalab-legacy", "expected an image with a fixed tag"),
    "latest image": ("codalab-legacy:py312", "codalab-legacy:latest", "expected an image with a fixed tag"),
    "no title": ("    title: Spoken CALL — accept or reject learners' responses\n", "", "no title"),
    "limit of 0": ("max_submissions_per_day: 10", "max_submissions_per_day: 0", "minimum of 1"),
    "mail address": ("organisers@example.org", "organisers at example.org", "expected an address such as organisers@"),
    "a path out of here": ("image: pages/logo.png", "image: ../logo.png", "1 problem"),
    "a name of two words": ("  spoken_call:\n        options", "  Spoken Call:\n        options", "expected a name of"),
    "a key of capitals": ("{key: d_full,", "{key: D-full,", "expected a key of lower-case letters"),
    "a queue's name": ("  # queue: 00000000-0000-0000-0000-000000000000", "  queue: mine", "such as 01234567-89ab-"),
    "date without a time": ('start: "2027-01-11 00:00:00"', "start: 2027-01-11", 'write "2027-01-11 00:00:00"'),
    "missing terms": ("terms: terms.md", "terms: agreement.md", "page agreement.md is neither in"),
    "no such hour": ('start: "2027-03-01 00:00:00"', 'start: "2027-03-01 25:00:00"', "expected a UTC date"),
    "not a number": ("precision: 4", "precision: four", "expected a whole number"),
    "a sealed share of all": ("# sealed: 0.5 ", "sealed: 1 ", "1; expected a share above 0 and below 1, such as 0.5"),
    "a sealed share below nothing": ("# sealed: 0.5 ", "sealed: -0.5 ", "-0.5; expected a share above 0 and below 1"),
    "a sealed share in words": ("# sealed: 0.5 ", "sealed: half ", "'half'; expected a number"),
    "another word for feedback": ("feedback: coarse", "feedback: rough", "'rough'; expected one of exact, coarse"),
    "an empty text": ("organiser: The organisers", "organiser: ''", "''; expected text that is not blank"),
    "a blank text": ("data_licence: MIT, for the synthetic sample data", "data_licence: ' '", "' '; expected text"),
    "a blank title": ("{title: Overview,", '{title: "\\t\\n",', "expected text that is not blank"),
    "a blank description": ("description: Accept a response if it", 'description: " " #', "expected text"),
    "a blank question": ('title: "Pre-trained model: URL (or none)"', "title: ' '", "expected text that is not blank"),
    "a phase twice": ("- name: Evaluation", "- name: Development", "duplicate phase name Development"),
}  # fmt: skip


@pytest.mark.parametrize("name", task_names())
def test_the_titles_of_a_tasks_columns_differ_and_fit_both_platforms(name):
    titles = [column.title for column in find_task(name).columns]
    assert len(set(titles)) == len(titles)
    assert max(map(len, titles)) <= LONGEST_COLUMN_TITLE == 36


def test_a_title_that_a_platform_would_cut_is_refused_with_its_line(monkeypatch):
    monkeypatch.setattr("speechbundles.competition.settings.LONGEST_COLUMN_TITLE", 15)
    with pytest.raises(
        OrganiserError, match=r"line 84 .*the title of d_full_low, 'Dfull from \(95 %\)', has more"
    ):
        read_competitions(Sources(ROOT), ["spoken_call"])


# Defects that are reported at the line of the phase, the bundle or the key's other occurrence.
_SHOWN_ELSEWHERE = {"no end", "no title", "column twice", "key twice"}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_in_competition_yaml_is_refused_with_its_line(copy, defect):
    good, bad, said = DEFECTS[defect]
    text = rewrite(copy, (good, bad))
    with pytest.raises(OrganiserError) as refusal:
        read_competitions(Sources(copy), ["spoken_call"])
    message = str(refusal.value)
    assert said in message
    changed = text[: text.index(good)].count("\n") + 1
    where = f"  line {changed:<4} "
    assert where in message or defect in _SHOWN_ELSEWHERE


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("feedback: exact", "feedback is exact here and coarse in"),
        ("detailed_results: false", "detailed_results is False here and True in"),
        ("public_sets: [development, evaluation]", "public_sets is ['development', 'evaluation'] here and ['dev"),
        ("phases: [{name: A, start: '2027-01-11 00:00:00', reference: evaluation, max_submissions_per_day: 1, "
         "max_submissions: 3, execution_time_limit: 60, hide_scores: true}]", "hide_scores is True here and False in"),
    ],
)  # fmt: skip
def test_two_bundles_with_the_same_programs_have_the_same_secrets(copy, setting, said):
    """Otherwise one bundle could reveal what the other one hides about the same labels."""
    title = "title: MERLIon CCS Task 1 — language identification, open track"
    rewrite(copy, (title, f"{title}\n    {setting}"))
    with pytest.raises(OrganiserError, match="1 problem") as refusal:
        read_competitions(Sources(copy))
    both = "merlion_identification_closed; both need the same value, because they share labels and programs"
    assert said in str(refusal.value)
    assert both in str(refusal.value)


def test_a_defect_that_four_challenges_share_is_reported_once_where_it_is_defined(copy):
    text = rewrite(copy, ("max_submissions: 500", "max_submissions: 0"))
    with pytest.raises(OrganiserError) as refusal:
        read_competitions(Sources(copy))
    assert str(refusal.value).splitlines()[2:] == [
        "  line 64   challenges.spoken_call.phases[0].max_submissions: 0 is less than the minimum of 1"
    ]
    assert text.count("*half_a_year") == 3


def test_all_defects_are_reported_at_once(copy):
    text = rewrite(copy, ("forum: true", "forun: true"), ("{key: fer,", "{key: FER,"))
    with pytest.raises(OrganiserError, match="2 problems") as refusal:
        read_competitions(Sources(copy))
    line = text[: text.index("forum")].count("\n") + 1
    assert f"line {line:<4} defaults.forun: unknown key; did you mean forum?" in str(refusal.value)


def test_the_command_prints_the_refusal_and_writes_nothing(copy, capsys, monkeypatch):
    monkeypatch.setattr("speechbundles.cli.build.ROOT", copy)
    rewrite(copy, ("forum: true", "forun: true"))
    assert build_bundle.main(["build", "spoken_call", "--out", str(copy / "dist")]) == 1
    printed = capsys.readouterr()
    assert "Nothing was built." in printed.err
    assert not (copy / "dist").exists()


def build(out, *arguments, **environment):
    """Run the command as an organiser does; in a new Python process if environment variables are given."""
    command = [str(ROOT / "build_bundle.py"), "build", "spoken_call", "--out", str(out), *arguments]
    if not environment:
        return run_program(*command, cwd=out.parent)
    environment = {**os.environ, **environment}
    return subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True)


@pytest.mark.thorough
def test_the_same_inputs_give_the_same_bytes_anywhere(tmp_path):
    first, second = tmp_path / "here", tmp_path / "else where" / "out"
    second.parent.mkdir()
    assert build(first, TZ="UTC", LC_ALL="C", PYTHONHASHSEED="1").returncode == 0
    umask = os.umask(0o077)
    try:
        assert build(second, TZ="Asia/Tokyo", LC_ALL="C.UTF-8", PYTHONHASHSEED="2").returncode == 0
    finally:
        os.umask(umask)
    files = sorted(path.relative_to(first) for path in first.rglob("*.zip"))
    assert len(files) == 2
    for file in files:
        assert (first / file).read_bytes() == (second / file).read_bytes()


def test_own_labels_replace_the_samples_without_changing_the_repository(tmp_path):
    before = (ROOT / "reference_data/spoken_call/evaluation/reference.csv").read_bytes()
    (tmp_path / "gold.csv").write_text(GOLD)
    own = ("--reference", f"spoken_call={tmp_path / 'gold.csv'}")
    done = build(tmp_path / "dist", *own, "--platform", "codabench", *ALONE)
    assert done.returncode == 0, done.stderr
    assert (ROOT / "reference_data/spoken_call/evaluation/reference.csv").read_bytes() == before
    with zipfile.ZipFile(tmp_path / "dist/codabench/spoken_call.zip") as bundle:
        with zipfile.ZipFile(io.BytesIO(bundle.read("reference_data.zip"))) as reference:
            assert reference.read("reference.csv").decode() == GOLD
        with zipfile.ZipFile(io.BytesIO(bundle.read("input_data.zip"))) as public:
            assert b"correct" not in public.read("test_sheet.csv")
            assert public.namelist() == ["class_sizes.json", "test_sheet.csv"]


def test_invalid_labels_stop_the_build_with_their_rows_named(tmp_path):
    rows = GOLD.splitlines(keepends=True)
    broken = "".join([*rows[:2], HEADER, *rows[2:], "41\tp\tw\tr\tt\tcorrect\tincorrect\n"])
    (tmp_path / "gold.csv").write_text(broken)
    argument = f"spoken_call/evaluation={tmp_path / 'gold.csv'}"
    done = build(tmp_path / "dist", "--reference", argument, *ALONE)
    assert done.returncode == 1
    assert "line 3    a header row in mid-file" in done.stderr
    assert "line 43   Id 41: language is correct but meaning incorrect" in done.stderr
    assert not (tmp_path / "dist").exists()

    done = build(tmp_path / "dist", "--reference", argument, "--drop-invalid-reference-rows", *ALONE)
    assert done.returncode == 0, done.stderr
    assert "left out gold.csv line 3: a header row in mid-file" in done.stderr
    left_out = "left out gold.csv line 43: Id 41: language is correct but meaning incorrect"
    assert left_out in " ".join(done.stderr.split())
    with zipfile.ZipFile(tmp_path / "dist/codabench/spoken_call.zip") as bundle:
        inner = io.BytesIO(bundle.read("reference_data.zip"))
    with zipfile.ZipFile(inner) as reference:
        kept = reference.read("reference.csv").decode()
    assert [line for line in kept.splitlines() if line] == GOLD.splitlines()


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("spoken_call", "expected TASK=PATH"),
        ("spoken_cal=gold.csv", "no bundle to build has this set; the sets are spoken_call/evaluation"),
        ("spoken_call/test=gold.csv", "no bundle to build has this set"),
        ("spoken_call=nowhere.csv", "expected a file or a folder"),
    ],
)
def test_an_invalid_reference_argument_is_refused(tmp_path, argument, said):
    done = build(tmp_path / "dist", "--reference", argument, *ALONE)
    assert done.returncode == 1
    assert said in " ".join(done.stderr.split())


@pytest.mark.thorough
def test_hidden_items_in_training_data_give_a_warning(copy):
    assert plan(Sources(copy), ["caller_experience"], {}).warnings == []
    hidden = (copy / "reference_data/caller_experience/evaluation/reference.csv").read_text().split("\n")
    training = copy / "starting_kit/caller_experience/data/training_calls.csv"
    columns = training.read_text().split("\n")[1].split(",")[1:]
    with training.open("a") as file:
        file.writelines(",".join([row.split(",")[0], *columns]) + "\n" for row in hidden[1:4])
    (warning,) = plan(Sources(copy), ["caller_experience"], {}).warnings
    assert warning.startswith("caller_experience: data/training_calls.csv contains 3 of the ")
    assert "ids of the hidden set evaluation; if its rows describe the same items" in warning


@pytest.mark.thorough
def test_a_competition_without_hidden_labels_gives_a_warning(copy):
    warnings = plan(Sources(copy), ["spoken_call"], {}).warnings
    assert not any("hidden labels" in warning for warning in warnings)
    rewrite(copy, ("reference: evaluation\n", "reference: development\n"))
    assert plan(Sources(copy), ["spoken_call"], {}).warnings == [
        "spoken_call: no phase has hidden labels; the labels of all sets are in the starting kit"
    ]


def test_a_public_set_with_the_files_of_a_hidden_one_is_refused(tmp_path):
    (tmp_path / "gold.csv").write_text(GOLD)
    own = {("spoken_call", name): tmp_path / "gold.csv" for name in ("development", "evaluation")}
    with pytest.raises(BadReference, match="the starting kit would reveal the hidden labels"):
        plan(Sources(ROOT), ["spoken_call"], own, leave_out=["baseline"])


def test_two_hidden_sets_with_the_same_ids_are_refused(tmp_path, copy):
    rewrite(copy, ("public_sets: [development]", "public_sets: []"))
    corrected = GOLD.replace("incorrect", "correct", 1)
    assert corrected != GOLD
    own = write_files(tmp_path / "own", {"development.csv": GOLD, "evaluation.csv": corrected})
    sets = {("spoken_call", path.stem): path for path in own.iterdir()}
    with pytest.raises(BadReference, match="hidden sets development and evaluation have the same ids"):
        plan(Sources(copy), ["spoken_call"], sets, leave_out=["baseline"])


def test_a_folder_without_the_reference_is_refused_with_its_content(tmp_path):
    write_files(tmp_path, {"gold.csv": GOLD})
    with pytest.raises(BadReference, match=r"no reference.csv; found gold.csv"):
        load_reference(find_task("spoken_call"), "evaluation", tmp_path, {})


@pytest.mark.thorough
def test_the_option_reject_on_hidden_labels_gives_a_warning(copy):
    rewrite(copy, ("fifty_percent_rule: flag", "fifty_percent_rule: reject"))
    (warning,) = plan(Sources(copy), ["spoken_call"], {}).warnings
    assert "fifty_percent_rule: reject applies to hidden labels (phase Evaluation)" in warning


@pytest.mark.thorough
def test_a_gap_between_phases_becomes_a_closed_phase_on_codalab(tmp_path):
    planned = plan(Sources(ROOT), ["merlion_identification_closed"], {})
    (built,) = write(planned, ["codalab"], tmp_path)
    with zipfile.ZipFile(built.path) as bundle:
        phases = yaml.safe_load(bundle.read("competition.yaml"))["phases"]
    shown = [
        (phase["label"], phase["start_date"], phase["max_submissions_per_day"]) for phase in phases.values()
    ]
    assert shown == [
        ("Evaluation", "2023-02-16 00:00:00", 3),
        ("Closed after Evaluation", "2023-03-01 00:00:00", 0),
        ("Post-evaluation", "2023-03-10 00:00:00", 3),
    ]


def test_the_command_counts_one_of_a_kind_in_the_singular(copy, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("speechbundles.cli.build.ROOT", copy)
    title = "title: Spoken CALL"
    rewrite(copy, (title, f"columns: [{{key: d_full, precision: 4}}]\n    {title}"))
    arguments = ["build", "spoken_call", "--platform", "codabench", "--out", str(tmp_path / "dist"), *ALONE]
    assert build_bundle.main(arguments) == 0
    errors = capsys.readouterr().err
    assert re.search(r"^1 bundle in [0-9.]+ s: 1 without findings$", errors, re.MULTILINE)


def test_the_command_lists_what_it_built_and_checks_it(tmp_path, capsys):
    out = tmp_path / "dist"
    both = ("--platform", "codabench", "--platform", "codalab")
    assert build_bundle.main(["build", "spoken_call", *both, "--out", str(out)]) == 0
    printed = capsys.readouterr()
    row = r"  spoken_call\.zip  \d+ kB  ok  sha256 [0-9a-f]{12}\n"
    folders = [re.escape(f"{out / platform}\n") for platform in ("codabench", "codalab")]
    assert re.fullmatch("".join(f"{folder}{row}" for folder in folders), printed.out)
    assert printed.err.endswith(" s: 2 without findings\n")
    assert build_bundle.main(["check", *map(str, sorted(out.glob("*/*.zip")))]) == 0
    line = "spoken_call.zip: ok"
    assert capsys.readouterr().out.splitlines() == [f"{out}/codabench", line, f"{out}/codalab", line]
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"no zip")
    assert build_bundle.main(["check", str(broken)]) == 1
    assert build_bundle.main(["rehearse", str(broken), str(broken)]) == 2


@pytest.mark.thorough
def test_a_bundle_with_warnings_does_not_count_as_one_without_findings(copy, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("speechbundles.cli.build.ROOT", copy)
    monkeypatch.setenv("COLUMNS", "80")
    rewrite(copy, ("        max_submissions: 3\n", "        max_submissions: 4\n"))
    arguments = ["build", "spoken_call", "--platform", "codabench", "--out", str(tmp_path / "dist")]
    assert build_bundle.main(arguments) == 0
    printed = capsys.readouterr()
    assert "kB  1 warning  sha256 " in printed.out
    assert " ok " not in printed.out
    findings, counts = printed.err.rstrip("\n").rsplit("\n", 1)
    assert findings.startswith("\ncodabench: spoken_call.zip\n1 warning\n\nwarning  phase 'Evaluation'")
    assert max(map(len, findings.splitlines())) <= 80
    assert counts.endswith(" s: 1 with warnings")


def test_hidden_scores_hide_the_board_the_output_and_the_report(copy):
    evaluation = "        reference: evaluation\n"
    rewrite(copy, (evaluation, f"{evaluation}        hide_scores: true\n"))
    planned = plan(Sources(copy), ["spoken_call"], {})
    built = {one.platform: one for one in write(planned, ["codabench", "codalab"], copy / "dist")}
    competitions = {}
    for platform, one in built.items():
        assert [finding for finding in one.findings if finding.level == "error"] == []
        with zipfile.ZipFile(one.path) as bundle:
            competitions[platform] = yaml.safe_load(bundle.read("competition.yaml"))
    assert competitions["codabench"]["phases"][1]["hide_output"] is True
    assert competitions["codabench"]["leaderboards"][0]["hidden"] is True
    assert competitions["codabench"]["enable_detailed_results"] is False
    assert competitions["codalab"]["phases"][2]["leaderboard_management_mode"] == "hide_results"
    submission = copy / "submission.zip"
    submission.write_bytes(make_zip(planned.parts["spoken_call"].solutions["evaluation"]))
    assert [rehearse(one.path, submission).status for one in built.values()] == ["Finished"] * 2


@pytest.mark.thorough
def test_submissions_that_wait_need_a_platform_that_can_hold_them(copy):
    evaluation = "        reference: evaluation\n"
    hidden = evaluation, f"{evaluation}        hide_scores: true\n"
    rewrite(copy, hidden, ("auto_run_submissions: true", "auto_run_submissions: false"))
    planned = plan(Sources(copy), ["spoken_call"], {})
    with pytest.raises(
        OrganiserError, match="codalab runs every submission at once; build it with --platform codab"
    ):
        list(write(planned, ["codabench", "codalab"], copy / "dist"))
    assert not (copy / "dist").exists()
    (built,) = write(planned, ["codabench"], copy / "dist")
    assert built.findings == ()
    assert read_built_bundle(built.path).auto_run is False


def test_the_data_licence_is_on_the_terms_page(copy):
    (competition,) = read_competitions(Sources(copy), ["spoken_call"])
    assert "Data licence: MIT, for the synthetic sample data." in page_texts(competition)["terms.md"]
    text = re.sub(r"  data_licence: .*\n", "", (copy / "competition.yaml").read_text(encoding="utf-8"))
    (copy / "competition.yaml").write_text(text, encoding="utf-8")
    (competition,) = read_competitions(Sources(copy), ["spoken_call"])
    assert "Data licence" not in page_texts(competition)["terms.md"]


def test_a_path_with_a_dot_in_it_is_a_path_like_any_other(copy):
    hidden = Path(copy, ".hidden", "checkout")
    hidden.parent.mkdir()
    for path in list(copy.iterdir()):
        if path.name != ".hidden":
            hidden.mkdir(exist_ok=True)
            shutil.move(path, hidden / path.name)
    assert (
        "spokeneval/__init__.py"
        in plan(Sources(hidden), ["spoken_call"], {}).parts["spoken_call"].scoring_program
    )


@pytest.mark.parametrize(
    "content", [GOLD.replace("\t", "|"), "\x89PNG\r\n\x1a\n\0\0", "call_id,human1\n1,2\n"]
)
def test_a_file_without_any_labels_ends_the_build_at_once(tmp_path, content):
    (tmp_path / "gold.csv").write_text(content)
    argument = f"spoken_call={tmp_path / 'gold.csv'}"
    for option in ([], ["--drop-invalid-reference-rows"]):
        done = build(tmp_path / "dist", "--reference", argument, *option, *ALONE)
        assert done.returncode == 1
        assert "leaves such rows out" not in done.stderr
        assert "Nothing was built." in done.stderr


def test_rows_left_out_are_listed_even_if_no_usable_ones_remain(tmp_path):
    (tmp_path / "gold.csv").write_text(GOLD.replace("\tincorrect\t", "\tIncorrect\t"))
    own = ("--reference", f"spoken_call={tmp_path / 'gold.csv'}")
    done = build(tmp_path / "dist", *own, "--drop-invalid-reference-rows", *ALONE)
    assert done.returncode == 1
    assert "20 rows were left out" in done.stderr
    assert "line 4: Id 3: language 'Incorrect'" in done.stderr


def test_a_set_given_twice_and_a_public_set_that_does_not_exist_are_refused(tmp_path, copy):
    (tmp_path / "gold.csv").write_text(GOLD)
    argument = f"spoken_call={tmp_path / 'gold.csv'}"
    done = build(tmp_path / "dist", "--reference", argument, "--reference", argument)
    assert "names the same set twice" in done.stderr
    rewrite(copy, ("public_sets: [development]", "public_sets: [developement]"))
    with pytest.raises(BadReference, match=r"missing; .*\n\n  reference_data/spoken_call/developement/\n"):
        plan(Sources(copy), ["spoken_call"], {})


def test_a_bundle_that_leaks_is_refused_and_deleted(tmp_path, copy, monkeypatch, capsys):
    sheet = (copy / "reference_data/spoken_call/evaluation/reference.csv").read_text(encoding="utf-8")
    rows = ["\t".join(reversed(row.split("\t"))) for row in sheet.splitlines()[:500]]
    (tmp_path / "development.csv").write_text("\n\n" + "\n".join(rows) + "\n", encoding="utf-8")
    monkeypatch.setattr("speechbundles.cli.build.ROOT", copy)
    (tmp_path / "development.csv").replace(copy / "reference_data/spoken_call/development/reference.csv")
    arguments = ["build", "spoken_call", "--out", str(tmp_path / "dist")]
    assert build_bundle.main(arguments) == 1
    printed = capsys.readouterr().err
    shared = "hidden set spoken_call/evaluation shares 499 rows with public set spoken_call/development"
    assert shared in " ".join(printed.split())
    advice = printed[printed.index("  accepted_overlaps:") : printed.index("\n\nNothing was built")]
    rewrite(copy, ("  options: {}", f"  options: {{}}\n{advice}"))
    assert build_bundle.main(arguments) == 1
    done = capsys.readouterr()
    warning = "warning: spoken_call: accepted_overlaps: hidden set spoken_call/evaluation shares 499 rows"
    assert warning in " ".join(done.err.split())
    assert "leak-column" in done.err
    assert done.out.count("not written") == 1
    assert not list((tmp_path / "dist").rglob("*.zip"))


def test_a_part_of_the_hidden_set_in_a_public_one_is_refused(tmp_path):
    hidden = ROOT / "reference_data/psst_correctness/evaluation/utterances.tsv"
    public = ROOT / "reference_data/psst_correctness/development/utterances.tsv"
    joined = public.read_text(encoding="utf-8") + "".join(
        hidden.read_text(encoding="utf-8").splitlines(keepends=True)[-20:]
    )
    for task in ("psst_correctness", "psst_recognition"):  # either task's public set reveals them
        changed = {f"reference_data/{task}/development/utterances.tsv": joined}
        root = repository_with(tmp_path / task, changed)
        with pytest.raises(BadReference, match=r"^hidden set psst_.*/evaluation shares 20 rows"):
            plan(Sources(root), ["psst_correctness", "psst_recognition"], {})


SPOKEN_CALL = ROOT / "reference_data/spoken_call"
PROMPTS = ("Frag: Zimmer", "Sag: ja", "Frag: Kaffee", "Sag: nein")


def overlap(tmp_path, public, hidden):
    """Return the overlap of two Spoken CALL sheets."""
    sets = {}
    for name, text in (("development", public), ("evaluation", hidden)):
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
        sets[name] = load_reference(find_task("spoken_call"), name, tmp_path / f"{name}.csv", {})
    return find_overlap(sets["development"], sets["evaluation"])


def with_hidden_rows(count, **new):
    """Return the public sheet with added rows of the hidden one; `new` replaces columns, with a number for `{}`."""
    public, hidden = (
        (SPOKEN_CALL / name / "reference.csv").read_text(encoding="utf-8")
        for name in ("development", "evaluation")
    )
    header, *rows = [row.split("\t") for row in hidden.splitlines()]
    places = {header.index(f'"{column}"'): value for column, value in new.items()}
    rows = [
        [places[place].format(number) if place in places else cell for place, cell in enumerate(row)]
        for number, row in enumerate(random.Random(0).sample(rows, count))
    ]
    return public + "".join("\t".join(row) + "\n" for row in rows), hidden


@pytest.mark.default_cases("new0", "new2", "new4")
@pytest.mark.parametrize(
    ("count", "new", "found"),
    [
        (20, {"Id": '"new{}"'}, "20 rows with the same wavfile;"),
        (450, {"Id": '"new{}"'}, "450 rows with the same wavfile;"),
        (450, {"Id": '"new{}"', "RecResult": '"heard {}"'}, "450 rows with the same wavfile;"),
        (
            1000,
            {"Id": '"new{}"', "Wavfile": '"new{}.wav"'},
            "rows with the same prompt, recresult, transcription,",
        ),
        (
            300,
            {"Id": '"new{}"', "Wavfile": '"new{}.wav"'},
            "rows with the same prompt, recresult, transcription,",
        ),
    ],
)
def test_hidden_rows_under_other_names_are_found(tmp_path, count, new, found):
    shared = overlap(tmp_path, *with_hidden_rows(count, **new))
    assert found in shared.evidence[0]
    assert shared.rows == count or "prompt" in found
    row, line = (int(number) for number in re.findall(r"line (\d+)", shared.evidence[0]))
    sheets = [(tmp_path / f"{name}.csv").read_text().splitlines() for name in ("evaluation", "development")]
    assert sheets[0][row - 1].split("\t")[4:7] == sheets[1][line - 1].split("\t")[4:7]


def prompted(seed, first, rows, prompts=PROMPTS, answers=("{}", "{} please")):
    """Return a sheet numbered from `first` with few prompts in turn, and so few different answers."""
    generator = random.Random(seed)
    lines = []
    for number in range(first, first + rows):
        prompt = prompts[number % len(prompts)]
        answer = generator.choice(answers).format(prompt[5:])
        labels = generator.choice(["correct\tcorrect"] * 3 + ["incorrect\tcorrect", "incorrect\tincorrect"])
        lines.append(f"{number}\t{prompt}\t{number}.wav\t{answer}\t{answer}\t{labels}\n")
    return HEADER + "".join(lines)


@pytest.mark.parametrize("rows", [20, 100, 1000])
@pytest.mark.parametrize("first", [(1, 1), (1, 5001), (5001, 5001)])
def test_fixed_prompts_and_numbers_from_one_are_no_overlap(tmp_path, rows, first):
    assert overlap(tmp_path, prompted(1, first[0], rows), prompted(2, first[1], rows)) is None


def test_a_prompt_a_row_that_fixes_the_answer_is_no_overlap_unless_labels_agree(tmp_path):
    prompts = [f"Frag: Zimmer {number}" for number in range(300)]
    sheets = [prompted(seed, first, 300, prompts, ["{}"]) for seed, first in ((1, 1), (2, 301), (1, 301))]
    assert overlap(tmp_path, sheets[0], sheets[1]) is None
    relabelled = sheets[0].replace("\n1\t", "\nx\t")  # the same rows with other ids
    renamed = re.sub(r"(?m)^\d+|\d+\.wav", "y\\g<0>", sheets[0])
    assert overlap(tmp_path, relabelled, renamed).rows == 300


def test_an_overlap_is_accepted_by_its_sets_and_up_to_its_rows(tmp_path):
    shared = overlap(tmp_path, *with_hidden_rows(20, Id='"new{}"'))
    entry = {"hidden": "spoken_call/evaluation", "public": "spoken_call/development", "rows": 20}
    assert is_accepted(shared, [entry])
    for other in ({"rows": 19}, {"hidden": "spoken_call/other"}, {"public": "psst_recognition/development"}):
        assert not is_accepted(shared, [{**entry, **other}])


def test_a_sheet_without_header_is_built(tmp_path):
    sheet = (ROOT / "reference_data/spoken_call/evaluation/reference.csv").read_text(encoding="utf-8")
    (tmp_path / "reference.csv").write_text("\n" + sheet.partition("\n")[2], encoding="utf-8")
    done = build(tmp_path / "dist", "--reference", f"spoken_call={tmp_path / 'reference.csv'}", *ALONE)
    assert done.returncode == 0, done.stderr
    assert "1 bundle in" in done.stderr
    assert done.stderr.endswith(" s: 1 with warnings\n")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (b"It costs $500.\n", "line 3: $ is not a fact; ${name} can be title, description, "),
        (
            b"${colums}\n",
            "line 3: ${colums} is not a fact; did you mean ${columns}? Write $$ for a dollar sign",
        ),
        (b"caf\xe9\n", "line 3: not UTF-8; save it as UTF-8"),
    ],
)
def test_a_page_that_cannot_be_filled_in_is_named_with_its_line(copy, monkeypatch, written, said):
    (copy / "pages" / "terms.md").write_bytes(b"# ${title}\n$$ 5\n" + written)
    with pytest.raises(OrganiserError) as refusal:
        plan(Sources(copy), ["spoken_call"], {})
    assert str(refusal.value).startswith(f"pages/terms.md {said}"), refusal.value


@pytest.mark.thorough
def test_a_path_that_cannot_be_used_is_named_and_not_traced(tmp_path, capsys):
    taken, absent = tmp_path / "taken", tmp_path / "no.zip"
    taken.write_text("no zip")
    assert build_bundle.main(["build", "spoken_call", "--out", str(tmp_path / "dist")]) == 0
    bundle = str(tmp_path / "dist" / "codabench" / "spoken_call.zip")
    scored = write_files(tmp_path / "scored", {"statistics.json": "{}"})
    capsys.readouterr()
    for arguments, status, expected in (
        (
            ["build", "spoken_call", "--out", taken / "x"],
            1,
            f"{taken / 'x' / 'codabench'}: Not a directory; the",
        ),
        (["check", tmp_path], 2, f"{tmp_path}: is a folder; expected the zip of a bundle\n"),
        (["check", absent], 2, f"{absent}: No such file or directory\n"),
        (["rehearse", absent, taken], 2, f"{absent}: No such file or directory; expected a bundle's zip\n"),
        (["rehearse", taken, taken], 2, f"{taken}: is not a zip; expected a bundle's zip\n"),
        (["rehearse", bundle, absent], 2, f"{absent}: no such file; expected the zip of a submission\n"),
        (["rehearse", bundle, tmp_path], 2, f"{tmp_path}: is a folder; expected the zip of a submission\n"),
        (["rehearse", bundle, bundle, "--keep", taken / "x"], 2, f"{taken / 'x'}: Not a directory\n"),
        (["season", bundle, absent], 2, f"{absent}: expected a folder with one folder for each team\n"),
        (["rank", scored], 1, "No leaderboard: "),
    ):
        assert build_bundle.main(list(map(str, arguments))) == status
        assert " ".join(capsys.readouterr().err.split()).startswith(" ".join(expected.split()))
