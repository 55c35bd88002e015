"""Effects of a room, a microphone and a telephone line on speech, for samples from -1 to 1 at 16 kHz.

Random functions take a generator: the same seed gives the same samples.
"""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np

from sample_data.audio.speak import RATE


def reverberate(rng: np.random.Generator, samples: np.ndarray, seconds: float) -> np.ndarray:
    """Return speech in a room with a reverberation time (60 dB) of `seconds`; the length stays the same."""
    from scipy.signal import fftconvolve

    time = np.arange(round(seconds * RATE)) / RATE
    response = 0.02 * rng.standard_normal(len(time)) * 10 ** (-3 * time / seconds)
    response[0] = 1.0
    return fftconvolve(samples, response)[: len(samples)]


def add_noise(rng: np.random.Generator, samples: np.ndarray, snr: float) -> np.ndarray:
    """Return speech with noise that falls by 3 dB per octave, `snr` dB below the power of the non-zero samples."""
    spectrum = np.fft.rfft(rng.standard_normal(len(samples)))
    noise = np.fft.irfft(spectrum / np.sqrt(1 + np.arange(len(spectrum))), len(samples))
    speech = np.mean(samples[samples != 0] ** 2) if samples.any() else 0.0
    return samples + noise * np.sqrt(speech / np.mean(noise**2) / 10 ** (snr / 10))


def mu_law(samples: np.ndarray) -> np.ndarray:
    """Return samples after an 8-bit telephone line: companded with mu = 255, rounded, expanded (continuous G.711)."""
    companded = np.sign(samples) * np.log1p(255 * np.minimum(np.abs(samples), 1)) / np.log(256)
    rounded = np.round(companded * 127) / 127
    return np.sign(rounded) * (256 ** np.abs(rounded) - 1) / 255


def set_level(samples: np.ndarray, peak: float) -> np.ndarray:
    """Return samples scaled so that the largest is `peak` dB relative to full scale, which is 1."""
    loudest = np.abs(samples).max(initial=0.0)
    return samples * (10 ** (peak / 20) / loudest) if loudest else samples


def write_wav(path: Path, samples: np.ndarray) -> None:
    """Write a wav file with one channel and 16 bits; samples beyond full scale are clipped."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as sink:
        sink.setnchannels(1)
        sink.setsampwidth(2)
        sink.setframerate(RATE)
        sink.writeframes(np.round(np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
