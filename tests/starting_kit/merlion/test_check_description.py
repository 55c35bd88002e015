"""The checker of system descriptions in the MERLIon kits, against Appendix D of the evaluation plan 1.2."""

import re

import pytest

from tests.samples.programs import ROOT, run_program, write_files

KIT = ROOT / "starting_kit" / "merlion"
TEMPLATE = (KIT / "system_description.md").read_text(encoding="utf-8")

COMPLETE = """# System description: Otter

Tracks: Task 1 open, Task 2 open

## 1. Authors
A. Synthetic
## 2. Abstract
A short system for Task 1, open track.
## 3. Brief summary of notable highlights
None of note.
## 4. Data resources
Additional hours: 12.5

An invented corpus of 587 hours, of which we use the first 12.5 hours. LibriSpeech, 100 hours. WavLM was pre-trained on
94k hours. Training took 30 hours on one GPU.
### Pre-trained models

| model | version | URL |
|---|---|---|
| WavLM Base+ | 2022-01 | https://example.org/wavlm |

## 5. Detailed description of algorithm
We fine-tune WavLM.
### a. Voice activity detection
energy
## 6. Results on the development and evaluation sets
### Development set
The EER is
20.00 %, balanced accuracy 60.00 %
Task 2: DER 30 %, English error 20 %, Mandarin error 60 %
### Evaluation set

| Task | system | EER | balanced accuracy | LDER | English error | Mandarin error |
|---|---|---|---|---|---|---|
| 1 | Otter | 21.00 | 59.00 | - | - | - |
| 2 | Otter | - | - | 31.00 | 21.00 | 61.00 |
"""


def run(path):
    """Return the exit status and standard error for a file."""
    done = run_program(KIT / "check_description.py", path)
    return done.returncode, done.stderr


def check(folder, text):
    return run(write_files(folder, {"system_description.md": text}) / "system_description.md")


def test_a_complete_description_is_complete(tmp_path):
    assert check(tmp_path, COMPLETE) == (0, "")


def test_the_template_has_every_section_and_all_are_empty(tmp_path):
    status, said = check(tmp_path, TEMPLATE)
    assert status == 1
    assert not re.search("section '(?!Pre-trained).*' is missing", said)
    assert said.count(" is empty") == 5
    assert "the line 'Tracks: ...' is missing" in said
    assert "the line 'Additional hours: ...' is missing" in said
    assert "section 'Pre-trained models' is missing or empty" in said


def test_results_are_read_from_the_table_of_the_template(tmp_path):
    results = TEMPLATE[TEMPLATE.index("| score |") :]
    text = COMPLETE[: COMPLETE.index("### Development set")]
    status, said = check(tmp_path, text + results)
    assert (status, said.count("no number for")) == (1, 4)
    assert "Task 1, development set: no number for EER, balanced accuracy\n" in said
    assert check(tmp_path, text + results.replace("| | |", "| 20.1 | 19 % |")) == (0, "")


def test_a_track_s_limit_is_held_against_what_the_text_says(tmp_path):
    """The description that was complete once: 500 hours and two models in a closed track, and "Results: good"."""
    text = COMPLETE.replace("WavLM", "data2vec2 and SeamlessM4T").replace("hours: 12.5", "hours: 0")
    text = text.replace(TRACKS, CLOSED).replace(MODEL.replace("WavLM", "data2vec2 and SeamlessM4T"), "none")
    text = text[: text.index("### Development set")] + "Results: good.\n"
    status, said = check(
        tmp_path, text.replace("A short system", "Trained on 500 hours of private speech. A short system")
    )
    assert status == 1
    assert "line 8: 500 hours, but 'Additional hours: 0'" in said
    assert "line 14: 12.5 hours, but 'Additional hours: 0'" in said
    assert "'data2vec' is mentioned but not listed" in said
    assert "'seamlessm4t' is mentioned but not listed" in said
    for each in ("development", "evaluation"):
        assert f"section 'Results': Task 1, {each} set: no number for EER, balanced accuracy\n" in said
    assert said.count("\n") == 6


MODEL = "| WavLM Base+ | 2022-01 | https://example.org/wavlm |"
URL = "https://example.org/wavlm"
TRACKS, CLOSED = "Task 1 open, Task 2 open", "Task 1 closed"

# Message -> replacements in the complete description that cause it.
BAD = {
    "section 'Authors' is missing": [("## 1. Authors\nA. Synthetic\n", "")],
    "line 7: section 'Abstract' is empty": [("A short system for Task 1, open track.", "<!-- later -->")],
    "section 'Results' is missing": [(COMPLETE[COMPLETE.index("## 6. Results") :], "")],
    "Task 1, evaluation set: no number for EER\n": [("21.00 | 59", "good | 59")],
    "Task 2, development set: no number for English error\n": [("English error 20 %", "English error: low")],
    "the line 'Tracks: ...' is missing": [(f"Tracks: {TRACKS}", "")],
    "as in 'Task 1 open, Task 2 closed'": [(f"Tracks: {TRACKS}", "Tracks: both open")],
    "100.5 additional hours; at most 100": [("hours: 12.5", "hours: 100.5")],
    "the line 'Additional hours: ...' is missing": [("Additional hours: 12.5", "")],
    "line 14: 12.5 hours, but 'Additional hours: 10'": [("Additional hours: 12.5", "Additional hours: 10")],
    "12.5 additional hours; a closed track allows none": [(TRACKS, CLOSED), (MODEL, "none")],
    "pre-trained model WavLM Base+; a closed track allows none": [
        (TRACKS, CLOSED),
        ("hours: 12.5", "hours: 0"),
    ],
    "pre-trained model WavLM Base+: the version is missing": [("2022-01", " ")],
    "pre-trained model WavLM Base+: the URL is missing": [(URL, "")],
    "'on request' is not a URL": [(URL, "on request")],
    "a model without a name: the name is missing": [("| WavLM Base+ |", "| |")],
    "'hubert' is mentioned but not listed": [("We fine-tune WavLM.", "We fine-tune WavLM and HuBERT.")],
    "'wavlm' is mentioned but not listed": [(MODEL, "none")],
    "line 23: a pre-trained model is mentioned": [
        (MODEL, "none"),
        ("We fine-tune", "A pre-trained model is"),
    ],
    "section 'Pre-trained models' is missing or empty": [(MODEL, "")],
}


@pytest.mark.default_cases("hours, but", "URL is missing", "is mentioned but")
@pytest.mark.parametrize("words", BAD)
def test_what_is_missing_is_named(tmp_path, words):
    text = COMPLETE
    for old, new in BAD[words]:
        assert old in text
        text = text.replace(old, new)
    status, said = check(tmp_path, text)
    assert status == 1
    assert words in said


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    status, said = run(tmp_path / "none.md")
    assert status == 1
    assert "none.md cannot be read" in said
    assert "Traceback" not in said
