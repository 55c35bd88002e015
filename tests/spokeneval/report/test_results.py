"""The report page: everything on public labels, only the scores on hidden labels, and the problems of a refusal."""

import json
import re

import pytest

from spokeneval.challenges import find_task, task_names
from spokeneval.formats.text import read_folder
from spokeneval.report import page as builders
from spokeneval.report import plots
from spokeneval.scoring.reference import items_fingerprint
from spokeneval.task import HIGHER
from tests.samples.programs import ROOT
from tests.samples.report_pages import page_of, run
from tests.tools.colours import alike

TASKS = task_names()


SECTIONS = {
    "spoken_call": ("incorrect in language only", "By prompt", "Items with the worst answers"),
    "caller_experience": ("Shift of the ratings",),
    "content_accuracy": ("Shift of the predictions", "By prompt"),
    "psst_recognition": (
        "By severity (aphasia quotient)",
        "moderate (to 75)",
        "Features, of 24",
        "<pre>said ",
    ),
    "psst_correctness": ("By severity (aphasia quotient)", "moderate (to 75)"),
    "merlion_identification": ("Calibration", "By length"),
    "merlion_diarization": ("Labels over time", "<details open>"),
}
"""Text on a page from the reference's own columns, and from the plots usual in the field."""


@pytest.mark.default_cases("spoken_call", "merlion_diarization")
@pytest.mark.parametrize("task", TASKS)
def test_a_page_on_public_labels_is_sound_the_same_twice_and_shows_what_the_field_looks_at(tmp_path, task):
    pages = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        status, words, output = run(task, folder, public=True)
        assert status == 0, words
        pages.append((output / "detailed_results.html").read_bytes())
    assert pages[0] == pages[1]
    markup, outline = page_of(output)
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", markup)
    assert titles
    assert len(set(titles)) == len(titles)
    assert outline.tags.count("table") == outline.tags.count("caption") >= 2
    assert outline.tags.count("svg") >= 1
    assert '<div class="verdict' in markup
    shown = re.findall(r"Baseline (0(?:\.\d+)?)[;.]", markup)
    assert shown == [f"{0.125:.{len(shown[0].partition('.')[2])}f}"]
    assert (output / "signature.txt").read_text().strip().replace("&", "&amp;") in markup
    assert not re.search(r"https?://(?!www\.w3\.org|purl\.org|creativecommons\.org|matplotlib\.org)", markup)
    drawn = "".join(re.findall("<svg.*?</svg>", markup, flags=re.DOTALL))
    fixed = set(re.findall(r'(?:fill|stroke)(?:: |=")(#[0-9a-f]+)', drawn))
    assert fixed <= {plots.GREY}  # all other colours differ in light and dark mode
    assert alike(markup) == []
    assert len(pages[0]) < 1_500_000
    assert [words for words in SECTIONS.get(task, ()) if words not in markup] == []


@pytest.mark.parametrize("task", TASKS)
def test_a_page_on_hidden_labels_holds_the_scores_alone(tmp_path, task):
    status, words, output = run(task, tmp_path, public=False)
    assert status == 0, words
    markup, outline = page_of(output)
    assert "svg" not in outline.tags
    assert "baseline" not in re.sub("<style.*?</style>", "", markup, flags=re.DOTALL)
    scores = json.loads((output / "scores.json").read_text())
    # One row per score, with the interval in the row of the primary score; no other numbers.
    tables = 1 + (len(scores) - 2 > builders.UNFOLDED)
    assert outline.tags.count("table") == tables
    assert outline.tags.count("tr") == tables + len(scores) - 2
    assert len(re.findall(r">[-0-9.]+ \([-0-9.]+ to [-0-9.]+\)</td>", markup)) == 1
    submitted = next((tmp_path / "input" / "res").iterdir()).read_text().splitlines()
    for line in submitted[1:4]:
        assert re.split(r"[\t, ]", line)[0] not in markup or task == "merlion_diarization"


@pytest.mark.parametrize("task", TASKS)
def test_a_coarse_page_shows_where_a_submission_stands(tmp_path, task):
    found = find_task(task)
    sample = ROOT / "reference_data" / task / "development"
    ids = found.format.read_reference(read_folder(sample)).items.ids
    key = found.primary.key
    known = {"steps": {key: 0.1}, "floor": {key: 0.5}, "trivial": {"knows nothing": 0.3}}
    about = {items_fingerprint(ids): {"set": "evaluation", "phases": ["Final"]}}
    settings = {
        "feedback": "coarse",
        "sets": {items_fingerprint(ids): known},
        "baselines": {},
        "competition": "A <competition>",
        "about": about,
    }
    status, words, output = run(task, tmp_path, public=False, options=settings)
    assert status == 0, words
    markup, outline = page_of(output)
    assert "svg" not in outline.tags
    assert "knows nothing" not in markup
    for words in (
        "<h1>A &lt;competition&gt;: results</h1>",
        f"<dd>{found.title}</dd>",
        "evaluation, hidden labels",
        "<dd>Final</dd>",
        f"{len(ids)} items",
    ):
        assert words in markup
    steps = round(abs(json.loads((output / "scores.json").read_text())[key] - 0.5) / 0.1)
    assert ("Better than the baselines." in markup) == (steps > 0)
    assert ("Not better than the baselines." in markup) == (steps == 0)
    bound = "≤ baseline" if found.primary.direction == HIGHER else "≥ baseline"
    assert (f"<strong>{bound}</strong>" in markup) == (f"0.5 ({bound})" in markup) == (steps == 0)
    assert "shown in steps of 0.1" in markup
    assert "95 % interval" not in markup


def test_a_participants_words_are_escaped_on_the_page(tmp_path):
    ids = ['<img src=x onerror="alert(1)">', "=cmd|' /C calc'!A0", "a\x1b[31mb", "‮right to left"]
    rows = "".join(f"{item}\taccept\n" for item in ids)
    status, words, output = run(
        "spoken_call", tmp_path, public=True, files={"results.csv": "Id\tAccept\n" + rows}
    )
    assert status == 1
    markup, _ = page_of(output)
    assert "<img" not in markup
    assert "&lt;img" in markup
    assert "\x1b" not in markup + words
    assert "‮" not in markup + words


@pytest.mark.parametrize(
    "task", ["caller_experience", "content_accuracy", "merlion_diarization", "merlion_identification"]
)
def test_without_matplotlib_the_tables_stand_alone(tmp_path, monkeypatch, task):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    status, words, output = run(task, tmp_path, public=True)
    assert status == 0
    assert "could not be made" not in words
    markup, outline = page_of(output)
    drawn = re.findall(r'aria-label="Plot: ([^"]*)', markup)
    assert "is better; lines are 95 % intervals" in drawn[0]  # drawn without matplotlib, as timelines are
    assert all("minutes and seconds" in label for label in drawn[1:])
    if task != "merlion_diarization":  # which has timelines alone
        assert "not drawn, because matplotlib is not installed" in markup
    assert outline.tags.count("table") >= 2
