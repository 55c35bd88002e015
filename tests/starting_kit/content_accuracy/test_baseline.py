"""The options of the baseline: each against the features of texts that were changed by hand."""

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from starting_kit.content_accuracy.content import content_vector, rouge

KIT = Path(__file__).resolve().parents[3] / "starting_kit/content_accuracy"
REFERENCES = ["the dogs ran to the park", "a dog went home"]
ASR = ["the dogs ran", "a dark home", "dogs went to parks", "home", "the park the park"]
MANUAL = ["the dogs ran to a park", "a dog went home", "dogs went to the parks", "home", "um the park"]


@pytest.fixture
def kit(tmp_path):
    """A kit with five responses to a prompt, three of them for training."""
    for name in ("baseline.py", "content.py"):
        shutil.copy(KIT / name, tmp_path)
    rows = [["p", f"r{n}", n % 3 + 1, *texts] for n, texts in enumerate(zip(ASR, MANUAL, strict=True))]
    tables = {
        "data/references.csv": [["prompt_id", "text"], *(["p", text] for text in REFERENCES)],
        "data/training_responses.csv": [
            ["prompt_id", "response_id", "human_score", "asr_text", "text"],
            *rows[:3],
        ],
        "data/development_responses.csv": [
            ["prompt_id", "response_id", "score", "asr_text", "text"],
            *rows[3:],
        ],
        "development/input/responses.csv": [["response_id"], ["r3"], ["r4"]],
        "mine.txt": [["the"], ["To"]],
        "lemmas.tsv": [["dogs\tdog"], ["parks\tpark"], ["ran\trun"]],
    }
    for name, table in tables.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as sink:
            csv.writer(sink).writerows(table)
    return tmp_path


def run(kit, *options):
    command = [sys.executable, "baseline.py", "development", "out", *options]
    return subprocess.run(command, cwd=kit, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("options", "references", "responses", "feature"),
    [
        ([], REFERENCES, ASR, "types"),
        (["--text", "manual"], REFERENCES, MANUAL, "types"),
        (["--references", "1"], REFERENCES[:1], ASR, "types"),
        (["--model", "base_rouge"], REFERENCES[:1], ASR, "tokens"),
        (["--model", "base_rouge", "--references", "2"], REFERENCES, ASR, "tokens"),
        (
            ["--model", "cva", "--text", "manual", "--stop-words", "mine.txt", "--lemmas", "lemmas.tsv"],
            ["dog run park", "a dog went home"],
            ["dog run a park", "a dog went home", "dog went park", "home", "um park"],
            "",
        ),
    ],
)
def test_each_condition_of_the_paper_is_an_option(kit, options, references, responses, feature):
    assert run(kit, *options).stderr == ""
    prompts = ["p"] * 5
    if feature:
        x = rouge({"p": references}, prompts, responses, unit=feature)
    else:
        x = content_vector({"p": references}, prompts, responses)
    slope, level = np.polyfit(x[:3], [1, 2, 3], 1)
    _, *lines = (kit / "out/predictions.csv").read_text(encoding="utf-8").splitlines()
    assert lines == [f"r{n},{slope * x[n] + level:.4f}" for n in (3, 4)]


def test_what_the_options_cannot_do_is_refused(kit):
    (kit / "lemmas.tsv").write_text("dogs dog\n")
    assert "'dogs dog'; expected a word, a tab and its lemma" in run(kit, "--lemmas", "lemmas.tsv").stderr
    assert "a number from 1 on" in run(kit, "--references", "0").stderr
    training = kit / "data/training_responses.csv"
    training.write_text(training.read_text().replace(",text", ",words"))
    assert "have no column text" in run(kit, "--text", "manual").stderr
    assert "nothing.txt: No such file" in run(kit, "--stop-words", "nothing.txt").stderr
