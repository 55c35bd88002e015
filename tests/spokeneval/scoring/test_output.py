"""Files are written whole or not at all."""

from pathlib import Path
from unittest import mock

import pytest

from spokeneval.scoring.output import check_scores, write_file, write_scores


def test_a_file_is_whole_in_its_encoding_and_replaces_what_is_there(tmp_path):
    path = tmp_path / "scores.txt"
    for text in ("né: 1\n", ""):
        (tmp_path / ".scores.txt.unfinished").write_text("half")
        write_file(path, text)
        assert path.read_bytes() == text.encode()
    assert [file.name for file in tmp_path.iterdir()] == ["scores.txt"]


def test_what_is_written_meanwhile_is_not_written_into(tmp_path):
    """The unfinished file is created exclusively: a file that appears meanwhile belongs to another process."""
    unlinked = mock.patch.object(Path, "unlink", side_effect=[None, PermissionError])
    (tmp_path / ".scores.txt.unfinished").write_text("another's")
    with unlinked, pytest.raises(FileExistsError):
        write_file(tmp_path / "scores.txt", "ours")
    assert (tmp_path / ".scores.txt.unfinished").read_text() == "another's"


@pytest.mark.parametrize("score", [1e10, -1e10, float("inf"), float("nan")])
def test_a_score_that_no_platform_stores_is_refused(score):
    check_scores({"a": 9_999_999_999, "b": -9_999_999_999.5})
    with pytest.raises(
        ValueError, match=rf"^score b is {score!r}; expected a finite number below 1e10$".replace("+", r"\+")
    ):
        check_scores({"a": 1, "b": score})


def test_scores_are_written_in_full_or_not_at_all(tmp_path):
    write_scores(tmp_path, {"a": 0.1 + 0.2, "b": 3})
    assert (tmp_path / "scores.txt").read_text() == "a: 0.30000000000000004\nb: 3\n"
    assert (tmp_path / "scores.json").read_text() == '{\n  "a": 0.30000000000000004,\n  "b": 3\n}\n'
    (tmp_path / "scores.json").unlink()
    (tmp_path / "scores.json").mkdir()
    with pytest.raises(OSError, match=f"directory: '{tmp_path / 'scores.json'}'"):
        write_scores(tmp_path, {"a": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["scores.json"]
