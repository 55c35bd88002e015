"""The checker of system descriptions in the MERLion kits, against Appendix D of the evaluation plan 1.2."""

import subprocess
import sys

import pytest

from tests.support import ROOT

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


def check(folder, text):
    """Exit status and what was said."""
    path = folder / "system_description.md"
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, str(KIT / "check_description.py"), str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stderr


def test_a_complete_description_is_complete(tmp_path):
    assert check(tmp_path, COMPLETE) == (0, "")


def test_the_template_has_every_section_and_all_are_empty(tmp_path):
    status, said = check(tmp_path, TEMPLATE)
    assert status == 1
    assert "no section" not in said
    assert said.count(" is empty") == 13
    assert "no line 'Tracks: ...'" in said
    assert "no line 'Additional hours: ...'" in said
    assert "section 'Pre-trained models' is missing or empty" in said


MODEL = "| WavLM Base+ | 2022-01 | https://example.org/wavlm |"
BAD = {
    "no authors": (COMPLETE.replace("## 1. Authors\nA. Synthetic\n", ""), "no section 'Authors'"),
    "empty abstract": (
        COMPLETE.replace("A short system for Task 1, open track.", "<!-- later -->"),
        "line 7: section '2. Abstract' is empty".replace("2. ", ""),
    ),
    "no clustering": (
        COMPLETE.replace("### e. Clustering method\nnot used\n", ""),
        "no section 'Clustering'",
    ),
    "no results": (COMPLETE.split("### Evaluation set")[0], "no section 'Evaluation set'"),
    "no track": (COMPLETE.replace("Tracks: Task 1 open, Task 2 open", ""), "no line 'Tracks: ...'"),
    "too many hours": (
        COMPLETE.replace("hours: 12.5", "hours: 100.5"),
        "100.5 additional hours; at most 100",
    ),
    "no hours": (COMPLETE.replace("Additional hours: 12.5", ""), "no line 'Additional hours: ...'"),
    "hours in a closed track": (
        COMPLETE.replace("Task 1 open, Task 2 open", "Task 1 closed").replace(MODEL, "none"),
        "12.5 additional hours; a closed track allows none",
    ),
    "a model in a closed track": (
        COMPLETE.replace("Task 1 open, Task 2 open", "Task 1 closed").replace("hours: 12.5", "hours: 0"),
        "pre-trained model WavLM Base+; a closed track allows none",
    ),
    "no version": (COMPLETE.replace("2022-01", " "), "pre-trained model WavLM Base+: no version"),
    "no URL": (COMPLETE.replace("https://example.org/wavlm", ""), "pre-trained model WavLM Base+: no URL"),
    "an odd URL": (COMPLETE.replace("https://example.org/wavlm", "on request"), "'on request' is no URL"),
    "no name": (COMPLETE.replace("| WavLM Base+ |", "| |"), "a model without a name: no name"),
    "an undocumented model": (
        COMPLETE.replace("We fine-tune WavLM.", "We fine-tune WavLM and HuBERT."),
        "'hubert' is mentioned, but not listed",
    ),
    "no models, but one is used": (COMPLETE.replace(MODEL, "none"), "'wavlm' is mentioned, but not listed"),
    "an empty table": (COMPLETE.replace(MODEL, ""), "section 'Pre-trained models' is missing or empty"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_missing_is_named(tmp_path, case):
    text, words = BAD[case]
    status, said = check(tmp_path, text)
    assert status == 1
    assert words in said


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    command = [sys.executable, str(KIT / "check_description.py"), str(tmp_path / "none.md")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "none.md cannot be read" in done.stderr
    assert "Traceback" not in done.stderr
