"""Recordings that cannot be used are refused before anything runs, all at once, each with the remedy."""

import numpy as np
import pytest

soundfile = pytest.importorskip("soundfile", reason="the extra [audio] is not installed")
pytest.importorskip("soxr", reason="the extra [audio] is not installed")

from recordings import find_recordings, read_samples

SAMPLES = np.arange(-500, 500, dtype=np.int16)


def write(path, samples=SAMPLES, *, rate=16_000, channels=1, subtype="PCM_16"):
    path.parent.mkdir(exist_ok=True)
    soundfile.write(path, np.stack([samples] * channels, axis=1), rate, subtype=subtype)


def refusal(folder, *names):
    with pytest.raises(SystemExit) as stopped:
        find_recordings(folder, names)
    return str(stopped.value).splitlines()


@pytest.mark.parametrize(("ending", "subtype"), [("wav", "PCM_16"), ("flac", "PCM_16"), ("wav", "PCM_24")])
def test_samples_are_those_of_the_file(tmp_path, ending, subtype, capsys):
    write(tmp_path / f"a.{ending}", subtype=subtype)
    (path,) = find_recordings(tmp_path, ["a.wav"])
    assert read_samples(path).tolist() == SAMPLES.tolist()
    assert capsys.readouterr().err == ""


def test_floating_point_samples_are_scaled_and_clipped(tmp_path):
    write(tmp_path / "a.wav", np.linspace(-1.5, 1.5, 601), subtype="FLOAT")
    samples = read_samples(tmp_path / "a.wav")
    assert (samples.min(), samples.max(), samples[300]) == (-32768, 32767, 0)
    assert samples[350] == 8192


@pytest.mark.parametrize("rate", [8000, 22_050, 32_000, 44_100])
def test_another_rate_is_converted_and_a_line_says_so(tmp_path, rate, capsys):
    tone = 8000 * np.sin(2 * np.pi * 1000 * np.arange(2 * rate) / rate)
    write(tmp_path / "a.wav", tone.astype(np.int16), rate=rate)
    write(tmp_path / "b.wav")
    first, _ = find_recordings(tmp_path, ["a.wav", "b.wav"])
    said = capsys.readouterr().err
    assert said.startswith(
        f"1 of 2 recordings have {rate:,} samples per second; they are converted to 16,000"
    )
    assert ("they contain no frequencies above 4,000 Hz" in said) == (rate == 8000)
    expected = 8000 * np.sin(2 * np.pi * 1000 * np.arange(32_000) / 16_000)
    assert np.abs(read_samples(first) - expected)[400:-400].max() < 8000 / 300


def test_recordings_are_found_at_any_depth_and_by_their_folder(tmp_path, capsys):
    write(tmp_path / "x" / "a.wav")
    write(tmp_path / "y" / "b.flac")
    write(tmp_path / "x" / "c.wav")
    write(tmp_path / "y" / "c.wav")
    found = find_recordings(tmp_path, ["a", "b.wav", "y/c.wav"])
    assert found == [tmp_path / "x" / "a.wav", tmp_path / "y" / "b.flac", tmp_path / "y" / "c.wav"]


def test_all_faults_of_a_corpus_are_listed_at_once(tmp_path):
    for name, made in {
        "good": {},
        "two": {"channels": 2},
        "none": {"samples": SAMPLES[:0]},
        "short": {"samples": SAMPLES[:399]},
        "cut": {},
    }.items():
        write(tmp_path / f"{name}.wav", **made)
    (tmp_path / "cut.wav").write_bytes((tmp_path / "cut.wav").read_bytes()[:1000])
    (tmp_path / "empty.wav").touch()
    (tmp_path / "text.wav").write_text("utterance_id\ttranscript\n")
    write(tmp_path / "x" / "twice.wav")
    write(tmp_path / "y" / "twice.flac")
    names = ["good", "two", "none", "short", "cut", "empty", "text", "twice", "gone", "gone too"]
    first, *lines = refusal(tmp_path, *(f"{name}.wav" for name in names))
    assert first == f"{tmp_path}: recordings that cannot be used"
    two, none, short, cut, empty, text, twice, gone = lines
    assert two == "two.wav: 2 channels; expected 1; convert: ffmpeg -i OLD -ac 1 NEW.wav"
    assert none == "none.wav: the file has no samples; copy it from the corpus again"
    assert short == "short.wav: shorter than 25 ms; remove it from the list, or copy it from the corpus again"
    assert cut == "cut.wav: the file is truncated; copy it from the corpus again"
    assert empty == "empty.wav: the file is empty; copy it from the corpus again"
    assert text.startswith("text.wav: not a recording that can be read (")
    assert twice == "twice.wav: 2 files have this name, x/twice.wav and y/twice.flac; keep one"
    assert gone == (
        "gone.wav and 1 more of 10: missing; set --audio to the folder with all recordings of this set"
    )
