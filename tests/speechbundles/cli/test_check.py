"""The command `check`."""

import pytest

import build_bundle


@pytest.mark.parametrize(
    ("name", "status", "expected"),
    [
        ("folder", 1, "no competition.yaml among 0 files"),
        ("no.zip", 2, "no.zip: No such file or directory\n"),
        ("broken.zip", 1, "broken.zip"),
    ],
)
def test_what_is_no_bundle_is_named_and_not_traced(tmp_path, capsys, name, status, expected):
    (tmp_path / "folder").mkdir()
    (tmp_path / "broken.zip").write_text("no zip")
    assert build_bundle.main(["check", str(tmp_path / name)]) == status
    assert expected in "".join(capsys.readouterr())
