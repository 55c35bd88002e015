"""The report page: everything on public labels, only the scores on hidden labels, and the problems of a refusal."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from spokeneval.challenges import find_task, task_names
from spokeneval.formats.files import read_folder
from spokeneval.report import page as builders
from spokeneval.report import plots
from spokeneval.run.reference import fingerprint, items_fingerprint
from spokeneval.task import HIGHER
from tests.samples.near_misses import near_misses
from tests.samples.programs import ROOT, run_here, write_files
from tests.tools.colours import alike
from tests.tools.outline import Outline

TASKS = task_names()


def run(task, folder, *, public, files=None, reference=None, options=None):
    """Score near misses (or the given files) with a page; return exit status, printed text and output folder."""
    sample = ROOT / "reference_data" / task / "development"
    content = reference or {file.name: file.read_bytes() for file in sample.iterdir()}
    write_files(folder / "input" / "ref", content)
    write_files(folder / "input" / "res", near_misses(task, sample) if files is None else files)
    settings = {
        "detailed_results": True,
        "public_references": [fingerprint(content)] if public else [],
        "baselines": {fingerprint(content): {column.key: 0.125 for column in find_task(task).columns}},
        **(options or {}),
    }
    score = (ROOT / "scoring_program" / task / "score.py").read_bytes()
    program = write_files(folder / "program", {"score.py": score, "options.json": json.dumps(settings)})
    status, stdout, stderr = run_here(program / "score.py", folder / "input", folder / "output")
    return status, stdout + stderr, folder / "output"


def page_of(output: Path) -> tuple[str, Outline]:
    """Return the page and its outline; the outline must have no faults."""
    markup = (output / "detailed_results.html").read_text()
    outline = Outline(markup)
    assert outline.faults == []
    return markup, outline


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
    assert "Baseline 0.1250" in markup
    assert (output / "signature.txt").read_text().strip().replace("&", "&amp;") in markup
    assert not re.search(r"https?://(?!www\.w3\.org|purl\.org|creativecommons\.org|matplotlib\.org)", markup)
    drawn = "".join(re.findall("<svg.*?</svg>", markup, flags=re.DOTALL))
    fixed = set(re.findall(r'(?:fill|stroke)(?:: |=")(#[0-9a-f]+)', drawn))
    assert fixed <= {plots.GREY}  # all other colours differ in light and dark mode
    assert alike(markup) == []
    assert len(pages[0]) < 1_500_000
    assert [words for words in SECTIONS.get(task, ()) if words not in markup] == []


def content_page(folder, rows, predictions, *, public=True, column="") -> str:
    """The page of four predictions of content accuracy; `rows`: `speaker,score,words` of each response."""
    header = f"response_id,prompt_id,speaker_id,human_score,words{column}"
    lines = [f"{item},p,{row}" for item, row in zip("abcd", rows, strict=True)]
    sheet = [f"{item},{score}" for item, score in zip("abcd", predictions, strict=True)]
    status, words, output = run(
        "content_accuracy",
        folder,
        public=public,
        reference={"reference.csv": "\n".join([header, *lines, ""]).encode()},
        files={"predictions.csv": "\n".join(["response_id,score", *sheet, ""])},
    )
    assert status == 0, words
    return page_of(output)[0]


def test_a_second_raters_scores_bring_prmse(tmp_path):
    rows = ("s,1,9,1", "s,2,9,", "t,3,9,4", "t,4,9,4")
    markup = content_page(tmp_path, rows, (1, 2, 3.5, 4), column=",human_score2")
    # For the three responses with two scores, the error variance is 0.5 / 3; the system predicts 1 2 3.5 4.
    between = 2 * (1 - 19 / 7) ** 2 + (2 - 19 / 7) ** 2 + 2 * (3.5 - 19 / 7) ** 2 + 2 * (4 - 19 / 7) ** 2
    variance = (between - 3 * 0.5 / 3) / (7 - 13 / 7)
    assert f"{1 + 4 * 0.5 / 3 / 7 / variance:.4f}" in markup


@pytest.mark.parametrize("public", [True, False])
def test_only_a_page_on_public_labels_shows_the_sign_of_a_shift(tmp_path, public):
    rows = ("s,1,9", "t,2,9", "u,3,9", "v,4,9")
    markup = content_page(tmp_path, rows, (1, 1.5, 3, 3.9), public=public)
    shift = -0.15 / np.sqrt(5 / 3)
    assert (f"The mean shift with its sign is {shift:+.4f} (95 % interval -" in markup) == public


def test_a_page_over_three_speakers_shows_no_interval_and_names_the_number_needed(tmp_path):
    words = {}
    for speakers in ("sstu", "stuv"):
        rows = [f"{speaker},{score},9" for score, speaker in enumerate(speakers, 1)]
        words[speakers] = content_page(tmp_path / speakers, rows, (1, 1.5, 3, 3.9))
        assert "pearson_r_low" in json.loads((tmp_path / speakers / "output" / "scores.json").read_text())
    assert "95 % interval" in words["stuv"]
    assert "95 % interval" not in words["sstu"]
    assert "no intervals over 3 speakers (4 needed)" in words["sstu"]


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("sure", [1.0, 0.9, 10.0])
def test_a_page_warns_of_probabilities_in_place_of_likelihoods(tmp_path, sure, public):
    folder = ROOT / "reference_data" / "merlion_identification" / "development"
    (lines,) = near_misses("merlion_identification", folder).values()
    scores = f"{sure:g} {1 - sure:g}", f"{1 - sure:g} {sure:g}"
    content = "".join(
        f"{line.split()[0]} {scores[place % 3 == 0]}\n" for place, line in enumerate(lines.splitlines())
    )
    _, words, output = run(
        "merlion_identification", tmp_path, public=public, files={"prediction.txt": content}
    )
    markup, _ = page_of(output)
    assert ("like probabilities. Cllr and the costs" in markup) == (sure <= 1), words


def test_the_twenty_worst_recordings_have_a_timeline_the_worst_one_open(tmp_path):
    names = [f"a{number:02d}" for number in range(60)]
    labels = ["audio_name,utt_id,start,end,length,language_tag,overlap_diff_lang"]
    for name in names:
        labels += [f"{name}.wav,u,0,9000,9000,English,False", f"{name}.wav,v,9000,10000,1000,Mandarin,False"]
    regions = ["audio_name,start,end", *(f"{name}.wav,0,20000" for name in names)]
    reference = {
        "labels.csv": "\n".join([*labels, ""]).encode(),
        "regions.csv": "\n".join([*regions, ""]).encode(),
    }
    # Recording n misses n tenths of a second; it has no other errors.
    turns = "{} 9000 English\n9000 10000 Mandarin\n"
    files = {f"{name}.txt": turns.format(100 * number) for number, name in enumerate(names)}
    _, words, output = run("merlion_diarization", tmp_path, public=True, files=files, reference=reference)
    markup, outline = page_of(output)
    assert outline.tags.count("details") == 20 + 4, words  # timelines; further scores, and tables
    assert re.findall(r"<details open>\n<summary>(.*)</summary>", markup) == ["a59.wav: DER (%) 59.00"]
    regions = re.findall('role="region" aria-label="([^"]*)"', markup)
    assert len(set(regions)) == len(regions)


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
        "A &lt;competition&gt;",
        "evaluation, hidden labels",
        "<dd>Final</dd>",
        f"{len(ids)} items",
    ):
        assert words in markup
    steps = round(abs(json.loads((output / "scores.json").read_text())[key] - 0.5) / 0.1)
    assert (f"Better than the baselines by {steps} step" in markup) == (steps > 0)
    assert ("Not better than the baselines." in markup) == (steps == 0)
    bound = "≤ baseline" if found.primary.direction == HIGHER else "≥ baseline"
    assert (f"<strong>{bound}</strong>" in markup) == (f"0.5 ({bound})" in markup) == (steps == 0)
    assert "shown in steps of 0.1" in markup
    assert "95 % interval" not in markup


CORRECTNESS = find_task("psst_correctness")
LABELS = [
    (f"u{session:02d}{item}", f"s{session:02d}", item < 2) for session in range(12) for item in range(4)
]
"""Responses with their session and class: in each of 12 sessions two correct and two incorrect ones."""


def judged(wrong) -> dict[str, bool]:
    """Return predictions that are wrong about these responses."""
    return {item: label != (item in wrong) for item, _, label in LABELS}


def f1_without(predictions, session: str = "") -> float:
    """Return F1 of the correct responses outside a session, as 2 TP / (2 TP + FP + FN)."""
    kept = [(label, predictions[item]) for item, other, label in LABELS if other != session]
    true = sum(label and predicted for label, predicted in kept)
    return 2 * true / (2 * true + sum(label != predicted for label, predicted in kept))


def verdict_on(folder, predictions, baseline, *, trivial=None) -> str:
    """Return the verdict on a page of predictions, compared with those of a baseline."""
    rows = ["utterance_id\tsession\tprompt\ttranscript\tcorrectness\taq_index"]
    rows += [f"{item}\t{session}\tcat\tK AE T\t{str(label).upper()}\t80" for item, session, label in LABELS]
    reference = {"utterances.tsv": "\n".join([*rows, ""]).encode()}
    known = fingerprint(reference)
    sessions = sorted({session for _, session, _ in LABELS})
    without = [f1_without(baseline, session) for session in sessions]
    score = f1_without(baseline)
    options = {
        "baselines": {known: {column.key: score for column in CORRECTNESS.columns}},
        "sets": {known: {"steps": {}, "trivial": trivial or {}}},
        "about": {known: {"set": "development", "baseline_without": without}},
    }
    lines = [f"{item}\t{str(predicted).upper()}" for item, predicted in predictions.items()]
    files = {"correctness.tsv": "\n".join(["utterance_id\tprediction", *lines, ""])}
    status, words, output = run(
        "psst_correctness", folder, public=True, files=files, reference=reference, options=options
    )
    assert status == 0, words
    markup, _ = page_of(output)
    (found,) = re.findall(r'<div class="(verdict[ a-z]*)">\n(.*?)</div>', markup, flags=re.DOTALL)
    return " ".join([found[0].strip(), *re.findall(r">([^<\n]+)<", found[1])])


SOME = {f"u{session:02d}{session % 4}" for session in range(0, 12, 2)}
"""One response in each of six sessions."""


@pytest.mark.parametrize(
    ("wrong", "of_baseline", "words"),
    [
        # The same six errors; the baseline has one more in eleven sessions.
        (SOME, SOME | {f"u{session:02d}{(session + 1) % 4}" for session in range(11)}, "verdict good Better"),
        (SOME | {f"u{session:02d}{(session + 1) % 4}" for session in range(11)}, SOME, "verdict bad Worse"),
        (SOME, SOME | {"u010"}, "verdict Not distinguishable from"),
        (SOME, SOME, "verdict Equal to the baseline. The scores are the same, and stay"),
    ],
)
def test_the_verdict_follows_from_the_paired_interval(tmp_path, wrong, of_baseline, words):
    found = verdict_on(tmp_path, judged(wrong), judged(of_baseline))
    assert found.startswith(f"{words} "), found
    difference = f1_without(judged(wrong)) - f1_without(judged(of_baseline))
    if wrong != of_baseline:
        assert f"Difference from the baseline: {difference:+.4f}, paired 95 % interval" in found
        assert "over 12 sessions" in found


def test_a_submission_below_a_trivial_baseline_is_told_so(tmp_path):
    better = judged(SOME), judged(SOME | {f"u{session:02d}{(session + 1) % 4}" for session in range(11)})
    found = verdict_on(tmp_path, *better, trivial={"everything <correct>": 0.9876, "nothing": 0.1})
    assert found == (
        "verdict bad Worse than a trivial baseline. “everything &lt;correct&gt;” needs no system and has 0.9876."
    )


def test_a_broken_rule_is_the_verdict_with_its_figures(tmp_path):
    header = "Id\tPrompt\tWavfile\tRecResult\tTranscription\tlanguage\tmeaning"
    rows = [f"{n}\tp\tw\tr\tt\t{'correct' if n < 5 else 'incorrect'}\tcorrect" for n in range(10)]
    reference = {"reference.csv": "\n".join([header, *rows, ""]).encode()}
    lines = [f"{n}\t{'accept' if n < 2 else 'reject'}" for n in range(10)]
    files = {"results.csv": "\n".join(["Id\tAccept", *lines, ""])}
    status, words, output = run("spoken_call", tmp_path, public=True, files=files, reference=reference)
    assert status == 0, words
    rule = "Breaks the 50 % rule: 60.0 % of the correct responses rejected (3 of 5), at most 50 % allowed."
    assert rule in page_of(output)[0]


@pytest.mark.parametrize("task", TASKS)
def test_a_refusal_lists_its_problems_on_the_page(tmp_path, task):
    hostile = "<script>alert(1)</script>"
    name = {"merlion_diarization": "x.txt"}.get(task, f"{hostile[:8]}.csv")
    status, _, output = run(task, tmp_path, public=True, files={name: hostile})
    assert status == 1
    assert not (output / "scores.json").exists()
    markup, _ = page_of(output)
    assert "Refused:" in markup
    assert "is missing" in markup
    assert "<script" not in markup


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
