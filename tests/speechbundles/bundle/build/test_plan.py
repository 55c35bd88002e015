"""Plans of bundles of an organiser's folder: warnings, and files that the build would replace."""

from datetime import datetime
from itertools import chain
from unittest import mock

import pytest

from speechbundles.bundle.build.baseline import BaselineRuns
from speechbundles.bundle.build.plan import plan
from speechbundles.bundle.build.unsaid import same_rules
from speechbundles.competition.references import load_reference
from speechbundles.model.errors import BadReference, OrganiserError
from speechbundles.model.sources import Sources
from spokeneval.challenges import find_task
from tests.samples.damaged_copy import GOLD, rewrite
from tests.samples.own_competition import own_folder
from tests.samples.programs import ROOT, write_files


def test_past_phases_give_a_warning_while_another_is_open(own):
    with mock.patch("speechbundles.model.dates.now", return_value=datetime(2027, 6, 22)):
        (warning,) = plan(Sources(ROOT, own), [], {}).warnings
    assert warning == "content_accuracy: phase Development ended at 2027-06-20 23:59:59"


def test_a_baseline_that_fails_everywhere_gives_a_warning_with_the_remedy(own, monkeypatch):
    failed = BaselineRuns(failures=["baseline.py failed on the evaluation set: no memory"])
    monkeypatch.setattr("speechbundles.bundle.build.kit.run_baseline", lambda *_: failed)
    reason, remedy = plan(Sources(ROOT, own), [], {}).warnings
    assert reason == f"content_accuracy: {failed.failures[0]}"
    assert "leave_out: [baseline]" in remedy


def test_an_own_file_that_the_build_would_replace_is_refused(own):
    kit = own / "starting_kit/content_accuracy"
    write_files(kit, {"score.py": "", "options.json": "", "NOTES.dat": ""})
    with pytest.raises(OrganiserError, match=r"options\.json, score\.py: the build writes"):
        plan(Sources(ROOT, own), [], {})
    for name in ("score.py", "options.json"):
        (kit / name).unlink()
    assert "NOTES.dat" in plan(Sources(ROOT, own), [], {}).parts["content_accuracy"].starting_kit


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


@pytest.mark.thorough
def test_a_competition_without_hidden_labels_gives_a_warning(copy):
    warnings = plan(Sources(copy), ["spoken_call"], {}).warnings
    assert not any("hidden labels" in warning for warning in warnings)
    rewrite(copy, ("reference: evaluation\n", "reference: development\n"))
    (warning,) = plan(Sources(copy), ["spoken_call"], {}).warnings
    assert warning.startswith("spoken_call: no phase has hidden labels")


def test_a_public_set_with_the_files_of_a_hidden_one_is_refused(tmp_path):
    (tmp_path / "gold.csv").write_text(GOLD)
    own = {("spoken_call", name): tmp_path / "gold.csv" for name in ("development", "evaluation")}
    with pytest.raises(BadReference, match="the starting kit would reveal the hidden labels"):
        plan(Sources(ROOT), ["spoken_call"], own, leave_out=["baseline"])


def test_the_problems_of_all_sets_are_in_one_refusal(tmp_path):
    damaged = GOLD.replace("incorrect", "wrong", 1)
    line = damaged[: damaged.index("wrong")].count("\n") + 1
    own = write_files(tmp_path / "own", {"development.csv": damaged, "evaluation.csv": "Id\n"})
    sets = {("spoken_call", path.stem): path for path in own.iterdir()}
    with pytest.raises(BadReference) as refusal:
        plan(Sources(ROOT), ["spoken_call"], sets, leave_out=["baseline"])
    first, second = str(refusal.value).split(f"{own}/evaluation.csv: reference of")
    assert first.startswith(f"{own}/development.csv: ")
    assert f"line {line} " in first
    assert "line 1    no column" in second


def test_two_hidden_sets_with_the_same_ids_are_refused(tmp_path, copy):
    rewrite(copy, ("public_sets: [development]", "public_sets: []"))
    corrected = GOLD.replace("incorrect", "correct", 1)
    assert corrected != GOLD
    own = write_files(tmp_path / "own", {"development.csv": GOLD, "evaluation.csv": corrected})
    sets = {("spoken_call", path.stem): path for path in own.iterdir()}
    with pytest.raises(BadReference, match="hidden sets development and evaluation have the same ids"):
        plan(Sources(copy), ["spoken_call"], sets, leave_out=["baseline"])


def test_a_folder_with_several_tables_is_refused_with_its_content(tmp_path):
    load_reference(find_task("spoken_call"), "evaluation", write_files(tmp_path, {"gold.csv": GOLD}), {})
    write_files(tmp_path, {"old.xlsx": GOLD})
    with pytest.raises(
        BadReference, match=r"no reference.csv; found gold.csv, old.xlsx .*{file: NAME OF YOUR"
    ):
        load_reference(find_task("spoken_call"), "evaluation", tmp_path, {})


@pytest.mark.thorough
def test_the_option_reject_on_hidden_labels_gives_a_warning(copy):
    rewrite(copy, ("fifty_percent_rule: flag", "fifty_percent_rule: reject"))
    (warning,) = plan(Sources(copy), ["spoken_call"], {}).warnings
    assert "fifty_percent_rule: reject applies to hidden labels (phase Evaluation)" in warning


CLOSED = ["Train only on the preselected training data", "Use no pre-trained model"]
OPEN = ["at most **100 additional hours**", "Use only public ones", "name, version and URL of each model"]
BOTH = ["Task 1, closed track, is compulsory", "at least one valid submission", "`train-clean-100`", "AISHELL",
        "National Speech Corpus", "merlion-ccs-aishell-filenames", "merlion-ccs-nsc-partition", "LDC2015S04",
        "sign their data agreement", "10.21979/N9/ANXS8Z"]  # fmt: skip
TASK_B = ["in Task A, in Task B or in both", "You may use further data",
          "methods section", "the sessions that the PSST Challenge bars",
          "protocols of AphasiaBank", "for this challenge only", "10.5281/zenodo.6326002", "MacWhinney"]  # fmt: skip


def own_pages(folder):
    planned = plan(Sources(ROOT, folder), [], {}, leave_out=["baseline"])
    texts = {name: (text["overview.md"], text["terms.md"]) for (name, _), text in planned.pages.items()}
    return planned, texts, [line for line in planned.warnings if "rules" in line]


def test_an_own_edition_keeps_the_rules_of_its_challenge(tmp_path):
    for task, rules in {
        "merlion_identification": {"closed": (BOTH + CLOSED, OPEN), "open": (BOTH + OPEN, CLOSED)},
        "psst_correctness": {"correctness": (TASK_B, BOTH)},
    }.items():
        planned, texts, warnings = own_pages(own_folder(tmp_path / task, [task], size=20))
        assert (warnings, same_rules(planned.competitions)) == ([], "")
        for name, pages in texts.items():
            kept, others = rules[name.rpartition("_")[2]]
            for page in pages:
                assert [rule for rule in kept if rule not in page] == []
                assert [rule for rule in others if rule in page] == []


def test_rules_that_tracks_share_or_no_page_lists_are_reported(tmp_path):
    own = own_folder(tmp_path / "own", ["merlion_identification"], size=20)
    settings = own / "competition.yaml"
    text = settings.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("    - '**")]
    settings.write_text("\n".join(line for line in lines if line != "    rules:"), encoding="utf-8")
    # A folder without rules has those of the challenge, whose corpora its participants may not use at all.
    assert [line.partition(": ")[2].partition(";")[0] for line in own_pages(own)[2]] == [
        "you have not set rules (its pages list those of the challenge merlion)"
    ] * 2
    settings.write_text("\n".join(lines).replace("    rules:", "    rules: [Sing.]"), encoding="utf-8")
    pages = own / "pages"
    track = pages / "merlion_identification_open"
    planned, texts, warnings = own_pages(own)
    assert warnings == []
    assert all("\n- Sing.\n" in page for page in chain(*texts.values()))
    assert same_rules(planned.competitions).startswith(
        "bundles of one task with the same rules: merlion_identification_closed and merlion_identification_open; "
    )
    write_files(pages, {"terms.md": "# Terms\n", "rules.md": "## Rules\n"})
    write_files(track, {"about_rules.md": "Open to all."})
    planned, _, warnings = own_pages(own)
    assert [line.partition(": ")[::2] for line in warnings] == [
        (name, "no page lists its rules; insert ${own_rules} into your own overview.md")
        for name in ("merlion_identification_closed", "merlion_identification_open")
    ]
    assert same_rules(planned.competitions) == ""
    shown = {name: "Open to all." in text["evaluation.md"] for (name, _), text in planned.pages.items()}
    assert shown == {"merlion_identification_closed": False, "merlion_identification_open": True}
