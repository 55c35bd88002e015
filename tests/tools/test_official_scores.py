"""Templates of challenges against the kept scores of the challenges' own scripts; `official_scores` repeats them."""

import csv
import io
import re
import string
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
import yaml

from speechbundles.new.field_examples import CHALLENGES
from tests.samples.official_scores import FIGURES, hash_of, odd_files, our_scores

KEPT = yaml.safe_load(FIGURES.read_text(encoding="utf-8"))
DIFFERS = {"sapc2": 0.1}
"""Scores in percent whose definition differs, as `about` of the template says, with the largest difference."""


@pytest.mark.parametrize("challenge", CHALLENGES)
def test_our_scores_are_those_of_the_challenges_own_script(challenge):
    kept = KEPT[challenge]
    assert hash_of(challenge) == kept["files"]
    ours = our_scores(challenge)
    apart = DIFFERS.get(challenge)
    for key, official in kept["scores"].items():
        assert ours[key] == pytest.approx(official, rel=1e-9 if apart is None else 0, abs=apart or 1e-12), key
    if apart is not None:
        assert any(ours[key] != pytest.approx(official, rel=1e-9) for key, official in kept["scores"].items())
        assert "here the longer one counts" in " ".join(CHALLENGES[challenge]["about"].split())


def texts(files, side):
    found = {}
    for row in csv.DictReader(io.StringIO(files[f"{side}/transcripts.csv"].decode())):
        found.setdefault(row["id"], []).append(row["transcript"])
    return found


def phones(text):
    """As the challenge describes it: NFC; no nasality of e, i, o and u, no tie bars, stress or ASCII punctuation; then
    affricates are one sign."""
    text = unicodedata.normalize("NFC", text).replace("ɝ", "ɚ")
    text = "".join(unicodedata.normalize("NFD", sign)[0] if sign in "ẽĩõũ" else sign for sign in text)
    kept = [sign for sign in text if sign not in {*string.punctuation, *"ˈˌ\u035c\u0361\u0303"}]
    return " ".join("".join(kept).replace("tʃ", "ʧ").replace("dʒ", "ʤ").split())


@pytest.mark.parametrize("seeds", [range(15), pytest.param(range(15, 400), marks=pytest.mark.thorough)])
def test_phones_with_odd_marks_are_those_of_the_challenges_rule(seeds):
    distance = pytest.importorskip("rapidfuzz.distance").Levenshtein.distance
    for seed in seeds:
        files = odd_files("pasketti_phones", seed)
        given = {item: phones(text) for item, (text,) in texts(files, "submission").items()}
        said = {item: phones(text) for item, (text,) in texts(files, "reference").items()}
        errors = sum(distance(said[item], given[item]) for item in said)
        expected = 100 * errors / sum(map(len, said.values()))
        assert our_scores("pasketti_phones", files)["cer"] == pytest.approx(expected, rel=1e-9), seed


def test_every_figure_has_its_source():
    assert KEPT.keys() == CHALLENGES.keys()
    for challenge, kept in KEPT.items():
        assert bool(kept["repository"]) != challenge.startswith("process")
        assert not kept["repository"] or re.fullmatch("[0-9a-f]{40}", kept["commit"])


def test_the_command_reports_scripts_that_cannot_run(tmp_path):
    words = [sys.executable, "-m", "tests.tools.official_scores", str(tmp_path), "--only", "asvspoof5_track1"]
    run = subprocess.run(words, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert run.returncode == 1
    assert re.search(r"asvspoof5_track1 +not run: .*calculate_metrics", run.stdout, re.DOTALL)
