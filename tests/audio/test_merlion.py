"""Run the MERLIon CCS audio baseline on a little synthetic speech, and check its messages for bad recordings."""

import struct
import sys
import wave
from argparse import Namespace

import numpy as np
import pandas as pd
import pytest

torch = pytest.importorskip("torch", reason="the extra [audio] is not installed")
pytest.importorskip("espeakng_loader", reason="the extra [audio] is not installed")

import conformer
import corpus
import diarize
import identify
import train

from sample_data import merlion
from sample_data.audio.acoustics import write_wav
from sample_data.audio.child_talk import TALK
from sample_data.audio.merlion import ACCENTS, VARIANTS, conversations
from speechbundles.competition.references import load_reference
from spokeneval import score
from spokeneval.tasks import find_task
from tests.samples.programs import write_files

TINY = conformer.Size(1, 2, 8, 16, stack=4, epochs=2, peak=1e-2, warm_up=1)


def few_segments(set: str) -> merlion.Tables:
    """Return the first segments of two of a sample's recordings that contain both languages."""
    tables = merlion.generate("small", set, 1)
    by_name = {name: labels.head(6) for name, labels in tables.labels.groupby("audio_name")}
    kept = [labels for labels in by_name.values() if set_of(labels) >= {"English", "Mandarin"}][:2]
    ends = [(labels.audio_name.iloc[0], int(labels.end.max()) + 500) for labels in kept]
    regions = pd.DataFrame([(name, 0, end) for name, end in ends], columns=["audio_name", "start", "end"])
    return merlion.Tables(
        pd.concat(kept, ignore_index=True), regions, pd.DataFrame(ends, columns=["audio_name", "length"])
    )


def set_of(labels):
    return set(labels.language_tag)


@pytest.fixture(scope="module")
def evening(tmp_path_factory):
    """Return a folder with a kit and recordings; training and test use the same speech."""
    place = tmp_path_factory.mktemp("evening")
    tables = few_segments("development")
    spoken = dict(conversations(np.random.default_rng(1), "development", tables))
    for name, samples in spoken.items():
        write_wav(place / "audio" / "any" / "depth" / name, samples)
    reference = place / "kit" / "development" / "reference"
    merlion.write_diarization_set(tables, reference)
    for task in ("merlion_identification", "merlion_diarization"):
        gold = reference / "labels.csv" if task == "merlion_identification" else reference
        write_files(
            place / "kit" / "development" / "input",
            dict(load_reference(find_task(task), "development", gold, {}).public),
        )
    return place, tables, spoken


@pytest.fixture
def at_home(evening, monkeypatch, tmp_path):
    monkeypatch.setattr(corpus, "KIT", evening[0] / "kit")
    monkeypatch.setitem(conformer.SIZES, "small", TINY)
    monkeypatch.chdir(tmp_path)
    return evening


def options(place, **changed):
    given = {"audio": place / "audio", "size": "small", "set": "development", "seed": 1, "threads": 1}
    return Namespace(**{**given, "model": train.Path("model.pt"), **changed})


def run(monkeypatch, script, *arguments):
    monkeypatch.setattr(sys, "argv", [script.__name__, *map(str, arguments)])
    script.main()


def test_recordings_last_as_long_as_said_and_are_the_same_again(evening):
    _, tables, spoken = evening
    again = dict(conversations(np.random.default_rng(1), "development", tables))
    for name, length in tables.recordings.itertuples(index=False):
        assert len(spoken[name]) == 16 * length
        assert spoken[name].tobytes() == again[name].tobytes()


def test_segments_are_louder_than_what_lies_between_them(evening):
    _, tables, spoken = evening
    for name, samples in spoken.items():
        speech = np.zeros(len(samples), bool)
        for segment in tables.labels[tables.labels.audio_name == name].itertuples():
            speech[16 * segment.start : 16 * segment.end] = True
        assert samples[speech].std() > 1.5 * samples[~speech].std()


def test_training_and_test_share_no_voice_accent_template_or_content_word():
    for shared in (VARIANTS["development"].split(), ACCENTS["development"]):
        other = VARIANTS["evaluation"].split() if isinstance(shared, list) else ACCENTS["evaluation"]
        assert set(shared).isdisjoint(other)
    for language in merlion.LANGUAGES:
        ours, others = TALK["development", language], TALK["evaluation", language]
        for mine, theirs in zip(ours, others, strict=True):
            assert set(mine).isdisjoint(theirs)
        words = [{word for kind in talk[1:] for word in kind} for talk in (ours, others)]
        assert words[0].isdisjoint(words[1])


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_the_baseline_trains_identifies_and_diarizes(at_home, monkeypatch):
    place, _, _ = at_home
    reference = place / "kit" / "development" / "reference"
    train.train(options(place))
    run(monkeypatch, identify, "development", "one", "--audio", place / "audio")
    result = score("merlion_identification", reference=reference / "labels.csv", submission="one")
    assert result.items == len(corpus.segments_to_identify("development"))
    audio = ("--audio", place / "audio")
    for by in ("energy", "silero"):
        run(monkeypatch, diarize, "development", by, *audio, "--vad", by)
        result = score("merlion_diarization", reference=reference, submission=by)
        assert result.scores["miss"] < 60
        assert result.scores["false_alarm"] < 60
    run(monkeypatch, diarize, "development", "told", *audio, "--speech", reference / "labels.csv")
    result = score("merlion_diarization", reference=reference, submission="told")
    assert result.scores["false_alarm"] == 0
    assert result.scores["miss"] == 0
    assert result.scores["language_error"] > 0


def test_speech_that_labels_tell_is_joined_where_they_overlap(tmp_path):
    lines = ["a.wav,10,20,Mandarin", "b.wav,5,7,English", "a.wav,0,9,English", "a.wav,18,19,English"]
    lines += ["a.wav,9,10,NON_SPEECH", "a.wav,20,30,English", "c.wav,1,2,Others"]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(["audio_name,start,end,language_tag", *lines]))
    spans = {name: found.tolist() for name, found in corpus.labelled_speech(path).items()}
    assert spans == {"a": [[0, 9], [10, 30]], "b": [[5, 7]]}
    path.write_text("audio_name,start,end\na.wav,0,9\n")
    for file in (path, tmp_path / "none.csv"):
        with pytest.raises(
            corpus.CorpusError, match=r"\.csv: no labels; --speech needs a file in the form of"
        ):
            corpus.labelled_speech(file)


def test_training_that_is_stopped_goes_on_to_the_same_model(at_home, monkeypatch):
    place, _, _ = at_home
    train.train(options(place))
    epochs = []

    def stop(*arguments):
        if epochs:
            raise KeyboardInterrupt
        epochs.append(1)
        return learn(*arguments)

    learn = train.learn
    monkeypatch.setattr(train, "learn", stop)
    with pytest.raises(KeyboardInterrupt):
        train.train(options(place, model=train.Path("again.pt")))
    monkeypatch.setattr(train, "learn", learn)
    train.train(options(place, model=train.Path("again.pt")))
    whole, resumed = (torch.load(name, weights_only=True)["model"] for name in ("model.pt", "again.pt"))
    for name, weights in whole.items():
        torch.testing.assert_close(resumed[name], weights, rtol=0, atol=0)
    with pytest.raises(
        corpus.CorpusError, match=r"again\.pt: trained with .*'seed': 1.* but now .*'seed': 2"
    ):
        train.train(options(place, seed=2, model=train.Path("again.pt")))


# Bad recordings: the message in one line


def wav(rate=16000, channels=1, width=2, frames=16000):
    size = frames * channels * width
    head = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", 36 + size, b"WAVE", b"fmt ", 16, 1, channels, rate, rate * channels * width),
        *(channels * width, 8 * width, b"data", size),
    )
    return head + bytes(size)


BAD = {
    "another rate": (wav(rate=44100), "44100 samples per second.*Convert it"),
    "two channels": (wav(channels=2), "2 channels.*Convert it"),
    "8 bits": (wav(width=1), "8 bits.*Convert it"),
    "no samples": (wav(frames=0), "0 samples.*fetch it again"),
    "an empty file": (b"", "it is empty.*fetch it again"),
    "no wav": (b"<html>404</html>" * 9, "not a WAV file.*fetch it again"),
    "a wav of floating-point samples": (
        wav().replace(b"\x10\0\0\0\x01\0", b"\x10\0\0\0\x03\0"),
        "not a WAV file of integer samples",
    ),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_a_bad_recording_is_named_with_what_to_do(tmp_path, content, message):
    (tmp_path / "bad.wav").write_bytes(content)
    with pytest.raises(corpus.CorpusError, match=message) as refusal:
        corpus.read_wav(tmp_path / "bad.wav")
    assert str(refusal.value).startswith(f"{tmp_path / 'bad.wav'}: ")
    assert "\n" not in str(refusal.value)


def test_a_good_recording_is_read_as_it_is(tmp_path):
    write_wav(tmp_path / "good.wav", np.linspace(-1, 1, 1600))
    with wave.open(str(tmp_path / "good.wav")) as source:
        expected = np.frombuffer(source.readframes(1600), "<i2")
    assert corpus.read_wav(tmp_path / "good.wav").tolist() == expected.tolist()


def test_recordings_that_are_missing_or_too_short_are_named(at_home, monkeypatch, tmp_path):
    place, tables, _ = at_home
    with pytest.raises(corpus.CorpusError, match=r"nowhere: no such folder; set --audio"):
        train.train(options(place, audio=tmp_path / "nowhere"))
    (tmp_path / "short").mkdir()
    with pytest.raises(corpus.CorpusError, match=r"no recording TTS_P9\w+-CCS\.wav \(1 of 1 missing\)"):
        train.train(options(place, audio=tmp_path / "short"))
    for each in tables.recordings.audio_name:
        write_wav(tmp_path / "short" / each, np.ones(1600))
    with pytest.raises(
        corpus.CorpusError, match=r"lasts 100 ms, but segment .* check that the recording belongs"
    ):
        train.train(options(place, audio=tmp_path / "short"))
    with pytest.raises(SystemExit, match="no such list; this kit has the sets development"):
        run(monkeypatch, identify, "test", "out", "--audio", place / "audio")


def test_a_model_that_is_none_is_named(at_home, monkeypatch, tmp_path):
    for name, message in (
        ("model.pt", "no such model"),
        ("other.pt", "not a model written by this train.py"),
    ):
        (tmp_path / "other.pt").write_bytes(b"something else")
        with pytest.raises(SystemExit, match=f"{name}: {message}"):
            run(monkeypatch, identify, "development", "out", "--audio", at_home[0] / "audio", "--model", name)


def test_the_corpuss_own_rate_is_halved_without_what_the_lower_one_cannot_hold(tmp_path):
    seconds = np.arange(2 * corpus.RATE) / (2 * corpus.RATE)
    low, high = (8000 * np.sin(2 * np.pi * pitch * seconds) for pitch in (1000, 11_000))
    with wave.open(str(tmp_path / "32.wav"), "wb") as sink:
        sink.setparams((1, 2, 2 * corpus.RATE, 0, "NONE", "not compressed"))
        sink.writeframes(np.round(low + high).astype("<i2").tobytes())
    samples = corpus.read_wav(tmp_path / "32.wav")
    assert len(samples) == corpus.RATE
    # Away from the ends, the higher tone is at least 50 dB lower and the lower tone is unchanged.
    assert np.abs(samples - low[::2])[50:-50].max() < 8000 / 300
