"""Compare MFCC with a second implementation, and speech detection by energy with the silero network."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra [audio] is not installed")
pytest.importorskip("kaldi_native_fbank", reason="the extra [audio] is not installed")
pytest.importorskip("silero_vad", reason="the extra [audio] is not installed")
pytest.importorskip("espeakng_loader", reason="the extra [audio] is not installed")

import features
import vad

from sample_data.audio.acoustics import add_noise
from sample_data.audio.speak import RATE, Utterance, speak

# silero's package loads its network with a function that torch has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")


EPSILON = np.finfo(np.float32).eps


@pytest.fixture(scope="module")
def speech():
    """Return three sentences separated by two seconds of room noise, as 16-bit numbers, and their spans in ms."""
    said = ["where is the yellow bird", "wo3 men5 yi4 qi3 chang4 ge1 ba5", "shall we turn the page"]
    voices = ["en-us+f3", "cmn-latn-pinyin+m3", "en+m1"]
    spoken = list(speak([Utterance(text, voice) for text, voice in zip(said, voices, strict=True)]))
    pause = np.zeros(2 * RATE)
    clean = np.concatenate([part for sound in spoken for part in (pause, sound)] + [pause])
    ends = np.cumsum([2 * RATE + len(sound) for sound in spoken])
    spans = np.stack([ends - [len(sound) for sound in spoken], ends], axis=1) * 1000 / RATE
    noisy = add_noise(np.random.default_rng(1), clean, 20)
    return np.round(10000 * noisy / np.abs(noisy).max()), spans


def mfcc_by_hand(samples):
    """Return Kaldi's coefficients, from their definition in 64 bits: 23 mel bands from 20 Hz, window `povey`."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, 400)[::160]
    frames = frames - frames.mean(axis=1, keepdims=True)
    energy = np.log(np.maximum((frames**2).sum(axis=1), EPSILON))
    before = np.concatenate([frames[:, :1], frames[:, :-1]], axis=1)
    window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 399)) ** 0.85
    power = np.abs(np.fft.rfft((frames - 0.97 * before) * window, 512)) ** 2
    low, high = mel(np.array([20.0, RATE / 2]))
    centres = low + (high - low) * np.arange(25) / 24
    bins = mel(RATE / 512 * np.arange(256))[:, None]
    rising = (bins - centres[:-2]) / (centres[1:-1] - centres[:-2])
    falling = (centres[2:] - bins) / (centres[2:] - centres[1:-1])
    bands = np.log(np.maximum(power[:, :256] @ np.maximum(0, np.minimum(rising, falling)), EPSILON))
    order = np.arange(13)
    cosines = np.sqrt(2 / 23) * np.cos(np.pi / 23 * np.outer(np.arange(23) + 0.5, order))
    coefficients = bands @ cosines * (1 + 11 * np.sin(np.pi * order / 22))
    coefficients[:, 0] = energy
    return coefficients


def mel(hertz):
    return 1127 * np.log(1 + hertz / 700)


def test_mfcc_are_kaldis(speech):
    """Within 1e-4, except a few in a thousand: the library computes in 32 bits and rounds most in quiet frames."""
    samples = speech[0].copy()
    samples[RATE : RATE + 8000] = 0
    difference = np.abs(features.mfcc(samples) - mfcc_by_hand(samples))
    assert np.quantile(difference, 0.995) < 1e-4
    assert difference.max() < 1e-3


def test_differences_are_slopes():
    """As in Kaldi: sum of n (x[t + n] - x[t - n]) over n = 1, 2, divided by 2 (1 + 4). For a line: its slope."""
    line = 3.0 * np.arange(9)[:, None]
    np.testing.assert_allclose(features.differences(line)[2:-2], 3.0)
    step = np.array([0, 0, 0, 10, 10, 10, 10.0])[:, None]
    np.testing.assert_allclose(features.differences(step)[:, 0], [0, 2, 3, 3, 2, 0, 0])


def overlap(spans, others):
    """Return the time in both sets of spans, divided by the time in either."""
    time = np.arange(0, 20_000, 5)[:, None]
    first, second = (((time >= each[:, 0]) & (time < each[:, 1])).any(axis=1) for each in (spans, others))
    return (first & second).sum() / (first | second).sum()


@pytest.mark.parametrize("by", ["energy", "silero"])
def test_speech_is_found_where_it_is(speech, by):
    samples, spans = speech
    found = vad.find_speech(samples, by)
    assert (np.diff(found.ravel()) > 0).all()
    assert overlap(found, spans) > 0.8


def test_no_speech_is_found_in_silence_and_in_even_noise():
    assert vad.find_speech(np.zeros(RATE), "energy").shape == (0, 2)
    noise = np.round(300 * np.random.default_rng(1).standard_normal(10 * RATE))
    assert len(vad.find_speech(noise, "energy")) == 0
