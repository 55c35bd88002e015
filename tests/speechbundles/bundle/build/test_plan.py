"""Plans of bundles of an organiser's folder: warnings, and files that the build would replace."""

from datetime import datetime
from unittest import mock

import pytest

from speechbundles.bundle.build.baseline import Baseline
from speechbundles.bundle.build.plan import plan
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from tests.samples.own_competition import own_folder
from tests.samples.programs import ROOT, write_files


def test_past_phases_give_a_warning_while_another_is_open(own):
    with mock.patch("speechbundles.model.dates.now", return_value=datetime(2027, 6, 22)):
        (warning,) = plan(Sources(ROOT, own), [], {}).warnings
    assert warning == "content_accuracy: phase Development ended at 2027-06-20 23:59:59"


def test_a_baseline_that_fails_everywhere_gives_a_warning_with_the_remedy(own, monkeypatch):
    failed = Baseline(failures=["baseline.py failed on the evaluation set: no memory"])
    monkeypatch.setattr("speechbundles.bundle.build.kit.run_baseline", lambda *_: failed)
    assert plan(Sources(ROOT, own), [], {}).warnings == [
        "content_accuracy: baseline.py failed on the evaluation set: no memory",
        "content_accuracy: the kit's baseline fails on every set; fix it, or remove it with leave_out: [baseline]",
    ]


def test_an_own_file_that_the_build_would_replace_is_refused(own):
    kit = own / "starting_kit/content_accuracy"
    write_files(kit, {"score.py": "", "options.json": "", "NOTES.dat": ""})
    with pytest.raises(OrganiserError, match=r"options\.json, score\.py: the build writes"):
        plan(Sources(ROOT, own), [], {})
    for name in ("score.py", "options.json"):
        (kit / name).unlink()
    assert "NOTES.dat" in plan(Sources(ROOT, own), [], {}).parts["content_accuracy"].starting_kit


def test_an_own_file_of_a_shared_kit_that_the_build_would_replace_is_refused(tmp_path):
    own = own_folder(tmp_path / "mine", ["psst_recognition"])
    write_files(own, {"starting_kit/psst/phases.json": "{}"})
    with pytest.raises(OrganiserError, match=r"starting kit: phases\.json: the build writes"):
        plan(Sources(ROOT, own), [], {})
