"""Zips that a build writes, and that equal inputs give equal bytes."""

import os
import zipfile

import pytest
import yaml

from speechbundles.bundle.build.plan import plan
from speechbundles.bundle.build.write import write
from speechbundles.bundle.rehearse.rehearsal import rehearse
from speechbundles.model.errors import OrganiserError
from speechbundles.model.read import read_built_bundle
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip
from tests.samples.damaged_copy import build, rewrite
from tests.samples.programs import ROOT


@pytest.mark.thorough
def test_the_same_inputs_give_the_same_bytes_anywhere(tmp_path):
    first, second = tmp_path / "here", tmp_path / "else where" / "out"
    second.parent.mkdir()
    assert build(first, TZ="UTC", LC_ALL="C", PYTHONHASHSEED="1").returncode == 0
    umask = os.umask(0o077)
    try:
        assert build(second, TZ="Asia/Tokyo", LC_ALL="C.UTF-8", PYTHONHASHSEED="2").returncode == 0
    finally:
        os.umask(umask)
    files = sorted(path.relative_to(first) for path in first.rglob("*.zip"))
    assert len(files) == 2
    for file in files:
        assert (first / file).read_bytes() == (second / file).read_bytes()


@pytest.mark.thorough
def test_a_gap_between_phases_becomes_a_closed_phase_on_codalab(tmp_path):
    planned = plan(Sources(ROOT), ["merlion_identification_closed"], {})
    (built,) = write(planned, ["codalab"], tmp_path)
    with zipfile.ZipFile(built.path) as bundle:
        phases = yaml.safe_load(bundle.read("competition.yaml"))["phases"]
    keys = ("label", "start_date", "max_submissions_per_day")
    assert [tuple(phase[key] for key in keys) for phase in phases.values()] == [
        ("Evaluation", "2023-02-16 00:00:00", 3),
        ("Closed after Evaluation", "2023-03-01 00:00:00", 0),
        ("Post-evaluation", "2023-03-10 00:00:00", 3),
    ]


def test_hidden_scores_hide_the_board_the_output_and_the_report(copy):
    evaluation = "        reference: evaluation\n"
    rewrite(copy, (evaluation, f"{evaluation}        hide_scores: true\n"))
    planned = plan(Sources(copy), ["spoken_call"], {})
    built = {one.platform: one for one in write(planned, ["codabench", "codalab"], copy / "dist")}
    competitions = {}
    for platform, one in built.items():
        assert [finding for finding in one.findings if finding.level == "error"] == []
        with zipfile.ZipFile(one.path) as bundle:
            competitions[platform] = yaml.safe_load(bundle.read("competition.yaml"))
    assert competitions["codabench"]["phases"][1]["hide_output"] is True
    assert competitions["codabench"]["leaderboards"][0]["hidden"] is True
    assert competitions["codabench"]["enable_detailed_results"] is False
    assert competitions["codalab"]["phases"][2]["leaderboard_management_mode"] == "hide_results"
    submission = copy / "submission.zip"
    submission.write_bytes(make_zip(planned.parts["spoken_call"].solutions["evaluation"]))
    assert [rehearse(one.path, submission).status for one in built.values()] == ["Finished"] * 2


@pytest.mark.thorough
def test_submissions_that_wait_need_a_platform_that_can_hold_them(copy):
    evaluation = "        reference: evaluation\n"
    hidden = evaluation, f"{evaluation}        hide_scores: true\n"
    rewrite(copy, hidden, ("auto_run_submissions: true", "auto_run_submissions: false"))
    planned = plan(Sources(copy), ["spoken_call"], {})
    with pytest.raises(OrganiserError, match="codalab runs every submission at once"):
        list(write(planned, ["codabench", "codalab"], copy / "dist"))
    assert not (copy / "dist").exists()
    (built,) = write(planned, ["codabench"], copy / "dist")
    assert built.findings == ()
    assert read_built_bundle(built.path).auto_run is False
