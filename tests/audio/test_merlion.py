"""Run the MERLIon CCS audio baseline on a little synthetic speech, and check its messages for bad recordings."""

import sys

import numpy as np
import pandas as pd
import pytest

torch = pytest.importorskip("torch", reason="the extra [audio] is not installed")
pytest.importorskip("soundfile", reason="the extra [audio] is not installed")
pytest.importorskip("espeakng_loader", reason="the extra [audio] is not installed")

import conformer
import corpus
import diarize
import identify
import train
from calibration import calibrate
from encoder import load_encoder

from sample_data import merlion
from sample_data.audio.acoustics import write_wav
from sample_data.audio.child_talk import TALK
from sample_data.audio.merlion import ACCENTS, VARIANTS, conversations
from speechbundles.competition.references import load_reference
from spokeneval import score
from spokeneval.challenges import find_task
from tests.samples.programs import ROOT, write_files

TINY = conformer.Size(1, 2, 8, 16, stack=4, epochs=2, peak=1e-2)


def few_segments(set: str) -> merlion.Tables:
    """Return the first segments of two of a sample's recordings that contain both languages."""
    tables = merlion.generate("small", set, 1)
    by_name = {name: labels.head(8) for name, labels in tables.labels.groupby("audio_name")}
    kept = [labels for labels in by_name.values() if set_of(labels) >= {"English", "Mandarin"}][:2]
    ends = [(labels.audio_name.iloc[0], int(labels.end.max()) + 500) for labels in kept]
    regions = pd.DataFrame([(name, 0, end) for name, end in ends], columns=["audio_name", "start", "end"])
    recordings = pd.DataFrame(ends, columns=["audio_name", "length"])
    return merlion.Tables(pd.concat(kept, ignore_index=True), regions, recordings)


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


def run(monkeypatch, script, *arguments):
    monkeypatch.setattr(sys, "argv", [script.__name__, *map(str, arguments)])
    script.main()


@pytest.fixture
def train_with(at_home, monkeypatch):
    """Return a function that trains on the development set with options of the command line."""

    def start(*options, audio=at_home[0] / "audio"):
        run(monkeypatch, train, "--audio", audio, "--hold-out", 0.5, "--copies", 1, *options)

    return start


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
def test_the_baseline_trains_identifies_and_diarizes(at_home, train_with, monkeypatch, capsys):
    place, _, _ = at_home
    reference = place / "kit" / "development" / "reference"
    train_with("--cache", "cache")
    assert len(list(train.Path("cache").glob("*.npy"))) == 4
    run(monkeypatch, identify, "development", "one", "--audio", place / "audio")
    result = score("merlion_identification", reference=reference / "labels.csv", submission="one")
    assert result.items == len(corpus.segments_to_identify("development"))
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"one/prediction.txt: scores of {result.items} segments")
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
        with pytest.raises(SystemExit, match=r"\.csv: no labels; --speech needs a file in the form of"):
            corpus.labelled_speech(file)


def test_calibrated_odds_are_log_likelihood_ratios_whatever_the_share_of_english():
    """Of two normal distributions with means 2 and -1 and the same variance 2, the ratio is 1.5 x - 0.75."""
    rng = np.random.default_rng(1)
    english = rng.random(40_000) < 0.9
    odds = np.where(english, 2.0, -1.0) + np.sqrt(2) * rng.standard_normal(len(english))
    found = calibrate(odds, english)
    assert found.scale == pytest.approx(1.5, abs=0.05)
    assert found.offset == pytest.approx(-0.75, abs=0.05)


MANIFEST = "recording,start,end,language\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("recording,start\n", "the columns end, language are missing; expected recording,start,end,language"),
        (MANIFEST + "a.wav,1,x,English\n", "line 2: 1 to x; expected a start before an end, in ms"),
        (MANIFEST + "a.wav,9,9,English\n", "line 2: 9 to 9; expected a start before an end, in ms"),
        (MANIFEST + "a.wav,1,2,Hindi\n", "line 2: language 'Hindi'; expected English or Mandarin"),
        (MANIFEST + "a.wav,1,2,English\n", "no Mandarin segments; expected both languages"),
        (MANIFEST + 12 * "a.wav,9,9,English\n", "and 2 more"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_refused(tmp_path, content, said):
    (tmp_path / "own.csv").write_text(content)
    with pytest.raises(SystemExit) as stopped:
        corpus.manifest_segments(tmp_path / "own.csv")
    assert said in str(stopped.value)


# An encoder of one's own

LOUDNESS = """
import numpy as np

RATE = 20


def load(folder):
    assert folder is None


def frames(samples):
    parts = samples[: len(samples) // 800 * 800].reshape(-1, 800)
    return np.stack([parts.std(axis=1), np.abs(np.diff(parts)).mean(axis=1)], axis=1)
"""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no such file; --encoder needs a Python file with RATE, load"),
        ("RATE = 50", "does not define load, frames"),
        (
            "import no_such_package",
            "No module named 'no_such_package'; install the packages that this encoder",
        ),
        (
            LOUDNESS.replace("axis=1)\n", "axis=1)[:, :, None]\n"),
            r"frames\(\) returned shape .*; expected finite numbers",
        ),
    ],
)
def test_an_encoder_that_is_none_is_named(tmp_path, content, said):
    path = tmp_path / "own.py"
    if content:
        path.write_text(content)
    with pytest.raises(SystemExit, match=said):
        load_encoder(path, None).frames(np.zeros(16_000, np.int16))


@pytest.mark.parametrize("kind", ["wav2vec2", "wavlm", "whisper"])
def test_the_examples_of_encoders_read_a_folder_of_weights(tmp_path, kind):
    """On small models with random weights."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    torch.manual_seed(1)
    if kind == "whisper":
        settings = transformers.WhisperConfig(
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
        )
        transformers.WhisperFeatureExtractor().save_pretrained(tmp_path)
        model = transformers.WhisperModel(settings)
    else:
        sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
        sizes.update(conv_dim=(8,) * 7, num_conv_pos_embedding_groups=2)
        name = {"wav2vec2": "Wav2Vec2", "wavlm": "WavLM"}[kind]
        model = getattr(transformers, f"{name}Model")(getattr(transformers, f"{name}Config")(**sizes))
    model.save_pretrained(tmp_path)
    file = "encoder_whisper.py" if kind == "whisper" else "encoder_transformers.py"
    encoder = load_encoder(ROOT / "starting_kit" / "baseline" / file, tmp_path)
    samples = (1000 * np.random.default_rng(1).standard_normal(32_000)).astype(np.int16)
    frames = encoder.frames(samples)
    assert frames.shape[1] == 16
    assert abs(len(frames) - 2 * encoder.rate) <= 1
    assert np.array_equal(frames, encoder.frames(samples))


# Recordings and models that cannot be used


def test_recordings_that_are_missing_or_too_short_are_all_named(at_home, train_with, monkeypatch, tmp_path):
    place, tables, _ = at_home
    with pytest.raises(SystemExit, match=r"nowhere: no such folder; set --audio"):
        train_with(audio=tmp_path / "nowhere")
    (tmp_path / "short").mkdir()
    names = tables.recordings.audio_name
    with pytest.raises(
        SystemExit, match=rf"TTS_P9\w+-CCS\.wav and {len(names) - 1} more of {len(names)}: missing"
    ):
        train_with(audio=tmp_path / "short")
    for each in names:
        write_wav(tmp_path / "short" / each, np.linspace(-1, 1, 1600))
    with pytest.raises(SystemExit) as stopped:
        train_with(audio=tmp_path / "short")
    lines = str(stopped.value).splitlines()
    assert len(lines) == len(names)
    assert all("lasts 100 ms, but segment" in line for line in lines)
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
