"""What the build lists as missing on the pages."""

from __future__ import annotations

from dataclasses import replace

from speechbundles.bundle.build.unsaid import unfilled_about
from speechbundles.competition.read import read_competitions
from speechbundles.model.sources import Sources
from tests.samples.programs import ROOT

(SPOKEN_CALL,) = read_competitions(Sources(ROOT), ["spoken_call"])


def test_the_build_lists_missing_facts():
    sample = SPOKEN_CALL
    assert unfilled_about([sample]) == ""
    own = replace(sample, sources=Sources(ROOT, ROOT / "elsewhere"))
    assert unfilled_about([own]) == ""
    little = {**own.settings, "about": {"timeline": [], "faq": []}, "reward": "Fame"}
    assert unfilled_about([sample, replace(own, settings=little)]) == (
        "to fill in below `about` in competition.yaml, for the pages: spoken_call: organisers, data_access, citation"
    )
