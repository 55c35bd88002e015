"""The folder of a season: teams, and submissions that are named by their time."""

import unicodedata
from datetime import datetime

import pytest

from speechbundles.leaderboard.uploads import read_uploads
from speechbundles.model.errors import OrganiserError
from tests.samples.seasons import codabench, played, submit


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
    for name in ("run1.zip", "2027-02-30T1200_x.zip", "2027-03-01T2500_x.zip", "2027-03-01T0915x.zip"):
        submit(tmp_path, "alpha", name)
    submit(tmp_path, "be\x1b[31mta", "2027-03-01_x\n.zip")
    (tmp_path / "season/2027-03-01T0915_stray.zip").write_bytes(good.read_bytes())
    with pytest.raises(OrganiserError) as refusal:
        played(codabench(tmp_path), tmp_path / "season")
    expected = "expected a name with the UTC time of the upload, such as 2027-03-01T0915_anything.zip"
    assert str(refusal.value).splitlines()[2:] == [
        "  2027-03-01T0915_stray.zip: expected a team's folder with its submissions",
        "  alpha/2027-02-30T1200_x.zip: 2027-02-30T1200 is not a valid date and time",
        f"  alpha/2027-03-01T0915x.zip: {expected}",
        "  alpha/2027-03-01T2500_x.zip: 2027-03-01T2500 is not a valid date and time",
        f"  alpha/run1.zip: {expected}",
        f"  be\\x1b[31mta/2027-03-01_x\\n.zip: {expected}",
        "",
        "Nothing was rehearsed.",
    ]
    assert not (tmp_path / "season/.season").exists()


def test_a_folder_or_another_file_instead_of_a_zip_is_one_submissions_refusal(tmp_path):
    submit(tmp_path, "alpha", "2027-01-05T0915.zip")
    (tmp_path / "season/beta/2027-01-05T0916_unpacked").mkdir(parents=True)
    (tmp_path / "season/beta/2027-01-05T0917.tar.gz").write_bytes(b"no zip")
    with (tmp_path / "season/beta/2027-01-05T0918_sparse.zip").open("wb") as stream:
        stream.truncate(1 << 40)
    attempts = played(codabench(tmp_path), tmp_path / "season").attempts
    assert [one.status for one in attempts] == ["Finished", "Failed", "Failed", "Failed"]
    assert attempts[1].result.reasons == ("submission: is a folder; expected a zip",)
    assert "is not a readable zip file" in attempts[2].result.reasons[1]
    assert attempts[3].result.reasons == ("submission: the zip is larger than 537 MB",)


def test_a_team_whose_name_is_written_in_two_unicode_forms_is_one_team(tmp_path):
    for day, form in enumerate(("NFC", "NFD"), 5):
        submit(tmp_path, unicodedata.normalize(form, "Zürich"), f"2027-01-0{day}T0915.zip")
    assert {one.team for one in read_uploads(tmp_path / "season")} == {"Z\u00fcrich"}


def test_a_folder_without_a_season(tmp_path):
    with pytest.raises(OrganiserError, match="expected a folder"):
        played(codabench(tmp_path), tmp_path / "absent")
    (tmp_path / "empty").mkdir()
    with pytest.raises(OrganiserError, match="no submissions; expected one folder"):
        played(codabench(tmp_path), tmp_path / "empty")
