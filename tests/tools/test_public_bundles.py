"""The check of a folder of checkouts."""

from tests.samples.bundle_defects import codabench, drop
from tests.samples.programs import unzipped, write_files
from tests.tools.public_bundles import main


def test_folders_and_zips_are_checked_and_counted(tmp_path, capsys):
    good, bad = codabench(), codabench()
    drop("terms")(bad)
    write_files(tmp_path / "a", unzipped(good.build()))
    write_files(tmp_path, {"b.zip": bad.build(), "c/other.zip": b"no zip"})
    main(tmp_path)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("b.zip: missing-key: competition.yaml line 1")
    assert lines[-1] == "bundles: 2 checked, 1 without an error, 2 read"
