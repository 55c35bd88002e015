"""Pages: their numbers come from the data, and sentences about the sample appear only with the sample."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import pytest

from speechbundles.bundle.build.kit import BundleParts, make_parts
from speechbundles.bundle.build.page_tables import columns_table
from speechbundles.bundle.build.pages import page_texts
from speechbundles.competition.read import read_competitions
from speechbundles.competition.references import load_reference
from speechbundles.competition.whole import do_without
from speechbundles.model.platform import platforms
from speechbundles.model.sources import Sources
from speechbundles.platforms.codabench import PLATFORM as CODABENCH
from spokeneval.challenges import task_names
from spokeneval.scoring.options import OPTIONS_FILE, Options
from tests.samples.cases import CASES
from tests.samples.programs import ROOT, write_files

COMPETITIONS = {competition.name: competition for competition in read_competitions(Sources(ROOT))}
KIT = {"data/training.csv": b'id,text\n1,"a\nb"\n2,c\n', "data/grammar.xml": b"<grammar/>"}


def made_of(tmp_path, competition, files=None):
    """Return the parts of a bundle with an organiser's own data; all sets have the same files."""
    folder = write_files(tmp_path / "own", CASES[competition.task].reference if files is None else files)
    sets = {
        name: load_reference(competition.definition, name, folder, competition.options)
        for name in competition.sets
    }
    options = {OPTIONS_FILE: Options().dump()}
    return BundleParts(options, options, {**KIT, **options}, sets, {}, {}, ())


def with_settings(competition, **settings):
    return replace(competition, settings={**competition.settings, **settings})


@pytest.mark.parametrize("task", task_names())
def test_the_samples_page_says_that_it_is_synthetic(task):
    competition = next(competition for competition in COMPETITIONS.values() if competition.task == task)
    sets = {name: load_sample(competition, name) for name in competition.sets}
    assert (
        "synthetic"
        in page_texts(competition, BundleParts({}, {}, {}, sets, {}, {}, ()), CODABENCH)["data.md"]
    )


@pytest.mark.default_cases("spoken_call", "merlion_identification_closed")
@pytest.mark.parametrize("name", COMPETITIONS)
def test_no_text_mentions_what_is_left_out(name):
    (given,) = read_competitions(Sources(ROOT), [name])
    competition = do_without(given, ["development", "baseline"])
    planned = make_parts(competition, {"evaluation": load_sample(competition, "evaluation")})
    texts = {
        **page_texts(competition, planned, CODABENCH),
        "README.md": planned.starting_kit["README.md"].decode(),
    }
    for file, text in texts.items():
        # Published figures refer to the challenge's own development set.
        assert re.findall(r"(?<!published )development|baseline\.py|\$\{|<!--", text) == [], file
    of_these = re.compile(r"baseline\.py$|^development/|/development_")
    assert not any(map(of_these.search, planned.starting_kit))
    named = re.findall(r"`((?:data|evaluation)/[\w./]+)`", texts["README.md"])
    assert named
    assert set(named) <= set(planned.starting_kit)


def load_sample(competition, name):
    place = ROOT / "reference_data" / competition.task / name
    return load_reference(competition.definition, name, place, competition.options)


def row(text, name):
    return next(line for line in text.splitlines() if line.startswith(f"| {name} |"))


def test_the_sets_are_counted(tmp_path):
    header = "Id\tPrompt\tlanguage\tmeaning\n"
    rows = ["correct\tcorrect"] * 3 + ["incorrect\tcorrect", "incorrect\tincorrect"]
    text = header + "".join(f"{number}\tFrag\t{labels}\n" for number, labels in enumerate(rows))
    competition = COMPETITIONS["spoken_call"]
    parts = made_of(tmp_path, competition, {"reference.csv": text})
    page = page_texts(competition, parts, CODABENCH)["data.md"]
    labels = "language 3 correct, 2 incorrect; meaning 4 correct, 1 incorrect"
    assert row(page, "development") == "| development | 5 | in the kit |"
    assert f"\n- development: {labels}\n" in page
    columns = columns_table(competition, {}).splitlines()
    assert [line.split(" | ")[1] for line in columns[2:5]] == ["higher", "–", "–"]  # Dfull and its interval
    # The organiser publishes the class sizes, and nothing else about hidden labels.
    assert row(page, "evaluation") == "| evaluation | 5 | hidden |"
    assert "\n- evaluation: 3 correct, 2 incorrect\n" in page


def test_no_class_size_of_hidden_labels_is_shown(tmp_path):
    header = "utterance_id\tsession\tcorrectness\tduration_frames\n"
    rows = [("s1", "TRUE", 4_800_000), ("s1", "FALSE", 9_600_000), ("s2", "TRUE", 14_400_000)]
    text = header + "".join(f"u{n}\t{s}\t{c}\t{frames}\n" for n, (s, c, frames) in enumerate(rows))
    competition = COMPETITIONS["psst_correctness"]
    competition = with_settings(competition, kit_data={"psst/data/training.csv": "what is learnt from"})
    parts = made_of(tmp_path, competition, {"utterances.tsv": text})
    page = page_texts(competition, parts, CODABENCH)["data.md"]
    # 28.8 million frames of 16 kHz are 1800 seconds.
    assert row(page, "development") == "| development | 3 | 2 | 0.50 | in the kit |"
    assert "\nLabels:\n\n- development: correctness 2 TRUE, 1 FALSE\n\n" in page
    assert row(page, "evaluation") == "| evaluation | 3 | 2 | 0.50 | hidden |"
    assert "\n- `data/training.csv`: what is learnt from; 2 rows; columns `id`, `text`\n" in page
    assert "\n- `data/grammar.xml`\n" in page


def test_a_pages_text_about_a_rule_follows_the_settings(tmp_path):
    competition = COMPETITIONS["spoken_call"]
    parts = made_of(tmp_path, competition)
    other = with_settings(competition, options={"fifty_percent_rule": "reject", "class_sizes": "hidden"})
    flagged, rejected = (page_texts(one, parts, CODABENCH)["evaluation.md"] for one in (competition, other))
    assert "but its Dfull is 0" in flagged
    assert "is refused before it is scored" in flagged
    assert "The run of a submission that breaks the rule fails" in rejected
    assert "but its Dfull is 0" not in rejected
    assert "is refused before it is scored" not in rejected


def test_the_rules_are_those_of_the_settings_the_task_and_the_terms(tmp_path):
    def texts_of(competition):
        return page_texts(competition, made_of(tmp_path / competition.name, competition), CODABENCH)

    def rules(competition):
        page = texts_of(competition)["overview.md"]
        return page[page.index("## Rules") : page.index("## Baselines")]

    spoken_call, psst = COMPETITIONS["spoken_call"], COMPETITIONS["psst_correctness"]
    for fact in ("At most 10 a day in the phase *Development*, 3 a day in the phase *Evaluation*. ",
                 "your **best** submission", "with the file `results.csv`", "Otherwise, your Dfull is 0."):  # fmt: skip
        assert fact in rules(spoken_call)
    assert "50 %" not in rules(psst)
    for competition in COMPETITIONS.values():
        terms = set(re.findall("^- .*", texts_of(competition)["terms.md"], re.MULTILINE))
        assert len(terms.intersection(re.findall("^- .*", rules(competition), re.MULTILINE))) >= 2
    same = [replace(phase, max_submissions_per_day=4) for phase in psst.phases]
    assert "At most 4 a day. " in rules(replace(psst, phases=tuple(same)))
    # The organiser's own terms may be others than ours: the rules then repeat none.
    shutil.copytree(ROOT / "pages", tmp_path / "pages")
    (tmp_path / "pages" / "terms.md").write_text("# Terms\n\n- Have fun.\n")
    own = rules(replace(psst, sources=Sources(tmp_path)))
    assert "One account" not in own
    assert "All terms are on the terms page." in own


@pytest.mark.parametrize("platform", platforms())
def test_pages_explain_how_their_platform_orders_equal_scores_and_takes_uploads(tmp_path, platform):
    competition, render = COMPETITIONS["spoken_call"], platforms()[platform].part("write").render
    parts = made_of(tmp_path, competition)
    texts = page_texts(competition, parts, platforms()[platform])
    files = render(competition, parts, texts)
    (page,) = (content.decode() for name, content in files.items() if "evaluation." in name)
    assert f"Equal scores: {platforms()[platform].board.ties}." in page
    upload = f"Upload `submission.zip` under {platforms()[platform].upload}, in the phase *Evaluation*."
    assert upload in texts["overview.md"]


ABOUT = {
    "organisers": [{"name": "Ada L.", "institution": "Uni | Ulm"}, {"name": "Bo"}],
    "timeline": [{"date": "2027-09", "event": "Workshop"}, {"date": "2027-02-01", "event": "Forms | due"}],
    "data_access": "Sign the form.",
    "prizes": "A cup.",
    "faq": [{"question": "Why?", "answer": "Because."}],
    "contact": "Join the list.",
    "citation": "@misc{a,\n}",
}


def test_the_facts_in_about_are_on_the_pages(tmp_path):
    competition = with_settings(COMPETITIONS["spoken_call"], about=ABOUT)
    texts = page_texts(competition, made_of(tmp_path, competition), CODABENCH)
    overview = texts["overview.md"]
    assert re.findall(r"^\| (20\S+(?: \d\d:\d\d)?) \| (.*) \|$", overview, re.MULTILINE) == [
        ("2027-01-11", "Phase *Development* begins"),
        ("2027-02-01", r"Forms \| due"),
        ("2027-02-28 23:59", "Phase *Development* ends"),
        ("2027-03-01", "Phase *Evaluation* begins"),
        ("2027-03-14 23:59", "Phase *Evaluation* ends"),
        ("2027-09", "Workshop"),
    ]
    for text in (
        "- Ada L., Uni | Ulm\n- Bo\n",
        "## Prizes\n\nA cup.\n",
        "**Why?** Because.",
        "Join the list.",
    ):
        assert text in overview
    assert overview.endswith("## Citation\n\n```\n@misc{a,\n}\n```\n")
    assert "Sign the form." in texts["data.md"]
    rewarded = with_settings(competition, about={}, reward="Fame")
    texts = page_texts(rewarded, made_of(tmp_path / "rewarded", rewarded), CODABENCH)
    assert "## Prizes\n\nFame\n" in texts["overview.md"]
