"""What a room, a microphone and a line do to speech: samples from -1 to 1 at 16 kHz in, the like out.

Who draws passes a generator: the same seed gives the same samples.
"""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np

from sample_data.audio.speak import RATE


def reverberate(rng: np.random.Generator, samples: np.ndarray, seconds: float) -> np.ndarray:
    """Speech in a room whose sound falls by 60 dB in `seconds`: as long as before, direct sound and tail."""
    from scipy.signal import fftconvolve

    time = np.arange(round(seconds * RATE)) / RATE
    response = 0.02 * rng.standard_normal(len(time)) * 10 ** (-3 * time / seconds)
    response[0] = 1.0
    return fftconvolve(samples, response)[: len(samples)]


def add_noise(rng: np.random.Generator, samples: np.ndarray, snr: float) -> np.ndarray:
    """Speech in noise that falls by 3 dB an octave, `snr` dB below the power of the samples that are not 0."""
    spectrum = np.fft.rfft(rng.standard_normal(len(samples)))
    noise = np.fft.irfft(spectrum / np.sqrt(1 + np.arange(len(spectrum))), len(samples))
    speech = np.mean(samples[samples != 0] ** 2) if samples.any() else 0.0
    return samples + noise * np.sqrt(speech / np.mean(noise**2) / 10 ** (snr / 10))


def mu_law(samples: np.ndarray) -> np.ndarray:
    """What 8 bits of a telephone line leave: companded with mu = 255, rounded, expanded. G.711's law, continuous."""
    companded = np.sign(samples) * np.log1p(255 * np.minimum(np.abs(samples), 1)) / np.log(256)
    rounded = np.round(companded * 127) / 127
    return np.sign(rounded) * (256 ** np.abs(rounded) - 1) / 255


def set_level(samples: np.ndarray, peak: float) -> np.ndarray:
    """The samples with their loudest at `peak` dB below or above full scale, which is 1."""
    loudest = np.abs(samples).max(initial=0.0)
    return samples * (10 ** (peak / 20) / loudest) if loudest else samples


def write_wav(path: Path, samples: np.ndarray) -> None:
    """A wav of one channel, 16 bits; what goes beyond full scale is cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as sink:
        sink.setnchannels(1)
        sink.setsampwidth(2)
        sink.setframerate(RATE)
        sink.writeframes(np.round(np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
