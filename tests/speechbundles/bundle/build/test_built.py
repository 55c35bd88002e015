"""Zips that a build writes, and that equal inputs give equal bytes."""

import os

import pytest

from speechbundles.bundle.build.built import write
from speechbundles.bundle.build.plan import plan
from speechbundles.cli import main
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.errors import OrganiserError
from speechbundles.model.finding import format_findings
from speechbundles.model.sources import Sources
from tests.samples.damaged_copy import build, rewrite


@pytest.mark.thorough
def test_the_same_inputs_give_the_same_bytes_anywhere(tmp_path):
    first, second = tmp_path / "here", tmp_path / "else where" / "out"
    second.parent.mkdir()
    both = ("--platform", "codabench", "--platform", "codalab")
    assert build(first, *both, TZ="UTC", LC_ALL="C", PYTHONHASHSEED="1").returncode == 0
    umask = os.umask(0o077)
    try:
        assert build(second, *both, TZ="Asia/Tokyo", LC_ALL="C.UTF-8", PYTHONHASHSEED="2").returncode == 0
    finally:
        os.umask(umask)
    files = sorted(path.relative_to(first) for path in first.rglob("*.zip"))
    assert len(files) == 2
    for file in files:
        assert (first / file).read_bytes() == (second / file).read_bytes()


@pytest.mark.thorough
def test_submissions_that_wait_need_a_platform_that_can_hold_them(copy):
    evaluation = "        reference: evaluation\n"
    hidden = evaluation, f"{evaluation}        hide_scores: true\n"
    rewrite(copy, hidden, ("auto_run_submissions: true", "auto_run_submissions: false"))
    planned = plan(Sources(copy), ["spoken_call"], {}, platforms=["codabench", "codalab"])
    with pytest.raises(OrganiserError, match="codalab runs every submission at once"):
        list(write(planned, copy / "dist"))
    assert not (copy / "dist").exists()
    (built,) = write(plan(Sources(copy), ["spoken_call"], {}), copy / "dist")
    assert built.findings == ()
    assert read_built_bundle(built.path).auto_run is False


@pytest.mark.thorough
def test_the_submissions_to_the_other_track_count(copy, capsys):
    rewrite(copy, ("max_submissions: 1  ", "max_submissions: 5  "))
    (built,) = write(plan(Sources(copy), ["merlion_identification_closed"], {}), copy / "dist")
    assert [finding.code for finding in built.findings] == ["leak-scores"]
    counted = "16 attempts on reference_data.zip and in other bundles with its labels (8)"
    assert counted in " ".join(format_findings(built.findings).split())
    assert main(["check", str(built.path)]) == 0
    assert counted in " ".join(capsys.readouterr().out.split())
