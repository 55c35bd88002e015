"""The sections of a report page: figures, warnings and timelines."""

import json
import re

import numpy as np
import pytest

from tests.samples.near_misses import near_misses
from tests.samples.programs import ROOT
from tests.samples.report_pages import page_of, run


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


@pytest.mark.parametrize(("sure", "public"), [(1.0, True), (0.9, False), (10.0, True)])
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
