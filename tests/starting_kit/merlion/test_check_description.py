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

An invented corpus, the first 12.5 hours of it.
### Pre-trained models

| model | version | URL |
|---|---|---|
| WavLM Base+ | 2022-01 | https://example.org/wavlm |

## 5. Detailed description of algorithm
We fine-tune WavLM.
### a. Voice activity detection
energy
### b. Acoustic features - none
none
### c. Signal processing
not used
### d. Segment representation
mean
### e. Clustering method
not used
## 6. Results on the development and evaluation sets
### Development set
EER 20.00 %, balanced accuracy 60.00 %
### Evaluation set
EER 21.00 %, balanced accuracy 59.00 %
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
    assert said.count(" is empty") == 13
    assert "the line 'Tracks: ...' is missing" in said
    assert "the line 'Additional hours: ...' is missing" in said
    assert "section 'Pre-trained models' is missing or empty" in said


MODEL = "| WavLM Base+ | 2022-01 | https://example.org/wavlm |"
URL = "https://example.org/wavlm"
TRACKS, CLOSED = "Task 1 open, Task 2 open", "Task 1 closed"

# Message -> replacements in the complete description that cause it.
BAD = {
    "section 'Authors' is missing": [("## 1. Authors\nA. Synthetic\n", "")],
    "line 7: section 'Abstract' is empty": [("A short system for Task 1, open track.", "<!-- later -->")],
    "section 'Clustering' is missing": [("### e. Clustering method\nnot used\n", "")],
    "section 'Evaluation set' is missing": [(COMPLETE[COMPLETE.index("### Evaluation set") :], "")],
    "the line 'Tracks: ...' is missing": [(f"Tracks: {TRACKS}", "")],
    "100.5 additional hours; at most 100": [("hours: 12.5", "hours: 100.5")],
    "the line 'Additional hours: ...' is missing": [("Additional hours: 12.5", "")],
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
    "section 'Pre-trained models' is missing or empty": [(MODEL, "")],
}


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
