"""Rules and findings: what each has, and how findings are printed."""

from __future__ import annotations

import re
from dataclasses import replace

from speechbundles.model.finding import RULES, count_findings, format_findings
from tests.samples import bundle_defects
from tests.samples.bundle_defects import CLEAN


def test_every_rule_names_an_effect_and_a_fix():
    for code, rule in RULES.items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)
        assert rule.platform.endswith("."), code
        assert rule.remedy.endswith("."), code


def test_a_finding_has_four_parts_in_lines_of_at_most_80_columns(tmp_path, monkeypatch):
    draft = CLEAN["codabench"]()
    bundle_defects.put("docker_image", to="codalab/codalab-legacy")(draft)
    bundle_defects.put("imgae", to="logo.png")(draft)
    findings = bundle_defects.findings_of(tmp_path, draft)
    for columns, widest in (("20", 80), ("90", 90), ("300", 100)):
        monkeypatch.setenv("COLUMNS", columns)
        text = format_findings(findings)
        assert max(map(len, text.splitlines())) <= widest
    assert text.startswith("2 warnings\n\nwarning  competition.yaml line ")
    assert text.index("[unknown-key]") < text.index("[docker-unpinned]")
    effect = "The image can change during the competition."
    assert f"\n         effect: {effect}\n         fix:    Give a fixed tag" in text
    assert format_findings([]) == "No findings."
    levels = [replace(findings[0], level=level) for level in ("note", "error", "note")]
    assert (count_findings(levels), count_findings([])) == ("1 error, 2 notes", "")
