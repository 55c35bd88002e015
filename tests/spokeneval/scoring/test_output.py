"""Files are written whole or not at all."""

import os
import tempfile
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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "page")
    reader = os.open(tmp_path / "page", os.O_RDONLY | os.O_NONBLOCK)
    write_file(tmp_path / "page", "né")
    assert (os.read(reader, 9), (tmp_path / "page").is_fifo()) == ("né".encode(), True)
    os.close(reader)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_device_is_written_to_and_not_replaced():
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write_file(Path("/dev/full"), "text")
    assert Path("/dev/full").is_char_device()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")
def test_a_descriptor_of_the_shell_is_written_to(tmp_path):
    with open(tmp_path / "page", "w") as page:
        write_file(Path(f"/dev/fd/{page.fileno()}"), "text")
    assert (tmp_path / "page").read_text() == "text"


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="needs /dev/shm")
def test_a_file_in_shared_memory_is_replaced():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder, "scores.txt")
        for text in ("first", "text"):
            write_file(path, text)
        assert path.read_text() == "text"


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
