"""Challenges with an organiser's own messy files: built, and scored as independent software scores them."""

import json
import re

import pytest

import build_bundle
from tests.samples.nine_challenges import CHALLENGES, files_of, part_of
from tests.samples.programs import unzipped, write_files


@pytest.mark.default_cases("languages")
@pytest.mark.parametrize("name", CHALLENGES)
def test_messy_files_are_built_or_refused_once_and_scored_as_elsewhere(name, tmp_path, capsys):
    challenge = CHALLENGES[name]
    folder = write_files(tmp_path, files_of(name))
    build = ["build", "--competition", str(folder), "--platform", "codabench"]
    settings = challenge["settings"]
    for export in sorted(folder.glob("exports/*")):
        out = folder / "reference_data" / name / export.stem
        assert build_bundle.main(["merge", str(export), *challenge["merged"], "--out", str(out)]) == 0
    if "asked" in challenge:
        assert build_bundle.main(build) == 1
        refusal = capsys.readouterr().err
        assert [each for each in challenge["asked"] if each not in refusal] == []
        settings = challenge.get("instead", settings)
        for old, new in challenge.get("advised", {}).items():
            assert settings.count(old) == 1
            settings = settings.replace(old, new)
        write_files(folder, {"competition.yaml": settings})
    assert 10 <= len(re.findall(r"(?m)^ *[^#\s]", settings)) <= 22
    assert build_bundle.main(build) == 0
    for task, part in part_of(name, "evaluation").items():
        bundle, out = folder / f"dist/codabench/{task}.zip", folder / "scored" / task
        given = [str(bundle), str(folder / "submissions" / task), "--out", str(out)]
        assert build_bundle.main(["score", *given]) == 0
        scores = json.loads(unzipped((out / "team/scoring_output.zip").read_bytes())["scores.json"])
        assert {key: scores[key] for key in part.scores} == pytest.approx(dict(part.scores), abs=1e-9)
