"""Defects in competition.yaml, which are refused with their lines."""

import re

import pytest

from speechbundles.competition.read import read_competitions
from speechbundles.competition.schema import LONGEST_COLUMN_TITLE
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from spokeneval.challenges import find_task, task_names
from tests.samples.damaged_copy import rewrite
from tests.samples.declared_tasks import declared_folder
from tests.samples.programs import ROOT, write_files
from tests.samples.tables import table

DEFECTS = table("refused_settings")["sample"]


@pytest.mark.parametrize("name", task_names())
def test_the_titles_of_a_tasks_columns_differ_and_fit_both_platforms(name):
    titles = [column.title for column in find_task(name).columns]
    assert len(set(titles)) == len(titles)
    assert max(map(len, titles)) <= LONGEST_COLUMN_TITLE == 36


def test_a_title_that_a_platform_would_cut_is_refused_with_its_line(monkeypatch):
    monkeypatch.setattr("speechbundles.competition.settings.LONGEST_COLUMN_TITLE", 15)
    with pytest.raises(OrganiserError, match=r"line 86 .*the title of d_full_low, 'Dfull from"):
        read_competitions(Sources(ROOT), ["spoken_call"])


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
    assert said in str(refusal.value)
    assert "merlion_identification_closed; both need the same value" in str(refusal.value)


def test_all_defects_are_reported_at_once(copy):
    text = rewrite(copy, ("forum: true", "forun: true"), ("{key: fer,", "{key: FER,"))
    with pytest.raises(OrganiserError, match="2 problems") as refusal:
        read_competitions(Sources(copy))
    line = text[: text.index("forum")].count("\n") + 1
    assert f"line {line:<4} defaults.forun: unknown key; did you mean forum?" in str(refusal.value)


def test_files_with_an_unfinished_merge_are_listed_with_their_lines(tmp_path):
    marks = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> other\n"
    files = {
        **declared_folder("identification"),
        "pages/overview.md": f"a\n{marks}",
        "pages/faq.md": "=======\n",
    }
    files["reference_data/aufgabe/evaluation/labels.csv"] += marks
    files["competition.yaml"] = marks + files["competition.yaml"]
    with pytest.raises(OrganiserError) as refusal:
        read_competitions(Sources(ROOT, write_files(tmp_path, files)))
    assert re.findall(r"^  (\S+), line (\d+)$", str(refusal.value), re.MULTILINE) == [
        ("competition.yaml", "1"),
        ("pages/overview.md", "2"),
        ("reference_data/aufgabe/evaluation/labels.csv", "62"),
    ]
