"""Recordings that cannot be used are refused before anything runs, in one line that includes the remedy."""

import wave

import numpy as np
import pytest
from recordings import find_recordings, read_samples

SAMPLES = np.arange(-50, 50, dtype="<i2")


def write(path, *, rate=16_000, channels=1, width=2, content=None):
    with wave.open(str(path), "wb") as sink:
        sink.setparams((channels, width, rate, 0, "NONE", ""))
        sink.writeframes(SAMPLES.tobytes() if content is None else content)


def refusal(folder, *names):
    with pytest.raises(SystemExit) as stopped:
        find_recordings(folder, names)
    return str(stopped.value).splitlines()


def test_samples_are_those_of_the_file(tmp_path):
    write(tmp_path / "a.wav")
    (path,) = find_recordings(tmp_path, ["a.wav"])
    assert read_samples(path).tolist() == SAMPLES.tolist()


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        ({"rate": 8000}, "8000 samples per second; expected 16000; convert: ffmpeg"),
        ({"channels": 2}, "2 channels; expected 1; convert: ffmpeg"),
        ({"width": 1}, "8 bits per sample; expected 16; convert: ffmpeg"),
        ({"content": b""}, "the file has no samples; copy it from the corpus again"),
    ],
)
def test_recording_in_another_form_is_named_with_what_to_do(tmp_path, made, problem):
    write(tmp_path / "good.wav")
    write(tmp_path / "bad.wav", **made)
    _, line = refusal(tmp_path, "good.wav", "bad.wav")
    assert line.startswith(f"bad.wav: {problem}")


def test_file_without_a_wav_in_it_is_named(tmp_path):
    (tmp_path / "empty.wav").touch()
    (tmp_path / "text.wav").write_text("utterance_id\ttranscript\n")
    write(tmp_path / "cut.wav")
    whole = (tmp_path / "cut.wav").read_bytes()
    (tmp_path / "cut.wav").write_bytes(whole[:120])
    _, empty, text, cut = refusal(tmp_path, "empty.wav", "text.wav", "cut.wav")
    assert empty == "empty.wav: the file is empty; copy it from the corpus again"
    assert text.startswith(
        "text.wav: not a WAV file of PCM samples (file does not start with RIFF id); convert: ffmpeg"
    )
    assert cut == "cut.wav: the file is truncated; copy it from the corpus again"


def test_same_mistake_in_many_is_one_line(tmp_path):
    for number in range(5):
        write(tmp_path / f"{number}.wav", rate=8000)
    _, rate, missing = refusal(tmp_path, *(f"{number}.wav" for number in range(7)))
    assert rate.startswith("0.wav and 4 more of 7: 8000 samples per second")
    assert missing.startswith("5.wav and 1 more of 7: missing; set --audio to the folder")


def test_folder_that_is_not_there_is_named(tmp_path):
    (line,) = refusal(tmp_path / "audio", "a.wav")
    assert line.endswith("no such folder; set --audio to the folder that contains a.wav.")
