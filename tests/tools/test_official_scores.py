"""Templates of challenges against the kept scores of the challenges' own scripts; `official_scores` repeats them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from speechbundles.new.field_examples import CHALLENGES
from tests.samples.official_scores import FIGURES, hash_of, our_scores

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
