"""The folder of a season: teams, and submissions that are named by their time."""

from datetime import datetime

import pytest

from speechbundles.leaderboard.season import play_season
from speechbundles.leaderboard.uploads import read_uploads
from speechbundles.model.errors import OrganiserError
from tests.samples.seasons import codabench, submit


def test_names_tell_the_time(tmp_path):
    names = ["2027-03-01T0915.zip", "2027-03-01T091459_b c.zip", "2027-03-01T0914Z_x.ZIP"]
    for name in names:
        submit(tmp_path, "team", name)
    (tmp_path / "season/.DS_Store").write_text("x")
    (tmp_path / "season/team/.hidden").write_text("x")
    got = [(one.time, one.name) for one in read_uploads(tmp_path / "season")]
    assert got == [
        (datetime(2027, 3, 1, 9, 14), names[2]),
        (datetime(2027, 3, 1, 9, 14, 59), names[1]),
        (datetime(2027, 3, 1, 9, 15), names[0]),
    ]


def test_every_bad_name_is_told_at_once_and_nothing_is_run(tmp_path):
    good = submit(tmp_path, "alpha", "2027-03-01T0915_ok.zip")
    for name in ("run1.zip", "2027-02-30T1200_x.zip", "2027-03-01T2500_x.zip", "2027-03-01T0915_x.tar"):
        submit(tmp_path, "alpha", name)
    submit(tmp_path, "be\x1b[31mta", "2027-03-01_x\n.zip")
    (tmp_path / "season/2027-03-01T0915_stray.zip").write_bytes(good.read_bytes())
    (tmp_path / "season/alpha/2027-03-01T0916_folder.zip").mkdir()
    with pytest.raises(OrganiserError) as refusal:
        play_season(codabench(tmp_path), tmp_path / "season")
    expected = "expected a name with the UTC time of the upload, such as 2027-03-01T0915_anything.zip"
    assert str(refusal.value).splitlines()[2:] == [
        "  2027-03-01T0915_stray.zip: expected a team's folder with its submissions",
        "  alpha/2027-02-30T1200_x.zip: 2027-02-30T1200 is not a valid date and time",
        f"  alpha/2027-03-01T0915_x.tar: {expected}",
        "  alpha/2027-03-01T0916_folder.zip: is a folder; expected the uploaded zip",
        "  alpha/2027-03-01T2500_x.zip: 2027-03-01T2500 is not a valid date and time",
        f"  alpha/run1.zip: {expected}",
        f"  be\\x1b[31mta/2027-03-01_x\\n.zip: {expected}",
        "",
        "Nothing was rehearsed.",
    ]
    assert not (tmp_path / "season/.season").exists()


def test_a_folder_without_a_season(tmp_path):
    with pytest.raises(OrganiserError, match="expected a folder"):
        play_season(codabench(tmp_path), tmp_path / "absent")
    (tmp_path / "empty").mkdir()
    with pytest.raises(OrganiserError, match="no submissions; expected one folder"):
        play_season(codabench(tmp_path), tmp_path / "empty")
